# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Keys of drives with states of their own, type by type, and of the loops in them (docs/actuators.md)."""

from __future__ import annotations

from dataclasses import replace

from ..actuators.control_section import CONTROL
from ..actuators.friction_inside import FRICTION_KEYS
from ..actuators.motor import list_motor_keys
from ..actuators.registry import TYPES
from .key import Form, Key, Schema

WITH_MOTOR = ("screw", "two_inertia")
# Units are those along a length; along an angle read rad for m and N m for N.


def actuator_types(turning: bool) -> dict[str, tuple[Key, ...]]:
    """Keys in addition to `type`, by type, of drives along lengths, or of drives that may turn."""
    return {
        name: (
            *(list_motor_keys(turning) if name in WITH_MOTOR else ()),
            *kind.KEYS,
            *FRICTION_KEYS,
        )
        for name, kind in TYPES.items()
        if turning or name != "vane"
    }


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
