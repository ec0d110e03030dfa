# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Numbers of a machine file held against the size of the machine, its masses and gravity, and units that would fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

# What a unit is in SI units, the commonest first: proposals are made in this order.
LENGTH_UNITS = {"mm": 1e-3, "cm": 1e-2}  # m
SPEED_UNITS = {"mm/s": 1e-3, "cm/s": 1e-2}  # m/s
MASS_UNITS = {"g": 1e-3, "t": 1e3}  # kg
INERTIA_UNITS = {
    "kg mm^2": 1e-6,
    "kg cm^2": 1e-4,
    "g mm^2": 1e-9,
    "g cm^2": 1e-7,
}  # kg m^2, as CAD programs print them
GRAVITY_UNITS = {"mm/s^2": 1e-3, "cm/s^2": 1e-2, "g": 9.80665}  # m/s^2
ANGLE_UNITS = {"degrees": np.pi / 180}  # rad
LEAST_GRAVITY, MOST_GRAVITY = 1.6, 25.0  # m/s^2: the Moon has 1.62, Jupiter 24.8
LEAST_GYRATION, MOST_GYRATION = 0.05, 2.0  # radius of gyration over a body's extent
MOST_DENSITY = 20_000.0  # kg/m^3: tungsten and gold have 19,300
DENSEST_SHARE = (
    0.5  # of the radius of gyration of such a ball: moments are often guessed, and a factor of 4 too small
)
MOST_OFFSET = 2.0  # distance of a centre of mass from the middle of its body's joints, in extents
LEAST_OFFSET = 0.001  # of what a body reaches: a centre of mass that is not in the frame's origin
HEAVIER = 500.0  # times all other bodies together: a mass that no radius of gyration speaks for
LONGEST_MACHINE = 20.0  # m: above this, lengths may be in mm; telescopes' hexapods have 6 m
_SHOWN = 60  # characters of a value


@dataclass(frozen=True)
class BodyNumbers:
    """What a machine file says of one body.

    Attributes
    ----------
    place : str
        Key of its section, as `bodies.rod`.
    mass : float
        kg.
    center : ndarray, shape (3,)
        Centre of mass, m.
    moment : float
        Largest principal moment of inertia about it, kg m^2; 0 or less: not stated.
    middle : ndarray, shape (3,)
        Of what is known of the body's shape, m.
    offset : float
        Largest distance of the centre of mass from there, m; infinite where no length of the machine is known.
    least_offset : float
        Distance of the centre of mass from the frame's origin, m, below which no unit is proposed.
    spans : float
        Length that the body spans for certain, m; 0 where none is known.
    reaches : float
        Length that the body spans at most, m; infinite where no length of the machine is known.
    compact : bool
        Whether a ball of tungsten has the least moment of this mass: not of a pin whose moment is about its axis.
    shown : mapping of str to object
        Values as the file has them, by key.
    bounds : str
        Where the centre of mass may be, in words behind "must be".
    """

    place: str
    mass: float
    center: FloatArray
    moment: float
    middle: FloatArray
    offset: float
    least_offset: float
    spans: float
    reaches: float
    compact: bool
    shown: dict[str, Any]
    bounds: str


def fitting_units(fits: Callable[[float], bool], units: dict[str, float]) -> tuple[str, ...]:
    """Return the units in which a value fits; `fits` is asked with each unit's size in SI units."""
    return tuple(name for name, factor in units.items() if fits(factor))


def units_within(value: float, low: float, high: float, units: dict[str, float]) -> tuple[str, ...]:
    """Return the units in which a value lies between two bounds in SI units."""
    return fitting_units(lambda factor: low <= factor * value <= high, units)


def propose_units(names: Sequence[str]) -> str:
    """Return the end of a message: '; mm?', '; mm or cm?'; nothing without names."""
    return f"; {' or '.join(names)}?" if names else ""


def show_value(value: Any, quoted: bool = False) -> str:
    """Return a value of a file as text of at most 60 characters: lists without the quotes of numbers kept as text."""
    text = repr(value) if isinstance(value, str) and quoted else str(value).replace("'", "")
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def format_gravity_complaint(gravity: FloatArray, shown: Any) -> str:
    """Return what is wrong with gravity (3,), m/s^2; empty if it is a planet's, a moon's, or none."""
    size = float(np.linalg.norm(gravity))

    def fits(factor: float) -> bool:
        return LEAST_GRAVITY <= factor * size <= MOST_GRAVITY

    if size == 0 or fits(1.0):
        return ""
    return (
        f"gravity = {show_value(shown)}: its size is {size:g}; it must be 0, or between {LEAST_GRAVITY:g} (the Moon) "
        f"and {MOST_GRAVITY:g} m/s^2 (Jupiter){propose_units(fitting_units(fits, GRAVITY_UNITS))}"
    )


