"""A machine as text for other programs, by format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.records.atomic import replacing

FORMATS = ("urdf", "mjcf", "yaml")
_SUFFIXES = {".urdf": "urdf", ".xml": "mjcf", ".mjcf": "mjcf", ".yaml": "yaml", ".yml": "yaml"}


def format_of(path: str | Path) -> str | None:
    """The format a file's name stands for, None when it does not tell."""
    return _SUFFIXES.get(Path(path).suffix)


def machine_text(machine: Machine, form: str) -> str:
    """A machine in one of the FORMATS; raises SettingsError for another one.

    urdf: a tree for display; mjcf: a MuJoCo model with closed loops, without friction; yaml: a machine file.
    """
    if form not in FORMATS:
        raise SettingsError(f"format '{form}': must be one of {', '.join(FORMATS)}")
    # each format loads only what it needs: MuJoCo takes a second
    if form == "urdf":
        from .urdf import urdf

        return urdf(machine)
    if form == "mjcf":
        from pkm_identification.simulation.model import hexapod_mjcf

        return hexapod_mjcf(machine)
    return yaml_text(machine.document)


def yaml_text(document: Any) -> str:
    """The document of a machine or a mechanism as a file of its own."""
    return yaml.safe_dump(document, sort_keys=False, default_flow_style=None, width=110)


def write_machine(path: str | Path, machine: Machine, form: str) -> None:
    """Write a machine file of a format, complete or not at all; raises OutputError if it cannot be written."""
    write_text(path, machine_text(machine, form))


def write_text(path: str | Path, text: str) -> None:
    """Write a file, complete or not at all; raises OutputError if it cannot be written."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
