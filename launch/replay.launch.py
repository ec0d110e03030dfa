# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""identify with a recording in front of it."""

from launch.actions import OpaqueFunction

from pkm_identification.ros.launching.arguments import COMMON, SWITCH, Argument, switch
from pkm_identification.ros.launching.nodes import (
    LISTENERS,
    PATIENCE,
    include_launch_file,
    is_switched_on,
    launch_file,
    node,
)

OF_PLAYER = ("player",)
ARGUMENTS = (
    *COMMON,
    Argument("bag", "recording: a rosbag2 folder, .db3 or .mcap file", default=None, nodes=OF_PLAYER),
    Argument("rate", "speed relative to the recording", float, "1.0", nodes=OF_PLAYER),
    Argument("loop", "start again at the end", switch, "false", SWITCH, OF_PLAYER),
    Argument(
        "shutdown_at_end", "end everything when the recording is over", switch, "false", SWITCH, OF_PLAYER
    ),
)


def start_player(context):
    parameters = {
        # with simulated time the recording's is the one that counts
        "clock": is_switched_on(context, "use_sim_time"),
        "wait": PATIENCE,
        "wait_for": LISTENERS,
        "use_sim_time": False,
    }
    return [node(context, "player", ARGUMENTS, parameters)]


def generate_launch_description():
    return launch_file(
        __file__, [include_launch_file("identify"), OpaqueFunction(function=start_player)], ARGUMENTS
    )
