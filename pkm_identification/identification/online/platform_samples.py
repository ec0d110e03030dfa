# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Samples of a machine with a platform on six struts: with the platform's pose, and back."""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.contract import FAILED, OTHER_MODE
from pkm_identification.machines.hexapod import Hexapod, HexapodTracker
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.kinematics.tracker import PlatformSample, split_row
from pkm_identification.motion import PlatformMotion, TrackedSample


def add_pose(sample: TrackedSample, tracker: HexapodTracker) -> PlatformSample:
    """Return the last sample of a tracker with the platform's pose; at rest where it has failed."""
    position, rotation, twist, acceleration = split_row(sample.state)
    if sample.status in (FAILED, OTHER_MODE):
        twist, acceleration = np.zeros(6), np.zeros(6)
    one = tracker.platform
    return PlatformSample(
        sample.time, position, rotation, twist, acceleration, sample.force, sample.segment, min(sample.status, FAILED),
        one.iterations, one.residual, one.condition, one.message, one.jumped,
    )  # fmt: skip


def tracked_of_platform(sample: PlatformSample, machine: Hexapod) -> TrackedSample:
    """Return a sample of which only the platform's motion is known with that of the struts."""
    row = np.concatenate([sample.position, np.ravel(sample.rotation), sample.twist, sample.acceleration])
    motion = PlatformMotion(np.array([sample.time]), *(part[None] for part in split_row(row)))
    length, rate, acceleration = strut_motion_from_platform(machine.description, motion)
    status = OTHER_MODE if sample.jumped else sample.status
    return TrackedSample(
        sample.time, length[0], rate[0], acceleration[0], sample.force, sample.segment, row, status, sample.residual
    )  # fmt: skip
