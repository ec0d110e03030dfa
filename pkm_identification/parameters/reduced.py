# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Reduced parameter sets as files: what is left of a named set when what hardly matters is taken for zero.

The values of what stays may differ from the machine file's: they carry what other parameters gave to the same columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from pkm_identification.document import Node, read_yaml
from pkm_identification.errors import MachineError

from .parameter_set import ParameterSet

SCHEMA = 1
KIND = "parameter set"
ENDING = ".yaml"
_DIGITS = 12


@dataclass(frozen=True)
class SetOwner:
    """The machine a set is of: its name, and the digest of its description."""

    name: str
    digest: str


def reduced_text(owner: SetOwner, of: str, values: Mapping[str, float], why: str) -> str:
    """Return a reduced set of the named set `of` as YAML: the parameters that stay, and their values in SI units."""
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "kind": KIND,
        "machine": owner.name,
        "machine_hash": owner.digest,
        "made": why,
        "of": of,
        "parameters": {name: float(f"{value:.{_DIGITS}g}") for name, value in values.items()},
        "end": "whole",
    }
    return yaml.safe_dump(document, sort_keys=False, width=110)


def reduced_set(
    path: str | Path, owner: SetOwner, sets: Mapping[str, Callable[[], ParameterSet]]
) -> ParameterSet:
    """Return the set of a file, of one of some sets by name.

    Raises
    ------
    MachineError
        If it cannot be read, is cut off, is another machine's, or has a parameter that its set has not.
    """
    node = Node(
        read_yaml(Path(path), "parameter set", MachineError), "", f"parameter set '{path}'", MachineError
    )
    schema = node.take("schema")
    if schema.value != SCHEMA:
        schema.fail(f"= {schema.value!r}: must be {SCHEMA}")
    node.take("kind").choice((KIND,))
    node.take("end").choice(("whole",))
    name, digest = node.take("machine").text(), node.take("machine_hash")
    if digest.text() != owner.digest:
        digest.fail(f"= {digest.value}: is of machine '{name}' as it was; '{owner.name}' has {owner.digest}")
    node.take("made", "")
    whole = sets[node.take("of").choice(tuple(sets))]()
    entry_node = node.take("parameters")
    if not isinstance(entry_node.value, dict) or not entry_node.value:
        entry_node.fail("must be parameters with their values")
    entries = {str(name): entry_node.take(name).number() for name in entry_node.value}
    node.close()
    unknown = [name for name in entries if name not in whole.names]
    if unknown:
        entry_node.fail(f"has '{unknown[0]}', which is not in the set '{whole.name}'")
    for k in reversed(range(len(whole))):
        if whole.names[k] not in entries:
            whole = whole.without(k)
    kept = tuple(replace(entry, nominal=entries[entry.name]) for entry in whole.entries)
    return replace(whole, name=f"reduced {whole.name}", entries=kept)
