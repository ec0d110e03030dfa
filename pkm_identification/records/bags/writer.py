# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Writing rosbag2 recordings: strut logs, and message by message for a recorder."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from rosbags.interfaces import Connection, Qos
from rosbags.rosbag2 import StoragePlugin, Writer, WriterError
from rosbags.rosbag2.storage_mcap import McapWriter
from rosbags.rosbag2.storage_sqlite3 import Sqlite3Writer

from pkm_identification.errors import LogError, OutputError, SettingsError
from pkm_identification.interruption import remove_unfinished
from pkm_identification.motion import STRUT_NAMES, DriveLog
from pkm_identification.numerics.arrays import FloatArray

from ..clocks import NANOSECONDS
from ..interfaces import full_type_name, typestore
from ..joint_state import JOINT_STATE, encode_struts
from . import MOTOR_STATES, STRUT_STATES
from .part_lock import PartLock, part_folder

T = TypeVar("T")

STORAGES = {"sqlite3": StoragePlugin.SQLITE3, "mcap": StoragePlugin.MCAP}


class BagWriter:
    """A recording that appears at its path when it is closed, and leaves nothing behind when it is aborted.

    Until then it grows in the folder `<path>.part`, which stays locked as long as the process lives; `flush` makes
    sure that what was written so far can be recovered from there (see `recovery`) whatever happens to the process.
    As a context manager it is closed at the end of the block and aborted when the block raises.

    Parameters
    ----------
    path : str or Path
        Folder of the recording; must not exist.
    storage : {'sqlite3', 'mcap'}

    Raises
    ------
    SettingsError
        If the storage is unknown.
    OutputError
        If the path exists or cannot be created.
    """

    def __init__(self, path: str | Path, storage: str = "sqlite3") -> None:
        if storage not in STORAGES:
            raise SettingsError(f"{path}: unknown storage '{storage}'; expected {' or '.join(STORAGES)}")
        self.path = Path(path)
        self.count = 0
        self._part = part_folder(self.path)
        for taken in (self.path, self._part):
            if taken.exists():
                raise OutputError(
                    f"{taken}: exists already, and recordings are not overwritten: name another folder"
                )
        self._connections: dict[tuple[str, str], Connection] = {}
        self._newest: dict[int, int] = {}
        with ExitStack() as making:
            making.enter_context(remove_unfinished(self._part))
            # The files inside are named after the folder, so the inner folder has the final name from the start.
            self._writer = Writer(self._part / self.path.name, version=9, storage_plugin=STORAGES[storage])
            self._call_writer(self._writer.open)
            self._lock = self._call_writer(PartLock, self._part)
            self._unfinished = making.pop_all()

    def add_topic(self, topic: str, type_name: str, offered: Sequence[Qos] = ()) -> None:
        """Announce a topic, so that it is in the recording even without messages.

        Parameters
        ----------
        topic : str
        type_name : str
            As in `sensor_msgs/msg/JointState` or `sensor_msgs/JointState`.
        offered : sequence of Qos
            Quality of service of the topic's publishers, which players offer again; of a topic written to before they
            are not taken any more.

        Raises
        ------
        LogError
            If the type is neither one of ROS 2's common ones nor of this package.
        """
        self._connection(topic, full_type_name(type_name), offered)

    def write(self, topic: str, type_name: str, data: bytes, stamp: int) -> None:
        """Append a message.

        Readers go by the times of arrival. Those of one topic run back when a message was lost and sent again, which
        must not change the order: such a time is raised to the newest before.

        Parameters
        ----------
        topic : str
        type_name : str
            As in `sensor_msgs/msg/JointState` or `sensor_msgs/JointState`.
        data : bytes
            Serialized (CDR).
        stamp : int
            Time of arrival in ns.

        Raises
        ------
        LogError
            If the type is unknown.
        OutputError
            If the disk does not take it; the recording is still open then.
        """
        connection = self._connection(topic, full_type_name(type_name))
        stamp = self._newest[connection.id] = max(stamp, self._newest.get(connection.id, stamp))
        self._call_writer(self._writer.write, connection, stamp, data)
        self.count += 1

    def flush(self) -> None:
        """Hand everything written so far over to the operating system; OutputError if the disk does not take it."""
        storage = self._writer.storage
        if isinstance(storage, Sqlite3Writer):
            self._call_writer(storage.conn.commit)
        elif isinstance(storage, McapWriter) and storage.chunk.bio.tell():
            self._call_writer(storage.close_chunk)
            self._call_writer(storage.bio.flush)

    def close(self) -> None:
        """Finish the recording and move it to its path; OutputError if that fails, and then nothing is left."""
        try:
            self._call_writer(self._writer.close)
            self._call_writer(os.rename, self._part / self.path.name, self.path)
        except BaseException:
            self.abort()
            raise
        self._lock.release()
        self._part.rmdir()
        self._unfinished.close()

    def abort(self) -> None:
        """Throw the recording away."""
        self._writer.abort()
        self._lock.release()
        shutil.rmtree(self._part, ignore_errors=True)
        self._unfinished.close()

    def __enter__(self) -> BagWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abort()

    def _connection(self, topic: str, type_name: str, offered: Sequence[Qos] = ()) -> Connection:
        known = self._connections.get((topic, type_name))
        if known is None:
            if type_name not in typestore().fielddefs:
                raise LogError(f"{self.path}: topic {topic}: no definition of the message type {type_name}")
            known = self._call_writer(
                self._writer.add_connection,
                topic,
                type_name,
                typestore=typestore(),
                offered_qos_profiles=offered,
            )
            self._connections[topic, type_name] = known
        return known

    def _call_writer(self, action: Callable[..., T], *arguments: object, **options: object) -> T:
        try:
            return action(*arguments, **options)
        except (OSError, sqlite3.Error, WriterError) as error:
            reason = getattr(error, "strerror", None) or error
            raise OutputError(f"{self.path}: cannot be written: {reason}") from None


