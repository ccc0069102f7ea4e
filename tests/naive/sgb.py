"""Slow twin of streaming gradient boosting, from the paper alone.

Hu, "Anytime Prediction", PhD thesis 2019, chapter 5. Numbers of algorithms, theorems and equations
are the thesis's. On row t come x_t and, after the prediction, the label u_t, which makes the loss
l_t(y) = loss.value(y, u_t). N weak learners each answer h_i(x); the partial sums are

    y^0 = start,    y^i = y^(i-1) - step * h_i(x),    i = 1, ..., N,

and learner i is taught the gradient of l_t at y^(i-1). Scores are always arrays of shape
(outputs,), also when there is one output.

A weak learner is any object with two methods:

    predict(x) -> array of shape (outputs,)    the answer of its present hypothesis
    update(x, target)                          learns from ||target - h(x)||^2, in its own way

The algorithms change the learners that they are given. `predict` is asked once for each row, before
any learner is updated on that row: all targets of a row come from the hypotheses before it.

The edge of learner i on a run is 1 - sum_t ||target - h_i||^2 / sum_t ||target||^2 with the answers
before each update. It is the largest gamma of definition (5.3) with R(T) = 0. So the bounds below,
with the least edge of the learners in place of gamma, hold for a stream of any length, if that edge
is not negative. It can be negative: a learner whose targets are noise does worse than answering 0.

Where this differs from the print:
- Alg. 6 returns h_i in line 17, which must be the averages of line 16; see `smooth_answer`.
- Alg. 7 line 8 and Alg. 8 line 6 add up N + 1 partial sums and divide by N. The proof bounds the
  losses of y^0, ..., y^(N-1), (5.49) to (5.57), and calls them y^1, ..., y^N at its end. Both means
  are here; only the one of y^0, ..., y^(N-1) has a proof.
- That proof puts y^(i-1) - step * h_i for y^i in (5.51), which is right only where the projection
  does nothing. So the rows are counted on which it does something.
- Theorem 5.5.2 prints the step as 1/lambda_i; the proof has 1/(lambda i).
- Lemma 5.8.2 has one letter c for two numbers. The root of the quadratic bounds the residuals; the
  bound 4 c^2 G^2 T on the answers is false with that root (at gamma = 1 it is 0) and true with
  c = 2/gamma - 1.
- (5.59) leaves out the ridge: its second derivative 2 lambda adds to both constants.
"""

from __future__ import annotations

import copy
from typing import NamedTuple

import numpy as np

LOSSES = ("squared", "logistic", "multinomial", "poisson", "absolute", "hinge", "quantile")


# Losses


class Loss:
    """A loss l(y) of the scores y, given the label u, plus ridge * ||y||^2.

    squared      1/2 sum (y - u)^2
    logistic     sum ln(1 + exp(-u y)), u = -1 or 1
    multinomial  -sum_k u_k ln softmax(y)_k; u is one-hot, or the number of the class
    poisson      sum exp(y) - u y, u a count; y is the logarithm of the mean
    absolute     sum |y - u|
    hinge        sum max(0, 1 - u y), u = -1 or 1
    quantile     sum max(q (u - y), (q - 1) (u - y)), least where y is the q quantile of u

    Sums run over the outputs. Subgradients: 0 where y = u for absolute and quantile; for the hinge
    -u where u y < 1, else 0. The gradient of the ridge is 2 * ridge * y, so it adds 2 * ridge to
    strong convexity and to smoothness. Without it they are 1 and 1 for squared, and for logistic
    1 / (2 + 2 exp(Y)) and 1/4 as long as |y| <= Y; the other losses have no strong convexity but
    that of the ridge (poisson has exp(-Y) and exp(Y)).
    """

    def __init__(self, name, ridge=0.0, q=0.5):
        if name not in LOSSES:
            raise ValueError(f"unknown loss {name!r}")
        self.name = name
        self.ridge = ridge
        self.q = q

    def value(self, y, u):
        y, u = self.as_arrays(y, u)
        if self.name == "squared":
            plain = 0.5 * np.sum((y - u) ** 2)
        elif self.name == "logistic":
            plain = np.sum(np.logaddexp(0.0, -u * y))
        elif self.name == "multinomial":
            plain = -np.sum(u * (y - np.logaddexp.reduce(y)))
        elif self.name == "poisson":
            plain = np.sum(np.exp(y) - u * y)
        elif self.name == "absolute":
            plain = np.sum(np.abs(y - u))
        elif self.name == "hinge":
            plain = np.sum(np.maximum(0.0, 1.0 - u * y))
        else:
            plain = np.sum(np.maximum(self.q * (u - y), (self.q - 1.0) * (u - y)))
        return float(plain + self.ridge * np.sum(y**2))

    def gradient(self, y, u):
        y, u = self.as_arrays(y, u)
        if self.name == "squared":
            plain = y - u
        elif self.name == "logistic":
            plain = -u * np.exp(-np.logaddexp(0.0, u * y))  # -u / (1 + exp(u y))
        elif self.name == "multinomial":
            plain = softmax(y) - u
        elif self.name == "poisson":
            plain = np.exp(y) - u
        elif self.name == "absolute":
            plain = np.sign(y - u)
        elif self.name == "hinge":
            plain = np.where(u * y < 1.0, -u, 0.0)
        else:
            plain = np.where(y < u, -self.q, np.where(y > u, 1.0 - self.q, 0.0))
        return plain + 2.0 * self.ridge * y

    def as_arrays(self, y, u):
        """Scores and label as arrays of shape (outputs,)."""
        y = np.atleast_1d(np.asarray(y, float))
        if self.name == "multinomial" and np.ndim(u) == 0:
            one_hot = np.zeros(len(y))
            one_hot[int(u)] = 1.0
            return y, one_hot
        u = np.atleast_1d(np.asarray(u, float))
        if y.ndim != 1 or u.shape != y.shape:
            raise ValueError(f"scores of shape {y.shape} with a label of shape {u.shape}")
        return y, u


