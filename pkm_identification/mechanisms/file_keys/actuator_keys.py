# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Keys of drives with states of their own, type by type, and of the loops in them (docs/actuators.md)."""

from __future__ import annotations

from dataclasses import replace

from ..actuators.control_section import SPACES
from ..actuators.loops import MOST_CYCLES_LATE, SPEED_SENSORS
from ..actuators.registry import TYPE_NAMES
from ..actuators.row import TABLE
from ..actuators.two_inertia import ENCODERS, SIDES
from .key import NOT_NEGATIVE, NUMBER, POSITIVE, Form, Key, Schema, choice

# Units are those along a length; along an angle read rad for m and N m for N.
FRICTION = (
    Key("viscous", "friction inside the actuator, N s/m", NOT_NEGATIVE),
    Key("coulomb", "friction inside the actuator, N", NOT_NEGATIVE),
    Key("transition_rate", "rate at which its Coulomb friction is whole, m/s", POSITIVE),
)
MOTOR_FRICTION = (
    Key("viscous", "at the motor's shaft, N m s/rad", NOT_NEGATIVE),
    Key("coulomb", "at the motor's shaft, N m", NOT_NEGATIVE),
    Key("transition_rate", "rate at which its Coulomb friction is whole, rad/s", POSITIVE),
)
FORCE_LIMIT = Key("force_limit", "largest force, N", POSITIVE)
MOTOR = (
    Key("torque_constant", "of the motor, N m/A", POSITIVE, required=True),
    Key("back_emf", "of the motor, V s/rad (default: as its torque constant, by energy)", POSITIVE),
    Key("gear_ratio", "motor turns for each turn of the screw, 1 (default: 1)", POSITIVE),
    Key("current_limit", "peak current, A", POSITIVE, required=True),
    Key(
        "winding",
        "of the motor; without it the current is the command",
        keys=(
            Key("resistance", "of the winding, ohm", POSITIVE, required=True),
            Key("inductance", "of the winding, H", POSITIVE, required=True),
            Key("voltage_limit", "of the amplifier, V", POSITIVE, required=True),
            Key(
                "current_bandwidth",
                "of the amplifier's loop, Hz; without it the voltage is the command",
                POSITIVE,
            ),
        ),
    ),
)
SERVO = (
    Key("gain", "of the drive's own position controller, A/V; without it the current is the command", NUMBER),
    Key("current_limit", "largest valve current, A", POSITIVE, required=True),
    Key(
        "sensor",
        "whose voltage `gain` acts on",
        keys=(
            Key("gain", "of the sensor, V/m, with the sign of the controller's", NUMBER, required=True),
            Key("delay", "of the voltage, s", NOT_NEGATIVE),
            Key("zero", "m, where its voltage is zero", NUMBER),
        ),
    ),
    Key(
        "no_load",
        "valve opening and speed without load, A and m/s, openings rising",
        Form(
            f"2 to {TABLE} pairs of numbers",
            {
                "type": "array",
                "items": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
                "minItems": 2,
                "maxItems": TABLE,
            },
        ),
        required=True,
    ),
    Key("oil_compliance", "of the oil in both chambers, m/N", POSITIVE, required=True),
    Key("hydraulic_compliance", "leakage, m/(N s)", NOT_NEGATIVE),
)
VALVE = Key(
    "valve",
    "of second order",
    required=True,
    keys=(
        Key("natural_frequency", "of the valve, rad/s", POSITIVE, required=True),
        Key("damping", "ratio of the valve, 1", POSITIVE, required=True),
        Key("delay", "of the valve, s", NOT_NEGATIVE),
    ),
)
VALVE_OF_DELAY = Key(
    "valve",
    "a delay alone",
    required=True,
    keys=(Key("delay", "of the valve, s", NOT_NEGATIVE, required=True),),
)


