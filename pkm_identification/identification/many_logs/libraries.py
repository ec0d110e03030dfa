"""Libraries of the extra `fleet`, loaded where they are needed and asked for in one line where they are missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pkm_identification.errors import SettingsError


def library(name: str) -> Any:
    """A module of the extra `fleet`; raises SettingsError where it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        raise SettingsError(
            f"needs {name.partition('.')[0]}: pip install 'pkm_identification[fleet]'"
        ) from None
