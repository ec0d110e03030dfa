# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How the real `ros2 launch` ends, by whatever: its exit code, and that no node is left."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest
from processes import DEADLINE, runs, wait

# each starts three nodes
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("ros2") is None, reason="ros2 is not installed"),
]
CHAIN = 3  # nodes of identify.launch.py


class Launched:
    """identify.launch.py in a session of its own, as of a terminal, when all its nodes are active."""

    def __init__(self, folder):
        self.log = folder / "log"
        command = ["ros2", "launch", "pkm_identification", "identify.launch.py"]
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                # a test that runs in the background ignores it
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            )
        try:
            wait(lambda: self.text.count(": active") == CHAIN, "active nodes")
        except AssertionError:
            self.kill()
            raise
        started = re.findall(r"\[(\w+)-\d\]: process started with pid \[(\d+)\]", self.text)
        self.nodes = {name: int(number) for name, number in started}
        assert len(self.nodes) == CHAIN

    @property
    def text(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def code(self):
        """Exit code, when launch and all nodes have ended."""
        code = self.process.wait(DEADLINE)
        wait(lambda: not any(map(runs, self.nodes.values())), "end of the nodes")
        assert "Traceback" not in self.text
        return code

    def kill(self):
        """Launch itself; its nodes end with it."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def interrupt(self):
        """Ctrl-C."""
        os.killpg(self.process.pid, signal.SIGINT)


@pytest.fixture
def launched(tmp_path):
    made = Launched(tmp_path)
    yield made
    made.kill()


def test_ctrl_c_twice_ends_all_in_order(launched):
    launched.interrupt()
    time.sleep(0.3)
    if launched.process.poll() is None:
        launched.interrupt()
    assert launched.code() == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="prctl is Linux's")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_launch_that_passes_nothing_on_leaves_no_node(launched, number):
    launched.process.send_signal(number)
    assert launched.code() == -number


def test_a_node_that_dies_ends_all_and_launch_says_so(launched):
    os.kill(launched.nodes["kinematics"], signal.SIGKILL)
    assert launched.code() == 1
    assert "kinematics ended with code -9" in launched.text
