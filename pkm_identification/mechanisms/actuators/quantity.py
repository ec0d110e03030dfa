# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A number of an actuator with its unit: what lists, variations and reports show of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class Quantity:
    """A parameter of an actuator.

    Attributes
    ----------
    name : str
        As in the machine file, with dots for what stands deeper.
    value : float
    unit : str
    attribute : str
        Where the actuator keeps it, with dots; empty where that is its name.
    """

    name: str
    value: float
    unit: str
    attribute: str = ""


class Delays(NamedTuple):
    """Seconds by which an actuator's command and its own sensor are late."""

    command: float = 0.0
    sensor: float = 0.0


class Units(NamedTuple):
    """Units along a driven coordinate."""

    coordinate: str
    force: str


LINEAR = Units("m", "N")
ROTARY = Units("rad", "N m")
