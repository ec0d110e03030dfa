# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A machine file for a hexapod that has none yet: its geometry as measured, everything else guessed and marked so."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import yaml

from pkm_identification.errors import SettingsError
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray

# Farther apart than this, and nearer, in m, numbers are in another unit.
WIDEST = 50.0
NARROWEST = 1e-3
# Guesses that are marked in the file: relative to the platform's diameter and mass, to the struts' lengths at home.
THICKNESS = 0.1
STRUT_MASS = 0.25
BODY_LENGTH, BODY_RADIUS = 0.6, 0.05
OUTER = 2 / 3  # of a strut's mass, in body B
STROKE = 0.3
# Joints at the ends of the struts: what is asked for, and the line of the machine file
UNKNOWN_JOINTS = "unknown"
JOINT_TYPES = {
    "base-tangential": "base_joint: {type: universal, first_axes: tangential}",
    "base-radial": "base_joint: {type: universal, first_axes: radial}",
    "platform-tangential": "platform_joint: {type: universal, first_axes: tangential}",
    "platform-radial": "platform_joint: {type: universal, first_axes: radial}",
    "spherical": "base_joint: {type: spherical}",
    UNKNOWN_JOINTS: "# GUESSED: struts do not spin. If one end has universal joints, say so, as\n"
    "  # base_joint: {type: universal, first_axes: tangential}",
}
JOINT_PICTURE = """\
                1, 2                     3, 4                      5
platform   ---o------o---           ---+------+---           ---o------o---
               \\    /                   \\    /                   \\    /      o ball joint
                \\  /                     \\  /                     \\  /       + universal joint (cross)
base       ------++------           ------oo------           ------oo------

from above      1, 3 tangential          2, 4 radial
                          H
                centre .  +              centre .  =+=      H = hinge that is fixed to the plate
                          H
1 base-tangential   2 base-radial   3 platform-tangential   4 platform-radial   5 spherical   6 unknown
"""


@dataclass(frozen=True)
class Sketch:
    """What is known of a machine.

    Attributes
    ----------
    name : str
    base_joints, platform_joints : ndarray, shape (6, 3)
        Joint centres in the base frame and in the platform frame, m; strut i is between those in row i.
    height : float
        Of the platform frame over the base frame at home, m; negative where the platform hangs.
    mass : float
        Of the platform with what is fixed to it, kg.
    diameter, thickness : float or None
        Of a disc with the platform's inertia, m; None: guessed from the platform's joints.
    limits : tuple of two floats, or None
        Shortest and longest strut, m; None: guessed.
    strut_mass : float or None
        Of a whole strut, kg; None: guessed.
    sample_rate : float
        Of the drives' log, Hz.
    joint_type : str
        One of JOINT_TYPES.
    """

    name: str
    base_joints: FloatArray
    platform_joints: FloatArray
    height: float
    mass: float
    diameter: float | None = None
    thickness: float | None = None
    limits: tuple[float, float] | None = None
    strut_mass: float | None = None
    sample_rate: float = 1000.0
    joint_type: str = UNKNOWN_JOINTS

    @property
    def home_lengths(self) -> FloatArray:
        """Of the struts, shape (6,), m."""
        tips = self.platform_joints + np.array([0.0, 0.0, self.height])
        return np.linalg.norm(tips - self.base_joints, axis=1)


def joints_on_circle(radius: float, angles: FloatArray) -> FloatArray:
    """Six joint centres (6, 3) at these angles in deg, counted from x to y."""
    turn = np.deg2rad(angles)
    return radius * np.stack([np.cos(turn), np.sin(turn), np.zeros(STRUTS)], axis=1)


def compute_paired_angles(base: float, platform: float) -> tuple[FloatArray, FloatArray]:
    """Angles in deg of joints in pairs, of a hexapod of three-fold symmetry.

    Parameters
    ----------
    base, platform : float
        Angle between the two joints of a pair, deg. The base's pairs are at 0, 120 and 240 deg, the platform's halfway
        between them, and each strut goes from a pair to the nearest joint of the neighbouring one.
    """
    side = np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0])
    below = np.array([0.0, 0.0, 120.0, 120.0, 240.0, 240.0])
    above = below + 60.0 * side
    return below + side * base / 2, above - side * platform / 2


def refuse_unlikely(sketch: Sketch, unit: str) -> None:
    """Refuse a machine whose numbers can only be in another unit, or whose joints are one.

    Raises
    ------
    SettingsError
        If so: says what was found and what was expected.
    """
    for part, joints in (("base", sketch.base_joints), ("platform", sketch.platform_joints)):
        distance = float(np.linalg.norm(joints[:, None] - joints[None], axis=2).max())
        if not NARROWEST < distance <= WIDEST:
            measure = f"{part} joints are {distance:.4g} m apart"
            _refuse(measure, distance, unit)
    if not sketch.home_lengths.min() > NARROWEST or not sketch.home_lengths.max() <= WIDEST:
        measure = (
            f"struts are {sketch.home_lengths.min():.4g} to {sketch.home_lengths.max():.4g} m long at home"
        )
        _refuse(measure, sketch.home_lengths.max(), unit)


