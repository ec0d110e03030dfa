# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Keys that files of hexapods and of mechanisms have in common."""

from __future__ import annotations

from ..friction.registry import LAW_NAMES, LAWS
from .key import EXACT, TEXT, Form, Key, choice

NAME = Key("name", "of the machine, in results and messages", TEXT, required=True)
DESCRIPTION = Key("description", "where its numbers come from", TEXT)


def friction_keys(coefficient: Form) -> tuple[Key, ...]:
    """Keys of a friction law, whichever it is: its name, its numbers and what it has one of for each drive."""
    parameters = {one.name: one for law in LAWS for one in law.parameters}
    coefficients = {one.name: one for law in LAWS for one in law.coefficients}
    return (
        Key("law", "of friction along the drives (default: coulomb)", choice(LAW_NAMES)),
        *(Key(one.name, f"{one.meaning}, {one.unit}", EXACT) for one in parameters.values()),
        *(
            Key(one.name, f"{one.name.replace('_', ' ')} coefficient of each drive, {one.unit}", coefficient)
            for one in coefficients.values()
        ),
    )
