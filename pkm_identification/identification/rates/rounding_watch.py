# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Whether samples behind the kinematic low-pass are of rounded coordinates, recognised one after the other.

Who has filtered samples cannot look at the lengths that went in (`rate_noise.is_rounded` does). But of rounding, unlike
of motion, much is left up to the cutoff: fourth differences of strut accelerations, small where lengths were exact.
(Second ones show slow samples of exact lengths uneven, too: at 100 Hz one in three was taken for rounded.) Asked once,
of the first samples in which struts move by a count or more; until then they are taken for exact.

What is uneven by vibration cannot be distinguished from rounding, and is taken for it: encoders that the machine
file states round, and lengths without them come from simulations.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import kernel
from pkm_identification.signals.causal import FilterSettings, linear_phase_taps
from pkm_identification.signals.differences import stencil

from .rate_noise import rate_noise

DIFFERENCES = np.array([1.0, -4.0, 6.0, -4.0, 1.0])
ASKED = 1200  # rows of moving struts: .2 s at 1 kHz, less than the band's filter takes to settle
# Of what white rounding would leave: less is faint. Of rounded lengths at most a quarter is, of exact ones from a
# control loop, whose kinks the low-pass makes ring, three quarters from 500 Hz on, less in slower samples.
FAINT = 0.25
SHARE = 0.6  # of rows that are not faint, from which on lengths are rounded


def compute_expected_unevenness(machine: Machine, low_pass: FilterSettings) -> FloatArray:
    """Return the standard deviation (n,) of fourth differences of the drives' accelerations by rounding.

    In the drives' units by s^2; 0 without encoders.
    """
    count = np.array([drive.resolution for drive in machine.drives])
    if not count.any():
        return count
    second = np.convolve(linear_phase_taps(low_pass), stencil(low_pass.period).second) / low_pass.period**2
    taps = np.convolve(second, DIFFERENCES)
    return np.asarray(np.sqrt(np.sum(taps**2) / 12.0) * count)


@kernel
def _ask(rate, second, starting, limits, past, tally):
    """Count the drives that move, and those of them that are uneven.

    `limits` (2, n) are the least rate and the least difference, `past` (4, n) the last accelerations, `tally` counts
    samples of the segment, rows of moving drives and uneven ones.
    """
    if starting:
        tally[0] = 0
    known = past.shape[0]
    for i in range(past.shape[1]):
        if tally[0] >= known and abs(rate[i]) > limits[0, i]:
            tally[1] += 1
            uneven = DIFFERENCES[known] * second[i]
            for k in range(known):
                uneven += DIFFERENCES[k] * past[k, i]
            if abs(uneven) > limits[1, i]:
                tally[2] += 1
        for k in range(known - 1):
            past[k, i] = past[k + 1, i]
        past[known - 1, i] = second[i]
    tally[0] += 1


@kernel
def _ask_all(rate, second, starting, anew, limits, asked):
    """The row by which enough have been asked since the last one that begins `anew`, and the tally; -1 if none is."""
    past, tally = np.zeros((DIFFERENCES.size - 1, rate.shape[1])), np.zeros(3, dtype=np.int64)
    found = -1
    for n in range(rate.shape[0]):
        if anew[n]:
            tally[:] = 0
            found = -1
        if found < 0:
            _ask(rate[n], second[n], starting[n], limits, past, tally)
            if tally[1] >= asked:
                found = n
    return found, tally


class RoundingWatch:
    """Asks one sample after the other.

    Parameters
    ----------
    machine : Machine
    low_pass : FilterSettings
        What the samples have passed.

    Attributes
    ----------
    noise : ndarray, shape (n,)
        Standard deviation of the drives' rates where coordinates are rounded, m/s or rad/s.
    open : bool
        Whether samples are still to be asked.
    """

    def __init__(self, machine: Machine, low_pass: FilterSettings) -> None:
        self.noise = rate_noise(machine, low_pass)
        self._limits = _compute_limits(machine, low_pass)
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.open = bool(np.any(self.noise))
        self._past = np.zeros((len(DIFFERENCES) - 1, len(self.noise)))
        self._tally = np.zeros(3, dtype=np.int64)

    def step(self, rate: FloatArray, second: FloatArray, starting: bool) -> bool:
        """Ask the drives' rates and accelerations (n,) of a sample; True once, if they are rounded."""
        _ask(rate, second, starting, self._limits, self._past, self._tally)
        self.open = bool(self._tally[1] < ASKED)
        return not self.open and _is_rounded(self._tally)


def rounded_after(
    machine: Machine,
    time: FloatArray,
    segment: NDArray[np.int64],
    rate: FloatArray,
    acceleration: FloatArray,
    low_pass: FilterSettings,
) -> float:
    """Return the stamp in s of the sample by which the watch finds filtered samples rounded; infinite if it does not.

    Parameters
    ----------
    machine : Machine
    time, segment : ndarray, shape (N,)
    rate, acceleration : ndarray, shape (N, n)
        Of the drives.
    low_pass : FilterSettings
        What they have passed.
    """
    if not np.any(rate_noise(machine, low_pass)) or len(time) == 0:
        return np.inf
    starting, anew = np.ones(len(time), dtype=bool), np.ones(len(time), dtype=bool)
    starting[1:] = np.diff(segment) != 0
    anew[1:] = np.diff(time) < 0.0  # as the online estimator begins
    found, tally = _ask_all(
        contiguous(rate), contiguous(acceleration), starting, anew, _compute_limits(machine, low_pass), ASKED
    )
    return float(time[found]) if found >= 0 and _is_rounded(tally) else np.inf


def _compute_limits(machine: Machine, low_pass: FilterSettings) -> FloatArray:
    """Return the least rate of a drive that is asked, a count in a sample, and what is uneven, (2, n)."""
    count = np.array([drive.resolution for drive in machine.drives])
    least = np.where(count > 0.0, count / low_pass.period, np.inf)
    return np.stack([least, FAINT * compute_expected_unevenness(machine, low_pass)])


def _is_rounded(tally: NDArray[np.int64]) -> bool:
    return bool(tally[2] > SHARE * tally[1])
