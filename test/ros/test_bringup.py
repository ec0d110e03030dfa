# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""bringup: several nodes in one process, each itself."""

from __future__ import annotations

import signal
import subprocess
import sys
from itertools import islice

import numpy as np
import pytest
from rcl_interfaces.srv import GetParameters
from rclpy.action import ActionClient
from ros.controlled_machine import Goal, goal, point, slow_machine
from ros.ros_bench import Bench, Motion
from sensor_msgs.msg import JointState

from pkm_identification.action import ExecuteTrajectory
from pkm_identification.msg import ControllerState, PlatformState
from pkm_identification.nodes.bringup import main
from pkm_identification.ros.processes.node_process import (
    NodeProcess,
    ProcessError,
    process_environment,
)

CHAIN = ("strut_filter", "kinematics", "estimator")


def bringup(domain, folder, *options, **parameters):
    return NodeProcess("bringup", parameters, domain=domain, folder=folder, together=CHAIN, arguments=options)


@pytest.mark.slow
@pytest.mark.parametrize("executor", ["single_threaded", "events"])
def test_nodes_in_one_process_do_what_they_do_alone(bench: Bench, domain, tmp_path, executor):
    states = bench.collect(PlatformState, "platform_state")
    process = bringup(domain, tmp_path, "-p", "strut_filter:cutoff:=60.0")
    process._arguments[2:2] = ["--executor", executor]
    with process:
        process.wait_active()
        driver = bench.publisher(JointState, "strut_states")
        bench.connected("platform_state", subscribers=2)
        messages = iter(Motion(5000).messages())

        def enough() -> bool:
            for message in islice(messages, 20):
                driver.publish(message)
            return len(states) >= 250

        bench.wait(enough, "platform states")
        assert all(state.status == PlatformState.OK for state in states)
        names = set(bench.node.get_node_names())
        assert set(CHAIN) <= names
        for node, expected in (("strut_filter", 60.0), ("estimator", 0.0)):
            wanted = "cutoff" if node == "strut_filter" else "band_cutoff"
            answer = bench.call(
                GetParameters, f"/{node}/get_parameters", GetParameters.Request(names=[wanted])
            )
            assert answer.values[0].double_value == expected
        process.signal(signal.SIGINT)
        assert process.wait(120.0) == 0
    assert "Traceback" not in process.text()


@pytest.mark.slow
def test_a_controlled_simulator_in_one_process_follows_a_goal(bench: Bench, domain, tmp_path):
    """With the events executor, which calls actions in its own way."""
    parameters = {
        "machine": slow_machine(tmp_path), "commands": "effort", "lockstep": True, "command_timeout": 60.0,
        "lost_after": 25.0,
    }  # fmt: skip
    states = bench.collect(ControllerState, "controller_state")
    together = ("controller", "simulator")
    process = NodeProcess("bringup", parameters, domain=domain, folder=tmp_path, together=together)
    process._arguments[2:2] = ["--executor", "events"]
    with process:
        process.wait_active()
        client = ActionClient(bench.node, ExecuteTrajectory, "execute_trajectory")
        bench.wait(client.server_is_ready, "the action server")
        bench.wait(lambda: any(state.state == ControllerState.HOLDING for state in states), "control")
        sent = Goal(bench, client, goal(point(0.5, [0.0, 0.01, -0.35], np.eye(3))))
        assert sent.result().result.error_code == ExecuteTrajectory.Result.SUCCESSFUL
        assert sent.feedback
        process.signal(signal.SIGTERM)
        assert process.wait(120.0) == 0
    assert "Traceback" not in process.text()


def test_one_node_that_cannot_start_ends_all_with_one_line(domain, tmp_path):
    with bringup(domain, tmp_path, "-p", "kinematics:degraded_condition:=-1.0") as process:
        with pytest.raises(ProcessError, match="ended with code 2"):
            process.wait_active()
        lines = [line for line in process.text().splitlines() if not line.startswith("[INFO]")]
    (line,) = lines
    assert line.startswith("kinematics: parameter 'degraded_condition' = -1.0: must be between")


@pytest.mark.slow
def test_one_node_that_has_finished_ends_all(domain, tmp_path):
    parameters = {"trajectory": "rest", "duration": 0.2, "shutdown_at_end": True}
    together = ("strut_filter", "simulator")
    with NodeProcess("bringup", parameters, domain=domain, folder=tmp_path, together=together) as process:
        assert process.wait(300.0) == 0
        assert "samples simulated" in process.text()


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (
            ["--nodes", "strut_filter,kinematic"],
            "bringup: argument --nodes: there is no node 'kinematic': the nodes",
        ),
        (["--nodes", "player, player"], "bringup: argument --nodes: node 'player' is there more than once"),
        ([], "bringup: the following arguments are required: --nodes"),
        (["--nodes", "player", "--executor", "many"], "bringup: argument --executor: invalid choice"),
        (["--nodes", "player", "stray"], "bringup: unrecognized arguments: stray"),
    ],
)
def test_wrong_arguments_give_one_line(capsys, options, line):
    with pytest.raises(SystemExit) as ended:
        main([*options, "--ros-args", "-r", "__ns:=/there"])
    assert ended.value.code == 2
    shown = capsys.readouterr().err
    assert shown.startswith(line)
    assert shown.count("\n") == 1


def test_help_says_which_nodes_there_are(domain):
    command = [sys.executable, "-m", "pkm_identification.nodes.bringup", "--help"]
    done = subprocess.run(
        command, env=process_environment(domain), capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0
    assert "controller" in done.stdout
