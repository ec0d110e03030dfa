# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The failure table: its page says what its tests are called, and none of its rows is without one."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import failure_table

OVER_DDS = {2, 8, 11, 12, 13, 15, 17, 21, 23, 24, 26, 27, 28, 29, 30, 31, 32, 33, 34, 36, 37, 38, 39}


def test_the_page_is_up_to_date():
    """`python test/failure_table.py --write` writes it."""
    assert failure_table.PAGE.read_text(encoding="utf-8") == failure_table.page()


def test_every_row_has_a_test():
    rows = failure_table.rows()
    assert {row.number for row in rows} == set(range(1, 41))
    assert {row.number for row in rows if row.over_dds} >= OVER_DDS
