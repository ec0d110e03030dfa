"""All friction laws, and the choice among them in compiled code.

A new law is a file beside this one, its module in LAWS, and a branch in each of the two kernels: a law's place in LAWS
is the number by which they choose.
"""

from __future__ import annotations

from pkm_identification.numerics.compiled import kernel

from . import coulomb, smooth, source, stribeck
from .law import NUMBER, FrictionLaw

LAWS: tuple[FrictionLaw, ...] = tuple(module.LAW for module in (coulomb, source, stribeck, smooth))
LAW_NAMES = tuple(law.name for law in LAWS)
# What laws have per axis; the names of parameters are these with the axis' number behind.
COEFFICIENT_NAMES = tuple(dict.fromkeys(name for law in LAWS for name in law.names))


@kernel
def friction_terms(rate, law):
    """Terms of the law at one rate, followed by zeros: friction in N is the sum of coefficient times term.

    `rate` is in m/s, `law` is `Friction.law_parameters`; NaN where the rate is.
    """
    number = law[NUMBER]
    if number == 1:
        a, b = source.terms(rate, law)
    elif number == 2:
        a, b = stribeck.terms(rate, law)
    elif number == 3:
        a, b = smooth.terms(rate, law)
    else:
        a, b = coulomb.terms(rate, law)
    return a, b, 0.0


@kernel
def friction_slopes(rate, law):
    """Derivatives of the terms by the rate, followed by zeros; at a corner, those of the transition inside it."""
    number = law[NUMBER]
    if number == 1:
        a, b = source.slopes(rate, law)
    elif number == 2:
        a, b = stribeck.slopes(rate, law)
    elif number == 3:
        a, b = smooth.slopes(rate, law)
    else:
        a, b = coulomb.slopes(rate, law)
    return a, b, 0.0


def law_named(name: str) -> FrictionLaw:
    """The law of a name; raises ValueError if there is none."""
    if name not in LAW_NAMES:
        raise ValueError(f"friction law '{name}': must be one of {', '.join(LAW_NAMES)}")
    return LAWS[LAW_NAMES.index(name)]
