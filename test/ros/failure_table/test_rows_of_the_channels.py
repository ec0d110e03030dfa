# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Failure table, row 31: lengths and forces of one strut that are wrong without a single bad sample."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from ros.domains import DOMAIN
from ros.rigs import FilterRig, rich_messages, status_with, values_of
from ros.ros_bench import StreamBench

ERROR = DiagnosticStatus.ERROR
RATE = 250.0


@pytest.fixture(scope="module", params=["uf", "epaas"])
def chain(request):
    """A strut_filter behind a driver: of six struts, or of four cylinders beside a turning one."""
    with StreamBench(DOMAIN) as bench:
        rig = FilterRig(bench, machine=request.param, sample_rate=RATE)
        rig.statuses = bench.diagnostics()
        rig.drives = rig.node.machine.drives
        rig.motion = partial(rich_messages, request.param, rate=RATE)
        yield rig


def step(drive, share):
    """Another zero of a drive's encoder, by a share of a large change."""

    def change(drives, time, length, force):
        length[time >= 1.5, drive] += share * drives[drive].size

    return change


def stick(drives, time, length, force):
    length[time >= 1.2, 2] = length[np.searchsorted(time, 1.2), 2]


def clip(drives, time, length, force):
    most = 0.4 * np.abs(force[:, 3]).max()
    force[:, 3] = np.clip(force[:, 3], -most, most)


FAULTS = {
    "uf": [
        (step(1, 0.04), "strut_2 stepped by 1 mm", "length_step"),
        (step(4, -0.008), "strut_5 stepped by -0.2 mm", "length_step"),
        (stick, "strut_3 has been", "length_stuck"),
        (clip, "strut_4: the force is clipped at", "force_clipped"),
    ],
    # five drives may well stand one by one: none is said to be stuck
    "epaas": [
        (step(1, 0.04), "length_2 stepped by 0.4 mm", "length_step"),
        (step(4, -0.02), "phi stepped by -11 mrad", "length_step"),
        (clip, "length_4: the force is clipped at", "force_clipped"),
    ],
}


@pytest.mark.slow
def test_row_31_a_step_a_stuck_channel_and_clipped_forces_of_one_strut_are_named(chain):
    """ERROR names strut and size while it lasts (a step for 10 s), then clears.

    A counter stays; nothing that is not finite goes out.
    """
    faults = FAULTS[chain.node.machine.name]
    for k, (change, said, counter) in enumerate(faults):
        assert chain.bench.trigger("/strut_filter/reset").success
        chain.statuses.clear()
        chain.feed(chain.motion(100.0 + 40.0 * k, 3.5, change=partial(change, chain.drives)))
        status = status_with(chain.bench, chain.statuses, said)
        assert (status.level, status.name) == (ERROR, "strut_filter: stream")
        assert int(values_of(status)[counter]) >= 1
    for message in chain.output:
        assert np.isfinite([message.coordinate, message.rate, message.acceleration, message.force]).all()
    # the cause gone, the finding goes; what was counted stays
    chain.feed(chain.motion(100.0 + 40.0 * (k + 1), 12.0))
    chain.statuses.clear()
    status = chain.bench.wait(
        lambda: next((s for a in chain.statuses for s in a.status if s.name == "strut_filter: stream"), None),
        "a status",
    )
    assert not any(drive.joint in status.message for drive in chain.drives)
    assert all(int(values_of(status)[counter]) >= 1 for _, _, counter in faults)


def test_row_31_a_right_driver_raises_no_such_alarm(chain):
    """Fast and slow motion, standing still, and the start of a motion."""
    assert chain.bench.trigger("/strut_filter/reset").success
    chain.statuses.clear()
    messages = chain.motion(1000.0, 2.5)
    last = messages[-1]
    for k in range(400):
        still = type(last)(name=last.name, position=last.position, effort=last.effort)
        still.header.stamp.sec, still.header.stamp.nanosec = divmod(round(1e9 * (1002.5 + k / RATE)), 10**9)
        messages.append(still)
    chain.feed(messages)
    chain.bench.wait(lambda: len(chain.statuses) > 3, "some diagnostics")
    texts = " ".join(s.message for a in chain.statuses for s in a.status)
    assert "stepped" not in texts
    assert "stuck" not in texts
    assert "clipped" not in texts


@pytest.mark.parametrize("chain", ["epaas"], indirect=True)
def test_row_32_a_clock_far_ahead_is_not_believed_before_it_has_stayed_so(chain):
    """Two seconds ten years ahead are dropped with a WARN and nothing is lost behind them.

    Six seconds are another clock.
    """
    assert chain.bench.trigger("/strut_filter/reset").success
    chain.statuses.clear()
    years = 10 * 365.25 * 86400.0
    chain.feed(chain.motion(2000.0, 1.0))
    chain.feed(chain.motion(2001.0 + years, 2.0))
    status = status_with(chain.bench, chain.statuses, "s ahead: believed once")
    assert (status.level, status.name) == (DiagnosticStatus.WARN, "strut_filter: stream")
    chain.bench.wait(
        lambda: any(values_of(s).get("ahead") == "500" for a in chain.statuses for s in a.status),
        "the counter",
    )
    count = len(chain.output)
    chain.feed(chain.motion(2003.0, 1.0))
    assert chain.node.stage.counts["clock_jump"] == 0
    chain.settle(count + 200)
    # a clock that really was set
    chain.feed(chain.motion(2004.0 + years, 6.0))
    assert chain.node.stage.counts["accepted"] == 500 + 250


@pytest.mark.parametrize("chain", ["epaas"], indirect=True)
def test_row_37_samples_reordered_by_50_ms_are_dropped_without_harm(chain):
    """Each eighth sample comes 50 ms late: as many holes are filled, as many stragglers dropped, in one segment.

    ERROR says how much of the stream is made up.
    """
    assert chain.bench.trigger("/strut_filter/reset").success
    chain.statuses.clear()
    chain.output.clear()
    messages = chain.motion(3000.0, 3.0)
    late = {k + 12: k for k in range(50, 700, 8)}
    order = []
    for k in range(len(messages)):
        if k not in late.values():
            order.append(messages[k])
        if k in late:
            order.append(messages[late[k]])
    chain.feed(order)
    counts = chain.node.stage.counts
    assert counts["late"] == counts["filled"] == len(late)
    assert (counts["gap"], counts["clock_jump"]) == (0, 0)
    # an eighth of the stream is made up: nothing may be learned from it
    status_with(chain.bench, chain.statuses, "behind the newest", late=str(len(late)))
    status = status_with(chain.bench, chain.statuses, "made up", late=str(len(late)))
    assert status.level == DiagnosticStatus.ERROR
