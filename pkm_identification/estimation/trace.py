# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Estimates along the data, as a recursive estimator leaves them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pkm_identification.numerics.arrays import FloatArray


@dataclass(frozen=True)
class EstimateTrace:
    """Estimates after each entry (an equation, or a segment of samples) that was taken.

    Attributes
    ----------
    time : ndarray, shape (K,)
        Stamps in s.
    values, std : ndarray, shape (K, R)
        SI units; deviations are the filter's own. R is at least the number of parameters that are reported.
    nis : ndarray, shape (K,)
        Normalised innovation squared; empty where the estimator has none for each entry.
    """

    time: FloatArray = field(default_factory=lambda: np.empty(0))
    values: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    std: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    nis: FloatArray = field(default_factory=lambda: np.empty(0))

    def __len__(self) -> int:
        return len(self.time)

    def __getitem__(self, chosen: slice) -> EstimateTrace:
        """Some of the entries; `nis` stays empty where it is."""
        return EstimateTrace(self.time[chosen], self.values[chosen], self.std[chosen], self.nis[chosen])


class TraceRecorder:
    """Gathers a trace, one entry after the other."""

    def __init__(self) -> None:
        self._entries: list[tuple[float, FloatArray, FloatArray, float]] = []

    def add(self, time: float, values: FloatArray, std: FloatArray, nis: float) -> None:
        """Append one entry; shapes and units as of `EstimateTrace`."""
        self._entries.append((time, values, std, nis))

    @property
    def trace(self) -> EstimateTrace:
        """What was gathered so far."""
        if not self._entries:
            return EstimateTrace()
        return EstimateTrace(*(np.array(column) for column in zip(*self._entries, strict=True)))
