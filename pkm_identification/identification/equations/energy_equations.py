# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The equations of the energy model: change of energy and friction's work against the work of the struts.

The source states them from one sample to the next (Oh 2003, 2.56-2.57),

    h_{k+1} - h_k = sum_i F_i (L_{i,k+1} - L_{i,k}) ,

where a step's energy drowns in the noise of h. Here the same steps, modelled and measured alike, pass the
estimation band and are then summed over one stride of it. Whatever filter and padding do, they do to both sides,
so the balance stays exact; no acceleration is needed.

White noise of the forces puts noise into the work in proportion to the strut rates. Divided by the path the
struts travelled, D = T sqrt(mean of sum_i L'_i^2) over the stride T, the work becomes a mean force along the path,
whose noise is that of one force however fast the machine moves: least squares weights it rightly, and the gate
and the noise of the recursive estimators mean what they mean in the force model.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.equations import Equations
from pkm_identification.machines.capabilities import EnergyModel
from pkm_identification.machines.contract import Motion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rows import segment_slices
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.butterworth import causal, zero_phase

from ..regression.friction import DriveFriction

# Samples a segment loses to the quadrature: one before its first step and one after its last.
MARGIN = 1
# Rate below which equations lose weight, in transition rates: slower than that, the bend of the friction law
# decides more than the noise of the forces.
SLOW = 10.0


def step_work(power: FloatArray, period: float) -> FloatArray:
    """Work over each step between samples: the integral of the cubic through the four samples around it.

    At 10 Hz and 1 kHz this is right to 3e-7; the trapezoid's 3e-4 would show as a bias.

    Parameters
    ----------
    power : ndarray, shape (N, ...)
        W, on a regular clock.
    period : float
        Sample period in s.

    Returns
    -------
    ndarray, shape (N - 3, ...)
        J, of the steps from sample 1 to 2 up to sample N - 3 to N - 2.
    """
    return (13.0 * (power[1:-2] + power[2:-1]) - power[:-3] - power[3:]) * (period / 24.0)


def energy_equations(
    machine: EnergyModel,
    parameters: ParameterSet,
    motion: Motion,
    time: FloatArray,
    force: FloatArray,
    segment: NDArray[np.int64],
    band: BandSettings,
    online: bool = False,
) -> Equations:
    """Equations of the energy model.

    Parameters
    ----------
    machine, parameters
        The model and its unknowns.
    motion : Motion
        On the regular clock within each segment; every row good. Its accelerations are not used; forces work along its
        drives' rates.
    time : ndarray, shape (N,)
        s
    force : ndarray, shape (N, n)
        Of the drives in N or N m, with the same delay as the motion.
    segment : ndarray of int64, shape (N,)
    band : BandSettings
    online : bool
        Causal filters and their settling, as the online estimator has them; else zero-phase.

    Returns
    -------
    Equations
        One row (m = 1) per stride of the band, stamped with its end: columns are the change of energy plus
        friction's work per unit parameter, `force` the work of the drives' forces, both in the band and per path
        length, so in N. Of drives of several units a path is as long as a typical force of each makes it.
    """
    sections, stride = band.sections, band.stride
    settle = band.settling
    lead, tail = (settle, 0) if online else (settle // 2, settle // 2)
    duration = stride * band.period
    share = machine.force_size / np.mean(machine.force_size)
    slow = SLOW * float(np.mean([one.transition_rate for one in machine.friction] * share))
    mapping = np.column_stack([parameters.mapping, parameters.known])
    parts = []
    for part in segment_slices(segment):
        steps = part.stop - part.start - 1 - 2 * MARGIN
        whole = (steps - lead - tail) // stride
        if whole < 1:
            continue
        balance = _step_balance(machine, motion[part], force[part], mapping, share, band.period)
        smooth = causal(sections, balance) if online else zero_phase(sections, balance)
        chosen = smooth[lead : lead + whole * stride]
        sums = chosen.reshape(whole, stride, -1).sum(axis=1)
        # the band may ring below zero where the drives come to rest
        path = np.sqrt(duration * np.maximum(sums[:, -1], 0.0) + (duration * slow) ** 2)
        balanced = (sums[:, :-1] / path[:, None])[:, None, :]
        ends = MARGIN + lead + stride * np.arange(1, whole + 1)
        work = balanced[:, :, -1]
        parts.append(
            Equations(
                time=time[part][ends],
                regressor=balanced[:, :, :-2],
                measured=work - balanced[:, :, -2],
                force=work,
                segment=segment[part][ends],
            )
        )
    return Equations.concatenate(parts or [Equations.empty(1, len(parameters.names))])


def _step_balance(
    machine: EnergyModel,
    motion: Motion,
    force: FloatArray,
    mapping: FloatArray,
    share: FloatArray,
    period: float,
) -> FloatArray:
    """Every step's balance, (N - 3, P + 2): what the columns need, the forces' work, the integral of sum L'^2."""
    rate = motion.rate
    friction = np.zeros((*rate.shape, mapping.shape[1]))
    DriveFriction.of(machine, mapping).add(rate, friction)
    lost = np.einsum("nip,ni->np", friction, rate) + machine.compute_dissipation(motion, mapping)
    delivered = np.sum(force * rate, axis=1, keepdims=True)
    travelled = np.sum((share * rate) ** 2, axis=1, keepdims=True)
    work = step_work(np.hstack([lost, delivered, travelled]), period)
    energy = machine.compute_energy(motion, mapping)
    work[:, :-2] += np.diff(energy[MARGIN:-MARGIN], axis=0)
    return work
