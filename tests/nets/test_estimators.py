"""Anytime networks as estimators: tables, images, exits that save computation."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, make_friedman1
from sklearn.model_selection import train_test_split

from scrimp import save
from scrimp.datasets import load_heart

torch = pytest.importorskip("torch")

from scrimp.nets import AnytimeNetClassifier, AnytimeNetRegressor, BlockProgram, Layer  # noqa: E402
from scrimp.plans.components.image_blocks import ImageBlock  # noqa: E402

#: Code after which PyTorch is not installed.
WITHOUT_TORCH = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")
sys.meta_path.insert(0, Absent())
"""
SMALL = {"width": 16, "inner_width": 24, "n_blocks": 4, "batch_size": 64, "random_state": 0}


class TestTables:
    def test_text_and_missing_values(self):
        rng = np.random.default_rng(0)
        X = pd.DataFrame({"colour": rng.choice(["red", "blue"], 600), "size": rng.normal(size=600)})
        y = (X["colour"] == "red") ^ (X["size"] > 0)
        X.loc[rng.random(600) < 0.05, "colour"] = None
        X.loc[rng.random(600) < 0.05, "size"] = np.nan
        model = AnytimeNetClassifier(n_epochs=40, **SMALL).fit(X[:400], y[:400])
        assert model.score(X[400:], y[400:]) > 0.85
        unseen = X[:3].assign(colour="green")
        assert np.isfinite(model.predict_proba(unseen)).all()

    def test_answers_improve_with_the_budget(self):
        X, y = make_friedman1(1500, 8, noise=0.5, random_state=0)
        model = AnytimeNetRegressor(n_epochs=40, **SMALL).fit(X[:1000], y[:1000])
        scores = [model.score(X[1000:], y[1000:], budget=b) for b in (0, 2, 4, 8)]
        assert scores[0] <= 0.01
        assert np.diff(scores).min() > -0.02
        assert scores[-1] > 0.85

    def test_a_given_order_is_followed(self):
        heart = load_heart()
        order = ["age", "sex", "chol", "cp"]
        model = AnytimeNetClassifier(heart.costs, order=order, n_epochs=4, **SMALL)
        model.fit(heart.X, heart.y)
        assert [name for name in model.sequence_ if name in order] == order

    def test_computation_has_a_price(self):
        X, y = make_friedman1(400, 5, random_state=0)
        free = AnytimeNetRegressor(n_epochs=4, **SMALL).fit(X, y)
        assert not free.block_prices_.any()
        priced = AnytimeNetRegressor(n_epochs=4, compute_rate=100.0, **SMALL).fit(X, y)
        np.testing.assert_allclose(priced.block_prices_, 1e-4 * priced.multiply_adds_)
        assert priced.plan_.price == pytest.approx(5.0 + priced.block_prices_.sum(), rel=0.3)
        spend = priced.spend(X, budget=3.0)
        assert 1.0 < spend.max() <= 3.0
        given = AnytimeNetRegressor(n_epochs=4, block_prices=[1, 2, 3, 4], **SMALL).fit(X, y)
        assert given.plan_.costs.prices[5:] == (1.0, 2.0, 3.0, 4.0)[: len(given.plan_.stages)]
        timed = AnytimeNetRegressor(
            n_epochs=4, block_prices="milliseconds", compute_rate=1.0, **SMALL
        ).fit(X, y)
        assert (timed.block_prices_ > 0).all()

    def test_a_loaded_model_predicts_without_the_library(self, tmp_path):
        heart = load_heart()
        model = AnytimeNetClassifier(heart.costs, n_epochs=3, **SMALL).fit(heart.X, heart.y)
        save(model, tmp_path / "net.scrimp")
        code = f"""
{WITHOUT_TORCH}
from scrimp import load
from scrimp.datasets import load_heart
heart = load_heart()
model = load({str(tmp_path / "net.scrimp")!r})
print(repr(model.predict_proba(heart.X[:5], 50.0)[:, 1].tolist()))
"""
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        expected = model.predict_proba(heart.X[:5], 50.0)[:, 1].tolist()
        assert done.stdout.strip() == repr(expected)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"architecture": "transformer"}, "architecture is 'transformer'"),
            ({"balance": "fair"}, "balance is 'fair'"),
            ({"n_blocks": 0}, "n_blocks is 0"),
            ({"dropout": 1.0}, "dropout is 1.0"),
            ({"compute_rate": -1.0}, "compute_rate is -1.0"),
            ({"block_prices": [1.0]}, "block_prices must be 4 finite numbers"),
            ({"order": "best"}, "order is 'best'"),
        ],
    )
    def test_what_is_refused(self, options, message):
        X, y = make_friedman1(60, 5, random_state=0)
        with pytest.raises(ValueError, match=message):
            AnytimeNetRegressor(**{"n_epochs": 1} | SMALL | options).fit(X, y)


