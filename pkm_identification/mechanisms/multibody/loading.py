# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a name or a file describes: a hexapod or another mechanism."""

from __future__ import annotations

from pathlib import Path

from ..builtin import MECHANISM, find_kind
from ..hexapod.machine import Machine
from .mechanism import Mechanism


def load_description(name_or_path: str | Path) -> Machine | Mechanism:
    """Return a built-in machine by its name, or one from a file, which `kind` or its keys tell apart.

    Raises
    ------
    MachineError
        If there is none, or its description cannot be used.
    """
    return (Mechanism if find_kind(name_or_path) == MECHANISM else Machine).load(name_or_path)
