# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The section `tolerances` of a machine file: how well is known what an identification takes for exact."""

from __future__ import annotations

from dataclasses import dataclass, fields

from pkm_identification.declared import declarations, declared
from pkm_identification.document import Node


@dataclass(frozen=True)
class Tolerances:
    """Standard deviations of what is taken as known; 0: exactly.

    Every one of them is carried into the deviations that are stated of estimates.
    """

    joint_places: float = declared(0.0, "of each coordinate of each joint", "m", 0, 0.1)
    length_offset: float = declared(0.0, "of each encoder's zero", "m", 0, 0.1)
    length_scale: float = declared(0.0, "of each encoder's counts per metre, relative", "", 0, 0.5)
    force_gain: float = declared(0.0, "of each drive's force over current, relative", "", 0, 0.5)
    force_offset: float = declared(0.0, "of each drive's force at rest", "N", 0, 1e7)
    force_delay: float = declared(0.0, "by which forces are late", "s", 0, 0.1)
    gravity_direction: float = declared(0.0, "of each of the two angles of gravity", "rad", 0, 1.0)
    motor_inertia: float = declared(
        0.0, "of what turns with each motor, as mass along the strut", "kg", 0, 1e6
    )

    @property
    def known(self) -> dict[str, float]:
        """Those that are not zero, by name."""
        return {entry.name: value for entry in fields(self) if (value := getattr(self, entry.name)) > 0.0}


def read_tolerances(node: Node) -> Tolerances:
    """Tolerances of a machine file's section.

    Raises
    ------
    MachineError
        If a key is unknown or a value is impossible: names the key.
    """
    values = {}
    for name, declaration in declarations(Tolerances).items():
        place = node.take(name, 0.0)
        value = values[name] = place.not_negative()
        if declaration.high is not None and value > declaration.high:
            place.fail(f"= {value:g}: must be {declaration.range}")
    node.close()
    return Tolerances(**values)
