# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The demonstration waits for the last samples, and says how many did not come."""

import time

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from pkm_identification.msg import ParameterEstimate
from pkm_identification.ros.processes import draining
from pkm_identification.ros.processes.draining import drain, underway
from pkm_identification.ros.processes.monitor import Monitor
from pkm_identification.ros.qos import DIAGNOSTICS, LATCHED

DEADLINE = 300.0  # s


@pytest.fixture
def monitor(domain):
    rclpy.init(args=[], domain_id=domain)
    made = Monitor()
    yield made
    made.close()
    rclpy.shutdown()


def tell(monitor, taken, judged_s=0.0):
    """Let the monitor hear five times a second what three nodes tell, the last of which has taken so many by then.

    The verdict comes `judged_s` later.
    """
    judged = time.monotonic() + judged_s
    taken = iter(taken)
    told = monitor.node.create_publisher(DiagnosticArray, "/diagnostics", DIAGNOSTICS)
    estimates = monitor.node.create_publisher(ParameterEstimate, "parameter_estimate", LATCHED)
    last = 0

    def publish():
        nonlocal last
        last = next(taken, last)
        counters = {
            "strut_filter": {"passed": 945},
            "kinematics": {"taken": 945},
            "estimator": {"taken": last, "equations": last // 40, "judging": time.monotonic() < judged},
        }
        told.publish(
            DiagnosticArray(
                status=[
                    DiagnosticStatus(
                        name=f"{node}: input",
                        values=[KeyValue(key=key, value=str(value)) for key, value in own.items()],
                    )
                    for node, own in counters.items()
                ]
            )
        )
        estimates.publish(ParameterEstimate(count=last // 40))

    monitor.node.create_timer(0.2, publish)


def wait(monitor, taken):
    """Until the monitor has heard that so many were taken, or more."""
    end = time.monotonic() + DEADLINE
    while monitor.count("estimator", "taken") < taken:
        assert time.monotonic() < end
        monitor.listen(0.2)


def test_a_node_that_is_behind_is_waited_for(monitor):
    tell(monitor, [*range(40, 940, 60), 945])
    wait(monitor, 40)
    drain(monitor)
    assert monitor.count("estimator", "taken") == 945
    assert monitor.estimate.count == 23
    assert underway(monitor) == 0


def test_the_verdict_on_the_whole_stream_is_waited_for(monitor, monkeypatch):
    tell(monitor, [945], judged_s=8.0)
    wait(monitor, 945)
    monkeypatch.setattr(draining, "SETTLED", 2.0)
    drain(monitor)
    assert monitor.value("estimator", "judging") == "False"


def test_what_never_comes_is_lost(monitor, monkeypatch):
    tell(monitor, [900, 938])
    wait(monitor, 938)
    monkeypatch.setattr(draining, "SETTLED", 2.0)
    drain(monitor)
    assert underway(monitor) == 7
