# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0


"""Machines of other kinds than six struts, in m and in rad, through all nodes: nothing lost, the same as in process."""

from functools import lru_cache

import numpy as np
import pytest
import yaml
from geometry_msgs.msg import PoseStamped
from ros.rigs import ChainRig, KinematicsRig, motion_messages
from sensor_msgs.msg import JointState
from visualization_msgs.msg import MarkerArray

from benchmarks.field.parallel_machines import five_bar, rss
from pkm_identification.errors import PkmError
from pkm_identification.exporting.display import create_tree, display_urdf
from pkm_identification.identification.online.pipeline import OnlinePipeline, build_stream_settings
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import load_machine
from pkm_identification.motion import DriveSample
from pkm_identification.msg import PlatformState
from pkm_identification.nodes.player import PlayerNode
from pkm_identification.nodes.recorder import RecorderNode
from pkm_identification.nodes.simulator import SimulatorNode
from pkm_identification.records.bags.reader import read_joint_bag
from pkm_identification.ros.clock import seconds, set_stamp
from pkm_identification.ros.messages.convert import pose_of
from pkm_identification.ros.qos import JOINTS, MARKERS, POSE
from pkm_identification.simulation.simulator import simulate
from pkm_identification.srv import SolveForward, SolveInverse

pytestmark = pytest.mark.slow

SECONDS = 3.0
WRITTEN = {"five-bar": five_bar, "6-RSS": lambda: rss() | {"pose": "platform"}}


@pytest.fixture(scope="module")
def path_of(tmp_path_factory):
    """Name or file of a machine by its name."""
    folder = tmp_path_factory.mktemp("machines")

    def find(name):
        if name not in WRITTEN:
            return name
        file = folder / f"{name}.yaml"
        file.write_text(yaml.safe_dump(WRITTEN[name]()))
        return str(file)

    return find


@lru_cache(maxsize=4)
def recorded(path):
    """A simulated motion at 1 kHz: time from 100 s on, coordinates and forces."""
    made = simulate(load_machine(path), "rich", SECONDS, seed=3)
    return made.time + 100.0, made.length, made.force


def messages_of(path):
    machine = load_machine(path)
    for time, coordinate, force in zip(*recorded(path), strict=True):
        message = JointState(
            name=[drive.joint for drive in machine.drives],
            position=coordinate.tolist(),
            effort=force.tolist(),
        )
        set_stamp(message.header.stamp, time)
        yield message


def in_process(path):
    machine = load_machine(path)
    pipeline = OnlinePipeline(machine, build_stream_settings(machine, Settings.of(causal=True), 1e-3))
    for message in messages_of(path):
        stamp = seconds(message.header.stamp)
        pipeline.step(stamp, np.array(message.position), np.array(message.effort))
    return pipeline


def assert_equal(message, estimate):
    assert tuple(message.names) == estimate.names
    np.testing.assert_array_less(np.abs(message.values - estimate.values), 1e-9 * estimate.std)
    np.testing.assert_allclose(message.std, estimate.std, rtol=1e-9)


@pytest.mark.parametrize("name", ["mast", "epaas"])
def test_the_chain_loses_nothing_and_learns_what_one_process_learns(bench, path_of, tmp_path, name):
    path = path_of(name)
    rig = ChainRig(bench, machine=path, save_folder=str(tmp_path), save_name="mine.json")
    rig.feed(list(messages_of(path)))
    pipeline = in_process(path)
    count = pipeline.estimate.count
    message = bench.wait(lambda: next((m for m in rig.estimates if m.count == count), None), f"count {count}")
    assert_equal(message, pipeline.estimate)
    assert message.units == list(pipeline.estimate.units)
    assert rig.filter.stage.counts["accepted"] == len(recorded(path)[0])
    assert rig.filter.stage.counts["filled"] == 0
    assert {state.status for state in rig.states} == {PlatformState.OK}
    assert rig.states[0].names == [drive.joint for drive in load_machine(path).drives]
    assert rig.estimator.save()
    saved = (tmp_path / "mine.json").read_text()
    assert load_machine(path).hash in saved


