# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Columns of linear friction in the drives: what each rubs in proportion to its rate, and by its sign."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from pkm_identification.parameters.parameter import Kind

FRICTION_KINDS = (Kind.VISCOUS, Kind.COULOMB)


def list_friction_names(drives: Sequence[str]) -> tuple[str, ...]:
    """Two coefficients a drive: all viscous ones, then all Coulomb ones."""
    return tuple(f"{kind}_{drive}" for kind in ("viscous", "coulomb") for drive in drives)


def with_friction_columns(columns: Any, rate: Any, signs: Any = None) -> Any:
    """Return a regressor (N, n, P) with 2 n columns more, in its own arithmetic.

    Parameters
    ----------
    columns : ndarray, shape (N, n, P)
    rate : ndarray, shape (N, n)
        Of the driven coordinates, m/s or rad/s.
    signs : ndarray, shape (N, n), optional
        Of the rates, where they have none of their own.
    """
    count, drives = rate.shape
    signs = np.array((rate > 0).astype(int) - (rate < 0).astype(int)) if signs is None else signs
    nothing = columns.flat[0] * 0
    friction_columns = np.full((count, drives, 2 * drives), nothing, dtype=columns.dtype)
    for k in range(drives):
        friction_columns[:, k, k] = rate[:, k]
        friction_columns[:, k, drives + k] = signs[:, k] + nothing
    return np.concatenate([columns, friction_columns], axis=2)


def random_signs(count: int, drives: int, seed: int) -> Any:
    """Signs (N, n) of p-adic rates: these have none, and a real rate's can be either whatever the configuration is."""
    source = random.Random(seed)
    signs = np.empty((count, drives), dtype=object)
    for index in np.ndindex(count, drives):
        signs[index] = source.choice((-1, 1))
    return signs
