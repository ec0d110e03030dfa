# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Which paths are recordings, and files of them that are compressed as a whole or have their ending in capitals."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Protocol

from pkm_identification.errors import LogError

from . import BAG_FILES, ROS_1
from .part_lock import part_folder

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["zstd"]


PACKED = (".zstd", ".zst")
PIECE = 2**22  # bytes that are unpacked at a time
MOST_OF_DISK = (
    0.5  # of the free space, that an unpacked recording may take: what is made of it needs the rest
)


class _Packed(Protocol):
    """What unpacks a file as it is read."""

    def read(self, size: int, /) -> bytes:
        """Return at most so many bytes more; none at the end."""


def is_recording(path: str | Path) -> bool:
    """Return whether a path is of a recording: a folder, one that grows, or a file by its ending, packed or not."""
    file = Path(path)
    return (
        file.is_dir()
        or part_folder(file).is_dir()
        or _strip_compression_ending(file).endswith((*BAG_FILES, ROS_1))
    )


def _strip_compression_ending(path: Path) -> str:
    """Return a file's name in small letters, without the ending of its compression."""
    name = path.name.lower()
    return name.removesuffix(path.suffix.lower()) if path.suffix.lower() in PACKED else name


@contextmanager
def unpack_recording(path: Path) -> Iterator[Path]:
    """Yield a recording as its readers want it: itself, or a temporary file of its content with a plain ending.

    Raises what `zstd` and the system raise where it cannot be unpacked, and LogError if the disk cannot take it.
    """
    if path.is_dir() or path.name == _strip_compression_ending(path) or path.suffix in (*BAG_FILES, ROS_1):
        yield path
        return
    with TemporaryDirectory() as folder:
        plain = Path(folder) / _strip_compression_ending(path)
        if path.suffix.lower() in PACKED:
            with zstd.open(path, "rb") as packed, plain.open("wb") as whole:
                _copy(packed, whole, path, int(MOST_OF_DISK * shutil.disk_usage(folder).free))
        else:
            plain.symlink_to(path.resolve())
        yield plain


def _copy(packed: _Packed, whole: IO[bytes], path: Path, most: int) -> None:
    """Write what is packed, up to so many bytes; raises LogError beyond."""
    while piece := packed.read(PIECE):
        if whole.tell() + len(piece) > most:
            raise LogError(
                f"{path}: unpacked it takes more than {most / 2**30:.2g} GB, half of the free space for temporary "
                "files; set TMPDIR to a larger disk, or unpack it there"
            )
        whole.write(piece)
