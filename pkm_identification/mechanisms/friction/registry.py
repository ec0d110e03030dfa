# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""All friction laws, and in compiled code the choice among them and the sum over their coefficients.

A new law is two kernels and a row of LAWS in `laws`, and a branch in `friction_terms` and `friction_slopes`: a
law's place in LAWS is the number by which they choose. The sums are written out over TERMS terms, of which a law
with fewer leaves the last zero: a loop over them would take four times as long as all the rest. A law with more
widens them.

In kernels `law` is `Friction.law_parameters` as a tuple (`law.law_tuple`), `coefficients` (TERMS, N) are those of the
axes followed by zeros (`padded_coefficients`).
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable

import numpy as np

from pkm_identification.numerics.compiled import compile_inline, kernel

from . import laws
from .law import NOISE, NUMBER, FrictionLaw
from .laws import LAWS

TERMS = 3
LAW_NAMES = tuple(law.name for law in LAWS)


@kernel
def friction_terms(rate, law):
    """Terms of the law at one rate, followed by zeros: friction in N is the sum of coefficient times term.

    `rate` is in m/s, `law` is `Friction.law_parameters`; NaN where the rate is. Of a rate with noise they are what has
    the terms at the true rate for its mean: where a law has its transition noise rounds it, here by two points of
    its variance, and as much is taken off before (corrected scores: Carroll et al., Measurement Error in Nonlinear
    Models, 2006, ch. 7).
    """
    noise = law[NOISE]
    middle = _evaluate_terms(rate, law)
    if noise == 0.0:
        return middle
    a, b, c = _evaluate_terms(rate - noise, law)
    d, e, f = _evaluate_terms(rate + noise, law)
    return 2.0 * middle[0] - 0.5 * (a + d), 2.0 * middle[1] - 0.5 * (b + e), 2.0 * middle[2] - 0.5 * (c + f)


@kernel
def _evaluate_terms(rate, law):
    """The terms at a rate as it is."""
    number = law[NUMBER]
    if number == 4:
        return laws.asymmetric_terms(rate, law)
    if number == 1:
        a, b = laws.source_terms(rate, law)
    elif number == 2:
        a, b = laws.stribeck_terms(rate, law)
    elif number == 3:
        a, b = laws.smooth_terms(rate, law)
    else:
        a, b = laws.coulomb_terms(rate, law)
    return a, b, 0.0


@kernel
def friction_slopes(rate, law):
    """Derivatives of the terms by the rate, followed by zeros; at a corner, those of the transition inside it."""
    number = law[NUMBER]
    if number == 4:
        return laws.asymmetric_slopes(rate, law)
    if number == 1:
        a, b = laws.source_slopes(rate, law)
    elif number == 2:
        a, b = laws.stribeck_slopes(rate, law)
    elif number == 3:
        a, b = laws.smooth_slopes(rate, law)
    else:
        a, b = laws.coulomb_slopes(rate, law)
    return a, b, 0.0


@kernel
def padded_coefficients(flat, axes):
    """Coefficients (TERMS, N) of a law of any number of them, given one after the other: shape (K N,)."""
    padded = np.zeros((TERMS, axes))
    for k in range(flat.size):
        padded[k // axes, k % axes] = flat[k]
    return padded


@compile_inline
def weigh_terms(coefficients, axis, terms):
    """Sum of coefficient times term of one axis."""
    rest = coefficients[1, axis] * terms[1] + coefficients[2, axis] * terms[2]
    return coefficients[0, axis] * terms[0] + rest


@compile_inline
def friction_along(rate, law, coefficients, axis):
    """Friction in N of one axis at a rate in m/s."""
    return weigh_terms(coefficients, axis, friction_terms(rate, law))


@compile_inline
def friction_slope(rate, law, coefficients, axis):
    """Its derivative by the rate, N s/m."""
    return weigh_terms(coefficients, axis, friction_slopes(rate, law))


@compile_inline
def plus_friction(force, rate, law, coefficients, axis):
    """Return a force in N and the friction of one axis."""
    a, b, c = friction_terms(rate, law)
    return force + coefficients[0, axis] * a + coefficients[1, axis] * b + coefficients[2, axis] * c


@compile_inline
def less_friction(force, rate, law, coefficients, axis):
    """Return a force in N less the friction of one axis."""
    a, b, c = friction_terms(rate, law)
    return force - coefficients[0, axis] * a - coefficients[1, axis] * b - coefficients[2, axis] * c


def law_named(name: str) -> FrictionLaw:
    """Return the law of a name; raises ValueError if there is none."""
    if name not in LAW_NAMES:
        raise ValueError(f"friction law '{name}': must be one of {', '.join(LAW_NAMES)}")
    return LAWS[LAW_NAMES.index(name)]


def _reduce_law(law: FrictionLaw) -> tuple[Callable[[str], FrictionLaw], tuple[str]]:
    """Return what another process has a law by: kernels know one by its place here."""
    return law_named, (law.name,)


copyreg.pickle(FrictionLaw, _reduce_law)  # type: ignore[arg-type]
