# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""In which ways a machine moves, and how fast: what an estimate that lacks excitation waits for."""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.capabilities import PlatformPose, has
from pkm_identification.machines.contract import Machine
from pkm_identification.motion import TrackedSample
from pkm_identification.numerics.arrays import FloatArray

from ..messages.machine_motion import MotionMessages

PLATFORM_AXES = tuple(f"{kind} {axis}" for kind in ("motion along", "rotation about") for axis in "xyz")


class MotionAxes:
    """The platform's six axes where a machine has one with a pose, else its drives.

    Parameters
    ----------
    machine : Machine
    messages : MotionMessages
        Of the machine.

    Attributes
    ----------
    names : tuple of str
    """

    def __init__(self, machine: Machine, messages: MotionMessages) -> None:
        self._messages = messages
        self._posed = machine if has(machine, PlatformPose) else None
        if self._posed is not None:
            self.names = PLATFORM_AXES
            self._scale = np.repeat([1.0, 0.5 * machine.size], 3)
        else:
            self.names = tuple(f"motion of {drive.joint}" for drive in machine.drives)
            self._scale = np.array([1.0 / drive.size for drive in machine.drives])

    def compute_paces(self, sample: TrackedSample) -> FloatArray:
        """Return how fast a sample moves in each way; all of one unit, so that they compare."""
        if self._posed is None:
            return np.abs(sample.rate) * self._scale
        twist = self._posed.compute_twist(self._messages.motion_of(sample))[0]
        return np.abs(twist[0]) * self._scale
