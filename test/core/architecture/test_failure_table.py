# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
