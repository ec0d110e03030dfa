# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""A machine as text for other programs, by format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.records.atomic import write_text

if TYPE_CHECKING:
    from pkm_identification.mechanisms.multibody.mechanism import Mechanism

FORMATS = ("urdf", "urdf-home", "mjcf", "yaml", "c", "linuxcnc")
MECHANISM_FORMATS = ("mjcf", "yaml")
_SUFFIXES = {
    ".urdf": "urdf",
    ".xml": "mjcf",
    ".mjcf": "mjcf",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".c": "c",
    ".hal": "linuxcnc",
}


def format_of(path: str | Path) -> str | None:
    """The format a file's name stands for, None when it does not tell."""
    return _SUFFIXES.get(Path(path).suffix)


def machine_text(machine: Machine, form: str) -> str:
    """A machine in one of the FORMATS; raises SettingsError for another one.

    urdf: a tree for display, urdf-home: one whose joints are zero at home; mjcf: a MuJoCo model with closed loops;
    yaml: a machine file; c: C99 source of the inverse dynamics; linuxcnc: HAL commands with the joint centres for
    genhexkins.
    """
    if form not in FORMATS:
        raise SettingsError(f"format '{form}': must be one of {', '.join(FORMATS)}")
    # each format loads only what it needs: MuJoCo takes a second
    if form in ("urdf", "urdf-home"):
        from .urdf import urdf

        return urdf(machine, from_home=form == "urdf-home")
    if form == "mjcf":
        from .mjcf import complete_mjcf

        return complete_mjcf(machine)
    if form == "c":
        from .c_code import c_code

        return c_code(machine)
    if form == "linuxcnc":
        from .linuxcnc import linuxcnc_hal

        return linuxcnc_hal(machine)
    return _yaml_text(machine.document)


def mechanism_text(mechanism: Mechanism, form: str) -> str:
    """A mechanism in one of the MECHANISM_FORMATS; raises SettingsError for another one.

    mjcf: a MuJoCo model with closed loops, without friction; yaml: its own description.
    """
    if form not in MECHANISM_FORMATS:
        raise SettingsError(
            f"format '{form}': must be one of {', '.join(MECHANISM_FORMATS)}, which a mechanism has"
        )
    if form == "yaml":
        return _yaml_text(mechanism.description.document)
    from pkm_identification.simulation.multibody.mjcf import mechanism_mjcf

    return mechanism_mjcf(mechanism)


def _yaml_text(document: Any) -> str:
    return yaml.safe_dump(document, sort_keys=False, default_flow_style=None, width=110)


def write_machine(path: str | Path, machine: Machine, form: str) -> None:
    """Write a machine file of a format, complete or not at all; raises OutputError if it cannot be written."""
    write_text(path, machine_text(machine, form))
