# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Stamps as seconds and back, exactly; the clock of timers."""

from __future__ import annotations

from builtin_interfaces.msg import Duration, Time
from rclpy.clock import Clock, ClockType

from pkm_identification.records.clocks import LAST_SECOND, NANOSECONDS, nanoseconds_of, seconds_of

COARSE = 2.0**53 / NANOSECONDS  # s
# Timers that must run whether or not anybody publishes /clock.
STEADY = Clock(clock_type=ClockType.STEADY_TIME)


def seconds(stamp: Time | Duration) -> float:
    """Stamp or duration in s, the same double that a log read from a bag holds."""
    return seconds_of(stamp.sec, stamp.nanosec)


class StampError(ValueError):
    """A time that no stamp can hold."""


def stamp_parts(time: float) -> tuple[int, int]:
    """Seconds and nanoseconds of a time in s, as a stamp holds them.

    Raises
    ------
    StampError
        If the time is not finite or too large for a stamp.
    """
    if not -LAST_SECOND <= time < LAST_SECOND:
        raise StampError(f"time {time!r} s does not fit into a stamp")
    return divmod(nanoseconds_of(time), NANOSECONDS)


def round_to_stamp(time: float) -> float:
    """Return a time in s as a stamp gives it back.

    Raises
    ------
    StampError
        As of `stamp_parts`.
    """
    # from 104 days on, as of every clock that counts from 1970, doubles are further apart than nanoseconds
    return time if COARSE <= time < LAST_SECOND else seconds_of(*stamp_parts(time))


def set_stamp(stamp: Time | Duration, time: float) -> None:
    """Write a time in s into a stamp or duration; `seconds` gives it back bit for bit; see `stamp_parts`."""
    stamp.sec, stamp.nanosec = stamp_parts(time)


def stamp_of(time: float) -> Time:
    """Return a new stamp; see `set_stamp`."""
    stamp = Time()
    set_stamp(stamp, time)
    return stamp
