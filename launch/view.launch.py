"""RViz on the machine's markers, where RViz is installed; its bodies too, where robot_state_publisher is."""

from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix, get_package_share_directory
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from launch import LaunchDescription

PACKAGE = "pkm_identification"


def installed(package):
    try:
        get_package_prefix(package)
    except PackageNotFoundError:
        return False
    return True


def protected(context, name):
    """Arguments that give a node its SROS 2 enclave."""
    enclave = LaunchConfiguration("enclave").perform(context)
    return ["--enclave", f"{enclave.rstrip('/')}/{name}"] if enclave else []


def start_bodies(context):
    def given(name):
        return LaunchConfiguration(name).perform(context)

    if not given("machine"):
        return []
    if not installed("robot_state_publisher"):
        return [LogInfo(msg="robot_state_publisher is not installed: no bodies and no TF of the struts.")]
    # here, because the other launch files must not wait for it
    from pkm_identification.exporting.urdf import urdf
    from pkm_identification.mechanisms.hexapod.machine import Machine

    text = ParameterValue(urdf(Machine.load(given("machine"))), value_type=str)
    return [
        Node(
            package="robot_state_publisher",
            executable="robot_state_publisher",
            namespace=given("namespace"),
            parameters=[{"robot_description": text, "use_sim_time": given("use_sim_time") == "true"}],
            ros_arguments=protected(context, "robot_state_publisher"),
            output="screen",
        )
    ]


def start_viewer(context):
    def given(name):
        return LaunchConfiguration(name).perform(context)

    if not installed("rviz2"):
        topic = "/".join(["", *filter(None, [given("namespace").strip("/"), "markers"])])
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
            namespace=given("namespace"),
            arguments=["-d", given("rviz_config")],
            parameters=[{"use_sim_time": given("use_sim_time") == "true"}],
            ros_arguments=protected(context, "rviz2"),
            output="screen",
        )
    ]


def generate_launch_description():
    share = Path(get_package_share_directory(PACKAGE))
    return LaunchDescription(
        [
            DeclareLaunchArgument(
                "namespace", default_value="", description="namespace of the machine's topics"
            ),
            DeclareLaunchArgument(
                "rviz_config",
                default_value=str(share / "config" / "view.rviz"),
                description="RViz configuration",
            ),
            DeclareLaunchArgument(
                "use_sim_time",
                default_value="false",
                choices=["true", "false"],
                description="whether time comes from /clock",
            ),
            DeclareLaunchArgument(
                "machine",
                default_value="",
                description="built-in machine or machine file whose bodies a robot_state_publisher shall show; needs "
                "joint_states:=true where the nodes are started; empty: markers only",
            ),
            DeclareLaunchArgument(
                "enclave", default_value="", description="SROS 2 enclave below which every node has its own"
            ),
            OpaqueFunction(function=start_bodies),
            OpaqueFunction(function=start_viewer),
        ]
    )
