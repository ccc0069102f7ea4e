"""Benchmarks of anytime networks; needs SCRIMP_DATA for MNIST and Fashion-MNIST, and PyTorch.

Run it as ``python -m benchmarks.nets``; ``--parts`` chooses some of them, ``--write`` writes
docs/nets_benchmarks.md. Everything is trained on the training rows and measured on the test rows;
thresholds are set on training rows that were held out.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "2")

import numpy as np  # noqa: E402
import torch  # noqa: E402
from sklearn.model_selection import train_test_split  # noqa: E402

from benchmarks.report import Row, as_markdown, interleaved, seconds  # noqa: E402
from reporting.page import write_parts  # noqa: E402
from scrimp.datasets import fetch_arrays  # noqa: E402
from scrimp.nets import AnytimeNetClassifier, Augmentation, LossBalance, resnet  # noqa: E402
from scrimp.nets.image_net import ImageNet  # noqa: E402

ROOT = Path(__file__).parents[1]
SEED, N_SINGLE = 0, 1_000
#: BranchyNet's published figures of LeNet on a CPU.
BRANCHY_ACCURACY, BRANCHY_SPEEDUP = 0.9925, 5.4


def images(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return training images and labels, and test images and labels, from 0 to 1."""
    data = fetch_arrays(name)
    X = np.asarray(data.X, dtype=np.float32).reshape(-1, 1, 28, 28) / 255.0
    y, n = np.asarray(data.y).astype(int), int(data.n_train or 0)
    return X[:n], y[:n], X[n:], y[n:]


def lenet() -> Iterator[Row]:
    """Measure early exits of BranchyNet's LeNet, one row at a time."""
    X, y, test, labels = images("mnist")
    own, held, y_own, y_held = train_test_split(X, y, test_size=5_000, random_state=SEED)
    model = AnytimeNetClassifier(
        architecture="lenet", n_epochs=12, batch_size=128, learning_rate=4e-3, patience=12,
        validation_part=0.03, augmentation=Augmentation(pad=2), random_state=SEED,
    )  # fmt: skip
    start = time.perf_counter()
    model.fit(own, y_own)
    spent = time.perf_counter() - start
    model.calibrate_stop(held, y_held, max_increase=0.002)
    whole = model.score(test, labels)
    right = float((model.predict(test, stop="confident") == labels).mean())
    spend = model.spend(test, stop="confident")
    early = float((spend < spend.max()).mean())
    yield Row("MNIST, BranchyNet's LeNet, early exit by confidence: accuracy",
              f"at least {BRANCHY_ACCURACY:.2%}", f"{right:.2%}", right >= BRANCHY_ACCURACY,
              f"{whole:.2%} without exits; trained in {spent:.0f} s; {early:.1%} leave early, "
              f"with {spend.mean() / spend.max():.0%} of the multiply-adds")  # fmt: skip
    fast, ours, eager, traced = 1e6 * _single_rows(model, test[:N_SINGLE])
    for name, slow in (("", ours), (" in PyTorch", min(eager, traced))):
        yield Row(f"the same, time of a row against the same network without exits{name}",
                  f"at least {BRANCHY_SPEEDUP} x faster", f"{slow / fast:.2f} x",
                  slow / fast >= BRANCHY_SPEEDUP,
                  f"{fast:.0f} against {slow:.0f} us, one thread")  # fmt: skip


def _single_rows(model: Any, images: np.ndarray) -> np.ndarray:
    """Return the seconds of a row with exits, without, and in PyTorch without, also traced."""
    predictor, plain = model.predictor_, _without_exits(model)
    tensors = [torch.from_numpy(images[i : i + 1]) for i in range(len(images))]
    rows = [image.reshape(1, -1).astype(np.float64) for image in images]
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with torch.inference_mode():
        traced = torch.jit.trace(plain, (tensors[0],))
        times = interleaved(
            [
                lambda k: predictor.predict(rows[k], stop="confident"),
                lambda k: predictor.predict(rows[k]),
                lambda k: plain(tensors[k]),
                lambda k: traced(tensors[k]),
            ],
            len(rows), repeats=20,
        )  # fmt: skip
    torch.set_num_threads(threads)
    return times


