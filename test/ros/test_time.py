# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Time over real topics: damaged, irregular and simulated; always what the pipeline object makes of the same log."""

from __future__ import annotations

import gc
import tracemalloc

import numpy as np
import pytest
from core.signals.strut_logs import damage
from ros.rigs import ChainRig, simulated
from ros.ros_bench import joint_state
from rosgraph_msgs.msg import Clock

from benchmarks.fuzz.nodes import Chain
from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.ros.clock import seconds, stamp_of
from pkm_identification.ros.qos import CLOCK

START = 100.0
DAMAGE = [
    ("drop", 500, 0, 2), ("nan", 700, 1, 3), ("spike", 900, 2, 4), ("swap", 1100, 0, 0), ("duplicate", 1200, 0, 0),
    ("drop", 1500, 0, 40), ("force_spike", 1800, 1, 2), ("zero_moved", 2300, 3, 1), ("clock", 2700, 0, 5),
]  # fmt: skip


def messages_of(log):
    return [joint_state(t, x, f) for t, x, f in zip(log.time, log.length, log.force)]


def pipeline_on(messages):
    """What the pipeline object makes of the stamps and numbers in the messages."""
    pipeline = OnlinePipeline(Machine.load("uf"))
    for m in messages:
        pipeline.step(seconds(m.header.stamp), np.array(m.position), np.array(m.effort))
    return pipeline


def assert_same(chain, pipeline):
    found, expected = chain.estimator.estimator.estimate, pipeline.estimate
    assert found.count == expected.count > 10
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-7)
    np.testing.assert_allclose(found.std, expected.std, rtol=1e-7)
    for reason, count in pipeline.filter_stage.counts.items():
        assert chain.filter.stage.counts[reason] == count, reason
    assert chain.estimator.estimator.counts == pipeline.estimator.counts


@pytest.fixture(scope="module")
def log():
    made = simulated("rich")
    return DriveLog(made.time + START, made.length, made.force)


@pytest.mark.slow
def test_a_stream_with_every_fault_gives_what_the_pipeline_gives(bench, log):
    messages = messages_of(damage(log, DAMAGE))
    pipeline = pipeline_on(messages)
    counts = pipeline.filter_stage.counts
    for reason in ("filled", "not_finite", "duplicate", "late", "spike", "gap", "clock_jump"):
        assert counts[reason] > 0, f"the log was to hold {reason}"
    chain = ChainRig(bench)
    chain.feed(messages)
    assert_same(chain, pipeline)
    noted = chain.filter.health.counts
    for reason in ("not_finite", "duplicate", "late", "spike", "clock_jump"):
        assert noted[reason] == counts[reason]


@pytest.mark.slow
def test_an_irregular_rate_loses_nothing(bench, log):
    jitter = 2.5e-4
    shaken = log.time + np.random.default_rng(3).uniform(-jitter, jitter, len(log))
    messages = messages_of(DriveLog(shaken, log.length, log.force))
    chain = ChainRig(bench)
    chain.feed(messages[:3000])
    assert chain.filter.stage.counts["accepted"] == 3000
    assert chain.filter.stage.counts["filled"] == 0
    assert chain.estimator.values()["breaks"] == 0
    assert_same(chain, pipeline_on(messages[:3000]))


@pytest.mark.slow
def test_simulated_time_that_stands_still_runs_and_jumps_changes_nothing(bench, log):
    messages = messages_of(log)[:2500]
    chain = ChainRig(bench, use_sim_time=True)
    clock = bench.publisher(Clock, "/clock", CLOCK, subscribers=3)
    times = [50.0, 50.0, 1e6, 3.0, 3.1, 2e9, 0.0]
    for k, time in enumerate(times):
        clock.publish(Clock(clock=stamp_of(time)))
        chain.feed(messages[k * 300 : (k + 1) * 300])
    chain.feed(messages[len(times) * 300 :])
    # stamps are the samples' own, whatever the clock says
    assert_same(chain, pipeline_on(messages))
    assert chain.filter.stage.counts["clock_jump"] == 0
    bench.wait(lambda: chain.estimates, "estimates although the clock stands at zero")


@pytest.mark.slow
def test_the_memory_of_the_nodes_does_not_grow_with_the_stream(bench, log):
    chain = Chain(bench.context)
    messages = messages_of(log)[:1500]

    def play(first):
        for k, message in enumerate(messages):
            message.header.stamp = stamp_of(START + first + 1e-3 * k)
            chain.filter.take(message)
            if k % 100 == 0:
                chain.estimator.publish_latest()
        gc.collect()

    try:
        play(0.0)
        tracemalloc.start()
        used = []
        for k in range(1, 4):
            play(1.5 * k)
            used.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
        chain.close()
    assert chain.outcome.fates["estimates"] > 20
    # the least of both, because a kernel may be loaded on the way; a reference kept for each sample would be 8 bytes
    assert np.diff(used).min() < 8 * len(messages)
