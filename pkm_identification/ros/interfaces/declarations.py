# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The interfaces of every node of this package. `test/ros/test_interfaces.py` holds the nodes to it over DDS."""

from __future__ import annotations

from .interface import Interface, NodeInterfaces

PKM = "pkm_identification"
JOINT_STATE = "sensor_msgs/msg/JointState"
POSE = "geometry_msgs/msg/PoseStamped"
NUMBERS = "std_msgs/msg/Float64MultiArray"
CLOCK = "rosgraph_msgs/msg/Clock"
TRIGGER = "std_srvs/srv/Trigger"
SWITCH = "std_srvs/srv/SetBool"
ESTIMATE = f"{PKM}/msg/ParameterEstimate"
PLATFORM = f"{PKM}/msg/PlatformState"
STRUTS = f"{PKM}/msg/StrutStates"

STRUT_STATES = Interface(
    "strut_states", JOINT_STATE, "coordinates (m or rad) and forces (N or N m) of the drives"
)
FILTERED = Interface("strut_states/filtered", STRUTS, "validated, filtered motion of the drives")
PLATFORM_STATE = Interface(
    "platform_state", PLATFORM, "motion and forces of the machine, pose of its platform"
)
PARAMETER_ESTIMATE = Interface(
    "parameter_estimate", ESTIMATE, "dynamic parameters, deviations, what is known of each"
)
POSED = "where the machine has a platform with a pose"
TARGET = Interface("target_pose", POSE, "where the platform shall be", POSED)
STRUT_COMMANDS = Interface("strut_commands", JOINT_STATE, "wanted coordinate, rate and force of each drive")
RESET = Interface("~/reset", TRIGGER, "as newly started")
INPUT = (
    "input",
    "topics that are silent, messages lost, publishers that do not match, time of a step, memory",
)


def _list_lifecycle(name: str, kind: str) -> Interface:
    return Interface(f"~/{name}", f"lifecycle_msgs/srv/{kind}", "life cycle")


def _list_parameters(name: str) -> Interface:
    kind = "".join(word.title() for word in name.split("_"))
    return Interface(f"~/{name}", f"rcl_interfaces/srv/{kind}", "parameters")


def _list_standard_simulation(name: str, meaning: str) -> Interface:
    kind = "".join(word.title() for word in name.split("_"))
    return Interface(
        f"~/{name}", f"simulation_interfaces/srv/{kind}", meaning, "where simulation_interfaces is installed"
    )


# Of ROS itself, for every life-cycle node.
COMMON = NodeInterfaces(
    publishes=(
        Interface("/diagnostics", "diagnostic_msgs/msg/DiagnosticArray", "a status for each task, at 1 Hz"),
        Interface("~/transition_event", "lifecycle_msgs/msg/TransitionEvent", "changes of the life cycle"),
        Interface("/parameter_events", "rcl_interfaces/msg/ParameterEvent", "changes of parameters"),
        Interface("/rosout", "rcl_interfaces/msg/Log", "log lines"),
    ),
    subscribes=(Interface("/clock", CLOCK, "time", "`use_sim_time`"),),
    services=(
        _list_lifecycle("change_state", "ChangeState"),
        _list_lifecycle("get_state", "GetState"),
        _list_lifecycle("get_available_states", "GetAvailableStates"),
        _list_lifecycle("get_available_transitions", "GetAvailableTransitions"),
        _list_lifecycle("get_transition_graph", "GetAvailableTransitions"),
        *(
            _list_parameters(name)
            for name in (
                "describe_parameters",
                "get_parameter_types",
                "get_parameters",
                "list_parameters",
                "set_parameters",
                "set_parameters_atomically",
            )
        ),
        Interface(
            "~/get_type_description",
            "type_description_interfaces/srv/GetTypeDescription",
            "definitions of message types",
            "from ROS 2 Jazzy on",
        ),
    ),
    diagnostics=(INPUT,),
)

