# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Recorded messages of this package in the layout of the release that recorded them, as today's.

A recording keeps the definitions of its messages, so an older one says how its bytes are to be read. Recorders of older
ROS 2 leave definitions out: then messages that are not in today's layout are in the one from before arrays had names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from rosbags.interfaces import Connection, MessageDefinitionFormat, Nodetype
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

from ..interfaces import PACKAGE, full_type_name, typestore

# Fields that were called otherwise before arrays had names.
RENAMED = {
    "StrutStates": {"coordinate": "length"},
    "PlatformState": {"force": "strut_force"},
    "ControllerState": {"desired_coordinate": "desired_length"},
}
# What older messages do not say: a platform was all there was.
IMPLIED: Mapping[str, Mapping[str, Any]] = {"PlatformState": {"has_pose": True}}
UNNAMED = {
    "StrutStates": "std_msgs/Header header\nfloat64[6] length\nfloat64[6] rate\nfloat64[6] acceleration\n"
    "float64[6] force\nbool force_valid\nuint32 segment\nfloat64 delay\n",
    "PlatformState": "std_msgs/Header header\ngeometry_msgs/Pose pose\ngeometry_msgs/Twist twist\n"
    "geometry_msgs/Accel accel\nfloat64[6] strut_force\nbool force_valid\nuint8 status\nuint16 iterations\n"
    "float64 residual\nfloat64 condition\nuint32 segment\nfloat64 delay\n",
    "ControllerState": "std_msgs/Header header\nuint8 state\nstring mode\nuint32 estimates\n"
    "float64[6] desired_length\nfloat64[6] error\nfloat64[6] feed_forward\nfloat64[6] feedback\n"
    "float64[6] command\n",
}


def create_converter(connection: Connection) -> Callable[[bytes], bytes] | None:
    """Return what gives a topic's recorded bytes today's layout; None where they have it, or are of no such type.

    Parameters
    ----------
    connection : Connection
        Of a recording that is open.
    """
    name = full_type_name(connection.msgtype)
    package, _, kind = name.rpartition("/")
    if package != f"{PACKAGE}/msg" or kind not in RENAMED:
        return None
    definition = connection.msgdef
    if definition.format is MessageDefinitionFormat.NONE or not definition.data:
        older = _store_with(UNNAMED[kind], name)
        return lambda data: data if _is_current(data, name) else _convert(older, kind, name, data)
    recorded = _store_with(definition.data, name)
    if recorded.hash_rihs01(name) == typestore().hash_rihs01(name):
        return None
    return lambda data: _convert(recorded, kind, name, data)


def _store_with(definition: str, name: str) -> Typestore:
    store = get_typestore(Stores.ROS2_KILTED)
    types = get_types_from_msg(definition, name)
    store.register({key: value for key, value in types.items() if key not in store.fielddefs})
    return store


def _is_current(data: bytes, name: str) -> bool:
    try:
        message: Any = typestore().deserialize_cdr(data, name)
    except Exception:  # bytes of another layout make a decoder raise anything
        return False
    force = message.force if hasattr(message, "force") else message.command
    return len(message.names) in (0, len(force))


def _convert(recorded: Typestore, kind: str, name: str, data: bytes) -> bytes:
    """Return a message as today's; fields that it does not have are empty."""
    store, older = typestore(), recorded.deserialize_cdr(data, name)
    implied = IMPLIED.get(kind, {})
    values = {}
    for field, (node, inner) in store.fielddefs[name][1]:
        before = RENAMED[kind].get(field, field)
        if hasattr(older, before):
            values[field] = getattr(older, before)
        elif node is Nodetype.SEQUENCE:
            values[field] = [] if inner[0][1][0] == "string" else np.empty(0)
        else:
            values[field] = implied[field]
    return bytes(store.serialize_cdr(store.types[name](**values), name))
