# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Samples that are missing by their stamps: counted where they are, and nowhere else."""

import re
import threading
import time

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from ros.rigs import FilterRig, status_with
from ros.ros_bench import Motion

from pkm_identification.ros.node.missing_samples import MissingSamples

WARN = DiagnosticStatus.WARN


def counted(stamps, period=1e-3):
    missing = MissingSamples(period)
    for stamp in stamps:
        missing.came(float(stamp))
    missing.turn_over()
    return missing


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("share", [0.003, 0.01, 0.1])
@pytest.mark.parametrize("rate", [100.0, 1000.0])
def test_holes_are_counted_one_by_one(seed, share, rate):
    generator = np.random.default_rng(seed)
    kept = generator.random(1000) >= share
    kept[[0, -1]] = True
    # jitter of 2 % of a period
    stamps = 1e3 + (np.arange(1000) + generator.normal(0.0, 0.02, 1000)) / rate
    missing = counted(stamps[kept], 1.0 / rate)
    assert (missing.lately, missing.expected) == (np.sum(~kept), 999)


@pytest.mark.parametrize(
    "stamps",
    [
        np.arange(1000) / 970.0,  # slower than stated
        np.arange(1000) / 500.0,
        np.arange(1000) / 1030.0,
        np.arange(1000) / 1000.0 + np.where(np.arange(1000) % 7 == 3, 0.8e-3, 0.0),  # jitter
        np.arange(20) * 1.5,  # silence
    ],
    ids=["970 Hz", "500 Hz", "1030 Hz", "jitter", "silence"],
)
def test_a_stream_that_lacks_nothing_is_not_said_to(stamps):
    assert counted(100.0 + stamps).lately == 0


def test_what_came_and_was_not_used_is_not_missing():
    missing = MissingSamples(1e-3)
    for k in range(100):
        if k % 10 == 5:
            missing.arrived()  # late, or not finite
        else:
            missing.came(5.0 + 1e-3 * k)
    missing.turn_over()
    assert missing.lately == 0


@pytest.mark.parametrize(("share", "seed"), [(0.01, 0), (0.01, 1), (0.03, 2)])
def test_a_driver_whose_samples_are_lost_is_not_said_to_be_too_fast(bench, share, seed):
    """Skipped over DDS; nothing of it is slowness of the node, and the rate is right as far as samples come."""
    statuses = bench.diagnostics()
    rig = FilterRig(bench)
    motion = Motion(3000)
    kept = np.random.default_rng(seed).random(3000) >= share
    kept[[0, -1]] = True
    rig.feed([message for message, there in zip(motion.messages(), kept, strict=True) if there])
    missing = int(np.sum(~kept))
    status = status_with(
        bench, statuses, f"samples of 'strut_states' are missing on the way, {missing} so far"
    )
    assert (status.name, status.level) == ("strut_filter: input", WARN)
    texts = [s.message for a in statuses for s in a.status]
    told = {t for text in texts for t in re.findall(r"(\d+) of (\d+) samples of 'strut_states'", text)}
    assert sum(int(n) for n, _ in told) == missing
    # a second in which none is missing is not told
    assert 2000 < sum(int(m) for _, m in told) <= 2999
    assert not any("slower than" in text or "samples come at" in text for text in texts)


def test_a_node_that_is_slow_is_told_from_samples_lost(bench):
    """Each step takes longer than a period; a driver in another thread does not wait."""
    statuses = bench.diagnostics()
    rig = FilterRig(bench)
    step = rig.node.stage.step

    def slow_step(*sample):
        time.sleep(0.002)
        return step(*sample)

    rig.node.stage.step = slow_step
    messages = Motion(4000).messages()
    driver = threading.Thread(target=lambda: [rig.driver.publish(message) for message in messages])
    driver.start()
    status = status_with(bench, statuses, "slower than the input")
    assert status.level == WARN
    driver.join()
    # a lost message is noticed by the next one: of the last ones nobody knows
    came = 0
    while rig.node.taken + rig.node.inputs.lost > came:
        came = rig.node.taken + rig.node.inputs.lost
        bench.spin(1.5)
    assert came > 1000
    assert not any("on the way" in s.message for a in statuses for s in a.status)
