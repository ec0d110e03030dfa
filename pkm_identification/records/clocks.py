# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Times of messages: stamps and seconds, one rounding each way, and how far clocks of publishers drift apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

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


BLOCKS = 40  # parts of a recording, of each of which the median is one point of the line
FEWEST_BLOCKS = 8
FEWEST_SAMPLES = 5  # of a part
LEAST_DRIFT_PPM = 2.0  # of no effect on any log of an hour's quarter: .1 ms a minute
CERTAIN = 5.0  # standard deviations


@dataclass(frozen=True)
class Clock:
    """A publisher's clock against the recorder's: arrival - stamp = offset + rate (stamp - middle).

    Attributes
    ----------
    offset : float
        s, mean latency included.
    rate, deviation : float
        By which the recorder's clock is faster, s/s, and how sure that is.
    middle : float
        s.
    """

    offset: float
    rate: float
    deviation: float
    middle: float

    def to_recorder(self, stamps: FloatArray) -> FloatArray:
        """Return stamps by the recorder's clock, late by the mean latency."""
        return stamps + self.offset + self.rate * (stamps - self.middle)

    def from_recorder(self, times: FloatArray) -> FloatArray:
        """Return times of the recorder's clock as this clock's stamps; `to_recorder` backwards."""
        return (times - self.offset + self.rate * self.middle) / (1.0 + self.rate)


def measure_clock(stamps: FloatArray, arrivals: FloatArray) -> Clock | None:
    """Return a publisher's clock from stamps and times of arrival (N,), s; None where there are too few.

    Messages wait, and some of them long: the line is through the medians of parts of the recording.
    """
    size = len(stamps) // BLOCKS if len(stamps) >= BLOCKS * FEWEST_SAMPLES else FEWEST_SAMPLES
    count = len(stamps) // size
    if count < FEWEST_BLOCKS:
        return None
    parts = (stamps[: count * size].reshape(count, size), arrivals[: count * size].reshape(count, size))
    late = np.median(parts[1] - parts[0], axis=1)
    at = np.mean(parts[0], axis=1)
    middle = float(np.mean(at))
    spread = float(np.sum((at - middle) ** 2))
    if spread <= 0.0:
        return None
    rate = float(np.sum((at - middle) * late) / spread)
    offset = float(np.mean(late))
    left = late - offset - rate * (at - middle)
    return Clock(offset, rate, float(np.sqrt(np.sum(left**2) / (count - 2) / spread)), middle)


def measure_drift(clock: Clock, first: Clock) -> tuple[float, float]:
    """Return by how much a clock is faster than the first one, in ppm, and its standard deviation."""
    return 1e6 * (first.rate - clock.rate), 1e6 * float(np.hypot(first.deviation, clock.deviation))


def drifts(clock: Clock, first: Clock) -> bool:
    """Return whether two clocks drift apart for sure."""
    drift, deviation = measure_drift(clock, first)
    return abs(drift) > max(LEAST_DRIFT_PPM, CERTAIN * deviation)