NODE_INTERFACES = {
    "strut_filter": NodeInterfaces(
        publishes=(FILTERED,),
        subscribes=(STRUT_STATES,),
        services=(RESET,),
        diagnostics=(("stream", "rate, gaps, stuck, stepped or clipped channels, bad messages"),),
    ),
    "kinematics": NodeInterfaces(
        publishes=(
            PLATFORM_STATE,
            Interface("platform_pose", POSE, "pose alone", f"at `pose_rate`, {POSED}"),
            Interface(
                "/tf",
                "tf2_msgs/msg/TFMessage",
                "the platform's frame",
                f"`publish_tf`, where tf2_msgs is installed, {POSED}",
            ),
            Interface("joint_states", JOINT_STATE, "for robot_state_publisher", "`publish_joint_states`"),
            Interface(
                "markers", "visualization_msgs/msg/MarkerArray", "the machine as shapes", "at `marker_rate`"
            ),
            Interface("strut_commands", JOINT_STATE, "coordinates for each `target_pose`", POSED),
            Interface(
                "strut_commands/positions", NUMBERS, "coordinates alone", f"while somebody listens, {POSED}"
            ),
        ),
        subscribes=(FILTERED, TARGET),
        services=(
            RESET,
            Interface("solve_forward", f"{PKM}/srv/SolveForward", "one pose of coordinates", POSED),
            Interface("solve_inverse", f"{PKM}/srv/SolveInverse", "coordinates of a pose", POSED),
        ),
        diagnostics=(("pose", "poses that are not found, near singular, of another assembly mode"),),
    ),
    "estimator": NodeInterfaces(
        publishes=(
            PARAMETER_ESTIMATE,
            Interface(
                "~/payload", "geometry_msgs/msg/InertiaStamped", "a load that was taken up", "of hexapods"
            ),
        ),
        subscribes=(PLATFORM_STATE,),
        services=(
            RESET,
            Interface("~/save", TRIGGER, "writes `save_name` into `save_folder`"),
            Interface("~/enable", SWITCH, "estimation on or off; what was learned stays"),
        ),
        diagnostics=(
            ("estimate", "how good it is; payloads, stale and impossible estimates"),
            ("model fit", "whether the model fits, else the cause"),
            ("storage", "what was saved, what it started from, what could not be written or read"),
        ),
    ),
    "controller": NodeInterfaces(
        publishes=(
            STRUT_COMMANDS,
            Interface("strut_commands/efforts", NUMBERS, "forces alone", "while somebody listens"),
            Interface(
                "strut_commands/positions",
                NUMBERS,
                "coordinates alone",
                "instead, of drives that go to places by themselves",
            ),
            Interface(
                "controller_state",
                f"{PKM}/msg/ControllerState",
                "state, errors, parts of the force",
                "at `state_rate`",
            ),
        ),
        subscribes=(STRUT_STATES, PARAMETER_ESTIMATE),
        services=(
            Interface("~/reset", TRIGGER, "leaves an emergency stop"),
            Interface("~/stop", TRIGGER, "emergency stop by the operator"),
        ),
        actions=(
            Interface(
                "execute_trajectory", f"{PKM}/action/ExecuteTrajectory", "motions of poses or strut lengths"
            ),
            Interface(
                "~/follow_joint_trajectory",
                "control_msgs/action/FollowJointTrajectory",
                "motions of the struts, for planners",
                "where control_msgs is installed",
            ),
        ),
        diagnostics=(("control", "emergency stop and its cause, input, estimates refused"),),
    ),
    "simulator": NodeInterfaces(
        publishes=(
            STRUT_STATES,
            Interface("platform_truth", POSE, "true pose", f"at `truth_rate`, {POSED}"),
            Interface("imu", "sensor_msgs/msg/Imu", "of the platform", "where the machine has `sensors.imu`"),
            Interface("strut_forces", JOINT_STATE, "of force sensors", "where it has `sensors.force`"),
            Interface(
                "platform_wrench",
                "geometry_msgs/msg/WrenchStamped",
                "what those forces do to the platform, about its origin",
                "where it has `sensors.force`",
            ),
            Interface("/clock", CLOCK, "simulated time", "`clock`"),
        ),
        subscribes=(STRUT_COMMANDS, TARGET),
        services=(
            Interface("~/pause", SWITCH, "simulated time stands still, or goes on"),
            Interface("~/step", f"{PKM}/srv/StepSimulation", "so many samples at once, while paused"),
            Interface("~/set_payload", f"{PKM}/srv/SetPayload", "a point mass on the platform"),
            Interface("~/set_fault", f"{PKM}/srv/SetFault", "sensors or log err from now on, or no more"),
            Interface("~/reset", TRIGGER, "state, motion and noise from the start"),
            *(
                _list_standard_simulation(*one)
                for one in (
                    ("get_simulator_features", "what of the standard there is"),
                    ("get_simulation_state", "stopped (paused at the start), playing or paused"),
                    ("set_simulation_state", "the same, or quitting"),
                    ("reset_simulation", "as `~/reset`"),
                    ("step_simulation", "as `~/step`"),
                )
            ),
        ),
        diagnostics=(("machine", "time behind, commands that are late, payload"),),
    ),
    "recorder": NodeInterfaces(
        subscribes=(
            Interface("strut_states", JOINT_STATE, "recorded", "in `topics`, as any other topic that is"),
        ),
        diagnostics=(("recording", "messages written of each topic, topics that nobody publishes"),),
    ),
    "player": NodeInterfaces(
        publishes=(
            Interface("strut_states", JOINT_STATE, "as recorded", "in `topics`, as any other topic that is"),
            Interface("/clock", CLOCK, "the recording's time", "`clock`"),
        ),
        diagnostics=(("playback", "messages sent, time behind, subscribers waited for"),),
    ),
}
