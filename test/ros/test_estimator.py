# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""estimator: learns from platform states what the stage learns, and what its services do."""

import json

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.parameter import Parameter
from ros.rigs import (
    EstimatorRig,
    platform_messages,
    platform_samples,
    status_with,
    tracked_samples,
    values_of,
)
from ros.ros_bench import feed
from std_srvs.srv import SetBool

from pkm_identification.errors import PkmError
from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.msg import PlatformState
from pkm_identification.nodes.estimator import EstimatorNode


@pytest.fixture
def samples():
    return platform_samples()


@pytest.fixture
def rig(bench, tmp_path):
    return EstimatorRig(bench, save_folder=str(tmp_path))


def test_the_node_learns_what_the_stage_learns(bench, rig, samples):
    rig.feed(samples)
    pipeline = OnlinePipeline(Machine.load("uf"))
    for sample in tracked_samples(samples):
        pipeline.estimator.step(sample)
    expected = pipeline.estimator.estimate
    message = bench.wait(
        lambda: next((m for m in rig.estimates if m.count == expected.count), None), "the last estimate"
    )
    assert tuple(message.names) == expected.names
    assert tuple(message.units) == expected.units
    np.testing.assert_allclose(message.values, expected.values, rtol=1e-9)
    np.testing.assert_allclose(message.std, expected.std, rtol=1e-9)
    np.testing.assert_allclose(
        np.reshape(message.covariance, expected.covariance.shape),
        expected.covariance,
        rtol=1e-9,
        atol=1e-9 * np.outer(expected.std, expected.std).max(),
    )
    assert message.machine == "uf"
    assert message.machine_hash == Machine.load("uf").hash
    assert (message.estimator, message.model) == ("ukf", "force")
    assert len(message.status) == len(message.names)


def test_the_prior_is_never_published(bench, rig, samples):
    rig.feed(samples[:100])
    bench.spin(0.5)
    assert not rig.estimates
    assert not bench.trigger("/estimator/save").success


def test_poses_that_are_not_ok_are_skipped(rig, samples):
    messages = platform_messages(samples[:300])
    for message in messages[100:110]:
        message.status = PlatformState.DEGRADED
    for message in messages[110:120]:
        message.status = PlatformState.FAILED
    feed(rig.bench, rig.source, messages, lambda: rig.node.taken)
    assert rig.node.estimator.counts["skipped_status"] == 20


def test_save_writes_the_estimate_for_programs(bench, rig, samples, tmp_path):
    rig.feed(samples)
    answer = bench.trigger("/estimator/save")
    assert answer.success
    assert answer.message == f"saved to {tmp_path / 'uf.json'}"
    document = json.loads((tmp_path / "uf.json").read_text())
    assert document["schema"] == 1
    assert document["machine"] == "uf"
    assert document["samples"] == rig.node.estimator.counts["used"]
    values = {entry["name"]: entry for entry in document["parameters"]}
    assert values["viscous_1"]["status"] == "in_doubt"  # four seconds are too few to judge the fit
    assert values["viscous_1"]["value"] == pytest.approx(rig.node.estimator.estimate.shown("viscous_1"))
    # the lock keeps other estimators off the file
    assert sorted(file.name for file in tmp_path.iterdir()) == ["uf.json", "uf.lock"]


def test_disabled_it_forgets_nothing_and_learns_nothing(bench, rig, samples):
    rig.feed(samples[:2500])
    count = rig.node.estimator.estimate.count
    assert bench.call(SetBool, "/estimator/enable", SetBool.Request(data=False)).success
    for message in platform_messages(samples[2500:2600]):
        rig.source.publish(message)
    bench.spin(0.5)
    assert rig.node.estimator.estimate.count == count > 0
    assert bench.call(SetBool, "/estimator/enable", SetBool.Request(data=True)).message == "enabled"
    rig.feed(samples[2600:2700])


@pytest.mark.parametrize(
    "name", ["../estimate.json", "/etc/estimate.json", "..", "a/b.json", ".bashrc", ".json"]
)
def test_saving_is_confined_to_its_folder(bench, name, tmp_path):
    with pytest.raises(PkmError, match="plain file name"):
        bench.start(EstimatorNode, save_folder=str(tmp_path), save_name=name)


