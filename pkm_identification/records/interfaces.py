# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Message definitions for bags: ROS 2's own and this package's, without ROS."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

PACKAGE = "pkm_identification"


def list_message_files() -> tuple[Path, ...]:
    """Return the package's .msg files: beside the installed modules, or in the source tree."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "interfaces" / "msg", package.parent / "msg"):
        files = tuple(sorted(folder.glob("*.msg")))
        if files:
            return files
    return ()


@cache
def typestore() -> Typestore:
    """Types of ROS 2 Kilted together with this package's own messages."""
    store = get_typestore(Stores.ROS2_KILTED)
    for file in list_message_files():
        store.register(get_types_from_msg(file.read_text(encoding="utf-8"), f"{PACKAGE}/msg/{file.stem}"))
    return store


def full_type_name(name: str) -> str:
    """`sensor_msgs/JointState` as bags call it: `sensor_msgs/msg/JointState`."""
    package, _, message = name.partition("/")
    return name if "/" in message or not message else f"{package}/msg/{message}"
