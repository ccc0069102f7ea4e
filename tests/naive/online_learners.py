"""Slow twins of the weak learners that are no trees: one row at a time, from the formulas.

Each answers and learns half the squared error of vectors, row after row. Inputs are vectors that
are standardised already; the constant is one more input, 1, the last.

FTRL-proximal (McMahan et al. 2013, Alg. 1): with the gradient g of a weight w,
    sigma = (sqrt(n + g^2) - sqrt(n)) / alpha,  z += g - sigma w,  n += g^2,
    w = 0 if |z| <= l1, else -(z - sign(z) l1) / ((beta + sqrt(n)) / alpha + l2);
no l1 for the constant.

Online Newton step (Hazan et al. 2007): A += g g', w -= rate A^-1 g, A = ridge I at first; one A per
output.

Recursive least squares is ridge regression on all rows so far, the constant penalised too. With
forgetting f, all rows and the ridge count f times as much after each row, unless an entry of the
diagonal of the inverse would then be more than that of the ridge alone.

Network: answer = second' act(first' x + bias) + constant; Adam (Kingma and Ba 2015, Alg. 1) on the
weighted mean of half the squared errors of some rows. The average of its weights (Shamir and Zhang
2013, Sec. 4, eta = 9) after step t is 1 - s times that before plus s times the new weights,
s = (eta + 1) / (t + eta), but at least one over the window.
"""

from __future__ import annotations

import math

import numpy as np


class Ftrl:
    def __init__(self, n_inputs, outputs, alpha, beta, l1, l2):
        self.alpha, self.beta, self.l1, self.l2 = alpha, beta, l1, l2
        self.w, self.z, self.n = (np.zeros((n_inputs + 1, outputs)) for _ in range(3))

    def predict(self, x):
        return np.append(x, 1.0) @ self.w

    def update(self, x, target, weight=1.0):
        errors = weight * (self.predict(x) - target)
        for k, error in enumerate(errors):
            for j, value in enumerate([*x, 1.0]):
                g = error * value
                sigma = (math.sqrt(self.n[j, k] + g**2) - math.sqrt(self.n[j, k])) / self.alpha
                self.z[j, k] += g - sigma * self.w[j, k]
                self.n[j, k] += g**2
                l1 = self.l1 if j < len(x) else 0.0
                z = self.z[j, k]
                shrunk = math.copysign(max(abs(z) - l1, 0.0), z)
                root = math.sqrt(self.n[j, k])
                self.w[j, k] = -shrunk / ((self.beta + root) / self.alpha + self.l2)


class Newton:
    def __init__(self, n_inputs, outputs, rate, ridge):
        self.rate, self.w = rate, np.zeros((n_inputs + 1, outputs))
        self.A = [ridge * np.eye(n_inputs + 1) for _ in range(outputs)]

    def predict(self, x):
        return np.append(x, 1.0) @ self.w

    def update(self, x, target, weight=1.0):
        errors = weight * (self.predict(x) - target)
        for k, error in enumerate(errors):
            g = error * np.append(x, 1.0)
            self.A[k] = self.A[k] + np.outer(g, g)
            self.w[:, k] -= self.rate * np.linalg.solve(self.A[k], g)


class LeastSquares:
    def __init__(self, n_inputs, outputs, ridge, forgetting=1.0):
        self.forgetting, self.ridge = forgetting, ridge
        self.gram, self.sums = ridge * np.eye(n_inputs + 1), np.zeros((n_inputs + 1, outputs))

    def predict(self, x):
        return np.append(x, 1.0) @ np.linalg.solve(self.gram, self.sums)

    def update(self, x, target, weight=1.0):
        x = np.append(x, 1.0)
        self.gram = self.gram + weight * np.outer(x, x)
        self.sums = self.sums + weight * np.outer(x, target)
        if np.linalg.inv(self.forgetting * self.gram).diagonal().max() < 1.0 / self.ridge:
            self.gram, self.sums = self.forgetting * self.gram, self.forgetting * self.sums


class Network:
    def __init__(self, first, bias, outputs, activation, rate, decay, positions=None):
        """`positions` has, for each application of the hidden units, the inputs that they see."""
        n_inputs, units = first.shape
        self.positions = [list(range(n_inputs))] if positions is None else positions
        self.first, self.bias = np.array(first, float), np.array(bias, float)
        self.second = np.zeros((len(self.positions) * units, outputs))
        self.constant = np.zeros(outputs)
        self.activation, self.rate, self.decay = activation, rate, decay
        self.t, self.history = 0, []
        self.m = [np.zeros_like(p) for p in self.parameters()]
        self.v = [np.zeros_like(p) for p in self.parameters()]

    def parameters(self):
        return [self.first, self.bias, self.second, self.constant]

    def act(self, a):
        if self.activation == "sigmoid":
            return 1.0 / (1.0 + math.exp(-a))
        return a if a > 0 else 0.01 * a

    def slope(self, a):
        if self.activation == "sigmoid":
            return self.act(a) * (1.0 - self.act(a))
        return 1.0 if a > 0 else 0.01

    def hidden(self, x):
        """Return the arguments of all hidden units, position by position."""
        return np.concatenate([np.array(x)[p] @ self.first + self.bias for p in self.positions])

    def predict(self, x):
        values = np.array([self.act(a) for a in self.hidden(x)])
        return values @ self.second + self.constant

    def gradients(self, x, target):
        """The gradients of half the squared error of one row."""
        error = self.predict(x) - target
        arguments = self.hidden(x)
        values = np.array([self.act(a) for a in arguments])
        back = (self.second @ error) * [self.slope(a) for a in arguments]
        first, bias, units = np.zeros_like(self.first), np.zeros_like(self.bias), len(self.bias)
        for i, p in enumerate(self.positions):
            own = back[i * units : (i + 1) * units]
            first += np.outer(np.array(x)[p], own)
            bias += own
        return [first, bias, np.outer(values, error), error]

    def update(self, X, targets, weights):
        totals = [np.zeros_like(p) for p in self.parameters()]
        for x, target, weight in zip(X, targets, weights, strict=True):
            for total, gradient in zip(totals, self.gradients(x, target), strict=True):
                total += weight / sum(weights) * gradient
        self.t += 1
        rate = self.rate / math.sqrt(1.0 + self.t / self.decay)
        for p, g, m, v in zip(self.parameters(), totals, self.m, self.v, strict=True):
            m[:] = 0.9 * m + 0.1 * g
            v[:] = 0.999 * v + 0.001 * g**2
            p -= rate * (m / (1 - 0.9**self.t)) / (np.sqrt(v / (1 - 0.999**self.t)) + 1e-8)
        self.history.append([p.copy() for p in self.parameters()])

    def averaged(self, window):
        """Return a network with the average of the weights of all steps so far."""
        average = Network(
            self.first, self.bias, len(self.constant), self.activation, 0.0, 1.0, self.positions
        )
        new = np.array([max(10.0 / (t + 9.0), 1.0 / window) for t in range(1, self.t + 1)])
        shares = [s * np.prod(1.0 - new[t + 1 :]) for t, s in enumerate(new)]
        for number, parameter in enumerate(average.parameters()):
            parameter[:] = sum(s * w[number] for s, w in zip(shares, self.history, strict=True))
        return average


def squares_of(height, width, side, stride):
    """The pixels that a convolution sees at each of its positions, row by row."""
    return [
        [(top + a) * width + left + b for a in range(side) for b in range(side)]
        for top in range(0, height - side + 1, stride)
        for left in range(0, width - side + 1, stride)
    ]
