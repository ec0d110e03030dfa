# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The kinematic low-pass that suits a machine's encoders."""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.band import BandSettings

WIDEST_SHARE = 0.3  # of the sample rate
NARROWEST_SHARE = 0.2  # of the widest cutoff
BANDS = 3.0  # a cutoff is at least so many times the estimation band's, which it must leave as it is
# Noise of the rates, in transition rates of the friction law, that does less harm than smoothing more would.
RATE_NOISE_SHARE = 0.2
# Of an estimate's error with the cutoff. Rounding of the lengths makes rates of variance f^3 (below), which round the
# bend of friction in proportion; what smoothing does fell with powers of 2.2 to 4 between 100 and 300 Hz where lengths
# were exact.
ERROR_POWER = 3.0


def kinematic_cutoff(machine: Machine, period: float) -> float:
    """Cutoff in Hz of the kinematic low-pass that suits a machine's encoders.

    As wide as possible, because smoothing rounds the transition of the friction law; but noise on the rates rounds
    it too. White rounding noise of one count q has the rate q / sqrt(12) 2 pi f sqrt(2 f T / 3) behind a
    low-pass at f.

    Parameters
    ----------
    machine : Machine
    period : float
        Sample period in s.
    """
    widest = min(machine.widest_cutoff, WIDEST_SHARE / period)
    narrowest = max(NARROWEST_SHARE * widest, BANDS * BandSettings(period).cutoff)
    return float(min(widest, max(compute_quiet_cutoff(machine, period), narrowest)))


def compute_quiet_cutoff(machine: Machine, period: float) -> float:
    """Return the cutoff in Hz up to which rounding by encoders does little harm; infinite if none states its counts.

    Parameters
    ----------
    machine : Machine
    period : float
        Sample period in s.
    """
    pairs = [
        (drive.resolution / np.sqrt(12.0), RATE_NOISE_SHARE * friction.transition_rate)
        for drive, friction in zip(machine.drives, machine.friction, strict=True)
        if drive.resolution
    ]
    return min(
        (
            float((allowed / (2 * np.pi * rounding * np.sqrt(2.0 * period / 3.0))) ** (2 / 3))
            for rounding, allowed in pairs
        ),
        default=float("inf"),
    )


def compute_error_weights(factors: tuple[float, ...]) -> FloatArray:
    """Weights w such that sum w_i (estimate at the i-th other cutoff less the estimate) is the estimate's own error.

    With the error a x^-3 of smoothing and b x^3 of encoder noise, x the cutoff over the chosen one, a lower and a
    higher cutoff tell a + b. On one side alone none does: the mean change is then taken for the error.

    Parameters
    ----------
    factors : tuple of float
        Other cutoffs over the chosen one, at most two.

    Returns
    -------
    ndarray, shape (n,)
    """
    if not min(factors, default=1.0) < 1.0 < max(factors, default=1.0):
        return np.full(len(factors), 1.0 / max(len(factors), 1))
    x = np.array(factors)
    powers = np.stack([x**-ERROR_POWER, x**ERROR_POWER])
    return np.asarray(np.linalg.solve(powers - 1.0, np.ones(2)), dtype=np.float64)