def softmax(y):
    weights = np.exp(y - np.max(y))
    return weights / np.sum(weights)


# Two tiny weak learners


class OnlineMean:
    """Answers the mean of the targets so far, whatever x is; 0 before the first."""

    def __init__(self, outputs=1):
        self.total = np.zeros(outputs)
        self.count = 0

    def predict(self, x):
        return self.total / max(1, self.count)

    def update(self, x, target):
        self.total = self.total + target
        self.count += 1


class OnlineLinear:
    """Answers W x + b, from 0; each update is one step down the gradient of 1/2 ||target - h||^2.

    The error is that of the hypothesis at the time of the update: with e = target - (W x + b),
    W becomes W + rate * e x' and b becomes b + rate * e.
    """

    def __init__(self, columns, outputs=1, rate=0.1):
        self.weights = np.zeros((outputs, columns))
        self.intercept = np.zeros(outputs)
        self.rate = rate

    def predict(self, x):
        return self.weights @ np.asarray(x, float) + self.intercept

    def update(self, x, target):
        error = target - self.predict(x)
        self.weights = self.weights + self.rate * np.outer(error, x)
        self.intercept = self.intercept + self.rate * error


# Algorithm 6, for smooth losses


class SmoothRun(NamedTuple):
    """What Algorithm 6 did. T rows, N learners."""

    predictions: np.ndarray  # (T, outputs): y^N of each row, before its update
    partial_sums: np.ndarray  # (T, N + 1, outputs): y^0, ..., y^N
    answers: np.ndarray  # (T, N, outputs): h_i(x_t) before the update
    targets: np.ndarray  # (T, N, outputs): the gradient at y^(i-1)
    edges: np.ndarray  # (N,)
    history: list[list]  # the learners before row t, if asked for


def smooth(rows, learners, loss, step, start, keep_history=False):
    """Algorithm 6 on a list of rows (x, u), with the same step for all learners."""
    start = np.atleast_1d(np.asarray(start, float))
    every_sum, every_answer, every_target, history = [], [], [], []
    for x, u in rows:
        if keep_history:
            history.append(copy.deepcopy(learners))
        answers, sums = [], [start]
        for learner in learners:
            answers.append(np.array(learner.predict(x), float))
            sums.append(sums[-1] - step * answers[-1])
        targets = [loss.gradient(sums[i], u) for i in range(len(learners))]
        for learner, target in zip(learners, targets, strict=True):
            learner.update(x, target)
        every_sum.append(sums)
        every_answer.append(answers)
        every_target.append(targets)
    partial_sums, answers, targets = map(np.array, (every_sum, every_answer, every_target))
    return SmoothRun(
        partial_sums[:, -1], partial_sums, answers, targets, edges(targets, answers), history
    )


def smooth_answer(x, history, step, start):
    """(5.7): start - step * sum_i of the mean over time of h_i(x).

    `history` has the learners before each row. With [learners], those after the last row, it is the
    answer of the last hypotheses, which the experiments use.
    """
    y = np.atleast_1d(np.asarray(start, float))
    for i in range(len(history[0])):
        y = y - step * np.mean([learners[i].predict(x) for learners in history], axis=0)
    return y