def test_nobody_on_the_network_chooses_another_folder(bench, rig, tmp_path):
    result = rig.node.set_parameters([Parameter("save_folder", value=str(tmp_path / "other"))])[0]
    assert not result.successful
    assert rig.node.store.path.parent == tmp_path.resolve()


def test_a_cutoff_above_half_the_rate_is_refused(bench):
    with pytest.raises(PkmError, match=r"filter cutoff is 600\.0 Hz, must lie between 0 and 500\.0 Hz"):
        bench.start(EstimatorNode, band_cutoff=600.0)


def test_a_band_changed_while_learning_forgets_nothing(bench, rig, samples):
    rig.feed(samples[:2500])
    before = rig.node.estimator.estimate
    assert rig.node.set_parameters([Parameter("band_cutoff", value=15.0)])[0].successful
    after = rig.node.estimator.estimate
    assert rig.node.estimator.settings.band.cutoff == 15.0
    assert after.count == before.count > 10
    np.testing.assert_allclose(after.values, before.values, rtol=1e-9)
    rig.feed(samples[2500:])
    assert rig.node.estimator.estimate.count > before.count


def test_it_saves_by_itself_and_only_what_is_new(bench, rig, samples, tmp_path):
    rig.feed(samples[:2500])
    assert rig.node.set_parameters([Parameter("autosave_period", value=0.05)])[0].successful
    path = tmp_path / "uf.json"
    bench.wait(path.exists, "the file")
    written = path.stat().st_mtime_ns
    bench.spin(0.3)
    assert path.stat().st_mtime_ns == written
    rig.feed(samples[2500:])
    count = rig.node.estimator.estimate.count
    bench.wait(lambda: json.loads(path.read_text())["state"]["count"] == count, "the rest")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["uf.json", "uf.lock", "uf.previous.json"]
    assert json.loads((tmp_path / "uf.previous.json").read_text())["state"]["count"] < count


def test_a_folder_that_cannot_be_written_is_an_error_and_nothing_stops(bench, samples, tmp_path):
    (tmp_path / "file").touch()
    rig = EstimatorRig(bench, save_folder=str(tmp_path / "file"))
    statuses = bench.diagnostics()
    rig.feed(samples[:2500])
    assert rig.node.set_parameters([Parameter("autosave_period", value=0.2)])[0].successful
    status = status_with(bench, statuses, str(tmp_path / "file"))
    assert status.level == DiagnosticStatus.ERROR
    assert int(values_of(status)["not_saved"]) > 0
    assert not bench.trigger("/estimator/save").success
    rig.feed(samples[2500:])


def test_two_machines_of_one_file_do_not_share_an_estimate(bench, samples, tmp_path):
    """By default each has a file of its own; of a name they share only the first is written, and no other starts."""
    common = {"save_folder": str(tmp_path), "save_name": "shared.json"}
    left = EstimatorRig(bench, machine_id="left/uf", **common)
    left.feed(samples[:2500])
    assert bench.trigger("/estimator/save").success
    written = (tmp_path / "shared.json").read_bytes()
    assert json.loads(written)["machine_id"] == "left/uf"
    problem = "is of machine 'left/uf', this one is 'right/uf'"
    bench.stop(left.node)
    right = EstimatorRig(bench, machine_id="right/uf", **common)
    right.feed(samples[:2500])
    answer = bench.trigger("/estimator/save")
    assert not answer.success
    assert problem in answer.message
    assert (tmp_path / "shared.json").read_bytes() == written
    bench.stop(right.node)
    with pytest.raises(PkmError, match=problem):
        bench.start(EstimatorNode, machine_id="right/uf", resume=True, **common)
    names = [
        bench.start(EstimatorNode, cli_args=["--ros-args", "-r", f"__ns:=/{side}"], save_folder=str(tmp_path))
        for side in ("left", "right")
    ]
    assert [node.store.path.name for node in names] == ["left_uf.json", "right_uf.json"]
