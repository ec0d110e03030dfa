# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Failure table, rows 16 to 18, 22, 23, 25, 32, 33 and 37: what can befall an estimate."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.parameter import Parameter
from ros.rigs import (
    EstimatorRig,
    FilterRig,
    Part,
    assert_equal,
    build_pipeline,
    expected,
    from_segment,
    motion_samples,
    status_with,
    values_of,
)
from ros.ros_bench import DriveMotion

from pkm_identification.control.inverse_dynamics import InverseDynamics
from pkm_identification.errors import PkmError
from pkm_identification.identification.online.tracker_stage import TrackerStage
from pkm_identification.machines.load import load_machine
from pkm_identification.motion import DriveSample
from pkm_identification.msg import ParameterEstimate
from pkm_identification.nodes.estimator import EstimatorNode
from pkm_identification.ros.processes.node_process import NodeProcess
from pkm_identification.ros.qos import LATCHED

ERROR, WARN = DiagnosticStatus.ERROR, DiagnosticStatus.WARN
SHOCK = 10.0  # times the deviation of a drive's force


@pytest.fixture
def rig(request, bench, tmp_path):
    """An estimator of six struts, or of the machine that a row names."""
    return EstimatorRig(bench, getattr(request, "param", "uf"), save_folder=str(tmp_path))


on_mast = pytest.mark.parametrize("rig", ["mast"], indirect=True)


def assert_finite(messages):
    for message in messages:
        for numbers in (message.values, message.std, message.covariance, [message.nis]):
            assert np.isfinite(numbers).all()
        assert (np.array(message.std) > 0).all()


@pytest.mark.slow
@on_mast
def test_row_16_shocks_are_gated_and_many_say_that_model_or_units_are_wrong(bench, rig):
    statuses = bench.diagnostics()
    samples = rig.samples()
    rig.feed(samples[:2500])
    estimator = rig.node.estimator
    before = estimator.estimate
    shock = SHOCK * np.std([sample.force for sample in samples], axis=0)
    rig.feed([sample._replace(force=sample.force + shock) for sample in samples[2500:2600]])
    rig.feed(samples[2600:3000])
    shocked = estimator.counts["gated"]
    assert 0 < shocked < 25
    bench.wait(
        lambda: any(values_of(s).get("gated") == str(shocked) for a in statuses for s in a.status),
        "the counter",
    )
    # a busy computer may be late, which is a warning; a shock is no error
    assert not any("units" in s.message or s.level == ERROR for a in statuses for s in a.status)
    np.testing.assert_allclose(estimator.estimate.values, before.values, atol=5 * before.std.max(), rtol=0.5)
    # a driver that begins to send kilonewtons
    later = [s._replace(time=s.time + 3.0, force=1e-3 * s.force, segment=9) for s in samples]
    rig.feed(later)
    status = status_with(bench, statuses, "units")
    assert status.level == ERROR
    assert int(values_of(status)["gated"]) >= 25
    # never locked out: it follows what it is told
    assert estimator.estimate.count > before.count + 10
    viscous = next(k for k, name in enumerate(before.names) if name.startswith("viscous"))
    assert estimator.estimate.values[viscous] < 0.1 * before.values[viscous]
    bench.wait(lambda: rig.estimates[-1].count == estimator.estimate.count, "the last estimate")
    assert_finite(rig.estimates)


@pytest.mark.parametrize(
    ("rig", "damage"),
    [
        ("mast", lambda f: f._root.fill(np.nan)),
        ("mast", lambda f: f._root.__setitem__((3, slice(None)), 0.0)),
        ("uf", lambda f: f._mean.__setitem__(0, np.inf)),
    ],
    ids=["root not a number", "a variance of zero", "mean infinite"],
    indirect=["rig"],
)
def test_row_17_a_covariance_that_is_none_is_replaced_by_the_last_good_one(bench, rig, damage):
    statuses = bench.diagnostics()
    samples = rig.samples()
    rig.feed(samples[:2500])
    bench.wait(lambda: rig.estimates, "an estimate")
    good = rig.node.estimator.estimate
    damage(rig.node.estimator.recursive.filter)
    status = status_with(bench, statuses, "went back to the state after")
    assert status.level == ERROR
    assert f"{good.count} equations" in status.message
    assert values_of(status)["not_finite_output"] == "1"
    restored = rig.node.estimator.estimate
    assert restored.count == good.count
    np.testing.assert_allclose(restored.values, good.values, rtol=1e-9)
    rig.feed(samples[2500:3500])
    bench.wait(lambda: rig.estimates[-1].count > good.count, "an estimate that went on")
    assert_finite(rig.estimates)
    np.testing.assert_array_less(np.array(rig.estimates[-1].std), good.std * (1 + 1e-6) + 1e-12)


