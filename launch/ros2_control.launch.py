# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""identify, and the controller if asked for, beside ros2_control; its manager, too, where `hardware` is given.

ros2_control's names are those of config/ros2_control/controllers.yaml: joint_state_broadcaster publishes /joint_states,
effort_controller and position_controller take bare numbers in the order of joint_names.
"""

import re
from dataclasses import replace
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch.actions import LogInfo, OpaqueFunction
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from pkm_identification.ros.launching.arguments import CHAIN, COMMON, SWITCH, Argument, switch
from pkm_identification.ros.launching.nodes import launch_file, node, share, switched, text

BROADCASTER, EFFORTS, POSITIONS = "joint_state_broadcaster", "effort_controller", "position_controller"
MOCK = "mock_components/GenericSystem"
DRIVEN_BY = {"efforts": EFFORTS, "positions": POSITIONS}
ARGUMENTS = (
    *(replace(one, default="/joint_states") if one.name == "strut_states" else one for one in COMMON),
    Argument(
        "commands",
        "efforts: our controller drives the struts by effort_controller; positions: the kinematics node by "
        "position_controller, from target_pose; none: ours only listen",
        default="none",
        choices=("none", *DRIVEN_BY),
    ),
    Argument("mode", "of our controller: pid, computed_torque or workspace", nodes=("controller",)),
    Argument(
        "hardware",
        "URDF file with a <ros2_control> element (example: config/ros2_control) of a controller manager to start; "
        "empty: it runs already",
    ),
    Argument(
        "controllers",
        "parameter file of that controller manager; empty: config/ros2_control/controllers.yaml",
    ),
    Argument("mock", "move the struts of `hardware` without hardware or physics", switch, "false", SWITCH),
)


def start_nodes(context):
    commands = text(context, "commands")
    topics = {f"strut_commands/{kind}": f"/{name}/commands" for kind, name in DRIVEN_BY.items()}
    found = [
        node(
            context,
            name,
            ARGUMENTS,
            topics=topics if name == "kinematics" and commands == "positions" else None,
        )
        for name in CHAIN
    ]
    return [*found, node(context, "controller", ARGUMENTS, topics=topics)] if commands == "efforts" else found


def start_manager(context):
    if not text(context, "hardware"):
        return []
    for package in ("controller_manager", "ros2controlcli"):
        try:
            get_package_prefix(package)
        except PackageNotFoundError:
            raise ValueError(
                f"launch argument 'hardware': {package} is not installed; without it our nodes wait for "
                f"{text(context, 'strut_states')} of a controller manager that runs elsewhere"
            ) from None
    description = Path(text(context, "hardware")).read_text(encoding="utf-8")
    if switched(context, "mock"):
        description = re.sub("<plugin>[^<]*</plugin>", f"<plugin>{MOCK}</plugin>", description)
    controllers = text(context, "controllers") or str(
        share() / "config" / "ros2_control" / "controllers.yaml"
    )
    driven = DRIVEN_BY.get(text(context, "commands"))
    spawned = [BROADCASTER, driven] if driven else [BROADCASTER]
    return [
        LogInfo(msg=f"controller manager with {controllers}; spawning {' and '.join(spawned)}"),
        Node(
            package="controller_manager",
            executable="ros2_control_node",
            parameters=[controllers, {"robot_description": ParameterValue(description, value_type=str)}],
            output="screen",
        ),
        Node(package="controller_manager", executable="spawner", arguments=spawned, output="screen"),
    ]


def generate_launch_description():
    entities = [OpaqueFunction(function=start_manager), OpaqueFunction(function=start_nodes)]
    return launch_file(__file__, entities, ARGUMENTS)
