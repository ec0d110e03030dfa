# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Failure table, rows 1 to 10, 14, 15 and 28: what a driver, its clock and its encoders can do to the stream."""

from __future__ import annotations

import numpy as np
import pytest
import yaml
from diagnostic_msgs.msg import DiagnosticStatus
from ros.domains import DOMAIN
from ros.rigs import (
    FIRST_SEGMENT,
    ChainRig,
    FilterRig,
    Part,
    StreamRig,
    assert_equal,
    expected,
    from_segment,
    list_joint_names,
    motion_of,
    status_with,
    values_of,
)
from ros.ros_bench import DriveMotion, StreamBench, joint_state
from rosgraph_msgs.msg import Clock

from pkm_identification.mechanisms.multibody.loading import load_description
from pkm_identification.nodes.strut_filter import StrutFilterNode
from pkm_identification.ros.clock import seconds, stamp_of
from pkm_identification.ros.qos import CLOCK

ERROR, WARN, OK = DiagnosticStatus.ERROR, DiagnosticStatus.WARN, DiagnosticStatus.OK


# Six struts in m, and four lengths in m beside an angle in rad.
MACHINES = ("uf", "epaas")
WITH_FRICTION = "mast with friction"
FRICTION = {"viscous": [30.0, 25.0, 20.0], "coulomb": [2.0, 1.5, 1.0], "transition_rate": 1e-3}


@pytest.fixture(params=MACHINES)
def rig(request, bench):
    return FilterRig(bench, machine=request.param)


def moved(rig, samples, start=1000.0):
    """A smooth motion of the rig's machine."""
    return DriveMotion(samples, rig.node.parameter["machine"], start)


def test_row_01_not_finite_samples_are_dropped_and_counted(bench, rig):
    statuses = bench.diagnostics()
    motion = moved(rig, 300)
    messages = motion.messages()
    messages[150].position[2] = float("nan")
    messages[180].effort[4] = float("inf")
    rig.feed(messages)
    rig.settle(len(expected(motion)))
    assert rig.counts["not_finite"] == 2
    assert rig.counts["filled"] == 2
    for message in rig.output:
        assert np.isfinite([message.coordinate, message.rate, message.acceleration, message.force]).all()
    assert status_with(bench, statuses, "value is not finite", not_finite="2").level == WARN
    # untouched: where the filter's window holds neither of the two, the numbers are those of the whole motion
    width = 300 - len(expected(motion)) + 1
    samples = expected(motion)
    assert_equal(rig.output[: 150 - width], samples[: 150 - width])
    assert_equal(rig.output[181:], samples[181:])


def test_row_02_velocity_missing_is_fine_and_any_velocity_is_ignored(rig):
    motion = moved(rig, 200)
    messages = motion.messages()
    assert not messages[0].velocity
    for message in messages[100:]:
        message.velocity = [float("nan")] * len(message.name)
    rig.feed(messages)
    assert_equal(rig.settle(len(expected(motion))), expected(motion))


def test_row_02_effort_missing_leaves_motion_but_no_estimate_and_warns(bench):
    statuses = bench.diagnostics()
    chain = ChainRig(bench, machine="epaas")
    motion = DriveMotion(400, "epaas")
    chain.feed([joint_state(t, x, names=motion.names) for t, x in zip(motion.time, motion.length)])
    assert len(chain.states) == len(expected(motion, force=False))
    assert not any(state.force_valid for state in chain.states)
    assert chain.estimator.estimator.counts["no_force"] == len(chain.states)
    assert not chain.estimates
    assert status_with(bench, statuses, "no efforts: pose and motion only").level == WARN
    assert status_with(bench, statuses, "no strut forces: waiting").level == WARN


def test_row_03_names_permuted_and_extra_ones_give_the_identical_result(rig):
    motion = moved(rig, 200)
    samples = expected(motion)
    order = [k for k in (5, 2, 0, 4, 1, 3) if k < len(motion.names)]
    names = [*(motion.names[k] for k in order), "other"]
    messages = [
        joint_state(t, [*x[order], 0.0], [*f[order], 0.0], names)
        for t, x, f in zip(motion.time, motion.length, motion.force)
    ]
    rig.feed(messages[:100] + motion.messages()[100:])
    assert_equal(rig.settle(len(samples)), samples)


