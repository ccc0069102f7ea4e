"""Names for the array types that the whole package uses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
#: Named arrays, as they are stored in a model file.
Arrays = dict[str, NDArray[Any]]