def edges(targets, answers):
    """Per learner 1 - sum ||target - h||^2 / sum ||target||^2, over the rows.

    Where all targets are 0 it is 1 if all answers are 0 too, as in 5.8.8, else minus infinity.
    """
    result = []
    for i in range(targets.shape[1]):
        missed = np.sum((targets[:, i] - answers[:, i]) ** 2)
        total = np.sum(targets[:, i] ** 2)
        if total > 0.0:
            result.append(1.0 - missed / total)
        else:
            result.append(1.0 if missed == 0.0 else -np.inf)
    return np.array(result)


# Gradient boosting whose steps are blocks of Algorithm 6, for an unknown number of learners


class BlockRun(NamedTuple):
    """What boosting in blocks did. T rows."""

    predictions: np.ndarray  # (T, outputs): y^N of each row, before its update
    first: list[int]  # the first learner of the block that learns, after each row


def smooth_in_blocks(rows, learners, loss, step, start, size, window):
    """Section 5.6: "use SGB to add multiple weak learners at a time in GB".

    Only `size` learners learn at a time; those before them are frozen, those after them have not
    begun. The thesis does not say when the next ones are added. Here: when, of the last two windows
    of rows since the block began, the later one has not the lower mean loss, by more than the
    standard error of the difference.
    """
    start = np.atleast_1d(np.asarray(start, float))
    predictions, first_learners = [], []
    first, losses = 0, []
    for x, u in rows:
        sums = [start]
        for learner in learners:
            sums.append(sums[-1] - step * np.array(learner.predict(x), float))
        targets = [loss.gradient(sums[i], u) for i in range(len(learners))]
        for i in range(first, min(first + size, len(learners))):
            learners[i].update(x, targets[i])
        predictions.append(sums[-1])
        losses.append(loss.value(sums[-1], u))
        if len(losses) >= 2 * window and len(losses) % window == 0:
            before, now = np.array(losses[-2 * window : -window]), np.array(losses[-window:])
            error = np.sqrt(before.var() / window + now.var() / window)
            if before.mean() - now.mean() <= error and first + size < len(learners):
                first, losses = first + size, []
        first_learners.append(first)
    return BlockRun(np.array(predictions), first_learners)


# Algorithms 7 and 8, for losses that need not be smooth: residual projection


class NonsmoothRun(NamedTuple):
    """What Algorithm 7 did. T rows, N learners."""

    predictions: np.ndarray  # (T, outputs): the mean of y^1, ..., y^N, before the row's update
    proof_predictions: np.ndarray  # (T, outputs): the mean of y^0, ..., y^(N-1), of the proof
    partial_sums: np.ndarray  # (T, N + 1, outputs): y^0, ..., y^N, projected
    answers: np.ndarray  # (T, N, outputs): h_i(x_t) before the update
    gradients: np.ndarray  # (T, N, outputs): the subgradient at y^(i-1)
    targets: np.ndarray  # (T, N, outputs): residual_(i-1) + subgradient
    residuals: np.ndarray  # (T, N + 1, outputs): residual_0 = 0, ..., residual_N
    edges: np.ndarray  # (N,)
    projected_rows: int  # rows on which the projection changed some y^i
    history: list[list]  # the learners before row t, if asked for


def nonsmooth(rows, learners, loss, steps, start, radius=None, keep_history=False):
    """Algorithm 7 on a list of rows (x, u); learner i has the step steps[i - 1].

    Without a radius there is no projection; with one, each coordinate of y^1, ..., y^N is clipped
    to [-radius, radius]. y^0 is `start` as it is. The thesis's prediction is the mean of the
    partial sums: here of y^1, ..., y^N in `predictions`, and of y^0, ..., y^(N-1), for which the
    theorem has a proof, in `proof_predictions`.
    """
    start = np.atleast_1d(np.asarray(start, float))
    every_sum, every_answer, every_gradient = [], [], []
    every_target, every_residual, history = [], [], []
    projected_rows = 0
    for x, u in rows:
        if keep_history:
            history.append(copy.deepcopy(learners))
        answers = [np.array(learner.predict(x), float) for learner in learners]
        sums, changed = descend(answers, steps, start, radius)
        projected_rows += changed
        gradients, targets, residuals = [], [], [np.zeros(len(start))]
        for i, answer in enumerate(answers):
            gradients.append(loss.gradient(sums[i], u))
            targets.append(residuals[-1] + gradients[-1])
            residuals.append(targets[-1] - answer)
        for learner, target in zip(learners, targets, strict=True):
            learner.update(x, target)
        every_sum.append(sums)
        every_answer.append(answers)
        every_gradient.append(gradients)
        every_target.append(targets)
        every_residual.append(residuals)
    partial_sums, answers, targets = map(np.array, (every_sum, every_answer, every_target))
    return NonsmoothRun(
        partial_sums[:, 1:].mean(axis=1),
        partial_sums[:, :-1].mean(axis=1),
        partial_sums,
        answers,
        np.array(every_gradient),
        targets,
        np.array(every_residual),
        edges(targets, answers),
        projected_rows,
        history,
    )


