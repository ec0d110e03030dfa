# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Keys of a mechanism's file: bodies, joints, drives and outputs, in exact numbers."""

from __future__ import annotations

from pkm_identification.declared import declarations

from ..multibody.description.measures import DIRECTIONS
from ..multibody.description.parts import ABOUT
from ..multibody.description.reader import KIND, SCHEMA
from ..multibody.description.records import JOINT_TYPES
from ..reported import describe_cylinder
from ..tolerances import OF_PRIORS, Tolerances
from .actuator_keys import drive_keys
from .key import (
    EXACT,
    FLAG,
    TEXT,
    Key,
    choice,
    either,
    exact_numbers,
    exact_pair,
    exact_pairs,
    names,
    of_names,
)
from .shared_keys import DESCRIPTION, NAME, friction_keys

_EACH = either(EXACT, exact_numbers())
_VALUES = of_names(EXACT, "numbers by name")
_FRICTION = (Key("viscous", "N s/m or N m s", EXACT), Key("coulomb", "N or N m", EXACT))
_COMBINATION = (
    Key("joint", "the coordinate of a joint", TEXT),
    Key("sum", "coordinates of joints, each times a number", _VALUES),
    Key("offset", "added to them, m or rad", EXACT),
)
_MEASURE = (
    *_COMBINATION,
    Key(
        "lever",
        "length of a triangle's third side: square + twice cos(angle)",
        keys=(
            *_COMBINATION,
            Key("square", "sum of the squares of the other sides, m^2", EXACT, True),
            Key("twice", "twice their product, with its sign, m^2", EXACT, True),
        ),
    ),
    Key("length", "distance of two points", of_names(exact_numbers(3), "two bodies, a point (m) of each")),
    Key("body", "of a position or an angle", TEXT),
    Key("position", "of a point of the body, along the ground's", either(choice(DIRECTIONS), exact_numbers(3))),
    Key("point", "in the body's frame, m (default: its origin)", exact_numbers(3)),
    Key("angle", "1, 2 or 3: which turn of the sequence", choice([1, 2, 3, "1", "2", "3"])),
    Key("sequence", "of the body's turns from the ground, as `zyx`", TEXT),
)  # fmt: skip

