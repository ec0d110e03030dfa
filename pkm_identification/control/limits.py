# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a motion must keep to, looked at along the whole of it before it begins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.declared import declare
from pkm_identification.errors import SettingsError
from pkm_identification.machines.capabilities import PlatformPose, PostureMeasures, has
from pkm_identification.machines.contract import OK, Drive, Machine, Motion
from pkm_identification.numerics.arrays import FloatArray

from .inverse_dynamics import InverseDynamics
from .tolerances import spread_over_drives

# Of a drive whose file states no rate limit, large changes (a tenth of its range, or 1 rad) in a second: three strokes,
# which is what files of machines with limits state
RATE_OF_SIZE_PER_S = 30.0


@dataclass(frozen=True)
class LimitSettings:
    """Margins to the machine's own limits.

    Attributes
    ----------
    length_margin : float
        m, kept to the limits of drives' coordinates; of turning drives rad at a lever of 0.1 m.
    rate_share, force_share : float
        Part of the drives' rate and force limits a motion may use; the rest is for feedback.
    largest_condition : float
        Condition number of the Jacobian (Frobenius / 6, as in PlatformState) above which a pose is too near to a
        singular one.
    """

    length_margin: float = declare(
        0.0,
        "that trajectories keep to the limits of drives (of turning ones at a lever of 0.1 m)",
        "m",
        0,
        10,
    )
    rate_share: float = declare(1.0, "of the drives' rate limit that trajectories may use", "", 0.01, 1.0)
    force_share: float = declare(0.9, "of the drives' force limit that trajectories may use", "", 0.01, 1.0)
    largest_condition: float = declare(50.0, "condition number that trajectories may reach", "", 1, 1e6)


@dataclass(frozen=True)
class Violation:
    """The first limit a motion would break.

    Attributes
    ----------
    limit : str
        'length' or 'angle' (of a drive), 'rate', 'force', 'joint' (angles of passive joints), 'singularity' or 'reach'.
    drive : Drive or None
        None where it is not about one.
    time : float
        s from the motion's start.
    value, allowed : float
        In the drive's unit, N or N m; the joints' angle over its limit, or the condition number.
    position : ndarray, shape (3,), or None
        Of the platform at that instant, m, where the machine has one with a pose.
    """

    limit: str
    drive: Drive | None
    time: float
    value: float
    allowed: float
    position: FloatArray | None

    def __str__(self) -> str:
        what, digits = _WORDS[self.limit]
        unit = ""
        if self.drive is not None and self.limit != "joint":
            unit = self.drive.force_unit if self.limit == "force" else self.drive.unit
            unit = f" {unit}/s" if self.limit == "rate" else f" {unit}"
        drive = "" if self.drive is None else f"{self.drive.title}: "
        when = f"{self.time:.3f} s"
        if self.position is not None and np.isfinite(self.position).all():
            when += f", platform at ({', '.join(f'{x:.4f}' for x in self.position)}) m"
        if self.limit == "reach":
            return f"reach: {what} at {when}"
        return (
            f"{self.limit} limit: {drive}{what} {self.value:.{digits}f}{unit} at {when}; "
            f"allowed {self.allowed:.{digits}f}{unit}"
        )


_WORDS = {
    "length": ("length", 4),
    "angle": ("angle", 4),
    "rate": ("rate", 3),
    "force": ("force", 1),
    "joint": ("angle of a passive joint over its limit", 3),
    "singularity": ("condition number", 1),
    "reach": ("the machine cannot be there, or is near a singular configuration", 0),
}
_RANGE = {"m": "length", "rad": "angle"}


