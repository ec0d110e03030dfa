# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""sensor_msgs/JointState as bags hold it, whole batches at a time.

In a recording nearly all messages have the same names and array lengths, so stamp and numbers stand at the
same bytes of each. Those places are found once for each kind of message; then a batch is one array of bytes.
"""

from __future__ import annotations

import struct
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pkm_identification.errors import LogError
from pkm_identification.motion import STRUT_NAMES, DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.large_arrays import GrowingArray

from .clocks import LAST_SECOND, NANOSECONDS, nanoseconds_of, seconds_of
from .interfaces import typestore

JOINT_STATE = "sensor_msgs/msg/JointState"
REASONS = ("missing_name", "repeated_name", "unequal_lengths", "zero_stamp", "bad_stamp")
# CDR: four bytes that tell the encoding, then the fields; a value of n bytes is aligned to n from there.
LITTLE_ENDIAN = b"\x00\x01\x00\x00"
ORIGIN = 4
STAMP = slice(ORIGIN, ORIGIN + 8)
SEVERAL = 2**15  # messages that are there at a time

ByteArray = NDArray[np.uint8]


@dataclass(frozen=True)
class DecodedJoints:
    """Samples of joints in a sequence of messages, in their order.

    Attributes
    ----------
    time : ndarray, shape (N,)
        s, of the messages that name every joint once.
    position, effort : ndarray, shape (N, n)
        `effort` is None when no message has one that is a number, and NaN where single ones have none.
    dropped : dict of str to int
        Messages left out, by reason, which are those of the nodes' diagnostics: `missing_name`, `repeated_name` (of a
        joint), `unequal_lengths` (of names and arrays), `zero_stamp` (the publisher set none), `bad_stamp` (an
        impossible one).
    complaint : str
        What is wrong with the first of those.
    notes : tuple of str
        What a reader of results should know.
    """

    time: FloatArray
    position: FloatArray
    effort: FloatArray | None
    dropped: dict[str, int]
    complaint: str
    notes: tuple[str, ...] = ()


def decode_joints(
    messages: Iterable[bytes], source: str, names: Sequence[str], arrivals: Iterable[int] | None = None
) -> DecodedJoints:
    """Return samples of joints with these names from serialized JointState messages, some thousand at a time.

    Parameters
    ----------
    messages : iterable of bytes
        CDR. Names tell which joint is which; other names are ignored.
    source : str
        For messages.
    names : sequence of str
    arrivals : iterable of int, optional
        Times of arrival in ns, which are used instead of the stamps.

    Raises
    ------
    LogError
        If a message cannot be decoded.
    """
    times, places, efforts = GrowingArray(), GrowingArray(), GrowingArray()
    times.append(np.empty(0))
    for rows in (places, efforts):
        rows.append(np.empty((0, len(names))))
    counts: Counter[str] = Counter()
    has_effort = False
    complaint, before, rest = "", 0, iter(messages)
    clock = None if arrivals is None else iter(arrivals)
    while several := list(islice(rest, SEVERAL)):
        received = None if clock is None else list(islice(clock, len(several)))
        stamp, position, effort, problems = _decode(several, source, before, names, received)
        good = np.ones(len(several), dtype=bool)
        good[list(problems)] = False
        times.append(np.array([seconds_of(*each) for each in stamp[good].tolist()], dtype=float))
        places.append(position[good])
        efforts.append(effort[good])
        has_effort = has_effort or bool(np.any(~np.isnan(effort[good])))
        counts.update(reason for reason, _ in problems.values())
        if problems and not complaint:
            complaint = f"message {before + min(problems) + 1}: {problems[min(problems)][1]}"
        before += len(several)
    return DecodedJoints(
        times.taken(),
        places.taken(),
        efforts.taken() if has_effort else None,
        {reason: counts[reason] for reason in REASONS if counts[reason]},
        complaint,
    )


def decode_single_joints(
    messages: Iterable[bytes],
    source: str,
    names: Sequence[str],
    arrivals: Iterable[int],
    dropped: Counter[str],
    by_arrival: bool = False,
) -> Iterator[tuple[int, FloatArray]]:
    """Yield a joint's number and its samples (n, 4): stamp, position, effort (NaN without one), arrival, s; in order.

    Of messages that name some of the joints; those left out are counted in `dropped`, by reason as in `DecodedJoints`.
    """
    before, rest = 0, iter(messages)
    clock = iter(arrivals)
    while several := list(islice(rest, SEVERAL)):
        received = np.array(list(islice(clock, len(several))), dtype=np.int64)
        found: dict[int, list[tuple[NDArray[np.int64], FloatArray]]] = defaultdict(list)
        for layout, rows, data in _iterate_batches(several, source, before):
            came = _split_nanoseconds(received[rows])
            stamp = came if by_arrival else _read_stamps(data)
            here = [joint for joint, name in enumerate(names) if name in layout.names]
            problem = layout.problem([names[joint] for joint in here])
            if problem is not None:
                dropped[problem[0]] += len(rows)
                continue
            if not here:
                continue
            unstamped = ~stamp.any(axis=1)
            impossible = ~unstamped & ((stamp[:, 0] < 0) | (stamp[:, 0] >= LAST_SECOND))
            dropped["zero_stamp"] += int(np.sum(unstamped))
            dropped["bad_stamp"] += int(np.sum(impossible))
            used = ~(unstamped | impossible)
            time = np.array([seconds_of(*each) for each in stamp.tolist()], dtype=float)
            arrival = np.array([seconds_of(*each) for each in came.tolist()], dtype=float)
            position, effort = (_read_values(data, part, "<f8") for part in (layout.position, layout.effort))
            for joint in here:
                column = layout.names.index(names[joint])
                force = effort[:, column] if effort.shape[1] else np.full(len(rows), np.nan)
                samples = np.column_stack([time, position[:, column], force, arrival])[used]
                found[joint].append((rows[used], samples))
        for joint, parts in found.items():
            order = np.argsort(np.concatenate([rows for rows, _ in parts]), kind="stable")
            yield joint, np.concatenate([samples for _, samples in parts])[order]
        before += len(several)


def _read_stamps(data: ByteArray) -> NDArray[np.int64]:
    """Return the stamps (n, 2) of messages, s and ns."""
    return np.hstack(
        [_read_values(data, STAMP, "<i4")[:, :1], _read_values(data, STAMP, "<u4")[:, 1:]]
    ).astype(np.int64)


def _split_nanoseconds(time: ArrayLike) -> NDArray[np.int64]:
    """Return times in ns as s and ns, (n, 2)."""
    return np.stack(np.divmod(np.asarray(time, dtype=np.int64), NANOSECONDS), axis=1)


def _decode(
    messages: Sequence[bytes],
    source: str,
    before: int,
    struts: Sequence[str],
    received: Sequence[int] | None = None,
) -> tuple[NDArray[np.int64], FloatArray, FloatArray, dict[int, tuple[str, str]]]:
    """Stamps (n, 2) in s and ns, positions and efforts (n, joints) of messages; what is wrong with one, by row."""
    count = len(messages)
    stamp = np.zeros((count, 2), dtype=np.int64)
    length = np.full((count, len(struts)), np.nan)
    force = np.full((count, len(struts)), np.nan)
    problems: dict[int, tuple[str, str]] = {}
    for layout, rows, data in _iterate_batches(messages, source, before):
        problem = layout.problem(struts)
        if problem is not None:
            problems |= dict.fromkeys(rows.tolist(), problem)
            continue
        order = [layout.names.index(name) for name in struts]
        stamp[rows] = _read_stamps(data)
        length[rows] = _read_values(data, layout.position, "<f8")[:, order]
        if layout.effort.start < layout.effort.stop:
            force[rows] = _read_values(data, layout.effort, "<f8")[:, order]
    if received is not None:
        stamp = _split_nanoseconds(received)
    named = np.ones(count, dtype=bool)
    named[list(problems)] = False
    unstamped = named & ~stamp.any(axis=1)
    impossible = named & ~unstamped & ((stamp[:, 0] < 0) | (stamp[:, 0] >= LAST_SECOND))
    problems |= dict.fromkeys(np.flatnonzero(unstamped).tolist(), ("zero_stamp", "its stamp is zero"))
    problems |= dict.fromkeys(np.flatnonzero(impossible).tolist(), ("bad_stamp", "its stamp is impossible"))
    return stamp, length, force, problems


def encode_struts(
    log: DriveLog, struts: Sequence[str] = STRUT_NAMES, length: FloatArray | None = None
) -> tuple[list[bytes], list[int]]:
    """Serialize a log as JointState messages with these names of the drives, its coordinates or others (N, n).

    Returns
    -------
    messages : list of bytes
        CDR, one for each sample.
    stamps : list of int
        Their header stamps in ns. Where a log begins at 0 s, the first is 1: 0 says that there is none.

    Raises
    ------
    LogError
        If a time is not finite or does not fit a ROS stamp.
    """
    for row, time in enumerate(log.time.tolist()):
        # The seconds of a stamp are an int32.
        if not -(2**31) <= time < 2**31 - 1:
            raise LogError(f"{log.source}: sample {row + 1}: time {time} s cannot be the stamp of a message")
    stamps = [nanoseconds_of(time) for time in log.time.tolist()]
    if len(stamps) > 1 and stamps[0] == 0 < stamps[1]:
        stamps[0] = 1  # a clock that begins at 0, and no missing stamp
    sec, nanosec = np.divmod(np.array(stamps, dtype=np.int64), NANOSECONDS)
    shown = log.coordinate if length is None else length
    template = _build_template(struts, with_force=log.force is not None)
    layout = _Layout.of(template)
    data = np.tile(np.frombuffer(template, np.uint8), (len(log), 1))
    data[:, STAMP] = np.stack([sec.astype("<i4").view("<u4"), nanosec.astype("<u4")], axis=1).view(np.uint8)
    data[:, layout.position] = np.ascontiguousarray(shown, dtype="<f8").view(np.uint8)
    if log.force is not None:
        data[:, layout.effort] = np.ascontiguousarray(log.force, dtype="<f8").view(np.uint8)
    return [row.tobytes() for row in data], stamps


@dataclass(frozen=True)
class _Layout:
    """Where the numbers of one kind of message stand, in bytes.

    `fixed` holds the bytes that tell the layout: names and array lengths, but neither the numbers nor the
    padding, whose content is arbitrary.
    """

    names: tuple[str, ...]
    position: slice
    effort: slice
    fixed: NDArray[np.int64]

    @classmethod
    def of(cls, raw: bytes) -> _Layout:
        """Walk through a little-endian message; ValueError or struct.error if it ends too early."""
        at = STAMP.stop
        fixed: list[int] = []

        def count() -> int:
            nonlocal at
            at += -(at - ORIGIN) % 4
            (value,) = struct.unpack_from("<I", raw, at)
            fixed.extend(range(at, at + 4))
            at += 4
            if value > len(raw):
                raise ValueError("an array is longer than the message")
            return value

        def text() -> str:
            nonlocal at
            start = at + 0
            size = count()
            start, at = at, at + size
            fixed.extend(range(start, min(at, len(raw))))
            return raw[start : max(start, at - 1)].decode()

        def doubles() -> slice:
            nonlocal at
            size = count()
            if size:
                at += -(at - ORIGIN) % 8
            start, at = at, at + 8 * size
            return slice(start, at)

        text()  # frame
        names = tuple(text() for _ in range(count()))
        position, _velocity, effort = doubles(), doubles(), doubles()
        if at > len(raw):
            raise ValueError("it ends too early")
        return cls(names, position, effort, np.array(fixed))

    def problem(self, struts: Sequence[str]) -> tuple[str, str] | None:
        """Return why the struts cannot be distinguished: reason and text, or None."""
        times = Counter(self.names)
        for name in struts:
            if not times[name]:
                there = ", ".join(self.names[:12])
                return (
                    "missing_name",
                    f"name {name} is missing; there are: {there}; joint_names of the machine file, or "
                    "--joints, says which are the struts",
                )
        for name in struts:
            if times[name] > 1:
                return "repeated_name", f"name {name} is there {times[name]} times"
        for field, values in (("positions", self.position), ("efforts", self.effort)):
            size = (values.stop - values.start) // 8
            if size != len(self.names) and not (field == "efforts" and size == 0):
                return "unequal_lengths", f"{len(self.names)} names but {size} {field}"
        return None


def _iterate_batches(
    messages: Sequence[bytes], source: str, before: int
) -> Iterator[tuple[_Layout, NDArray[np.int64], ByteArray]]:
    """Messages of equal layout: the layout, their rows, and their bytes, shape (len(rows), size)."""
    by_size: dict[int, list[tuple[int, bytes]]] = defaultdict(list)
    for row, raw in enumerate(messages):
        message = (
            raw if raw[:ORIGIN] == LITTLE_ENDIAN else _convert_to_little_endian(raw, before + row, source)
        )
        by_size[len(message)].append((row, message))
    for size, items in by_size.items():
        rows = np.array([row for row, _ in items])
        data = np.frombuffer(b"".join(message for _, message in items), np.uint8).reshape(len(rows), size)
        while len(rows):
            try:
                layout = _Layout.of(data[0].tobytes())
            except (ValueError, struct.error) as error:
                raise LogError(
                    f"{source}: message {before + rows[0] + 1} is no {JOINT_STATE}: {error}"
                ) from None
            same = (data[:, layout.fixed] == data[0, layout.fixed]).all(axis=1)
            yield layout, rows[same], data[same]
            rows, data = rows[~same], data[~same]


def _convert_to_little_endian(raw: bytes, row: int, source: str) -> bytes:
    """Return a message of another encoding, as little-endian CDR."""
    store = typestore()
    try:
        return bytes(store.serialize_cdr(store.deserialize_cdr(raw, JOINT_STATE), JOINT_STATE))
    except Exception as error:  # bytes of unknown origin make a decoder raise anything
        raise LogError(f"{source}: message {row + 1} is no {JOINT_STATE}: {error}") from None


def _read_values(data: ByteArray, rows: slice, dtype: str) -> NDArray:
    return np.ascontiguousarray(data[:, rows]).view(dtype)


def _build_template(struts: Sequence[str], with_force: bool) -> bytes:
    types = typestore().types
    zeros = np.zeros(len(struts))
    stamp = types["builtin_interfaces/msg/Time"](sec=0, nanosec=0)
    message = types[JOINT_STATE](
        header=types["std_msgs/msg/Header"](stamp=stamp, frame_id=""),
        name=list(struts),
        position=zeros,
        velocity=zeros[:0],
        effort=zeros if with_force else zeros[:0],
    )
    return bytes(typestore().serialize_cdr(message, JOINT_STATE))
