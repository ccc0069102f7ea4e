"""The examples run, and show what they say."""

import importlib.util
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_all_examples_are_tested():
    tested = {
        "buy_by_what_is_seen",
        "cascade_of_models",
        "losses_of_several_tasks",
        "stream_with_prices",
    }
    assert {path.stem for path in EXAMPLES.glob("*.py")} == tested


def test_a_cascade_of_models(capsys):
    model = example("cascade_of_models").main(["--average", "200"])
    assert model.calibration_.spend <= 200.0
    printed = capsys.readouterr().out
    assert "stage 1 (LogisticRegression): 24% of the patients leave" in printed
    assert "mean spend 198.59, right 80.8%" in printed


def test_losses_of_several_tasks(capsys):
    left = example("losses_of_several_tasks").main([])
    assert left["const"][0] < 0.05
    assert left["const"][1:].min() > 0.5
    assert left["adaloss"].max() < 0.05
    assert "adaloss  unexplained of the three quantities: 1%, 1%, 1%" in capsys.readouterr().out


def test_a_stream_with_prices(tmp_path, capsys):
    module = example("stream_with_prices")
    picture = tmp_path / "curve.png"
    curves = module.main(["--rows", "9000", "--plot", str(picture)])
    for budget, curve in curves.items():
        assert (curve.spend <= budget).all()
    errors = [curve.errors[-1] for curve in curves.values()]
    assert errors[0] > 2 * errors[1] > errors[2]
    # the sensor that is built in makes what is to be predicted vary, until it is bought
    assert curves[10.0].errors[8] > 3 * curves[10.0].errors[6]
    assert curves[10.0].errors[-1] < 0.5 * curves[10.0].errors[8]
    assert curves[1.0].errors[-1] == pytest.approx(curves[1.0].errors[8], rel=0.5)
    text = capsys.readouterr().out
    assert "vibration" in text
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_what_is_seen_decides_what_is_bought(tmp_path, capsys):
    picture = tmp_path / "tree.png"
    errors = example("buy_by_what_is_seen").main(["--plot", str(picture)])
    assert errors["tree"] < 0.5 * errors["one set"]
    assert "at most 5 spent on a machine" in capsys.readouterr().out
    assert picture.stat().st_size > 10_000
