# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a simulated machine has of its own; everything else about a run is the same for all machines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from pkm_identification.machines.contract import Drive, Machine, Motion
from pkm_identification.mechanisms.actuators.base import Actuator
from pkm_identification.mechanisms.actuators.control_section import MachineControl
from pkm_identification.mechanisms.friction import Friction
from pkm_identification.mechanisms.hexapod.bodies import Platform
from pkm_identification.numerics.arrays import FloatArray

from ..actuated.plant import ActuatedPlant
from ..actuators import DriveConstants
from ..imperfections.setup import Setup
from ..recording import Truth
from ..setpoints import MotionReference


class AdditionalReadings(Protocol):
    """Sensors other than encoders and currents."""

    def imu(self, state: Any) -> FloatArray | None:
        """Return specific force and angular rate (6,); None without an IMU."""

    def force(self, state: Any) -> FloatArray | None:
        """Return readings of force sensors (n,); None without them."""


class Physics(Protocol):
    """A machine of some kind as a simulation needs it.

    Attributes
    ----------
    description : Machine or Mechanism
        What the file says.
    machine : Machine of the contract
    drives : tuple of Drive, length n
    friction : Friction
        Of the drives.
    actuators : tuple of Actuator
        Of the drives that have states.
    control : MachineControl or None
        Of the file.
    sample_rate : float
        Of the drives' reports, Hz.
    cycles : int
        How often between two reports the loops of the drives close.
    rate_limit : float or ndarray, shape (n,)
        m/s or rad/s, of references made from single commands.
    acceleration_limit : float or ndarray, shape (n,)
    start_tolerance : float or ndarray, shape (n,)
        m or rad, between the drives and the start of a motion.
    noise_follows_log : bool
        Whether noise of a log made at once refers to that log's own forces; else to the nominal machine's.
    """

    description: Any
    machine: Machine
    drives: tuple[Drive, ...]
    friction: Friction
    actuators: tuple[Actuator, ...]
    control: MachineControl | None
    sample_rate: float
    cycles: int
    rate_limit: float | FloatArray
    acceleration_limit: float | FloatArray
    start_tolerance: float | FloatArray
    noise_follows_log: bool

    def without_friction(self) -> Physics:
        """Return the same machine without friction."""

    @property
    def has_friction(self) -> bool:
        """Whether drives or joints have friction."""

    def require_struts(self) -> Any:
        """Return the description of a machine on six struts; raises SettingsError where drives are no struts."""

    def with_friction(self, friction: Friction) -> Any:
        """Return the description with other friction of its drives."""

    def with_more_joint_friction(self, coulomb: float, viscous: float = 0.0) -> Any:
        """Return it with more friction in all passive joints, N m (N of those that slide) and per rad/s."""

    def with_turned_gravity(self, rotation: FloatArray) -> Any:
        """Return it with gravity turned by a rotation (3, 3)."""

    @property
    def platform(self) -> Platform:
        """The body that loads are fixed to, about its centre of mass."""

    def with_platform(self, platform: Platform) -> Any:
        """Return the description with another body in its place."""

    def with_moved_joints(self, draw: Callable[[tuple[int, ...]], FloatArray]) -> Any:
        """Return it with joints elsewhere: `draw` gives shifts in m of a shape that ends in coordinates."""

    def with_more_drive_inertia(self, inertia: float) -> Any:
        """Return it with more inertia along each drive, kg or kg m^2; raises SettingsError where it has less."""

    def build_motion(self, name: str | None, duration: float | None, seed: int) -> Any:
        """Return a motion by its name, of a motion file or, unless named, of the machine's; raises SettingsError."""

    def compute_motion(self, motion: Any, time: FloatArray) -> Motion:
        """Return the machine's motion at times (N,) of a motion; raises PkmError where it cannot follow."""

    def build_reference(self, motion: Any, period: float, feed_forward: bool) -> MotionReference:
        """Return what the drives should do in a motion, sample by sample."""

    def build_plant(self, setup: Setup, friction: bool, stops: bool) -> ActuatedPlant:
        """Return the plant of a setup of this machine."""

    def build_drive(self, holding: FloatArray) -> DriveConstants:
        """Return the constants of encoders and motors; `holding` forces (n,) at home for what the file leaves out."""

    def build_noise(self, seed: int) -> np.random.Generator | None:
        """Return the source of the forces' noise; None: that of `Sensors`."""

    def build_additional(self, share: float, seed: int) -> AdditionalReadings:
        """Return the sensors other than encoders and currents; `share` of their noise and biases."""

    def find_start(
        self, nominal: Any, motion: Any, true: Callable[[FloatArray], FloatArray], right: bool
    ) -> tuple[Any, ...]:
        """Return what `reset` of the plant takes, so that encoders show where the nominal machine begins.

        `true` turns coordinates (n,) that encoders show into true ones; `right` encoders show the true ones.
        """

    def compute_typical_force(self, motion: Any) -> FloatArray:
        """Return the rms (n,) of the drives' forces in a motion, or in its first 20 s."""

    def compute_coordinates(self, position: FloatArray, rotation: FloatArray) -> FloatArray:
        """Return the drives' coordinates (n,) of a pose of the platform; raises SettingsError where none has one."""

    def find_pose(self, state: Any) -> tuple[FloatArray, FloatArray]:
        """Return position (3,) and rotation (3, 3) of the platform in a true state; of machines with a pose."""

    def load_platform(self, plant: Any, payload: Any, share: float) -> None:
        """Let the plant's platform be `share` times its mass and inertia, and carry a payload or None."""

    def collect_truth(self, states: Sequence[Any]) -> Truth:
        """Return the true states at the samples."""
