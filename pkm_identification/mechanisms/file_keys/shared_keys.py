"""Keys that files of hexapods and of mechanisms have in common."""

from __future__ import annotations

from ..actuators.control_section import SPACES
from ..actuators.registry import TYPE_NAMES
from ..friction.registry import LAW_NAMES, LAWS
from .key import EXACT, TEXT, Form, Key, choice

NAME = Key("name", "of the machine, in results and messages", TEXT, required=True)
DESCRIPTION = Key("description", "where its numbers come from", TEXT)
ACTUATORS = (
    Key(
        "actuator",
        "drives with states of their own, alike in all; their keys depend on the type (docs/actuators.md)",
        keys=(Key("type", "of the drive", choice(TYPE_NAMES), required=True),),
        open=True,
    ),
    Key("actuators", "one such section for each drive", Form("list of sections", {"type": "array"})),
    Key(
        "control",
        "loops in those drives (docs/actuators.md)",
        keys=(Key("space", "what the loops act on", choice(SPACES)),),
        several=True,
        open=True,
    ),
)


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
