# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Libraries of the optional extras, loaded where they are needed and asked for in one line where they are missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pkm_identification.errors import SettingsError


def needs(name: str, extra: str) -> str:
    """Return what is missing and how to get it, in words, where a module of an extra is not installed."""
    return f"needs {name.partition('.')[0]}: pip install 'pkm_identification[{extra}]'"


def library(name: str, extra: str) -> Any:
    """Return a module of an extra; raises SettingsError, which names both, where it is not installed."""
    try:
        return import_module(name)
    except ImportError as error:
        raise SettingsError(needs(name, extra)) from error
