# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Numbers of a hexapod's file held against its size, masses and gravity."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Protocol

import numpy as np

from pkm_identification.document import Problems
from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.friction import Friction
from pkm_identification.numerics.arrays import FloatArray

from ..plausibility import (
    LEAST_OFFSET,
    LENGTH_UNITS,
    MOST_OFFSET,
    SPEED_UNITS,
    BodyNumbers,
    fitting_units,
    format_body_complaints,
    format_gravity_complaint,
    propose_units,
    show_value,
    units_within,
)
from .bodies import Platform, Strut, StrutBody
from .drive import Drive
from .geometry import Geometry, HasGeometry, strut_lengths_at_home
from .sensors import MachineSensors

# Of the longest strut: a body of a strut may reach so far behind its own joint, where its motor hangs
BEHIND = 0.5
LEAST_ALONG = 0.02  # of the longest strut: distance of its bodies' centres of mass from their joints
SHORTEST_BODY = 0.5  # of the shortest strut: length of a strut's body, at least
FASTEST = 50.0  # m/s of a strut, and
MOST_STROKES = 100.0  # its longest length so many times a second
MOST_TRANSITION = 1.0  # m/s below which friction bends, where no rate limit is stated
FEWEST_COUNTS = 250.0  # of an encoder from the shortest to the longest strut: 8 bits
MOST_TURNS = 20.0  # longest struts between an encoder's zero and the machine
LONGEST_LEAD = 1.0  # m per turn of a screw or pulley
MOST_MOTOR_MASS = 1e4  # times the moving mass, of what turns with the motor; a motor with a 5 mm screw has 3
MOTOR_UNITS = {"kg cm^2": 1e-4, "kg mm^2": 1e-6, "g cm^2": 1e-7}  # kg m^2, the catalogues' first
COUNT_UNITS = {"counts/mm": 1e3}  # 1/m

_GEOMETRY = ("length_limits", "home.position", "base_joints", "platform_joints")
# Which of them may be in another unit: one, all but the limits, or two of these
_CHOICES = (*((key,) for key in _GEOMETRY), _GEOMETRY[1:], *combinations(_GEOMETRY[1:], 2))


class HasNumbers(HasGeometry, Protocol):
    """What numbers are held against each other of; a `Machine` has it."""

    @property
    def gravity(self) -> FloatArray: ...
    @property
    def length_limits(self) -> FloatArray: ...
    @property
    def rate_limit(self) -> float | None: ...
    @property
    def platform(self) -> Platform: ...
    @property
    def struts(self) -> tuple[Strut, ...]: ...
    @property
    def friction(self) -> Friction: ...
    @property
    def drive(self) -> Drive | None: ...
    @property
    def sensors(self) -> MachineSensors: ...
    @property
    def document(self) -> dict[str, Any]: ...


def check_plausibility(machine: HasNumbers, source: str) -> None:
    """Refuse numbers that no machine of this size and mass has.

    Raises
    ------
    MachineError
        Names every such key, its value, what is allowed, and the unit that would fit.
    """
    problems = Problems()
    found = [format_gravity_complaint(machine.gravity, machine.document.get("gravity"))]
    found += format_body_complaints(_check_bodies(machine), "geometry")
    found += _check_rates(machine)
    found += _drive_complaints(machine)
    problems.found += [f"{source}: {one}" for one in found if one]
    problems.refuse(source, MachineError)


def propose_geometry_units(geometry: HasGeometry, length_limits: FloatArray) -> str:
    """Return the end of a message on a home outside the length limits: keys in whose place a unit would fit."""
    for chosen in _CHOICES:

        def fits(factor: float, chosen: tuple[str, ...] = chosen) -> bool:
            scale = {key: factor if key in chosen else 1.0 for key in _GEOMETRY}
            scaled = Geometry(
                scale["base_joints"] * geometry.base_joints,
                scale["platform_joints"] * geometry.platform_joints,
                scale["home.position"] * geometry.home_position,
                geometry.home_rotation,
            )
            low, high = scale["length_limits"] * length_limits
            lengths = strut_lengths_at_home(scaled)
            return bool(np.all((lengths >= low) & (lengths <= high)))

        units = fitting_units(fits, LENGTH_UNITS)
        if units:
            named = " and ".join(f"geometry.{key}" for key in chosen)
            return f"; {named} in {' or '.join(units)}?"
    return ""


def _spread(joints: FloatArray) -> float:
    """Return the largest distance of two of the joints (6, 3), m."""
    return float(np.linalg.norm(joints[:, None] - joints[None], axis=2).max())


