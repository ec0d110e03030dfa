# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Recordings (rosbag2: sqlite3 or mcap, a folder or a single file; ROS 1: .bag): strut logs and raw messages."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import tee
from pathlib import Path

from rosbags.interfaces import Qos
from rosbags.rosbag2 import Reader

from pkm_identification.errors import LogError
from pkm_identification.numerics.memory import beyond_memory

from ..interfaces import full_type_name
from ..joint_groups import decode_joint_groups
from ..joint_state import JOINT_STATE, DecodedJoints, decode_joints
from ..table import short
from . import MOTOR_STATES, ROS_1, STRUT_STATES
from .cut import CutReader, find_cut_files
from .older_messages import create_converter
from .packed import unpack_recording
from .part_lock import part_folder
from .ros1 import Ros1Reader

AnyReader = Reader | Ros1Reader | CutReader

LONGEST_REASON = 200  # letters of a decoder's own words, which may quote the bytes that it got
# What each kind of file begins with
BEGINNINGS = {
    ".db3": (b"SQLite format 3\0", "an SQLite database"),
    ".mcap": (b"\x89MCAP0\r\n", "an MCAP file"),
    ".bag": (b"#ROSBAG V", "a ROS 1 bag"),
}


@dataclass(frozen=True)
class BagMessage:
    """One recorded message: topic, type (`sensor_msgs/msg/JointState`), time of arrival in ns, and CDR."""

    topic: str
    type: str
    stamp: int
    data: bytes


def list_bag_topics(path: str | Path) -> dict[str, str]:
    """Topics of a recording and their types; raises LogError if it cannot be read."""
    with _open(path) as reader:
        return _list_topics(reader)


def is_cut(path: str | Path) -> bool:
    """Return whether a recording ends in the middle, and is read up to there; raises LogError if it cannot be read."""
    with _open(path) as reader:
        return isinstance(reader, CutReader)


def bag_qos(path: str | Path) -> dict[str, list[Qos]]:
    """What publishers of a recording's topics offered, as far as it is recorded; LogError if it cannot be read."""
    with _open(path) as reader:
        offered: dict[str, list[Qos]] = {}
        for connection in reader.connections:
            known = getattr(connection.ext, "offered_qos_profiles", ())
            offered.setdefault(connection.topic, []).extend(known)
        return offered


def read_messages(
    path: str | Path, topics: Collection[str] | None = None
) -> Generator[BagMessage, None, None]:
    """Messages of a recording in the order of their arrival, one by one; this package's own in today's layout.

    Parameters
    ----------
    path : str or Path
        Folder of a rosbag2 recording, or its .db3 or .mcap file, or a .bag of ROS 1.
    topics : collection of str, optional
        Only these; all by default.

    Raises
    ------
    LogError
        If it is no recording, is damaged or truncated, or has not all of the topics.
    """
    with _open(path) as reader:
        known = _list_topics(reader)
        missing = [topic for topic in topics or () if topic not in known]
        if missing:
            raise LogError(f"{path}: no topic {', '.join(missing)}; there are: {_list_names(known)}")
        wanted = [c for c in reader.connections if topics is None or c.topic in topics]
        promised, count = sum(_count(c.msgcount, path) for c in wanted), 0
        converters = {c.id: create_converter(c) for c in wanted}
        for connection, stamp, data in reader.messages(wanted) if wanted else ():
            count += 1
            if not isinstance(data, bytes) or not isinstance(stamp, int):
                # SQLite columns have no types; a damaged file may hold a number here.
                raise LogError(f"{path}: damaged recording: message {count} is not bytes with a stamp")
            convert = converters[connection.id]
            whole = data if convert is None else convert(data)
            yield BagMessage(connection.topic, full_type_name(connection.msgtype), stamp, whole)
        if count < promised:
            raise LogError(f"{path}: truncated recording: {count} messages of {promised} are there")


def read_joint_bag(
    path: str | Path,
    names: Sequence[str],
    topic: str | None = None,
    called: Sequence[str] = (),
    received: bool = False,
) -> DecodedJoints:
    """Read samples of joints with these names, stamped by their headers, in the order of their arrival.

    Joints may come in messages of one each, or of a group: they are brought to the stamps of the first joint.

    Parameters
    ----------
    path : str or Path
        Folder of a rosbag2 recording, or its .db3 or .mcap file, compressed or not, or a .bag of ROS 1.
    names : sequence of str
    topic : str, optional
        One, or several with commas between. By default the one that is called so, else the one of type
        sensor_msgs/JointState whose first message has all names, else all of this type.
    called : sequence of str
        What the topic may be called in whatever namespace, the best first: `strut_states`, `motor_states`.
    received : bool
        Whether samples are stamped by their times of arrival.

    Returns
    -------
    DecodedJoints
        Its `dropped` has `cut` where the recording ends in the middle.

    Raises
    ------
    LogError
        If it is no recording, is damaged, no topic or several have the joints, a topic is not of type
        sensor_msgs/JointState, or no message is usable.
    """
    with _open(path) as reader:
        known = _list_topics(reader)
        counts = {c.topic: _count(c.msgcount, path) for c in reader.connections}
        cut = isinstance(reader, CutReader)
    topics = _choose_topics(path, known, names, topic, called)
    if problem := beyond_memory(sum(counts[name] for name in topics)):
        raise LogError(f"{path}: {problem}")
    decoded = _decode(path, topics, names, received)
    if not len(decoded.time) and topic is None and set(decoded.dropped) == {"missing_name"}:
        raise LogError(f"{path}: no topic has the joints {', '.join(names)}; {decoded.complaint}")
    if not len(decoded.time):
        problem = f"no usable message; {decoded.complaint}" if decoded.dropped else "no messages"
        stamps = "; --stamps receive takes times of arrival" if "zero_stamp" in decoded.dropped else ""
        raise LogError(f"{path}: topic {', '.join(topics)}: {problem}{stamps}")
    return replace(decoded, dropped={**decoded.dropped, "cut": 1}) if cut else decoded