@pytest.mark.parametrize(
    ("rig", "break_it", "reason", "text"),
    [
        ("uf", lambda m: (m.name.pop(), m.position.pop(), m.effort.pop()), "missing_name", "strut_6"),
        ("epaas", lambda m: (m.name.pop(), m.position.pop(), m.effort.pop()), "missing_name", "phi"),
        ("uf", lambda m: m.name.__setitem__(3, "strut_1"), "missing_name", "strut_4"),
        (
            "epaas",
            lambda m: (m.name.append("length_2"), m.position.append(0.4), m.effort.append(1.0)),
            "repeated_name",
            "length_2",
        ),
        ("epaas", lambda m: m.position.pop(), "unequal_lengths", "4 positions"),
    ],
    ids=["missing", "missing angle", "another twice", "twice", "unequal lengths"],
    indirect=["rig"],
)
def test_row_04_wrong_names_are_an_error_naming_them_and_nothing_is_taken_by_place(
    bench, rig, break_it, reason, text
):
    statuses = bench.diagnostics()
    motion = moved(rig, 100)
    messages = motion.messages()
    break_it(messages[50])
    rig.feed(messages)
    rig.settle(len(expected(motion)))
    assert rig.counts[reason] == 1
    assert rig.counts["filled"] == 1
    status = status_with(bench, statuses, text)
    assert (status.level, values_of(status)[reason]) == (ERROR, "1")


def test_row_05_a_duplicate_stamp_is_dropped(bench, rig):
    statuses = bench.diagnostics()
    motion = moved(rig, 200)
    messages = motion.messages()
    rig.feed(messages[:100] + messages[99:])
    assert_equal(rig.settle(len(expected(motion))), expected(motion))
    status = status_with(bench, statuses, "was there already")
    assert (status.level, values_of(status)["duplicate"]) == (WARN, "1")


def test_row_06_a_late_sample_is_dropped(bench, rig):
    statuses = bench.diagnostics()
    motion = moved(rig, 200)
    messages = motion.messages()
    rig.feed([*messages[:100], messages[80], *messages[100:]])
    assert_equal(rig.settle(len(expected(motion))), expected(motion))
    status = status_with(bench, statuses, "behind the newest")
    assert (status.level, values_of(status)["late"]) == (WARN, "1")


def test_row_07_a_gap_starts_a_new_segment_with_nothing_derived_across_it(bench, rig):
    statuses = bench.diagnostics()
    motion = moved(rig, 400)
    messages = motion.messages()
    rig.feed(messages[:150] + messages[250:])
    before, after = expected(Part(motion, slice(150))), expected(Part(motion, slice(250, None)))
    rig.settle(len(before) + len(after))
    assert_equal(rig.output[: len(before)], before)
    for message in rig.output[len(before) :]:
        assert message.segment == FIRST_SEGMENT + 1
        message.segment = FIRST_SEGMENT
    # the stretch behind the gap is what a fresh node gives
    assert_equal(rig.output[len(before) :], after)
    bench.wait(lambda: any(values_of(s).get("gap") == "1" for a in statuses for s in a.status), "the counter")


@pytest.mark.slow
def test_row_07_parameters_are_kept_over_a_gap(bench):
    chain = ChainRig(bench, machine="mast")
    messages = chain.rich()
    chain.feed(messages[:2000])
    count = chain.estimator.estimator.estimate.count
    assert count > 10
    settling = chain.estimator.estimator.counts["settling"]
    chain.feed(messages[2100:])
    assert chain.estimator.estimator.estimate.count > count
    # the low-pass over both sides of the equation settled once more
    assert chain.estimator.estimator.counts["settling"] == 2 * settling
    assert chain.estimator.health.counts == {}


def at_rate(motion, rate):
    time = motion.time[0] + np.arange(len(motion.time)) / rate
    return [joint_state(t, x, f, motion.names) for t, x, f in zip(time, motion.length, motion.force)]


@pytest.mark.parametrize(
    ("rig", "rate", "level"),
    [
        ("uf", 1015.0, OK),
        ("epaas", 1030.0, WARN),
        ("uf", 1070.0, WARN),
        ("epaas", 970.0, WARN),
        ("epaas", 1250.0, ERROR),
        ("uf", 1500.0, ERROR),
    ],
    indirect=["rig"],
)
def test_row_08_a_wrong_rate_is_a_warning_then_an_error_and_nothing_goes_on(bench, rig, rate, level):
    statuses = bench.diagnostics()
    motion = moved(rig, 600)
    rig.feed(at_rate(motion, rate))
    if level == OK:
        bench.wait(lambda: rig.output and len(statuses) >= 2, "two statuses")
        assert not any("Hz" in status.message for array in statuses for status in array.status)
        return
    status = status_with(bench, statuses, f"samples come at {rate:.1f} Hz, expected 1000 Hz")
    assert status.level == level
    if level == WARN:
        # everything goes on: what comes out ends half a window of the filter before the last sample
        last = motion.time[0] + (599 - round(1000.0 * rig.node.stage.delay)) / rate
        bench.wait(lambda: abs(seconds(rig.output[-1].header.stamp) - last) < 1e-4, "the last of the motion")
    passed = [seconds(message.header.stamp) - motion.time[0] for message in rig.output]
    if level == ERROR:
        # a quarter of a second is what it takes to know the rate
        assert max(passed) < 0.25
        assert rig.counts["wrong_rate"] > 100