def _check_bodies(machine: HasNumbers) -> list[BodyNumbers]:
    platform, longest = machine.platform, float(machine.length_limits[1])
    spread = _spread(machine.platform_joints)
    reach = spread + longest  # with what stands on it
    document = machine.document
    bodies = [
        BodyNumbers(
            "platform",
            platform.mass,
            platform.center_of_mass,
            float(np.linalg.eigvalsh(platform.inertia)[-1]),
            machine.platform_joints.mean(axis=0),
            MOST_OFFSET * reach,
            LEAST_OFFSET * reach,
            spread,
            reach,
            True,
            document["platform"],
            f"within {MOST_OFFSET * reach:.4g} m of the middle of the platform's joints",
        )
    ]
    alike = "strut" in document
    for i, strut in enumerate(machine.struts[:1] if alike else machine.struts):
        where = "strut" if alike else f"struts[{i + 1}]"
        shown = document["strut"] if alike else document["struts"][i]
        for name, body in (("body_b", strut.body_b), ("body_e", strut.body_e)):
            bodies.append(_check_strut_body(f"{where}.{name}", body, machine, shown[name]))
    return bodies


def _check_strut_body(where: str, body: StrutBody, machine: HasNumbers, shown: dict[str, Any]) -> BodyNumbers:
    shortest, longest = (float(one) for one in machine.length_limits)
    along = np.array([0.0, 0.0, 1.0])
    return BodyNumbers(
        where,
        body.mass,
        body.center_of_mass * along,
        max(body.transverse, body.axial),
        0.5 * (1.0 - BEHIND) * longest * along,
        0.5 * (1.0 + BEHIND) * longest,
        LEAST_ALONG * longest,
        SHORTEST_BODY * shortest,
        (1.0 + BEHIND) * longest,
        True,
        shown,
        f"between {-BEHIND * longest:.4g} m (behind its joint) and {longest:g} m (the longest strut)",
    )


def _check_rates(machine: HasNumbers) -> list[str]:
    """Return what is wrong with the rate limit and the friction's transition rate."""
    most = min(FASTEST, MOST_STROKES * float(machine.length_limits[1]))
    found = [_check_size("geometry.rate_limit", machine.rate_limit, most, "m/s", SPEED_UNITS)]
    if machine.friction.parameters.size:
        limit = machine.rate_limit
        most = MOST_TRANSITION if limit is None else min(limit, MOST_TRANSITION)
        rate = machine.friction.transition_rate
        if "transition_rate" in machine.document.get("friction", {}):
            found.append(_check_size("friction.transition_rate", rate, most, "m/s", SPEED_UNITS))
    return found


def _check_size(key: str, value: float | None, most: float, unit: str, units: dict[str, float]) -> str:
    """Return what is wrong with a number above what is possible, where one of some units would bring it below."""
    if value is None or value <= most:
        return ""
    names = units_within(value, 0.0, most, units)
    return f"{key} = {value:g}: must be at most {most:.4g} {unit}{propose_units(names)}" if names else ""


def _drive_complaints(machine: HasNumbers) -> list[str]:
    drive, document = machine.drive, machine.document.get("drive", {})
    if drive is None:
        return []
    shortest, longest = (float(one) for one in machine.length_limits)
    found = []
    if drive.has_encoder:
        counts = drive.counts_per_meter * (longest - shortest)
        names = units_within(counts, FEWEST_COUNTS, np.inf, COUNT_UNITS)
        if counts < FEWEST_COUNTS and names:
            found.append(
                f"drive.encoder.counts_per_meter = {drive.counts_per_meter:g}: {counts:.3g} counts over all lengths; "
                f"must be at least {FEWEST_COUNTS / (longest - shortest):.4g} per m{propose_units(names)}"
            )
        zero = np.asarray(drive.length_at_zero)

        def fits(factor: float) -> bool:
            return bool(np.all((factor * zero >= 0) & (factor * zero <= 2 * longest)))

        if np.abs(zero).max() > MOST_TURNS * longest and (names := fitting_units(fits, LENGTH_UNITS)):
            found.append(
                f"drive.encoder.length_at_zero = {show_value(document['encoder']['length_at_zero'])}: must be within "
                f"{MOST_TURNS * longest:g} m{propose_units(names)}"
            )
    if drive.has_motor:
        found.append(
            _check_size(
                "drive.motor.screw_lead", drive.screw_lead, min(longest, LONGEST_LEAD), "m", LENGTH_UNITS
            )
        )
        moving = machine.platform.mass + sum(s.body_b.mass + s.body_e.mass for s in machine.struts)
        ratio = drive.motor_mass / drive.motor_inertia if drive.motor_inertia > 0 else np.inf
        found.append(
            _check_size(
                "drive.motor.inertia",
                drive.motor_inertia,
                MOST_MOTOR_MASS * moving / ratio,
                "kg m^2",
                MOTOR_UNITS,
            )
        )
    found.append(_check_size("drive.following_error", drive.following_error, longest, "m", LENGTH_UNITS))
    imu = machine.sensors.imu
    if imu is not None:
        reach = MOST_OFFSET * (longest + _spread(machine.platform_joints))
        away = float(np.linalg.norm(imu.position))
        found.append(_check_size("sensors.imu.position", away, reach, "m", LENGTH_UNITS))
    return found
