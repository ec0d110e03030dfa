# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Do the struts do what they are told? Limits of following error and of force jump, and what a strut does instead."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray

# Shares of the allowed error
NEAR = 0.2  # from there on what a strut does is compared with what it shall do
ASKED = 0.3  # must have been asked for before its absence means anything
STANDS = 0.02  # of the way asked for; less is none
TURNED = -0.3  # of the way asked for


class Following:
    """Watches six struts under control.

    Parameters
    ----------
    machine : Machine
        Its `drive.following_error` and `drive.force_jump`, where the file has them.
    tracking_limit : float
        m; the smaller of it and the machine's following error counts.
    """

    def __init__(self, machine: Machine, tracking_limit: float) -> None:
        drive = machine.drive
        self.limit = tracking_limit
        """m, the largest error of a strut's length."""
        self._jump = np.inf
        # a limit that a file states is one the machine keeps to: standing still is suspicious long before it
        self._limited_by_file = drive is not None and drive.following_error is not None
        if drive is not None:
            self.limit = min(tracking_limit, drive.following_error or np.inf)
            self._jump = drive.force_jump or np.inf
        self.reset()

    def reset(self) -> None:
        """Forget what was."""
        self._wanted: FloatArray | None = None
        self._measured = np.zeros(STRUTS)
        self._feedback: tuple[FloatArray, FloatArray] | None = None
        self.turned = np.zeros(STRUTS, dtype=bool)
        """Struts that were found to go the other way."""

    def trouble(self, wanted: FloatArray, error: FloatArray) -> str | None:
        """What is wrong with the lengths, in words; None while all struts follow.

        Parameters
        ----------
        wanted, error : ndarray, shape (6,)
            m, reference, and reference less measured.
        """
        measured = wanted - error
        away = np.abs(error)
        if self._wanted is None:
            self._wanted, self._measured = wanted.copy(), measured
        near = away < NEAR * self.limit
        self._wanted = np.where(near, wanted, self._wanted)
        self._measured = np.where(near, measured, self._measured)
        asked, movement = wanted - self._wanted, measured - self._measured
        asked_for = np.abs(asked) > ASKED * self.limit
        stands = asked_for & (np.abs(movement) < STANDS * np.abs(asked))
        turned = asked_for & (np.sign(asked) * movement < TURNED * np.abs(asked))
        odd = (stands | turned) if self._limited_by_file else np.zeros(STRUTS, dtype=bool)
        strut = int(np.argmax(np.where(odd, np.inf, away)))
        if away[strut] <= self.limit and not odd[strut]:
            return None
        instead = ""
        if stands[strut]:
            instead = "; it does not move: a stuck encoder, or a strut that is blocked"
        elif turned[strut]:
            self.turned[strut] = True
            instead = "; it moves the other way: a reversed sign, or something pushes it"
        return (
            f"strut {strut + 1} is {away[strut]:.4f} m from where it shall be, "
            f"{self.limit:g} m is allowed{instead}"
        )

    def jump(self, feedback: FloatArray, error: FloatArray) -> str | None:
        """What is wrong with a feedback force (6,) in N, of lengths that are off by `error`; None when nothing is."""
        last, self._feedback = self._feedback, (feedback, error)
        if last is None:
            return None
        change = np.abs(feedback - last[0])
        strut = int(np.argmax(change))
        if change[strut] <= self._jump:
            return None
        # the model couples the struts: the force that jumps most need not be that of the length that did
        jumped = np.abs(error - last[1])
        which = int(np.argmax(jumped))
        return (
            f"the feedback would change the force of strut {strut + 1} by {change[strut]:.0f} N at once, "
            f"{self._jump:g} N is allowed: the error of strut {which + 1} changed by {1e3 * jumped[which]:.3g} mm "
            "since the last sample"
        )

    def forget_force(self) -> None:
        """The next feedback force follows none: the law has changed."""
        self._feedback = None
