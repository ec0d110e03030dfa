# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
