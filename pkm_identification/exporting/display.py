# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A machine as a tree of URDF, loops left open: for viewers, with where its joints are, and for ros2_control."""

from __future__ import annotations

import re
from typing import Protocol
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from pkm_identification.machines.capabilities import BodiesFile, HexapodFile, has, require
from pkm_identification.machines.contract import Drive, Machine
from pkm_identification.mechanisms.hexapod.kinematics.tracker import split_row
from pkm_identification.numerics.arrays import FloatArray

from .bodies_urdf import TreePositions, bodies_urdf
from .urdf import TreeJoints, urdf

# mock hardware moves drives to what is commanded, without any physics; `mock:=true` of the launch file puts it there
PLUGIN = "your_package/YourHardware"
# Limits that URDF demands and the machine file does not have, SI units
FARTHEST, EFFORT, RATE = 1e3, 1e9, 1e9


class DisplayTree(Protocol):
    """The joints of a machine's tree.

    Attributes
    ----------
    names : tuple of str
    """

    names: tuple[str, ...]

    def compute(self, state: FloatArray) -> FloatArray:
        """Return positions (J,), rad and m, in the order of `names`, of a tracker's state (S,)."""


class _StrutTree:
    def __init__(self, machine: HexapodFile) -> None:
        self._joints = TreeJoints(machine.description)
        self.names = self._joints.names

    def compute(self, state: FloatArray) -> FloatArray:
        return self._joints.positions(*split_row(state)[:2])


class _BodyTree:
    def __init__(self, machine: BodiesFile) -> None:
        self._count = machine.mechanism.tree.coordinates
        self._joints = TreePositions(machine.mechanism)
        self.names = self._joints.names

    def compute(self, state: FloatArray) -> FloatArray:
        return self._joints.compute(state[: self._count])


def create_tree(machine: Machine, asker: str) -> DisplayTree:
    """Return the joints of the tree that `display_urdf` writes; raises SettingsError in the name of who asks."""
    if has(machine, HexapodFile):
        return _StrutTree(machine)
    return _BodyTree(require(machine, BodiesFile, asker))


def display_urdf(machine: Machine, asker: str) -> str:
    """Return the URDF text of a machine for a robot_state_publisher, loops left open."""
    if has(machine, HexapodFile):
        return urdf(machine.description)
    return bodies_urdf(require(machine, BodiesFile, asker).mechanism, display=True)


def build_ros2_control_urdf(machine: Machine) -> str:
    """Return the URDF text of a machine with the element <ros2_control>, whose joints are the drives by their names.

    A drive that is no joint of the tree (a length between two bodies, an angle past a gear) is one next to it: a
    controller manager takes no others.
    """
    text = display_urdf(machine, "format ros2_control")
    robot = ElementTree.fromstring(text)
    joints = {str(joint.get("name")) for joint in robot.iterfind("joint")}
    children = {child.get("link") for child in robot.iterfind("joint/child")}
    root = next(str(link.get("name")) for link in robot.iterfind("link") if link.get("name") not in children)
    beside = [_write_joint(drive, root) for drive in machine.drives if drive.joint not in joints]
    drives = [_write_drive(drive, home) for drive, home in zip(machine.drives, machine.home, strict=True)]
    element = (
        f'<ros2_control name={quoteattr(machine.name)} type="system">\n'
        f"<hardware><plugin>{PLUGIN}</plugin></hardware>\n{''.join(drives)}</ros2_control>\n"
    )
    return re.sub(r"</robot>\s*$", lambda _: "".join(beside) + element + "</robot>\n", text)


def _write_joint(drive: Drive, root: str) -> str:
    kind = "revolute" if drive.unit == "rad" else "prismatic"
    link = f"{drive.joint}:drive"
    return (
        f'<joint name={quoteattr(drive.joint)} type="{kind}"><parent link={quoteattr(root)}/>'
        f'<child link={quoteattr(link)}/><axis xyz="1 0 0"/><limit lower="{-FARTHEST}" upper="{FARTHEST}" '
        f'effort="{EFFORT}" velocity="{RATE}"/></joint>\n<link name={quoteattr(link)}/>\n'
    )


def _write_drive(drive: Drive, home: float) -> str:
    """Return what a drive takes and reports; mock hardware stands at home at first."""
    states = "".join(
        f'<state_interface name="{name}"><param name="initial_value">{value}</param></state_interface>'
        for name, value in (("position", float(home)), ("velocity", 0.0), ("effort", 0.0))
    )
    return (
        f'<joint name={quoteattr(drive.joint)}><command_interface name="effort"/>'
        f'<command_interface name="position"/>{states}</joint>\n'
    )
