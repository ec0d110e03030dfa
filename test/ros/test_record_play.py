# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Recording and playing: no sample lost, bytes and stamps as they were, the same numbers as live."""

import os
import subprocess
import sys

import numpy as np
import pytest
import rclpy
import yaml
from rclpy.parameter import Parameter
from ros.rigs import status_with
from ros.ros_bench import DriveMotion, Motion, feed
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from pkm_identification.errors import PkmError
from pkm_identification.msg import StrutStates
from pkm_identification.nodes.player import PlayerNode
from pkm_identification.nodes.recorder import RecorderNode
from pkm_identification.nodes.strut_filter import StrutFilterNode
from pkm_identification.numerics import large_arrays
from pkm_identification.records.bags.reader import list_bag_topics
from pkm_identification.records.bags.writer import write_strut_bag
from pkm_identification.records.log import read_log
from pkm_identification.ros.clock import seconds
from pkm_identification.ros.qos import CLOCK, LATCHED, STRUT_STATES_SUBSCRIPTION


@pytest.fixture(params=["sqlite3", "mcap"])
def storage(request):
    return request.param


@pytest.fixture
def bag(tmp_path):
    """A bag of a motion, and the motion."""
    from pkm_identification.motion import DriveLog

    motion = Motion(500)
    write_strut_bag(tmp_path / "bag", DriveLog(motion.time, motion.length, motion.force))
    return tmp_path / "bag", motion


def record(bench, output, motion, **parameters):
    recorder = bench.start(RecorderNode, output=str(output), **parameters)
    driver = bench.publisher(JointState, "strut_states")
    feed(bench, driver, motion.messages(), lambda: recorder.counts["/strut_states"])
    bench.stop(recorder)
    bench.node.destroy_publisher(driver)


def kept_in_a_file(values):
    while isinstance(values, np.ndarray):
        values = values.base
    return values is not None


def test_row_35_a_recording_holds_every_sample_in_memory_and_files(bench, tmp_path, storage, monkeypatch):
    """What drives publish, recorded into a bag: read into memory, and into temporary files as hours of it are."""
    motion = DriveMotion(1000, "mast")
    record(bench, tmp_path / "out", motion, storage=storage)
    for in_memory in (large_arrays.LARGEST_IN_MEMORY, 0):
        monkeypatch.setattr(large_arrays, "LARGEST_IN_MEMORY", in_memory)
        log = read_log(tmp_path / "out", motion.machine)
        faults = log.faults
        assert not faults
        assert kept_in_a_file(log.length) == (in_memory == 0)
        np.testing.assert_allclose(log.time, motion.time, atol=1e-9)
        np.testing.assert_array_equal(log.length, motion.length)
        np.testing.assert_array_equal(log.force, motion.force)
    assert not (tmp_path / "out.part").exists()


def test_a_best_effort_driver_is_recorded_too(bench, tmp_path):
    recorder = bench.start(RecorderNode, output=str(tmp_path / "out"))
    driver = bench.publisher(JointState, "strut_states", STRUT_STATES_SUBSCRIPTION)
    feed(bench, driver, Motion(50).messages(), lambda: recorder.counts["/strut_states"])
    assert recorder.writer.count == 50


def test_topics_of_unknown_type_are_recorded_when_they_appear(bench, tmp_path):
    recorder = bench.start(RecorderNode, output=str(tmp_path / "out"), topics=["strut_states", "else/where"])
    statuses = bench.diagnostics()
    bench.wait(lambda: any("'else/where'" in s.message for a in statuses for s in a.status), "a warning")
    driver = bench.publisher(Clock, "else/where")
    driver.publish(Clock())
    bench.wait(lambda: recorder.counts["/else/where"] == 1, "the message")
    bench.stop(recorder)
    assert list_bag_topics(tmp_path / "out")["/else/where"] == "rosgraph_msgs/msg/Clock"


def test_recording_ends_after_its_duration(bench, tmp_path):
    recorder = bench.start(RecorderNode, output=str(tmp_path / "out"), duration=0.3)
    driver = bench.publisher(JointState, "strut_states")
    driver.publish(Motion(1).messages()[0])
    bench.wait(recorder.finished.done, "the end")
    assert recorder.finished.result() == 0


def test_a_duration_counts_from_the_start_and_what_is_waited_for_is_said(domain, tmp_path):
    """With no driver at all it ends in time, with one line that says what did not come."""
    arguments = ["record", "--out", str(tmp_path / "out"), "--duration", "9"]
    command = [sys.executable, "-m", "pkm_identification.cli", *arguments]
    environment = os.environ | {"ROS_DOMAIN_ID": str(domain)}
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, check=False)
    assert ended.returncode == 0
    assert "waiting for messages of strut_states" in ended.stderr + ended.stdout
    assert "0 messages recorded" in ended.stdout


