"""Training: seeds, checkpoints, interrupts, and what goes wrong."""

import warnings

import numpy as np
import pytest

from scrimp import load, save

torch = pytest.importorskip("torch")

from scrimp.nets import AnytimeNetClassifier, AnytimeNetRegressor, LossBalance  # noqa: E402
from scrimp.nets.training import Trainer  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 5))
Y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
SMALL = {"width": 12, "inner_width": 16, "n_blocks": 3, "batch_size": 64, "random_state": 0}


def net(**options):
    return AnytimeNetClassifier(**{"n_epochs": 6} | SMALL | options)


def stop_after(n_epochs):
    def callback(event):
        if event.task == "epochs" and event.done == n_epochs:
            raise KeyboardInterrupt

    return callback


def test_the_same_seed_gives_the_same_weights_and_leaves_the_global_one():
    torch.manual_seed(7)
    first = net().fit(X, Y).predict_proba(X)
    drawn = torch.rand(1)
    torch.manual_seed(7)
    np.testing.assert_array_equal(net().fit(X, Y).predict_proba(X), first)
    assert torch.equal(torch.rand(1), drawn)
    assert (net(random_state=1).fit(X, Y).predict_proba(X) != first).any()


@pytest.mark.parametrize("optimiser", ["adamw", "sgd"])
def test_a_training_that_was_stopped_goes_on_to_the_same_result(tmp_path, optimiser):
    whole = net(optimiser=optimiser).fit(X, Y)
    path = tmp_path / "net.ckpt"
    with pytest.raises(KeyboardInterrupt):
        net(optimiser=optimiser, checkpoint=path).set_callbacks(stop_after(4)).fit(X, Y)
    resumed = net(optimiser=optimiser, checkpoint=path).fit(X, Y)
    np.testing.assert_array_equal(resumed.predict_proba(X), whole.predict_proba(X))
    np.testing.assert_array_equal(resumed.history_, whole.history_)


def test_an_interrupt_leaves_the_best_network():
    model = net(n_epochs=50).set_callbacks(stop_after(5))
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    assert model.stop_reason_ == "interrupted"
    assert model.score(X, Y) > 0.6
    assert len(model.history_) == 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data[:40], "is no checkpoint of a network, or is damaged"),
        (lambda data: b"hello world, this is no file of ours", "is no checkpoint"),
        (lambda data: data.replace(b'\\"format\\": 1', b'\\"format\\": 9'), "has the format 9"),
    ],
)
def test_checkpoints_that_cannot_be_read(tmp_path, change, message):
    path = tmp_path / "net.ckpt"
    net(n_epochs=1, checkpoint=path).fit(X, Y)
    data = change(path.read_bytes())
    path.write_bytes(data)
    with pytest.raises(ValueError, match=message):
        net(n_epochs=1, checkpoint=path).fit(X, Y)
    assert path.read_bytes() == data


def test_a_checkpoint_of_another_training_is_refused(tmp_path):
    path = tmp_path / "net.ckpt"
    net(n_epochs=1, checkpoint=path).fit(X, Y)
    with pytest.raises(ValueError, match="other options"):
        net(n_epochs=1, checkpoint=path, learning_rate=0.1).fit(X, Y)
    with pytest.raises(ValueError, match="another network"):
        net(n_epochs=1, checkpoint=path, width=8).fit(X, Y)


def test_a_loss_that_is_not_finite_ends_with_the_best_weights():
    class Spoilt(LossBalance):
        """Makes the weights infinite after some steps."""

        def __call__(self, losses, norms=None):
            weights = super().__call__(losses, norms)
            return weights * (np.inf if self.n_steps > 30 else 1.0)

    model = net(n_epochs=20, balance=lambda n: Spoilt(n))
    with pytest.warns(UserWarning, match="is not finite in epoch"):
        model.fit(X, Y)
    assert model.stop_reason_ == "a loss is not finite"
    assert model.score(X, Y) > 0.6


def test_batches_are_halved_where_memory_does_not_suffice(monkeypatch):
    step, sizes = Trainer._step, []

    def limited(self, batch, generator):
        if len(batch) > 20:
            raise RuntimeError("CUDA out of memory. Tried to allocate 20.00 MiB")
        sizes.append(len(batch))
        return step(self, batch, generator)

    monkeypatch.setattr(Trainer, "_step", limited)
    with pytest.warns(UserWarning, match="batches now have 16 rows"):
        model = net(n_epochs=2).fit(X, Y)
    assert set(sizes) <= set(range(1, 17))
    assert model.score(X, Y) > 0.5


def test_other_errors_of_the_library_are_not_hidden(monkeypatch):
    def broken(self, batch, generator):
        raise RuntimeError("something else")

    monkeypatch.setattr(Trainer, "_step", broken)
    with pytest.raises(RuntimeError, match="something else"):
        net().fit(X, Y)


def test_no_time_is_the_prior():
    with pytest.warns(UserWarning, match="before anything was learnt"):
        model = net(max_seconds=1e-9).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(X[:3])[:, 1], Y.mean())


@pytest.mark.parametrize("scheme", ["const", "linear", "half-end", "scale-once", "gradient-norm"])
def test_schemes_train(scheme):
    model = net(balance=scheme).fit(X, Y)
    assert model.score(X, Y) > 0.6
    assert model.balance_weights_.shape == (6, 3)


def test_a_balance_of_ones_own():
    model = net(balance=lambda n: LossBalance(n, "opt", exit=1)).fit(X, Y)
    np.testing.assert_array_equal(model.balance_weights_[-1], [0.0, 1.0, 0.0])
    with pytest.raises(TypeError, match="balance returned a int"):
        net(balance=lambda n: 3).fit(X, Y)


def test_early_stopping():
    model = net(n_epochs=500, patience=3, learning_rate=0.05).fit(X, Y)
    assert model.stop_reason_ == "no better for 3 epochs"
    assert len(model.history_) == model.n_iter_ + 3


def test_files_hold_the_network(tmp_path):
    model = AnytimeNetRegressor(n_epochs=3, **SMALL).fit(X, X[:, 0])
    save(model, tmp_path / "net.scrimp")
    again = load(tmp_path / "net.scrimp")
    for budget in (0.0, 2.0, None):
        np.testing.assert_array_equal(again.predict(X, budget), model.predict(X, budget))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again.predict(X[:1])
