# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A machine as text for other programs, by format."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

from pkm_identification.errors import SettingsError
from pkm_identification.machines.capabilities import HexapodFile, has, require
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.load import Description, load_machine
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.records.atomic import write_text

FORMATS = ("urdf", "urdf-home", "ros2_control", "mjcf", "sdf", "yaml", "c", "linuxcnc")
_SUFFIXES = {
    ".urdf": "urdf",
    ".xml": "mjcf",
    ".mjcf": "mjcf",
    ".sdf": "sdf",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".c": "c",
    ".hal": "linuxcnc",
}


def format_of(path: str | Path) -> str | None:
    """Return the format a file's name stands for, None when it does not tell."""
    return _SUFFIXES.get(Path(path).suffix)


def format_machine_text(machine: Machine | Description, form: str) -> str:
    """Return a machine in one of the FORMATS.

    urdf: a tree, loops left open; urdf-home: one whose joints are zero at home; ros2_control: a tree with the drives
    that a controller manager takes; mjcf and sdf: models with closed loops; yaml: a machine
    file; c: C99 source of the inverse dynamics; linuxcnc: HAL commands with the joint centres for genhexkins.

    Raises
    ------
    SettingsError
        If there is no such format, or the machine has not what it needs.
    """
    if form not in FORMATS:
        raise SettingsError(f"format '{form}': must be one of {', '.join(FORMATS)}")
    machine = load_machine(machine)
    if form == "ros2_control":
        from .display import build_ros2_control_urdf

        return build_ros2_control_urdf(machine)
    hexapod = machine.description if has(machine, HexapodFile) else None
    if form == "linuxcnc":
        from .linuxcnc import linuxcnc_hal

        return linuxcnc_hal(require(machine, HexapodFile, f"format {form}").description)
    # what is better for six struts than for any bodies: a closed form without a state
    if hexapod is not None and form == "c":
        from .c_code import c_code

        return c_code(hexapod)
    if form == "yaml":
        return dump_plain(machine.file) if hexapod is None else _dump(machine.file, yaml.SafeDumper)
    from .display import find_bodies

    return _write_bodies(find_bodies(machine, f"format {form}"), form)


def _write_bodies(mechanism: Mechanism, form: str) -> str:
    # each format loads only what it needs: MuJoCo takes a second
    if form in ("urdf", "urdf-home"):
        from .bodies_urdf import bodies_urdf

        return bodies_urdf(mechanism, from_home=form == "urdf-home", mimics=True)
    if form == "mjcf":
        from .mjcf import build_complete_mjcf

        return build_complete_mjcf(mechanism)
    if form == "sdf":
        from .bodies_sdf import bodies_sdf

        return bodies_sdf(mechanism)
    from .c_code import bodies_c

    return bodies_c(mechanism)


def dump_plain(document: Any) -> str:
    """Return a file of bodies and joints as text, its numbers as they are written."""
    return _dump(document, _PlainNumbers)


def write_drive_numbers(machine: Machine, values: Mapping[tuple[int, str], float]) -> str:
    """Return the machine's file as text, with numbers of its actuators replaced.

    Parameters
    ----------
    machine : Machine
        With actuators.
    values : mapping of (int, str) to float
        By drive, from 0, and key of its actuator, with dots for what stands deeper.
    """
    document: dict[str, Any] = deepcopy(dict(machine.file))
    if "actuator" in document:
        shared = document.pop("actuator")
        document["actuators"] = [deepcopy(shared) for _ in machine.drives]
    for (drive, key), value in values.items():
        entry = document["actuators"][drive]
        *above, last = key.split(".")
        for name in above:
            entry = entry.setdefault(name, {})
        entry[last] = float(value)
    return dump_plain(document)


class _PlainNumbers(yaml.SafeDumper):
    """Writes texts that are numbers without quotation marks, as the files of bodies and joints have them."""


def _write_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    try:
        float(text)
    except ValueError:
        return dumper.represent_str(text)
    if text.lstrip("+-").isdigit():
        return dumper.represent_scalar("tag:yaml.org,2002:int", text)
    # YAML takes 1e-5 for a text: it wants a point, and a sign in the exponent
    mantissa, mark, exponent = text.lower().partition("e")
    if mark:
        sign = "" if exponent.startswith(("+", "-")) else "+"
        text = f"{mantissa}{'' if '.' in mantissa else '.0'}e{sign}{exponent}"
    return dumper.represent_scalar("tag:yaml.org,2002:float", text)


_PlainNumbers.add_representer(str, _write_text)


def _dump(document: Any, dumper: type[yaml.SafeDumper]) -> str:
    return yaml.dump(document, Dumper=dumper, sort_keys=False, default_flow_style=None, width=110)


def write_machine(path: str | Path, machine: Machine | Description, form: str) -> None:
    """Write a machine file of a format, complete or not at all; raises OutputError if it cannot be written."""
    write_text(path, format_machine_text(machine, form))
