import pytest

from scrimp import Costs, Item
from scrimp.costs.price_list import read_items


@pytest.fixture
def price_list(tmp_path):
    def write(text, name="prices.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_plain_csv(price_list):
    path = price_list("feature, price\nage, 1\n chol ,7.27\n")
    assert read_items(path) == [Item("age", 1.0, ("age",)), Item("chol", 7.27, ("chol",))]


def test_a_csv_with_items_fees_and_requirements(price_list):
    path = price_list(
        "feature,item,price,requires\n"
        ",draw,2.1,\n"
        "pulse,ward,1,\n"
        "ecg,ward,,\n"
        "ecg2,ward,1.0,\n"
        "chol,,5.17,draw|ward\n"
        "sugar,,3.1,draw; ward\n"
    )
    assert read_items(path) == [
        Item("draw", 2.1, ()),
        Item("ward", 1.0, ("pulse", "ecg", "ecg2")),
        Item("chol", 5.17, ("chol",), ("draw", "ward")),
        Item("sugar", 3.1, ("sugar",), ("draw", "ward")),
    ]


def test_first_and_later_costs_become_a_shared_fee(price_list):
    path = price_list(
        "feature,group,first_cost,later_cost\n"
        "age,,1,1\n"
        "chol,blood,7.27,5.17\n"
        "sugar,blood,5.20,3.10\n"
    )
    costs = Costs.read(path)
    assert costs.names == ("fee blood", "age", "chol", "sugar")
    assert costs.prices == (2.1, 1.0, 5.17, 3.1)  # exact, though 7.27 - 5.17 is not in floats
    assert costs.price_of([2]) == pytest.approx(7.27)
    assert costs.price_of([2, 3]) == pytest.approx(10.37)


def test_toml_in_both_forms(price_list):
    path = price_list(
        "[prices]\nage = 1\n'resting pulse' = 0.5\n"
        "[items.draw]\nprice = 2.1\ncolumns = []\n"
        "[items.chol]\nprice = 5.17\nrequires = ['draw']\n"
        "[items.ward]\nprice = 3\ncolumns = ['ecg', 'bp']\n",
        "prices.TOML",
    )
    costs = Costs.read(path)
    assert costs.names == ("age", "resting pulse", "draw", "chol", "ward")
    assert costs.column_names == ("age", "resting pulse", "chol", "ecg", "bp")
    assert costs.price_of([3]) == pytest.approx(7.27)


def test_a_byte_order_mark_is_no_part_of_the_header(price_list):
    assert Costs.read(price_list("\ufefffeature,price\na,1\n")).names == ("a",)


TURNEY = "feature,group,first_cost,later_cost\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("feature,price\nage,\n", "'age' has the price ''; expected a number"),
        ("feature,price\nage,free\n", "'age' has the price 'free'; expected a number"),
        ("feature,price\nage,nan\n", "'age' has the price 'nan'; expected a number"),
        ("feature,price\nage,1_0\n", "'age' has the price '1_0'; expected a number"),
        ("feature,price\nage,inf\n", "'age' has the price 'inf'; expected a number"),
        ("feature,price\nage,-1\n", "Item 'age' has the price -1.0; expected a finite number >= 0"),
        ("feature,price\nage,1,50\n", "the row of 'age', has more fields than the header"),
        ("feature,price\n,1\n", "a row has neither a feature nor an item name"),
        ("feature,price\nage,1\nage,1\n", r"column names \['age'\] occur more than once"),
        ("feature,price\nage,1\nage,2\n", "item 'age' has two prices, 1.0 and 2"),
        ("feature,item,price\na,g,1\nb,g,2\n", "item 'g' has two prices, 1.0 and 2. An item is"),
        ("feature,price,requires\nage,1,lab\n", r"Item 'age' requires \['lab'\]"),
        ("feature,price,requires\na,1,b\nb,1,a\n", "requires runs in a cycle: 'a' -> 'b' -> 'a'"),
        ("feature,cost\nage,1\n", r"its columns are \['feature', 'cost'\]; expected `feature, p"),
        ("feature,price\n", "it has a header but no rows"),
        ("", r"its columns are \[\]; expected"),
        (TURNEY + "a,g,1,2\n", "'a' costs 1 first but 2 later; it may not rise"),
        (TURNEY + "a,g,3,1\nb,g,3,2\n", r"group 'g' has two shared fees, 2 and 1 \(at 'b'\)"),
        (TURNEY + "a,g,nan,1\n", "'a' has the price 'nan'; expected a number"),
        (TURNEY + "a,g,inf,inf\n", "'a' has the price 'inf'; expected a number"),
        (TURNEY + "a,g,,1\n", "'a' has the price ''; expected a number"),
        (TURNEY + "a,g,-1,-2\n", "Item 'a' has the price -2.0"),
        (TURNEY + ",g,2,1\n", "a row has no feature name"),
        (TURNEY + "a,g,2,1\na,g,2,1\n", r"item names \['a'\] occur more than once"),
    ],
)
def test_bad_csv_lists_are_refused(price_list, text, message):
    with pytest.raises(ValueError, match=message):
        Costs.read(price_list(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"no \[items.NAME\] tables and no \[prices\] table found"),
        ("prices = 3\n", r"prices is 3; expected a table: \[prices\]"),
        ("[[items]]\nprice = 1\n", r"expected a table: \[items.NAME\]"),
        ("[items]\nage = 1\n", "item 'age' has no price. Write `price = ...` in its table"),
        ("[items.a]\ncolumns = []\n", "item 'a' has no price"),
        ("[items.a]\nprice = true\n", "'a' has the price 'True'; expected a number"),
        ("[items.a]\nprice = '1'\n", "'a' has the price '1', which is text.*without quotation"),
        ("[prices]\na = '1'\n", "'a' has the price '1', which is text; expected a number"),
        ("[prices]\na = nan\n", "'a' has the price 'NaN'; expected a number"),
        ("[prices]\na = inf\n", "'a' has the price 'Infinity'; expected a number"),
        ("[prices]\na = -1\n", "Item 'a' has the price -1.0"),
        ("[items.a]\nprice = 1\ncost = 2\n", r"item 'a' has the unknown entries \['cost'\]"),
        ("[items.a]\nprice = 1\ncolumns = 'a'\n", "columns is 'a'; expected a list of names"),
        ("[items.a]\nprice = 1\nrequires = [1]\n", r"requires is \[1\]; expected a list of names"),
        ("[prices]\na = 1\n[items.a]\nprice = 2\n", r"item names \['a'\] occur more than once"),
        ("[prices]\na = 1\na = 2\n", "Price list .*prices.toml"),
        ("[prices", "Price list .*prices.toml"),
    ],
)
def test_bad_toml_lists_are_refused(price_list, text, message):
    with pytest.raises(ValueError, match=message):
        Costs.read(price_list(text, "prices.toml"))