class MotionLimits:
    """Looks at motions of a machine.

    Parameters
    ----------
    machine : Machine
    settings : LimitSettings

    Raises
    ------
    SettingsError
        If the margin leaves nothing of a drive's range.
    """

    def __init__(self, machine: Machine, settings: LimitSettings) -> None:
        self._machine, self._drives = machine, machine.drives
        low, high, rate, force, size = (
            np.array([getattr(drive, name) for drive in machine.drives])
            for name in ("lowest", "highest", "rated_rate", "rated_force", "size")
        )
        margin = spread_over_drives(machine.drives, settings.length_margin)
        if not (settings.length_margin >= 0 and (2 * margin < high - low).all()):
            i = int(np.argmin(high - low - 2 * margin))
            unit = self._drives[i].unit
            raise SettingsError(
                f"length_margin = {settings.length_margin} m: leaves nothing between {low[i]} {unit} and "
                f"{high[i]} {unit}"
            )
        self._lowest, self._highest = low + margin, high - margin
        stated = np.isfinite(rate)
        self._rate = np.where(stated, settings.rate_share * rate, RATE_OF_SIZE_PER_S * size)
        self._force = settings.force_share * force
        self._condition = settings.largest_condition
        self._dynamics = InverseDynamics(machine)
        self._posture = machine if has(machine, PostureMeasures) else None
        self._posed = machine if has(machine, PlatformPose) else None

    def check(self, motion: Motion, time: FloatArray, values: FloatArray | None = None) -> Violation | None:
        """Return the first violation of a motion, or None.

        Parameters
        ----------
        motion : Motion
            Densely sampled: what lies between its rows is not looked at.
        time : ndarray, shape (N,)
            s from the motion's start.
        values : ndarray, shape (B,), optional
            Of the machine's basis, for the inverse dynamics; the file's by default.
        """
        machine = self._machine
        values = machine.basis.nominal if values is None else values
        force = np.abs(self._dynamics.compute(motion, values))
        rate, column = np.abs(motion.rate), np.zeros((len(motion), 0))
        # (values, whether they are allowed, the limits), NaN being no allowed value
        looked_at = {
            "reach": (column, motion.status[:, None] == OK, column),
            "range": (
                motion.coordinate,
                (motion.coordinate >= self._lowest) & (motion.coordinate <= self._highest),
                column,
            ),
            "rate": (rate, rate <= self._rate, self._rate),
            "force": (force, force <= self._force, self._force),
        }
        if self._posture is not None:
            condition = self._posture.compute_condition(motion)[:, None]
            turned = self._posture.compute_joint_use(motion)
            looked_at["joint"] = turned, turned <= 1.0, np.ones(turned.shape[1])
            singular = condition, condition <= self._condition, np.array([self._condition])
            looked_at = {"singularity": singular} | looked_at
        if all(good.all() for _, good, _ in looked_at.values()):
            return None
        firsts = {
            name: int(np.argmin(good.all(axis=1)))
            for name, (_, good, _) in looked_at.items()
            if not good.all()
        }
        return self._describe(min(firsts, key=firsts.__getitem__), firsts, looked_at, motion, time)

    def _describe(
        self,
        limit: str,
        firsts: dict[str, int],
        looked_at: dict[str, tuple[FloatArray, FloatArray, FloatArray]],
        motion: Motion,
        time: FloatArray,
    ) -> Violation:
        row = firsts[limit]
        numbers, good, limits = looked_at[limit]
        column = int(np.argmin(good[row]))
        position = None
        if self._posed is not None:
            position = self._posed.compute_pose(motion[row : row + 1])[0][0].copy()
        when = float(time[row])
        if limit == "reach":
            return Violation(limit, None, when, np.nan, np.nan, position)
        value = float(numbers[row, column])
        if limit == "singularity":
            return Violation(limit, None, when, value, float(limits[column]), position)
        drive = self._drives[
            column % len(self._drives)
        ]  # passive joints stand drive by drive, a kind after the other
        if limit == "range":
            low, high = self._lowest[column], self._highest[column]
            return Violation(
                _RANGE[drive.unit], drive, when, value, float(low if value < low else high), position
            )
        return Violation(limit, drive, when, value, float(limits[column]), position)
