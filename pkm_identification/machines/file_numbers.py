# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Numbers of a machine file by their path, as `joints.ball_1.place.1.0`: the file with some of them changed.

An expression (`L/2`, `acos((H-r)/L)`) becomes that expression and a change; a constant changes all that is made of it.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pkm_identification.errors import MachineError

REMEMBERED = 256  # changed machines: each estimate moves every joint of its machine, mostly the one before


@dataclass(frozen=True)
class Change:
    """Changes of a machine's numbers: a key under which what it becomes is remembered.

    Attributes
    ----------
    text : str
        Of the file and the changes: of all that is compared.
    kept : int
        Identity of what a changed machine keeps though no file says it.
    machine : object
    changes : mapping of str to float
    """

    text: str
    kept: int
    machine: Any = field(compare=False, repr=False)
    changes: Mapping[str, float] = field(compare=False, repr=False)

    @classmethod
    def of(cls, machine: Any, changes: Mapping[str, float], kept: Any = None) -> Change:
        """Return the key of a machine that has a `document`."""
        return cls(json.dumps([machine.document, dict(changes)]), id(kept), machine, changes)


def change_document(document: Mapping[str, Any], changes: Mapping[str, float]) -> dict[str, Any]:
    """Return a machine file's document with numbers, by their paths, changed by so much; the rest is shared with it.

    Raises
    ------
    MachineError
        If a path leads to no number: names it and what is there.
    """
    changed = dict(document)
    for path, change in changes.items():
        *parents, last = path.split(".")
        node: Any = changed
        for key in parents:
            key = _find_key(node, key, path)
            node[key] = copy.copy(node[key])
            node = node[key]
        key = _find_key(node, last, path)
        node[key] = _add(node[key], change, path)
    return changed


def _find_key(node: Any, key: str, path: str) -> Any:
    """Return a part of a path as a key or an index of a node that has it."""
    if isinstance(node, list):
        if key.isdigit() and int(key) < len(node):
            return int(key)
        raise MachineError(f"{path}: '{key}' is no index of a list of {len(node)}")
    if isinstance(node, dict) and key in node:
        return key
    known = f"; keys: {', '.join(map(str, node))}" if isinstance(node, dict) else ""
    raise MachineError(f"{path}: there is no '{key}'{known}")


def _add(value: Any, change: float, path: str) -> Any:
    if isinstance(value, str):
        return f"({value})+({change:.17g})"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise MachineError(f"{path}: is no number: {str(value)[:60]}")
    return float(value + change)
