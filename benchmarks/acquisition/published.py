"""Published figures of neural methods, to be read beside ours: not measured here.

Accuracies in percent at numbers of purchases; `MEANS` are means over 1 to d purchases. Spam and
MNIST in blocks: Covert et al., "Learning to Maximize Mutual Information for Dynamic Feature
Selection" (GDFS), ICML 2023. MNIST-20: Norcliffe et al. (SEFA), ICML 2025, and the methods that
they have run, as transcribed by a third party.
"""

from __future__ import annotations

ACCURACIES: dict[str, dict[str, dict[float, float]]] = {
    "spam": {
        "GDFS": {1: 78.5, 2: 82.3, 3: 85.8, 5: 90.9, 10: 92.2, 15: 93.4, 25: 93.8},
    },
    "mnist196": {"GDFS": {1: 37.1, 3: 73.2, 5: 87.9, 10: 95.3}},
}
MEANS: dict[str, dict[str, float]] = {
    "mnist20": {"SEFA": 76.1, "Opportunistic RL": 74.0, "GDFS": 73.2, "DIME": 73.1},
}
