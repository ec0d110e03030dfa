# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The first sheet of numbers in a workbook (.xlsx, .xls, .xlsb, .ods), as text that tabs divide."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, is_zipfile

from pkm_identification.errors import LogError
from pkm_identification.numerics.memory import text_beyond_memory

from .array_file import describe_damage, library_for

WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
FEWEST_ROWS = 10  # of two numbers, in a sheet that holds a log
DAY_ZERO = datetime(1970, 1, 1)


def is_workbook(path: str | Path) -> bool:
    """Return whether a file is one by its ending."""
    return Path(path).suffix.lower() in WORKBOOKS


def read_workbook(path: str | Path) -> bytes:
    """Return the first sheet that has rows of numbers, a line for each row; dates and durations in s.

    Raises
    ------
    LogError
        If it cannot be read, is damaged, or no sheet has ten rows of two numbers.
    SettingsError
        If python-calamine, of the extra `tables`, is not installed.
    """
    calamine = library_for(path, "python_calamine")
    try:
        if problem := text_beyond_memory(_find_unpacked_size(path)):
            raise LogError(f"{path}: {problem}")
        book = calamine.CalamineWorkbook.from_path(str(path))
        names = list(book.sheet_names)
        for name in names:
            rows = book.get_sheet_by_name(name).to_python()
            if sum(_has_numbers(row) for row in rows) >= FEWEST_ROWS:
                return "\n".join("\t".join(map(_format_cell, row)) for row in rows).encode()
    except LogError:
        raise
    except Exception as error:  # bytes of unknown origin make a decoder raise anything
        raise describe_damage(path, "workbook", error) from None
    raise LogError(f"{path}: no sheet has {FEWEST_ROWS} rows of numbers; there are: {', '.join(names)}")


def _find_unpacked_size(path: str | Path) -> int:
    """Return how many bytes a workbook's parts say they have; of one that is no zip file ten times its own."""
    try:
        if is_zipfile(path):
            with ZipFile(path) as parts:
                return sum(part.file_size for part in parts.infolist())
    except (BadZipFile, NotImplementedError):
        pass
    return 10 * Path(path).stat().st_size


def _has_numbers(row: Iterable[Any]) -> bool:
    return sum(isinstance(cell, int | float) for cell in row) >= 2


def _format_cell(cell: Any) -> str:
    """Return what a cell is in a line: numbers to the last digit, dates in s since 1970, times and durations in s."""
    if isinstance(cell, datetime):
        return repr((cell.replace(tzinfo=None) - DAY_ZERO).total_seconds())
    if isinstance(cell, date):
        return repr((datetime.combine(cell, time()) - DAY_ZERO).total_seconds())
    if isinstance(cell, time):
        return repr((datetime.combine(DAY_ZERO, cell) - DAY_ZERO).total_seconds())
    if isinstance(cell, timedelta):
        return repr(cell.total_seconds())
    if isinstance(cell, float):
        return repr(cell)
    return " ".join(str(cell).split())
