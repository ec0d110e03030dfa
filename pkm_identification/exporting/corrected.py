# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A machine file that knows the causes a diagnosis has found."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from pkm_identification.document import TextScalars, UniqueKeys, parse_key
from pkm_identification.errors import DocumentError, MachineError, SettingsError
from pkm_identification.machines.capabilities import BodiesFile, has
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.load import read_machine, wrap_description
from pkm_identification.mechanisms.hexapod.drive import Drive
from pkm_identification.mechanisms.hexapod.machine import Machine as Hexapod
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray

# Causes a machine file can know, without the number of a strut.
CORRECTABLE = ("force_delay", "force_gain", "force_offset", "motor_inertia")


def with_keys(machine: Machine, texts: Sequence[str]) -> Machine:
    """Return the machine with keys of its file set, each `KEY=VALUE` as `drive.force_delay=0.0019`.

    Raises
    ------
    SettingsError
        If a text is not KEY=VALUE, or the value is no YAML.
    MachineError
        If the file that results is none: names the key.
    """
    if not texts:
        return machine
    document = copy.deepcopy(dict(machine.file))
    exact = has(machine, BodiesFile)
    for text in texts:
        key, equals, value = text.partition("=")
        *parents, last = parse_key(key).split(".")
        if not equals or not all([*parents, last]):
            raise SettingsError(f"--set '{text}': expected KEY=VALUE, as drive.force_delay=0.0019")
        node: Any = document
        for parent in parents:
            if isinstance(node, list) and parent.isdigit() and int(parent) < len(node):
                node = node[int(parent)]
            elif isinstance(node, dict):
                node = node.setdefault(parent, {})
            if not isinstance(node, (dict, list)):
                raise SettingsError(
                    f"--set '{text}': '{parent}' holds no keys in the file of '{machine.name}'"
                )
        if isinstance(node, list) and not (last.isdigit() and int(last) < len(node)):
            raise SettingsError(f"--set '{text}': '{last}' is no index of a list of {len(node)}")
        try:
            node[int(last) if isinstance(node, list) else last] = (
                yaml.load(value, Loader=TextScalars) if exact else yaml.load(value, Loader=UniqueKeys)
            )
        except yaml.YAMLError:
            raise SettingsError(f"--set '{text}': the value is not YAML") from None
    return read_machine(document, machine.name)


def read_causes(path: str | Path) -> list[dict[str, Any]]:
    """Return the causes that a diagnosis or the full model has found, from its JSON (or estimate.json).

    Raises
    ------
    DocumentError
        If the file cannot be read or holds no diagnosis.
    """
    document = _read(path)
    fit = document.get("fit") if isinstance(document, dict) else None
    causes = fit.get("causes") if isinstance(fit, dict) else None
    if not isinstance(causes, list) or not all(isinstance(cause, dict) for cause in causes):
        raise DocumentError(f"{path}: holds no 'fit' with 'causes'; pkm diagnose --json writes one")
    answer = document.get("answer")
    effects = answer.get("effects") if isinstance(answer, dict) else None
    named = {_split_cause(str(cause.get("name")))[0] for cause in causes}
    # gains of causes are measured over true, those of effects how much that is beyond one
    found = [
        {**one, "value": one["value"] + float(str(one["name"]).startswith("force_gain"))}
        for one in effects or ()
        if _split_cause(one["name"])[0] not in named and not document.get("also")
    ]
    return [*causes, *found]


def has_estimated_effects(path: str | Path) -> bool:
    """Whether a file is of an estimate with effects besides its parameters; raises DocumentError as `read_causes`."""
    document = _read(path)
    return isinstance(document, dict) and bool(document.get("also"))


def _read(path: str | Path) -> Any:
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise DocumentError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise DocumentError(f"{path}: is not JSON") from None


def know_causes(machine: Machine, causes: Sequence[Mapping[str, Any]]) -> tuple[Machine, tuple[str, ...]]:
    """Return the machine whose file knows the causes that it can, and the names of the rest (`apply_corrections`)."""
    if not machine.states_reports:
        return machine, tuple(str(cause.get("name")) for cause in causes)
    known, left = apply_corrections(machine.loaded, causes)
    return wrap_description(known), left


def apply_corrections(
    machine: Hexapod, causes: Sequence[Mapping[str, Any]]
) -> tuple[Hexapod, tuple[str, ...]]:
    """Return the machine whose file knows the causes that a file can know, and the names of those that it cannot.

    Raises
    ------
    MachineError
        If the machine has no drive to know them of, or the file that results is none.
    """
    values: dict[str, FloatArray] = {}
    left = []
    for cause in causes:
        name, strut = _split_cause(str(cause.get("name")))
        value = cause.get("value")
        if (
            name not in CORRECTABLE
            or not isinstance(value, (int, float))
            or (name == "force_delay" and strut is not None)
        ):
            left.append(str(cause.get("name")))
            continue
        entry = values.setdefault(name, _find_right_values(name))
        entry[slice(None) if strut is None else strut] = value
    if not values:
        return machine, tuple(left)
    if machine.drive is None:
        raise MachineError(
            f"machine '{machine.name}' has no 'drive', which would have to know {', '.join(values)}"
        )
    document, drive = copy.deepcopy(machine.file), machine.drive
    delay, gain, offset = (values.get(name, _find_right_values(name)) for name in CORRECTABLE[:3])
    know_forces(document["drive"], drive, float(delay[0]), gain, offset)
    if "motor_inertia" in values:
        if not drive.has_motor:
            raise MachineError(
                f"machine '{machine.name}' has no 'drive.motor', which would have to know its inertia"
            )
        document["drive"]["motor"]["inertia"] = motor_inertia(drive, float(values["motor_inertia"][0]))
    return Hexapod.from_document(document, source=machine.name), tuple(left)


def know_forces(
    section: dict[str, Any], drive: Drive, delay: float, gain: FloatArray, offset: FloatArray
) -> None:
    """Write what was found of measured forces into the section `drive` of a machine file that knows others already.

    Parameters
    ----------
    section : dict
        Changed in place.
    drive : Drive
        That of the file.
    delay : float
        s, of all struts.
    gain, offset : ndarray, shape (6,)
        Measured over true, and N.
    """
    if delay:
        section["force_delay"] = drive.force_delay + delay
    if np.any(gain != 1.0):
        section["force_gain"] = (drive.force_gain * gain).tolist()
    if np.any(offset):
        # an offset of forces from which this file's gains were taken already
        section["force_offset"] = (drive.force_offset + drive.force_gain * offset).tolist()


def motor_inertia(drive: Drive, more: float) -> float:
    """Inertia (kg m^2) of motors that resist by so much more (kg) along each strut than the drive's."""
    turns = (2 * np.pi * drive.gear_ratio / drive.screw_lead) ** 2
    return max(0.0, drive.motor_mass + more) / float(turns)


def _find_right_values(name: str) -> FloatArray:
    """Return what a cause is of struts without it, shape (6,)."""
    return np.full(STRUTS, 1.0 if name == "force_gain" else 0.0)


def _split_cause(name: str) -> tuple[str, int | None]:
    """Return a cause without the number of its strut, and that number from 0."""
    for stem in CORRECTABLE:
        number = name[len(stem) + 1 :]
        if name == stem:
            return stem, None
        if name.startswith(f"{stem}_") and number.isdigit() and 1 <= int(number) <= STRUTS:
            return stem, int(number) - 1
    return name, None