def format_body_complaints(bodies: Sequence[BodyNumbers], lengths: str) -> list[str]:
    """Return what is impossible about centres of mass, moments of inertia and masses.

    Parameters
    ----------
    bodies : sequence of BodyNumbers
    lengths : str
        Key of the file's lengths, for a message where all of them seem to be in mm.
    """
    found = []
    total = sum(body.mass for body in bodies)
    for body in bodies:
        found.append(_center_complaint(body))
        found.append(_check_gyration(body, lengths) or _check_mass(body, total - body.mass))
    # struts that are alike are said once
    return list(dict.fromkeys(one for one in found if one))


def _center_complaint(body: BodyNumbers) -> str:
    def fits(factor: float) -> bool:
        return bool(np.linalg.norm(factor * body.center - body.middle) <= body.offset * (1 + 1e-9))

    if fits(1.0):
        return ""
    # a conversion that leaves next to nothing explains nothing
    far = float(np.linalg.norm(body.center))
    units = fitting_units(lambda factor: fits(factor) and factor * far >= body.least_offset, LENGTH_UNITS)
    return f"{_name_key(body, 'center_of_mass')}: must be {body.bounds}{propose_units(units)}"


def _name_key(body: BodyNumbers, key: str) -> str:
    """Return a key of a body with its value, as the file has it: 'bodies.rod.mass = 300'; or its ten parameters."""
    key = key if key in body.shown or "parameters" not in body.shown else "parameters"
    return f"{body.place}.{key} = {show_value(body.shown.get(key, 'default'))}"


def compute_smallest_radius(mass: float) -> float:
    """Return the radius of gyration in m of the smallest body of a mass in kg: a ball of tungsten."""
    return float(np.sqrt(0.4) * (3 * mass / (4 * np.pi * MOST_DENSITY)) ** (1 / 3))


def _compute_least_radius(body: BodyNumbers, mass: float) -> float:
    dense = DENSEST_SHARE * compute_smallest_radius(mass) if body.compact else 0.0
    return max(LEAST_GYRATION * body.spans, dense)


def gyration_bounds(body: BodyNumbers) -> tuple[float, float]:
    """Return the radius of gyration of a body, m, and the nearest that one of its size and mass can have.

    Both are the same where it is possible, or where the file states no mass or moment.
    """
    if body.mass <= 0 or body.moment <= 0:
        return 0.0, 0.0
    radius = float(np.sqrt(body.moment / body.mass))
    low, high = _compute_least_radius(body, body.mass), MOST_GYRATION * body.reaches
    if low * (1 - 1e-9) <= radius <= high * (1 + 1e-9):
        return radius, radius
    return radius, min(max(radius, low), high)


def _check_gyration(body: BodyNumbers, lengths: str) -> str:
    """Return what is wrong with the radius of gyration: sqrt(largest moment / mass)."""
    radius, nearest = gyration_bounds(body)
    if radius == nearest:
        return ""
    low, high = _compute_least_radius(body, body.mass), MOST_GYRATION * body.reaches

    def mass_fits(factor: float) -> bool:
        mass = factor * body.mass
        return _compute_least_radius(body, mass) <= radius / np.sqrt(factor) <= high

    def moment_fits(factor: float) -> bool:
        return low <= radius * np.sqrt(factor) <= high

    inertia, mass = fitting_units(moment_fits, INERTIA_UNITS), fitting_units(mass_fits, MASS_UNITS)
    allowed = f"{low:.3g} to {high:.3g} m" if high < np.inf else f"at least {low:.3g} m"
    inertia_key, mass_key = _name_key(body, "inertia"), _name_key(body, "mass")
    told = f"the radius of gyration is {radius:.3g} m; a body of this size and mass has {allowed}"
    if body.spans > LONGEST_MACHINE and LEAST_GYRATION * body.spans * 1e-3 <= radius < low:
        return f"{inertia_key}: {told}; lengths of {lengths} in mm?"
    if radius < low and mass:
        return f"{mass_key}: with its inertia, {told}{propose_units(mass)}"
    if radius < low:
        both = _compute_least_radius(body, MASS_UNITS["g"] * body.mass) <= radius
        return f"{inertia_key}: {told}{'; with the mass in g and this in g m^2?' if both else ''}"
    also = f", or {body.place}.mass in {mass[0]}?" if mass and "mass" in body.shown else ""
    return f"{inertia_key}: {told}{propose_units(inertia)}{also}"


def _check_mass(body: BodyNumbers, others: float) -> str:
    """Return what is wrong with a mass whose moments are not stated: heavier than its size, or than all the others."""
    sphere = MOST_DENSITY * np.pi / 6 * (2 * body.reaches) ** 3 if body.reaches < np.inf else np.inf
    if body.mass <= sphere and (body.moment > 0 or not 0 < others * HEAVIER < body.mass):
        return ""

    def fits(factor: float) -> bool:
        return factor * body.mass <= min(sphere, HEAVIER * others if others > 0 else np.inf)

    units = fitting_units(fits, MASS_UNITS)
    if not units:
        return ""
    what = (
        f"all other bodies together have {others:.3g} kg"
        if body.mass <= sphere
        else f"at most {sphere:.3g} kg fit"
    )
    return f"{_name_key(body, 'mass')}: {what}{propose_units(units)}"
