# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Nodes that use UDP on loopback alone, beside participants with ROS's own transports for LOCALHOST."""

import os
import signal
from pathlib import Path

import pytest
from geometry_msgs.msg import PoseStamped
from ros.ros_bench import Bench
from sensor_msgs.msg import JointState

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.ros.messages.convert import fill_pose
from pkm_identification.ros.processes.node_process import NodeProcess
from pkm_identification.ros.qos import COMMANDS, POSE

SHARED_MEMORY = "/dev/shm/fast"
LOOPBACK = "0100007F"  # as the kernel writes 127.0.0.1
MACHINE = Machine.load("uf")


@pytest.fixture(autouse=True)
def only_the_range_is_chosen(monkeypatch):
    for name in ("FASTDDS_BUILTIN_TRANSPORTS", "FASTDDS_DEFAULT_PROFILES_FILE", "ROS_STATIC_PEERS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")


def has_shared_memory(pid):
    return SHARED_MEMORY in Path(f"/proc/{pid}/maps").read_text()


def bound_addresses(pid):
    """Addresses that the UDP sockets of a process are bound to."""
    mine = {os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink()}
    lines = [line.split() for line in Path(f"/proc/{pid}/net/udp").read_text().splitlines()[1:]]
    return {line[1].partition(":")[0] for line in lines if f"socket:[{line[9]}]" in mine}


def answers(bench, commands, publisher):
    """Whether a pose sent is answered: the node hears the bench and is heard."""
    before = len(commands)
    message = PoseStamped()
    fill_pose(message.pose, MACHINE.home_position, MACHINE.home_rotation)
    publisher.publish(message)
    bench.spin(0.1)
    return len(commands) > before


@pytest.mark.slow
@pytest.mark.parametrize("first", ["node", "other"])
def test_a_node_and_a_participant_with_shared_memory_hear_each_other(domain, tmp_path, first):
    node = NodeProcess("kinematics", domain=domain, folder=tmp_path)
    try:
        if first == "node":
            node.start().wait_active()
        with Bench(domain) as bench:
            commands = bench.collect(JointState, "strut_commands", COMMANDS)
            publisher = bench.node.create_publisher(PoseStamped, "target_pose", POSE)
            if first == "other":
                node.start().wait_active()
            bench.wait(lambda: answers(bench, commands, publisher), "an answer of the node")
            assert has_shared_memory(os.getpid())
            assert not has_shared_memory(node.pid)
            node.signal(signal.SIGKILL)
            node.wait(60.0)
            node.start().wait_active()
            bench.wait(
                lambda: answers(bench, commands, publisher), "an answer of the killed node's successor"
            )
    finally:
        node.stop()


@pytest.mark.slow
def test_sockets_are_bound_to_loopback_where_ros_is_told_to_stay_on_this_computer(domain, tmp_path):
    with NodeProcess("kinematics", domain=domain, folder=tmp_path) as node:
        node.wait_active()
        assert bound_addresses(node.pid) == {LOOPBACK}
