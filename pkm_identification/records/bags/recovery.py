# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

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
from itertools import chain
from pathlib import Path

from rosbags.interfaces import Qos

from pkm_identification.errors import LogError, PkmError

from .mcap_records import McapTopics, read_mcap_messages
from .part_lock import PartLock, part_folder
from .reader import BagMessage, bag_qos, read_messages
from .writer import BagWriter


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
            target = _rewrite(part / path.name, path)
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


def _rewrite(folder: Path, path: Path) -> Path | None:
    """Return the unfinished recording in `folder` as a whole one next to `path`."""
    storage, messages = "sqlite3", _yield_nothing()
    offered: dict[str, list[Qos]] = {}  # by topic, there before its first message is
    for database in folder.glob("*.db3"):
        messages = _iterate_database_messages(database, offered)
    for file in folder.glob("*.mcap"):
        storage, messages = "mcap", _iterate_mcap_messages(file, offered)
    first = next(messages, None)
    if first is None:
        return None
    target = _free(path, "recovered")
    with BagWriter(target, storage) as writer:
        for message in chain([first], messages):
            writer.add_topic(message.topic, message.type, offered.get(message.topic, ()))
            writer.write(message.topic, message.type, message.data, message.stamp)
    return target


def _yield_nothing() -> Iterator[BagMessage]:
    yield from ()


def _free(path: Path, what: str) -> Path:
    number = 1
    while True:
        name = f"{path.name}_{what}" + (f"_{number}" if number > 1 else "")
        if not path.with_name(name).exists():
            return path.with_name(name)
        number += 1


def _iterate_database_messages(database: Path, offered: dict[str, list[Qos]]) -> Iterator[BagMessage]:
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


def _iterate_mcap_messages(file: Path, offered: dict[str, list[Qos]]) -> Iterator[BagMessage]:
    """Messages of the chunks that were completed."""
    topics = McapTopics(offered=offered)
    for number, stamp, data in read_mcap_messages(file, topics):
        yield BagMessage(*topics.channels[number], stamp, data)


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