def _decode(path: str | Path, topics: Sequence[str], names: Sequence[str], received: bool) -> DecodedJoints:
    """Return the samples of joints in messages that have all of them, or else in messages of some each."""

    def read() -> tuple[Iterator[bytes], Iterator[int]]:
        first, second = tee(read_messages(path, topics))
        return (message.data for message in first), (m.stamp for m in second)

    messages, arrivals = read()
    decoded = decode_joints(messages, str(path), names, arrivals if received else None)
    if len(decoded.time) or set(decoded.dropped) != {"missing_name"}:
        return decoded
    messages, arrivals = read()
    return decode_joint_groups(messages, str(path), names, arrivals, received) or decoded


def _choose_topics(
    path: str | Path, known: dict[str, str], names: Sequence[str], topic: str | None, called: Sequence[str]
) -> list[str]:
    """Return the topics of type JointState to read the joints from; see `read_joint_bag`."""
    if topic is not None:
        return [_find_topic(path, known, one.strip()) for one in topic.split(",")]
    for name in called:
        chosen = [one for one in known if one.rpartition("/")[2] == name]
        if len(chosen) > 1:
            raise LogError(
                f"{path}: several topics to choose from: {', '.join(chosen)}; name the one to read"
            )
        if chosen:
            return [_find_topic(path, known, chosen[0])]
    # lengths of the other encoders are not those that are asked for
    others = {STRUT_STATES, MOTOR_STATES} if called else set()
    offered = [
        name for name, kind in known.items() if kind == JOINT_STATE and name.rpartition("/")[2] not in others
    ]
    having = [name for name in offered if _has_joints(path, name, names)]
    if len(having) > 1:
        raise LogError(
            f"{path}: {', '.join(having)} have the joints {', '.join(names)}; name the one to read"
        )
    if not offered and called:
        return [_find_topic(path, known, called[0])]
    if not offered:
        raise LogError(f"{path}: no topic is of type {JOINT_STATE}; there are: {_list_names(known)}")
    return having or offered


def _find_topic(path: str | Path, known: dict[str, str], topic: str) -> str:
    """Return a topic as the recording calls it; LogError if it is not there or not of joints."""
    chosen = next((name for name in (topic, f"/{topic}") if name in known), None)
    if chosen is None:
        raise LogError(f"{path}: no topic /{topic.lstrip('/')}; there are: {_list_names(known)}")
    if known[chosen] != JOINT_STATE:
        raise LogError(f"{path}: topic {chosen} is of type {short(known[chosen])}, expected {JOINT_STATE}")
    return chosen


def _has_joints(path: str | Path, topic: str, names: Sequence[str]) -> bool:
    """Return whether the first message of a topic has all joints."""
    with closing(read_messages(path, [topic])) as messages:
        first = next(messages, None)
    return first is not None and "missing_name" not in decode_joints([first.data], str(path), names).dropped


def _list_topics(reader: AnyReader) -> dict[str, str]:
    return {c.topic: full_type_name(c.msgtype) for c in reader.connections}


def _count(messages: object, path: str | Path) -> int:
    """Return how many messages a recording says a topic has; LogError where that is no number, as of a damaged one."""
    if isinstance(messages, int):
        return messages
    raise LogError(f"{path}: damaged recording: a topic has {str(messages)[:40]!r} messages")


def _list_names(topics: dict[str, str]) -> str:
    return ", ".join(f"{name} ({type_name})" for name, type_name in topics.items()) or "none"


@contextmanager
def _open(path: str | Path) -> Iterator[AnyReader]:
    """A reader whose troubles are LogErrors."""
    given = Path(path)
    if not given.exists():
        hint = ""
        if part_folder(given).is_dir():
            hint = f"; a recording of it was begun, python -m {__package__}.recovery {path} finishes it"
        raise LogError(f"{path}: cannot be read: No such file or directory{hint}")
    try:
        with unpack_recording(given) as recording:
            if recording.is_file():
                _refuse_other_kind(recording, path)
            with _choose_reader(recording, path) as reader:
                yield reader
    except (LogError, GeneratorExit):
        raise
    except MemoryError:
        raise LogError(f"{path}: is larger than this computer's memory takes; give it in parts") from None
    except Exception as error:  # bytes of unknown origin make a decoder raise anything
        reason = " ".join(str(error).split()) or type(error).__name__
        raise LogError(f"{path}: damaged or truncated recording: {short(reason, LONGEST_REASON)}") from None


def _choose_reader(recording: Path, path: str | Path) -> AnyReader:
    """Return what reads a recording, one that was cut off up to there (`is_cut`)."""
    if recording.is_file() and recording.suffix == ROS_1:
        return Ros1Reader(recording)
    cut = find_cut_files(recording)
    if not cut and recording.is_dir() and not (recording / "metadata.yaml").is_file():
        raise LogError(f"{path}: no rosbag2 recording: it has no metadata.yaml, no .db3 and no .mcap file")
    return CutReader(cut) if cut else Reader(recording)


def _refuse_other_kind(file: Path, path: str | Path) -> None:
    """A text that has the ending of a recording is not a truncated one."""
    begins, kind = BEGINNINGS.get(file.suffix.lower(), (b"", ""))
    try:
        with file.open("rb") as opened:
            first = opened.read(len(begins))
    except OSError as error:
        raise LogError(f"{path}: cannot be read: {error.strerror or error}") from None
    if not begins.startswith(first):
        raise LogError(f"{path}: no recording: does not begin as {kind} does")