@pytest.mark.parametrize(
    ("slow_chain", "rate"), [("uf", 500.0), ("mast", 100.0), ("mast", 5.0)], indirect=["slow_chain"]
)
def test_row_28_a_stream_slower_than_stated_is_an_error_with_the_rate_it_really_has(slow_chain, rate):
    """ERROR with the rate of the samples received and how much is made up; nothing is learned from made-up samples."""
    chain = slow_chain
    chain.statuses.clear()
    begin = 1000.0 + rate
    learned = chain.estimator.estimator.count
    time = np.arange(max(8, round(1.5 * rate))) / rate
    motion = DriveMotion(1, chain.machine)
    chain.feed(
        [
            joint_state(begin + t, motion.length[0] + 1e-3 * np.sin(3.0 * t), motion.force[0], motion.names)
            for t in time
        ]
    )
    status = status_with(chain.bench, chain.statuses, f"samples come at {rate:.1f} Hz, expected 1000 Hz")
    assert (status.name, status.level) == ("strut_filter: stream", ERROR)
    assert float(values_of(status)["rate (Hz)"]) == pytest.approx(rate, rel=0.02)
    if rate >= 200.0:
        # holes as short as these are filled: 1 or 4 of 2 or 5 samples
        assert float(values_of(status)["filled_share"]) == pytest.approx(1.0 - rate / 1000.0, abs=0.02)
        assert "made up" in status.message
    assert chain.estimator.estimator.count == learned
    # the cause gone, so is the error
    chain.statuses.clear()
    chain.feed(DriveMotion(500, chain.machine, start=begin + 500.0).messages())
    chain.bench.wait(
        lambda: any(
            values_of(s).get("rate (Hz)") == "1000" and "Hz" not in s.message
            for a in chain.statuses
            for s in a.status
        ),
        "the filter to be content",
    )


@pytest.mark.slow
@pytest.mark.parametrize("slow_chain", [WITH_FRICTION], indirect=True)
def test_row_28_a_stream_four_percent_fast_warns_and_biases_no_friction(slow_chain):
    """1040 Hz instead of 1000: WARN with the rate, and rates are taken with the period that stamps have."""
    chain = slow_chain
    for node in ("strut_filter", "estimator"):
        assert chain.bench.trigger(f"/{node}/reset").success
    chain.statuses.clear()
    time, length, force = motion_of(chain.machine, 3.0, 1040.0)
    force = force + 0.01 * force.std(axis=0) * np.random.default_rng(1).standard_normal(force.shape)
    names = list_joint_names(chain.machine)
    chain.feed([joint_state(5000.0 + t, x, f, names) for t, x, f in zip(time, length, force, strict=True)])
    status = status_with(chain.bench, chain.statuses, "samples come at 1040.0 Hz, expected 1000 Hz")
    assert (status.name, status.level) == ("strut_filter: stream", WARN)
    estimate = chain.estimator.estimator.estimate
    viscous = [k for k, name in enumerate(estimate.names) if name.startswith("viscous")]
    # the machine moved as its file says: four percent would be four deviations and more
    assert (estimate.std[viscous] / estimate.nominal[viscous]).max() < 0.01
    assert np.abs((estimate.values - estimate.nominal) / estimate.std)[viscous].max() < 4.0


@pytest.fixture(scope="module")
def slow_chain(request, tmp_path_factory):
    """The three nodes, for all rates, of six struts or of the machine that a row names."""
    machine = request.param
    if machine == WITH_FRICTION:
        document = load_description("mast").description.document | {"friction": FRICTION}
        path = tmp_path_factory.mktemp("friction") / "mast.yaml"
        path.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
        machine = str(path)
    with StreamBench(DOMAIN) as bench:
        yield StreamRig(bench, machine=machine, sample_rate=1000.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("machine", "with_clock"), [("mast", False), ("uf", True)], ids=["without clock", "with clock"]
)
def test_row_09_a_bag_that_loops_resets_the_pipeline_once_and_says_so_once(bench, machine, with_clock):
    chain = ChainRig(bench, use_sim_time=with_clock, machine=machine)
    clock = bench.publisher(Clock, "/clock", CLOCK, subscribers=3) if with_clock else None
    messages = chain.rich()[:1200]
    lines = []
    for node in (chain.filter, chain.kinematics, chain.estimator):
        node.health.log = lambda level, text, node=node: lines.append((node.get_name(), level, text))

    def play():
        for start in range(0, len(messages), 400):
            if clock is not None:
                clock.publish(Clock(clock=messages[start].header.stamp))
            chain.feed(messages[start : start + 400])

    play()
    first = chain.estimator.estimator.estimate
    assert first.count > 10
    seen = len(chain.states)
    play()
    again = chain.estimator.estimator.estimate
    # as if newly started; forward kinematics began elsewhere, which shows in its last digits
    assert again.count == first.count
    np.testing.assert_allclose(again.values, first.values, rtol=1e-6)
    np.testing.assert_allclose(again.std, first.std, rtol=1e-6)
    assert {state.segment for state in chain.states[seen:]} == {
        int(1e3 * seconds(messages[0].header.stamp)) + 1
    }
    assert [(name, level) for name, level, _ in lines] == [("strut_filter", WARN), ("estimator", WARN)]
    for node in (chain.filter, chain.estimator):
        assert node.health.counts == {"clock_jump": 1}


