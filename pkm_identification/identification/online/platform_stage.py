# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The second stage: filtered strut motion in, platform motion out, with what is wrong with it."""

from __future__ import annotations

from pkm_identification.mechanisms.hexapod.kinematics.forward import (
    DEGRADED,
    DEGRADED_CONDITION,
    FAILED,
    STATUS_NAMES,
)
from pkm_identification.mechanisms.hexapod.kinematics.tracker import PlatformSample, PlatformTracker
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import StrutSample
from pkm_identification.numerics.finite import finite_sample

from .stage_event import StageEvent
from .strut_stage import NOT_FINITE_OUTPUT

NOT_CONVERGED, ANOTHER_MODE, NEAR_SINGULAR = "not_converged", "another_mode", "near_singular"


class PlatformStage:
    """Forward kinematics, one sample at a time.

    Parameters
    ----------
    machine : Machine
    degraded_condition : float
        Condition number above which a pose is called degraded.

    Attributes
    ----------
    tracker : PlatformTracker
    counts : dict of str to int
        Samples by the status of their pose.
    fault : str or None
        What is wrong with the latest pose: `NOT_CONVERGED`, `ANOTHER_MODE` or `NEAR_SINGULAR`.
    events : list of StageEvent
        Of the last step: a fault is one when it begins.
    """

    def __init__(self, machine: Machine, degraded_condition: float = DEGRADED_CONDITION) -> None:
        self.tracker = PlatformTracker(machine, degraded_condition)
        self.reset()

    def reset(self) -> None:
        """Forget everything: afterwards the stage is as newly made."""
        self.tracker.reset()
        self.counts = dict.fromkeys(STATUS_NAMES, 0)
        self.fault: str | None = None
        self.events: list[StageEvent] = []

    def restart(self) -> None:
        """Start from the home pose again; the counts go on."""
        self.tracker.reset()

    def step(self, sample: StrutSample) -> PlatformSample | None:
        """Platform motion of one filtered sample; None when a number of it is not finite."""
        self.events = []
        platform = self.tracker.step(sample)
        self.counts[STATUS_NAMES[platform.status]] += 1
        fault = _fault(platform)
        if fault is not None and fault != self.fault:
            self.events.append(StageEvent(fault, platform.message))
        self.fault = fault
        if not finite_sample(
            platform.position, platform.twist, platform.acceleration, platform.force, platform.rotation
        ):
            self.tracker.reset()
            self.events.append(
                StageEvent(NOT_FINITE_OUTPUT, "forward kinematics gave a number that is not finite")
            )
            return None
        return platform


def _fault(sample: PlatformSample) -> str | None:
    """The counter of what is wrong with a sample, None if nothing is."""
    if sample.status == FAILED:
        return ANOTHER_MODE if sample.jumped else NOT_CONVERGED
    return NEAR_SINGULAR if sample.status == DEGRADED else None
