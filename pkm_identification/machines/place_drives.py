# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Drives that go to places by themselves, by the file's control or by a valve or controller of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pkm_identification.mechanisms.model import Actuator


def find_place_drives(control: Any, actuators: Iterable[Actuator] | None) -> str:
    """Return why drives take no forces, in words; empty where they take them.

    Parameters
    ----------
    control : object or None
        Of the machine's file.
    actuators : iterable of Actuator or None
    """
    if control is not None:
        return "its file's 'control' commands the drives"
    for actuator in actuators or ():
        if actuator.has_valve or actuator.holds_position:
            return f"its '{actuator.type}' drives take lengths"
    return ""


def find_valve(actuators: Sequence[Actuator] | None, drive: int) -> str:
    """Return the type of a drive's actuator whose current opens a valve, and is no force; empty of others."""
    actuator = None if actuators is None else actuators[drive]
    return actuator.type if actuator is not None and actuator.has_valve else ""
