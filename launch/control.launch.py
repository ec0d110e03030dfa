"""identify, the controller, and a simulated machine whose drives take its forces."""

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
PATIENCE = 180.0
# Nodes and their parameters that are launch arguments: how their text is read, and what they are.
OWN = {
    "simulator": {
        "perturbation": (float, "how far the true parameters are from the machine's: 0.15 is up to 15 %"),
        "perturbation_seed": (int, "seed of the true parameters"),
        "truth_rate": (float, "rate of platform_truth in Hz; 0: not published"),
    },
    "controller": {
        "mode": (str, "pid or computed_torque"),
        "lost_after": (float, "s without a good sample that are an emergency"),
    },
}


def arguments():
    return [
        *(
            DeclareLaunchArgument(name, default_value="", description=f"{text}; empty: as in params_file")
            for parameters in OWN.values()
            for name, (_, text) in parameters.items()
        ),
        DeclareLaunchArgument(
            "lockstep",
            default_value="false",
            choices=["true", "false"],
            description="let the simulation wait for the controller: slower, but the same on every computer",
        ),
    ]


def chosen(context, node):
    """Parameters of a node that were given."""
    given = {name: LaunchConfiguration(name).perform(context) for name in OWN[node]}
    return {
        name: read_argument(name, read, given[name]) for name, (read, _) in OWN[node].items() if given[name]
    }


def check(context):
    # before anything runs: launch leaves running what is there when an argument is refused
    for node in OWN:
        chosen(context, node)


def start_nodes(context):
    def given(name):
        return LaunchConfiguration(name).perform(context)

    lockstep = given("lockstep") == "true"
    overrides = {
        # a simulator that does not get the processor is silent, but its machine does not move meanwhile
        "controller": {"use_sim_time": given("use_sim_time") == "true", "lost_after": 0.5},
        "simulator": {
            "clock": given("use_sim_time") == "true",
            "commands": "effort",
            "lockstep": lockstep,
            "wait": PATIENCE,
            "subscribers": 2,
            "wait_for": ["strut_states/filtered", "platform_state"],
        },
    }
    if lockstep:
        # real time means nothing then, and no force is late
        overrides["simulator"]["command_timeout"] = 5.0
        overrides["controller"] |= {"lost_after": 5.0, "delay": 0.0}
    for node in OWN:
        overrides[node] |= chosen(context, node)
        overrides[node] |= {name: given(name) for name in ("machine", "executor") if given(name)}
    return [
        Node(
            package=PACKAGE,
            executable=node,
            name=node,
            namespace=given("namespace"),
            parameters=[given("params_file"), overrides[node]],
            ros_arguments=["--log-level", given("log_level")],
            output="screen",
            on_exit=Shutdown(reason=f"{node} ended"),
        )
        for node in OWN
    ]


def generate_launch_description():
    identify = Path(get_package_share_directory(PACKAGE)) / "launch" / "identify.launch.py"
    return LaunchDescription(
        [
            *arguments(),
            OpaqueFunction(function=check),
            IncludeLaunchDescription(PythonLaunchDescriptionSource(str(identify))),
            OpaqueFunction(function=start_nodes),
        ]
    )
