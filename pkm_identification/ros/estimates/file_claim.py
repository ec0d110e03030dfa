# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A file that one process at a time writes: claimed by a lock that ends with the process."""

from __future__ import annotations

import os
from pathlib import Path

from pkm_identification.errors import OutputError

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows has none, and there nobody is kept out
    fcntl = None  # type: ignore[assignment]


class FileClaim:
    """Claims a file for this object, by a lock on a file next to it; the operating system lets go of those of the dead.

    Parameters
    ----------
    path : Path
        The file that is written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock: int | None = None

    @property
    def lock_path(self) -> Path:
        """The file that is locked; it stays, because whoever took it away would let two claim the same."""
        return self._path.with_suffix(".lock")

    def take(self) -> None:
        """Claim the file, unless that is done.

        Raises
        ------
        OutputError
            If another one has claimed it: says which process.
        OSError
            If nothing can be written there.
        """
        if self._lock is not None or fcntl is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(self.lock_path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.read(lock, 100).decode(errors="replace").strip()
            os.close(lock)
            raise OutputError(
                f"{self._path}: another estimator keeps its estimate there (process {owner or 'unknown'}): end it, or "
                "give this one another save_name"
            ) from None
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
        self._lock = lock

    def release(self) -> None:
        """Let others claim the file; may be called again."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
