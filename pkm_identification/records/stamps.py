# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""ROS stamps and seconds: one rounding each way, so that a bag and a CSV file of one log hold equal times."""

from __future__ import annotations

NANOSECONDS = 1_000_000_000
# A stamp's seconds are an int32.
LAST_SECOND = 2**31 - 1


def seconds_of(sec: int, nanosec: int) -> float:
    """Seconds of a ROS stamp: the double nearest to the exact value."""
    return (sec * NANOSECONDS + nanosec) / NANOSECONDS


def nanoseconds_of(seconds: float) -> int:
    """Seconds as whole nanoseconds, rounded; undoes `seconds_of` for times below 2^53 ns (104 days)."""
    whole = int(seconds // 1)
    return whole * NANOSECONDS + round((seconds - whole) * NANOSECONDS)
