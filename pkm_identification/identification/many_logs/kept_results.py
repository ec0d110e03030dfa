# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Results of logs in a folder, one file each by its key: there whole or not at all, wherever fsspec writes."""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import asdict
from typing import Any

from pkm_identification.errors import OutputError
from pkm_identification.machines.contract import Machine
from pkm_identification.optional import library
from pkm_identification.parameters.reduced import ENDING
from pkm_identification.records.atomic import replacing
from pkm_identification.records.provenance import digest as digest_of
from pkm_identification.records.provenance import provenance
from pkm_identification.version import __version__

from ..settings import Settings
from .log_files import is_local
from .one_log import SCHEMA

RESULTS = "results"


def result_key(digest: str, machine: Machine, settings: Settings, reading: dict[str, Any]) -> str:
    """What decides a result, as one text: the log, the machine, the settings, how it is read, and this version."""
    layout, parameters = reading.get("layout"), settings.estimator.parameters
    parts = {
        "log": digest,
        "machine": machine.hash,
        "settings": provenance([], "", settings)["settings"],
        # settings have a file by its name alone
        "parameters": digest_of(parameters) if parameters.endswith(ENDING) else None,
        "topic": reading.get("topic"),
        "layout": None if layout is None else repr(asdict(layout)),
        "version": __version__,
        "schema": SCHEMA,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


class ResultFolder:
    """A folder of results.

    Parameters
    ----------
    place : str
        A path, or what fsspec opens.

    Raises
    ------
    OutputError
        If it cannot be made.
    """

    def __init__(self, folder: str) -> None:
        self.place = folder.rstrip("/") or folder
        self._system, self._root = library("fsspec.core", "fleet").url_to_fs(self.place)
        try:
            if self._system.exists(self._root) and not self._system.isdir(self._root):
                raise OutputError(f"--out {folder}: exists and is not a folder")
            self._system.makedirs(f"{self._root}/{RESULTS}", exist_ok=True)
        except OSError as error:
            raise OutputError(f"--out {folder}: cannot be made: {error.strerror or error}") from None

    def kept(self, key: str) -> dict[str, Any] | None:
        """Return the record of a key; None where there is none, or a damaged one."""
        try:
            record = json.loads(self._system.cat_file(f"{self._root}/{_name(key)}"))
        except (OSError, ValueError):
            return None
        return record if isinstance(record, dict) and record.get("key") == key else None

    def keep(self, record: dict[str, Any]) -> None:
        """Write a record under its key."""
        text = json.dumps(record, allow_nan=False) + "\n"
        self.write(_name(record["key"]), text.encode())

    def write(self, name: str, content: bytes) -> str:
        """Write a file under a temporary name, then rename it; returns its path.

        Raises
        ------
        OutputError
            If it cannot be written.
        """
        path = f"{self._root}/{name}"
        if is_local(self.place):
            with replacing(path) as temporary:
                temporary.write_bytes(content)
            return path
        part = f"{path}.{secrets.token_hex(8)}.part"
        try:
            self._system.pipe_file(part, content)
            self._system.mv(part, path)
        except OSError as error:
            raise OutputError(f"{self.place}/{name}: cannot be written: {error.strerror or error}") from None
        return f"{self.place}/{name}"


def _name(key: str) -> str:
    return f"{RESULTS}/{key}.json"
