# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
from pkm_identification.mechanisms.friction import friction_columns
from pkm_identification.mechanisms.hexapod.dynamics.basis import INERTIAL_COLUMNS, joint_rows
from pkm_identification.mechanisms.hexapod.dynamics.energy import energy_regressor
from pkm_identification.mechanisms.hexapod.dynamics.joint_friction import joint_friction_columns
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.segments import segment_slices
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.butterworth import causal, zero_phase

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
    machine: Machine,
    parameters: ParameterSet,
    motion: PlatformMotion,
    force: FloatArray,
    segment: NDArray[np.int64],
    band: BandSettings,
    online: bool = False,
    rate: FloatArray | None = None,
) -> Equations:
    """Equations of the energy model.

    Parameters
    ----------
    machine, parameters
        The model and its unknowns.
    motion : PlatformMotion
        On the regular clock within each segment; every row a good pose. Its accelerations are not used.
    force : ndarray, shape (N, 6)
        Strut forces in N, with the same delay as the motion.
    segment : ndarray of int64, shape (N,)
    band : BandSettings
    online : bool
        Causal filters and their settling, as the online estimator has them; else zero-phase.
    rate : ndarray, shape (N, 6), optional
        Strut rates in m/s along which the forces work, if measured apart from the motion (default: the motion's).

    Returns
    -------
    Equations
        One row (m = 1) per stride of the band, stamped with its end: columns are the change of energy plus
        friction's work per unit parameter, `force` the work of the strut forces, both in the band and per path
        length, so in N.
    """
    sections, stride = band.sections, band.stride
    settle = band.settling
    lead, tail = (settle, 0) if online else (settle // 2, settle // 2)
    duration = stride * band.period
    slow = SLOW * machine.friction.transition_rate
    mapping = np.column_stack([parameters.mapping, parameters.known])
    if rate is None:
        _, rate, _ = strut_motion_from_platform(machine, motion)
    parts = []
    for part in segment_slices(segment):
        steps = part.stop - part.start - 1 - 2 * MARGIN
        whole = (steps - lead - tail) // stride
        if whole < 1:
            continue
        balance = _step_balance(machine, motion[part], rate[part], force[part], mapping, band.period)
        smooth = causal(sections, balance) if online else zero_phase(sections, balance)
        chosen = smooth[lead : lead + whole * stride]
        sums = chosen.reshape(whole, stride, -1).sum(axis=1)
        # the band may ring below zero where the struts come to rest
        path = np.sqrt(duration * np.maximum(sums[:, -1], 0.0) + (duration * slow) ** 2)
        balanced = (sums[:, :-1] / path[:, None])[:, None, :]
        ends = MARGIN + lead + stride * np.arange(1, whole + 1)
        work = balanced[:, :, -1]
        parts.append(
            Equations(
                time=motion.time[part][ends],
                regressor=balanced[:, :, :-2],
                measured=work - balanced[:, :, -2],
                force=work,
                segment=segment[part][ends],
            )
        )
    return Equations.joined(parts or [Equations.empty(1, len(parameters.names))])


def _step_balance(
    machine: Machine,
    motion: PlatformMotion,
    rate: FloatArray,
    force: FloatArray,
    mapping: FloatArray,
    period: float,
) -> FloatArray:
    """Every step's balance, (N - 3, P + 2): what the columns need, the forces' work, the integral of sum L'^2."""
    columns = friction_columns(rate, machine.friction)
    joints = joint_rows(machine)
    friction = np.hstack(list(columns * rate)) @ mapping[INERTIAL_COLUMNS:joints]
    if machine.joint_friction is not None:
        rubbing = joint_friction_columns(machine, motion, machine.joint_friction.transition_rate)
        friction += np.einsum("nip,ni->np", rubbing, rate) @ mapping[joints:]
    delivered = np.sum(force * rate, axis=1, keepdims=True)
    travelled = np.sum(rate * rate, axis=1, keepdims=True)
    work = step_work(np.hstack([friction, delivered, travelled]), period)
    energy = energy_regressor(machine, motion, mapping)
    work[:, :-2] += np.diff(energy[MARGIN:-MARGIN], axis=0)
    return work
