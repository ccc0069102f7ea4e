"""``scrimp stream``: one pass over a file or standard input, measured, checkpointed, resumed."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest

from scrimp import StreamingBoostingClassifier, load, load_checkpoint

from .conftest import refused, run, run_json, table

PRICES = "feature,price\na,1\nb,3\ncolour,0.5\nnoise,50\n"


@pytest.fixture
def folder(tmp_path):
    table(1_500).drop("id").write_csv(tmp_path / "rows.csv")
    (tmp_path / "prices.csv").write_text(PRICES)
    return tmp_path


def words(folder, *more, data="rows.csv"):
    source = data if data == "-" else folder / data
    return ("stream", source, "--target", "y", "--chunk", 100, "--learners", 4, *more)


def test_it_learns_reports_and_saves(folder):
    out = folder / "m.scrimp"
    prices = ("--costs", folder / "prices.csv", "--budget", 4.5)
    result = run(*words(folder, *prices, "--every", 500, "--out", out))
    assert result.exit_code == 0, result.stderr
    assert "Learnt to tell y sick from well from 1500 rows of a stream." in result.stdout
    assert "share of wrong answers" in result.stdout
    assert "Never bought: noise" in result.stdout
    model = load(out)
    assert model.plan.price <= 4.5
    assert model.info["target"] == "y"


def test_the_record_has_the_curve(folder):
    record = run_json(*words(folder, "--every", 500))
    assert record["rows"] == 1_500
    assert record["rows_skipped"] == 0
    assert record["classes"] == ["sick", "well"]
    assert [point["rows"] for point in record["curve"]] == [500, 1_000, 1_500]
    assert record["curve"][-1]["error"] < record["curve"][0]["error"]
    assert 0 < record["error"] < 0.5
    assert record["spend"] <= 4.0
    assert record["model"] is None


def test_the_model_is_that_of_partial_fit(folder):
    out = folder / "m.scrimp"
    assert run(*words(folder, "--out", out)).exit_code == 0
    rows = table(1_500).drop("id")
    model = StreamingBoostingClassifier(n_learners=4)
    for start in range(0, 1_500, 100):
        part = rows[start : start + 100]
        model.partial_fit(part.drop("y"), part["y"].to_numpy(), classes=["sick", "well"])
    X = rows.drop("y")
    np.testing.assert_allclose(load(out).predict_proba(X), model.predict_proba(X))


def test_other_weak_learners_than_trees(folder):
    state = ("--checkpoint", folder / "a.ckpt")
    record = run_json(*words(folder, "--learner", "linear", *state, "--every", 500))
    assert record["curve"][-1]["error"] < 0.2
    model = load_checkpoint(folder / "a.ckpt")
    assert model.learner == "linear"
    message = refused(*words(folder, "--learner", "network", *state))
    assert "was begun with --learner linear, and not network" in message
    assert "'forest' is not one of 'tree', 'linear'" in refused(
        *words(folder, "--learner", "forest")
    )


@pytest.mark.parametrize("ending", ["csv.gz", "parquet"])
def test_all_kinds_of_tables_give_the_same_errors(folder, ending):
    from scrimp.cli.tables import table_bytes

    path = folder / f"rows.{ending}"
    path.write_bytes(table_bytes(table(1_500).drop("id"), path))
    expected, record = run_json(*words(folder)), run_json(*words(folder, data=path.name))
    assert record["error"] == expected["error"]
    assert record["entries"] == expected["entries"]


def test_standard_input_gives_the_same_as_a_file(folder):
    text = (folder / "rows.csv").read_text()
    expected, record = run_json(*words(folder)), run_json(*words(folder, data="-"), text=text)
    assert record == expected


@pytest.mark.parametrize("data", ["rows.csv", "-"])
def test_it_resumes_where_it_was(folder, data):
    lines = (folder / "rows.csv").read_text().splitlines(keepends=True)
    whole, parts = folder / "whole.ckpt", folder / "parts.ckpt"
    prices = ("--costs", folder / "prices.csv", "--budget", 4.5)
    text = None if data == "rows.csv" else "".join(lines)
    expected = run_json(*words(folder, *prices, "--checkpoint", whole, data=data), text=text)
    (folder / "first.csv").write_text("".join(lines[:801]))
    assert run(
        *words(folder, *prices, "--checkpoint", parts, data="first.csv")
    ).exit_code == 0  # fmt: skip
    result = run(*words(folder, "--checkpoint", parts, "--json", data=data), text=text)
    name = "standard input" if data == "-" else str(folder / "rows.csv")
    assert f"the first 800 rows of {name} were learnt before, and are skipped" in result.stderr
    record = json.loads(result.stdout)
    assert record.pop("rows_skipped") == 800
    assert {**record, "checkpoint": "", "rows_skipped": 0} == {**expected, "checkpoint": ""}
    assert whole.read_bytes() == parts.read_bytes()


def test_a_stream_that_was_learnt_to_its_end_has_nothing_more(folder):
    state = ("--checkpoint", folder / "a.ckpt")
    assert run(*words(folder, *state)).exit_code == 0
    before = (folder / "a.ckpt").read_bytes()
    assert run_json(*words(folder, *state))["rows"] == 1_500
    assert (folder / "a.ckpt").read_bytes() == before


@pytest.mark.parametrize(
    ("more", "match"),
    [
        (("--budget", 9), "was begun with --budget 4.0, and not 9.0"),
        (("--learners", 7), "was begun with --learners 4, and not 7"),
        (("--task", "regression"), "was begun with --task classification, and not regression"),
        (("--drop", "a"), "was begun with --drop noise, and not a"),
        (("--costs", "prices.csv"), "was begun with other prices"),
    ],
)
def test_other_options_than_before_are_refused(folder, more, match):
    state = ("--checkpoint", folder / "a.ckpt")
    same = ("--budget", 4, "--drop", "noise")
    assert run(*words(folder, *state, *same)).exit_code == 0
    (folder / "prices.csv").write_text("feature,price\na,1\nb,3\ncolour,0.5\n")
    more = [folder / word if word == "prices.csv" else word for word in more]
    given = ("--drop", "noise", *more) if "--drop" not in more else more
    assert match in refused(*words(folder, *state, *given))


def test_a_damaged_checkpoint_is_refused_and_stays(folder):
    state = ("--checkpoint", folder / "a.ckpt", "--every", 500)
    assert run(*words(folder, *state)).exit_code == 0
    damaged = (folder / "a.ckpt").read_bytes()[:-9]
    (folder / "a.ckpt").write_bytes(damaged)
    text = refused(*words(folder, *state))
    assert "a.ckpt is cut short" in text
    assert "The checkpoint before it is" in text
    assert (folder / "a.ckpt").read_bytes() == damaged
    load_checkpoint(folder / "a.ckpt.previous")


def test_another_stream_than_before_is_refused(folder):
    state = ("--checkpoint", folder / "a.ckpt")
    assert run(*words(folder, *state)).exit_code == 0
    table(200).drop("id").write_csv(folder / "short.csv")
    text = refused(*words(folder, *state, data="short.csv"))
    assert "has 200 rows, and" in text
    assert "counts 1500" in text
    table(2_000).drop("id", "a").write_csv(folder / "other.csv")
    assert "it lacks ['a']" in refused(*words(folder, *state, data="other.csv"))


def test_numbers_are_predicted(folder):
    rows = table(1_000).drop("id", "y").with_columns((pl.col("b") * 3).round(2).alias("z"))
    rows.write_csv(folder / "numbers.csv")
    record = run_json("stream", folder / "numbers.csv", "--target", "z", "--chunk", 100)
    assert record["task"] == "regression"
    assert record["measure"] == "mean squared error"
    assert record["curve"][-1]["error"] < 3.0
    whole = rows.with_columns((pl.col("b") * 30).round().cast(int).alias("z"))
    whole[:500].write_csv(folder / "whole.csv")
    text = (folder / "whole.csv").read_text() + "0.1,0.2,red,3,1.5\n" * 300
    record = run_json("stream", "-", "--target", "z", "--chunk", 100, text=text)
    assert record["rows"] == 800


def test_classes_come_from_the_whole_file_or_are_named(folder):
    rows = table(900).drop("id").sort("y")
    rows.write_csv(folder / "sorted.csv")
    assert run_json(*words(folder, data="sorted.csv"))["classes"] == ["sick", "well"]
    text = (folder / "sorted.csv").read_text()
    assert "has one class only in its first 100 rows, sick" in refused(
        *words(folder, data="-"), text=text
    )
    record = run_json(*words(folder, "--classes", "well,sick,dead", data="-"), text=text)
    assert record["classes"] == ["dead", "sick", "well"]


def test_a_label_never_seen_ends_the_stream_and_keeps_what_was_learnt(folder):
    text = (folder / "rows.csv").read_text() + "1,1,red,1,dead\n"
    out, state = folder / "m.scrimp", folder / "a.ckpt"
    line = refused(*words(folder, "--out", out, "--checkpoint", state, data="-"), text=text)
    assert "Row 1501 of standard input has the label dead" in line
    assert "What was learnt from 1500 rows before is kept, and saved to" in line
    assert load(out).info["finished"] is False
    assert load_checkpoint(state).n_rows_ > 1_400


@pytest.mark.parametrize(
    ("end", "match"),
    [
        ("0.5,1", "ends in the middle of row 1501: '0.5,1'"),
        ("0.5,much,red,1,sick\n", "Column 'b' of standard input is 'much' in row 1501"),
        ("1,1,red,1,sick,7\n", "Row 1501 of standard input cannot be read: it has more cells"),
        ("1,1,red,1,\n", "The target 'y' is missing in 1 of 1 row"),
    ],
)
def test_bad_rows_end_the_stream_and_keep_what_was_learnt(folder, end, match):
    text = (folder / "rows.csv").read_text() + end
    out = folder / "m.scrimp"
    line = refused(*words(folder, "--out", out, data="-"), text=text)
    assert match in line
    assert "before is kept, and saved to" in line
    load(out)
    line = refused(*words(folder, data="-"), text=text)
    assert "before is lost, as there is neither --out nor --checkpoint" in line


@pytest.mark.parametrize(
    ("more", "text", "match"),
    [
        (("--target", "z"), "a,y\n1,2\n", "standard input has no column 'z' (the target)"),
        (("--target", "y"), "a,y\n", "standard input has no rows"),
        (("--target", "y"), "", "standard input is empty"),
        (("--target", "y"), "y\n1\n2\n", "has no column besides the target"),
        (("--target", "y", "--drop", "b"), "a,y\n1,u\n2,v\n", "no column 'b' (to drop)"),
        (("--target", "y", "--task", "regression"), "a,y\n1,u\n2,v\n", "holds text"),
        (("--target", "y", "--classes", "u,v"), "a,y\n1,1.5\n2,2.5\n", "classes"),
    ],
)
def test_bad_input_is_refused(more, text, match):
    assert match in refused("stream", "-", *more, text=text)


def test_files_do_not_overwrite_each_other(folder):
    same = ("--out", folder / "x.scrimp", "--checkpoint", folder / "x.scrimp")
    assert "name the same file" in refused(*words(folder, *same))
    (folder / "link").symlink_to(folder / "rows.csv")
    assert "is read here and would be overwritten" in refused(
        *words(folder, "--checkpoint", folder / "link")
    )


def test_a_stop_of_the_pipe_saves_what_was_learnt(folder):
    """Ctrl-C while it waits for rows: the model and the checkpoint are saved, exit code 130."""
    out, state = folder / "m.scrimp", folder / "a.ckpt"
    command = [sys.executable, "-m", "scrimp", *words(folder, "--out", out, "--checkpoint", state,
               "--every", 500, data="-")]  # fmt: skip
    with subprocess.Popen(
        [*map(str, command)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        process.stdin.write((folder / "rows.csv").read_text())
        process.stdin.flush()
        end = time.monotonic() + 60
        while not (state.exists() and (folder / "a.ckpt.previous").exists()):
            assert time.monotonic() < end
            assert process.poll() is None
            time.sleep(0.05)
        time.sleep(0.3)
        os.kill(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "saved what was learnt to" in errors
    assert load(out).info["finished"] is False
    assert load_checkpoint(state).n_rows_ >= 950
