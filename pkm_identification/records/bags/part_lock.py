# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The folder an unfinished recording grows in, and who is at work there."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

LOCK = ".lock"


def part_folder(path: Path) -> Path:
    """Folder in which the recording of this path grows."""
    return path.with_name(path.name + ".part")


class PartLock:
    """A lock on an unfinished recording that ends with the process, however it ends.

    Parameters
    ----------
    folder : Path
        Must exist.

    Raises
    ------
    BlockingIOError
        If another process holds it.
    OSError
        If the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOCK
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BaseException:
            os.close(self._file)
            raise

    def release(self) -> None:
        """Let go; the folder is then as if it had never been locked. May be called again."""
        if self._file >= 0:
            self._path.unlink(missing_ok=True)
            os.close(self._file)
            self._file = -1
