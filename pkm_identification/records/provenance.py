# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Where an estimate comes from: logs by their digests, date, version, command and settings."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np

from pkm_identification.version import __version__

_BLOCK = 1 << 20


def provenance(
    logs: Sequence[str],
    command: str,
    settings: Any,
    validation: str | None = None,
    falls: Sequence[str] = (),
) -> dict[str, Any]:
    """Return what an estimate was made from and by, for programs.

    Parameters
    ----------
    logs : sequence of str
        Paths of files and bag folders.
    command : str
        As it was typed.
    settings : dataclass
        What it was made with.
    validation : str, optional
        Path of the log that it was validated with.
    falls : sequence of str
        Paths of logs of free falls.
    """
    beside = {"validation": [] if validation is None else [validation], "free_fall": falls}
    return {
        "logs": _compute_digests(logs),
        **{name: _compute_digests(paths) for name, paths in beside.items() if paths},
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "version": __version__,
        "command": command,
        "settings": _make_plain(asdict(settings)),
    }


def _compute_digests(paths: Sequence[str]) -> list[dict[str, str]]:
    return [{"path": str(path), "sha256": digest(path)} for path in paths]


def digest(path: str | Path) -> str:
    """SHA-256 of a file, or of a folder's files one after the other in the order of their names."""
    given = Path(path)
    total = hashlib.sha256()
    for file in sorted(given.rglob("*")) if given.is_dir() else [given]:
        if file.is_file():
            with file.open("rb") as stream:
                while block := stream.read(_BLOCK):
                    total.update(block)
    return total.hexdigest()


def _make_plain(value: Any) -> Any:
    """Return values that JSON can hold."""
    if isinstance(value, dict):
        return {str(name): _make_plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_make_plain(one) for one in value]
    if isinstance(value, np.ndarray):
        return _make_plain(value.tolist())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if isinstance(value, bool | int | float | str) or value is None else str(value)