def test_row_09_a_loop_shorter_than_the_tolerance_for_stragglers_is_noticed_too(rig):
    motion = moved(rig, 300)
    rig.feed(motion.messages())
    rig.settle(len(expected(motion)))
    rig.feed(motion.messages())
    rest = expected(Part(motion, slice(rig.counts["late"], None)))
    assert from_segment(rig.settle(len(expected(motion)) + len(rest)), 1, len(rest))
    assert rig.counts["clock_jump"] == 1


def test_row_10_use_sim_time_without_a_clock_is_a_warning_until_there_is_one(bench):
    statuses = bench.diagnostics()
    bench.start(StrutFilterNode, machine="mast", use_sim_time=True)
    assert status_with(bench, statuses, "use_sim_time is set but nobody publishes /clock").level >= WARN
    clock = bench.publisher(Clock, "/clock", CLOCK)
    clock.publish(Clock(clock=stamp_of(100.0)))
    statuses.clear()
    bench.wait(
        lambda: any(a.header.stamp.sec == 100 and "/clock" not in a.status[0].message for a in statuses),
        "a status of the new time without the warning",
    )


def test_row_10_stamp_zero_is_an_error(bench, rig):
    statuses = bench.diagnostics()
    rig.feed([joint_state(0.0, moved(rig, 1).length[0], names=moved(rig, 1).names)])
    status = status_with(bench, statuses, "stamp 0")
    assert (status.level, values_of(status)["zero_stamp"]) == (ERROR, "1")
    motion = moved(rig, 200)
    rig.feed(motion.messages())
    assert_equal(rig.settle(len(expected(motion))), expected(motion))


def test_row_14_a_length_outside_limits_names_the_strut_and_hints_at_mm(bench, rig):
    statuses = bench.diagnostics()
    motion = moved(rig, 200)
    messages = motion.messages()
    messages[120].position[3] = 0.7
    rig.feed(messages)
    rig.settle(len(expected(motion)))
    status = status_with(bench, statuses, f"{motion.names[3]}: 0.7 m is outside")
    assert (status.level, values_of(status)["out_of_limits"]) == (ERROR, "1")
    assert "mm" not in status.message
    statuses.clear()
    motion = moved(rig, 20, 1010.0)
    rows = zip(motion.time, motion.length, motion.force, strict=True)
    rig.feed([joint_state(t, 1000 * x, f, motion.names) for t, x, f in rows])
    assert status_with(bench, statuses, "(is it in mm?)", out_of_limits="21").level == ERROR
    assert len(rig.output) == len(expected(moved(rig, 200)))


@pytest.mark.parametrize("rig", ["epaas"], indirect=True)
def test_row_38_a_newline_in_a_joint_name_forges_no_line(bench, rig):
    """Control characters of names are written out in diagnostics and log."""
    statuses = bench.diagnostics()
    lines = []
    rig.node.health.log = lambda level, text: lines.append(text)
    motion = moved(rig, 1)
    names = [f"{name}\n[ERROR] [1.0] [driver]: \x1b[31mall is lost" for name in motion.names]
    rig.feed([joint_state(1000.0, motion.length[0], names=names)])
    status = status_with(bench, statuses, "\\n[ERROR]")
    assert status.level == ERROR
    for text in (status.message, *lines):
        assert text.isprintable()
    assert lines


def test_row_15_a_spike_is_dropped(bench, rig):
    statuses = bench.diagnostics()
    motion = moved(rig, 200)
    messages = motion.messages()
    messages[120].position[1] -= 2.0 * rig.node.machine.drives[1].size
    rig.feed(messages)
    rig.settle(len(expected(motion)))
    status = status_with(bench, statuses, f"{motion.names[1]}: jumps")
    assert (status.level, values_of(status)["spike"]) == (WARN, "1")
    assert np.abs([message.rate[1] for message in rig.output]).max() < 1.0
