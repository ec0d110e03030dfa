# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The contract's drives of a file of bodies and joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64

from .contract import FORCE_ROOM, RATE_ROOM, Drive

_SIZE = {"m": 0.1, "rad": 1.0}  # a large change of a drive without limits: of the largest body, or rad
_STROKE = 0.1  # of the way between a drive's limits: a large change


def read_drive(drive: Any, body: float, valve: str) -> Drive:
    """Return the contract's drive of a description's, where the largest body is so large, m."""
    unit = drive.measure.unit
    low, high = FLOAT64.array(list(drive.limits)) if drive.limits else (-np.inf, np.inf)
    stroke = float(high - low)
    size = _STROKE * stroke if np.isfinite(stroke) else _SIZE[unit] * (body if unit == "m" else 1.0)
    return Drive(
        drive.name, drive.name, unit, drive.force, float(low), float(high), size=size, reported=drive.reported,
        valve=valve, rated_rate=drive.rate_limit, rated_force=drive.force_limit,
        following_error=drive.following_error, force_jump=drive.force_jump,
        rate_limit=RATE_ROOM * drive.rate_limit, force_limit=FORCE_ROOM * drive.force_limit,
    )  # fmt: skip
