# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What some machines have and others have not; who needs one asks for it, and says so where it is not there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.actuators.base import Actuator
from pkm_identification.mechanisms.actuators.loops import DriveLoops
from pkm_identification.mechanisms.hexapod.kinematics.assembly.modes import AssemblyModes
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.machine import Machine as HexapodDescription
from pkm_identification.mechanisms.multibody.kinematics import MechanismMotion
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray

from .contract import Machine, Motion


class PlatformPose(Machine, Protocol):
    """A platform with a pose of six coordinates, which decides the drives' coordinates."""

    @property
    def home_pose(self) -> tuple[FloatArray, FloatArray]:
        """Position (3,) in m and rotation (3, 3) at home, in the ground's frame."""

    def compute_pose(self, motion: Motion) -> tuple[FloatArray, FloatArray]:
        """Return positions (N, 3) of the platform's origin and rotations (N, 3, 3) in the ground's frame."""

    def compute_twist(self, motion: Motion) -> tuple[FloatArray, FloatArray]:
        """Return (v, w) and (a, alpha), (N, 6) each, at the platform's origin in the ground's axes."""

    def compute_drive_rates(self, motion: Motion, twist: FloatArray) -> FloatArray:
        """Return rates (N, n) of the drives that twists (N, 6) of the platform make at the places of a motion."""

    def compute_motion_of_pose(
        self, position: FloatArray, rotation: FloatArray, twist: FloatArray, acceleration: FloatArray
    ) -> Motion:
        """Return the motion of poses (N, 3), (N, 3, 3), twists and accelerations (N, 6) each.

        Rows out of reach have the status FAILED.
        """


@dataclass(frozen=True)
class Output:
    """A number with a name that the motion decides: m or rad."""

    name: str
    unit: str


class NamedOutputs(Machine, Protocol):
    """Outputs with names, as many as drives, which decide the drives' coordinates."""

    @property
    def outputs(self) -> tuple[Output, ...]: ...

    def compute_outputs(self, motion: Motion) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return values, rates and accelerations of the outputs, (N, n) each."""

    def compute_motion_of_outputs(
        self, value: FloatArray, rate: FloatArray, acceleration: FloatArray
    ) -> Motion:
        """Return the motion of outputs and their derivatives, (N, n) each; rows out of reach have FAILED."""


class EnergyModel(Machine, Protocol):
    """Kinetic and potential energy linear in the basis."""

    def compute_energy(self, motion: Motion, mapping: FloatArray) -> FloatArray:
        """Return energies (N, P) in J per unit of each column of a mapping (B, P); friction stores none."""

    def compute_dissipation(self, motion: Motion, mapping: FloatArray) -> FloatArray:
        """Return powers (N, P) in W that passive joints' friction takes per unit of each column of a mapping (B, P)."""


class EnumeratedModes(Machine, Protocol):
    """All poses that coordinates of the drives allow, each with a proof."""

    def find_modes(self, coordinate: FloatArray) -> AssemblyModes:
        """Return the assembly modes of coordinates (n,)."""

    def find_proved(self, motion: Motion) -> NDArray[np.bool_]:
        """Return in which rows (N,) a motion is proved to be in home's assembly mode."""


class PostureMeasures(Machine, Protocol):
    """How near a posture is to a singular one, and its passive joints to the limits of their angles."""

    def compute_condition(self, motion: Motion) -> FloatArray:
        """Return condition numbers (N,) of the Jacobian; infinite at a singular posture, and behind one."""

    def compute_joint_use(self, motion: Motion) -> FloatArray:
        """Return angles of passive joints over their limits, (N, k n), the n drives of each kind together."""

    def with_joint_limits(self, limits: Mapping[str, float]) -> PostureMeasures:
        """Return the machine with other limits in rad of some of its passive joints' angles, by what they are called.

        `first` and `second` turn a universal joint's hinges, `swing` leans a spherical one's axis, all from home.
        """


class ElasticDrives(Machine, Protocol):
    """Drives of which something is compliant between the encoder and the mechanism."""

    @property
    def compliance(self) -> FloatArray:
        """Of each drive (n,), m/N or rad/(N m); 0 where nothing is compliant."""


