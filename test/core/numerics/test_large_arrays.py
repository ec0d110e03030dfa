# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Arrays that are kept in a temporary file are what they would be in memory, and leave it when they are let go."""

from __future__ import annotations

import gc
import mmap
import sys
import threading

import numpy as np
import pytest

from pkm_identification.numerics import large_arrays
from pkm_identification.numerics.large_arrays import GrowingArray, NoRoom, chosen_rows, let_go, row_blocks

PARTS = [np.random.default_rng(k).standard_normal((k, 3)) for k in (500, 0, 700, 1)]
MEGABYTE = 2**20
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="by /proc and /dev of Linux")


def gathered(largest):
    rows = GrowingArray(largest)
    for part in PARTS:
        rows.append(part)
    return rows.taken()


@pytest.mark.parametrize("largest", [0, 600 * 24, 10**6])
def test_rows_are_those_that_were_appended_wherever_they_are_kept(largest):
    rows = gathered(largest)
    np.testing.assert_array_equal(rows, np.concatenate(PARTS))
    assert rows.flags.c_contiguous
    assert rows.flags.writeable
    let_go()
    np.testing.assert_array_equal(rows, np.concatenate(PARTS))


def test_an_array_without_rows_keeps_its_shape_and_type():
    rows = GrowingArray(0)
    rows.append(np.empty((0, 2), dtype=bool))
    assert rows.taken().shape == (0, 2)
    assert rows.taken().dtype == bool


def test_a_file_goes_with_the_last_of_its_rows():
    rows = gathered(0)
    gc.collect()
    before = len(large_arrays._mapped)
    some = rows[3:5]
    del rows
    assert len(large_arrays._mapped) == before
    del some
    gc.collect()
    assert len(large_arrays._mapped) == before - 1


@linux
def test_what_is_let_go_leaves_the_process():
    rows = GrowingArray(0)
    for _ in range(16):
        rows.append(np.ones((MEGABYTE // 8, 1)))
    values = rows.taken()
    assert values.sum() == 16 * MEGABYTE / 8
    full = resident()
    let_go()
    assert full - resident() > 12 * MEGABYTE


def test_chosen_rows_of_a_large_array_are_those_of_a_small_one(monkeypatch):
    values = np.concatenate(PARTS)
    chosen = values[:, 0] > 0.3
    expected = values[chosen]
    monkeypatch.setattr(large_arrays, "LARGEST_IN_MEMORY", 100)
    np.testing.assert_array_equal(chosen_rows(values, chosen), expected)


def test_blocks_cover_all_rows_once():
    assert [(b.start, b.stop) for b in row_blocks(25, 10)] == [(0, 10), (10, 20), (20, 25)]
    assert list(row_blocks(0)) == []


@linux
def test_no_room_for_a_temporary_file_is_said(monkeypatch):
    with open("/dev/full", "wb") as full:  # as a disk without room
        monkeypatch.setattr(large_arrays, "_open_large_file", lambda: full)
        with pytest.raises(NoRoom, match="room for temporary files: No space left on device; TMPDIR"):
            gathered(0)


def resident():
    """Bytes of this process in memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * mmap.PAGESIZE


@pytest.mark.slow
def test_pages_are_let_go_while_another_thread_makes_large_arrays():
    """Both other cutoffs of a log are worked on at a time; switching often, threads meet where they are seldom seen."""
    kept = []

    def grow():
        for _ in range(1500):
            growing = GrowingArray(0)
            growing.append(np.ones(3))
            kept.append(growing.taken())

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        other = threading.Thread(target=grow)
        other.start()
        while other.is_alive():
            let_go()
        other.join()
    finally:
        sys.setswitchinterval(interval)
    assert np.array_equal(kept, np.ones((1500, 3)))
