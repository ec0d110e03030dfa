# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The rows of a batch shared out among threads: kernels let other threads run, each works on rows of its own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from numbers import Integral
from typing import Any

from pkm_identification.errors import SettingsError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import Function

FEWEST = 64  # rows: starting a thread takes as long as some dozen of them
MOST = 1024  # threads


def row_parts(count: int, threads: int) -> list[slice]:
    """Return rows 0 to `count` in consecutive parts of equal size, one for each thread that is worth starting.

    Raises
    ------
    SettingsError
        If `threads` is no number from 1 to 1024.
    """
    if isinstance(threads, bool) or not isinstance(threads, Integral) or not 1 <= threads <= MOST:
        raise SettingsError(f"threads: must be a number from 1 to {MOST}, not {threads!r}")
    parts = max(1, min(int(threads), count // FEWEST))
    ends = [count * k // parts for k in range(parts + 1)]
    return [slice(first, end) for first, end in pairwise(ends)]


def one_thread(threads: object) -> bool:
    """Return whether rows are not to be shared out; what is no number is left to `row_parts` to refuse."""
    return type(threads) is int and threads == 1  # True == 1


def in_threads(run: Callable[[slice], object], parts: list[slice]) -> None:
    """Run a function for each part of the rows at once, the last in the thread that calls; raises as it does."""
    *others, last = parts
    if not others:
        run(last)
        return
    with ThreadPoolExecutor(len(others), "rows") as pool:
        started = [pool.submit(run, part) for part in others]
        run(last)
    for one in started:
        one.result()


def over_rows(kernel: Function, shared: tuple[Any, ...], rows: tuple[FloatArray, ...], threads: int) -> None:
    """Call kernel(*shared, *rows), in parts of the rows if there are threads to share them.

    Parameters
    ----------
    kernel : compiled function
        It treats every row by itself.
    shared : tuple
        What it takes for all rows.
    rows : tuple of ndarray
        Of N rows each, or of one row that stands for all (not the first).
    threads : int
        1 to 1024.

    Raises
    ------
    SettingsError
        If `threads` is no such number.
    """
    if one_thread(threads):
        kernel(*shared, *rows)
        return
    count = len(rows[0])
    in_threads(
        lambda part: kernel(*shared, *(one[part] if len(one) == count else one for one in rows)),
        row_parts(count, threads),
    )
