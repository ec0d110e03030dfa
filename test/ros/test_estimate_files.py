# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Files of nodes: damage is in the log, two estimators do not write the same one, a recorder says what it has."""

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from rcl_interfaces.msg import Log
from rclpy.qos import qos_profile_rosout_default
from ros.rigs import EstimatorRig, platform_messages, platform_samples, status_with
from ros.ros_bench import Motion, feed
from sensor_msgs.msg import JointState

from pkm_identification.errors import PkmError
from pkm_identification.msg import PlatformState
from pkm_identification.nodes.estimator import EstimatorNode
from pkm_identification.nodes.recorder import RecorderNode


@pytest.mark.slow
def test_a_damaged_estimate_to_resume_from_is_in_the_log(bench, tmp_path):
    lines = bench.collect(Log, "/rosout", qos_profile_rosout_default)
    rig = EstimatorRig(bench, save_folder=str(tmp_path))
    rig.feed(platform_samples()[:1500])
    assert bench.trigger("/estimator/save").success
    bench.stop(rig.node)
    path = tmp_path / "uf.json"
    path.write_bytes(path.read_bytes()[:-500])
    again = bench.start(EstimatorNode, save_folder=str(tmp_path), resume=True)
    assert again.estimator.count == 0
    said = bench.wait(lambda: [line for line in lines if str(path) in line.msg], "a line about the file")
    assert said[0].level == Log.ERROR
    assert "could not go on" in said[0].msg
    assert "starts from nominal" in said[0].msg


@pytest.mark.slow
def test_of_two_estimators_on_one_file_the_second_refuses_and_the_copy_survives(bench, tmp_path):
    samples = platform_samples()
    path, copy = tmp_path / "uf.json", tmp_path / "uf.previous.json"
    first = EstimatorRig(bench, save_folder=str(tmp_path))
    first.feed(samples[:1500])
    assert bench.trigger("/estimator/save").success
    first.feed(samples[1500:1800])
    assert bench.trigger("/estimator/save").success
    kept = path.read_bytes(), copy.read_bytes()
    # at start, where it would go on from the file or save to it by itself
    for asked in ({"resume": True}, {"autosave_period": 5.0}, {"save_at_shutdown": True}):
        with pytest.raises(PkmError, match=f"{path}: another estimator"):
            bench.start(EstimatorNode, save_folder=str(tmp_path), **asked)
        bench.stop(bench._started[-1])
    # else when it is told to save
    second = bench.start(
        EstimatorNode,
        cli_args=["--ros-args", "-r", "__ns:=/b"],
        save_folder=str(tmp_path),
        save_name="uf.json",
        machine_id="uf",
    )
    source = bench.publisher(PlatformState, "/b/platform_state")
    feed(bench, source, platform_messages(samples[:1500]), lambda: second.taken)
    answer = bench.trigger("/b/estimator/save")
    assert not answer.success
    assert "another estimator" in answer.message
    assert (path.read_bytes(), copy.read_bytes()) == kept
    # the first gone, the file is free
    bench.stop(first.node)
    assert bench.trigger("/b/estimator/save").success
    assert copy.read_bytes() == kept[0]


def test_a_recorder_says_what_it_has_recorded(bench, tmp_path):
    statuses = bench.diagnostics()
    bench.start(RecorderNode, output=str(tmp_path / "bag"))
    driver = bench.publisher(JointState, "strut_states")
    for message in Motion(50).messages():
        driver.publish(message)
    assert status_with(bench, statuses, "50 messages of '/strut_states'").name == "recorder: input"
    assert status_with(bench, statuses, "50 messages recorded").level == DiagnosticStatus.OK
    assert not any("no topic" in s.message for a in statuses for s in a.status)
