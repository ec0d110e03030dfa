# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mutated joint states through the nodes, a part of `python -m benchmarks.fuzz` (which see) in every run."""

from __future__ import annotations

import pytest

from benchmarks.fuzz.nodes import fuzz_nodes

# What a driver can do wrong, by the counters of the nodes.
REASONS = {
    "not_finite", "missing_name", "unequal_lengths", "zero_stamp", "bad_stamp", "late", "out_of_limits", "spike",
    "clock_jump",
}  # fmt: skip


@pytest.mark.slow
def test_mutated_messages_crash_nothing_and_nothing_that_is_not_finite_comes_out(domain):
    outcomes = fuzz_nodes(seed=11, count=20_000, over_dds=2_000, domain=domain)
    for outcome in outcomes:
        # the test would show nothing if nothing came through
        assert outcome.fates["filtered"] > 0.1 * outcome.inputs
        assert outcome.fates["states"] >= outcome.fates["filtered"] - 1
        assert outcome.slowest < 300.0  # s; kernels may be compiled meanwhile
    assert outcomes[0].fates["estimates"] > 5
    assert set(outcomes[0].fates) >= REASONS