def actuator_types(turning: bool) -> dict[str, tuple[Key, ...]]:
    """Keys in addition to `type`, by type, of drives along lengths, or of drives that may turn."""
    lead = Key("lead", "of the screw, m a turn; none of a drive that turns", POSITIVE, required=not turning)
    screw = (
        Key("inertia", "of rotor, brake, coupling and, over gear_ratio^2, the screw, kg m^2", NOT_NEGATIVE),
        Key("efficiency", "of power to the load, 1", Form("number > 0, at most 1", _SHARE)),
        Key("back_efficiency", "of power from the load, 1", Form("number > 0, at most 1", _SHARE)),
    )
    two_inertia = (
        Key("motor_inertia", "of the motor, kg m^2", POSITIVE, required=True),
        Key("load_inertia", "of the load, at the motor's shaft, kg m^2", NOT_NEGATIVE),
        Key("stiffness", "between both, at the motor's shaft, N m/rad", POSITIVE, required=True),
        Key("damping", "between both, at the motor's shaft, N m s/rad", NOT_NEGATIVE),
        Key("motor_friction", "of the motor", keys=MOTOR_FRICTION),
        Key("encoder", "which side its encoder is on (default: motor)", choice(ENCODERS)),
        Key("cascade", "of both encoders, the one that loops act on (default: motor)", choice(SIDES)),
    )
    types = {
        "ideal": (FORCE_LIMIT,),
        "first_order": (Key("time_constant", "of the force, s", POSITIVE, required=True), FORCE_LIMIT),
        "screw": (*MOTOR, lead, *screw),
        "two_inertia": (*MOTOR, lead, *two_inertia),
        "hydraulic": (*SERVO, VALVE),
        "hydraulic_reduced": (*SERVO, VALVE_OF_DELAY),
        "vane": (*SERVO, VALVE),
    }
    allowed = [name for name in TYPE_NAMES if turning or name != "vane"]
    return {name: (*types[name], *FRICTION) for name in allowed}


_SHARE = {"type": "number", "exclusiveMinimum": 0, "maximum": 1}
_GAIN = Key("gain", "A s/rad; V/A of the current loop", POSITIVE, required=True)
_OF_EACH_LOOP = (
    Key("period", "s, a multiple of that of the loop inside", POSITIVE, required=True),
    Key("limit", "of what the loop gives out", POSITIVE, null=True),
)
_INTEGRAL = Key("integral", "gain of the integral: of `gain`, a second", NOT_NEGATIVE)
_RATE = Key("rate_feed_forward", "1; A s/rad of the velocity loop", NOT_NEGATIVE)
CONTROL = Key(
    "control",
    "loops in those drives, or a law for all of them (docs/actuators.md)",
    keys=(
        Key("space", "what the loops act on (default: drives)", choice(SPACES)),
        Key(
            "position",
            "proportional",
            keys=(
                Key("gain", "1/s, of the motor's angle where there is a motor", NUMBER, required=True),
                *_OF_EACH_LOOP,
                _RATE,
                Key(
                    "cycles_late",
                    f"periods a command takes to the drive, at most {MOST_CYCLES_LATE}",
                    Form("whole number", {"type": "integer", "minimum": 0, "maximum": MOST_CYCLES_LATE}),
                ),
            ),
        ),
        Key(
            "velocity",
            "proportional and integral",
            keys=(
                _GAIN,
                _INTEGRAL,
                *_OF_EACH_LOOP,
                _RATE,
                Key("acceleration_feed_forward", "A s^2/rad", NOT_NEGATIVE),
                Key(
                    "speed_sensor",
                    "what the loop gets (default: encoder, its difference)",
                    choice(SPEED_SENSORS),
                ),
            ),
        ),
        Key("current", "proportional and integral", keys=(_GAIN, _INTEGRAL, *_OF_EACH_LOOP)),
        Key(
            "computed_torque",
            "in place of the loops, for drives that take forces",
            keys=(
                Key("position_gain", "of the error, 1/s^2", POSITIVE, required=True),
                Key("rate_gain", "of its rate, 1/s", POSITIVE, required=True),
                Key("period", "of the law, s", POSITIVE, required=True),
            ),
        ),
    ),
    several=True,
    null=True,
)


def with_expressions(key: Key) -> Key:
    """The key as it is where numbers may be expressions of a description's constants."""
    if key.form is None:
        kinds = {name: tuple(map(with_expressions, keys)) for name, keys in key.kinds.items()}
        return replace(key, keys=tuple(map(with_expressions, key.keys)), kinds=kinds)
    if "enum" in key.form.schema:
        return key
    return replace(key, form=Form(f"{key.form.words}, or expression", _allow_text(key.form.schema)))


def _allow_text(schema: Schema) -> Schema:
    if schema["type"] == "array":
        return schema | {"items": _allow_text(schema["items"])}
    return {"anyOf": [schema, {"type": "string"}]}


def drive_keys(turning: bool = False) -> tuple[Key, ...]:
    """`actuator`, `actuators` and `control` of a hexapod's file, or of a mechanism's, whose drives may turn."""
    of_one = Key(
        "actuator",
        "drives with internal states, the same model for all",
        kinds=actuator_types(turning),
        null=True,
    )
    of_several = Form(
        "list of sections", {"type": "array", "items": {"$ref": "#/properties/actuator/anyOf/0"}}
    )
    several = Key("actuators", "one section as `actuator` for each drive", of_several, null=True)
    if turning:
        return with_expressions(of_one), several, with_expressions(CONTROL)
    return of_one, several, CONTROL
