# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parameters: refused with name, value and range; fixed while configured; typing errors pointed out."""

import re

import pytest
from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.srv import SetParametersAtomically
from rclpy.parameter import Parameter, get_parameter_value
from sensor_msgs.msg import JointState

from pkm_identification.ros.node.pipeline_node import PipelineNode
from pkm_identification.ros.parameters.declarations import ParameterError, ParameterSpec
from pkm_identification.ros.qos import INNER_DEPTH, STREAM


class Probe(PipelineNode):
    NAME = "probe"
    PARAMETERS = (
        ParameterSpec("cutoff", 150.0, "low-pass cutoff", "Hz", 0.1, 500.0),
        ParameterSpec("order", 4, "filter order", low=1, high=12),
        ParameterSpec("kind", "fir", "filter", choices=("fir", "butterworth")),
        ParameterSpec("names", ["a", "b"], "names"),
        ParameterSpec("gains", [1.0, 2.0], "gains", low=0),
        ParameterSpec("shown", True, "show it", live=True),
    )


class Streaming(PipelineNode):
    NAME = "streaming"

    def build(self):
        self.publisher(JointState, "sent", STREAM)

    def start(self):
        self.inputs.listen(JointState, "heard", print, STREAM)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("cutoff", 5000.0, "parameter 'cutoff' = 5000.0: must be between 0.1 and 500 Hz"),
        ("cutoff", float("nan"), "must be finite"),
        ("cutoff", "high", "parameter 'cutoff' = 'high': must be a number"),
        (
            "cutoff",
            "1e2",
            "parameter 'cutoff' = '1e2': must be a number; YAML takes this for a text: write 1.0e+2",
        ),
        ("cutoff", True, "must be a number"),
        ("order", 0, "parameter 'order' = 0: must be between 1 and 12"),
        ("order", 2.5, "must be an integer"),
        ("kind", "brick", "must be one of 'fir', 'butterworth'"),
        ("names", [1, 2], "must be a list"),
        ("gains", [1.0, -2.0], "must be at least 0"),
        ("shown", 1, "must be true or false"),
    ],
)
def test_a_bad_value_at_start_is_named_with_its_range(bench, name, value, text):
    with pytest.raises(ParameterError) as caught:
        bench.start(Probe, **{name: value})
    assert text in str(caught.value)
    assert f"'{name}'" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("typed", "written"), [("1e2", "1.0e+2"), ("1000E-1", "1000.0e-1"), ("1.5e2", "1.5e+2")]
)
def test_a_power_that_ros2_param_takes_for_a_text_gets_a_hint(bench, typed, written):
    """`ros2 param set` reads values as YAML 1.1 does; parameter files and `-p` take them for numbers."""
    node = bench.start(Probe, bring_up=False)
    message = ParameterMessage(name="cutoff", value=get_parameter_value(typed))
    refused = node.set_parameters([Parameter.from_parameter_msg(message)])[0]
    assert not refused.successful
    assert refused.reason.endswith(f"write {written}")
    message.value = get_parameter_value(written)
    assert node.set_parameters([Parameter.from_parameter_msg(message)])[0].successful
    assert node.parameter["cutoff"] == float(typed)


def test_whole_numbers_do_for_numbers(bench):
    node = bench.start(Probe, cutoff=50, gains=[1, 2])
    assert node.parameter["cutoff"] == 50.0
    assert isinstance(node.parameter["cutoff"], float)
    assert node.parameter["gains"] == [1.0, 2.0]


def test_parameters_are_fixed_while_the_node_is_configured(bench):
    node = bench.start(Probe)
    refused = node.set_parameters([Parameter("cutoff", value=100.0)])[0]
    assert not refused.successful
    assert "clean the node up" in refused.reason
    assert node.parameter["cutoff"] == 150.0
    assert node.set_parameters([Parameter("shown", value=False)])[0].successful
    node.trigger_deactivate()
    node.trigger_cleanup()
    assert node.set_parameters([Parameter("cutoff", value=100.0)])[0].successful
    assert node.parameter["cutoff"] == 100.0


def test_a_bad_change_is_refused_as_a_whole_over_the_wire(bench):
    node = bench.start(Probe, bring_up=False)
    request = SetParametersAtomically.Request()
    request.parameters = [
        Parameter("order", value=6).to_parameter_msg(),
        Parameter("cutoff", value=-1.0).to_parameter_msg(),
    ]
    answer = bench.call(SetParametersAtomically, "/probe/set_parameters_atomically", request)
    assert not answer.result.successful
    for part in ("cutoff", "-1.0", "0.1", "500"):
        assert part in answer.result.reason
    assert node.parameter["order"] == 4


def test_a_misspelt_parameter_is_pointed_out(bench):
    node = bench.start(Probe, cutof=50.0)
    (told,) = node.parameter.unknown()
    assert re.search("'cutof' .*'cutoff'", told)


def test_quality_of_service_is_overridden_by_the_parameters_of_ros(bench):
    overrides = {"qos_overrides./heard.subscription.depth": 7, "qos_overrides./sent.publisher.depth": 9}
    node = bench.start(Streaming, **overrides)
    (heard,) = (one.qos_profile for one in node.subscriptions if one.topic_name == "/heard")
    assert (heard.depth, heard.reliability, STREAM.depth) == (7, STREAM.reliability, INNER_DEPTH)
    assert node.inputs.topics[0].watch.depth == 7
    (sent,) = (one for one in node.publishers if one.topic_name == "/sent")
    assert sent.qos_profile.depth == 9
    # once more: rclpy declares them once
    node.trigger_deactivate()
    node.trigger_cleanup()
    node.bring_up()
    assert node.inputs.topics[0].watch.depth == 7


@pytest.mark.parametrize(
    ("key", "value"), [("subscription.reliability", "always"), ("publisher.depth", "many")]
)
def test_an_override_that_cannot_be_is_one_line_that_names_it(bench, key, value):
    topic = "/heard" if key.startswith("subscription") else "/sent"
    with pytest.raises(ParameterError, match=f"qos_overrides.*{value}"):
        bench.start(Streaming, **{f"qos_overrides.{topic}.{key}": value})


def test_descriptors_tell_type_range_and_unit(bench):
    node = bench.start(Probe)
    descriptor = node.describe_parameter("cutoff")
    assert descriptor.description == "low-pass cutoff [Hz]"
    assert descriptor.floating_point_range[0].to_value == 500.0
    constraints = node.describe_parameter("kind").additional_constraints
    assert constraints == "one of 'fir', 'butterworth'; read when configured"
    assert node.describe_parameter("shown").additional_constraints.endswith("read at any time")
    assert node.describe_parameter("executor").read_only
    assert not node.describe_parameter("cutoff").read_only
