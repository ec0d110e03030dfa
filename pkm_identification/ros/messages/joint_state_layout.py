# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Joint states as bytes: those of one driver are alike but for their stamps and numbers.

rclpy makes a message of Python objects, with defaults that are thrown away, and converts each number: at 1 kHz a fifth
of what three nodes in one process use. Where the numbers stand is learned from a message that was read so.
"""

from __future__ import annotations

import struct

import numpy as np
from sensor_msgs.msg import JointState

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records.clocks import seconds_of

from .wire import ENCAPSULATION, HEADER, PLAIN, align_position

_STAMP = struct.Struct("<iI")
_COUNT = 4  # bytes, in front of names, texts and numbers, at a multiple of themselves


class JointStateLayout:
    """Where positions and efforts of joint states stand that are of the same names and lengths as a message.

    Parameters
    ----------
    message : JointState
    data : bytes
        The message as it came.
    """

    def __init__(self, message: JointState, data: bytes) -> None:
        self._arrays: list[tuple[int, int]] = []  # numbers of entries, and where the first stands
        offset = HEADER.size + _compute_size(message.header.frame_id)
        parts = [slice(0, len(PLAIN)), slice(ENCAPSULATION + _STAMP.size, offset)]
        for size in (0, *map(_compute_size, message.name)):
            begin = _locate_next_count(offset)
            offset = begin + _COUNT + size
            parts.append(slice(begin, offset))
        for values in (message.position, message.velocity, message.effort):
            begin = _locate_next_count(offset)
            offset = begin + _COUNT
            parts.append(slice(begin, offset))
            offset = align_position(offset) if len(values) else offset
            self._arrays.append((len(values), offset))
            offset += 8 * len(values)
        self._length = offset
        # what is between is not always written
        self._fixed = [(part, data[part]) for part in _join_parts(parts)]

    @classmethod
    def learn(cls, message: JointState, data: bytes) -> JointStateLayout | None:
        """Return the layout of a message that came as these bytes; None where it is another than expected."""
        if data[: len(PLAIN)] != PLAIN:
            return None
        layout = cls(message, data)
        found, wanted = layout.read(data), (np.array(message.position), np.array(message.effort))
        if found is None:
            return None
        same = [
            one is None or one.tobytes() == other.tobytes()
            for one, other in zip(found[1:], wanted, strict=True)
        ]
        return layout if all(same) else None

    def read(self, data: bytes) -> tuple[float, FloatArray, FloatArray | None] | None:
        """Return stamp in s, positions and efforts (n,), None without efforts; None of bytes in another layout."""
        if len(data) < self._length:
            return None
        for part, expected in self._fixed:
            if data[part] != expected:
                return None
        (count, position), _, (efforts, effort) = self._arrays
        # copies, because kernels are compiled for aligned arrays that may be written
        return (
            seconds_of(*_STAMP.unpack_from(data, ENCAPSULATION)),
            np.frombuffer(data, "<f8", count, position).copy(),
            np.frombuffer(data, "<f8", efforts, effort).copy() if efforts else None,
        )


def _join_parts(parts: list[slice]) -> list[slice]:
    """Parts of bytes with those in one that follow each other without a gap."""
    joined = parts[:1]
    for part in parts[1:]:
        if part.start == joined[-1].stop:
            joined[-1] = slice(joined[-1].start, part.stop)
        else:
            joined.append(part)
    return joined


def _compute_size(text: str) -> int:
    """Bytes of a text with the zero at its end."""
    return len(text.encode()) + 1


def _locate_next_count(offset: int) -> int:
    return offset + -offset % _COUNT