class ActuatedDrives(Machine, Protocol):
    """Drives whose actuators, and the loops in them, the file describes."""

    @property
    def actuators(self) -> tuple[Actuator, ...]:
        """Of each drive (n,)."""

    @property
    def drive_loops(self) -> tuple[DriveLoops, ...]:
        """Loops in each drive (n,); empty where the file has none, or a law that commands all drives."""


class MotionSensors(Machine, Protocol):
    """Sensors in addition to encoders and drives' forces, whose readings the motion decides."""

    @property
    def reading_noise(self) -> FloatArray:
        """Standard deviation of each reading, (R,); infinite of a sensor that the file does not describe."""

    @property
    def reading_bias(self) -> FloatArray:
        """Standard deviation of each reading's unknown offset, (R,); 0 of those without."""

    def compute_readings(self, motion: Motion, values: FloatArray) -> FloatArray:
        """Return the readings (N, R) of a motion, of basis values (B,), offsets and noise apart."""


class HexapodFile(Machine, Protocol):
    """A hexapod's file: six alike struts between a base and a platform."""

    @property
    def description(self) -> HexapodDescription: ...


class BodiesFile(Machine, Protocol):
    """A file of bodies with joints."""

    @property
    def mechanism(self) -> Mechanism: ...

    def wrap_motion(self, moved: MechanismMotion) -> Motion:
        """Return the contract's motion of a mechanism's that has been closed."""

    def compute_end(self, motion: Motion) -> tuple[FloatArray, FloatArray]:
        """Return positions and velocities (N, 3) of a point of the body that loads are fixed to, in the ground."""


Capability = TypeVar("Capability", bound=Machine)
# What is missing, in words: what is needed, and what the machine does not have
_WORDS: dict[type, tuple[str, str]] = {
    PlatformPose: ("a platform with a pose", "names none ('pose' in its file)"),
    NamedOutputs: ("outputs with names", "names none ('outputs' in its file)"),
    EnergyModel: ("a model of the energy", "has none"),
    EnumeratedModes: ("a machine whose assembly modes can be enumerated", "is no hexapod"),
    PostureMeasures: ("a measure of singular postures", "has none"),
    ElasticDrives: ("drives with compliance", "states none ('actuator' in its file)"),
    ActuatedDrives: ("drives with actuators", "states none ('actuator' in its file)"),
    MotionSensors: ("sensors other than encoders and forces", "states none ('sensors' in its file)"),
    HexapodFile: ("a hexapod", "is none"),
    BodiesFile: ("a file of bodies and joints", "has none"),
}


def has(machine: Machine, capability: type[Capability]) -> TypeGuard[Capability]:
    """Return whether a machine has a capability."""
    return capability in machine.capabilities


def require(machine: Machine, capability: type[Capability], asker: str) -> Capability:
    """Return a machine as one with a capability.

    Parameters
    ----------
    machine : Machine
    capability : type
        One of the protocols of this file.
    asker : str
        Who needs it, as messages begin: a command, an option and its value.

    Raises
    ------
    SettingsError
        If it has not: as "workspace: needs a platform with a pose; 'five-bar' names none".
    """
    if not has(machine, capability):
        needed, lacking = _WORDS[capability]
        raise SettingsError(f"{asker}: needs {needed}; '{machine.name}' {lacking}")
    return machine


def platform_of(motion: Motion, time: FloatArray) -> PlatformMotion:
    """Return the platform's motion of a hexapod's motion at stamps (N,)."""
    return PlatformMotion(time, *motion.state)


def motion_of_platform(description: HexapodDescription, platform: PlatformMotion) -> Motion:
    """Return the contract's motion of a platform's: lengths, rates and accelerations of the struts with it."""
    length, rate, acceleration = strut_motion_from_platform(description, platform)
    count = len(platform)
    state: tuple[Any, ...] = (platform.position, platform.rotation, platform.twist, platform.acceleration)
    return Motion(length, rate, acceleration, state, np.zeros(count, dtype=np.uint8), np.zeros(count))