def test_an_existing_folder_is_not_overwritten(bench, tmp_path):
    (tmp_path / "out").mkdir()
    with pytest.raises(PkmError, match="exists already"):
        bench.start(RecorderNode, output=str(tmp_path / "out"))


def test_a_recorder_wants_to_know_where(bench):
    with pytest.raises(PkmError, match="'output' is empty"):
        bench.start(RecorderNode)


def test_playing_gives_the_messages_back_with_their_own_stamps(bench, bag):
    path, motion = bag
    messages = bench.collect(JointState, "strut_states")
    player = bench.start(PlayerNode, bag=str(path))
    bench.wait(player.finished.done, "the end of the bag")
    bench.wait(lambda: len(messages) >= len(motion.time), f"all messages, {len(messages)} came")
    assert len(messages) == len(motion.time)
    np.testing.assert_allclose([seconds(m.header.stamp) for m in messages], motion.time, atol=1e-9)
    np.testing.assert_array_equal([m.position for m in messages], motion.length)
    np.testing.assert_array_equal([m.effort for m in messages], motion.force)


def test_playing_is_paced_as_recorded(bench, bag):
    import time

    path, motion = bag
    messages = bench.collect(JointState, "strut_states")
    began = time.monotonic()
    player = bench.start(PlayerNode, bag=str(path), rate=0.2)
    bench.wait(lambda: messages, "the first message")
    bench.wait(player.finished.done, "the end of the bag")
    # with what comes before the first message, which is some tenths of a second
    assert time.monotonic() - began >= 5.0 * (motion.time[-1] - motion.time[0])


def test_the_player_waits_for_subscribers_but_not_for_ever(bench, bag):
    path, _ = bag
    player = bench.start(PlayerNode, bag=str(path), wait=0.5)
    bench.wait(player.finished.done, "the end of the bag")
    assert player.sent == 500


def test_the_player_waits_for_the_rest_of_the_chain(bench, bag):
    path, _ = bag
    messages = bench.collect(JointState, "strut_states")
    statuses = bench.diagnostics()
    wanted = ["platform_state", "bench:markers", "estimator:platform_state"]
    bench.start(PlayerNode, bag=str(path), wait=300.0, wait_for=wanted)
    # one who looks on is not the estimator
    for topic in ("platform_state", "markers"):
        bench.collect(JointState, topic)
    status = status_with(bench, statuses, "waits for listeners: estimator:platform_state")
    assert status.name == "player: playback"
    assert not messages
    looker = rclpy.create_node("estimator", context=bench.context)
    looker.create_subscription(JointState, "platform_state", lambda _: None, 10)
    bench.wait(lambda: messages, "messages")
    looker.destroy_node()


def test_speed_and_loop_change_while_playing(bench, bag):
    path, motion = bag
    messages = bench.collect(JointState, "strut_states")
    player = bench.start(PlayerNode, bag=str(path), rate=0.01, shutdown_at_end=False)
    bench.wait(lambda: messages, "the first message")
    bench.spin(0.3)
    # at a hundredth of the speed three tenths of a second hold a few messages
    assert len(messages) < 100
    answers = player.set_parameters([Parameter("rate", value=10.0), Parameter("loop", value=True)])
    assert all(answer.successful for answer in answers)
    bench.wait(lambda: player.rounds >= 2, "two rounds")
    assert not player.set_parameters([Parameter("bag", value="other")])[0].successful
    assert len(motion.time) <= player.sent


def test_the_duration_of_a_recording_changes_while_it_records(bench, tmp_path):
    recorder = bench.start(RecorderNode, output=str(tmp_path / "out"))
    driver = bench.publisher(JointState, "strut_states")
    driver.publish(Motion(1).messages()[0])
    bench.wait(lambda: recorder.writer.count == 1, "the message")
    assert recorder.set_parameters([Parameter("duration", value=0.1)])[0].successful
    bench.wait(recorder.finished.done, "the end")


def test_a_loop_starts_again_and_publishes_the_clock(bench, bag):
    path, motion = bag
    messages = bench.collect(JointState, "strut_states")
    clocks = bench.collect(Clock, "/clock", CLOCK)
    player = bench.start(PlayerNode, bag=str(path), loop=True, clock=True, rate=5.0)
    bench.wait(lambda: player.rounds >= 2 and len(messages) > 1000, "two rounds")
    stamps = np.array([seconds(message.header.stamp) for message in messages])
    assert (np.diff(stamps) < 0).sum() >= 2
    assert clocks
    assert motion.time[0] <= seconds(clocks[-1].clock) <= motion.time[-1] + 1e-6