def test_a_platform_on_turning_motors_has_poses_and_their_services(bench, path_of):
    path = path_of("6-RSS")
    poses = bench.collect(PoseStamped, "platform_pose", POSE)
    rig = KinematicsRig(bench, machine=path)
    home = load_machine(path).home
    rig.feed([DriveSample(1.0 + 1e-3 * k, home, *np.zeros((3, 6)), 1) for k in range(30)])
    answer = bench.call(SolveForward, "/solve_forward", SolveForward.Request(coordinate=home.tolist()))
    assert answer.success
    pose = bench.wait(lambda: poses, "poses")[-1].pose
    for other in (answer.pose, rig.states[-1].pose):
        for one, two in zip(pose_of(pose), pose_of(other), strict=True):
            np.testing.assert_allclose(one, two, atol=1e-12)
    assert rig.states[-1].has_pose
    back = bench.call(SolveInverse, "/solve_inverse", SolveInverse.Request(pose=answer.pose))
    assert back.success
    np.testing.assert_allclose(back.coordinate, home, atol=1e-9)
    few = bench.call(SolveForward, "/solve_forward", SolveForward.Request(coordinate=home[:5].tolist()))
    assert not few.success
    assert "expected 6" in few.message


def test_a_machine_without_a_pose_is_drawn_and_offers_none(bench, path_of):
    path = path_of("five-bar")
    markers = bench.collect(MarkerArray, "markers", MARKERS)
    rig = ChainRig(bench, machine=path)
    rig.feed(list(messages_of(path))[:200])
    base, bodies = bench.wait(lambda: markers, "markers")[-1].markers
    assert len(bodies.points) >= 8
    assert all(np.isfinite([point.x, point.y, point.z]).all() for point in [*base.points, *bodies.points])
    topics = dict(bench.node.get_topic_names_and_types())
    assert "/platform_pose" not in topics
    assert not rig.states[0].has_pose
    messages, _ = motion_messages(path)
    assert messages.read(rig.states[-1])[0].state.size == len(rig.states[-1].state)


@pytest.mark.parametrize("name", ["mast", "four-bar"])
def test_a_simulated_machine_is_recorded_and_played_to_its_end(bench, tmp_path, name):
    recorder = bench.start(RecorderNode, output=str(tmp_path / "out"))
    motion = {"trajectory": "rich", "duration": 2.5, "shutdown_at_end": True}
    simulator = bench.start(SimulatorNode, machine=name, wait=30.0, **motion)
    bench.wait(simulator.finished.done, "the end of the motion")
    count = simulator.schedule.count
    bench.wait(lambda: recorder.counts["/strut_states"] >= count, f"{count} samples")
    bench.stop(recorder)
    bench.stop(simulator)
    log = read_joint_bag(tmp_path / "out", [drive.joint for drive in load_machine(name).drives])
    assert len(log.time) == count == 2501
    player = bench.start(PlayerNode, bag=str(tmp_path / "out"), rate=10.0, wait=0.0)
    bench.wait(player.finished.done, "the end of the bag")
    assert player.sent == count


def test_joint_states_are_those_of_the_shown_tree(bench, path_of):
    machine = load_machine("mast")
    states = bench.collect(JointState, "joint_states", JOINTS)
    rig = ChainRig(bench, machine="mast", shown={"publish_joint_states": True})
    rig.feed(list(messages_of("mast"))[:300])
    last = bench.wait(lambda: states, "joint states")[-1]
    tree = create_tree(machine, "test")
    assert tuple(last.name) == tree.names
    stamp = seconds(last.header.stamp)
    sample = min(rig.states, key=lambda state: abs(seconds(state.header.stamp) - stamp))
    np.testing.assert_allclose(last.position, tree.compute(np.array(sample.state)), atol=1e-12)
    assert {f'name="{name}"' in display_urdf(machine, "test") for name in tree.names} == {True}


def test_estimates_of_another_machine_are_not_started_from(bench, tmp_path):
    rig = ChainRig(bench, machine="mast", save_folder=str(tmp_path), save_name="mast.json")
    rig.feed(list(messages_of("mast"))[:2500])
    bench.wait(lambda: rig.estimates, "an estimate")
    rig.estimator.save()
    bench.stop(rig.estimator)
    again = ChainRig(bench, machine="mast", save_folder=str(tmp_path), save_name="mast.json", resume=True)
    assert again.estimator.estimator.count == rig.estimator.estimator.count
    with pytest.raises(PkmError, match="belongs to machine 'mast'"):
        ChainRig(bench, machine="four-bar", initial_estimate=str(tmp_path / "mast.json"))
