"""What a name or a file describes: a hexapod or another mechanism."""

from __future__ import annotations

from pathlib import Path

from ..builtin import is_mechanism
from ..hexapod.machine import Machine
from .mechanism import Mechanism


def hexapod_or_mechanism(name_or_path: str | Path) -> Machine | Mechanism:
    """A built-in machine or mechanism by its name, or one from a file.

    Raises
    ------
    MachineError
        If there is none, or its description cannot be used.
    """
    return Mechanism.load(name_or_path) if is_mechanism(name_or_path) else Machine.load(name_or_path)
