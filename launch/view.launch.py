"""RViz on the machine's markers, where RViz is installed."""

from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix, get_package_share_directory
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from launch import LaunchDescription

PACKAGE = "pkm_identification"


def start_viewer(context):
    def given(name):
        return LaunchConfiguration(name).perform(context)

    try:
        get_package_prefix("rviz2")
    except PackageNotFoundError:
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
            OpaqueFunction(function=start_viewer),
        ]
    )
