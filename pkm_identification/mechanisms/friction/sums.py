"""Friction along one axis in compiled code: coefficients times terms, summed over the coefficients.

`law` is `Friction.law_parameters`, `coefficients` is (K, N). The sums begin with the last coefficient or the first as
the sums of products they stand for are rounded by a compiler that contracts them: what two coefficients give does not
depend on how many others there are.
"""

from __future__ import annotations

from pkm_identification.numerics.compiled import inlined

from .registry import friction_slopes, friction_terms


@inlined
def _weighted(coefficients, axis, terms):
    total = 0.0
    for k in range(coefficients.shape[0] - 1, -1, -1):
        total += coefficients[k, axis] * terms[k]
    return total


@inlined
def friction_along(rate, law, coefficients, axis):
    """Friction in N of one axis at a rate in m/s."""
    return _weighted(coefficients, axis, friction_terms(rate, law))


@inlined
def friction_slope(rate, law, coefficients, axis):
    """Its derivative by the rate, N s/m."""
    return _weighted(coefficients, axis, friction_slopes(rate, law))


@inlined
def plus_friction(force, rate, law, coefficients, axis):
    """A force in N and the friction of one axis."""
    terms = friction_terms(rate, law)
    total = force
    for k in range(coefficients.shape[0]):
        total += coefficients[k, axis] * terms[k]
    return total


@inlined
def less_friction(force, rate, law, coefficients, axis):
    """A force in N less the friction of one axis."""
    terms = friction_terms(rate, law)
    total = force
    for k in range(coefficients.shape[0]):
        total -= coefficients[k, axis] * terms[k]
    return total
