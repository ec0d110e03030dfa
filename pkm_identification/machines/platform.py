# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The motion of a hexapod's platform in that of the contract, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.machine import Machine as HexapodDescription
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray

from .contract import Motion


def platform_of(motion: Motion, time: FloatArray) -> PlatformMotion:
    """Return the platform's motion of a hexapod's motion at stamps (N,)."""
    return PlatformMotion(time, *motion.state)


def motion_of_platform(description: HexapodDescription, platform: PlatformMotion) -> Motion:
    """Return the contract's motion of a platform's: lengths, rates and accelerations of the struts with it."""
    length, rate, acceleration = strut_motion_from_platform(description, platform)
    count = len(platform)
    state: tuple[Any, ...] = (platform.position, platform.rotation, platform.twist, platform.acceleration)
    return Motion(length, rate, acceleration, state, np.zeros(count, dtype=np.uint8), np.zeros(count))