@pytest.mark.slow
@on_mast
def test_row_18_what_a_motion_cannot_show_is_marked_and_keeps_the_priors_deviation(bench, rig):
    """All sliders go up and down alike: the platform does not tilt."""
    rig.feed(lift_samples(rig.machine))
    bench.wait(lambda: rig.estimates and rig.estimates[-1].count == rig.node.estimator.estimate.count, "it")
    message = rig.estimates[-1]
    prior = rig.node.estimator.prior
    status = dict(zip(message.names, message.status, strict=True))
    for name in ("Ixx_platform", "Iyy_platform"):
        i = list(message.names).index(name)
        assert status[name] == ParameterEstimate.UNIDENTIFIABLE
        assert message.std[i] == pytest.approx(prior.std[i], rel=0.02)
    # shown, but four seconds are too few to judge the fit by
    assert status["viscous_length_1"] == status["m_bar_1"] == ParameterEstimate.IN_DOUBT


def lift_samples(name):
    """Tracked samples of a machine whose drives all move alike, from 100 s on."""
    machine, period = load_machine(name), 1e-3
    time = period * np.arange(4000)
    turn = 2.0 * np.pi * np.array([0.7, 2.3])
    wave = np.outer(time, turn)
    size = np.array([0.7, 0.15]) * machine.drives[0].size
    rows = [
        np.repeat((part @ (size * turn**k))[:, None], len(machine.drives), axis=1)
        for k, part in enumerate((1.0 - np.cos(wave), np.sin(wave), np.cos(wave)))
    ]
    motion = machine.compute_motion(machine.home + rows[0], rows[1], rows[2])
    force = InverseDynamics(machine).compute(motion, np.array(machine.basis.nominal))
    force += 0.01 * force.std(axis=0) * np.random.default_rng(1).standard_normal(force.shape)
    stage = TrackerStage(machine)
    moved = zip(100.0 + time, machine.home + rows[0], rows[1], rows[2], force, strict=True)
    return [stage.step(DriveSample(*sample, 1)) for sample in moved]


@on_mast
def test_row_22_a_late_joiner_gets_the_last_estimate(bench, rig):
    rig.feed(rig.samples())
    bench.wait(lambda: rig.estimates and rig.estimates[-1].count == rig.node.estimator.estimate.count, "it")
    late = bench.collect(ParameterEstimate, "parameter_estimate", LATCHED)
    bench.wait(lambda: late, "the latched estimate")
    assert len(late) == 1
    assert late[0].count == rig.estimates[-1].count


@on_mast
def test_row_23_a_restart_goes_on_from_a_saved_estimate(bench, rig, tmp_path):
    samples = rig.samples()
    rig.feed(samples[:2500])
    before = rig.node.estimator.estimate
    assert bench.trigger("/estimator/save").success
    bench.stop(rig.node)
    # its latched estimate goes with it, not at once
    bench.wait(lambda: bench.node.count_publishers("parameter_estimate") == 0, "the first node to be gone")
    path = str(tmp_path / f"{rig.machine}.json")
    again = EstimatorRig(bench, rig.machine, initial_estimate=path, save_folder=str(tmp_path / "other"))
    first = bench.wait(lambda: again.estimates, "the saved estimate, before any sample")[0]
    assert first.count == before.count
    np.testing.assert_allclose(first.values, before.values, rtol=1e-9)
    again.feed(samples[2500:])
    assert again.node.estimator.estimate.count > before.count
    assert any(values_of(status).get("started_from") == path for status in again.node.health.statuses())
    # a reset is a new start, from the same file
    assert bench.trigger("/estimator/reset").success
    np.testing.assert_allclose(again.node.estimator.estimate.values, before.values, rtol=1e-9)


@on_mast
def test_row_23_without_a_file_a_restart_begins_with_the_nominal_values(bench, rig, tmp_path):
    estimator = rig.node.estimator
    np.testing.assert_array_equal(estimator.estimate.values, estimator.estimate.nominal)
    bench.stop(rig.node)
    fresh = bench.start(EstimatorNode, machine=rig.machine, resume=True, save_folder=str(tmp_path))
    assert fresh.estimator.estimate.count == 0
    np.testing.assert_array_equal(fresh.estimator.estimate.values, fresh.estimator.estimate.nominal)


