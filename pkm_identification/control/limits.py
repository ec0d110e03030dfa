# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What a motion must keep to, looked at along the whole of it before it begins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.declared import declared
from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics import angle_use, jacobian, strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import (
    fill_jacobian,
    frobenius_condition,
)
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS, PlatformMotion
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import determinant6, invert6


@dataclass(frozen=True)
class LimitSettings:
    """Margins to the machine's own limits.

    Attributes
    ----------
    length_margin : float
        m, kept to the length limits.
    rate_share, force_share : float
        Part of the machine's rate limit and of its drives' force limit a motion may use; the rest is for feedback.
    largest_condition : float
        Condition number of the Jacobian (Frobenius / 6, as in PlatformState) above which a pose is too near to a
        singular one.
    """

    length_margin: float = declared(0.0, "that trajectories keep to the length limits", "m", 0, 10)
    rate_share: float = declared(1.0, "of the machine's rate limit that trajectories may use", "", 0.01, 1.0)
    force_share: float = declared(0.9, "of the drives' force limit that trajectories may use", "", 0.01, 1.0)
    largest_condition: float = declared(50.0, "condition number that trajectories may reach", "", 1, 1e6)


@dataclass(frozen=True)
class Violation:
    """The first limit a motion would break.

    Attributes
    ----------
    limit : str
        'length', 'rate', 'force', 'joint' (angles of passive joints) or 'singularity'.
    strut : int or None
        1 to 6; None where it is not about one strut.
    time : float
        s from the motion's start.
    value, allowed : float
        m, m/s, N, the joints' angle over its limit, or the condition number.
    position : ndarray, shape (3,)
        Of the platform at that instant, m.
    """

    limit: str
    strut: int | None
    time: float
    value: float
    allowed: float
    position: FloatArray

    def __str__(self) -> str:
        what, unit, digits = _WORDS[self.limit]
        strut = "" if self.strut is None else f"strut {self.strut}: "
        place = ", ".join(f"{x:.4f}" for x in self.position)
        return (
            f"{self.limit} limit: {strut}{what} {self.value:.{digits}f}{unit} at {self.time:.3f} s, platform at "
            f"({place}) m; allowed {self.allowed:.{digits}f}{unit}"
        )


_WORDS = {
    "length": ("length", " m", 4),
    "rate": ("rate", " m/s", 3),
    "force": ("force", " N", 1),
    "joint": ("angle of a passive joint over its limit", "", 3),
    "singularity": ("condition number", "", 1),
}


@kernel
def _conditions(base, platform, scale, sign, position, rotation, condition):
    """Write condition numbers of poses (N,): infinite at a singular one, and where the determinant has another sign."""
    jac, inverse, work = np.empty((6, 6)), np.empty((6, 6)), np.empty((6, 6))
    length = np.empty(6)
    for n in range(position.shape[0]):
        fill_jacobian(base, platform, position[n], rotation[n], jac, length)
        condition[n] = np.inf
        if invert6(jac, inverse, work):
            condition[n] = frobenius_condition(jac, inverse, scale)
            if sign * determinant6(jac) <= 0.0:
                condition[n] = np.inf


class MotionLimits:
    """Looks at platform motions.

    Parameters
    ----------
    machine : Machine
    settings : LimitSettings
    """

    def __init__(self, machine: Machine, settings: LimitSettings) -> None:
        self._machine = machine
        low, high = machine.length_limits
        margin = settings.length_margin
        if not 0 <= 2 * margin < high - low:
            raise SettingsError(f"length_margin = {margin} m: leaves nothing between {low} m and {high} m")
        self._shortest, self._longest = low + margin, high - margin
        self._rate = np.inf if machine.rate_limit is None else settings.rate_share * machine.rate_limit
        self._force = np.inf if machine.drive is None else settings.force_share * machine.drive.force_limit
        self._condition = settings.largest_condition
        # as many singular poses lie between two poses as the determinant changes sign
        self._sign = float(
            np.sign(
                determinant6(jacobian(machine, machine.home_position[None], machine.home_rotation[None])[0])
            )
        )

    def check(self, motion: PlatformMotion, parameters: FloatArray | None = None) -> Violation | None:
        """The first violation of a motion, or None.

        Parameters
        ----------
        motion : PlatformMotion
            Densely sampled: what lies between its rows is not looked at. Its times go into the answer.
        parameters : ndarray, shape (B,), optional
            Dynamic parameters of the inverse dynamics (`strut_forces`).
        """
        m = self._machine
        length, rate, _ = strut_motion_from_platform(m, motion)
        condition = np.empty(len(motion))
        _conditions(
            *(m.base_joints, m.platform_joints, m.length_scale, self._sign),
            *(contiguous(motion.position), contiguous(motion.rotation), condition),
        )
        force = np.abs(strut_forces(m, motion, parameters=parameters))
        turned = angle_use(m, motion.position, motion.rotation)
        # NaN (a singular pose) is a violation, too
        broken = {
            "singularity": ~(condition <= self._condition)[:, None],
            "length": ~((length >= self._shortest) & (length <= self._longest)),
            "rate": ~(np.abs(rate) <= self._rate),
            "force": ~(force <= self._force),
            "joint": ~(turned <= 1.0),
        }
        if not any(part.any() for part in broken.values()):
            return None
        firsts = {name: np.argmax(part.any(axis=1)) for name, part in broken.items() if part.any()}
        limit = min(firsts, key=firsts.__getitem__)
        row = int(firsts[limit])
        column = int(np.argmax(broken[limit][row]))
        values = {"length": length, "rate": np.abs(rate), "force": force, "joint": turned}
        if limit == "singularity":
            strut, value, allowed = None, condition[row], self._condition
        else:
            # several joints of a strut stand strut by strut, a kind after the other
            strut, value = column % STRUTS + 1, values[limit][row, column]
            short = limit == "length" and value < self._shortest
            allowed = self._shortest if short else self._longest
            allowed = {"rate": self._rate, "force": self._force, "joint": 1.0}.get(limit, allowed)
        return Violation(
            limit, strut, float(motion.time[row]), float(value), float(allowed), motion.position[row].copy()
        )
