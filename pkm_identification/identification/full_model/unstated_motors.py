# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motors of which a file says nothing: small as far as is usual, and as large as the data have them.

A rotor behind a screw or a gear of a high ratio resists like many times the mass that it moves. That contradicts no
file that says nothing of it, and with a width far below its size it would move masses and moments.
"""

from __future__ import annotations

from collections.abc import Mapping

from pkm_identification.document import format_key
from pkm_identification.estimation.posterior.mode import Mode
from pkm_identification.estimation.posterior.thresholds import LIKELY
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.knowledge import KnownNumber
from pkm_identification.machines.knowledge.drives import MOTORS
from pkm_identification.machines.knowledge.records import DEFAULT

from .unknowns import FileModel

ANY = 100.0  # usual widths where forces may be others than those recorded: large motors are not known yet
GROWN = 1.1  # times its width: a motor that comes out larger was held back by it


def find_unstated_motors(machine: Machine) -> dict[str, KnownNumber]:
    """Return what is known of motors without a number in the file, by the names of their basis entries."""
    names = {entry.limb: entry.name for entry in machine.basis if entry.symbol in MOTORS}
    return {
        names[one.drives[0]]: one
        for one in machine.knowledge.of_kind("motor_inertia")
        if one.how == DEFAULT and one.value == 0.0 and one.drives[0] in names
    }


def widen_motors(machine: Machine, model: FileModel, mode: Mode) -> dict[str, float]:
    """Return how many usual widths large motors are, by the names of their basis entries: none has less than 0."""
    unstated = find_unstated_motors(machine)
    sizes = {
        one.name: float(value) * one.widened
        for one, value in zip(model.unknowns, mode.unknowns, strict=True)
        if one.name in unstated
    }
    return {name: size for name, size in sizes.items() if size > LIKELY}


def allow_any_motors(machine: Machine) -> dict[str, float]:
    """Return usual widths, as of `widen_motors`, by which motors without a number in the file may be of any size."""
    return dict.fromkeys(find_unstated_motors(machine), ANY)


def is_growing(before: Mapping[str, float], after: Mapping[str, float]) -> bool:
    """Return whether motors come out larger than the widths that they were given, as shared with what is known less."""
    return any(size > GROWN * before.get(name, 1.0) for name, size in after.items())


def describe_large_motors(machine: Machine, model: FileModel, mode: Mode, large: Mapping[str, float]) -> str:
    """Return how large the motors without a number in the file are; empty without large ones."""
    numbers = find_unstated_motors(machine)
    sizes = {
        one.name: float(value) * one.width
        for one, value in zip(model.unknowns, mode.unknowns, strict=True)
        if one.name in large
    }
    if not sizes:
        return ""
    drives = ", ".join(machine.drives[numbers[name].drives[0]].label for name in sizes)
    keys = ", ".join(dict.fromkeys(format_key(numbers[name].key) for name in sizes))
    least, most = (f"{of(sizes.values()):.3g}" for of in (min, max))
    size = least if least == most else f"{least} to {most}"
    units = "/".join(dict.fromkeys(numbers[name].unit for name in sizes))
    return (
        f"The file states no inertia of the motors of drives {drives}, estimated as {size} {units}: state {keys} to "
        "narrow the values that depend on it."
    )
