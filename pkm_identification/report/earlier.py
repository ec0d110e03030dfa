# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The folder of a report or of figures, and files that an earlier report left there."""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Iterable
from pathlib import Path

from pkm_identification.errors import OutputError

ESTIMATE, PAGE = "estimate.json", "report.html"
GENERATOR = "pkm_identification"
FIGURES = ("estimates", "correlation", "convergence", "forces", "residual", "misfit", "friction", "machine")


def check_folder(folder: Path) -> list[Path]:
    """Files of an earlier report in a folder.

    Raises
    ------
    OutputError
        If it is no folder or cannot be written, or there are pictures with a report's names, and no report that
        they are of.
    """
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder}: exists and is not a folder")
    there = next((parent for parent in (folder, *folder.absolute().parents) if parent.exists()), folder)
    if not there.is_dir():
        raise OutputError(f"{folder}: cannot be made: {os.strerror(errno.ENOTDIR)}")
    if not os.access(there, os.W_OK):
        raise OutputError(f"{folder}: cannot be written: {os.strerror(errno.EACCES)}")
    pictures = [path for name in FIGURES if (path := folder / f"{name}.png").is_file()]
    page = folder / PAGE
    of_a_report = page.is_file() and GENERATOR.encode() in page.read_bytes()
    if page.is_file() and not of_a_report:
        raise OutputError(f"{page}: exists and is no report of {GENERATOR}: choose another folder")
    if pictures and not of_a_report:
        raise OutputError(f"{pictures[0]}: exists and belongs to no report: choose another folder")
    return [*pictures, page] if of_a_report else []


def prepare_folder(folder: Path) -> list[Path]:
    """Make a folder for a report if it is not there; files of an earlier report in it.

    Raises
    ------
    OutputError
        If it cannot be made, or `check_folder` refuses it.
    """
    old = check_folder(folder)
    make_folder(folder)
    return old


def make_folder(folder: Path, option: str = "") -> None:
    """Make a folder if it is not there; OutputError, which begins with the option that named it, if that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        where = f"{option} {folder}".strip()
        raise OutputError(f"{where}: cannot be made: {error.strerror or error}") from None


def remove_others(old: Iterable[Path], written: Collection[Path]) -> None:
    """Remove files of an earlier report that this one has not written again."""
    for path in old:
        if path not in written:
            path.unlink(missing_ok=True)
