# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

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
