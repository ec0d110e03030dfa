"""Files that appear complete or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pkm_identification.errors import OutputError


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Write a file under a temporary name beside `path` and move it there when the block succeeds.

    Readers see the old file or the whole new one. When the block raises, the temporary file is removed and
    whatever was at `path` stays.

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
        If the file cannot be written (no such folder, no permission, disk full).
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        yield temporary
        os.replace(temporary, target)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from None
    finally:
        temporary.unlink(missing_ok=True)
