# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Numbers of a machine file by their path, as `joints.ball_1.place.1.0`: the file with some of them changed.

An expression (`L/2`, `acos((H-r)/L)`) becomes that expression and a change; a constant changes all that is made of it.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from pkm_identification.errors import MachineError


def change_document(document: Mapping[str, Any], changes: Mapping[str, float]) -> dict[str, Any]:
    """Return a copy of a machine file's document with numbers, by their paths, changed by so much.

    Raises
    ------
    MachineError
        If a path leads to no number: names it and what is there.
    """
    changed = copy.deepcopy(dict(document))
    for path, change in changes.items():
        *parents, last = path.split(".")
        node: Any = changed
        for key in parents:
            node = node[_find_key(node, key, path)]
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
    return value + change
