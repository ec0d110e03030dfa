# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Recordings (rosbag2: sqlite3 or mcap, a folder or a single file; ROS 1: .bag): strut logs and raw messages."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from rosbags.interfaces import Qos
from rosbags.rosbag2 import Reader

from pkm_identification.errors import LogError
from pkm_identification.motion import STRUT_NAMES, StrutLog
from pkm_identification.numerics.memory import beyond_memory

from ..interfaces import full_type_name
from ..joint_state import JOINT_STATE, DecodedJoints, decode_joints, decode_struts
from . import ROS_1, STRUT_STATES
from .older_messages import create_converter
from .part_lock import part_folder
from .ros1 import Ros1Reader

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


def bag_topics(path: str | Path) -> dict[str, str]:
    """Topics of a recording and their types; raises LogError if it cannot be read."""
    with _opened(path) as reader:
        return _topics(reader)


def bag_qos(path: str | Path) -> dict[str, list[Qos]]:
    """What publishers of a recording's topics offered, as far as it is recorded; LogError if it cannot be read."""
    with _opened(path) as reader:
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
    with _opened(path) as reader:
        known = _topics(reader)
        missing = [topic for topic in topics or () if topic not in known]
        if missing:
            raise LogError(f"{path}: no topic {', '.join(missing)}; there are: {_listed(known)}")
        wanted = [c for c in reader.connections if topics is None or c.topic in topics]
        promised, count = sum(c.msgcount for c in wanted), 0
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


def read_strut_bag(
    path: str | Path,
    topic: str | None = None,
    struts: Sequence[str] = STRUT_NAMES,
    called: Sequence[str] = (STRUT_STATES,),
) -> tuple[StrutLog, dict[str, int]]:
    """Read the strut samples of a recording, stamped by their headers, in the order of their arrival.

    Parameters
    ----------
    path : str or Path
        Folder of a rosbag2 recording, or its .db3 or .mcap file, or a .bag of ROS 1.
    topic : str, optional
        By default the one topic that is called so, in whatever namespace.
    struts : sequence of six str
        Joint names of struts 1 to 6.
    called : sequence of str
        What the topic may be called, the best first: `strut_states`, `motor_states`.

    Returns
    -------
    log : StrutLog
        `force` is None when no message has efforts.
    faults : dict of str to int
        Messages left out, by reason: `missing_name`, `repeated_name` (of a strut), `unequal_lengths` (of names and
        arrays), `zero_stamp` (the publisher set none), `bad_stamp` (an impossible one).

    Raises
    ------
    LogError
        If it is no recording, is damaged or truncated, has no such topic, the topic is not of type
        sensor_msgs/JointState, or no message is usable.
    """
    with _opened(path) as reader:
        known = _topics(reader)
        topic = _strut_topic(known, topic, path, called)
        if problem := beyond_memory(sum(c.msgcount for c in reader.connections if c.topic == topic)):
            raise LogError(f"{path}: {problem}")
    messages = (message.data for message in read_messages(path, [topic]))
    decoded = decode_struts(messages, str(path), struts)
    if not len(decoded.log):
        problem = f"no usable message; {decoded.complaint}" if decoded.dropped else "no messages"
        raise LogError(f"{path}: topic {topic}: {problem}")
    return decoded.log, decoded.dropped


def read_joint_bag(path: str | Path, names: Sequence[str], topic: str | None = None) -> DecodedJoints:
    """Read samples of joints with these names, in the order of their stamps' arrival.

    Parameters
    ----------
    path : str or Path
        As of `read_strut_bag`.
    names : sequence of str
    topic : str, optional
        By default the one topic of type sensor_msgs/JointState whose first message has all names.

    Raises
    ------
    LogError
        If it is no recording, is damaged or truncated, no topic or several have the joints, or no message is usable.
    """
    with _opened(path) as reader:
        known = _topics(reader)
    if topic is None:
        offered = [name for name, kind in known.items() if kind == JOINT_STATE]
        having = [name for name in offered if _has_joints(path, name, names)]
        if len(having) != 1:
            which = f"{', '.join(having)} have" if having else f"none of {_listed(known)} has"
            hint = "; name the one to read" if having else ""
            raise LogError(f"{path}: {which} the joints {', '.join(names)}{hint}")
        (topic,) = having
    else:
        topic = _strut_topic(known, topic, path, ())
    messages = (message.data for message in read_messages(path, [topic]))
    decoded = decode_joints(messages, str(path), names)
    if not len(decoded.time):
        problem = f"no usable message; {decoded.complaint}" if decoded.dropped else "no messages"
        raise LogError(f"{path}: topic {topic}: {problem}")
    return decoded