MECHANISM_KEYS = (
    Key("schema", "of the file", choice([SCHEMA]), required=True),
    Key("kind", "of bodies and joints (default: by the keys `bodies`, `joints`, `drives`)", choice([KIND])),
    NAME,
    DESCRIPTION,
    Key("gravity", "m/s^2 (default: 0, 0, -9.81)", exact_numbers(3)),
    Key("constants", "names for numbers, each of which may use those before it", _VALUES),
    Key(
        "bodies",
        "by name",
        required=True,
        keys=(
            Key(
                "*",
                "a rigid body",
                keys=(
                    Key("mass", "kg; or `parameters`", EXACT),
                    Key("center_of_mass", "in the body's frame, m (default: its origin)", exact_numbers(3)),
                    Key(
                        "inertia",
                        "xx, yy, zz, xy, xz, yz, kg m^2; of a planar body one number",
                        either(exact_numbers(6), exact_numbers(1)),
                    ),
                    Key("inertia_about", "what (default: center_of_mass)", choice(ABOUT)),
                    Key("planar", "moves in a plane only (default: false)", FLAG),
                    Key(
                        "parameters",
                        "mass, first moments, inertia about the frame's origin; planar: mass, mx, my, inertia",
                        either(exact_numbers(10), exact_numbers(4)),
                    ),
                ),
            ),
        ),
    ),
    Key(
        "joints",
        "by name",
        required=True,
        keys=(
            Key(
                "*",
                "between two bodies, or the ground and a body",
                keys=(
                    Key("type", "which motions it allows", choice(JOINT_TYPES), True),
                    Key("bodies", "the two; `ground` does not move", names(2), True),
                    Key("place", "in either body's frame, m (default: the origins)", exact_pair()),
                    Key(
                        "axis",
                        "of its motion, one for both bodies' frames or one in each (default: z; universal: x and y)",
                        either(exact_numbers(3), exact_pair()),
                    ),
                    Key("reference", "directions that meet at zero, in either body's frame", exact_pair()),
                    Key("friction", "of a passive joint", keys=_FRICTION),
                    Key(
                        "limits",
                        "least and greatest coordinate, m or rad; two pairs of a universal joint; one angle of a ball",
                        either(EXACT, exact_numbers(2), exact_pairs(2)),
                        null=True,
                    ),
                ),
            ),
        ),
    ),
    Key(
        "couplings",
        "what gears, belts and cables keep at zero, by name",
        keys=(
            Key(
                "*",
                "a sum of joint coordinates",
                keys=(
                    Key("sum", "joint coordinates, each times a number; m and rad may be mixed", _VALUES, True),
                    Key("offset", "added to them, m or rad (default: 0)", EXACT),
                ),
            ),
        ),
    ),
    Key(
        "drives",
        "driven coordinates by name",
        required=True,
        keys=(
            Key(
                "*",
                "a measure and what drives it",
                keys=(
                    *_MEASURE,
                    Key("force", "its name in logs (default: force_NAME)", TEXT),
                    Key("limits", "least and greatest, m or rad", exact_numbers(2), null=True),
                    Key("inertia", "of what turns with the motor, kg or kg m^2", EXACT),
                    Key("rate_limit", "what it may be asked for, m/s or rad/s", EXACT, null=True),
                    Key("force_limit", "what it may be asked for, N or N m", EXACT, null=True),
                    Key("following_error", "largest one under control, m or rad", EXACT, null=True),
                    Key("force_jump", "largest step of force from sample to sample, N or N m", EXACT, null=True),
                    Key("at_zero", "the coordinate where logs have 0, as of strokes, m or rad", EXACT, null=True),
                    Key("rated_force", "at 100 % of effort, N or N m", EXACT, null=True),
                    Key(
                        "motor",
                        "for logs of currents, % of rated torque or motor torques",
                        keys=(
                            Key("torque_constant", "N m/A", EXACT, null=True),
                            Key("rated_torque", "of the shaft at 100 % of effort, N m", EXACT, null=True),
                            Key("screw_lead", "m per turn; of drives along a length", EXACT),
                            Key("gear_ratio", "turns of the motor per turn of screw or joint (default: 1)", EXACT),
                            Key("efficiency", "of screw and gear, up to 1 (default: 1)", EXACT),
                        ),
                    ),
                    describe_cylinder(EXACT),
                ),
            ),
        ),
    ),
    Key("outputs", "of the platform, by name", keys=(Key("*", "a measure", keys=_MEASURE),)),
    Key("readings", "what else is measured, by name", keys=(Key("*", "a measure", keys=_MEASURE),)),
    Key(
        "friction",
        "of the drives; lists have a number for each",
        keys=(
            *friction_keys(exact_numbers(), _EACH),
            Key("joints", "of the passive joints", keys=(Key("transition_rate", "rate of its transition at "
            "standstill, rad/s", EXACT),)),
        ),
    ),
    Key(
        "home",
        "the pose at standstill, by outputs or by drives",
        keys=(
            Key("outputs", "values, m or rad", _VALUES),
            Key("drives", "values, m or rad", _VALUES),
            Key(
                "guess",
                "coordinates of joints near it",
                of_names(either(EXACT, exact_numbers()), "numbers or lists by joint"),
            ),
        ),
    ),
    Key(
        "motion",
        "periodic motion of the drives",
        keys=(
            Key("period", "s", EXACT, True),
            Key("samples", "in a period", EXACT, True),
            Key(
                "drives",
                "series of each",
                required=True,
                keys=(
                    Key(
                        "*",
                        "Fourier series, m or rad",
                        keys=(
                            Key("mean", "value", EXACT, True),
                            Key("cosine", "amplitudes of the harmonics", exact_numbers()),
                            Key("sine", "amplitudes of the harmonics", exact_numbers()),
                        ),
                    ),
                ),
            ),
        ),
        null=True,
    ),
    Key(
        "closed_form",
        "name of a solution that is known, and its numbers",
        of_names(EXACT, "texts or numbers"),
        null=True,
    ),
    Key("pose", "body whose pose is reported", TEXT, null=True),
    Key(
        "payload_body",
        "body that loads are fixed to (default: that of pose or outputs, else the farthest from ground)",
        TEXT,
        null=True,
    ),
    Key(
        "tolerances",
        "standard deviations of what an identification takes for known (default: 0)",
        keys=(
            Key("coordinate_offset", "of each drive's zero, m or rad", _EACH),
            Key("coordinate_scale", "of each drive's coordinate, relative", _EACH),
            Key("force_gain", "of each drive's force, relative", _EACH),
            Key("force_offset", "of each drive's force, N or N m", _EACH),
            Key("motor_inertia", "of what turns with each motor, kg or kg m^2", _EACH),
            Key("force_delay", "by which forces are late, s", EXACT),
            Key("gravity_direction", "of each of the two angles of gravity, rad", EXACT),
            Key("joint_places", "of each coordinate of each joint in its bodies, m", EXACT),
            *(
                Key(name, f"{one.help}{f', {one.unit}' if one.unit else ''}", EXACT)
                for name, one in declarations(Tolerances).items()
                if name in OF_PRIORS
            ),
            Key("numbers", "of numbers of the file by their paths, as `constants.l1`; or `+-` there", _VALUES),
        ),
    ),
    *drive_keys(turning=True),
)  # fmt: skip
