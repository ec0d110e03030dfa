# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""identify, and the controller if asked for, beside ros2_control; its manager, too, where `hardware` is given.

ros2_control's names are those of config/ros2_control/controllers.yaml: joint_state_broadcaster publishes joint_states,
effort_controller and position_controller take bare numbers in the order of joint_names; all in the same namespace.
From Jazzy on the controller manager takes its robot description from the topic robot_description alone, where a
robot_state_publisher keeps it for whoever comes later.
"""

import atexit
import re
import tempfile
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import yaml
from launch.actions import LogInfo, OpaqueFunction
from launch_ros.actions import Node

from pkm_identification.ros.launching.arguments import (
    CHAIN,
    COMMON,
    SWITCH,
    Argument,
    refuse_wrong_commands,
    switch,
)
from pkm_identification.ros.launching.nodes import (
    enclave_arguments,
    end_all_with,
    is_installed,
    is_switched_on,
    launch_file,
    node,
    share,
    state_publisher,
    text,
)

BROADCASTER, EFFORTS, POSITIONS = "joint_state_broadcaster", "effort_controller", "position_controller"
MOCK = "mock_components/GenericSystem"
NEEDED = (
    "controller_manager",
    "robot_state_publisher",
    "joint_state_broadcaster",
    "forward_command_controller",
)
DRIVEN_BY = {"efforts": EFFORTS, "positions": POSITIONS, "coordinates": POSITIONS}
ARGUMENTS = (
    *(replace(one, default="joint_states") if one.name == "strut_states" else one for one in COMMON),
    Argument(
        "commands",
        "efforts: our controller drives the struts by effort_controller; coordinates: by position_controller, where "
        "drives go to places by themselves; positions: the kinematics node by position_controller, from target_pose; "
        "none: ours only listen",
        default="none",
        choices=("none", *DRIVEN_BY),
    ),
    Argument("mode", "of our controller: pid, computed_torque or workspace", nodes=("controller",)),
    Argument(
        "hardware",
        "whole URDF file, with a <ros2_control> element (`pkm export --format ros2_control`), of a controller manager "
        "to start; empty: it runs already",
    ),
    Argument(
        "controllers",
        "parameter file of that controller manager; empty: config/ros2_control/controllers.yaml, with the drives of "
        "`hardware`",
    ),
    Argument("mock", "move the struts of `hardware` without hardware or physics", switch, "false", SWITCH),
)


def check_commands(context):
    names = ("commands", "machine", "params_file", "namespace")
    refuse_wrong_commands(*(text(context, name) for name in names))


def start_nodes(context):
    commands = text(context, "commands")
    topics = {
        "strut_commands/efforts": f"{EFFORTS}/commands",
        "strut_commands/positions": f"{POSITIONS}/commands",
    }
    found = [
        node(
            context,
            name,
            ARGUMENTS,
            topics=topics if name == "kinematics" and commands == "positions" else None,
        )
        for name in CHAIN
    ]
    if commands in ("efforts", "coordinates"):
        found.append(node(context, "controller", ARGUMENTS, topics=topics))
    return found


def read_description(path):
    """Return the text of a URDF file that a controller manager takes; ValueError says what it lacks."""
    try:
        description = Path(path).read_text(encoding="utf-8")
        robot = ElementTree.fromstring(description)
    except (OSError, UnicodeDecodeError, ElementTree.ParseError) as error:
        raise ValueError(f"launch argument 'hardware': {path}: {error}") from None
    driven = list_driven(description)
    if not driven:
        raise ValueError(f"launch argument 'hardware': {path}: has no <ros2_control> element with joints")
    joints = {joint.get("name") for joint in robot.iterfind("joint")}
    missing = [name for name in driven if name not in joints]
    if missing:
        raise ValueError(
            f"launch argument 'hardware': {path}: <ros2_control> drives {', '.join(missing)}, expected joints of the "
            "same URDF; put the element into the file that `pkm export` writes"
        )
    return description


def list_driven(description):
    """Return the joints that the <ros2_control> element of a URDF drives."""
    return [joint.get("name") for joint in ElementTree.fromstring(description).iterfind("ros2_control/joint")]


def write_controllers(joints):
    """Return a new file, which ends with launch, of our parameters for controllers of other joints."""
    document = yaml.safe_load((share() / "config" / "ros2_control" / "controllers.yaml").read_text())
    for name, block in document.items():
        if "joints" in block["ros__parameters"]:
            document[name]["ros__parameters"]["joints"] = list(joints)  # rcl reads no aliases of YAML
    folder = tempfile.TemporaryDirectory(prefix="pkm_controllers_")
    atexit.register(folder.cleanup)
    path = Path(folder.name, "controllers.yaml")
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    return path


def start_manager(context):
    if not text(context, "hardware"):
        return []
    absent = [package for package in NEEDED if not is_installed(package)]
    if absent:
        raise ValueError(
            f"launch argument 'hardware': {', '.join(absent)} not installed; without hardware:= our nodes wait for "
            f"{text(context, 'strut_states')} of a controller manager that runs elsewhere"
        )
    description = read_description(text(context, "hardware"))
    if is_switched_on(context, "mock"):
        description = re.sub("<plugin>[^<]*</plugin>", f"<plugin>{MOCK}</plugin>", description)
    given = text(context, "controllers")
    # absolute: the spawner hands it on, and the controller manager reads it
    controllers = (
        Path(given).expanduser().absolute() if given else write_controllers(list_driven(description))
    )
    if not controllers.is_file():
        raise ValueError(f"launch argument 'controllers': {controllers}: there is no such file")
    controllers = str(controllers)
    driven = DRIVEN_BY.get(text(context, "commands"))
    spawned = [BROADCASTER, driven] if driven else [BROADCASTER]
    namespace = text(context, "namespace")
    return [
        LogInfo(msg=f"controller manager with {controllers}; spawning {' and '.join(spawned)}"),
        state_publisher(context, description, text(context, "frame_prefix")),
        Node(
            package="controller_manager",
            executable="ros2_control_node",
            namespace=namespace,
            parameters=[controllers, {"use_sim_time": is_switched_on(context, "use_sim_time")}],
            # Humble looks for it below its own name
            remappings=[("~/robot_description", "robot_description")],
            ros_arguments=enclave_arguments(context, "controller_manager"),
            output="screen",
            on_exit=end_all_with("controller_manager"),
        ),
        # finds the controller manager of its own namespace
        Node(
            package="controller_manager",
            executable="spawner",
            namespace=namespace,
            # since 6.5 controllers get no parameter file of the controller manager any more
            arguments=[*spawned, "--param-file", controllers],
            ros_arguments=enclave_arguments(context, "spawner"),
            output="screen",
        ),
    ]


def generate_launch_description():
    steps = (check_commands, start_manager, start_nodes)
    return launch_file(__file__, [OpaqueFunction(function=step) for step in steps], ARGUMENTS)