def descend(answers, steps, start, radius):
    """y^0, ..., y^N from the answers of the learners, and whether the projection changed any."""
    sums, changed = [start], False
    for answer, step in zip(answers, steps, strict=True):
        free = sums[-1] - step * answer
        projected = free if radius is None else np.clip(free, -radius, radius)
        changed = changed or bool(np.any(projected != free))
        sums.append(projected)
    return sums, changed


def nonsmooth_answer(x, history, steps, start, radius=None):
    """Algorithm 8: the mean over time of the means of the partial sums y^1, ..., y^N.

    `history` is as in `smooth_answer`; with [learners] it is the answer of the last hypotheses.
    """
    start = np.atleast_1d(np.asarray(start, float))
    means = []
    for learners in history:
        sums, _ = descend([learner.predict(x) for learner in learners], steps, start, radius)
        means.append(np.mean(sums[1:], axis=0))
    return np.mean(means, axis=0)


# Steps and weights


def printed_step(gamma, beta):
    """Of Theorem 5.5.1, for all learners; the least of (5.26) in the step."""
    return gamma / (beta * (8.0 - 4.0 * gamma))


def inverse_step(beta):
    """1 / beta: better, and it does not need gamma."""
    return 1.0 / beta


def harmonic_steps(strong, count):
    """1 / (lambda i), i = 1, ..., N, of Theorem 5.5.2."""
    return [1.0 / (strong * i) for i in range(1, count + 1)]


def rising_steps(strong, count):
    """2 / (lambda (i + 1)), which go with `rising_weights`."""
    return [2.0 / (strong * (i + 1)) for i in range(1, count + 1)]


def rising_weights(count):
    """Proportional to i = 1, ..., N, with sum 1.

    In the proof i is the weight of y^(i-1): the mean is weights @ partial_sums[t, :-1].
    """
    weights = np.arange(1.0, count + 1.0)
    return weights / weights.sum()


# Bounds on the average regret, (1/T) sum_t l_t(y_t) - l_t(f(x_t)), against any f


def printed_rate(gamma, strong, beta):
    """(5.8): the regret of the printed step shrinks by this much with each learner."""
    return 1.0 - gamma**2 * strong / (16.0 * beta)


def proof_rate(gamma, strong, beta):
    """(5.29): sharper, for the same step."""
    return 1.0 - gamma**2 * strong / (beta * (16.0 - 8.0 * gamma))


def inverse_rate(gamma, strong, beta):
    """Derived, for the step 1 / beta.

    By smoothness, with g the gradient at y,

        l(y - h / beta) <= l(y) - g.h / beta + ||h||^2 / (2 beta)
                         = l(y) + (||g - h||^2 - ||g||^2) / (2 beta).

    Over the rows the edge gives ||g - h||^2 - ||g||^2 <= -gamma ||g||^2, and strong convexity
    ||g||^2 >= 2 lambda (l(y) - min l), (5.18).
    """
    return 1.0 - gamma * strong / beta


def smooth_bound(rate, count, loss_bound):
    """2 B rate^N for losses in [-B, B], with one of the three rates.

    2 B stands for the average regret of the start, which can be put in its place.
    """
    return 2.0 * loss_bound * rate**count


def printed_bound(gamma, strong, gradient_bound, count):
    """(5.10), for `harmonic_steps`; gradient_bound is G."""
    c = 2.0 / gamma - 1.0
    start = 4.0 * c**2 * gradient_bound**2 / (strong * count)
    return start * (1.0 + np.log(count) + 1.0 / (8.0 * count))


