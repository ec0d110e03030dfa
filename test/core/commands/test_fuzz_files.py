# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mutated logs and machine descriptions, a part of `python -m benchmarks.fuzz` (which see) in every run."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from benchmarks.fuzz.bombs import BOMBS
from benchmarks.fuzz.files import Files
from pkm_identification.numerics import memory
from pkm_identification.records.bags import packed


@pytest.mark.slow
def test_mutated_files_are_used_or_refused_with_one_line(tmp_path):
    outcomes = Files(tmp_path, seed=7).run(108)
    assert {name: outcome.inputs for name, outcome in outcomes.items()} == {
        "csv": 36,
        "bags": 6,
        "machines": 18,
        "other programs": 24,
        "commands": 6,
        "descriptions": 18,
    }
    # the test would show nothing if every file were refused or none
    assert all(outcome.fates["refused"] > 0 for outcome in outcomes.values())
    assert sum(outcome.fates["used"] for outcome in outcomes.values()) > 20
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_small_files_that_unpack_beyond_the_memory_are_refused(tmp_path, monkeypatch):
    size = 2**26
    monkeypatch.setattr(memory, "physical_memory", lambda: size)
    monkeypatch.setattr(packed.shutil, "disk_usage", lambda _: SimpleNamespace(free=size))
    assert Files(tmp_path, seed=7).run_bombs(size).fates == {"refused": len(BOMBS)}
    assert list(tmp_path.iterdir()) == []
