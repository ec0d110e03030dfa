# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions as files: sums of sines around home, exact at every instant, of one machine.

Of a hexapod six displacements of its platform, of a mechanism as many of its drives.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from pkm_identification.document import YAML_ENDINGS, Node, read_yaml
from pkm_identification.errors import MachineError
from pkm_identification.machines.load import AnyMachine, as_machine

from .waveforms import MultiSine

SCHEMA = 1
_DIGITS = 12


def is_motion_file(name: str) -> bool:
    """Return whether a trajectory's name is that of a file."""
    return name.endswith(YAML_ENDINGS)


@dataclass(frozen=True)
class Owner:
    """The machine a motion is of.

    Attributes
    ----------
    name, digest : str
    signals : int
    """

    name: str
    digest: str
    signals: int

    @classmethod
    def of(cls, machine: AnyMachine) -> Owner:
        """Return the owner of a machine's motions: as many displacements, of platform or drives, as drives."""
        owner = as_machine(machine)
        return cls(owner.name, owner.hash, len(owner.drives))


def format_motion_text(machine: AnyMachine, signal: MultiSine, duration: float, why: str) -> str:
    """Return a motion as YAML; `why` says how it was made."""
    owner = Owner.of(machine)
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "kind": "motion",
        "machine": owner.name,
        "machine_hash": owner.digest,
        "made": why,
        "duration": float(duration),
        "frequency": _read_numbers(signal.frequency),
        "sine": [_read_numbers(row) for row in signal.sine],
        "cosine": [_read_numbers(row) for row in signal.cosine],
        "end": "whole",
    }
    return yaml.safe_dump(document, sort_keys=False, default_flow_style=None, width=110)


def read_motion(path: str | Path, machine: AnyMachine) -> tuple[MultiSine, float]:
    """Return the signal of a motion file, and its duration in s.

    Raises
    ------
    MachineError
        If it cannot be read, is cut off, or is another machine's.
    """
    owner = Owner.of(machine)
    node = Node(read_yaml(Path(path), "motion file", MachineError), "", f"motion file '{path}'", MachineError)
    schema, kind = node.take("schema"), node.take("kind")
    if schema.value != SCHEMA:
        schema.fail(f"= {schema.value!r}: must be {SCHEMA}")
    kind.choice(("motion",))
    # what a file ends with, so that one cut off between two entries is known
    node.take("end").choice(("whole",))
    name, digest = node.take("machine").text(), node.take("machine_hash")
    if digest.text() != owner.digest:
        if name != owner.name:
            digest.fail(f"= {digest.value}: is of machine '{name}', not of '{owner.name}'")
        digest.fail(
            f"= {digest.value}: is of another state of machine '{name}', which has {owner.digest} now"
        )
    node.take("made", "")
    duration = node.take("duration").positive()
    entry_node = node.take("frequency")
    count = len(entry_node.value) if isinstance(entry_node.value, list) else 0
    if not count:
        entry_node.fail("must be a list of frequencies in Hz")
    frequency = entry_node.array(count)
    if np.any(frequency <= 0) or np.any(np.diff(frequency) <= 0):
        entry_node.fail("must be positive and rising")
    sine, cosine = (node.take(part).array(owner.signals, count) for part in ("sine", "cosine"))
    node.close()
    return MultiSine(frequency, sine, cosine), duration


def _read_numbers(values: Any) -> list[float]:
    return [float(f"{value:.{_DIGITS}g}") for value in values]
