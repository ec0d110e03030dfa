# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs that nothing can be learned from are told from logs that only look like it."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.errors import LogError
from pkm_identification.signals.input_validation.unusable import (
    find_copied_forces,
    refuse_copies,
    refuse_unsigned_forces,
    refuse_unsorted,
    refuse_wrapped_seconds,
    refuse_zero_forces,
)

TIME = np.arange(4000) * 1e-3


def forces(mean: float, swing: float, noise: float, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    phases, rates = rng.uniform(0, 6, 6), rng.uniform(1.0, 8.0, 6)
    return mean + swing * np.sin(TIME[:, None] * rates + phases) + rng.normal(0, noise, (len(TIME), 6))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_magnitudes_are_named(seed, sign):
    force = np.abs(forces(20.0, 100.0, 1.0, seed))
    with pytest.raises(LogError, match="unsigned"):
        refuse_unsigned_forces(sign * force, "log")
    resting = np.where((TIME % 1.0 < 0.3)[:, None], 0.0, 300.0 + force)
    with pytest.raises(LogError, match=r"unsigned.* 0 in \d+ to \d+ %"):
        refuse_unsigned_forces(sign * resting, "log")


@pytest.mark.parametrize("seed", range(4))
def test_forces_that_push_all_of_the_time_are_right(seed):
    heavy = forces(150.0, 100.0, 1.0, seed)
    assert heavy.min() > 0.0
    dead = heavy.copy()
    dead[:, 4] = 0.0
    # steps of the sensor that make a small force none
    coarse = 600.0 * np.round(heavy / 600.0)
    # one strut that is nearly relieved
    near = heavy.copy()
    near[:, 1] -= near[:, 1].min()
    for right in (heavy, -heavy, dead, coarse, near, forces(0.0, 100.0, 1.0, seed)):
        refuse_unsigned_forces(right, "log")


def test_rows_in_no_order_are_told_from_stragglers_and_a_clock_set_back():
    rng = np.random.default_rng(1)
    for wrong in (rng.permutation(TIME), TIME[::-1]):
        with pytest.raises(LogError, match="order of time"):
            refuse_unsorted(wrong, "log")
    late = TIME.copy()
    late[::5] -= 2.5e-3
    for right in (TIME, late, np.concatenate([TIME, TIME]), np.append(TIME, np.nan)):
        refuse_unsorted(right, "log")


def test_nanoseconds_without_seconds_are_named():
    for begin in (0.0, 0.3, 0.999):
        with pytest.raises(LogError, match="without their seconds"):
            refuse_wrapped_seconds(np.mod(TIME + begin, 1.0), "log")
    pieces = np.concatenate([TIME[:150], TIME[:150]])  # two falls of .15 s, one after the other
    for right in (TIME, TIME[:900], pieces, np.concatenate([TIME, TIME])):
        refuse_wrapped_seconds(right, "log")


def test_copies_of_one_strut_and_forces_that_are_none_are_named():
    length = 0.4 + 1e-4 * forces(0.0, 100.0, 0.0)
    with pytest.raises(LogError, match="copies of one"):
        refuse_copies(np.tile(length[:, :1], 6), "log")
    refuse_copies(length, "log")
    refuse_copies(np.full_like(length, 0.4), "log")  # at rest in the middle
    made = forces(0.0, 100.0, 0.0)
    assert find_copied_forces(made, length) is None
    made[:, 4] = made[:, 1]
    assert find_copied_forces(made, length) == (1, 4)
    alike = length.copy()
    alike[:, 4] = alike[:, 1] + 0.05  # of a machine that is its own mirror image
    assert find_copied_forces(made, alike) is None
    with pytest.raises(LogError, match="all forces are 0"):
        refuse_zero_forces(np.zeros((9, 6)), "log")
    refuse_zero_forces(None, "log")
    refuse_zero_forces(np.append(np.zeros((8, 6)), np.ones((1, 6)), axis=0), "log")
