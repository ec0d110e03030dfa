# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Messages of a stream as bytes, without message objects in between.

rclpy makes a Python object of a message, of each message inside and of their defaults as well: at 1 kHz that alone was
two fifths of the processor time of the estimator node. A message that is a header, names, and then nothing but numbers
is, for one machine, one C structure behind its names, which NumPy reads and writes as it stands (OMG DDS-XTypes 1.3,
7.4.3: XCDR version 1, as all middlewares of ROS 2 send it; anything else goes by way of rclpy).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from rclpy.serialization import deserialize_message, serialize_message
from rosidl_parser.definition import Array, BasicType, NamespacedType, UnboundedSequence

from pkm_identification.records.clocks import seconds_of

from ..clock import stamp_parts

PLAIN = b"\x00\x01"  # plain CDR, little endian
ENCAPSULATION = 4  # bytes; alignment counts from behind them
HEADER = struct.Struct("<4xiII")  # seconds, nanoseconds, length of frame_id with its zero
ALIGNMENT = 8
CODES = {"double": "<f8", "float": "<f4", "boolean": "u1", "octet": "u1", "uint8": "u1", "int8": "i1",
         "uint16": "<u2", "int16": "<i2", "uint32": "<u4", "int32": "<i4", "uint64": "<u8", "int64": "<i8"}  # fmt: skip
COUNT = "<u4"  # in front of an array of any length
_COUNTED = " count"  # behind a field's name: the number of its entries