def digits():
    X, y = load_digits(return_X_y=True)
    return train_test_split(X.reshape(-1, 1, 8, 8) / 16.0, y, test_size=500, random_state=0)


@pytest.fixture(scope="module")
def fitted():
    train, test, y, y_test = digits()
    model = AnytimeNetClassifier(
        architecture="resnet", architecture_options={"n": 1, "channels": 8}, n_epochs=12,
        batch_size=64, random_state=0,
    )  # fmt: skip
    return model.fit(train, y), test, y_test


class TestImages:
    def test_answers_improve_with_computation(self, fitted):
        model, test, y = fitted
        prices = np.cumsum(model.block_prices_)
        scores = [model.score(test, y, budget=b) for b in (0.0, *prices * (1 + 1e-9))]
        assert scores[0] < 0.2
        assert scores[-1] > 0.9
        assert np.diff(scores).min() > -0.02

    def test_no_block_beyond_the_budget_is_computed(self, fitted, monkeypatch):
        model, test, _ = fitted
        done = []
        forward = ImageBlock.forward

        def counted(self, hidden, X, rows):
            done.append(len(rows) * self.multiply_adds)
            return forward(self, hidden, X, rows)

        monkeypatch.setattr(ImageBlock, "forward", counted)
        for k in range(len(model.block_prices_)):
            done.clear()
            model.predict(test, budget=float(model.block_prices_[: k + 1].sum()) * (1 + 1e-9))
            kept = [e for e, has in enumerate(model.has_exit_) if has and e <= k]
            blocks = kept[-1] + 1 if kept else 0
            assert sum(done) == len(test) * model.multiply_adds_[:blocks].sum()

    def test_sure_rows_leave_the_batch(self, fitted, monkeypatch):
        model, test, y = fitted
        model.calibrate_stop(test[:250], y[:250], max_increase=0.2)
        done = []
        forward = ImageBlock.forward

        def counted(self, hidden, X, rows):
            done.append(len(rows) * self.multiply_adds)
            return forward(self, hidden, X, rows)

        monkeypatch.setattr(ImageBlock, "forward", counted)
        spend = model.spend(test[250:], stop="confident")
        assert sum(done) == pytest.approx(1e6 * spend.sum())
        assert spend.mean() < 0.95 * spend.max()
        right = (model.predict(test[250:], stop="confident") == y[250:]).mean()
        assert right > model.score(test[250:], y[250:]) - 0.25

    def test_channels_last_is_an_option_and_never_guessed(self):
        train, test, y, _ = digits()
        options = {
            "architecture": "lenet", "n_epochs": 1, "batch_size": 64, "random_state": 0,
        }  # fmt: skip
        first = AnytimeNetClassifier(**options).fit(train, y)
        last = AnytimeNetClassifier(layout="NHWC", **options).fit(train.transpose(0, 2, 3, 1), y)
        np.testing.assert_array_equal(
            first.predict_proba(test), last.predict_proba(test.transpose(0, 2, 3, 1))
        )
        with pytest.raises(ValueError, match=r"images of \(8, 8, 1\).*trained on \(1, 8, 8\)"):
            first.predict(test.transpose(0, 2, 3, 1))
        flat = AnytimeNetClassifier(image_shape=(1, 8, 8), **options)
        np.testing.assert_array_equal(
            flat.fit(train.reshape(-1, 64), y).predict(test.reshape(-1, 64)), first.predict(test)
        )

    def test_what_is_refused(self):
        train, _, y, _ = digits()
        with pytest.raises(ValueError, match="needs images"):
            AnytimeNetClassifier(architecture="resnet").fit(train.reshape(-1, 64), y)
        with pytest.raises(ValueError, match="of 64 pixels"):
            AnytimeNetClassifier(architecture="resnet", image_shape=(3, 8, 8)).fit(
                train.reshape(-1, 64), y
            )
        with pytest.raises(ValueError, match="X has 3 dimensions"):
            AnytimeNetClassifier(architecture="resnet", image_shape=(1, 8, 8)).fit(train[:, 0], y)
        with pytest.raises(TypeError, match="list of BlockProgram"):
            AnytimeNetClassifier(architecture=3).fit(train, y)

    def test_layers_of_ones_own(self):
        def tiny(n_outputs):
            layers = (
                Layer("conv", ("x",), "c", {"channels": 4, "size": 3, "padding": 1}),
                Layer("relu", ("c",), "r"),
            )
            way_out = (
                Layer("flatten", ("r",), "f"),
                Layer("linear", ("f",), "scores", {"channels": n_outputs}),
            )
            return [BlockProgram(layers, ("r",), way_out)]

        train, test, y, y_test = digits()
        model = AnytimeNetClassifier(
            architecture=tiny, n_epochs=10, batch_size=32, random_state=0
        ).fit(train, y)
        assert model.score(test, y_test) > 0.8

    def test_networks_that_deepen(self):
        train, test, y, y_test = digits()
        model = AnytimeNetClassifier(
            architecture="resnet", architecture_options={"n": 2, "channels": 4}, n_networks=2,
            n_epochs=8, batch_size=64, learning_rate=0.01, random_state=0,
        ).fit(train, y)  # fmt: skip
        assert len(model.exit_losses_) == 3 + 6
        kept = model.exit_losses_[model.has_exit_]
        assert (np.diff(kept) < 0).all()
        assert model.score(test, y_test) > 0.8
        one = model.score(test, y_test, budget=float(model.block_prices_[:3].sum()) * (1 + 1e-9))
        assert one <= model.score(test, y_test) + 0.03
        with pytest.raises(ValueError, match="n_networks is 2, but the depth of this"):
            AnytimeNetClassifier(architecture="lenet", n_networks=2).fit(train, y)

    def test_files_hold_the_network(self, fitted, tmp_path):
        from scrimp import load

        model, test, _ = fitted
        save(model, tmp_path / "net.scrimp")
        flat = test.reshape(len(test), -1)
        np.testing.assert_array_equal(
            load(tmp_path / "net.scrimp").predict(flat), model.predict(test)
        )

    def test_files_predict_without_pytorch(self, fitted, tmp_path):
        model, test, _ = fitted
        save(model, tmp_path / "net.scrimp")
        np.save(tmp_path / "rows.npy", test[:12].reshape(12, -1))
        code = f"""
{WITHOUT_TORCH}
import numpy as np
from scrimp import load
model = load({str(tmp_path / "net.scrimp")!r})
answers = model.predict_proba(np.load({str(tmp_path / "rows.npy")!r}))
np.save({str(tmp_path / "answers.npy")!r}, answers)
"""
        subprocess.run([sys.executable, "-c", code], check=True)
        expected = model.predict_proba(test[:12])
        np.testing.assert_allclose(np.load(tmp_path / "answers.npy"), expected, atol=1e-4)


def test_a_missing_extra_is_named_with_the_command():
    code = f"{WITHOUT_TORCH}\nimport scrimp.nets as nets; nets.AnytimeNetClassifier"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install 'scrimp[nets]'" in done.stderr
