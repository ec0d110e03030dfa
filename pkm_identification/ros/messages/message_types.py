# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Message classes by the names that bags and the ROS graph use."""

from __future__ import annotations

import re
from importlib import import_module

from pkm_identification.errors import LogError

_NAME = re.compile(r"^([a-z][a-z0-9_]*)(?:/msg)?/([A-Z][A-Za-z0-9]*)$")


def message_class(name: str) -> type:
    """Class of a message type such as `sensor_msgs/msg/JointState`.

    Raises
    ------
    LogError
        If the name is no message type or its package is not installed.
    """
    match = _NAME.match(name)
    if match is None:
        raise LogError(f"'{name}' is not the name of a message type")
    package, message = match.groups()
    try:
        return getattr(import_module(f"{package}.msg"), message)
    except (ImportError, AttributeError):
        raise LogError(f"message type '{name}' is not installed") from None


def type_name(message_type: type) -> str:
    """Name of a message class as bags write it."""
    return f"{message_type.__module__.partition('.')[0]}/msg/{message_type.__name__}"
