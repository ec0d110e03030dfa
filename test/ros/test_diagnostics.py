"""Diagnostics: one status a second, worst finding first, counters by reason, logs that do not flood."""

import time

from diagnostic_msgs.msg import DiagnosticStatus

from pkm_identification.ros.node.diagnostics import ERROR, WARN
from pkm_identification.ros.node.pipeline_node import PipelineNode


class Probe(PipelineNode):
    NAME = "probe"

    def hardware(self):
        return "rig 7"

    def findings(self):
        return [(WARN, "it is warm")] if self.warm else []

    def values(self):
        return {"temperature": 20.25}

    warm = False


def test_it_comes_once_a_second_with_name_hardware_and_values(bench):
    messages = bench.diagnostics()
    bench.start(Probe, cli_args=["--ros-args", "-r", "__ns:=/left"])
    began = time.monotonic()
    bench.wait(lambda: len(messages) >= 3, "three of them")
    assert time.monotonic() - began > 1.8
    status = messages[0].status[0]
    assert status.name == "left/probe"
    assert status.hardware_id == "rig 7"
    assert (status.level, status.message) == (DiagnosticStatus.OK, "ok")
    assert [(value.key, value.value) for value in status.values] == [("temperature", "20.25")]
    assert messages[0].header.stamp.sec > 0


def test_events_count_for_their_second_and_the_worst_comes_first(bench):
    node = bench.start(Probe)
    node.warm = True
    node.report(ERROR, "smoke", "there is smoke")
    node.report(ERROR, "smoke", "there is smoke")
    status = node.health.status()
    assert status.level == ERROR
    assert status.message == "there is smoke; it is warm"
    assert {"smoke": "2"}.items() <= {value.key: value.value for value in status.values}.items()
    status = node.health.status()
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
