# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Descriptions that come with the package, and which kind of machine a name or a file describes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pkm_identification.document import YAML_ENDINGS, read_yaml
from pkm_identification.errors import MachineError
from pkm_identification.suggestion import did_you_mean

HEXAPOD, MECHANISM = "hexapod", "mechanism"  # values of the key `kind`
# What a file of each kind has and the other has not; at least one of them must be there
_TELLING = {HEXAPOD: ("geometry", "platform", "strut", "struts"), MECHANISM: ("bodies", "joints", "drives")}
_FOLDERS = {HEXAPOD: "machines", MECHANISM: "mechanisms"}


def list_builtin_files(folder: str) -> dict[str, Path]:
    """Paths of the descriptions in a folder of `config/` (`machines`, `mechanisms`), by name."""
    package = Path(__file__).resolve().parents[1]
    for parent in (package / "config" / folder, package.parent / "config" / folder):
        if parent.is_dir():
            return {path.stem: path for path in sorted(parent.glob("*.yaml"))}
    return {}


def find_kind(name_or_path: str | Path) -> str:
    """Return the kind of machine, HEXAPOD or MECHANISM, that a built-in name or a file describes.

    Raises
    ------
    MachineError
        If there is no such name, or the file cannot be read or describes no machine.
    """
    path = Path(name_or_path)
    if path.suffix in YAML_ENDINGS:
        return read_kind(read_yaml(path, "machine file", MachineError, numbers_as_text=True), str(path))
    names = {name: kind for kind, folder in _FOLDERS.items() for name in list_builtin_files(folder)}
    if str(name_or_path) not in names:
        raise MachineError(
            f"machine '{name_or_path}': is neither built in ({', '.join(names)}) nor the path of a .yaml file"
            f"{did_you_mean(str(name_or_path), tuple(names))}"
        )
    return names[str(name_or_path)]


def read_kind(document: Any, source: str) -> str:
    """Return the kind of machine that a parsed file describes: what it says, else by the keys it has.

    Raises
    ------
    MachineError
        If it says another kind, or its keys are those of neither or of both.
    """
    if not isinstance(document, dict):
        raise MachineError(f"{source}: document must be a mapping of keys, not {type(document).__name__}")
    if "kind" in document:
        kind = document["kind"]
        if kind not in _TELLING:
            near = did_you_mean(kind, tuple(_TELLING)) if isinstance(kind, str) else ""
            raise MachineError(f"{source}: kind = {kind!r}: must be one of {', '.join(_TELLING)}{near}")
        return kind
    found = {kind: [key for key in keys if key in document] for kind, keys in _TELLING.items()}
    fitting = [kind for kind, keys in found.items() if keys]
    if len(fitting) == 1:
        return fitting[0]
    wanted = "; ".join(f"'{kind}' has {', '.join(keys)}" for kind, keys in _TELLING.items())
    if fitting:
        both = " and of ".join(f"'{kind}' ({', '.join(keys)})" for kind, keys in found.items())
        raise MachineError(f"{source}: has keys of {both}; give 'kind' and take the others out")
    shown = ", ".join(str(key) for key in list(document)[:8]) or "none"
    raise MachineError(f"{source}: is no machine description; its keys: {shown}; expected: {wanted}")
