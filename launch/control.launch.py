# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""identify, the controller, and a simulated machine whose drives take its commands."""

from launch.actions import OpaqueFunction

from pkm_identification.ros.launching.arguments import COMMON, SIMULATED, SWITCH, Argument, switch
from pkm_identification.ros.launching.nodes import (
    LISTENERS,
    PATIENCE,
    include_launch_file,
    is_switched_on,
    launch_file,
    node,
)

OF_SIMULATOR, OF_CONTROLLER = ("simulator",), ("controller",)
ARGUMENTS = (
    *COMMON,
    *SIMULATED,
    Argument("mode", "pid, computed_torque or workspace", nodes=OF_CONTROLLER),
    Argument("lost_after", "s without a good sample that are an emergency", float, nodes=OF_CONTROLLER),
    Argument(
        "lockstep",
        "let the simulation wait for the controller: slower, but the same on every computer",
        switch,
        "false",
        SWITCH,
        OF_SIMULATOR,
    ),
)


def start_nodes(context):
    lockstep = is_switched_on(context, "lockstep")
    controller = {
        # a simulator that does not get the processor is silent, but its machine does not move meanwhile
        "lost_after": 0.5
    }
    simulator = {
        "clock": is_switched_on(context, "use_sim_time"),
        "commands": "controller",
        "wait": PATIENCE,
        "wait_for": [*LISTENERS, "controller:strut_states"],
        "use_sim_time": False,
    }
    if lockstep:
        # real time means nothing then, and no force is late
        simulator["command_timeout"] = 5.0
        controller |= {"lost_after": 5.0, "delay": 0.0}
    return [
        node(context, "simulator", ARGUMENTS, simulator),
        node(context, "controller", ARGUMENTS, controller),
    ]


def generate_launch_description():
    return launch_file(
        __file__, [include_launch_file("identify"), OpaqueFunction(function=start_nodes)], ARGUMENTS
    )
