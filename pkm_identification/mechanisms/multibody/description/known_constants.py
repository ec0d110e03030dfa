# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How well numbers of bodies are known that are constants of the file: as well as these."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...known_statements import Path, Statement, Statements
from ..numbers.arithmetic import FLOAT64
from ..numbers.exact import Exact, exact

CONSTANTS, BODIES = "constants", "bodies"
_NAME = re.compile(r"[A-Za-z_]\w*")


def spread_constants(
    document: Mapping[str, Any], statements: Statements
) -> tuple[Statements, frozenset[str]]:
    """Return statements with those of constants handed on to bodies, and the keys of constants that act there alone.

    They are handed on to a number that is such a constant, as `mass: plate`, not to what is computed of it: a length
    that is measured says nothing of a centre of mass in its middle. Nearest is what is stated of the number, then of
    its constant, of its body and all bodies, of all constants, and of the file.

    Parameters
    ----------
    document : mapping
        A mechanism's file that has been read.
    statements : Statements
        What it says.
    """
    constants = document.get(CONSTANTS) or {}
    if not any(path[:1] == (CONSTANTS,) for path in statements.stated):
        return statements, frozenset()
    added: dict[Path, Statement] = {}
    handed: set[str] = set()
    elsewhere: set[str] = set()
    for path, text in _list_texts(document, ()):
        if path[0] == BODIES:
            where, _ = statements.find_nearest(".".join(path))
            of_constant, statement = statements.find_nearest(f"{CONSTANTS}.{text}")
            nearer = len(where) < 3 if len(of_constant) == 2 else not where
            if text in constants and of_constant and statement is not None and nearer:
                added[path] = statement
                handed.add(text)
        elif path[0] != CONSTANTS:
            elsewhere |= _find_names(text, constants)
    return Statements({**statements.stated, **added}), frozenset(
        f"{CONSTANTS}.{one}" for one in handed - elsewhere
    )


def evaluate(text: Any, constants: Mapping[str, Any]) -> float:
    """Return the number that an expression of constants is."""
    known: dict[str, Exact] = {}
    for name, one in constants.items():
        known[name] = exact(one, known)
    return float(FLOAT64.number(exact(text, known)))


def _list_texts(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _list_texts(one, (*path, str(key)))
    elif isinstance(value, list):
        for k, one in enumerate(value):
            yield from _list_texts(one, (*path, str(k)))
    elif isinstance(value, str):
        yield path, value


def _find_names(text: Any, constants: Mapping[str, Any]) -> set[str]:
    """Return the constants that an expression is made of, and those that these are made of."""
    found = set(_NAME.findall(str(text))) & set(constants)
    return found.union(*(_find_names(constants[name], constants) for name in found))
