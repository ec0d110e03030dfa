# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What smoothing does to friction where a drive turns back, as columns with unknown factors.

When a drive's rate passes through zero, Coulomb friction changes sign, and the acceleration with it: the true rate
has a kink there. The kinematic low-pass rounds the kink, so that the smoothed rate passes zero a little too late, and
Coulomb friction computed from it changes sign too late. The error is a short pulse at each reversal,

    b(q' + q'' T) - b(q' - q'' T),      b: the friction law's Coulomb term, T: `reversal_time`,

times a factor per drive that is near F_c delay / T and is not known. It is estimated as well and not reported. Left
out, it goes into masses and moments wherever motions turn back often.

How far smoothing can have moved reversals, where a delay of the forces is estimated as well.

Forces that come late make the pulses of `reversal`, too. With factors that may be anything, a delay would be known only
from what is no friction, though friction tells most of it. So the factors are held to what the rates show: smoothing
that rounds a kink moves a reversal by a time in proportion to the cutoff, hence smoothing STRONGER times more moves it
on by (STRONGER - 1) times as much; a rate without kinks below the cutoff passes both unchanged.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.mechanisms.friction import friction_terms
from pkm_identification.mechanisms.friction.law import law_tuple
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.rows import segment_slices
from pkm_identification.parameters.parameter import Kind, Parameter
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.signals.butterworth import low_pass, zero_phase
from pkm_identification.signals.causal import FilterSettings

from ..regression.friction import build_laws, evaluate_reversing_terms
from ..samples import Samples
from .transition_correction import STRONGER, compute_richardson_factor

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


# Of the prior, in factors measured: of `uf` those estimated are .4 to 4.6 times as large, and a width of 2 drew a delay
# to one side by four deviations.
WIDTH = 5.0
LEAST_DELAY = 1e-6  # s, of a reversal: no smoothing is known better


def narrow_reversals(
    prior: Prior,
    parameters: ParameterSet,
    machine: Machine,
    values: FloatArray,
    drives: Collection[int],
    rounding: FloatArray,
) -> Prior:
    """Return the prior of a set of `with_reversals` with the factors of some drives as small as smoothing makes them.

    Parameters
    ----------
    prior : Prior
    parameters : ParameterSet
    machine : Machine
    values : ndarray
        Present values of the set's first parameters, Coulomb friction among them.
    drives : collection of int
        From 0.
    rounding : ndarray, shape (n,)
        `measure_rounding`.
    """
    std = prior.std.copy()
    coulomb = find_coulomb(parameters, machine)
    for k, entry in enumerate(parameters.entries):
        if entry.symbol != REVERSAL or entry.limb is None or entry.limb not in drives:
            continue
        index = coulomb[entry.limb]
        own = parameters.entries[index]
        size = max(abs(float(values[index])), abs(own.nominal)) or own.size or own.scale
        std[k] = min(std[k], WIDTH * size * rounding[entry.limb])
    return Prior(prior.mean, std)


def measure_rounding(machine: Machine, samples: Sequence[Samples], smoothing: FilterSettings) -> FloatArray:
    """Return the factors (n,) of pulses that smoothing makes of unit Coulomb friction, without sign.

    Parameters
    ----------
    machine : Machine
    samples : sequence of Samples
        Of each log, behind the zero-phase low-pass.
    smoothing : FilterSettings
        That low-pass.
    """
    stronger = low_pass(smoothing.order, smoothing.cutoff / STRONGER, 1.0 / smoothing.period)
    time = reversal_time(smoothing.period)
    product, square = np.zeros((2, len(machine.drives)))
    for log in samples:
        rate, again = log.motion.rate, log.motion.rate.copy()
        for part in segment_slices(log.segment):
            again[part] = zero_phase(stronger, rate[part])
        pulses = reversal_pulses(machine, rate, log.motion.acceleration, time)
        # b(again) - b(rate), as a pulse about their mean
        change = reversal_pulses(machine, 0.5 * (again + rate), 0.5 * (again - rate), 1.0)
        product += np.sum(change * pulses, axis=0)
        square += np.sum(pulses**2, axis=0)
    factor = compute_richardson_factor(1.0) * np.abs(product) / np.maximum(square, 1e-300)
    return np.maximum(factor, LEAST_DELAY / time)