def answers_and_residuals(gamma):
    """H and D with sum_t ||h||^2 <= H G^2 T and sum_t ||residual||^2 <= D G^2 T.

    Lengths are root mean squares over the rows, in units of G, and s = sqrt(1 - gamma). A residual
    is at most s times its target, and a target at most 1 longer than the residual before it. So
    residuals stay below the r with r = s (1 + r), that is s / (1 - s); targets below
    1 + r = 1 / (1 - s); and answers, target minus residual, below (1 + s) / (1 - s).
    """
    s = np.sqrt(1.0 - gamma)
    return ((1.0 + s) / (1.0 - s)) ** 2, (s / (1.0 - s)) ** 2


def sharp_bound(gamma, strong, gradient_bound, count):
    """Derived: (5.55) for `harmonic_steps`, with H and D in place of 4 c^2 and c^2."""
    H, D = answers_and_residuals(gamma)
    inside = (H / 2.0 + np.sqrt(H * D)) * (1.0 + np.log(count)) + D / (2.0 * count)
    return gradient_bound**2 / (strong * count) * inside


def rising_bound(gamma, strong, gradient_bound, count):
    """Derived, for `rising_steps` and the mean of y^0, ..., y^(N-1) with `rising_weights`.

    (5.48) is taken i times, with the step e_i = 2 / (lambda (i + 1)), and a_i = f - y^i:

        i (l(y^(i-1)) - l(f)) <= lambda i (i - 1) / 4 ||a_(i-1)||^2 - lambda i (i + 1) / 4 ||a_i||^2
            + i e_i / 2 ||h_i||^2 - i <a_(i-1), residual_i> + i <a_(i-1), residual_(i-1)>.

    The squares cancel but for -lambda N (N + 1) / 4 ||a_N||^2. With a_(i-1) = a_i - e_i h_i the
    residuals leave sum_i i e_i <h_i, residual_i> - N <a_N, residual_N>, as in the thesis, and
    because the weights differ by 1 also the sum of <a_i, residual_i> over i < N, which equal
    weights do not have. Here i e_i <= 2 / lambda and, by strong convexity with gradients of at most
    G at y^i and at f, ||a_i|| <= 2 G / lambda. The weights sum to N (N + 1) / 2. No logarithm is
    left; at gamma = 1 it is the known 2 G^2 / (lambda (N + 1)) of subgradient descent.
    """
    H, D = answers_and_residuals(gamma)
    inside = H + 2.0 * np.sqrt(H * D) + 2.0 * np.sqrt(D) + D / (count + 1.0)
    return 2.0 * gradient_bound**2 / (strong * (count + 1.0)) * inside


# The counterexample of 5.8.4


def counterexample(n_learners, algorithm):
    """The loss 2|y_1| + |y_2| of the mean of y^0, ..., y^(N-1), by Algorithm 6 or 7, from (1, 1).

    The thesis lets the learners follow the leader over rows and says that they always answer
    [a, 0]. That is false: the targets [2, 1] and [-2, 1] in turn have the mean [0, 1], for which
    [0, a] is best. So here each learner is fitted to its one present target, as in batch boosting:
    the best of [a, 0] and [0, a] with a in [-2, 2]. The loss is not strongly convex, so the steps
    are 0.3 / sqrt(i). The gradients of Algorithm 6 are always larger in the first coordinate, so
    y_2 stays 1 and the loss does not come below 1; the residuals of Algorithm 7 remember the second
    coordinate until it is fitted.

    The subgradient is always one of the thesis's four, [2, 1] with some signs, also at 0: y_1 does
    become 0 exactly, by rounding, after some 2,650 steps. With the subgradient 0 there Algorithm 6
    would turn to y_2.
    """
    if algorithm not in (6, 7):
        raise ValueError(f"algorithm {algorithm!r} is not 6 or 7")
    y, residual, total = np.ones(2), np.zeros(2), np.zeros(2)
    for i in range(1, n_learners + 1):
        total = total + y
        gradient = np.array([2.0, 1.0]) * np.where(y >= 0.0, 1.0, -1.0)
        target = gradient if algorithm == 6 else residual + gradient
        answer = best_axis(target)
        residual = target - answer
        y = y - 0.3 / np.sqrt(i) * answer
    mean = total / n_learners
    return float(2.0 * np.abs(mean[0]) + np.abs(mean[1]))


def best_axis(target):
    """The nearest to the target of all [a, 0] and [0, a] with a in [-2, 2]; [a, 0] in a tie."""
    a, b = np.clip(target, -2.0, 2.0)
    first, second = np.array([a, 0.0]), np.array([0.0, b])
    if np.sum((target - second) ** 2) < np.sum((target - first) ** 2):
        return second
    return first
