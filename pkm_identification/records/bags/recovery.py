# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Recordings that a killed process left unfinished, made whole.

A recorder does this before it begins a recording of the same name; by hand it is
`python -m pkm_identification.records.bags.recovery DIR`.
"""

from __future__ import annotations

import shutil
import sqlite3
import struct
import sys
from collections.abc import Iterator
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from rosbags.interfaces import Qos
from rosbags.rosbag2.metadata import parse_qos

from pkm_identification.errors import LogError, PkmError

from ..interfaces import full_type_name
from .part_lock import PartLock, part_folder
from .reader import BagMessage, bag_qos, read_messages
from .writer import BagWriter

# MCAP: records of one byte of kind, eight of size, and content (https://mcap.dev/spec).
MCAP_MAGIC = b"\x89MCAP0\r\n"
SCHEMA, CHANNEL, MESSAGE, CHUNK = 0x03, 0x04, 0x05, 0x06
CHUNK_HEAD = 28  # bytes before the name of the compression


class Unreadable(Exception):
    """What is left is no recording."""


def recover_bag(path: str | Path) -> Path | None:
    """Finish the recording that was to become `path` when its process was killed.

    Parameters
    ----------
    path : str or Path
        Folder the recording was to have.

    Returns
    -------
    Path or None
        Folder of the recording made of what had been flushed, `<path>_recovered` or the next name that is free; None if
        nothing was left behind, or nothing that holds a message. What cannot be read is moved to `<path>_unreadable`.

    Raises
    ------
    LogError
        If it is still being recorded, or the disk does not take the recording.
    """
    path = Path(path)
    part = part_folder(path)
    if not part.is_dir():
        return None
    try:
        lock = PartLock(part)
    except BlockingIOError:
        raise LogError(f"{part}: another process is recording there") from None
    except OSError as error:
        raise LogError(f"{part}: cannot be recovered: {error.strerror or error}") from None
    try:
        try:
            target = _rewritten(part / path.name, path)
        except (Unreadable, struct.error, KeyError, ValueError):
            target = _free(path, "unreadable")
            part.rename(target)
            return target
        shutil.rmtree(part)
    except OSError as error:
        raise LogError(f"{part}: cannot be recovered: {error.strerror or error}") from None
    finally:
        lock.release()
    return target


def _rewritten(folder: Path, path: Path) -> Path | None:
    """The unfinished recording in `folder` as a whole one beside `path`."""
    storage, messages = "sqlite3", _nothing()
    offered: dict[str, list[Qos]] = {}  # by topic, there before its first message is
    for database in folder.glob("*.db3"):
        messages = _database_messages(database, offered)
    for file in folder.glob("*.mcap"):
        storage, messages = "mcap", _mcap_messages(file, offered)
    first = next(messages, None)
    if first is None:
        return None
    target = _free(path, "recovered")
    with BagWriter(target, storage) as writer:
        for message in chain([first], messages):
            writer.add_topic(message.topic, message.type, offered.get(message.topic, ()))
            writer.write(message.topic, message.type, message.data, message.stamp)
    return target


def _nothing() -> Iterator[BagMessage]:
    yield from ()


def _free(path: Path, what: str) -> Path:
    number = 1
    while True:
        name = f"{path.name}_{what}" + (f"_{number}" if number > 1 else "")
        if not path.with_name(name).exists():
            return path.with_name(name)
        number += 1


def _database_messages(database: Path, offered: dict[str, list[Qos]]) -> Iterator[BagMessage]:
    """Messages of the transactions that were completed."""
    try:
        # opening it for writing undoes the transaction that was not; readers of recordings cannot
        with sqlite3.connect(database) as connection:
            connection.execute("SELECT count(*) FROM messages").fetchone()
        connection.close()
        offered |= bag_qos(database)
        yield from read_messages(database)
    except (sqlite3.Error, LogError) as error:
        raise Unreadable(error) from None


def _mcap_messages(file: Path, offered: dict[str, list[Qos]]) -> Iterator[BagMessage]:
    """Messages of the chunks that were completed."""
    types: dict[int, str] = {}
    topics: dict[int, tuple[str, str]] = {}
    with file.open("rb") as stream:
        if stream.read(len(MCAP_MAGIC)) != MCAP_MAGIC:
            return
        for kind, content in _mcap_records(stream):
            if kind != CHUNK:
                continue
            size = struct.unpack_from("<I", content, CHUNK_HEAD)[0]
            if size:
                raise Unreadable("compressed chunks")
            for inner, record in _mcap_records(BytesIO(content[CHUNK_HEAD + 12 :])):
                if inner == SCHEMA:
                    number, name = _number_and_text(record, 2)
                    types[number] = name
                elif inner == CHANNEL:
                    number, topic = _number_and_text(record, 4)
                    offered[topic] = parse_qos(_channel_metadata(record).get("offered_qos_profiles", ""))
                    topics[number] = topic, full_type_name(types[struct.unpack_from("<H", record, 2)[0]])
                elif inner == MESSAGE:
                    number, _, stamp, _ = struct.unpack_from("<HIQQ", record)
                    yield BagMessage(*topics[number], stamp, record[22:])


def _mcap_records(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Whole records of a stream; a last one that was cut off is left out."""
    while len(head := stream.read(9)) == 9:
        kind, size = struct.unpack("<BQ", head)
        content = stream.read(size)
        if len(content) < size:
            return
        yield kind, content


def _number_and_text(record: bytes, at: int) -> tuple[int, str]:
    """Number at the start of a record and text at a place of it."""
    (size,) = struct.unpack_from("<I", record, at)
    return struct.unpack_from("<H", record)[0], record[at + 4 : at + 4 + size].decode()


def _channel_metadata(record: bytes) -> dict[str, str]:
    """The map at the end of a channel: behind two numbers, its topic, its encoding and its own size."""
    at = 4
    for _ in ("topic", "encoding"):
        at += 4 + struct.unpack_from("<I", record, at)[0]
    end = at + 4 + struct.unpack_from("<I", record, at)[0]
    at, texts = at + 4, []
    while at < end:
        (size,) = struct.unpack_from("<I", record, at)
        texts.append(record[at + 4 : at + 4 + size].decode())
        at += 4 + size
    return dict(zip(texts[::2], texts[1::2], strict=True))


def main(arguments: list[str]) -> int:
    """Recover the recording named on the command line."""
    if len(arguments) != 1:
        print("usage: python -m pkm_identification.records.bags.recovery DIR", file=sys.stderr)
        return 2
    try:
        target = recover_bag(arguments[0])
    except PkmError as error:
        print(error, file=sys.stderr)
        return 2
    print(target or f"{arguments[0]}: nothing to recover")
    return 0 if target else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
