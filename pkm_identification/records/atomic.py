# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Files that appear complete or not at all, and what is no file written through."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from pkm_identification.errors import OutputError
from pkm_identification.interruption import remove_unfinished

# Names that stand for what a process has open: they lead anywhere, and that is meant.
OPEN = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Write a file under a temporary name next to `path` and move it there when the block succeeds.

    Readers see the old file or the whole new one, also after a power cut. When the block raises, the temporary file is
    removed and whatever was at `path` stays. A pipe or a character device is written through when the block succeeds,
    never replaced. A link stays one: what it names is written, unless that lies in another folder.

    Parameters
    ----------
    path : str or Path
        Where the file shall appear. Its folder must exist.

    Yields
    ------
    Path
        Temporary path in the same folder, to be written inside the block.

    Raises
    ------
    OutputError
        If the file cannot be written (no such folder, no permission, disk full), is a link out of its folder, or is
        neither a file nor a pipe nor a character device.
    """
    target = Path(path)
    destination, through = _resolve_target(target)
    try:
        with _send(target) if through else _replace(destination) as temporary:
            yield temporary
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from None


def write_text(path: str | Path, text: str) -> None:
    """Write a text file, complete or not at all; raises OutputError if it cannot be written."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def refuse_impossible(path: str | Path) -> None:
    """Raise OutputError if `replacing` would refuse to write there because of what is there already."""
    _resolve_target(Path(path))


def _resolve_target(target: Path) -> tuple[Path, bool]:
    """Return the file to be replaced, links resolved, and whether it is something to be written through instead."""
    try:
        path = target.resolve() if target.is_symlink() else target
        mode = target.stat().st_mode if target.exists() else stat.S_IFREG
    except (OSError, RuntimeError) as error:  # a circle of links is a RuntimeError before Python 3.13
        raise OutputError(
            f"{target}: cannot be written: {getattr(error, 'strerror', None) or error}"
        ) from None
    if (
        stat.S_ISFIFO(mode)
        or stat.S_ISCHR(mode)
        or (str(target.absolute()).startswith(OPEN) and target.exists())
    ):
        return target, True
    if path.parent != target.parent and path.parent != target.parent.resolve():
        raise OutputError(f"{target}: is a link to {path}, out of its folder: name that itself")
    if stat.S_ISDIR(mode):
        raise OutputError(f"{target}: cannot be written: Is a directory")
    if not stat.S_ISREG(mode):
        raise OutputError(f"{target}: cannot be written: is neither a file, a pipe nor a character device")
    return path, False


@contextmanager
def _replace(target: Path) -> Iterator[Path]:
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
    # made here and by nobody else, with the rights that the umask leaves
    with remove_unfinished(temporary):
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        try:
            yield temporary
            _flush_to_disk(temporary)
            os.replace(temporary, target)
            _flush_to_disk(target.parent)
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def _send(target: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder, remove_unfinished(Path(folder)):
        temporary = Path(folder) / target.name
        yield temporary
        through = os.open(target, os.O_WRONLY | os.O_APPEND)
        with temporary.open("rb") as written, os.fdopen(through, "wb") as output:
            shutil.copyfileobj(written, output)


def _flush_to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        # some file systems cannot do it for folders
        with suppress(OSError) if path.is_dir() else nullcontext():
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
