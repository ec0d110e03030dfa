# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Recordings whose file ends in the middle: what stands before the cut, read as of a whole one."""

from __future__ import annotations

import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType

from rosbags.interfaces import (
    Connection,
    ConnectionExtRosbag2,
    MessageDefinition,
    MessageDefinitionFormat,
    Qos,
)
from rosbags.rosbag2.metadata import parse_qos

from ..interfaces import full_type_name
from . import BAG_FILES
from .mcap_records import McapTopics, is_cut_mcap, read_mcap_messages

# The header of an SQLite file: bytes that hold its page size (1 means 65536), its number of pages, and a counter that
# has to be repeated for that number to be believed
PAGE_SIZE, PAGE_COUNT, CHANGES, CHANGES_AGAIN = slice(16, 18), slice(28, 32), slice(24, 28), slice(92, 96)
HEADER = 100  # bytes

Sample = tuple[str, int, bytes]  # topic, time of arrival in ns, CDR


def find_cut_files(path: Path) -> tuple[Path, ...]:
    """Return the files of a recording that ends in the middle or was not finished; empty of a whole one."""
    if not path.is_dir():
        return (path,) if _is_cut(path) else ()
    files = tuple(
        sorted((file for file in path.iterdir() if file.suffix in BAG_FILES), key=_place_in_recording)
    )
    unfinished = not (path / "metadata.yaml").is_file()
    return files if unfinished or any(map(_is_cut, files)) else ()


def _place_in_recording(file: Path) -> tuple[str, int]:
    """Return what sorts the parts of a recording by their numbers: bag_2.mcap before bag_10.mcap."""
    stem, _, number = file.stem.rpartition("_")
    return (stem, int(number)) if number.isdigit() else (file.stem, 0)


def _is_cut(file: Path) -> bool:
    if file.suffix.lower() == ".mcap":
        return is_cut_mcap(file)
    return file.suffix.lower() == ".db3" and (_count_missing_pages(file) or _has_journal(file))


def _count_missing_pages(database: Path) -> bool:
    with database.open("rb") as file:
        header = file.read(HEADER)
    return database.stat().st_size < int.from_bytes(header[PAGE_COUNT], "big") * _read_page_size(header)


def _find_journal(database: Path) -> Path:
    """Return the write-ahead log of a database: a recorder that was killed leaves there what it wrote last."""
    return database.with_name(f"{database.name}-wal")


def _has_journal(database: Path) -> bool:
    journal = _find_journal(database)
    return journal.is_file() and journal.stat().st_size > 0


def _read_page_size(header: bytes) -> int:
    size = int.from_bytes(header[PAGE_SIZE], "big")
    return 65536 if size == 1 else size


class CutReader:
    """What rosbags' reader of rosbag2 has, for files that were cut off."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = files
        self.connections: list[Connection] = []

    def __enter__(self) -> CutReader:
        types: dict[str, str] = {}
        offered: dict[str, list[Qos]] = {}
        counts: Counter[str] = Counter(topic for topic, _, _ in self._read(types, offered))
        self.connections = [
            Connection(
                number, topic, types[topic], MessageDefinition(MessageDefinitionFormat.NONE, ""), "", count,
                ConnectionExtRosbag2("cdr", offered.get(topic, [])), self,
            )
            for number, (topic, count) in enumerate(counts.items())
        ]  # fmt: skip
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is kept open."""

    def messages(self, connections: Iterable[Connection]) -> Iterator[tuple[Connection, int, bytes]]:
        """Messages of these connections in the order of the files: connection, time of arrival in ns, CDR."""
        wanted = {connection.topic: connection for connection in connections}
        for topic, stamp, data in self._read({}, {}):
            if topic in wanted:
                yield wanted[topic], stamp, data

    def _read(self, types: dict[str, str], offered: dict[str, list[Qos]]) -> Iterator[Sample]:
        for file in self._files:
            read = _read_mcap if file.suffix.lower() == ".mcap" else _read_database
            yield from read(file, types, offered)


def _read_mcap(file: Path, types: dict[str, str], offered: dict[str, list[Qos]]) -> Iterator[Sample]:
    topics = McapTopics()
    for number, stamp, data in read_mcap_messages(file, topics):
        topic, types[topic] = topics.channels[number]
        offered[topic] = topics.offered[topic]
        yield topic, stamp, data


def _read_database(file: Path, types: dict[str, str], offered: dict[str, list[Qos]]) -> Iterator[Sample]:
    """Yield messages up to the first that is damaged, from a copy without the page that was cut.

    SQLite would read what is cut off a page as zeros; of pages that its header does not count, it complains.
    """
    with TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.db3"
        shutil.copyfile(file, whole)
        if _has_journal(file):
            shutil.copyfile(_find_journal(file), _find_journal(whole))
            connection = sqlite3.connect(whole)
        else:
            _leave_out_cut_page(whole)
            connection = sqlite3.connect(f"file:{whole}?mode=ro&immutable=1", uri=True)
        try:
            yield from _read_rows(connection, types, offered)
        finally:
            connection.close()


def _leave_out_cut_page(database: Path) -> None:
    """Let a database end with its last whole page, and its header say so."""
    size = database.stat().st_size
    with database.open("r+b") as stream:
        header = stream.read(HEADER)
        pages = size // _read_page_size(header)
        stream.truncate(pages * _read_page_size(header))
        stream.seek(PAGE_COUNT.start)
        stream.write(pages.to_bytes(4, "big"))
        stream.seek(CHANGES_AGAIN.start)
        stream.write(header[CHANGES])


def _read_rows(
    connection: sqlite3.Connection, types: dict[str, str], offered: dict[str, list[Qos]]
) -> Iterator[Sample]:
    columns = {row[1] for row in connection.execute("PRAGMA table_info(topics)")}
    qos = "offered_qos_profiles" if "offered_qos_profiles" in columns else "''"
    names: dict[int, str] = {}
    for number, topic, kind, profiles in connection.execute(f"SELECT id, name, type, {qos} FROM topics"):
        names[number], types[topic] = topic, full_type_name(kind)
        offered[topic] = parse_qos(profiles)
    rows = connection.execute("SELECT topic_id, timestamp, data FROM messages NOT INDEXED ORDER BY id")
    while True:
        try:
            row = next(rows, None)
        except sqlite3.DatabaseError:
            return
        if row is None:
            return
        yield names[row[0]], row[1], row[2]
