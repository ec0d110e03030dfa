# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Mutated logs and machine descriptions, a part of `python -m benchmarks.fuzz` (which see) in every run."""

from __future__ import annotations

import pytest

from benchmarks.fuzz.files import Files


@pytest.mark.slow
def test_mutated_files_are_used_or_refused_with_one_line(tmp_path):
    outcomes = Files(tmp_path, seed=7).run(800)
    assert {name: outcome.inputs for name, outcome in outcomes.items()} == {
        "csv": 344,
        "bags": 57,
        "machines": 171,
        "other programs": 171,
        "commands": 57,
    }
    # the test would show nothing if every file were refused or none
    for outcome in outcomes.values():
        assert outcome.fates["refused"] > 10
        assert outcome.fates["used"] > 5
        assert outcome.slowest < 10.0  # s; what hangs takes for ever
    assert list(tmp_path.iterdir()) == []
