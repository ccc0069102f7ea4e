"""The speed of learning sequences of feature groups.

Run it as ``python -m benchmarks.sequencing``; the wide case takes a minute and 6 GB.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.report import Row, as_markdown, seconds
from scrimp import Costs, SequencedRegressor


def make(n: int, d: int, n_groups: int) -> tuple[np.ndarray, np.ndarray, Costs]:
    """Return correlated columns, a response of all of them, and groups with prices."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    X[:, ::3] += rng.standard_normal((n, 1))
    y = X @ rng.standard_normal(d) + rng.standard_normal(n) * np.sqrt(d)
    labels = np.arange(d) * n_groups // d
    return X, y, Costs.per_group(labels, rng.uniform(0.1, 2.0, n_groups))


def against_gram(n: int, d: int, n_groups: int, limit: float) -> Row:
    """Time the whole path beside forming X'X."""
    X, y, costs = make(n, d, n_groups)
    SequencedRegressor(costs).fit(X[:2000], y[:2000])
    pairs = []
    for _ in range(3 if d < 2000 else 1):
        gram = seconds(lambda: X.T @ X)
        time.sleep(0.5)  # the threads of one library spin for a while and disturb the other's
        pairs.append((gram, seconds(lambda: SequencedRegressor(costs).fit(X, y))))
        time.sleep(0.5)
    gram, ours = (min(times) for times in zip(*pairs, strict=True))
    return Row(f"the whole CS-G-FR path, {n:,} x {d:,} in {n_groups} groups",
               f"at most {limit:g} x the time of X'X", f"{ours / gram:.2f} x",
               ours <= limit * gram, f"{ours:.2f} s against {gram:.2f} s")  # fmt: skip


def against_refits(n: int = 20_000, n_groups: int = 50, size: int = 5) -> Row:
    """Time the same sequence by refits from scratch on the rows, as in the thesis."""
    X, y, costs = make(n, n_groups * size, n_groups)
    ours = seconds(lambda: SequencedRegressor(costs).fit(X, y), repeats=3)
    begin = time.perf_counter()
    order, steps = _refit(X, y, costs, limit=3)
    # step k tries (J - k) refits of k + 1 groups, each by a least squares on the rows
    spent = time.perf_counter() - begin
    work = [(n_groups - k) * ((k + 1) * size) ** 2 for k in range(n_groups)]
    naive = spent * sum(work) / sum(work[:steps])
    same = SequencedRegressor(costs).fit(X, y).sequence_[:steps] == order
    return Row(f"against forward regression with refits, {n:,} rows, {n_groups} groups "
               f"(from its first {steps} steps)", "at least 50 x faster, same sequence",
               f"{naive / ours:.0f} x, {'same' if same else 'another'} sequence",
               bool(naive >= 50 * ours and same), f"{naive:.0f} s extrapolated")  # fmt: skip


def _refit(X: np.ndarray, y: np.ndarray, costs: Costs, limit: int) -> tuple[list[str], int]:
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = (y - y.mean()) / y.std()
    chosen: list[int] = []
    before = 0.0
    for _ in range(limit):
        gains = {}
        for item in set(range(costs.n_items)) - set(chosen):
            columns = [c for i in [*chosen, item] for c in costs.columns[i]]
            part = X[:, columns]
            w = np.linalg.solve(
                part.T @ part / len(X) + 1e-5 * np.eye(len(columns)), part.T @ y / len(X)
            )
            after = 0.5 * (1.0 - np.mean((y - part @ w) ** 2)) - 0.5e-5 * w @ w
            gains[item] = (after - before) / costs.prices[item], after
        best = max(gains, key=lambda item: gains[item][0])
        before = gains[best][1]
        chosen.append(best)
    return [costs.names[item] for item in chosen], limit


def against_selector(n: int = 5_000, d: int = 60, wanted: int = 30) -> Row:
    """Time scikit-learn's forward selection of half of the columns."""
    from sklearn.feature_selection import SequentialFeatureSelector
    from sklearn.linear_model import LinearRegression

    X, y, _ = make(n, d, d)
    selector = SequentialFeatureSelector(LinearRegression(), n_features_to_select=wanted)
    theirs = seconds(lambda: selector.fit(X, y))
    ours = seconds(lambda: SequencedRegressor(budget=wanted).fit(X, y), repeats=5)
    chosen = selector.get_support()
    quality = LinearRegression().fit(X[:, chosen], y).score(X[:, chosen], y)
    mine = SequencedRegressor(budget=wanted).fit(X, y).score(X, y)
    return Row(f"against SequentialFeatureSelector(LinearRegression), {wanted} of {d} columns, "
               f"{n:,} rows", "at least 100 x faster, explained variance not lower",
               f"{theirs / ours:.0f} x, {mine:.6f} against {quality:.6f}",
               bool(theirs >= 100 * ours and mine >= quality - 1e-6),
               f"{1e3 * ours:.0f} ms against {theirs:.1f} s")  # fmt: skip


_CHUNKED = """
import json, re, sys, time
from pathlib import Path
import numpy as np
from scrimp import SequencedRegressor

path, n, d = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
X = np.memmap(path, dtype=np.float32, mode="r", shape=(n, d))
SequencedRegressor().fit(np.array(X[:5000]), X[:5000, 0])
def status(key):
    return int(re.search(key + r":\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024
def chunks(n):
    for a in range(0, n, 50_000):
        part = np.array(X[a : min(a + 50_000, n)])
        yield part, part @ np.arange(d, dtype=np.float32)
times = []
for rows in (n // 4, n):
    begin = time.perf_counter()
    SequencedRegressor().fit_chunks(chunks(rows))
    times.append(time.perf_counter() - begin)
anonymous = status("RssAnon")
print(json.dumps({"times": times, "peak": status("VmHWM"), "anonymous": anonymous}))
"""


def chunked(n: int = 5_000_000, d: int = 100) -> Row:
    """Measure a chunked fit of a file larger than what is held of it."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.bin"
        out = np.memmap(path, dtype=np.float32, mode="w+", shape=(n, d))
        for a in range(0, n, 100_000):
            out[a : a + 100_000] = rng.standard_normal((len(out[a : a + 100_000]), d), np.float32)
        out.flush()
        del out
        call = [sys.executable, "-c", _CHUNKED, str(path), str(n), str(d)]
        root = Path(__file__).parents[1]
        run = json.loads(subprocess.run(call, cwd=root, capture_output=True, check=True).stdout)
    quarter, whole = run["times"]
    return Row(f"chunked fit of a file of {n:,} x {d} float32", "under 1 GB, linear in rows",
               f"{run['anonymous'] / 1e9:.2f} GB, {whole / quarter:.1f} x the time of a quarter",
               run["anonymous"] < 1e9 and whole < 4.4 * quarter,
               f"{whole:.1f} s; {run['peak'] / 1e9:.2f} GB with pages of the file")  # fmt: skip


def all_rows() -> list[Row]:
    """Return every row of the table."""
    return [
        against_gram(200_000, 520, 52, 1.6), against_gram(50_000, 5_000, 500, 3.0),
        against_refits(), against_selector(), chunked(),
    ]  # fmt: skip


if __name__ == "__main__":
    print(as_markdown(all_rows()))