def test_a_recording_under_a_namespace_plays_into_ours(bench, tmp_path):
    from pkm_identification.motion import DriveLog

    motion = Motion(20)
    write_strut_bag(
        tmp_path / "bag", DriveLog(motion.time, motion.length, motion.force), topic="/left/strut_states"
    )
    messages = bench.collect(JointState, "/right/strut_states")
    bench.start(PlayerNode, cli_args=["--ros-args", "-r", "__ns:=/right"], bag=str(tmp_path / "bag"))
    bench.wait(lambda: len(messages) == 20, "the messages under our namespace")


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"bag": ""}, "'bag' is empty"),
        ({"bag": "/nowhere"}, "No such file"),
        ({"topics": ["platform_state"]}, "no topic 'platform_state'; there are: /strut_states"),
    ],
)
def test_what_cannot_be_played_is_refused_with_one_line(bench, bag, parameters, text):
    with pytest.raises(PkmError, match=text) as caught:
        bench.start(PlayerNode, **{"bag": str(bag[0]), **parameters})
    assert "\n" not in str(caught.value)


def test_recorded_and_played_gives_the_same_numbers_as_live(bench, tmp_path):
    motion = Motion(1000)
    live = bench.collect(StrutStates, "strut_states/filtered")
    strut_filter = bench.start(StrutFilterNode)
    recorder = bench.start(RecorderNode, output=str(tmp_path / "out"))
    driver = bench.publisher(JointState, "strut_states", subscribers=2)
    bench.connected("strut_states/filtered")
    feed(bench, driver, motion.messages(), lambda: recorder.counts["/strut_states"])
    count = len(motion.time) - 2 * round(strut_filter.stage.delay * 1000)
    bench.wait(lambda: len(live) == count, "the live samples")
    bench.stop(recorder)
    bench.node.destroy_publisher(driver)

    strut_filter.reset()
    player = bench.start(PlayerNode, bag=str(tmp_path / "out"))
    bench.wait(player.finished.done, "the end of the bag")
    bench.wait(lambda: len(live) == 2 * count, f"the played samples: {len(live)} of {2 * count}")
    for before, after in zip(live[:count], live[count:]):
        assert before.header == after.header
        for name in ("coordinate", "rate", "acceleration", "force"):
            np.testing.assert_array_equal(getattr(before, name), getattr(after, name))


@pytest.mark.parametrize("storage", ["sqlite3", "mcap"])
def test_what_publishers_offer_is_in_the_recording_and_is_offered_again(bench, tmp_path, storage):
    """rosbag2's players and ours read it: a latched topic stays one, and a late subscriber gets its last message."""
    topics = ["strut_states", "parameter_estimate", "description"]
    recorder = bench.start(RecorderNode, output=str(tmp_path / "out"), topics=topics, storage=storage)
    latched = bench.publisher(String, "description", LATCHED, subscribers=0)
    driver = bench.publisher(JointState, "strut_states", STRUT_STATES_SUBSCRIPTION)
    latched.publish(String(data="kept"))
    feed(bench, driver, Motion(5).messages(), lambda: recorder.counts["/strut_states"])
    bench.wait(lambda: recorder.counts["/description"] == 1, "the description")
    bench.stop(recorder)
    for publisher in (latched, driver):
        bench.node.destroy_publisher(publisher)

    metadata = yaml.safe_load((tmp_path / "out" / "metadata.yaml").read_text())["rosbag2_bagfile_information"]
    found = {t["topic_metadata"]["name"]: t["topic_metadata"] for t in metadata["topics_with_message_count"]}
    (description,) = found["/description"]["offered_qos_profiles"]
    (states,) = found["/strut_states"]["offered_qos_profiles"]
    assert (description["durability"], description["reliability"]) == ("transient_local", "reliable")
    assert (states["durability"], states["reliability"]) == ("volatile", "best_effort")
    assert description["lifespan"] == {"sec": 9223372036, "nsec": 854775807}  # for ever, as rosbag2 writes it
    assert found["/parameter_estimate"]["offered_qos_profiles"] == []  # nobody published it
    if storage == "mcap":
        file = next((tmp_path / "out").glob("*.mcap")).read_bytes()
        assert b"offered_qos_profiles" in file
        assert b"durability: transient_local" in file

    player = bench.start(
        PlayerNode, bag=str(tmp_path / "out"), topics=["description"], wait=0.0, shutdown_at_end=False
    )
    bench.wait(lambda: player.sent == 1, "the description to be played")
    late = bench.collect(String, "description", LATCHED)
    bench.wait(lambda: late, "the description for who comes late")
    assert late[0].data == "kept"
