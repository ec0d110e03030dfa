# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A node that a launch file started ends when the launch has ended, whatever has ended it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from processes import runs, wait

from pkm_identification.ros.node.launcher import LAUNCHER, end_with_launcher
from pkm_identification.ros.processes.node_process import ACTIVE, process_environment

# As `ros2 launch` does: starts the node as its child, without a care for its end.
STARTER = """
import os, subprocess, sys, time
os.environ[sys.argv[1]] = str(os.getpid())
output = open(sys.argv[2], "w")
node = subprocess.Popen(sys.argv[3:], stdout=output, stderr=output, stdin=subprocess.DEVNULL)
print(node.pid, flush=True)
time.sleep(1000)
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="prctl is Linux's")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_node_ends_in_order_when_its_launcher_is_ended(domain, tmp_path, number):
    log, recording = tmp_path / "log", tmp_path / "recording"
    node = [
        sys.executable,
        "-m",
        "pkm_identification.nodes.recorder",
        "--ros-args",
        "-p",
        f"output:={recording}",
    ]
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER, LAUNCHER, str(log), *node],
        env=process_environment(domain),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with starter:
        try:
            process = int(starter.stdout.readline())
            wait(lambda: ACTIVE in log.read_text(encoding="utf-8"), "active node")
            assert runs(process)
            starter.send_signal(number)
            wait(lambda: not runs(process), "end of the node")
        finally:
            starter.kill()
    text = log.read_text(encoding="utf-8")
    assert "messages recorded" in text
    assert (recording / "metadata.yaml").is_file()
    assert "Traceback" not in text


def test_a_launcher_that_has_ended_before_is_noticed():
    ended = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True
    )
    assert not end_with_launcher({LAUNCHER: ended.stdout.strip()})


@pytest.mark.parametrize(
    "environment", [{}, {LAUNCHER: ""}, {LAUNCHER: "launch"}, {LAUNCHER: str(os.getpid())}]
)
def test_without_a_launcher_or_behind_another_program_nothing_happens(environment):
    assert end_with_launcher(environment)
