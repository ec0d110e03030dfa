# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What smoothing does to friction where a strut turns back, as columns with unknown factors.

When a strut's rate passes through zero, Coulomb friction changes sign, and the acceleration with it: the true rate
has a kink there. The kinematic low-pass rounds the kink, so that the smoothed rate passes zero a little too late, and
Coulomb friction computed from it changes sign too late. The error is a short pulse at each reversal,

    b(L' + L'' T) - b(L' - L'' T),      b: the friction law's Coulomb term, T: `reversal_time`,

times a factor per strut that is near F_c delay / T and is not known. It is estimated besides and not reported. Left
out, it goes into masses and moments wherever motions turn back often.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.mechanisms.friction import friction_terms
from pkm_identification.mechanisms.friction.law import law_tuple
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS, PlatformMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.parameters.parameter import Kind, Parameter
from pkm_identification.parameters.parameter_set import ParameterSet

REVERSAL_TIME = 1e-3  # s; longer than the delay, shorter than what lies between reversals
LARGEST_DELAY = 0.3e-3  # s, where that is the time; in proportion where it is longer


def with_reversals(parameters: ParameterSet, machine: Machine) -> ParameterSet:
    """The set with the six factors behind its parameters, as nuisance.

    Unchanged where it has not every strut's Coulomb friction.
    """
    coulomb = [entry for entry in parameters.entries if entry.symbol == machine.friction.law.reversing]
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


def reversal_time(period: float) -> float:
    """T in s for a sample period in s: at least that, since the low-pass of slower samples delays as much more."""
    return max(REVERSAL_TIME, period)


@kernel
def reversal_pulse(rate, second, time, law, term):
    """The pulse of one strut at a rate (m/s) and acceleration (m/s^2), of a time T (s) and a term of the law."""
    change = second * time
    return friction_terms(rate + change, law)[term] - friction_terms(rate - change, law)[term]


@kernel
def _fill_pulses(rate, second, time, numbers, term, pulses):
    law = law_tuple(numbers, 0)
    for n in range(pulses.shape[0]):
        for i in range(pulses.shape[1]):
            pulses[n, i] = reversal_pulse(rate[n, i], second[n, i], time, law, term)


def reversal_pulses(machine: Machine, motion: PlatformMotion, time: float = REVERSAL_TIME) -> FloatArray:
    """The pulses (N, 6) of a motion and a time T in s, without unit; see the module."""
    _, rate, second = strut_motion_from_platform(machine, motion)
    pulses = np.empty(rate.shape)
    law = machine.friction.law
    _fill_pulses(rate, second, time, machine.friction.law_parameters, law.reversing_term, pulses)
    return pulses
