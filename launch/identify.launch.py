"""strut_filter, kinematics and estimator: from a driver's strut_states to an identified machine."""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from launch import LaunchDescription

PACKAGE = "pkm_identification"
NODES = ("strut_filter", "kinematics", "estimator")
# What the other launch files pass on.
SHARED = ("namespace", "machine", "params_file", "use_sim_time", "log_level", "executor")


def arguments():
    share = Path(get_package_share_directory(PACKAGE))
    return [
        DeclareLaunchArgument("namespace", default_value="", description="namespace of all nodes and topics"),
        DeclareLaunchArgument(
            "machine",
            default_value="",
            description="built-in machine (uf, hexel, ford) or path of a machine YAML file; empty: as in params_file",
        ),
        DeclareLaunchArgument(
            "params_file",
            default_value=str(share / "config" / "nodes.yaml"),
            description="ROS parameter file of the nodes; start from a copy of the default",
        ),
        DeclareLaunchArgument(
            "use_sim_time",
            default_value="false",
            choices=["true", "false"],
            description="whether time comes from /clock (samples keep their own stamps in any case)",
        ),
        DeclareLaunchArgument(
            "log_level",
            default_value="info",
            choices=["debug", "info", "warn", "error", "fatal"],
            description="least important log lines shown",
        ),
        DeclareLaunchArgument(
            "executor",
            default_value="",
            choices=["", "single_threaded", "events"],
            description="executor of the nodes; empty: as in params_file",
        ),
        DeclareLaunchArgument(
            "joint_states",
            default_value="false",
            choices=["true", "false"],
            description="let the kinematics node publish joint_states for a robot_state_publisher (view.launch.py), "
            "which then sends TF; not beside a driver that publishes joint_states under this namespace",
        ),
    ]


def start_nodes(context):
    given = {name: LaunchConfiguration(name).perform(context) for name in SHARED}
    overrides = {"use_sim_time": given["use_sim_time"] == "true"}
    overrides |= {name: given[name] for name in ("machine", "executor") if given[name]}
    own = {}
    if LaunchConfiguration("joint_states").perform(context) == "true":
        own["kinematics"] = {"publish_joint_states": True, "publish_tf": False}
    return [
        Node(
            package=PACKAGE,
            executable=name,
            name=name,
            namespace=given["namespace"],
            parameters=[given["params_file"], overrides, own.get(name, {})],
            ros_arguments=["--log-level", given["log_level"]],
            output="screen",
            # a chain with a link missing is of no use: say so by ending
            on_exit=Shutdown(reason=f"{name} ended"),
        )
        for name in NODES
    ]


def generate_launch_description():
    return LaunchDescription([*arguments(), OpaqueFunction(function=start_nodes)])
