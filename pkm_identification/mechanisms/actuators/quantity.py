# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
