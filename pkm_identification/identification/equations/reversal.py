"""What smoothing does to friction where a strut turns back, as columns with unknown factors.

When a strut's rate passes through zero, Coulomb friction changes sign, and the acceleration with it: the true rate
has a kink there. The kinematic low-pass rounds the kink, so that the smoothed rate passes zero a little too late, and
Coulomb friction computed from it changes sign too late. The error is a short pulse at each reversal,

    b(L' + L'' T) - b(L' - L'' T),      b: the friction law's Coulomb shape, T: REVERSAL_TIME,

times a factor per strut that is near F_c delay / T and is not known. It is estimated besides and not reported. Left
out, it goes into masses and moments wherever motions turn back often.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.mechanisms.friction import friction_shape
from pkm_identification.mechanisms.hexapod.kinematics.inverse import fill_strut_motion
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS, PlatformMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.parameters.parameter import Kind, Parameter
from pkm_identification.parameters.parameter_set import ParameterSet

REVERSAL_TIME = 1e-3  # s; longer than the delay, shorter than what lies between reversals
LARGEST_DELAY = 0.3e-3  # s


def with_reversals(parameters: ParameterSet, machine: Machine) -> ParameterSet:
    """The set with the six factors behind its parameters, as nuisance.

    Unchanged where it has not every strut's Coulomb friction.
    """
    coulomb = [entry for entry in parameters.entries if entry.kind is Kind.COULOMB]
    if len(coulomb) != STRUTS:
        return parameters
    entries = [
        Parameter(
            f"reversal_{i + 1}",
            "N",
            Kind.NUISANCE,
            entry.body,
            nominal=0.0,
            scale=entry.scale * LARGEST_DELAY / REVERSAL_TIME,
            symbol="reversal",
            limb=i,
        )
        for i, entry in enumerate(coulomb)
    ]
    extended = parameters.extended(entries, np.zeros((len(parameters.known), STRUTS)))
    return replace(extended, nuisance=STRUTS)


@kernel
def fill_reversals(base, platform, shape, position, rotation, twist, acceleration, struts, pulses):
    """Write the pulses (N, 6) of N platform states; `struts` is scratch (3, N, 6)."""
    fill_strut_motion(
        base, platform, position, rotation, twist, acceleration, struts[0], struts[1], struts[2]
    )
    for n in range(pulses.shape[0]):
        for i in range(6):
            rate, change = struts[1, n, i], struts[2, n, i] * REVERSAL_TIME
            pulses[n, i] = friction_shape(rate + change, shape)[1] - friction_shape(rate - change, shape)[1]


def reversal_pulses(machine: Machine, motion: PlatformMotion) -> FloatArray:
    """The pulses (N, 6) of a motion, without unit; see the module."""
    count = len(motion)
    pulses, struts = np.empty((count, STRUTS)), np.empty((3, count, STRUTS))
    fill_reversals(
        machine.base_joints,
        machine.platform_joints,
        machine.friction.shape,
        np.ascontiguousarray(motion.position),
        np.ascontiguousarray(motion.rotation),
        np.ascontiguousarray(motion.twist),
        np.ascontiguousarray(motion.acceleration),
        struts,
        pulses,
    )
    return pulses
