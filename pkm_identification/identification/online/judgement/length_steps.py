# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Steps of a length on a stream: an encoder that loses counts, when it does, and what a metre of it changes.

Behind the stream's low-pass a step is a burst of acceleration, and a large one is a hole, because the guard waits
whether it stays. Where the acceleration of a strut changes from one sample to the next by many times what is usual, and
at the end of a hole, a length may have stepped; whose, and whether it has stayed so, the equations say.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.forward import platform_motion
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.kinematics.tracker import PlatformSample
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS, PlatformMotion, StrutMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel

BURST = 15.0  # changes of acceleration over what is usual
SMALLEST = 1e-4  # of the length scale: what makes less of a burst than a step of this is a motion
STEEPEST = 0.24  # third derivative of a unit step behind a low-pass of order 4, by the cutoff (rad/s) cubed
MEMORY, LEARNING = 2.0, 1.0  # s, of what is usual, and before anything is unusual
PASSES = 3.0  # periods of the kinematic cutoff, until a burst is over
SAME = (
    0.5  # s, in which drives have answered a step: bursts are the same; what goes on for longer is a motion
)
SHIFT = 1e-5  # of the length scale, for differences


@kernel
def _bursts(acceleration, before, usual, least, share, watching):
    """Whether the changes of accelerations (6,) are many times what is usual (6,); if not, that follows by a share."""
    for i in range(usual.size):
        if watching and abs(acceleration[i] - before[i]) > max(BURST * usual[i], least):
            return True
    for i in range(usual.size):
        usual[i] += share * (abs(acceleration[i] - before[i]) - usual[i])
    return False


class LengthSteps:
    """Watches the struts of a stream of platform samples.

    Parameters
    ----------
    machine : Machine
    period, cutoff : float
        s, of the samples; Hz, of the low-pass they have passed.
    kept : float
        s for which equations remember a step.

    Attributes
    ----------
    last : float or None
        Stamp in s of the latest one that equations remember.
    """

    def __init__(self, machine: Machine, period: float, cutoff: float, kept: float) -> None:
        self._machine = machine
        self._period, self._kept = period, kept
        self._share = period / MEMORY
        self._passing = PASSES / cutoff
        self._least = SMALLEST * machine.length_scale * STEEPEST * (2.0 * np.pi * cutoff) ** 3 * period
        self.reset()

    def reset(self) -> None:
        """As at the start."""
        self.last: float | None = None
        self._begun = self._over = -np.inf
        self._usual = np.zeros(STRUTS)
        self._seen = 0
        self._before: FloatArray | None = None

    def step(self, time: float, acceleration: FloatArray, starting: bool) -> bool:
        """Take the struts' accelerations (6,) of a sample in m/s^2; True while a burst passes.

        While one passes every sample starts a stretch; those of another start follow a hole.
        """
        if self.last is not None and not 0.0 <= time - self.last <= self._kept:
            self.last = None
        if time < self._over:
            return True
        before, self._before = self._before, acceleration.copy()
        if starting:
            if before is not None:
                self._note(time)
            return False
        if before is None:
            return False
        watching = self._seen * self._period > LEARNING
        self._seen += 1
        # a plain mean at first
        share = max(self._share, 1.0 / self._seen)
        if _bursts(acceleration, before, self._usual, self._least, share, watching):
            if time - self._over > SAME:
                self._begun = time
            if time - self._begun <= SAME:
                self._note(time)
                self._over = time + self._passing
                self._before = None  # what follows begins anew, and not after a hole
                self._seen -= 1
                return True
            # a livelier motion than before
            np.maximum(self._usual, np.abs(acceleration - before), out=self._usual)
            _bursts(acceleration, before, self._usual, self._least, share, False)
        return False

    def _note(self, time: float) -> None:
        if self.last is None or time - self.last > SAME:
            self.last = time

    def effect(self, sample: PlatformSample, basis: FloatArray) -> FloatArray:
        """Force in N per metre of a step of each length that the model (B,) misses in a sample, (6, 6)."""
        motion = PlatformMotion(
            np.array([sample.time]),
            sample.position[None],
            sample.rotation[None],
            sample.twist[None],
            sample.acceleration[None],
        )
        return missed_force(self._machine, motion, basis)


def missed_force(machine: Machine, motion: PlatformMotion, basis: FloatArray) -> FloatArray:
    """Force in N per metre of a wrong zero of each length that the model (B,) misses in one sample of a motion, (6, 6).

    A length measured a metre too large is that much smaller in truth, and so the platform is elsewhere.
    """
    length, rate, second = strut_motion_from_platform(machine, motion)
    size = SHIFT * machine.length_scale
    moved = StrutMotion(
        np.repeat(motion.time, STRUTS),
        length - size * np.eye(STRUTS),
        np.repeat(rate, STRUTS, axis=0),
        np.repeat(second, STRUTS, axis=0),
        None,
        np.zeros(STRUTS, dtype=np.int64),
    )
    there, _ = platform_motion(machine, moved, (motion.position[0], motion.rotation[0]))
    here, changed = (strut_forces(machine, one, friction=False, parameters=basis) for one in (motion, there))
    return np.nan_to_num((changed - here).T / size)
