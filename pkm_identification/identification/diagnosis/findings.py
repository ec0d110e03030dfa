# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a diagnosis finds: causes, what could not have been seen, and whether the model fits."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pkm_identification.numerics.arrays import FloatArray

from .noise_floor import NoiseFloor

FORCE_FACTOR = "force factor"  # the family of sign and unit


@dataclass(frozen=True)
class Cause:
    """One thing that is wrong, or that the data cannot tell from what is.

    Attributes
    ----------
    name : str
    value, std : float
        Size and its standard deviation.
    unit : str
    explains : float
        Part of the residual's power above the noise that goes away when it alone is applied, 0 to 1.
    correction : str
        What to do, one sentence; empty where nobody is to act on it, since it does not explain the misfit.
    family : str
        Of causes that look alike in most motions.
    detail : str
        What a number does not tell: which permutation, which direction.
    """

    name: str
    value: float
    std: float
    unit: str
    explains: float
    correction: str
    family: str = ""
    detail: str = ""

    def with_share(self, explains: float) -> Cause:
        """Return the cause that explains this part of the misfit."""
        return replace(self, explains=float(explains))


@dataclass(frozen=True)
class Unseen:
    """A cause that this motion would have shown only above a size."""

    name: str
    size: float
    unit: str


@dataclass(frozen=True)
class Residuals:
    """What a model leaves of the forces in the band, of the log with most equations.

    Attributes
    ----------
    time : ndarray, shape (K,)
        s, of the equations.
    relative : ndarray, shape (K, 6)
        In units of each strut's noise floor.
    """

    time: FloatArray
    relative: FloatArray


@dataclass(frozen=True)
class Diagnosis:
    """Whether a model fits, and why not.

    Attributes
    ----------
    adequate : bool
    floor : NoiseFloor
    floor_percent : float
        The floor over the rms force in the band, %.
    ratio : float
        Residual over noise floor, all struts.
    per_strut : ndarray, shape (6,)
    causes : tuple of Cause
        Of a misfit, the likeliest first; none of them has a correction where they do not explain it.
    unseen : tuple of Unseen
    residuals : tuple of Residuals
        Of the model; empty where everything is below rounding.
    unexplained : bool
        Whether no cause explains a misfit: something else is wrong, and all values with it.
    """

    adequate: bool
    floor: NoiseFloor
    floor_percent: float
    ratio: float
    per_strut: FloatArray
    causes: tuple[Cause, ...] = ()
    unseen: tuple[Unseen, ...] = ()
    residuals: tuple[Residuals, ...] = ()
    unexplained: bool = False
