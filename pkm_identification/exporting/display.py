# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A machine for viewers: its URDF as a tree, and where the joints of that tree are."""

from __future__ import annotations

from typing import Protocol

from pkm_identification.machines.capabilities import BodiesFile, HexapodFile, has, require
from pkm_identification.machines.contract import Machine
from pkm_identification.mechanisms.hexapod.kinematics.tracker import split_row
from pkm_identification.numerics.arrays import FloatArray

from .bodies_urdf import TreePositions, bodies_urdf
from .urdf import TreeJoints, urdf


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
