# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A mechanism as tables: bodies, joints, drives, what its loops leave of its freedom; how well forces are predicted."""

from __future__ import annotations

from typing import Any

import numpy as np

from pkm_identification.document import format_key
from pkm_identification.machines.knowledge import Knowledge, KnownNumber
from pkm_identification.mechanisms.multibody.description.records import Measure
from pkm_identification.mechanisms.multibody.kinematics import read
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.mechanisms.multibody.structure.assembly import farthest

from .listing import ABSENT, Listing, number

SHOWN = 9  # digits of coordinates at home
ROUNDING = 1e-14
_OF_BODIES = ("mass", "center_of_mass", "moment", "product")


def format_mechanism_text(mechanism: Mechanism) -> str:
    """Everything for a terminal."""
    redundant = mechanism.redundant_constraints
    summary = (
        f"{mechanism.name}: {len(mechanism.description.bodies)} moving bodies, "
        f"{len(mechanism.description.joints)} joints, {_count(mechanism.loops, 'loop')}, "
        f"{_count(mechanism.degrees_of_freedom, 'degree')} of freedom"
    )
    if mechanism.description.description:
        summary += f"\n{mechanism.description.description}"
    if redundant:
        summary += f"\nRedundant constraints: {'; '.join(redundant)}"
    for coupling in mechanism.description.couplings:
        summary += f"\nCoupling {coupling.name}: 0 = {format_sum(coupling)}"
    # a hexapod's file states a pose, of which there is one
    if mechanism.loops and "kind" in mechanism.description.document:
        summary += f"\n{format_assembly_sentence(mechanism)}"
    tables = (
        build_bodies_table(mechanism),
        build_joints_table(mechanism),
        build_drives_table(mechanism),
        build_outputs_table(mechanism),
    )
    return "\n\n".join([summary, *map(str, tables)])


def format_sum(measure: Measure) -> str:
    """Return a combination of joint coordinates as text."""
    terms = [(FLOAT64.number(factor), joint) for joint, factor in measure.joints.items()]
    terms += [(FLOAT64.number(measure.offset), "")] if measure.offset else []
    parts = []
    for factor, joint in terms:
        size = "" if joint and abs(factor) == 1 else f"{abs(factor):.6g} "
        parts.append(f"{'-' if factor < 0 else '+'} {size}{joint}".rstrip())
    return " ".join(parts).removeprefix("+ ")


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def at_home(value: float) -> str:
    """Return a coordinate, with zero for what closing the loops left of it."""
    return number(float(value) if abs(value) > ROUNDING else 0.0, SHOWN)


def build_bodies_table(mechanism: Mechanism) -> Listing:
    """Return names and masses."""
    rows = [
        (body.name, number(float(row[0])), "planar" if body.planar else "spatial")
        for body, row in zip(mechanism.description.bodies, mechanism.parameters, strict=True)
    ]
    return Listing(("body", "mass kg", "moves"), tuple(rows), frozenset({"mass kg"}))


def format_assembly_sentence(mechanism: Mechanism) -> str:
    """Return in which of its assembly modes the mechanism is: how far home is from the file's guess."""
    far = farthest(mechanism.guess_distances)
    if far is None:
        return "Assembly mode: the file guesses no joint; loops are closed from zero (home.guess chooses a mode)."
    size = f"{far.apart:.3g} {far.unit}"
    if far.unit == "rad":
        size += f" ({np.degrees(far.apart):.3g} deg)"
    if far.is_far:
        return (
            f"Assembly mode: FAR from home.guess: joint '{far.joint}' is {size} away from its guess. No mode nearer "
            "to the guess was found: compare the joints at home with the drawing, and correct home.guess."
        )
    return f"Assembly mode: the one of home.guess; farthest from it is joint '{far.joint}', {size} away."


def build_joints_table(mechanism: Mechanism) -> Listing:
    """Return names, types, bodies, which of them close loops, and where they are at home and were guessed."""
    at_home_of = mechanism.joints_at_home
    guess = mechanism.description.home.guess
    cut = {joint.name for joint in mechanism.tree.cut}
    driven = {joint for drive in mechanism.description.drives for joint in drive.measure.joints}
    rows = [
        (
            joint.name,
            joint.type,
            " - ".join(joint.bodies),
            "closes a loop" if joint.name in cut else ("driven" if joint.name in driven else ABSENT),
            _format_coordinates(at_home_of.get(joint.name)),
            _format_coordinates(FLOAT64.array(guess[joint.name]) if joint.name in guess else None),
        )
        for joint in mechanism.description.joints
    ]
    return Listing(("joint", "type", "bodies", "role", "at home", "guess"), tuple(rows))


def _format_coordinates(values: Any) -> str:
    return ABSENT if values is None else ", ".join(at_home(round(float(value), 6)) for value in values)


