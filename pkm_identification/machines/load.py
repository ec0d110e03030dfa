# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A machine of any kind by its name or from its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import yaml

from pkm_identification.document import TextScalars
from pkm_identification.mechanisms.builtin import MECHANISM, read_kind
from pkm_identification.mechanisms.hexapod.machine import Machine as HexapodDescription
from pkm_identification.mechanisms.multibody.loading import load_description
from pkm_identification.mechanisms.multibody.mechanism import Mechanism

from .contract import Machine
from .hexapod import Hexapod
from .multibody import Multibody

Description: TypeAlias = HexapodDescription | Mechanism
AnyMachine: TypeAlias = Machine | HexapodDescription | Mechanism  # of the contract, or its description


def load_machine(machine: str | Path | Description | Machine) -> Hexapod | Multibody:
    """Return a machine: a built-in one by its name, one from a file, or one of a description.

    Parameters
    ----------
    machine : str, Path, description or Machine
        `kind` or the keys of a file say what it describes; a machine is given back as it is.

    Raises
    ------
    MachineError
        If there is none, or its description cannot be used.
    """
    if isinstance(machine, (str, Path)):
        return wrap_description(load_description(machine))
    return wrap_description(machine) if isinstance(machine, Description) else machine  # type: ignore[return-value]


def read_machine(document: Any, source: str = "machine") -> Hexapod | Multibody:
    """Return the machine of a parsed file, mechanisms' numbers best as text; raises as `load_machine`."""
    kind = Mechanism if read_kind(document, source) == MECHANISM else HexapodDescription
    return wrap_description(kind.from_document(document, source))


def read_machine_text(text: str, source: str = "machine") -> Hexapod | Multibody:
    """Return the machine of a file's text, that YAML can read; raises as `load_machine`."""
    document = yaml.load(text, Loader=TextScalars)
    plain = document if read_kind(document, source) == MECHANISM else yaml.safe_load(text)
    return read_machine(plain, source)


def wrap_description(description: Description) -> Hexapod | Multibody:
    """Return a description as the machine of the contract."""
    return Multibody(description) if isinstance(description, Mechanism) else Hexapod(description)


def as_machine(machine: AnyMachine) -> Machine:
    """Return a machine of the contract: itself, or the one that a description says."""
    if isinstance(machine, (HexapodDescription, Mechanism)):
        return wrap_description(machine)
    return machine
