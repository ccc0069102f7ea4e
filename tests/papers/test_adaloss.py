"""The experiments on AdaLoss, on few generated images."""

import numpy as np
import pytest

pytest.importorskip("torch")

from papers.adaloss import claims, data, training
from papers.adaloss.experiment import STUDY
from papers.experiment import Results
from papers.report import PaperPage
from papers.trials import Setting


@pytest.fixture
def images(monkeypatch):
    rng = np.random.default_rng(0)
    y = np.arange(240) % 3
    X = rng.normal(0.5, 0.1, size=(240, 1, 8, 8)).astype(np.float32)
    X[np.arange(240), 0, 2 * y, 3] += 1.0
    monkeypatch.setitem(data.SHAPES, "dots", (1, 8, 8))
    few = ("const", "gradient-norm", "adaloss")
    monkeypatch.setattr(training, "SCHEMES", {name: training.SCHEMES[name] for name in few})
    monkeypatch.setattr(training, "EPOCHS", 25)
    monkeypatch.setattr(training, "BATCH", 16)
    monkeypatch.setattr(training, "SIZE", (1, 4))
    monkeypatch.setattr(training, "LARGER", (2, 4))
    return data.Images("dots", X.reshape(240, -1), y, 160, "dots in noise")


def test_a_trial(images):
    setting = Setting(64, 120, 60, 0, 5)
    record = training.trial(images, setting, np.random.default_rng(0))
    assert record == training.trial(images, setting, np.random.default_rng(0))
    assert record["exits"] == sorted(record["exits"])
    assert record["exits"][-1] == 2
    assert set(record["errors"]) == {"opt", *training.SCHEMES}
    assert record["errors"]["opt"][-1] < 0.4
    assert record["weights"]["const"] == [1.0, 1.0, 1.0]
    assert record["cost"][1] > 1.5 * record["cost"][0]


def records(const, adaloss, n=6):
    """Trials in which errors at the four parts of the cost are given for two schemes."""
    rng = np.random.default_rng(0)
    made = []
    for _ in range(n):
        noise = 1.0 + 0.001 * rng.normal()
        errors = {name: [0.1 * noise] * 4 for name in (*training.SCHEMES, "opt")}
        errors["const"] = [0.1 * (1 + e) * noise for e in const]
        errors["adaloss"] = [0.1 * (1 + e) * noise for e in adaloss]
        for name in training.SCHEMES:
            if name.startswith("adaloss,"):
                errors[name] = errors["adaloss"]
        weights = {"adaloss": [0.2, 0.4, 1.0]}
        made.append({"errors": errors, "weights": weights, "larger": 0.2, "cost": [1, 2]})
    return made


def outcomes(own):
    return {verdict.claim: verdict.outcome for verdict in claims.verdicts({"dots": own})}


def test_claims_are_decided_by_the_figures():
    as_printed = outcomes(records([0.15, 0.16, 0.19, 0.19], [0.33, 0.10, 0.04, 0.03]))
    reversed_ = outcomes(records([0.33, 0.10, 0.04, 0.03], [0.15, 0.16, 0.19, 0.19]))
    for claim, other in [
        ("at the last exit, the error of AdaLoss is less above OPT than that of CONST", "refuted"),
        ("CONST's excess over OPT grows with depth", "refuted"),
        ("AdaLoss's excess shrinks with depth, to 2.73% at the end", "refuted"),
    ]:
        assert as_printed[claim] == "confirmed"
        assert reversed_[claim] == other
    neither = "on one and the same network neither scheme is better everywhere"
    assert as_printed[neither] == "confirmed"
    assert outcomes(records([0.2] * 4, [0.1] * 4))[neither] == "not decided"


def test_the_report_has_every_scheme():
    page = PaperPage("adaloss", "adaloss-")
    own = {"mnist": records([0.15, 0.16, 0.19, 0.19], [0.33, 0.10, 0.04, 0.03])}
    STUDY.fill(page, Results(own, {"mnist": (6, 784)}, {"mnist": "generated"}))
    for scheme in training.SCHEMES:
        assert scheme in page.text
    assert "18.9 (18.9)" in page.text.replace("19.0 (18.9)", "18.9 (18.9)")
