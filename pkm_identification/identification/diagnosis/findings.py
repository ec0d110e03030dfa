# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What a diagnosis finds: causes, what could not have been seen, and whether the model fits."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .noise_floor import NoiseFloor


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
    cure : str
        What to do, one sentence; empty where nobody is to act on it, since it does not explain the misfit.
    family : str
        Of causes that look alike in most motions.
    evidence : float
        Logarithm of the odds; infinite for a cause that is found by comparison.
    effect : float
        By how many standard deviations it moves the parameter that it moves most.
    moves : str
        That parameter.
    rivals : tuple of str
        Names of the causes that the data cannot tell from this one.
    detail : str
        What a number does not tell: which permutation, which direction.
    """

    name: str
    value: float
    std: float
    unit: str
    explains: float
    cure: str
    family: str = ""
    evidence: float = float("inf")
    effect: float = float("inf")
    moves: str = ""
    rivals: tuple[str, ...] = ()
    detail: str = ""


@dataclass(frozen=True)
class Explanation:
    """What is held to be wrong, in the order in which it is told.

    Attributes
    ----------
    causes : tuple of Cause
        What makes a fit inadequate.
    remarks : tuple of Cause
        Found, but without an effect on any parameter that is shown.
    moved : tuple of ndarray, shape (P,)
        By what causes and their rivals would move the reported parameters, SI units.
    elsewhere : ndarray, shape (6,) or (0,)
        Residual over noise floor of the equations that no clipped force enters; empty where none are told.
    """

    causes: tuple[Cause, ...] = ()
    remarks: tuple[Cause, ...] = ()
    moved: tuple[FloatArray, ...] = ()
    elsewhere: FloatArray = field(default_factory=lambda: np.empty(0))

    def concatenate(self, other: Explanation) -> Explanation:
        """Both, this one first; nobody has been asked for clipped forces yet."""
        return Explanation(self.causes + other.causes, self.remarks + other.remarks, self.moved + other.moved)


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
    left : float
        The same with all causes estimated besides; clipped samples, where those are a cause, left out.
    causes : tuple of Cause
        What makes the fit inadequate, the likeliest first.
    remarks : tuple of Cause
        Found, but without an effect on any parameter that is shown.
    unseen : tuple of Unseen
    moved : ndarray, shape (n, P)
        By what causes and their rivals would move the parameters, SI units.
    residuals : tuple of Residuals
        By the model alone, and with all causes that were found; empty where everything is below rounding.
    unexplained : bool
        Whether what the causes leave, or the model where there are none, still stands out of the floor: something else
        is wrong, and all values with it. Causes have no cure then.
    impossible : bool
        Whether masses or moments come out below zero where the causes are applied: they are unexplained then, too.
    places : ndarray, shape (K, n, q), or None
        Columns of the joints' places and the drives' zeros at the estimate, which take longest to make; None where logs
        were corrected, or machines have none.
    """

    adequate: bool
    floor: NoiseFloor
    floor_percent: float
    ratio: float
    per_strut: FloatArray
    left: float
    causes: tuple[Cause, ...] = ()
    remarks: tuple[Cause, ...] = ()
    unseen: tuple[Unseen, ...] = ()
    moved: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    residuals: tuple[Residuals, ...] = ()
    unexplained: bool = False
    impossible: bool = False
    places: FloatArray | None = field(default=None, repr=False)
