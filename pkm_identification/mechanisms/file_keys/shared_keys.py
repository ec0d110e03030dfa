# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Keys that files of hexapods and of mechanisms have in common, and JSON Schema of how well numbers are known."""

from __future__ import annotations

from ..friction.registry import LAW_NAMES, LAWS
from ..known_statements import KEY, WORDS
from .key import EXACT, TEXT, Form, Key, Schema, choice

NAME = Key("name", "of the machine, in results and messages", TEXT, required=True)
DESCRIPTION = Key("description", "where its numbers come from", TEXT)


def friction_keys(coefficient: Form, number: Form = EXACT) -> tuple[Key, ...]:
    """Keys of a friction law, whichever it is: its name, its numbers and what it has one of for each drive."""
    parameters = {one.name: one for law in LAWS for one in law.parameters}
    coefficients = {one.name: one for law in LAWS for one in law.coefficients}
    return (
        Key("law", "of friction along the drives (default: coulomb)", choice(LAW_NAMES)),
        *(Key(one.name, f"{one.meaning}, {one.unit}", number) for one in parameters.values()),
        *(
            Key(one.name, f"{one.name.replace('_', ' ')} coefficient of each drive, {one.unit}", coefficient)
            for one in coefficients.values()
        ),
    )


_WIDTH = r"^\s*[0-9.][0-9.eE+-]*\s*%?\s*$"
_NUMBER_WITH_WIDTH = r"\S\s+(\+-|±)\s+[0-9.][0-9.eE+-]*\s*%?\s*$"
_STATEMENT = {
    "anyOf": [
        {"enum": list(WORDS)},
        {"type": "number", "exclusiveMinimum": 0},
        {"type": "string", "pattern": _WIDTH},
    ]
}
DEFINITIONS: Schema = {
    KEY: {
        "description": "how well the numbers here are known (docs/machine_file.md): of all, or of each key",
        "anyOf": [
            _STATEMENT,
            {"type": "object", "additionalProperties": {"$ref": f"#/$defs/{KEY}"}},
            {"type": "array", "items": {"anyOf": [{"$ref": f"#/$defs/{KEY}"}, {"type": "null"}]}},
        ],
    },
    "number_with_width": {"type": "string", "pattern": _NUMBER_WITH_WIDTH},
}
_TEXT = {"type": "string"}


def allow_known(schema: Schema) -> Schema:
    """Return a schema whose sections may have the key `known`, and whose numbers a width, `3.2 +- 0.1`."""
    if schema.get("type") == "number":
        return {"anyOf": [schema, {"$ref": "#/$defs/number_with_width"}]}
    allowed = dict(schema)
    if _TEXT not in schema.get("anyOf", ()):  # numbers that may be text have a width already
        for key in {"anyOf", "allOf"} & schema.keys():
            allowed[key] = [allow_known(one) for one in schema[key]]
    for key in {"items", "then"} & schema.keys():
        allowed[key] = allow_known(schema[key])
    if schema.get("type") == "object":
        sections = {
            key: allow_known(one) for key, one in schema.get("properties", {}).items() if one is not True
        }
        allowed["properties"] = {
            **schema.get("properties", {}), **sections, KEY: {"$ref": f"#/$defs/{KEY}"}
        }  # fmt: skip
        if isinstance(schema.get("additionalProperties"), dict):
            allowed["additionalProperties"] = allow_known(schema["additionalProperties"])
    return allowed
