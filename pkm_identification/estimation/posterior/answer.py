# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a posterior answers: values with total deviations, effects that were found, and whether to use it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .status import KnownValue
from .verdict import Verdict


@dataclass(frozen=True)
class FoundEffect:
    """A nuisance effect that is larger than chance, and large: than what the file allows, or next to the force.

    Attributes
    ----------
    name : str
    value, std : float
    unit : str
    share : float
        Rms of what it adds over that of the force, of the drive that feels it most.
    """

    name: str
    value: float
    std: float
    unit: str
    share: float = float("nan")


@dataclass(frozen=True)
class Answer:
    """See the module.

    Attributes
    ----------
    values : tuple of KnownValue
    effects : tuple of FoundEffect
        The surest first.
    verdict : Verdict
    covariance : ndarray, shape (r, r)
        Of the values, total; empty of an answer that was read from a file.
    shared : ndarray, shape (K, r)
        What each number of the file, off by its width, does to the values: the same in every log of the machine.
    """

    values: tuple[KnownValue, ...]
    effects: tuple[FoundEffect, ...]
    verdict: Verdict
    covariance: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    shared: FloatArray = field(default_factory=lambda: np.empty((0, 0)))


@dataclass(frozen=True)
class FoundModel:
    """Values of a full model at its mode, to predict other logs with.

    Attributes
    ----------
    values : ndarray, shape (T,)
        Of the basis, then factors of reversal pulses, then effects in prior deviations.
    basis : int
        How many are of the basis.
    widths : ndarray, shape (q,)
        What a prior deviation of each effect was: of some it depends on the motion.
    seldom : bool
        Whether effects that seldom are were asked for, too.
    resonance : (float, float) or None
        Frequency in Hz and damping of a load that swings, where one was found.
    """

    values: FloatArray
    basis: int
    widths: FloatArray
    seldom: bool
    resonance: tuple[float, float] | None = None
