# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What a hexapod's file says of its thirteen bodies, by key."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pkm_identification.mechanisms.hexapod.bodies import StrutBody
from pkm_identification.mechanisms.hexapod.machine import Machine as Description

from .bodies import BodyValues


def list_body_values(machine: Description) -> Iterator[BodyValues]:
    """Yield the platform, then bodies B and E of each strut."""
    own = machine.platform
    keys = ("mass", *(f"center_of_mass.{k}" for k in range(3)), *(f"inertia.{k}" for k in range(6)))
    yield BodyValues(
        "platform", "platform", machine.length_scale, own.mass, own.center_of_mass, np.diagonal(own.inertia),
        own.inertia[[0, 0, 1], [1, 2, 2]], tuple(f"platform.{key}" for key in keys),
    )  # fmt: skip
    for i, strut in enumerate(machine.struts):
        section = "strut" if "strut" in machine.document else f"struts.{i}"
        yield _strut_body(f"body_b_{i + 1}", f"{section}.body_b", strut.body_b, machine)
        yield _strut_body(f"body_e_{i + 1}", f"{section}.body_e", strut.body_e, machine)


def _strut_body(name: str, section: str, body: StrutBody, machine: Description) -> BodyValues:
    keys = ("mass", "center_of_mass", "inertia.0", "inertia.1")
    return BodyValues(
        name, section, float(machine.length_limits[0]), body.mass, np.array([body.center_of_mass]),
        np.array([body.transverse, body.axial]), np.zeros(0), tuple(f"{section}.{key}" for key in keys),
    )  # fmt: skip