def test_errors_name_the_file(price_list):
    with pytest.raises(ValueError, match=r"Price list '.*prices\.csv': 'age' has"):
        Costs.read(price_list("feature,price\nage,\n"))
    with pytest.raises(ValueError, match=r"ends in '\.xlsx'; expected \.csv or \.toml"):
        Costs.read(price_list("", "prices.xlsx"))
    path = price_list("")
    path.write_bytes("feature,price\nâge,1\n".encode("latin-1"))
    with pytest.raises(ValueError, match="is not UTF-8 text"):
        Costs.read(path)
    with pytest.raises(FileNotFoundError):
        Costs.read("no such list.csv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("feature,price,price\na,1,2\n", r"header names \['price'\] more than once"),
        ("feature, Feature ,price\na,b,2\n", r"header names \['feature'\] more than once"),
        (
            "feature,price,group,first_cost,later_cost\na,9,g,3,1\n",
            r"price beside \['first_cost', 'later_cost'\], so that a feature has two prices",
        ),
        ("feature,price,first_cost\na,9,3\n", r"price beside \['first_cost'\]"),
        ("feature,price\na,1e-400\n", "'a' has the price 1E-400, which is too small"),
        ("feature,group,first_cost,later_cost\na,,1e-400,0\n", "'a' has the price 1E-400"),
        ("feature,group,first_cost,later_cost\na,g,1e-400,0\n", "'fee g' has the price 1E-400"),
        (f"feature,price\n\na,1\n{'b' * 200_000},2\n", "line 4 cannot be read: field larger than"),
        ("feature,price\n\na,1,50\n", "line 3, the row of 'a', has more fields"),
    ],
)
def test_a_csv_with_two_meanings_is_refused(price_list, text, message):
    with pytest.raises(ValueError, match=rf"Price list '.*prices.csv': .*{message}"):
        read_items(price_list(text))


def test_a_price_too_small_for_a_number_is_refused_in_toml_too(price_list):
    path = price_list("[prices]\na = 1e-400\n", "prices.toml")
    with pytest.raises(ValueError, match=r"prices.toml': 'a' has the price 1E-400, which is too"):
        read_items(path)
    assert read_items(price_list("[prices]\na = 1e-300\n", "p.toml"))[0].price == 1e-300
