# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Nodes as processes: exit codes, one line instead of a traceback, signals, life cycle from outside."""

import re
import signal
import subprocess
import sys
import time

import pytest
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from processes import run_node

from pkm_identification.ros.processes.node_process import (
    NodeProcess,
    ProcessError,
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("node", "executor", "number"),
    [
        ("strut_filter", "single_threaded", signal.SIGINT),
        ("strut_filter", "events", signal.SIGTERM),
        ("kinematics", "events", signal.SIGINT),
        ("estimator", "single_threaded", signal.SIGTERM),
        ("simulator", "single_threaded", signal.SIGINT),
    ],
)
def test_a_signal_ends_a_node_with_code_0_and_no_traceback(domain, tmp_path, node, number, executor):
    with NodeProcess(node, {"executor": executor}, domain=domain, folder=tmp_path) as process:
        process.wait_active()
        process.signal(number)
        assert process.wait(60.0) == 0
        assert "Traceback" not in process.text()


@pytest.mark.slow
@pytest.mark.alone
def test_a_signal_while_kernels_are_compiled_ends_a_node_at_once(domain, tmp_path, monkeypatch):
    cache = tmp_path / "cache"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(cache))
    with NodeProcess("estimator", domain=domain, folder=tmp_path) as process:
        end = time.monotonic() + 300.0
        while not any(cache.rglob("*.nbc")):
            assert time.monotonic() < end, "nothing compiled within 300 s"
            time.sleep(0.05)
        assert "active" not in process.text()
        process.signal(signal.SIGINT)
        # all that is left to be compiled takes longer, the kernel that is being compiled may take some seconds
        assert process.wait(20.0) == 0
        assert "active" not in process.text()
        assert "Traceback" not in process.text()


def test_a_signal_before_kernels_are_compiled_is_remembered():
    """Python's part in a signal comes before rclpy's thread has shut the context down: that is no time to begin."""
    program = (
        "import rclpy; from pkm_identification.ros.node.main import _StopHandler\n"
        "stop = _StopHandler(); rclpy.init(); stop._handle(); assert rclpy.ok()\n"
        "with stop.at_once(): print('compiling', flush=True)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert (ended.returncode, ended.stdout) == (0, ""), ended.stderr


@pytest.mark.parametrize(
    ("node", "arguments", "line"),
    [
        (
            "kinematics",
            ["-p", "machine:=nosuch"],
            r"kinematics: machine 'nosuch': is neither built in \(ford, hexel, uf, uf_belt, uf_hydraulic[^)\n]*\) "
            r".*\.yaml file",
        ),
        ("recorder", [], r"recorder: parameter 'output' is empty: give the folder.*"),
        ("player", ["-p", "bag:=/nowhere"], r"player: /nowhere: cannot be read: No such file or directory"),
    ],
)
def test_what_cannot_start_says_why_in_one_line_and_fails(domain, node, arguments, line):
    result = run_node(node, domain, *arguments)
    assert result.returncode == 2
    assert re.fullmatch(line, result.stderr.strip())


def test_a_missing_parameter_file_is_named(domain):
    result = run_node("strut_filter", domain, "--params-file", "/nowhere.yaml")
    assert result.returncode == 2
    # rcl may write a line of its own before
    assert result.stderr.splitlines()[-1].startswith("strut_filter: failed to initialize rcl")
    assert "/nowhere.yaml" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_process_that_cannot_start_tells_its_log(domain, tmp_path):
    with (
        NodeProcess("strut_filter", {"machine": "nosuch"}, domain=domain, folder=tmp_path) as process,
        pytest.raises(ProcessError, match=r"ended with code 2.*nosuch"),
    ):
        process.wait_active()


@pytest.mark.slow
def test_without_autostart_a_life_cycle_manager_rules(bench, domain, tmp_path):
    with NodeProcess("strut_filter", {"autostart": False}, domain=domain, folder=tmp_path) as process:

        def state():
            return bench.call(GetState, "/strut_filter/get_state").current_state.label

        def change(transition):
            request = ChangeState.Request(transition=Transition(id=transition))
            return bench.call(ChangeState, "/strut_filter/change_state", request).success

        assert state() == "unconfigured"
        assert change(Transition.TRANSITION_CONFIGURE)
        assert state() == "inactive"
        assert change(Transition.TRANSITION_ACTIVATE)
        process.wait_active()
        assert change(Transition.TRANSITION_DEACTIVATE)
        assert change(Transition.TRANSITION_CLEANUP)
        assert state() == "unconfigured"


@pytest.mark.slow
def test_use_sim_time_without_a_clock_is_a_warning(bench, domain, tmp_path):
    statuses = bench.diagnostics()
    with NodeProcess("strut_filter", {"use_sim_time": True}, domain=domain, folder=tmp_path):
        bench.wait(
            lambda: any("nobody publishes /clock" in s.message for a in statuses for s in a.status), "it"
        )
