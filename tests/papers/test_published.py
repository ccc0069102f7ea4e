"""The printed tables have the shapes they should have."""

from papers.huang2015 import published as huang
from papers.reyzin2011 import published as reyzin


def test_reyzin_tables_cover_the_same_four_sets():
    tables = (reyzin.ADABOOST, reyzin.SAMPLES, reyzin.USED,
              reyzin.ERRORS, reyzin.TAKEN)  # fmt: skip
    for table in tables:
        assert list(table) == list(reyzin.SETTINGS)


def test_reyzin_tables_3_and_4_rise_as_the_goal_gets_closer():
    for table in (reyzin.SAMPLES, reyzin.USED):
        for row in table.values():
            assert len(row) == len(reyzin.WITHIN)
            assert list(row) == sorted(row)


def test_reyzin_table_5_and_6_have_two_methods_at_two_bounds():
    for table in (reyzin.ERRORS, reyzin.TAKEN):
        assert {(len(row), len(cell)) for row in table.values() for cell in row} == {(2, 2)}
    # "we can clearly see that RS_AC outperforms RS", and it buys more
    assert all(aware < plain for row in reyzin.ERRORS.values() for aware, plain in row)
    assert all(aware > plain for row in reyzin.TAKEN.values() for aware, plain in row)


def test_huang_counts_one_feature_more_on_the_four_sets_of_reyzin():
    for name, setting in reyzin.SETTINGS.items():
        assert huang.SETTINGS[name].n_features == setting.n_features + 1
        assert huang.SETTINGS[name].train == setting.train
        assert huang.SETTINGS[name].test == setting.test
