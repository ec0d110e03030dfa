# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Nodes of a launch file, made of its arguments. For launch files only: needs launch and launch_ros."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ament_index_python.packages import (
    PackageNotFoundError,
    get_package_prefix,
    get_package_share_directory,
)
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction, Shutdown
from launch.events.process import ProcessExited
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity

from ..node.launcher import LAUNCHER
from .arguments import COMMON, Argument, read_argument, refuse_unknown, refuse_wrong_machines, switch

PACKAGE = "pkm_identification"
# Arguments whose default is a file of the installed package, below config/
FILES = {"params_file": "nodes.yaml", "rviz_config": "view.rviz"}
FRAMES = {"base_frame": "base", "platform_frame": "platform"}  # as the nodes have them
# The first start of all compiles for a minute; nothing shall be lost meanwhile.
PATIENCE = 180.0
# Who has to be active before the first sample comes; who only looks on (a viewer, a recorder) is not meant.
LISTENERS = ["strut_filter:strut_states", "kinematics:strut_states/filtered", "estimator:platform_state"]


class NodeFailed(Exception):
    """A node without which the others are of no use has died."""


def share() -> Path:
    """Folder of the installed package's files."""
    return Path(get_package_share_directory(PACKAGE))


def declare_arguments(arguments: Sequence[Argument]) -> list[DeclareLaunchArgument]:
    """Declarations for a launch file."""
    declarations = []
    for one in arguments:
        # launch compares choices letter by letter: a switch is read by `check` instead
        listed = one.choices and one.read is not switch
        more: dict[str, Any] = {"choices": list(one.choices)} if listed else {}
        default = str(share() / "config" / FILES[one.name]) if one.name in FILES else one.default
        if default is not None:
            more["default_value"] = default
        declarations.append(DeclareLaunchArgument(one.name, description=one.description, **more))
    return declarations


def launch_file(
    file: str, entities: Sequence[LaunchDescriptionEntity], arguments: Sequence[Argument] = COMMON
) -> LaunchDescription:
    """Description of a launch file: its arguments are checked before anything runs.

    Launch leaves running what is there when an argument is refused later.

    Parameters
    ----------
    file : str
        `__file__` of the launch file.
    entities : sequence of LaunchDescriptionEntity
        What it does.
    arguments : sequence of Argument
        Its own and those of the files it includes.
    """

    def check(context: LaunchContext) -> None:
        refuse_unknown(file, context.argv, sys.argv, [one.name for one in arguments])
        for one in arguments:
            value(context, one)
        names = {one.name for one in arguments}
        if "machine" in names:
            params_file = text(context, "params_file") if "params_file" in names else ""
            refuse_wrong_machines(text(context, "machine"), params_file, text(context, "namespace"))

    return LaunchDescription([*declare_arguments(arguments), OpaqueFunction(function=check), *entities])


def text(context: LaunchContext, name: str) -> str:
    """Return what an argument was given as, or its default."""
    return str(LaunchConfiguration(name).perform(context))


def value(context: LaunchContext, argument: Argument) -> Any:
    """Value of an argument, None where it is empty.

    Raises
    ------
    ValueError
        If its text does not fit: names the argument.
    """
    given = text(context, argument.name)
    return read_argument(argument.name, argument.read, given) if given else None


def is_installed(package: str) -> bool:
    """Return whether a package is there to be started."""
    try:
        get_package_prefix(package)
    except PackageNotFoundError:
        return False
    return True


def enclave_arguments(context: LaunchContext, name: str) -> list[str]:
    """Return the ROS arguments that give a node its SROS 2 enclave; none where no enclave was given."""
    enclave = text(context, "enclave")
    return ["--enclave", f"{enclave.rstrip('/')}/{name}"] if enclave else []


def state_publisher(context: LaunchContext, description: str, frame_prefix: str = "") -> Node:
    """Return a robot_state_publisher, which publishes a URDF's text on the topic robot_description, latched."""
    return Node(
        package="robot_state_publisher",
        executable="robot_state_publisher",
        namespace=text(context, "namespace"),
        parameters=[
            {
                "robot_description": ParameterValue(description, value_type=str),
                "use_sim_time": is_switched_on(context, "use_sim_time"),
                "frame_prefix": frame_prefix,
            }
        ],
        ros_arguments=enclave_arguments(context, "robot_state_publisher"),
        output="screen",
    )


def is_switched_on(context: LaunchContext, name: str) -> bool:
    """Return whether an argument that is true or false is true."""
    return read_argument(name, switch, text(context, name))


def node(
    context: LaunchContext,
    name: str,
    arguments: Sequence[Argument] = COMMON,
    parameters: Mapping[str, Any] | None = None,
    topics: Mapping[str, str] | None = None,
) -> Node:
    """One node of this package. All ends when it ends: a chain with a link missing is of no use.

    Parameters
    ----------
    context : LaunchContext
    name : str
        The node and its executable.
    arguments : sequence of Argument
        Those of the launch file; those that are parameters of this node are set where they were given.
    parameters : mapping, optional
        More parameters, which arguments that were given override.
    topics : mapping, optional
        Topics of the node that have another name.
    """
    chosen: dict[str, Any] = {"use_sim_time": is_switched_on(context, "use_sim_time"), **(parameters or {})}
    for one in arguments:
        given = value(context, one) if name in one.nodes else None
        if given is not None:
            chosen[one.name] = given
        if name in one.nodes and one.name in FRAMES and text(context, "frame_prefix"):
            chosen[one.name] = text(context, "frame_prefix") + chosen.get(one.name, FRAMES[one.name])
    ros_arguments = ["--log-level", text(context, "log_level"), *enclave_arguments(context, name)]
    remapped = dict(topics or {})
    if text(context, "strut_states"):
        remapped["strut_states"] = text(context, "strut_states")
    return Node(
        package=PACKAGE,
        executable=name,
        name=name,
        namespace=text(context, "namespace"),
        parameters=[text(context, "params_file"), chosen],
        remappings=list(remapped.items()),
        ros_arguments=ros_arguments,
        output="screen",
        additional_env={LAUNCHER: str(os.getpid())},
        on_exit=end_all_with(name),
    )


def end_all_with(name: str) -> Callable[[ProcessExited, LaunchContext], Shutdown]:
    """What launch does when a node has ended: all others end, too, and the exit code says whether it had failed."""

    def end(event: ProcessExited, context: LaunchContext) -> Shutdown:
        reason = f"{name} ended"
        if event.returncode and not context.is_shutdown:
            # launch has no other way to an exit code that is not 0
            raise NodeFailed(f"{reason} with code {event.returncode}")
        return Shutdown(reason=reason)

    return end


def include_launch_file(name: str) -> IncludeLaunchDescription:
    """Another launch file of this package, with the same arguments."""
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(share() / "launch" / f"{name}.launch.py"))
    )
