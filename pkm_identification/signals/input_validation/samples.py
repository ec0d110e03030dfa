# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What has passed input validation: samples on the regular clock, one by one and as a whole log."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray

KEPT = ("accepted", "filled", "start")  # counts of input validation that are no reason to drop a sample


class ValidatedSample(NamedTuple):
    """One sample (n,) on the regular clock; `filled` marks one made up to bridge a short hole."""

    time: float
    coordinate: FloatArray
    force: FloatArray | None
    segment: int
    filled: bool


@dataclass(frozen=True)
class ValidatedLog:
    """A whole log on the regular clock.

    Attributes
    ----------
    time : ndarray, shape (N,)
    coordinate : ndarray, shape (N, n)
    force : ndarray, shape (N, n), or None
    segment : ndarray of int64, shape (N,)
    filled : ndarray of bool, shape (N,)
    counts : dict of str to int
        Samples accepted and filled, rejected by reason, segments begun by cause.
    first : dict of str to float
        Stamp in s at which each reason or cause was first met.
    period : float
        Sample period in s.
    imu, sensor : ndarray, shape (N, 6), or None
        Additional sensors' readings, as in `DriveLog`; not judged, NaN where they are.
    source : str
        Where the samples came from, for messages.
    force_density : ndarray, shape (n,), or None
        Where samples are taken between uneven stamps: power density of the forces' noise as recorded, N^2/Hz. What is
        between stamps has less noise near half the sample rate, where it is measured otherwise.
    """

    time: FloatArray
    coordinate: FloatArray
    force: FloatArray | None
    segment: NDArray[np.int64]
    filled: NDArray[np.bool_]
    counts: dict[str, int]
    first: dict[str, float]
    period: float
    imu: FloatArray | None = None
    sensor: FloatArray | None = None
    source: str = "the log"
    force_density: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.time)

    @property
    def dropped(self) -> dict[str, int]:
        """Rows left out and segments begun, by reason, of those there are."""
        return {name: number for name, number in self.counts.items() if number and name not in KEPT}

    @property
    def resampled(self) -> bool:
        """Whether samples are taken between uneven stamps."""
        return self.force_density is not None

    @property
    def length(self) -> FloatArray:
        """The coordinates, by the name that struts have for them."""
        return self.coordinate


def rows_of(log: ValidatedLog, chosen: slice | NDArray[np.int64]) -> ValidatedLog:
    """Some samples, a part or by their numbers, of a validated log, without additional sensors."""
    return replace(
        log,
        time=log.time[chosen],
        coordinate=log.coordinate[chosen],
        force=None if log.force is None else log.force[chosen],
        segment=log.segment[chosen],
        filled=log.filled[chosen],
        imu=None,
        sensor=None,
    )
