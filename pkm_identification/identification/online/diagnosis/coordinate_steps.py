# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Whether a coordinate in a stream of tracked samples stepped to another zero, and when.

Behind the stream's low-pass a step is a burst of acceleration, and a large one is a hole, because input validation
waits whether it stays. Where the acceleration of a drive changes from one sample to the next by many times what is
usual, and at the end of a hole, a coordinate may have stepped: what passes then is no motion of bodies.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel

from ...model_errors.geometry import sizes_of

BURST = 15.0  # changes of acceleration over what is usual
SMALLEST = 1e-4  # of a drive's scale: what makes less of a burst than a step of this is a motion
STEEPEST = 0.24  # third derivative of a unit step behind a low-pass of order 4, by the cutoff (rad/s) cubed
MEMORY, LEARNING = 2.0, 1.0  # s, of what is usual, and before anything is unusual
PASSES = 3.0  # periods of the kinematic cutoff, until a burst is over
SAME = (
    0.5  # s, in which drives have answered a step: bursts are the same; what goes on for longer is a motion
)


@kernel
def _is_burst(acceleration, before, usual, least, share, watching):
    """Whether the changes of accelerations (n,) are many times what is usual (n,); if not, that follows by a share."""
    for i in range(usual.size):
        if watching and abs(acceleration[i] - before[i]) > max(BURST * usual[i], least[i]):
            return True
    for i in range(usual.size):
        usual[i] += share * (abs(acceleration[i] - before[i]) - usual[i])
    return False


class CoordinateSteps:
    """Watches the drives of a stream of tracked samples.

    Parameters
    ----------
    machine : Machine
    period, cutoff : float
        s, of the samples; Hz, of the low-pass they have passed.

    Attributes
    ----------
    last : float or None
        Stamp in s of the latest one.
    """

    def __init__(self, machine: Machine, period: float, cutoff: float) -> None:
        self._period = period
        self._share = period / MEMORY
        self._passing = PASSES / cutoff
        scales = sizes_of(machine)
        self._least = SMALLEST * scales * STEEPEST * (2.0 * np.pi * cutoff) ** 3 * period
        self.reset()

    def reset(self) -> None:
        """As at the start."""
        self.last: float | None = None
        self._started = self._over = -np.inf
        self._usual = np.zeros(len(self._least))
        self._seen = 0
        self._before: FloatArray | None = None

    def step(self, time: float, acceleration: FloatArray, starting: bool) -> bool:
        """Take the drives' accelerations (n,) of a sample; True while a burst passes.

        While one passes every sample starts a segment; those of another start follow a hole.
        """
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
        if _is_burst(acceleration, before, self._usual, self._least, share, watching):
            if time - self._over > SAME:
                self._started = time
            if time - self._started <= SAME:
                self._note(time)
                self._over = time + self._passing
                self._before = None  # what follows begins anew, and not after a hole
                self._seen -= 1
                return True
            # a livelier motion than before
            np.maximum(self._usual, np.abs(acceleration - before), out=self._usual)
            _is_burst(acceleration, before, self._usual, self._least, share, False)
        return False

    def _note(self, time: float) -> None:
        if self.last is None or time - self.last > SAME:
            self.last = time
