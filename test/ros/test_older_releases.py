# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Nodes with what Humble's rclpy (3.3) has: today's, with the newer names taken away, is the stand-in.

What else Humble is (its C library, its middleware, Python 3.10 with Ubuntu 22.04's NumPy) this does not show.
"""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from pkm_identification.ros.processes.node_process import process_environment

# run before a node: the module's main follows with its arguments
HUMBLE = """
import runpy, sys
import rclpy, rclpy.action, rclpy.event_handler, rclpy.lifecycle, rclpy.node, rclpy.subscription
from types import ModuleType

# Humble has it under this name
qos_event = ModuleType("rclpy.qos_event")
qos_event.SubscriptionEventCallbacks = rclpy.event_handler.SubscriptionEventCallbacks
sys.modules["rclpy.qos_event"] = qos_event
for name in ("rclpy.event_handler", "rclpy.clock_type", "rclpy.experimental"):
    sys.modules[name] = None
del rclpy.event_handler, rclpy.node.Node.add_post_set_parameters_callback

# callbacks get the message alone
Subscription = rclpy.subscription.Subscription
def of_message(self, callback):
    self._callback, self._callback_type = callback, Subscription.CallbackType.MessageOnly
Subscription.callback = Subscription.callback.setter(of_message)

sys.argv[:] = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


def as_in_humble(domain, module, *arguments):
    command = [sys.executable, "-c", HUMBLE, module, *arguments]
    return subprocess.run(
        command, env=process_environment(domain), capture_output=True, text=True, timeout=600, check=False
    )


@pytest.mark.slow
def test_a_simulated_machine_is_identified(domain, tmp_path):
    """Over DDS, which is what differs."""
    nodes = "strut_filter,kinematics,estimator,simulator"
    options = (
        "trajectory:=rich",
        "duration:=4.0",
        "shutdown_at_end:=true",
        "save_at_shutdown:=true",
        f"save_folder:={tmp_path}",
    )
    more = [word for option in options for word in ("-p", option)]
    command = ("pkm_identification.nodes.bringup", "--nodes", nodes, "--no-hand-over", "--ros-args")
    done = as_in_humble(domain, *command, *more)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    (saved,) = tmp_path.glob("*.json")
    assert '"converged"' in saved.read_text(encoding="utf-8")


def test_the_events_executor_is_refused(domain):
    done = as_in_humble(
        domain,
        "pkm_identification.nodes.recorder",
        "--ros-args",
        "-p",
        "executor:=events",
        "-p",
        "output:=none",
    )
    assert done.returncode == 2
    last = done.stderr.strip().splitlines()[-1]
    assert re.match("recorder: parameter 'executor' = 'events': .*rclpy", last)
