"""The equations an estimator gets: model columns and measured force, both through the same narrow low-pass.

Filtering only the measured side would compare different things as soon as Coulomb friction bends the force;
filtering both sides alike is exact (docs/method.md). What passes the band is sampled just above its Nyquist
rate, so that successive equations are nearly independent.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.equations import Equations
from pkm_identification.mechanisms.hexapod.dynamics.regressor import regressor
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS, PlatformMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.butterworth import causal, segment_slices, zero_phase

from .reversal import reversal_pulses


def force_equations(
    machine: Machine,
    parameters: ParameterSet,
    motion: PlatformMotion,
    force: FloatArray,
    segment: NDArray[np.int64],
    band: BandSettings,
    online: bool = False,
) -> Equations:
    """Equations of the force model.

    Parameters
    ----------
    machine, parameters
        The model and its unknowns.
    motion : PlatformMotion
        On the regular clock within each segment; every row a good pose.
    force : ndarray, shape (N, 6)
        Strut forces in N, with the same delay as the motion.
    segment : ndarray of int64, shape (N,)
    band : BandSettings
    online : bool
        Causal filters and their settling, as the online estimator has them; else zero-phase.
    """
    sections, stride = band.sections, band.stride
    settle = band.settling
    # the filter's ends: causally where it settles, zero-phase where the padding shows
    lead, tail = (settle, 0) if online else (settle // 2, settle // 2)
    mapping = np.column_stack([parameters.mapping, parameters.known])
    parts = []
    for part in segment_slices(segment):
        count = part.stop - part.start
        if count <= lead + tail:
            continue
        raw = regressor(machine, motion[part], mapping)
        if parameters.nuisance:
            # each strut's own pulse, in front of what is known
            place = raw.shape[2] - 1 - parameters.nuisance + np.arange(STRUTS)
            raw[:, np.arange(STRUTS), place] = reversal_pulses(machine, motion[part])
        stack = np.concatenate([raw, force[part][:, :, None]], axis=2)
        chosen = slice(lead, count - tail, stride)
        # most places of the columns are empty (one strut's friction in another's row) and stay so
        filled = stack.any(axis=0)
        smooth = causal(sections, stack[:, filled]) if online else zero_phase(sections, stack[:, filled])
        picked = np.zeros((len(range(*chosen.indices(count))), *filled.shape))
        picked[:, filled] = smooth[chosen]
        force_picked = picked[:, :, -1]
        parts.append(
            Equations(
                time=motion.time[part][chosen],
                regressor=picked[:, :, :-2],
                measured=force_picked - picked[:, :, -2],
                force=force_picked,
                segment=segment[part][chosen],
            )
        )
    return Equations.joined(parts or [Equations.empty(STRUTS, len(parameters.names))])
