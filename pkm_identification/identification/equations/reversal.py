# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What smoothing does to friction where a drive turns back, as columns with unknown factors.

When a drive's rate passes through zero, Coulomb friction changes sign, and the acceleration with it: the true rate
has a kink there. The kinematic low-pass rounds the kink, so that the smoothed rate passes zero a little too late, and
Coulomb friction computed from it changes sign too late. The error is a short pulse at each reversal,

    b(q' + q'' T) - b(q' - q'' T),      b: the friction law's Coulomb term, T: `reversal_time`,

times a factor per drive that is near F_c delay / T and is not known. It is estimated as well and not reported. Left
out, it goes into masses and moments wherever motions turn back often.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.mechanisms.friction import friction_terms
from pkm_identification.mechanisms.friction.law import law_tuple
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import kernel
from pkm_identification.parameters.parameter import Kind, Parameter
from pkm_identification.parameters.parameter_set import ParameterSet

from ..regression.friction import build_laws, evaluate_reversing_terms

REVERSAL = "reversal"
REVERSAL_TIME = 1e-3  # s; longer than the delay, shorter than what lies between reversals
LARGEST_DELAY = 0.3e-3  # s, where that is the time; in proportion where it is longer


def with_reversals(parameters: ParameterSet, machine: Machine) -> ParameterSet:
    """Return the set with a factor for each drive behind its parameters, as nuisance.

    Unchanged where it has not every drive's Coulomb friction.
    """
    coulomb = [parameters.entries[k] for k in find_coulomb(parameters, machine)]
    if len(coulomb) != len(machine.drives):
        return parameters
    entries = [
        Parameter(
            f"reversal_{i + 1}",
            machine.drives[i].force_unit,
            Kind.NUISANCE,
            entry.body,
            nominal=0.0,
            scale=entry.scale * LARGEST_DELAY / REVERSAL_TIME,
            symbol=REVERSAL,
            limb=i,
        )
        for i, entry in enumerate(coulomb)
    ]
    extended = parameters.extend(entries, np.zeros((len(parameters.known), len(entries))))
    return replace(extended, nuisance=len(entries))


def find_coulomb(parameters: ParameterSet, machine: Machine) -> list[int]:
    """Return where each drive's Coulomb friction stands in a set, as far as the set has it."""
    found = []
    for i, friction in enumerate(machine.friction):
        symbol = friction.law.reversing
        own = [k for k, one in enumerate(parameters.entries) if one.limb == i and one.symbol == symbol]
        found.extend(own[:1])
    return found


def reversal_time(period: float) -> float:
    """T in s for a sample period in s: at least that, since the low-pass of slower samples delays as much more."""
    return max(REVERSAL_TIME, period)


@kernel
def reversal_pulse(rate, second, time, law, term):
    """Return the pulse of one drive at a rate and an acceleration, of a time T (s) and a term of the law."""
    change = second * time
    return friction_terms(rate + change, law)[term] - friction_terms(rate - change, law)[term]


@kernel
def _fill_pulses(rate, second, time, laws, terms, pulses):
    for n in range(pulses.shape[0]):
        for i in range(pulses.shape[1]):
            pulses[n, i] = 0.0
            if terms[i] >= 0:
                law = law_tuple(laws[i], 0)
                pulses[n, i] = reversal_pulse(rate[n, i], second[n, i], time, law, terms[i])


def reversal_pulses(
    machine: Machine,
    rate: FloatArray,
    acceleration: FloatArray,
    time: float = REVERSAL_TIME,
    noise: FloatArray | None = None,
) -> FloatArray:
    """Return the pulses (N, n) of drives' rates and accelerations (N, n), without unit; see the module.

    Parameters
    ----------
    machine : Machine
    rate, acceleration : ndarray, shape (N, n)
    time : float
        T in s.
    noise : ndarray, shape (n,), optional
        Standard deviation of the rates.
    """
    pulses = np.empty(rate.shape)
    laws, terms = build_laws(machine, noise), evaluate_reversing_terms(machine)
    _fill_pulses(contiguous(rate), contiguous(acceleration), time, laws, terms, pulses)
    return pulses
