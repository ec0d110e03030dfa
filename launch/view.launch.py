# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""RViz on the machine's markers, where RViz is installed; its bodies too, where robot_state_publisher is."""

from launch.actions import LogInfo, OpaqueFunction
from launch_ros.actions import Node

from pkm_identification.ros.launching.arguments import COMMON, Argument
from pkm_identification.ros.launching.nodes import (
    enclave_arguments,
    is_installed,
    is_switched_on,
    launch_file,
    state_publisher,
    text,
)

OF_ALL = ("namespace", "use_sim_time", "enclave")
ARGUMENTS = (
    *(one for one in COMMON if one.name in OF_ALL),
    # its default is a file of the installed package (`nodes.declare_arguments`)
    Argument("rviz_config", "RViz configuration", default=None),
    Argument(
        "machine",
        "built-in machine or machine file whose bodies a robot_state_publisher shall show; needs joint_states:=true "
        "where the nodes are started; empty: markers only",
    ),
)


def start_bodies(context):
    if not text(context, "machine"):
        return []
    if not is_installed("robot_state_publisher"):
        return [LogInfo(msg="robot_state_publisher is not installed: no bodies and no TF of them.")]
    # here, because the other launch files must not wait for it
    from pkm_identification.exporting.display import display_urdf
    from pkm_identification.machines.load import load_machine

    machine = load_machine(text(context, "machine"))
    return [state_publisher(context, display_urdf(machine, "launch argument 'machine'"))]


def start_viewer(context):
    if not is_installed("rviz2"):
        topic = "/".join(["", *filter(None, [text(context, "namespace").strip("/"), "markers"])])
        return [
            LogInfo(
                msg=f"rviz2 is not installed. Any viewer of visualization_msgs/MarkerArray shows {topic}; its fixed "
                "frame is 'base'."
            )
        ]
    return [
        Node(
            package="rviz2",
            executable="rviz2",
            name="rviz2",
            namespace=text(context, "namespace"),
            arguments=["-d", text(context, "rviz_config")],
            parameters=[{"use_sim_time": is_switched_on(context, "use_sim_time")}],
            ros_arguments=enclave_arguments(context, "rviz2"),
            output="screen",
        )
    ]


def generate_launch_description():
    entities = [OpaqueFunction(function=start_bodies), OpaqueFunction(function=start_viewer)]
    return launch_file(__file__, entities, ARGUMENTS)
