# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Exact numbers and vectors at places of a document, with errors that name the place."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from pkm_identification.document import LARGEST, Node

from ...plausibility import show_value
from ..numbers.arithmetic import FLOAT64
from ..numbers.exact import Exact, ExactVector, NotANumber, dot_product, exact

Constants = Mapping[str, Exact]
FULL_TURN = 2.0 * np.pi  # rad
_show = partial(show_value, quoted=True)


def number(node: Node, constants: Constants) -> Exact:
    """Return the exact number at a place.

    Raises
    ------
    MachineError
        If it is none, is not finite or is larger than anything a machine has.
    """
    try:
        value = exact(node.value, constants)
        size = FLOAT64.number(value)
    except NotANumber as problem:
        node.fail(f"= {_show(node.value)}: {problem}")
    except ZeroDivisionError:
        node.fail(f"= {_show(node.value)}: divides by zero")
    except (ValueError, OverflowError):
        node.fail(f"= {_show(node.value)}: has no finite value")
    if not abs(size) <= LARGEST:
        node.fail(f"= {_show(node.value)}: no machine has more than {LARGEST:g}")
    return value


def not_negative(node: Node, constants: Constants) -> Exact:
    """Return the exact number at a place, at least zero."""
    value = number(node, constants)
    if FLOAT64.number(value) < 0:
        node.fail(f"= {_show(node.value)}: must not be negative")
    return value


def numbers(node: Node, constants: Constants, count: int | None = None) -> ExactVector:
    """Return a list of exact numbers, of a stated length if any."""
    if not isinstance(node.value, list) or (count is not None and len(node.value) != count):
        node.fail(f"= {_show(node.value)}: must be a list of {count or ''} numbers".replace("  ", " "))
    return tuple(number(entry, constants) for entry in node.entries())


def direction(node: Node, constants: Constants) -> ExactVector:
    """Three exact numbers that are not all zero."""
    vector = numbers(node, constants, 3)
    if FLOAT64.number(dot_product(vector, vector)) == 0:
        node.fail(f"= {_show(node.value)}: has no length")
    return vector


def propose_degrees(node: Node, values: ExactVector, turns: float = 1.0) -> str:
    """Return the end of a message on angles beyond so many full turns: '; degrees? [deg(60), deg(170)]'.

    Empty if they are not beyond, not sensible as degrees, or meant: written with pi, deg() or a name.
    """
    most = FULL_TURN * turns * (1 + 1e-6)
    texts = node.value if isinstance(node.value, list) else [node.value]
    sizes = [FLOAT64.number(value) for value in values]
    plain = not any(letter.isalpha() and letter not in "eE" for text in texts for letter in str(text))
    largest = max((abs(size) for size in sizes), default=0.0)
    if not plain or not most < largest <= most * 180.0 / np.pi:
        return ""
    degrees = ", ".join(f"deg({size:g})" if size else "0" for size in sizes)
    return f"; degrees? {degrees if len(sizes) == 1 else f'[{degrees}]'}"


def refuse_degrees(node: Node, values: ExactVector, turns: float = 1.0) -> None:
    """Refuse angles beyond so many full turns that are written as plain numbers and are sensible as degrees.

    Raises
    ------
    MachineError
        Names the place, its value and the same in degrees.
    """
    if hint := propose_degrees(node, values, turns):
        node.fail(
            f"= {_show(node.value)}: must be within {FULL_TURN * turns:.4g} rad either way (or written with pi, of "
            f"what turns farther){hint}"
        )


def pair(node: Node, constants: Constants, read=numbers) -> tuple[ExactVector, ExactVector]:
    """Two vectors, one in either body's frame."""
    if not isinstance(node.value, list) or len(node.value) != 2 or not isinstance(node.value[0], list):
        node.fail(f"= {_show(node.value)}: must be two vectors, one in the frame of either body")
    first, second = (read(entry, constants) for entry in node.entries())
    if len(first) != 3 or len(second) != 3:
        node.fail(f"= {_show(node.value)}: must be two vectors of three numbers")
    return first, second


def floats(value: Any, constants: Constants) -> Any:
    """Return the same structure with texts of numbers made floats: for sections whose readers know floats alone."""
    if isinstance(value, dict):
        return {key: floats(entry, constants) for key, entry in value.items()}
    if isinstance(value, list):
        return [floats(entry, constants) for entry in value]
    try:
        return FLOAT64.number(exact(value, constants))
    except (ArithmeticError, ValueError):
        return value
