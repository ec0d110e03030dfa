# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Message definitions for bags: ROS 2's own and this package's, without ROS."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

PACKAGE = "pkm_identification"


def list_message_files() -> tuple[Path, ...]:
    """Return the package's .msg files: next to the installed modules, or in the source tree."""
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
