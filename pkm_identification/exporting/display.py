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
from pkm_identification.mechanisms.hexapod.machine import Machine as HexapodDescription
from pkm_identification.mechanisms.multibody.description.hexapod import build_hexapod_description
from pkm_identification.mechanisms.multibody.kinematics import close_pose
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray

from .bodies_urdf import TreePositions, bodies_urdf

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


class _PosedTree:
    def __init__(self, machine: HexapodFile) -> None:
        self._mechanism = name_bodies(machine.description)
        self._joints, self._last = TreePositions(self._mechanism), self._mechanism.home
        self.names = self._joints.names

    def compute(self, state: FloatArray) -> FloatArray:
        position, rotation, *_ = split_row(state)
        closed = close_pose(self._mechanism, position[None], rotation[None])
        self._last = closed.configuration[0] if closed.found[0] else self._last
        return self._joints.compute(self._last)


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
        return _PosedTree(machine)
    return _BodyTree(require(machine, BodiesFile, asker))


def name_bodies(description: HexapodDescription) -> Mechanism:
    """Return a hexapod's thirteen bodies under the names that they have in files for other programs."""
    links = [f"strut_{i + 1}_{end}" for i in range(len(description.struts)) for end in "be"]
    return Mechanism.of(build_hexapod_description(description, ("platform", *links), description.joint_names))


def find_bodies(machine: Machine, asker: str) -> Mechanism:
    """Return the bodies that files for other programs have; raises SettingsError in the name of who asks."""
    if has(machine, HexapodFile):
        return name_bodies(machine.description)
    return require(machine, BodiesFile, asker).mechanism


def display_urdf(machine: Machine, asker: str) -> str:
    """Return the URDF text of a machine for a robot_state_publisher, loops left open."""
    return bodies_urdf(find_bodies(machine, asker))


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
