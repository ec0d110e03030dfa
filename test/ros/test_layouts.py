# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Layouts for PlotJuggler, Foxglove and RViz: every topic is one of our nodes', every field is in its message."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from pkm_identification.exporting.formats import format_machine_text
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUT_NAMES
from pkm_identification.nodes.catalogue import NODES as ALL_NODES
from pkm_identification.nodes.catalogue import node_class
from pkm_identification.nodes.controller import ControllerNode
from pkm_identification.nodes.estimator import EstimatorNode
from pkm_identification.nodes.kinematics import KinematicsNode
from pkm_identification.nodes.strut_filter import StrutFilterNode
from pkm_identification.ros.messages.message_types import message_class

CONFIG = Path(__file__).resolve().parents[2] / "config"
NODES = (StrutFilterNode, KinematicsNode, EstimatorNode, ControllerNode)
# RViz display: the message it takes
DISPLAYS = {"MarkerArray": "visualization_msgs/msg/MarkerArray", "Pose": "geometry_msgs/msg/PoseStamped"}


@pytest.fixture
def topics(bench):
    """Types of all topics by name."""
    for node in NODES:
        bench.start(node)
    wanted = {"/platform_state", "/parameter_estimate", "/controller_state", "/diagnostics", "/markers"}

    def found():
        return dict(bench.node.get_topic_names_and_types())

    bench.wait(lambda: wanted <= set(found()), "the topics")
    return {name: types[0] for name, types in found().items()}


def check_field(kind, path):
    """Follow a path such as pose.position.x or length[3] through a message type."""
    message = message_class(kind)
    for k, part in enumerate(path):
        name, index = re.fullmatch(r"(\w+)(?:\[(\d+)\])?", part).groups()
        fields = message.get_fields_and_field_types()
        assert name in fields, f"{kind} has no {'/'.join(path)}"
        kind = fields[name]
        sequence = re.fullmatch(r"(.+)\[(\d+)\]|sequence<(.+)>", kind)
        assert bool(sequence) == (index is not None), f"{'/'.join(path)}: {kind}"
        if sequence and sequence[2]:
            assert int(index) < int(sequence[2])
        if k + 1 < len(path):
            message = message_class(kind)
    assert re.match(r"(double|float|u?int|boolean|sequence<double|double\[)", kind), (
        f"{path} is no number: {kind}"
    )


def test_plotjuggler(topics):
    root = ElementTree.parse(CONFIG / "layouts" / "plotjuggler.xml").getroot()
    chosen = {topic.get("name") for topic in root.iter("topic")}
    assert chosen <= set(topics)
    curves = [curve.get("name") for curve in root.iter("curve")]
    assert len(curves) > 20
    for curve in curves:
        topic = next(name for name in sorted(chosen, key=len, reverse=True) if curve.startswith(name + "/"))
        check_field(topics[topic], curve.removeprefix(topic + "/").split("/"))


def test_foxglove(topics):
    document = json.loads((CONFIG / "layouts" / "foxglove.json").read_text())
    panels = document["configById"]
    paths = [path["value"] for panel in panels.values() for path in panel.get("paths", ())]
    assert len(paths) > 20
    for path in paths:
        topic, _, fields = path.partition(".")
        check_field(topics[topic], fields.split("."))
    for panel in panels.values():
        named = [
            *panel.get("topics", ()),
            *filter(None, (panel.get("topicPath"), panel.get("topicToRender"))),
        ]
        assert set(named) <= set(topics)

    def leaves(part):
        return [part] if isinstance(part, str) else leaves(part["first"]) + leaves(part["second"])

    assert sorted(leaves(document["layout"])) == sorted(panels)


def test_rviz(topics):
    manager = yaml.safe_load((CONFIG / "view.rviz").read_text())["Visualization Manager"]
    assert manager["Global Options"]["Fixed Frame"] == "base"
    shown = {display["Class"].split("/")[1]: display for display in manager["Displays"]}
    for kind, message in DISPLAYS.items():
        assert topics[f"/{shown[kind]['Topic']['Value']}"] == message
    assert {"TF", "RobotModel", "Grid"} <= set(shown)


def test_ros2_control_names_our_drives_and_our_parameters():
    folder, names = CONFIG / "ros2_control", STRUT_NAMES
    robot = ElementTree.parse(folder / "hexapod.ros2_control.urdf").getroot()
    assert tuple(joint.get("name") for joint in robot.iterfind("ros2_control/joint")) == names
    assert set(names) <= {joint.get("name") for joint in robot.iterfind("joint")}
    document = yaml.safe_load((folder / "controllers.yaml").read_text())
    for name, block in document.items():
        assert name.startswith("/**/")  # or another namespace would leave it without parameters
        values = block["ros__parameters"]
        for key in ("joints", "joint_names"):
            assert tuple(values.get(key, names)) == names
        if name.removeprefix("/**/") in ALL_NODES:
            specs = {spec.name: spec for spec in node_class(name.removeprefix("/**/")).PARAMETERS}
            for key, value in values.items():
                assert specs[key].check(value) is None


def test_ros2_control_has_controllers_of_every_release():
    """effort_controllers and position_controllers are gone from ros2_controllers 6."""
    document = yaml.safe_load((CONFIG / "ros2_control" / "controllers.yaml").read_text())
    manager = document["/**/controller_manager"]["ros__parameters"]
    types = {name: block["type"] for name, block in manager.items() if name != "update_rate"}
    forward = "forward_command_controller/ForwardCommandController"
    assert types == {
        "joint_state_broadcaster": "joint_state_broadcaster/JointStateBroadcaster",
        "effort_controller": forward,
        "position_controller": forward,
    }
    for name in ("effort", "position"):
        controller = document[f"/**/{name}_controller"]["ros__parameters"]
        assert controller["interface_name"] == name


def test_ros2_control_has_a_whole_machine_that_mock_hardware_puts_at_home():
    machine = Machine.load("uf")
    robot = ElementTree.parse(CONFIG / "ros2_control" / "hexapod.ros2_control.urdf").getroot()
    exported = ElementTree.fromstring(format_machine_text(machine, "urdf"))
    for kind in ("link", "joint"):
        names = [one.get("name") for one in exported.iterfind(kind)]
        assert [one.get("name") for one in robot.iterfind(kind)] == names
    home = strut_lengths(machine, machine.home_position[None], machine.home_rotation[None])[0]
    for joint, length in zip(robot.iterfind("ros2_control/joint"), home, strict=True):
        first = {
            state.get("name"): float(state.findtext("param[@name='initial_value']"))
            for state in joint.iterfind("state_interface")
        }
        # the file gives micrometres
        assert first == {"position": pytest.approx(length, abs=1e-6), "velocity": 0.0, "effort": 0.0}
