# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Noise of the drives' rates from the rounding of their coordinates, which friction's transition feels.

A drive that dwells near the transition rate of the friction law has rates on both sides of the transition by noise
alone. Their friction is on average less than that of the true rate, by half the variance of the noise times the
law's second derivative: Coulomb friction came out too large and viscous friction too small, in slow motion with .5 %
noise of the forces by up to four Cramer-Rao bounds.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.mechanisms.friction.law import TRANSITION
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.causal import FilterSettings, linear_phase_taps
from pkm_identification.signals.differences import stencil

# Of the variance of white noise of a twelfth of a count squared: the rounding of a strut that moves by a count or two
# in a sample is not white. Measured: .75 made errors least, in 9 motions of 3 machines with 1.25 um, at 123 to 225 Hz.
WHITE_SHARE = 0.75
# Fourth differences of white rounding are sqrt(70) times as large, those of a motion sampled fast enough vanish. A
# fifth of them are taken for struts that turn back, and for holes in the log.
GAIN, BENT = np.sqrt(70.0), 80.0
SEGMENTS, SEGMENT_ROWS = 5, 4000  # of a log, and rows of each
ROUNDING = 1e-6  # of that: what numbers themselves round


def rate_noise(machine: Machine, low_pass: FilterSettings) -> FloatArray:
    """Return the standard deviation (n,) of the drives' rates behind the kinematic low-pass, m/s or rad/s.

    0 where it is not white, or the machine's file states no encoder: a drive that moves by less than a count in a
    sample has steps for rounding, not noise: their frequency is its rate over the count, mostly above the low-pass.
    """
    count = np.array([drive.resolution for drive in machine.drives])
    transition_rate = np.array([friction.law_parameters[TRANSITION] for friction in machine.friction])
    known = (count > 0.0) & (transition_rate * low_pass.period >= count)
    if not known.any():
        return np.zeros(len(count))
    # also of the zero-phase filter, whose response these taps are
    taps = np.convolve(linear_phase_taps(low_pass), stencil(low_pass.period).first) / low_pass.period
    return np.where(known, np.sqrt(WHITE_SHARE / 12.0 * np.sum(taps**2)) * count, 0.0)


def is_rounded(coordinate: FloatArray, machine: Machine) -> bool:
    """Return whether coordinates (N, n) are as uneven as the machine's encoders make them; exact ones are not.

    Drives that stand still tell nothing: they are asked about where they move, in segments spread over the log.
    """
    count = np.array([drive.resolution for drive in machine.drives])
    if not count.any():
        return False
    expected = GAIN / np.sqrt(12.0) * count[count > 0.0]
    coordinate = coordinate if count.all() else coordinate[:, count > 0.0]
    starts = np.linspace(0, max(len(coordinate) - SEGMENT_ROWS, 0), SEGMENTS).astype(int)
    segments = [coordinate[start : start + SEGMENT_ROWS] for start in np.unique(starts)]
    differences = (
        np.abs(np.concatenate([np.diff(segment_length, 4, axis=0) for segment_length in segments])) / expected
    )
    moving = differences[differences > ROUNDING]
    return len(moving) > 0 and bool(np.percentile(moving, BENT) > 0.2)
