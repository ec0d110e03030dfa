"""identify with a simulated machine in front of it."""

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
# Simulator parameters that are launch arguments: how their text is read, and what they are.
SIMULATOR = {
    "trajectory": (str, "motion to follow: none, x, z, xy, rich, rich2, slow, free or rest"),
    "duration": (float, "length of the motion in s; 0: the trajectory's own"),
    "seed": (int, "seed of the sensors' noise"),
    "perturbation": (float, "how far the true parameters are from the machine's: 0.15 is up to 15 %"),
    "perturbation_seed": (int, "seed of the true parameters"),
    "truth_rate": (float, "rate of platform_truth in Hz; 0: not published"),
}


def arguments():
    return [
        *(
            DeclareLaunchArgument(name, default_value="", description=f"{text}; empty: as in params_file")
            for name, (_, text) in SIMULATOR.items()
        ),
        DeclareLaunchArgument(
            "shutdown_at_end",
            default_value="false",
            choices=["true", "false"],
            description="end everything when the trajectory is over",
        ),
    ]


def chosen(context):
    """Parameters of the simulator that were given."""
    given = {name: LaunchConfiguration(name).perform(context) for name in SIMULATOR}
    return {
        name: read_argument(name, read, given[name]) for name, (read, _) in SIMULATOR.items() if given[name]
    }


def check(context):
    # before anything runs: launch leaves running what is there when an argument is refused
    chosen(context)


def start_simulator(context):
    def given(name):
        return LaunchConfiguration(name).perform(context)

    ends = given("shutdown_at_end") == "true"
    # with simulated time the simulator is the one who keeps it
    overrides = {
        "clock": given("use_sim_time") == "true",
        "wait": PATIENCE,
        "wait_for": CHAIN,
        "shutdown_at_end": ends,
    }
    overrides |= chosen(context)
    overrides |= {name: given(name) for name in ("machine", "executor") if given(name)}
    return [
        Node(
            package=PACKAGE,
            executable="simulator",
            name="simulator",
            namespace=given("namespace"),
            parameters=[given("params_file"), overrides],
            ros_arguments=["--log-level", given("log_level")],
            output="screen",
            on_exit=Shutdown(reason="simulator ended"),
        )
    ]


def generate_launch_description():
    identify = Path(get_package_share_directory(PACKAGE)) / "launch" / "identify.launch.py"
    return LaunchDescription(
        [
            *arguments(),
            OpaqueFunction(function=check),
            IncludeLaunchDescription(PythonLaunchDescriptionSource(str(identify))),
            OpaqueFunction(function=start_simulator),
        ]
    )
