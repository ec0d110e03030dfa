# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""In what range a drive that stands still seems to move: counts of its encoder and noise, as a log shows them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.white_noise import position_noise

from ..equations.standstill import COUNTS
from .limits import measure_step
from .validation import FEWEST_OF_NOISE

# The range of some hundred smooth samples of noise is 5 of its deviations, and hardly ever 8
NOISE_RANGE = 8.0
LONGEST = 2**17  # rows of a log that are asked


def measure_flicker(machine: Machine, coordinate: FloatArray, period: float, cutoff: float) -> FloatArray:
    """Return the range (n,) in which noise and counts keep a smooth coordinate at rest, m or rad.

    Drives whose file states their encoder are taken by it.

    Parameters
    ----------
    machine : Machine
    coordinate : ndarray, shape (N, n)
        As the encoders report it.
    period : float
        s
    cutoff : float
        Of the low-pass that makes coordinates smooth, Hz.
    """
    stated = np.array([drive.resolution for drive in machine.drives])
    if stated.all():
        return COUNTS * stated
    coordinate = coordinate[:LONGEST]
    counts = np.array([measure_step(column) for column in coordinate.T])
    noise: FloatArray | NDArray = np.zeros(len(counts))
    if len(coordinate) >= FEWEST_OF_NOISE:
        smooth = np.sqrt(min(1.0, 2.0 * cutoff * period))  # what of white noise passes
        noise = smooth * position_noise(coordinate, period)
    measured = np.maximum(COUNTS * counts, NOISE_RANGE * noise)
    return np.where(stated > 0.0, COUNTS * stated, measured)