@pytest.mark.parametrize(
    ("saved", "parameters", "change", "text"),
    [
        ("uf", {"parameters": "oh24"}, None, "the set 'oh24' has 24"),
        ("mast", {"machine": "epaas"}, None, "belongs to machine 'mast'"),
        ("mast", {}, lambda d: d.__setitem__("machine_hash", "0" * 16), "with another description"),
        ("mast", {}, lambda d: d.__setitem__("stated", "m ~ 7.7 ± 0.01"), "was made with 'm ~ 7.7 ± 0.01'"),
        ("mast", {}, lambda d: d["state"]["mean"].__setitem__(3, None), r"must be \d+ finite numbers"),
        ("mast", {}, lambda d: d["state"]["covariance"][4].__setitem__(4, -1.0), "that is not positive"),
    ],
    ids=["set", "machine", "hash", "stated", "finite", "covariance"],
    indirect=["saved"],
)
def test_row_23_an_estimate_that_does_not_belong_here_is_refused(
    bench, saved, tmp_path, parameters, change, text
):
    document = json.loads(saved)
    path = tmp_path / "saved.json"
    if change is not None:
        change(document)
    path.write_text(json.dumps(document))
    with pytest.raises(PkmError, match=text) as caught:
        bench.start(
            EstimatorNode, initial_estimate=str(path), **{"machine": document["machine"]} | parameters
        )
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.fixture(scope="module")
def saved(request, tmp_path_factory):
    """An estimate.json of the machine that a row names."""
    from pkm_identification.identification.settings import Settings
    from pkm_identification.ros.estimates.store import EstimateStore

    pipeline = build_pipeline(request.param)
    for sample in motion_samples(request.param):
        pipeline.estimator.step(sample)
    path = tmp_path_factory.mktemp("saved") / "saved.json"
    EstimateStore(pipeline.machine, Settings.of(causal=True), path, request.param).save(
        pipeline.estimator, 0.028
    )
    return path.read_text()


@pytest.mark.slow
@pytest.mark.alone
def test_row_25_reset_is_answered_while_samples_stream_at_1_khz(bench, domain, tmp_path):
    """By every node of the chain, whose stream leaves no gap for a service to slip in: it flows before and after."""
    names = ("strut_filter", "kinematics", "estimator")
    machine = {"machine": "mast"}
    processes = [NodeProcess(name, machine, domain=domain, folder=tmp_path) for name in names]
    estimates = bench.collect(ParameterEstimate, "parameter_estimate", LATCHED)
    try:
        for process in processes:
            process.start()
        for process in processes:
            process.wait_active()
        with NodeProcess("simulator", machine, domain=domain, folder=tmp_path) as simulator:
            simulator.wait_active()
            for name in names:
                seen = len(estimates)
                bench.wait(lambda seen=seen: len(estimates) > seen, "an estimate")
                seen, before = len(estimates), estimates[-1].count
                assert bench.trigger(f"/{name}/reset").success
            bench.wait(
                lambda: any(one.count < before for one in estimates[seen:]), "an estimate that began afresh"
            )
            assert simulator.code is None
    finally:
        for process in processes:
            assert process.stop(60.0) == 0


def test_row_25_after_a_reset_the_filter_equals_a_fresh_node(bench):
    rig = FilterRig(bench, machine="mast")
    motion = DriveMotion(600, "mast")
    messages = motion.messages()
    rig.feed(messages[:300])
    assert bench.trigger("/strut_filter/reset").success
    rig.feed(messages[300:])
    samples = expected(Part(motion, slice(300, None)))
    after = bench.wait(lambda: from_segment(rig.output, 1, len(samples)), "samples after the reset")
    for message in after:
        message.segment -= 1
    assert_equal(after, samples)


@on_mast
def test_row_25_after_a_reset_the_estimator_equals_a_fresh_node(bench, rig):
    samples = rig.samples()
    rig.feed(samples[:2000])
    assert bench.trigger("/estimator/reset").success
    rig.feed(samples[2000:])
    fresh, found = rig.learn(samples[2000:]), rig.node.estimator.estimate
    assert found.count == fresh.count
    np.testing.assert_allclose(found.values, fresh.values, rtol=1e-9)
    np.testing.assert_allclose(found.std, fresh.std, rtol=1e-9)


