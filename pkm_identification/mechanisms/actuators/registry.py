# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""All types of actuators: by name for machine files, by number in compiled code.

A new one is a file next to this one with `stage`, a class, `KEYS` and `read`, its module in TYPES and a branch in
`actuator_stage`: a type's place in TYPES is the number by which kernels choose.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pkm_identification.document import Node
from pkm_identification.numerics.compiled import compile_inline

from . import first_order, hydraulic, hydraulic_reduced, ideal, screw, two_inertia, vane
from .base import Actuator
from .quantity import LINEAR, ROTARY, Quantity, Units
from .row import NUMBER

TYPES: dict[str, Any] = {
    "ideal": ideal,
    "first_order": first_order,
    "screw": screw,
    "two_inertia": two_inertia,
    "hydraulic": hydraulic,
    "hydraulic_reduced": hydraulic_reduced,
    "vane": vane,
}
TYPE_NAMES = tuple(TYPES)
# What a machine feels of an actuator, by attribute.
_FELT = {
    "inertia": "inertia along the drive",
    "inertia_behind": "motor's inertia along the drive",
    "locked_stiffness": "stiffness along the drive",
    "fastest": "fastest frequency",
}


@compile_inline
def actuator_stage(row, known, state, h, signal, x, v):
    """One implicit stage of an actuator: its state, its force, and the force's slope by the rate.

    Parameters
    ----------
    row : ndarray, shape (ROW,)
    known : ndarray, shape (MOST_STATES,)
        Known part of the state: state = known + h derivative(state).
    state : ndarray, shape (MOST_STATES,)
        Written; holds a first guess.
    h : float
        s; 0: everything is of one instant, the state is the known one.
    signal : float
        What reaches the actuator of its command, after limits and delays.
    x, v : float
        Driven coordinate and rate at the end of the stage, x = known + h v.

    Returns
    -------
    force, slope : float
        N (N m), and its derivative by v with x and state following.
    """
    number = row[NUMBER]
    if number == 4 or number == 6:
        return hydraulic.stage(row, known, state, h, signal, x, v)
    if number == 3:
        return two_inertia.stage(row, known, state, h, signal, x, v)
    if number == 5:
        return hydraulic_reduced.stage(row, known, state, h, signal, x, v)
    if number == 2:
        return screw.stage(row, known, state, h, signal, x, v)
    if number == 1:
        return first_order.stage(row, known, state, h, signal, x, v)
    return ideal.stage(row, known, state, h, signal, x, v)


def read_actuators(root: Node, count: int, turning: tuple[bool, ...] | None = None) -> tuple[Any, ...] | None:
    """The actuators of a machine file: `actuator` (all alike) or `actuators` (a list); None where it has neither.

    Parameters
    ----------
    root : Node
        The whole document.
    count : int
        Of driven coordinates.
    turning : tuple of bool, optional
        Which of them are angles; none by default.

    Raises
    ------
    MachineError
        If a key is missing or unknown, or a value is impossible: names the key.
    """
    one, several = root.take("actuator", None), root.take("actuators", None)
    if one.value is None and several.value is None:
        return None
    if one.value is not None and several.value is not None:
        several.fail("and 'actuator' are both there: give one for all or a list, not both")
    if several.value is not None and (not isinstance(several.value, list) or len(several.value) != count):
        entries = f"{len(several.value)} entries" if isinstance(several.value, list) else "no list"
        several.fail(f"must be a list of {count} actuators, one for each drive; found {entries}")
    turns = turning or (False,) * count
    units = [ROTARY if turn else LINEAR for turn in turns]
    if several.value is None:
        # what is wrong with the one section is wrong once
        actuators = {kind: _read(one, kind) for kind in dict.fromkeys(units)}
        return tuple(actuators[kind] for kind in units)
    return tuple(_read(node, kind) for node, kind in zip(several.entries(), units, strict=True))


def _read(node: Node, units: Units) -> Any:
    kind = node.take("type").choice(TYPE_NAMES)
    actuator = TYPES[kind].read(node, units)
    node.close()
    for name, words in _FELT.items():
        if not _is_finite(actuator, name):
            node.fail(f"has numbers whose {words} is too large to compute with")
    return actuator


def _is_finite(value: Any, name: str) -> bool:
    try:
        return bool(np.isfinite(getattr(value, name)))
    except (OverflowError, ZeroDivisionError):
        return False


def varied(actuator: Actuator, quantity: Quantity, factor: float) -> Actuator:
    """Return the same actuator with one number multiplied by a factor."""
    path = (quantity.attribute or quantity.name).split(".")
    return _replace_value(actuator, path, quantity.value * factor)


def _replace_value(owner: Any, path: list[str], value: float) -> Any:
    first, *rest = path
    return replace(owner, **{first: _replace_value(getattr(owner, first), rest, value) if rest else value})
