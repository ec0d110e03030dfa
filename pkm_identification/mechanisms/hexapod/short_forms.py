# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Short forms of a machine file written out: one number where six are alike, three for a diagonal inertia."""

from __future__ import annotations

from typing import Any

from pkm_identification.motion import STRUTS

# Keys that hold one number for each strut
FOR_EACH_STRUT = (
    ("friction", "viscous"),
    ("friction", "coulomb"),
    ("friction", "asymmetry"),
    ("drive", "encoder", "length_at_zero"),
    ("drive", "length_at_zero"),
    ("drive", "force_gain"),
    ("drive", "force_offset"),
)
INERTIA = ("platform", "inertia")


def written_out(document: Any) -> Any:
    """Return a machine file with its short forms written out; all else, right or wrong, stays as it is.

    Parameters
    ----------
    document : object
        What YAML made of the file; it is not changed.
    """
    for keys in FOR_EACH_STRUT:
        document = _replace(document, keys, _expand_to_six)
    return _replace(document, INERTIA, _expand_diagonal)


def _replace(node: Any, keys: tuple[str, ...], form: Any) -> Any:
    if not keys:
        return form(node)
    if not isinstance(node, dict) or keys[0] not in node:
        return node
    inner = _replace(node[keys[0]], keys[1:], form)
    return node if inner is node[keys[0]] else {**node, keys[0]: inner}


def _expand_to_six(value: Any) -> Any:
    one = isinstance(value, (int, float)) and not isinstance(value, bool)
    return [value] * STRUTS if one else value


def _expand_diagonal(value: Any) -> Any:
    return [*value, 0.0, 0.0, 0.0] if isinstance(value, list) and len(value) == 3 else value
