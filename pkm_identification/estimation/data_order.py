# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""In which order a recursive estimator takes recorded data (Oh 2003, section 4.7)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import SettingsError

ORDERS = ("sequential", "random", "spread")
SPREAD = 10  # samples from one to the next, as in the source


def data_order(count: int, order: str = "sequential", seed: int = 0) -> NDArray[np.int64]:
    """Return indices of data in the order they are taken, each once.

    Without process noise the order is of no account to a linear model; with it, the newest data weigh most.

    Parameters
    ----------
    count : int
    order : {'sequential', 'random', 'spread'}
        As recorded; shuffled; every tenth, then every tenth starting from the second, and so on.
    seed : int
        Of the random order.

    Returns
    -------
    ndarray of int64, shape (count,)

    Raises
    ------
    ValueError
        If there is no such order.
    """
    if order not in ORDERS:
        raise SettingsError(f"order of data '{order}': must be one of {', '.join(ORDERS)}")
    if order == "random":
        return np.random.default_rng(seed).permutation(count).astype(np.int64)
    if order == "spread":
        return np.concatenate([np.arange(first, count, SPREAD, dtype=np.int64) for first in range(SPREAD)])
    return np.arange(count, dtype=np.int64)
