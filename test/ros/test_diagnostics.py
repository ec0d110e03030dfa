# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Diagnostics: one status a second, worst finding first, counters by reason, logs that do not flood."""

import time
from pathlib import Path

import pytest
import yaml
from diagnostic_msgs.msg import DiagnosticStatus

from pkm_identification.nodes.catalogue import NODES, node_class
from pkm_identification.ros.interfaces.declarations import COMMON, NODE_INTERFACES
from pkm_identification.ros.launching.arguments import CHAIN
from pkm_identification.ros.node.diagnostics import ERROR, WARN
from pkm_identification.ros.node.pipeline_node import PipelineNode


class Probe(PipelineNode):
    NAME = "probe"
    TASK = "oven"

    def hardware(self):
        return "rig 7"

    def findings(self):
        return [(WARN, "it is warm")] if self.warm else []

    def values(self):
        return {"temperature": 20.25}

    warm = False


def test_it_comes_once_a_second_with_name_hardware_and_values(bench):
    messages = bench.diagnostics()
    began = time.monotonic()
    bench.start(Probe, cli_args=["--ros-args", "-r", "__ns:=/left"])
    bench.wait(lambda: len(messages) >= 3, "three of them")
    assert time.monotonic() - began > 1.8
    status = messages[0].status[0]
    assert status.name == "left/probe: oven"
    assert status.hardware_id == "left/rig 7"
    assert (status.level, status.message) == (DiagnosticStatus.OK, "ok")
    assert [(value.key, value.value) for value in status.values] == [("temperature", "20.25")]
    assert messages[0].header.stamp.sec > 0
    assert [(one.name, one.message) for one in messages[0].status[1:]] == [
        ("left/probe: input", "listens to no topic")
    ]


def test_two_machines_of_one_name_are_told_apart(bench):
    node = bench.start(Probe, cli_args=["--ros-args", "-p", "machine_id:=serial 4711"])
    assert {status.hardware_id for status in node.health.statuses()} == {"serial 4711"}


def test_what_was_noted_is_in_the_first_task_only(bench):
    node = bench.start(Probe)
    node.report(ERROR, "smoke", "there is smoke")
    assert [status.level for status in node.health.statuses()] == [ERROR, DiagnosticStatus.OK]


def test_events_count_for_their_second_and_the_worst_comes_first(bench):
    node = bench.start(Probe)
    node.warm = True
    node.report(ERROR, "smoke", "there is smoke")
    node.report(ERROR, "smoke", "there is smoke")
    status = node.health.statuses()[0]
    assert status.level == ERROR
    assert status.message == "there is smoke; it is warm"
    assert {"smoke": "2"}.items() <= {value.key: value.value for value in status.values}.items()
    status = node.health.statuses()[0]
    assert (status.level, status.message) == (WARN, "it is warm")
    assert "2" in {value.value for value in status.values if value.key == "smoke"}


def test_a_reason_that_repeats_is_not_logged_every_time(bench):
    node = bench.start(Probe)
    lines = []
    node.health.log = lambda level, text: lines.append(text)
    for _ in range(1000):
        node.report(WARN, "spike", "a spike")
        node.report(WARN, "late", "too late")
    assert lines == ["a spike (spike: 1 so far)", "too late (late: 1 so far)"]
    assert node.health.counts == {"spike": 1000, "late": 1000}


@pytest.mark.parametrize("name", NODES)
def test_every_node_has_one_place_in_the_tree_of_the_aggregator(name):
    path = Path(__file__).parents[2] / "config" / "diagnostic_aggregator.yaml"
    settings = yaml.safe_load(path.read_text(encoding="utf-8"))["/**"]["ros__parameters"]
    analyzers = [entry for entry in settings.values() if isinstance(entry, dict)]
    assert {entry["type"] for entry in analyzers} == {"diagnostic_aggregator/GenericAnalyzer"}
    assert all({"path", "contains", "timeout", "num_items"} >= {*entry} - {"type"} for entry in analyzers)
    # the running nodes' statuses are held to these declarations in test_interfaces
    for task, _ in (*NODE_INTERFACES[name].diagnostics, *COMMON.diagnostics):
        status = f"left/{name}: {task}"
        assert sum(any(text in status for text in entry["contains"]) for entry in analyzers) == 1, status
    assert node_class(name).TASK != PipelineNode.TASK


def test_a_branch_whose_nodes_are_not_always_started_makes_no_error_of_the_tree():
    """A branch without any status is stale for diagnostic_aggregator, and the root an error; not with num_items 0."""
    path = Path(__file__).parents[2] / "config" / "diagnostic_aggregator.yaml"
    settings = yaml.safe_load(path.read_text(encoding="utf-8"))["/**"]["ros__parameters"]
    analyzers = [entry for entry in settings.values() if isinstance(entry, dict)]
    for name in NODES:
        (branch,) = [entry for entry in analyzers if any(text in f"{name}: x" for text in entry["contains"])]
        # the key is read as an integer
        assert (branch.get("num_items") == 0) == (name not in CHAIN), name
