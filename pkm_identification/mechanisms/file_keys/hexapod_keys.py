# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Keys of a hexapod's machine file."""

from __future__ import annotations

from pkm_identification.declared import declarations
from pkm_identification.motion import STRUTS

from ..builtin import HEXAPOD
from ..hexapod.drive import DRIVE, OF_EACH
from ..hexapod.joint_friction import COEFFICIENTS, ENDS
from ..hexapod.joints import BASE_JOINTS, DIRECTIONS, PLATFORM_JOINTS
from ..hexapod.machine import SCHEMA
from ..hexapod.sensors import SENSORS
from ..tolerances import Tolerances
from .actuator_keys import drive_keys
from .key import (
    NOT_NEGATIVE,
    NUMBER,
    POSITIVE,
    Key,
    at_most,
    choice,
    either,
    names,
    numbers,
    rows,
)
from .shared_keys import DESCRIPTION, NAME, friction_keys

_EACH_NOT_NEGATIVE = either(NOT_NEGATIVE, numbers(STRUTS, not_negative=True))
_ANGLE = either(POSITIVE, numbers(2))


def _describe_joint(end: str, kinds: tuple[str, ...]) -> Key:
    return Key(
        f"{end}_joint",
        f"kind of the joints at the {end}",
        keys=(
            Key(
                "type",
                "which turns they allow",
                choice(kinds),
                True,
            ),
            Key(
                "first_axis",
                "of a universal joint: the hinge that is fixed, one direction for all",
                numbers(3),
            ),
            Key(
                "first_axes",
                "six directions, or which way they point from the middle",
                either(rows(STRUTS, 3), choice(DIRECTIONS)),
                null=True,
            ),
            Key(
                "angle_limits",
                "how far the joints turn from home, rad; a pair is lowest and highest",
                keys=(
                    Key("first", "of a universal joint, about the fixed hinge", _ANGLE, null=True),
                    Key("second", "of a universal joint, about the other hinge", _ANGLE, null=True),
                    Key("swing", "of a spherical joint, any way", POSITIVE),
                ),
                null=True,
            ),
        ),
    )


def _describe_body(name: str, about: str, places: str) -> Key:
    return Key(
        name,
        about,
        required=True,
        keys=(
            Key("mass", "kg", POSITIVE, True),
            Key("center_of_mass", f"m, {places}", NUMBER, True),
            Key(
                "inertia",
                "transverse and axial, about the centre of mass, kg m^2",
                numbers(2, not_negative=True),
                True,
            ),
        ),
    )


_STRUT = (
    _describe_body("body_b", "what stays at the base joint", "from the base joint"),
    _describe_body("body_e", "what extends with the platform joint", "back from the platform joint"),
)

HEXAPOD_KEYS = (
    Key("schema", "of the file", choice([SCHEMA]), required=True),
    Key("kind", "of six struts (default: by the keys `geometry`, `platform`, `strut`)", choice([HEXAPOD])),
    NAME,
    DESCRIPTION,
    Key("gravity", "in base axes, m/s^2 (default: 0, 0, -9.81)", numbers(3)),
    Key(
        "geometry",
        "joints, home and limits",
        required=True,
        keys=(
            Key("base_joints", "centres in the base frame, m, struts 1 to 6", rows(STRUTS, 3), True),
            Key("platform_joints", "centres in the platform frame, m", rows(STRUTS, 3), True),
            _describe_joint("base", BASE_JOINTS),
            _describe_joint("platform", PLATFORM_JOINTS),
            Key(
                "home",
                "pose of the platform frame in the base frame",
                required=True,
                keys=(
                    Key("position", "m", numbers(3), True),
                    Key("quaternion", "x, y, z, w (default: none turned)", numbers(4)),
                ),
            ),
            Key("length_limits", "shortest and longest strut, m", numbers(2), True),
            Key("rate_limit", "largest strut rate, m/s", POSITIVE, null=True),
        ),
    ),
    Key(
        "platform",
        "the moving body",
        required=True,
        keys=(
            Key("mass", "kg", POSITIVE, True),
            Key("center_of_mass", "in the platform frame, m (default: its origin)", numbers(3)),
            Key(
                "inertia",
                "about the centre of mass, kg m^2: xx, yy, zz, or xx, yy, zz, xy, xz, yz",
                either(numbers(3), numbers(6)),
                True,
            ),
        ),
    ),
    Key("strut", "bodies of every strut; or `struts`", keys=_STRUT),
    Key("struts", "bodies of struts 1 to 6, a list of six such sections", keys=_STRUT, several=True),
    Key(
        "friction",
        "along the struts and in the joints; one number for six equal struts",
        keys=(
            *friction_keys(OF_EACH),
            Key(
                "joints",
                "friction of the joints (default: none)",
                keys=(
                    Key("transition_rate", "rate of its transition at standstill, rad/s", POSITIVE),
                    *(
                        Key(
                            end,
                            f"joints of the {end}",
                            keys=tuple(
                                Key(name, unit, _EACH_NOT_NEGATIVE)
                                for name, unit in zip(COEFFICIENTS, ("N m", "N m s"), strict=True)
                            ),
                        )
                        for end in ENDS
                    ),
                ),
                null=True,
            ),
        ),
    ),
    DRIVE,
    SENSORS,
    Key(
        "tolerances",
        "standard deviations of what an identification takes for known (default: 0)",
        keys=tuple(
            Key(name, f"{one.help}{f', {one.unit}' if one.unit else ''}", at_most(one.high or 0.0))
            for name, one in declarations(Tolerances).items()
        ),
    ),
    Key(
        "joint_names",
        "what drivers call struts 1 to 6, in messages and columns (default: strut_1 to strut_6)",
        names(STRUTS),
        null=True,
    ),
    *drive_keys(),
)
