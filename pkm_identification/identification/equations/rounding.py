# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How far smoothing can have moved reversals, where a delay of the forces is estimated as well.

Forces that come late make the pulses of `reversal`, too. With factors that may be anything, a delay would be known only
from what is no friction, though friction tells most of it. So the factors are held to what the rates show: smoothing
that rounds a kink moves a reversal by a time in proportion to the cutoff, hence smoothing STRONGER times more moves it
on by (STRONGER - 1) times as much; a rate without kinks below the cutoff passes both unchanged.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rows import segment_slices
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.signals.butterworth import low_pass, zero_phase
from pkm_identification.signals.causal import FilterSettings

from ..samples import Samples
from .reversal import REVERSAL, find_coulomb, reversal_pulses, reversal_time
from .transition_correction import STRONGER, compute_richardson_factor

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