class StreamType:
    """A message type: std_msgs/Header, names where there are any, a float64 or several, and any other numbers.

    Parameters
    ----------
    message_type : type
        Class of the messages; messages inside them count as arrays of their numbers.
    names : sequence of str
        What `names` of the messages must be; none may stand for these.
    sizes : mapping of str to int
        Entries of arrays of any length, by field; others have one for each name.
    optional : collection of str
        Fields that may be empty: they are read as NaN.

    Attributes
    ----------
    layout : numpy.dtype
        One field for each of the message's own, without header and names, and one before each array of any length.
    counts : dict of str to int
        What stands in the latter.
    head : list of bytes
        Names as they stand behind the header, each part at a multiple of 4.

    Raises
    ------
    TypeError
        If the messages hold anything else.
    """

    def __init__(
        self,
        message_type: Any,
        names: Sequence[str] = (),
        sizes: Mapping[str, int] | None = None,
        optional: Sequence[str] = (),
    ) -> None:
        self.message_type = message_type
        self.names = tuple(names)
        self._optional = frozenset(optional)
        (header, _), *fields = _list_fields(message_type)
        self._named = fields[0][0] == "names" and isinstance(fields[0][1], UnboundedSequence)
        texts = [name.encode() + b"\x00" for name in self.names]
        self.head = [len(texts).to_bytes(4, "little")] if self._named else []
        self.head += [len(text).to_bytes(4, "little") + text for text in texts]
        self.counts: dict[str, int] = {}
        parts: list[tuple[str, Any, tuple[int, ...]]] = []
        for name, kind in fields[1:] if self._named else fields:
            if isinstance(kind, UnboundedSequence):
                size = self.counts[name] = (sizes or {}).get(name, len(self.names))
                parts.append((name + _COUNTED, COUNT, ()))
                if size:
                    parts.append((name, _describe_numbers(kind.value_type)[0], (size,)))
            else:
                parts.append((name, *_describe_numbers(kind)))
        layout = np.dtype(parts, align=True)
        places: Mapping[str, Any] = layout.fields or {}
        end = max(offset[1] + offset[0].itemsize for offset in places.values())
        if header != "header" or layout[0].base != "<f8" or end != layout.itemsize:
            raise TypeError(f"{message_type.__name__} is no header with numbers behind")
        self.layout = layout

    def read(self, message: Any) -> tuple[float, np.ndarray]:
        """Stamp in s and numbers, by name, of a message or of the bytes it came in.

        Raises
        ------
        ValueError
            If the bytes are no such message, or its names or the lengths of its arrays are not the machine's.
        """
        data = message if isinstance(message, bytes) else serialize_message(message)
        try:
            found = self._numbers_of(data) if data[:2] == PLAIN else None
            if found is None:
                whole = deserialize_message(data, self.message_type)
                self._complete(whole)
                found = self._numbers_of(serialize_message(whole))
        except (struct.error, TypeError, RuntimeError, IndexError):
            found = None
        if found is None:
            raise ValueError(f"{len(data)} bytes that are no {self.message_type.__name__}")
        return found

    def _numbers_of(self, data: bytes) -> tuple[float, np.ndarray] | None:
        """Stamp and numbers of bytes as the machine's own nodes send them; None of others."""
        sec, nanosec, length = HEADER.unpack_from(data)
        offset = HEADER.size + length
        for part in self.head:
            offset += -offset % 4
            if data[offset : offset + len(part)] != part:
                return None
            offset += len(part)
        start = align_position(offset)
        if len(data) < start + self.layout.itemsize:
            return None
        # a copy, because kernels are compiled for aligned arrays that may be written
        numbers = np.ndarray((), self.layout, bytearray(data[start : start + self.layout.itemsize]))
        for name, count in self.counts.items():
            if numbers[name + _COUNTED] != count:
                return None
        return seconds_of(sec, nanosec), numbers

    def _complete(self, message: Any) -> None:
        """Give a message that came in another form the names and arrays that it may leave out.

        Raises
        ------
        ValueError
            If it has others.
        """
        kind = self.message_type.__name__
        if self._named:
            names = tuple(message.names)
            if names and names != self.names:
                shown = ", ".join(name[:40] for name in names[:8])
                raise ValueError(f"{kind} of [{shown}], expected [{', '.join(self.names)}]")
            message.names = list(self.names)
        for name, count in self.counts.items():
            given = len(getattr(message, name))
            if given == 0 and name in self._optional:
                setattr(message, name, [np.nan] * count)
            elif given != count:
                raise ValueError(f"{kind} with {given} numbers in '{name}', expected {count}")


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
        begin = bytearray(HEADER.size) + text
        HEADER.pack_into(begin, 0, 0, 0, len(text))
        begin[: len(PLAIN)] = PLAIN
        for part in kind.head:
            begin += bytes(-len(begin) % 4) + part
        start = align_position(len(begin))
        self._buffer = begin + bytes(start - len(begin) + kind.layout.itemsize)
        self.numbers = np.ndarray((), kind.layout, self._buffer, start)
        for name, count in kind.counts.items():
            self.numbers[name + _COUNTED] = count

    def message(self, time: float) -> bytes:
        """Return the message with this stamp in s.

        Raises
        ------
        ValueError
            If the time does not fit into a stamp.
        """
        struct.pack_into("<iI", self._buffer, ENCAPSULATION, *stamp_parts(time))
        return bytes(self._buffer)


def align_position(offset: int) -> int:
    """Return the next place in a message, counted from its very beginning, at which a float64 may stand."""
    return ENCAPSULATION - (ENCAPSULATION - offset) // ALIGNMENT * ALIGNMENT


def _list_fields(message_type: Any) -> list[tuple[str, Any]]:
    return list(zip(message_type.get_fields_and_field_types(), message_type.SLOT_TYPES, strict=True))


def _describe_numbers(kind: Any) -> tuple[str, tuple[int, ...]]:
    """Code and shape of a field's numbers, () for a single one."""
    if isinstance(kind, BasicType) and kind.typename in CODES:
        return CODES[kind.typename], ()
    if isinstance(kind, Array):
        code, shape = _describe_numbers(kind.value_type)
        return code, (kind.size, *shape)
    if isinstance(kind, NamespacedType):
        message_type = getattr(import_module(".".join(kind.namespaces)), kind.name)
        inside = [_describe_numbers(part) for _, part in _list_fields(message_type)]
        codes = {code for code, _ in inside}
        if len(codes) == 1:
            return codes.pop(), (sum(int(np.prod(shape)) for _, shape in inside),)
    raise TypeError(f"{kind} is not made of numbers of one kind")
