# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a friction law is: its coefficients, its parameters and two compiled functions of the rate.

A law is linear in its coefficients: friction along one axis is the sum of coefficient times term, and the terms are
known functions of the axis' rate. Hence inverse and forward dynamics, regressor, energy model and simulator need no
more of a law than its terms and their slopes, and every estimator can fit its coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import Function, compile_inline
from pkm_identification.parameters.parameter import Kind

# Places in what the kernels take for a law (`Friction.law_parameters`): the law's number, then its parameters, of
# which every law has the transition rate first, then zeros; last the noise of the rates.
NUMBER, TRANSITION, NOISE = 0, 1, 4
LAW_NUMBERS = 5


@dataclass(frozen=True)
class Coefficient:
    """What a law has one of per axis, to be estimated.

    Attributes
    ----------
    name, unit : str
        `viscous` is `viscous_1` ... of the axes, in the machine file a list.
    prior_scale : float
        What a large coefficient is, per N of a large friction force: the standard deviation of its prior where nothing
        better is known, unless its nominal value is larger.
    default : float or None
        For all axes, where the machine file has none; None: the file must have it.
    within : str or None
        The coefficient that bounds this one's size: such a one may be negative, all others may not.
    kind : Kind
    """

    name: str
    unit: str
    prior_scale: float
    default: float | None = 0.0
    within: str | None = None
    kind: Kind = Kind.FRICTION

    def scale(self, nominal: float, force_scale: float) -> float:
        """Return standard deviation of the prior, of a nominal value and a large friction force (N)."""
        return max(abs(nominal), self.prior_scale * force_scale)


@dataclass(frozen=True)
class LawParameter:
    """A number of the law that is taken as known, alike for all axes; greater than zero.

    Attributes
    ----------
    name, unit : str
    meaning : str
    default : float or None
        None: the machine file must have it.
    at_least : float
    """

    name: str
    unit: str
    meaning: str
    default: float | None = None
    at_least: float = 0.0


# Coefficients and the parameter that laws have in common. That force at 0.1 m/s is a large viscous coefficient.
VISCOUS = Coefficient("viscous", "N s/m", prior_scale=10.0, kind=Kind.VISCOUS)
COULOMB = Coefficient("coulomb", "N", prior_scale=1.0, kind=Kind.COULOMB)
TRANSITION_RATE = LawParameter(
    "transition_rate", "m/s", "rate of the transition at standstill", default=0.002
)


@dataclass(frozen=True)
class FrictionLaw:
    """One law; `registry` has them all.

    Attributes
    ----------
    name : str
        In the machine file.
    terms : compiled function (rate, law) -> tuple of float
        What a unit of each coefficient makes of friction at a rate (m/s), in N.
    slopes : compiled function (rate, law) -> tuple of float
        The derivatives of the terms by the rate; at a corner, those of the transition inside it.
    coefficients : tuple of Coefficient
        In the order of the terms.
    parameters : tuple of LawParameter
        The first is the transition rate. In the kernels they follow the law's number: `law[1]`, `law[2]` ...
    reversing : str or None
        The coefficient whose term changes sign as the axis turns back and which smoothed rates make late
        (`identification.equations.reversal`).
    """

    name: str
    terms: Function
    slopes: Function
    coefficients: tuple[Coefficient, ...] = (VISCOUS, COULOMB)
    parameters: tuple[LawParameter, ...] = (TRANSITION_RATE,)
    reversing: str | None = "coulomb"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coefficients."""
        return tuple(coefficient.name for coefficient in self.coefficients)

    @property
    def reversing_term(self) -> int:
        """Place of the term that changes sign; -1 if there is none."""
        return -1 if self.reversing is None else self.names.index(self.reversing)

    def possible(self, coefficients: FloatArray) -> FloatArray:
        """Return the nearest coefficients, shape (K, N) as those given, with which friction resists every motion."""
        nearest = np.array(coefficients, dtype=float)
        for k, coefficient in enumerate(self.coefficients):
            if coefficient.within is None:
                nearest[k] = np.maximum(nearest[k], 0.0)
        for k, coefficient in enumerate(self.coefficients):
            if coefficient.within is not None:
                bound = nearest[self.names.index(coefficient.within)]
                nearest[k] = np.clip(nearest[k], -bound, bound)
        return nearest


@compile_inline
def law_tuple(array, start):
    """The numbers of a law in an array, as a tuple: Numba counts no references to it, which takes as long as a law."""
    return (array[start], array[start + 1], array[start + 2], array[start + 3], array[start + NOISE])


@compile_inline
def clip_rate(rate, transition):
    """Return the rate over the transition rate, between -1 and 1; a missing rate stays missing."""
    # which min and max do not promise
    if rate >= transition:
        return 1.0
    if rate <= -transition:
        return -1.0
    return rate / transition
