# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Messages of a stream as bytes, without message objects in between.

rclpy makes a Python object of a message, of each message inside and of their defaults besides: at 1 kHz that alone was
two fifths of the processor time of the estimator node. A message that is a header and then nothing but numbers is
one C structure behind its header, which NumPy reads and writes as it stands (OMG DDS-XTypes 1.3, 7.4.3: XCDR version 1,
as all middlewares of ROS 2 send it; anything else goes by way of rclpy).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from rclpy.serialization import deserialize_message, serialize_message
from rosidl_parser.definition import Array, BasicType, NamespacedType

from pkm_identification.records.stamps import seconds_of

from ..clock import stamp_parts

PLAIN = b"\x00\x01"  # plain CDR, little endian
ENCAPSULATION = 4  # bytes; alignment counts from behind them
HEADER = struct.Struct("<4xiII")  # seconds, nanoseconds, length of frame_id with its zero
ALIGNMENT = 8
CODES = {"double": "<f8", "float": "<f4", "boolean": "u1", "octet": "u1", "uint8": "u1", "int8": "i1",
         "uint16": "<u2", "int16": "<i2", "uint32": "<u4", "int32": "<i4", "uint64": "<u8", "int64": "<i8"}  # fmt: skip


class StreamType:
    """A message type: std_msgs/Header, a float64 or several, and any other numbers.

    Parameters
    ----------
    message_type : type
        Class of the messages; messages inside them count as arrays of their numbers.

    Attributes
    ----------
    layout : numpy.dtype
        One field for each of the message's own, without the header.

    Raises
    ------
    TypeError
        If the messages hold anything else.
    """

    def __init__(self, message_type: Any) -> None:
        self.message_type = message_type
        (header, _), *fields = _fields(message_type)
        layout = np.dtype([(name, *_numbers(kind)) for name, kind in fields], align=True)
        places: Mapping[str, Any] = layout.fields or {}
        end = max(place[1] + place[0].itemsize for place in places.values())
        if header != "header" or layout[0].base != "<f8" or end != layout.itemsize:
            raise TypeError(f"{message_type.__name__} is no header with numbers behind")
        self.layout = layout

    def read(self, message: Any) -> tuple[float, np.ndarray]:
        """Stamp in s and numbers, by name, of a message or of the bytes it came in.

        Raises
        ------
        ValueError
            If the bytes are no such message.
        """
        data = message if isinstance(message, bytes) else serialize_message(message)
        try:
            if data[:2] != PLAIN:
                data = serialize_message(deserialize_message(data, self.message_type))
            sec, nanosec, length = HEADER.unpack_from(data)
            # a copy, because kernels are compiled for aligned arrays that may be written
            start = _aligned(HEADER.size + length)
            numbers = np.ndarray((), self.layout, bytearray(data[start : start + self.layout.itemsize]))
        except (struct.error, TypeError, RuntimeError):
            raise ValueError(f"{len(data)} bytes that are no {self.message_type.__name__}") from None
        return seconds_of(sec, nanosec), numbers


class StreamWriter:
    """Writes messages of a type, one after the other.

    Parameters
    ----------
    kind : StreamType
    frame_id : str

    Attributes
    ----------
    numbers : ndarray, shape ()
        To be filled, by name, before each message.
    """

    def __init__(self, kind: StreamType, frame_id: str = "") -> None:
        text = frame_id.encode() + b"\x00"
        start = _aligned(HEADER.size + len(text))
        self._buffer = bytearray(start + kind.layout.itemsize)
        HEADER.pack_into(self._buffer, 0, 0, 0, len(text))
        self._buffer[: len(PLAIN)] = PLAIN
        self._buffer[HEADER.size : HEADER.size + len(text)] = text
        self.numbers = np.ndarray((), kind.layout, self._buffer, start)

    def message(self, time: float) -> bytes:
        """The message with this stamp in s.

        Raises
        ------
        ValueError
            If the time does not fit into a stamp.
        """
        struct.pack_into("<iI", self._buffer, ENCAPSULATION, *stamp_parts(time))
        return bytes(self._buffer)


def _aligned(place: int) -> int:
    """The next place in a message, counted from its very beginning, at which a float64 may stand."""
    return ENCAPSULATION - (ENCAPSULATION - place) // ALIGNMENT * ALIGNMENT


def _fields(message_type: Any) -> list[tuple[str, Any]]:
    return list(zip(message_type.get_fields_and_field_types(), message_type.SLOT_TYPES, strict=True))


def _numbers(kind: Any) -> tuple[str, tuple[int, ...]]:
    """Code and shape of a field's numbers, () for a single one."""
    if isinstance(kind, BasicType) and kind.typename in CODES:
        return CODES[kind.typename], ()
    if isinstance(kind, Array):
        code, shape = _numbers(kind.value_type)
        return code, (kind.size, *shape)
    if isinstance(kind, NamespacedType):
        message_type = getattr(import_module(".".join(kind.namespaces)), kind.name)
        inside = [_numbers(part) for _, part in _fields(message_type)]
        codes = {code for code, _ in inside}
        if len(codes) == 1:
            return codes.pop(), (sum(int(np.prod(shape)) for _, shape in inside),)
    raise TypeError(f"{kind} is not made of numbers of one kind")
