# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""identify with a simulated machine in front of it."""

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

OF_SIMULATOR = ("simulator",)
ARGUMENTS = (
    *COMMON,
    *SIMULATED,
    Argument(
        "trajectory",
        "motion to follow: none, rich, rich2, slow, rest, motion (the machine file's own), or a motion file (.yaml); "
        "of hexapods x, z, xy and free, too",
        nodes=OF_SIMULATOR,
    ),
    Argument("duration", "length of the motion in s; 0: the trajectory's own", float, nodes=OF_SIMULATOR),
    Argument("seed", "seed of the sensors' noise", int, nodes=OF_SIMULATOR),
    Argument("shutdown_at_end", "end everything when the trajectory is over", switch, "false", SWITCH),
)


def start_simulator(context):
    parameters = {
        # with simulated time the simulator is the one who keeps it
        "clock": is_switched_on(context, "use_sim_time"),
        "wait": PATIENCE,
        "wait_for": LISTENERS,
        "shutdown_at_end": is_switched_on(context, "shutdown_at_end"),
        "use_sim_time": False,
    }
    return [node(context, "simulator", ARGUMENTS, parameters)]


def generate_launch_description():
    return launch_file(
        __file__, [include_launch_file("identify"), OpaqueFunction(function=start_simulator)], ARGUMENTS
    )