def _has_joints(path: str | Path, topic: str, names: Sequence[str]) -> bool:
    """Whether the first message of a topic has all joints."""
    with closing(read_messages(path, [topic])) as messages:
        first = next(messages, None)
    return first is not None and len(decode_joints([first.data], str(path), names).time) > 0


def _strut_topic(known: dict[str, str], topic: str | None, path: str | Path, called: Sequence[str]) -> str:
    if topic is None:
        last = {name: name.rpartition("/")[2] for name in known}
        wanted = next((name for name in called if name in last.values()), called[0])
        chosen = [name for name in known if last[name] == wanted]
        if len(chosen) > 1:
            raise LogError(
                f"{path}: several topics to choose from: {', '.join(chosen)}; name the one to read"
            )
    else:
        chosen = [name for name in (topic, f"/{topic}") if name in known][:1]
    if not chosen:
        raise LogError(f"{path}: no topic {topic or f'/{called[0]}'}; there are: {_listed(known)}")
    if known[chosen[0]] != JOINT_STATE:
        raise LogError(f"{path}: topic {chosen[0]} is of type {known[chosen[0]]}, expected {JOINT_STATE}")
    return chosen[0]


def _topics(reader: Reader | Ros1Reader) -> dict[str, str]:
    return {c.topic: full_type_name(c.msgtype) for c in reader.connections}


def _listed(topics: dict[str, str]) -> str:
    return ", ".join(f"{name} ({type_name})" for name, type_name in topics.items()) or "none"


@contextmanager
def _opened(path: str | Path) -> Iterator[Reader | Ros1Reader]:
    """A reader whose troubles are LogErrors."""
    folder = Path(path)
    if not folder.exists():
        hint = ""
        if part_folder(folder).is_dir():
            hint = f"; a recording of it was begun, python -m {__package__}.recovery {path} finishes it"
        raise LogError(f"{path}: cannot be read: No such file or directory{hint}")
    if folder.is_dir() and not (folder / "metadata.yaml").is_file():
        files = [file.name for file in sorted(folder.iterdir()) if file.suffix in (".db3", ".mcap")]
        hint = f"; the recording was not finished, try its file {files[0]}" if files else ""
        raise LogError(f"{path}: no rosbag2 recording: metadata.yaml is missing{hint}")
    if folder.is_file():
        _refuse_other_kind(folder)
    for database in [folder] if folder.suffix == ".db3" else folder.glob("*.db3"):
        _refuse_short_database(database, path)
    try:
        with (Ros1Reader if folder.is_file() and folder.suffix.lower() == ROS_1 else Reader)(
            folder
        ) as reader:
            yield reader
    except (LogError, GeneratorExit):
        raise
    except MemoryError:
        raise LogError(f"{path}: is larger than this computer's memory takes; give it in parts") from None
    except Exception as error:  # bytes of unknown origin make a decoder raise anything
        reason = " ".join(str(error).split()) or type(error).__name__
        raise LogError(f"{path}: damaged or truncated recording: {reason}") from None


def _refuse_other_kind(file: Path) -> None:
    """A text that has the ending of a recording is not a truncated one."""
    begins, kind = BEGINNINGS.get(file.suffix.lower(), (b"", ""))
    try:
        with file.open("rb") as opened:
            first = opened.read(len(begins))
    except OSError as error:
        raise LogError(f"{file}: cannot be read: {error.strerror or error}") from None
    if not begins.startswith(first):
        raise LogError(f"{file}: no recording: does not begin as {kind} does")


def _refuse_short_database(database: Path, path: str | Path) -> None:
    """SQLite reads what is cut off its last page as zeros, so compare the size with the file's header."""
    try:
        with database.open("rb") as file:
            header = file.read(32)
        size = database.stat().st_size
    except OSError as error:
        raise LogError(f"{database}: cannot be read: {error.strerror or error}") from None
    # Offsets 16 and 28 of the SQLite file format: page size (1 means 65536) and number of pages.
    page = int.from_bytes(header[16:18], "big")
    expected = int.from_bytes(header[28:32], "big") * (65536 if page == 1 else page)
    if size < expected:
        raise LogError(f"{path}: truncated recording: {database.name} has {size} bytes, expected {expected}")