def _without_exits(model: Any) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return the trained network up to its last exit, computed by PyTorch alone."""
    blocks = model.plan_.plan.blocks

    def answered(values: torch.Tensor) -> torch.Tensor:
        named = {"x": values}
        for block in blocks:
            block._run(block.program.layers, named)
        blocks[-1]._run(blocks[-1].program.exit_layers, named)
        return named[blocks[-1].program.exit_layers[-1].output]

    return answered


def overhead() -> Iterator[Row]:
    """Measure what exits and their balance add to the time of a training step."""
    X, y, *_ = images("fashion_mnist")
    batch, labels = torch.from_numpy(X[:128]), torch.from_numpy(y[:128])
    many, one = resnet(10, n=5, channels=16), resnet(10, n=5, channels=16, exit_every=15)
    times = []
    for programs in (one, many):
        net = ImageNet(programs, (1, 28, 28), np.zeros(10)).train()
        balance = LossBalance(len(programs), "adaloss" if len(programs) > 1 else "const")
        optimiser = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)

        def step(net: Any = net, balance: Any = balance, optimiser: Any = optimiser) -> None:
            optimiser.zero_grad(set_to_none=True)
            losses = [torch.nn.functional.cross_entropy(scores, labels) for scores in net(batch)]
            weights = balance([loss.item() for loss in losses])
            sum(w * loss for w, loss in zip(weights.tolist(), losses, strict=True)).backward()
            optimiser.step()

        step()
        times.append(seconds(step, 7))
    ratio = times[1] / times[0]
    yield Row("training step of ResANN(5, 16), an exit per unit and AdaLoss, against one exit",
              "at most 1.25 x", f"{ratio:.2f} x", ratio <= 1.25,
              f"{1e3 * times[1]:.0f} against {1e3 * times[0]:.0f} ms, 128 images")  # fmt: skip


def batch_exit() -> Iterator[Row]:
    """Measure a batch with early exits against the sum of the blocks that it computes.

    Both take turns on parts of as many rows as a prediction computes at a time, which is about
    three times as fast as blocks on the whole batch.
    """
    X, y, test, _ = images("mnist")
    model = AnytimeNetClassifier(
        architecture="resnet", architecture_options={"n": 2, "channels": 8}, n_epochs=2,
        batch_size=128, random_state=SEED,
    ).fit(X[:10_000], y[:10_000])  # fmt: skip
    model.calibrate_stop(X[10_000:15_000], y[10_000:15_000], max_increase=0.01)
    flat = test.reshape(len(test), -1).astype(np.float64)
    predictor = model.predictor_
    plan, n_rows = model.plan_.plan, 256
    ends, spend = np.cumsum(model.block_prices_), model.spend(test, stop="confident")

    def blocks_alone(part: int) -> float:
        rows, took = np.arange(len(flat))[part * n_rows :][:n_rows], 0.0
        hidden = np.empty((len(rows), 0))
        for number, block in enumerate(plan.blocks):
            going = spend[rows] >= ends[number] - 1e-9
            rows, hidden = rows[going], hidden[going]
            begin = time.perf_counter()
            hidden = block.forward(hidden, flat, rows)
            block.answer(hidden)
            took += time.perf_counter() - begin
        return took

    n_parts = -(-len(flat) // n_rows)
    best = np.full((2, n_parts), np.inf)
    for _ in range(4):
        for part in range(n_parts):
            rows = flat[part * n_rows :][:n_rows]
            both = seconds(lambda: predictor.predict(rows, stop="confident")), blocks_alone(part)  # noqa: B023
            best[:, part] = np.minimum(best[:, part], both)
    whole, total = best.sum(axis=1)
    yield Row("batch of 10,000 with early exits, against the sum of the blocks computed",
              "at most 1.15 x", f"{whole / total:.2f} x", whole <= 1.15 * total,
              f"{whole:.2f} against {total:.2f} s")  # fmt: skip


def fashion() -> Iterator[Row]:
    """Train on Fashion-MNIST for 20 minutes."""
    X, y, test, labels = images("fashion_mnist")
    model = AnytimeNetClassifier(
        architecture="resnet",
        architecture_options={"n": 2, "channels": 32, "first_stride": 2}, n_epochs=24,
        batch_size=128, learning_rate=0.1, optimiser="sgd", weight_decay=5e-4, patience=24,
        augmentation=Augmentation(pad=2, flip=True), validation_part=0.03, max_seconds=1200,
        random_state=SEED,
    )  # fmt: skip
    start = time.perf_counter()
    model.fit(X, y)
    spent = time.perf_counter() - start
    last = 1.0 - model.score(test, labels)
    quarter = 1.0 - model.score(test, labels, budget=0.25 * float(model.block_prices_.sum()))
    detail = f"{spent:.0f} s, {len(model.history_)} epochs, {model.stop_reason_}"
    yield Row("Fashion-MNIST, 20 minutes: error at the last exit", "at most 7.5%", f"{last:.2%}",
              last <= 0.075, detail)  # fmt: skip
    yield Row("the same, at a quarter of the cost", "at most 12%", f"{quarter:.2%}",
              quarter <= 0.12)  # fmt: skip


PARTS: dict[str, Callable[[], Iterator[Row]]] = {
    "overhead": overhead, "batch": batch_exit, "lenet": lenet, "fashion": fashion,
}  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the rows as they are measured, and as a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.nets", description=__doc__)
    parser.add_argument("--parts", default=",".join(PARTS), help="as overhead,lenet")
    parser.add_argument("--write", action="store_true", help="write docs/nets_benchmarks.md")
    options = parser.parse_args(arguments)
    rows = []
    for name in options.parts.split(","):
        for row in PARTS[name]():
            print(f"{row.what}: {row.measured} ({row.must}) {row.detail}", file=sys.stderr)
            rows.append(row)
    table = as_markdown(rows)
    print(table)
    if options.write:
        write_parts(ROOT / "docs" / "nets_benchmarks.md", {"benchmarks": table})
    return 0


if __name__ == "__main__":
    sys.exit(main())