@pytest.mark.parametrize(("rig", "why"), [("uf", "reset"), ("mast", "clock")], indirect=["rig"])
def test_row_25_a_discarded_estimate_is_replaced_by_the_prior(bench, rig, why):
    """After ~/reset, and where time runs backwards: who comes later is not given what was discarded."""
    samples = rig.samples()
    rig.feed(samples[:2000])
    bench.wait(lambda: rig.estimates, "an estimate")
    seen = len(rig.estimates)
    if why == "reset":
        assert bench.trigger("/estimator/reset").success
    else:
        rig.feed([samples[0]])
    prior = bench.wait(lambda: next((m for m in rig.estimates[seen:] if not m.count), None), "the prior")
    late = bench.collect(ParameterEstimate, "parameter_estimate", LATCHED)
    message = bench.wait(lambda: late and late[0], "what is latched")
    assert message == prior
    assert (message.count, message.fit_judged, message.header.stamp.sec) == (0, False, 0)
    np.testing.assert_allclose(
        message.values, rig.node.estimator.prior.mean[: len(message.values)], rtol=1e-9
    )
    assert set(message.status) == {ParameterEstimate.UNIDENTIFIABLE}


@on_mast
def test_row_33_what_is_no_file_is_never_saved_to_and_the_node_goes_on(bench, rig, tmp_path):
    """A link out of the folder, a device and a pipe nobody reads where the estimate is to be kept.

    Save is refused and says why, autosave is an ERROR, what the link names is left alone; the way clear, it is saved.
    """
    path, outside = tmp_path / "mast.json", tmp_path / "elsewhere" / "theirs.json"
    outside.parent.mkdir()
    outside.write_text("theirs")
    samples = rig.samples()
    rig.feed(samples[:1500])
    statuses = bench.diagnostics()
    before = tmp_path / "mast.previous.json"
    for place, put, said in (
        (path, lambda: path.symlink_to(outside), "out of its folder"),
        (path, lambda: path.symlink_to("/dev/null"), "is no file"),
        (path, lambda: os.mkfifo(path), "is no file"),
        (before, lambda: os.mkfifo(before), "is no file"),
    ):
        put()
        answer = bench.trigger("/estimator/save")
        assert not answer.success
        assert said in answer.message
        place.unlink()
    os.mkfifo(path)
    rig.node.set_parameters([Parameter("autosave_period", value=0.1)])
    status = status_with(bench, statuses, str(path))
    assert status.level == ERROR
    assert int(values_of(status)["not_saved"]) > 0
    rig.feed(samples[1500:2000])
    path.unlink()
    count = rig.node.estimator.count
    bench.wait(lambda: path.exists() and json.loads(path.read_text())["state"]["count"] == count, "a file")
    assert outside.read_text() == "theirs"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["elsewhere", "mast.json", "mast.lock"]


def test_row_32_a_clock_set_back_keeps_what_was_saved(bench, tmp_path):
    """Autosave keeps what knows more, and the one before it; a damaged file is an ERROR, and the one before is used."""
    path = tmp_path / "mast.json"
    rig = EstimatorRig(bench, "mast", save_folder=str(tmp_path), autosave_period=0.1)
    samples = rig.samples()
    rig.feed(samples[:1500])
    bench.wait(path.exists, "an autosave")
    rig.feed(samples[1500:3500])
    count = rig.node.estimator.count
    bench.wait(lambda: json.loads(path.read_text())["state"]["count"] == count, "the newest autosave")
    # the clock is set 30 s back, and 30 equations are learned anew
    rig.feed([sample._replace(time=sample.time - 30.0) for sample in samples[:1800]])
    assert 0 < rig.node.estimator.count < count
    bench.spin(0.5)
    assert json.loads(path.read_text())["state"]["count"] == count
    bench.stop(rig.node)
    # one number of the file is damaged on the disk
    before = json.loads((tmp_path / "mast.previous.json").read_text())["state"]["count"]
    assert 0 < before < count
    document = json.loads(path.read_text())
    document["state"]["mean"][0] *= 1.001
    path.write_text(json.dumps(document))
    statuses = bench.diagnostics()
    again = bench.start(EstimatorNode, machine="mast", save_folder=str(tmp_path), resume=True)
    assert again.estimator.count == before
    status = status_with(bench, statuses, "does not match its checksum")
    assert (status.name, status.level) == ("estimator: storage", ERROR)
    assert values_of(status)["started_from"].endswith("mast.previous.json")
