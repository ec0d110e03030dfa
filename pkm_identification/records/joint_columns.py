# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Columns that are called after a machine's joints instead of numbers of struts.

`length_leg_a` is our form with the joint's name; `/joint_states/leg_a/position` is how PlotJuggler writes the fields of
a `sensor_msgs/JointState` as CSV.
"""

from __future__ import annotations

from collections.abc import Sequence

from .bags import MOTOR_STATES

# Our columns of a strut, without its number; those of them that fields of a JointState hold.
STEMS = ("length", "force", "enc", "cur", "motor_length")
FIELDS = {"length": "position", "force": "effort"}


def with_numbers(names: Sequence[str], joints: Sequence[str]) -> tuple[str, ...]:
    """Names of columns, those called after a joint in our form (`length_1`), all others as they are.

    A column that is there in our form already, or after the joint twice (of two topics), stays as it is.

    Parameters
    ----------
    names : sequence of str
        Of a header.
    joints : sequence of str
        Joint names of struts 1 to 6.
    """
    ours = [_ours(name, joints) for name in names]
    return tuple(
        name if own is None or own in names or ours.count(own) > 1 else own
        for name, own in zip(names, ours, strict=True)
    )


def _ours(name: str, joints: Sequence[str]) -> str | None:
    for number, joint in enumerate(joints, 1):
        for stem in STEMS:
            if name == f"{stem}_{joint}":
                return f"{stem}_{number}"
        for stem, field in FIELDS.items():
            if f"/{name}".endswith(f"/{MOTOR_STATES}/{joint}/{field}"):
                # the efforts are those of the other topic
                return f"motor_length_{number}" if stem == "length" else None
            if f"/{name}".endswith(f"/{joint}/{field}"):
                return f"{stem}_{number}"
    return None
