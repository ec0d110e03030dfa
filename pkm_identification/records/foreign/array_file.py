# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
