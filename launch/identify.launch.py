# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""strut_filter, kinematics and estimator: from a driver's strut_states to an identified machine."""

from launch.actions import OpaqueFunction

from pkm_identification.ros.launching.arguments import CHAIN
from pkm_identification.ros.launching.nodes import include_launch_file, is_switched_on, launch_file, node


def start_nodes(context):
    published = {"publish_joint_states": True, "publish_tf": False}
    own = {"kinematics": published} if is_switched_on(context, "joint_states") else {}
    view = [include_launch_file("view")] if is_switched_on(context, "rviz") else []
    return [*(node(context, name, parameters=own.get(name)) for name in CHAIN), *view]


def generate_launch_description():
    return launch_file(__file__, [OpaqueFunction(function=start_nodes)])
