# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Recordings of ROS 1 (.bag), their messages as those of ROS 2."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType

from rosbags.interfaces import Connection
from rosbags.rosbag1 import Reader

from pkm_identification.errors import LogError

from ..interfaces import typestore


class Ros1Reader:
    """What rosbags' reader of rosbag2 has, for a file of ROS 1.

    Messages are CDR of the type of the same name in ROS 2; the header's `seq`, which ROS 2 has not, is dropped.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._reader = Reader(path)

    def __enter__(self) -> Ros1Reader:
        self._reader.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._reader.close()

    @property
    def connections(self) -> list[Connection]:
        """Topics as they were published, with types and numbers of messages."""
        return list(self._reader.connections)

    def messages(self, connections: Iterable[Connection]) -> Iterator[tuple[Connection, int, bytes]]:
        """Messages of these connections in the order of their arrival: connection, time of arrival in ns, CDR.

        Raises
        ------
        LogError
            If ROS 2 has no message of the name.
        """
        types = typestore()
        for connection, stamp, data in self._reader.messages(tuple(connections)):
            if connection.msgtype not in types.fielddefs:
                raise LogError(
                    f"{self._path}: topic {connection.topic}: ROS 2 has no message {connection.msgtype}; choose topics"
                )
            yield connection, stamp, bytes(types.ros1_to_cdr(data, connection.msgtype))
