# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a drive reports, and how that becomes its coordinate and its force: shares, currents, torques, pressures."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.document import Node

from .actuators.motor import Motor
from .file_keys.key import POSITIVE, Form, Key

UNKNOWN = math.nan
FULL_TURN = 2 * np.pi  # rad, the lead of a drive that turns
# What a file must say of a drive whose reports are in a quantity that is no force
NEEDED = {
    "share": "rated_force (N or N m), or motor.rated_torque (N m)",
    "current": "motor.torque_constant (N m/A)",
    "torque": "motor.screw_lead (m) and motor.gear_ratio",
    "pressure": "cylinder.piston_area (m^2)",
}


@dataclass(frozen=True)
class Reported:
    """Of one drive.

    Attributes
    ----------
    at_zero : float
        Coordinate in m or rad where logs have 0, as of a stroke; NaN where the file says nothing.
    per_share : float
        Force in N (N m) at 100 % of effort. This and those that follow are NaN where the file does not say it.
    per_ampere : float
        Force of 1 A.
    per_torque : float
        Force of 1 N m at the motor's shaft.
    piston_area, rod_side_area : float
        m^2: force = piston_area p_a - rod_side_area p_b.
    """

    at_zero: float = UNKNOWN
    per_share: float = UNKNOWN
    per_ampere: float = UNKNOWN
    per_torque: float = UNKNOWN
    piston_area: float = UNKNOWN
    rod_side_area: float = UNKNOWN

    def find_factor(self, quantity: str, subtracted: bool = False) -> float:
        """Return the force of one SI unit of a quantity of `NEEDED`, N (N m); NaN where the file does not say it.

        Parameters
        ----------
        quantity : str
        subtracted : bool
            Of the second of two columns, of which the difference is the force: the pressure on the rod's side.
        """
        pressure = self.rod_side_area if subtracted else self.piston_area
        return {
            "share": self.per_share,
            "current": self.per_ampere,
            "torque": self.per_torque,
            "pressure": pressure,
        }[quantity]

    def with_motor(self, motor: Motor | None) -> Reported:
        """Return the reports of a drive whose actuator has a motor, where its own section says nothing of one."""
        if motor is None or math.isfinite(self.per_torque):
            return self
        return replace(self, per_torque=motor.ratio, per_ampere=motor.ratio * motor.torque_constant)

    @property
    def is_differential(self) -> bool:
        """Whether one difference of pressures does not say the force: the piston's sides are not alike."""
        return bool(self.piston_area != self.rod_side_area)


NOTHING_REPORTED = Reported()


def read_reported(node: Node, turning: bool) -> Reported:
    """Return what a drive's section says of its reports.

    Parameters
    ----------
    node : Node
        With `at_zero`, `rated_force`, `motor` (torque_constant, rated_torque, screw_lead, gear_ratio, efficiency) and
        `cylinder` (piston_area, rod_side_area), each of which may be missing; it is not closed.
    turning : bool
        Whether the coordinate is an angle: there is no lead then.

    Raises
    ------
    MachineError
        If a value is impossible: names the key.
    """
    zero, share = node.take("at_zero", None), node.take("rated_force", None)
    at_zero = UNKNOWN if zero.value is None else zero.number()
    per_share = UNKNOWN if share.value is None else share.positive()
    per_ampere = per_torque = UNKNOWN
    if node.has("motor"):
        motor = node.take("motor")
        constant, rated = motor.take("torque_constant", None), motor.take("rated_torque", None)
        if constant.value is None and rated.value is None:
            motor.fail("must have torque_constant (N m/A) or rated_torque (N m)")
        lead = motor.take("screw_lead", FULL_TURN) if turning else motor.take("screw_lead")
        efficiency = motor.take("efficiency", 1.0)
        if efficiency.positive() > 1:
            efficiency.fail(f"= {efficiency.value}: must be at most 1")
        ratio = FULL_TURN * motor.take("gear_ratio", 1.0).positive() / lead.positive()
        per_torque = ratio * efficiency.positive()
        if constant.value is not None:
            per_ampere = constant.positive() * per_torque
        if rated.value is not None:
            if share.value is not None:
                rated.fail("and 'rated_force' are both there: either says what 100 % of effort is")
            per_share = rated.positive() * per_torque
        motor.close()
    return Reported(at_zero, per_share, per_ampere, per_torque, *read_cylinder(node))


def describe_cylinder(area: Form) -> Key:
    """Return the key of a drive's cylinder, whose areas have a form of the file's numbers."""
    keys = (Key("piston_area", "m^2", area, True), Key("rod_side_area", "m^2 (default: piston_area)", area))
    return Key("cylinder", "for logs of pressures", keys=keys)


def read_cylinder(node: Node) -> tuple[float, float]:
    """Return the areas (m^2) of a drive's piston on its own side and on the rod's; NaN where the file has none."""
    cylinder = describe_cylinder(POSITIVE).read(node)
    if cylinder is None:
        return UNKNOWN, UNKNOWN
    area, rod_side = cylinder["piston_area"], cylinder["rod_side_area"]
    if rod_side is not None and rod_side > area:
        place = node.take("cylinder").take("rod_side_area")
        place.fail(f"= {place.value}: must be at most piston_area ({area:g}): a rod takes area away")
    return area, area if rod_side is None else rod_side