def write_strut_bag(
    path: str | Path,
    log: DriveLog,
    storage: str = "sqlite3",
    topic: str = f"/{STRUT_STATES}",
    motor_length: FloatArray | None = None,
    struts: Sequence[str] = STRUT_NAMES,
) -> None:
    """Write a strut log as a recording of sensor_msgs/JointState.

    Header stamps are the log's own; the times of arrival keep its order where those repeat or run back.
    A first sample at 0 s is stamped 1 ns. Others at 0 s or before are written, but readers and nodes take their stamps
    as none, or as impossible, and drop them.

    Parameters
    ----------
    path : str or Path
        Folder of the recording; must not exist.
    log : DriveLog
    storage : {'sqlite3', 'mcap'}
    topic : str
    motor_length : ndarray, shape (N, 6), optional
        m, of second encoders, on the motors: on the topic `motor_states` as well, with the same forces.
    struts : sequence of six str
        Joint names of struts 1 to 6.

    Raises
    ------
    OutputError
        If it cannot be written.
    LogError
        If a time cannot be a stamp.
    """
    encoded = {topic: encode_struts(log, struts)}
    if motor_length is not None:
        encoded[f"{topic.rpartition('/')[0]}/{MOTOR_STATES}"] = encode_struts(log, struts, motor_length)
    arrivals = _compute_arrivals(encoded[topic][1])
    with BagWriter(path, storage) as writer:
        for name in encoded:
            writer.add_topic(name, JOINT_STATE)
        for k, arrival in enumerate(arrivals):
            for name, (messages, _) in encoded.items():
                writer.write(name, JOINT_STATE, messages[k], arrival)


def _compute_arrivals(stamps: list[int]) -> list[int]:
    """Increasing times with the stamps' spacing; a jump back by more than a second restarts the clock."""
    arrivals: list[int] = []
    offset = 0
    for stamp in stamps:
        last = arrivals[-1] if arrivals else stamp - 1
        if stamp + offset < last - NANOSECONDS:
            offset = last + 1 - stamp
        arrivals.append(max(stamp + offset, last + 1))
    return arrivals