def _refuse(measure: str, size: float, unit: str) -> None:
    hint = ""
    if size > WIDEST and unit != "mm":
        hint = ": in mm? give --unit mm"
    if size <= NARROWEST and unit != "m" and size > 0:
        hint = ": in m? give --unit m"
    raise SettingsError(f"{measure}, expected {NARROWEST:g} to {WIDEST:g} m{hint}")


def machine_file(sketch: Sketch) -> str:
    """Return the machine file: YAML with a comment at everything that was guessed."""
    reach = float(np.linalg.norm(sketch.platform_joints, axis=1).max())
    diameter = 2 * reach if sketch.diameter is None else sketch.diameter
    thickness = THICKNESS * diameter if sketch.thickness is None else sketch.thickness
    across = sketch.mass * (3 * diameter**2 / 4 + thickness**2) / 12
    along = sketch.mass * diameter**2 / 8
    disc = f"of a disc of {diameter:.4g} m by {thickness:.4g} m with this mass"
    home = sketch.home_lengths
    limits = sketch.limits or ((1 - STROKE) * home.min(), (1 + STROKE) * home.max())
    limits_note = "" if sketch.limits else f"  # GUESSED: {100 * STROKE:.0f} % beyond the lengths at home"
    whole = STRUT_MASS * sketch.mass if sketch.strut_mass is None else sketch.strut_mass
    whole_note = "of a quarter of the platform's mass" if sketch.strut_mass is None else f"of {whole:g} kg"
    length = BODY_LENGTH * float(home.mean())
    bodies = "\n".join(
        f"  {name}: {{mass: {_number(mass)}, center_of_mass: {_number(length / 2)}, "
        f"inertia: [{_number(mass * length**2 / 12)}, {_number(mass * (BODY_RADIUS * length) ** 2 / 2)}]}}"
        for name, mass in (("body_b", OUTER * whole), ("body_e", (1 - OUTER) * whole))
    )
    return f"""\
# Written by pkm init. Lines that say GUESSED are starting points: replace what is known better, and let pkm identify
# find the rest. Masses in kg, lengths in m, inertias in kg m^2, forces in N. More: docs/machine_file.md
schema: 1
name: {format_yaml_text(sketch.name)}
geometry:
  # Joint centres in the base frame and in the platform frame, one strut a line, z up
  base_joints:
{_format_rows(sketch.base_joints)}
  platform_joints:
{_format_rows(sketch.platform_joints)}
  # Pose of the platform frame at home; struts are {home.min():.4f} to {home.max():.4f} m long there
  home: {{position: [0.0, 0.0, {_number(sketch.height)}], quaternion: [0.0, 0.0, 0.0, 1.0]}}
  length_limits: [{_number(limits[0])}, {_number(limits[1])}]{limits_note}
  # On which side the universal joints are matters for masses and moments (docs/dynamics.md)
  {JOINT_TYPES[sketch.joint_type]}
platform:
  known: {{center_of_mass: guessed, inertia: guessed}}  # take out what is known (docs/machine_file.md)
  mass: {_number(sketch.mass)}
  center_of_mass: [0.0, 0.0, 0.0]  # GUESSED: in the platform frame's origin
  # GUESSED: xx, yy, zz, xy, xz, yz {disc}
  inertia: [{_number(across)}, {_number(across)}, {_number(along)}, 0.0, 0.0, 0.0]
# GUESSED: rods {whole_note}, two thirds in body B at the base joint, the rest in body E;
# center_of_mass from the body's own joint, inertia across and along the strut about its centre of mass
strut:
  known: guessed
{bodies}
friction:
  viscous: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]  # N s/m, unknown: found by pkm identify
  coulomb: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]  # N
  transition_rate: 0.002  # m/s
drive:
  sample_rate: {_number(sketch.sample_rate)}  # Hz
  # For logs of counts and currents, also:
  # encoder: {{counts_per_meter: 800000.0, length_at_zero: [0.4, 0.4, 0.4, 0.4, 0.4, 0.4]}}
  # motor: {{torque_constant: 0.12, screw_lead: 0.005, gear_ratio: 1.0, efficiency: 0.9, force_limit: 3000.0}}
"""


def _format_rows(joints: FloatArray) -> str:
    return "\n".join(f"    - [{', '.join(_number(x) for x in joint)}]" for joint in joints)


def format_yaml_text(value: str) -> str:
    """Return a text as YAML reads it again, whatever it looks like."""
    return yaml.safe_dump(value, default_style='"', allow_unicode=True, width=math.inf).strip()


def _number(value: float) -> str:
    """Return a number as YAML reads it again, with nine digits."""
    text = f"{float(value):.9g}"
    if "e" in text:
        mantissa, _, exponent = text.partition("e")
        return f"{mantissa if '.' in mantissa else mantissa + '.0'}e{exponent}"
    return text if "." in text else text + ".0"