def build_drives_table(mechanism: Mechanism) -> Listing:
    """Driven coordinates with their forces, limits and values at home."""
    home = read(mechanism, "drives", mechanism.home)[0]
    rows = []
    for drive, value in zip(mechanism.description.drives, home, strict=True):
        limits = ABSENT
        if drive.limits is not None:
            limits = " to ".join(number(FLOAT64.number(limit)) for limit in drive.limits)
        rows.append((drive.name, drive.force, drive.measure.unit, at_home(value), limits))
    return Listing(("drive", "force", "unit", "at home", "limits"), tuple(rows), frozenset({"at home"}))


def build_outputs_table(mechanism: Mechanism) -> Listing:
    """Outputs and readings with their values at home."""
    rows = []
    for part, measures in (
        ("outputs", mechanism.description.outputs),
        ("readings", mechanism.description.readings),
    ):
        values = read(mechanism, part, mechanism.home)[0]
        rows += [
            (measure.name, part[:-1], measure.unit, at_home(value))
            for measure, value in zip(measures, values, strict=True)
        ]
    return Listing(("name", "what", "unit", "at home"), tuple(rows), frozenset({"at home"}))


def build_knowledge_table(knowledge: Knowledge) -> Listing:
    """Return how well each number of a machine file is known; what is known alike of many stands in one row."""
    groups: dict[tuple, list[KnownNumber]] = {}
    for one in knowledge:
        alike = (one.key,) if one.kind in _OF_BODIES else (one.kind, one.how, one.width)
        groups.setdefault(alike, []).append(one)
    rows = []
    for group in groups.values():
        one, more = group[0], len(group) - 1
        width = (
            _format_percent(one.log_width)
            if one.log_width is not None
            else f"{number(one.width)} {one.unit}".strip()
        )
        value = ABSENT if more else number(one.value)
        rows.append(
            (
                f"{format_key(one.key)}{f' and {more} more' if more else ''}",
                one.unit or ABSENT,
                value,
                width,
                one.how,
            )
        )
    rows += [
        (
            f"{format_key(group.key)} ({group.bodies[0]} to {group.bodies[-1]})",
            ABSENT,
            ABSENT,
            _format_percent(group.width),
            group.how,
        )
        for group in knowledge.alike
    ]
    return Listing(("key", "unit", "value", "known to", "how"), tuple(rows), frozenset({"value"}))


def _format_percent(share: float) -> str:
    return f"{100.0 * share:.3g} %"


def build_knowledge_document(knowledge: Knowledge) -> dict[str, Any]:
    """Return how well each number of a machine file is known, for JSON."""
    numbers = [
        {
            "key": one.key, "kind": one.kind, "value": one.value, "width": one.width, "unit": one.unit,
            "how": one.how, "log_width": one.log_width,
        }
        for one in knowledge
    ]  # fmt: skip
    alike = [{"bodies": list(one.bodies), "width": one.width, "how": one.how} for one in knowledge.alike]
    return {"numbers": numbers, "alike": alike}


def build_mechanism_document(mechanism: Mechanism) -> dict[str, Any]:
    """Return the same for programs."""
    cut = [joint.name for joint in mechanism.tree.cut]
    at_home_of, far = mechanism.joints_at_home, farthest(mechanism.guess_distances)
    home = {
        part: [float(value) for value in read(mechanism, part, mechanism.home)[0]]
        for part in ("drives", "outputs", "readings")
    }
    return {
        "schema": 1,
        "mechanism": mechanism.name,
        "bodies": [
            {"name": body.name, "mass": float(row[0]), "planar": body.planar}
            for body, row in zip(mechanism.description.bodies, mechanism.parameters, strict=True)
        ],
        "joints": [
            {
                "name": joint.name,
                "type": joint.type,
                "bodies": list(joint.bodies),
                "closes_loop": joint.name in cut,
                "home": [float(value) for value in at_home_of.get(joint.name, ())],
            }
            for joint in mechanism.description.joints
        ],
        "loops": mechanism.loops,
        "degrees_of_freedom": mechanism.degrees_of_freedom,
        "couplings": [
            {
                "name": one.name,
                "sum": {joint: float(FLOAT64.number(factor)) for joint, factor in one.joints.items()},
                "offset": float(FLOAT64.number(one.offset)),
            }
            for one in mechanism.description.couplings
        ],
        "redundant_constraints": list(mechanism.redundant_constraints),
        "assembly": None
        if far is None
        else {"farthest": far.joint, "from_guess": far.apart, "unit": far.unit, "far": far.is_far},
        "drives": [
            {"name": drive.name, "force": drive.force, "unit": drive.measure.unit, "home": value}
            for drive, value in zip(mechanism.description.drives, home["drives"], strict=True)
        ],
        "outputs": [
            {"name": measure.name, "unit": measure.unit, "home": value}
            for measure, value in zip(mechanism.description.outputs, home["outputs"], strict=True)
        ],
        "readings": [
            {"name": measure.name, "unit": measure.unit, "home": value}
            for measure, value in zip(mechanism.description.readings, home["readings"], strict=True)
        ],
    }
