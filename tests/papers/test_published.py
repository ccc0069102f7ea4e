"""The printed tables have the shapes they should have."""

from papers import published as p


def test_reyzin_tables_cover_the_same_four_sets():
    tables = (p.REYZIN2011_ADABOOST, p.REYZIN2011_SAMPLES, p.REYZIN2011_USED,
              p.REYZIN2011_ERRORS, p.REYZIN2011_TAKEN)  # fmt: skip
    for table in tables:
        assert list(table) == list(p.REYZIN2011)


def test_reyzin_tables_3_and_4_rise_as_the_goal_gets_closer():
    for table in (p.REYZIN2011_SAMPLES, p.REYZIN2011_USED):
        for row in table.values():
            assert len(row) == len(p.REYZIN2011_WITHIN)
            assert list(row) == sorted(row)


def test_reyzin_table_5_and_6_have_two_methods_at_two_bounds():
    for table in (p.REYZIN2011_ERRORS, p.REYZIN2011_TAKEN):
        assert {(len(row), len(cell)) for row in table.values() for cell in row} == {(2, 2)}
    # "we can clearly see that RS_AC outperforms RS", and it buys more
    assert all(aware < plain for row in p.REYZIN2011_ERRORS.values() for aware, plain in row)
    assert all(aware > plain for row in p.REYZIN2011_TAKEN.values() for aware, plain in row)


def test_huang_counts_one_feature_more_on_the_four_sets_of_reyzin():
    for name, setting in p.REYZIN2011.items():
        assert p.HUANG2015[name].n_features == setting.n_features + 1
        assert p.HUANG2015[name].train == setting.train
        assert p.HUANG2015[name].test == setting.test
