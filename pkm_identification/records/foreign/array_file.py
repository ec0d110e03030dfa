# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What files read by a library have in common: the library may be missing, the file too, and its bytes be damaged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pkm_identification.errors import LogError, SettingsError
from pkm_identification.optional import library


def library_for(path: str | Path, name: str) -> Any:
    """Return the module of the extra `tables` that reads a file.

    Raises
    ------
    SettingsError
        If it is not installed.
    LogError
        If there is no such file.
    """
    try:
        module = library(name, "tables")
    except SettingsError as missing:
        raise SettingsError(f"{path}: {missing}") from None
    require_file(path)
    return module


def require_file(path: str | Path) -> None:
    """Raise LogError unless there is such a file."""
    if not Path(path).is_file():
        raise LogError(f"{path}: cannot be read: No such file")


def describe_damage(path: str | Path, kind: str, error: Exception) -> LogError:
    """What is said of a file whose bytes made a decoder raise; of unknown origin, they make it raise anything."""
    reason = " ".join(str(error).split())[:120] or type(error).__name__
    return LogError(f"{path}: damaged or no {kind} file: {reason}")
