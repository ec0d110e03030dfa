# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Where a machine is along a log, at instants few enough to be drawn one by one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.machines.contract import Motion
from pkm_identification.machines.motions import join_states
from pkm_identification.numerics.arrays import FloatArray

MOST = 900  # instants: 20 a second of a log of 45 s


@dataclass(frozen=True)
class MachinePath:
    """States of a machine.

    Attributes
    ----------
    time : ndarray, shape (K,)
        s, from the first one.
    state : ndarray, shape (K, S)
        As a tracker's rows.
    """

    time: FloatArray
    state: FloatArray


def machine_path(time: FloatArray, motion: Motion) -> MachinePath:
    """Return at most MOST states of a motion at stamps (N,), evenly spread."""
    chosen = np.unique(np.linspace(0, len(time) - 1, min(MOST, len(time))).round().astype(int))
    return MachinePath(time[chosen] - time[chosen[0]], join_states(motion[chosen]))
