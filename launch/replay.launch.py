"""identify with a recording in front of it."""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction, Shutdown
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from launch import LaunchDescription
from pkm_identification.ros.processes.launch_arguments import read_argument

PACKAGE = "pkm_identification"
# The first start of all compiles for a minute; nothing shall be lost meanwhile.
CHAIN = ["strut_states/filtered", "platform_state"]
PATIENCE = 180.0


def arguments():
    return [
        DeclareLaunchArgument("bag", description="recording: a rosbag2 folder, .db3 or .mcap file"),
        DeclareLaunchArgument("rate", default_value="1.0", description="speed relative to the recording"),
        DeclareLaunchArgument(
            "loop", default_value="false", choices=["true", "false"], description="start again at the end"
        ),
        DeclareLaunchArgument(
            "shutdown_at_end",
            default_value="false",
            choices=["true", "false"],
            description="end everything when the recording is over",
        ),
    ]


def rate(context):
    return read_argument("rate", float, LaunchConfiguration("rate").perform(context))


def check(context):
    # before anything runs: launch leaves running what is there when an argument is refused
    rate(context)


def start_player(context):
    def given(name):
        return LaunchConfiguration(name).perform(context)

    ends = given("shutdown_at_end") == "true"
    overrides = {
        "bag": given("bag"),
        "rate": rate(context),
        "loop": given("loop") == "true",
        # with simulated time the recording's is the one that counts
        "clock": given("use_sim_time") == "true",
        "wait": PATIENCE,
        "wait_for": CHAIN,
        "shutdown_at_end": ends,
    }
    overrides |= {name: given(name) for name in ("executor",) if given(name)}
    return [
        Node(
            package=PACKAGE,
            executable="player",
            name="player",
            namespace=given("namespace"),
            parameters=[given("params_file"), overrides],
            ros_arguments=["--log-level", given("log_level")],
            output="screen",
            on_exit=Shutdown(reason="player ended"),
        )
    ]


def generate_launch_description():
    identify = Path(get_package_share_directory(PACKAGE)) / "launch" / "identify.launch.py"
    return LaunchDescription(
        [
            *arguments(),
            OpaqueFunction(function=check),
            IncludeLaunchDescription(PythonLaunchDescriptionSource(str(identify))),
            OpaqueFunction(function=start_player),
        ]
    )
