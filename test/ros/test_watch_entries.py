# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Messages on the board of `pkm watch`: what a page could not draw is left out, what no longer holds is taken away."""

from __future__ import annotations

import json
import time

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from geometry_msgs.msg import InertiaStamped, Point, Pose, Quaternion

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.msg import ParameterEstimate
from pkm_identification.ros.qos import LATCHED
from pkm_identification.ros.watching.entries import (
    build_payload_entry,
    build_pose_entry,
    build_status_entry,
    estimate_entry,
)
from pkm_identification.ros.watching.listener import Listener

NAN = float("nan")
DEADLINE = 300.0  # s


def estimate(**changed):
    usual = {
        "names": ["m_p", "m_b"],
        "units": ["kg", "kg"],
        "values": [12.0, 3.0],
        "std": [0.1, 0.2],
        "nominal": [11.0, 3.5],
        "status": [ParameterEstimate.IDENTIFIABLE, ParameterEstimate.IN_DOUBT],
    }
    return ParameterEstimate(**{**usual, **changed})


def test_an_estimate_goes_without_its_covariance():
    entry = estimate_entry(estimate(covariance=[1.0] * 4))
    assert entry["values"] == [12.0, 3.0]
    assert entry["status"] == ["identified", "not assessed yet"]
    assert "covariance" not in json.loads(json.dumps(entry, allow_nan=False))


def test_a_judged_estimate_has_its_statuses_in_words():
    entry = estimate_entry(estimate(fit_judged=True))
    assert entry["status"] == ["identified", "affected"]
    assert entry["rests_on"] == ["", ""]
    words = {"status_text": ["identified", "rests on the file"], "rests_on": ["", "bodies.crank.mass"]}
    entry = estimate_entry(estimate(fit_judged=True, **words))
    assert (entry["status"], entry["rests_on"]) == tuple(words.values())


@pytest.mark.parametrize(
    "changed",
    [
        {"values": [12.0]},
        {"std": [0.1, 0.2, 0.3]},
        {"nominal": []},
        {"units": ["kg"]},
        {"status": [0]},
        {"names": ["m_p"]},
        {"status_text": ["identified"]},
        {"values": [12.0, NAN]},
        {"nis": NAN},
    ],
    ids=str,
)
def test_an_estimate_that_cannot_be_drawn_is_none(changed):
    assert estimate_entry(estimate(**changed)) is None


def test_poses_and_payloads_that_are_not_finite_are_none():
    pose = Pose(position=Point(x=0.1), orientation=Quaternion(w=1.0))
    assert build_pose_entry(pose) == [0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    assert build_pose_entry(Pose(orientation=Quaternion(w=NAN))) is None
    assert build_pose_entry(Pose(orientation=Quaternion(w=0.0))) is None
    payload = InertiaStamped()
    payload.inertia.m = 2.5
    assert build_payload_entry(payload)["mass"] == 2.5
    payload.inertia.com.z = NAN
    assert build_payload_entry(payload) is None


def test_a_status_has_its_level_in_a_word_and_its_numbers_as_text():
    status = DiagnosticStatus(
        level=DiagnosticStatus.WARN, message="late", values=[KeyValue(key="n", value="7")]
    )
    assert build_status_entry(status, "stream") == {
        "task": "stream",
        "level": "warning",
        "message": "late",
        "values": {"n": "7"},
    }


@pytest.fixture
def listening(domain):
    """Listener for the machine uf, and the node that publishes what it hears."""
    rclpy.init(args=[], domain_id=domain)
    listener = Listener(machine=Machine.load("uf"))
    node = rclpy.create_node("other_estimator")
    try:
        listener.start()
        yield listener, node
    finally:
        listener.close()
        node.destroy_node()
        rclpy.try_shutdown()


def wait(seen, expected):
    end = time.monotonic() + DEADLINE
    while seen() != expected:
        assert time.monotonic() < end, seen()
        time.sleep(0.01)


def shown(listener) -> dict:
    """The newest estimate on the board."""
    return json.loads(listener.board.since(1)[1]).get("estimate") or {}


@pytest.mark.slow
def test_what_is_said_of_another_machine_goes_with_its_estimates(listening):
    listener, node = listening
    publisher = node.create_publisher(ParameterEstimate, "parameter_estimate", LATCHED)

    def said() -> tuple[str, str]:
        board = json.loads(listener.board.since(1)[1])
        return (board.get("estimate") or {}).get("machine", ""), board["no_machine"]

    publisher.publish(estimate(machine="left", machine_hash="0" * 16))
    wait(said, ("left", "The estimate is of 'left', not of the --machine that is drawn."))
    publisher.publish(estimate(machine="uf", machine_hash=Machine.load("uf").hash))
    wait(said, ("uf", ""))


@pytest.mark.slow
def test_another_estimator_begins_a_new_run_however_far_it_has_come(listening):
    listener, node = listening
    first = node.create_publisher(ParameterEstimate, "parameter_estimate", LATCHED)

    def run_of(publisher, count) -> int:
        publisher.publish(estimate(count=count))
        wait(lambda: shown(listener).get("count"), count)
        return shown(listener)["run"]

    run = run_of(first, 100)
    assert run_of(first, 200) == run
    # killed, the first stays in the graph for as long as its lease lasts
    second = node.create_publisher(ParameterEstimate, "parameter_estimate", LATCHED)
    after = run_of(second, 300)
    assert after > run
    node.destroy_publisher(first)
    assert run_of(second, 400) == after
    assert len(listener.history.entry()["time"]) == 2
