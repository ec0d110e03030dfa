# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Hexapods in a simulation: platform motions, MuJoCo with the loops closed at the platform, six struts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pkm_identification.document import frozen
from pkm_identification.errors import SettingsError
from pkm_identification.machines.capabilities import motion_of_platform
from pkm_identification.machines.contract import Motion
from pkm_identification.machines.hexapod import Hexapod
from pkm_identification.mechanisms.friction import Friction
from pkm_identification.mechanisms.hexapod.bodies import Platform
from pkm_identification.mechanisms.hexapod.drive import CONTROL
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.joint_friction import JointFriction
from pkm_identification.mechanisms.hexapod.kinematics.forward import forward_kinematics
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths, strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS, TRAJECTORIES, PlatformMotion
from pkm_identification.numerics.arrays import FloatArray

from ..actuated.small_steps import small_step
from ..actuators import DriveConstants, completed_drive
from ..additional_sensors import AdditionalSensors
from ..imperfections.setup import Setup
from ..payload import Payload, load_platform
from ..plant import Plant, PlantState
from ..recording import Truth, column
from ..setpoints import MotionReference, Wanted
from ..trajectories import Trajectory, trajectory

# Limits of references made from single commands, where the machine names none.
DEFAULT_RATE_LIMIT = 0.3  # m/s
COMMAND_SHARE = 0.5  # of the machine's rate limit
COMMAND_ACCELERATION = 2.0  # m/s^2


class HexapodPhysics:
    """See `contract.Physics`."""

    acceleration_limit = COMMAND_ACCELERATION
    start_tolerance = 0.001  # m
    noise_follows_log = False

    def __init__(self, machine: Hexapod) -> None:
        self.machine = machine
        self.description: Machine = machine.description
        self.drives = machine.drives
        self.friction = self.description.friction
        self.actuators, self.control = self.description.actuators or (), self.description.control
        drive = self.description.drive
        self.sample_rate = CONTROL if drive is None else drive.sample_rate
        self.cycles = 1 if drive is None else drive.cycles
        limit = self.description.rate_limit
        self.rate_limit = DEFAULT_RATE_LIMIT if limit is None else COMMAND_SHARE * limit

    def without_friction(self) -> HexapodPhysics:
        return HexapodPhysics(Hexapod(self.description.without_friction()))

    @property
    def has_friction(self) -> bool:
        return self.description.rubs

    def require_struts(self) -> Machine:
        return self.description

    def with_friction(self, friction: Friction) -> Machine:
        return replace(self.description, friction=friction)

    def with_more_joint_friction(self, coulomb: float, viscous: float = 0.0) -> Machine:
        more = JointFriction.alike(coulomb, viscous)
        if (known := self.description.joint_friction) is not None:
            more = replace(known, coefficients=frozen(known.coefficients + more.coefficients))
        return replace(self.description, joint_friction=more)

    def with_turned_gravity(self, rotation: FloatArray) -> Machine:
        return replace(self.description, gravity=rotation @ self.description.gravity)

    @property
    def platform(self) -> Platform:
        return self.description.platform

    def with_platform(self, platform: Platform) -> Machine:
        return replace(self.description, platform=platform)

    def with_moved_joints(self, draw: Callable[[tuple[int, ...]], FloatArray]) -> Machine:
        own, shifts = self.description, draw((2, STRUTS, 3))
        return replace(
            own,
            base_joints=own.base_joints + shifts[0],
            platform_joints=own.platform_joints + shifts[1],
        )

    def with_more_drive_inertia(self, inertia: float) -> Machine:
        drive = completed_drive(self.description)
        at_motor = drive.motor_inertia + inertia / (2 * np.pi * drive.gear_ratio / drive.screw_lead) ** 2
        if at_motor < 0:
            has = self.description.motor_mass
            raise SettingsError(f"'{inertia:g}' kg: the machine has only {has:g} kg to lose")
        return replace(self.description, drive=replace(drive, motor_inertia=float(at_motor)))

    def build_motion(self, name: str | None, duration: float | None, seed: int) -> Trajectory:
        if name is None:
            raise SettingsError(
                f"--trajectory is missing: give one of {', '.join(TRAJECTORIES)}, or a motion file (.yaml)"
            )
        return trajectory(name, self.description, duration, seed)

    def compute_motion(self, motion: Trajectory, time: FloatArray) -> Motion:
        return motion_of_platform(self.description, motion.motion(time))

    def build_reference(self, motion: Trajectory, period: float, feed_forward: bool) -> MotionReference:
        def sample(time: FloatArray) -> tuple[FloatArray, FloatArray]:
            states = motion.motion(time)
            length = strut_lengths(self.description, states.position, states.rotation)
            return length, strut_forces(self.description, states) if feed_forward else np.zeros_like(length)

        def want(time: float) -> Wanted:
            states = motion.motion(np.array([time]))
            length, rate, _ = strut_motion_from_platform(self.description, states)
            return length[0], rate[0]

        return MotionReference(sample, period, want)

    def build_plant(self, setup: Setup, friction: bool, stops: bool) -> Plant:
        step = small_step(self.description, 1.0 / self.sample_rate / self.cycles)
        return Plant(self.description, friction=friction, stops=stops, train=setup.train, small_step=step)

    def build_drive(self, holding: FloatArray) -> DriveConstants:
        return completed_drive(self.description, holding)

    def build_noise(self, seed: int) -> None:
        return None

    def build_additional(self, share: float, seed: int) -> AdditionalSensors:
        return AdditionalSensors(self.description, share, seed)

    def find_start(
        self,
        nominal: Any,
        motion: Trajectory | None,
        true: Callable[[FloatArray], FloatArray],
        right: bool,
    ) -> tuple[FloatArray, ...]:
        wanted = nominal.home_lengths
        if right and np.array_equal(self._lengths_at(nominal), wanted):
            return ()
        poses = forward_kinematics(self.description, true(wanted)[None])
        if not poses.found[0]:
            raise SettingsError("faults: no pose has the lengths that the encoders measure at home")
        return poses.position[0], poses.rotation[0]

    @property
    def home_lengths(self) -> FloatArray:
        """Strut lengths (6,) at home, m."""
        return self._lengths_at(self)

    def _lengths_at(self, other: HexapodPhysics) -> FloatArray:
        """Return strut lengths (6,) of this machine at another's home."""
        home = other.description.home_position, other.description.home_rotation
        return self.compute_coordinates(*home)

    def compute_typical_force(self, motion: Trajectory) -> FloatArray:
        time = np.arange(0.0, min(motion.duration, 20.0), 0.01)
        force = strut_forces(self.description, motion.motion(time))
        return np.sqrt(np.mean(force**2, axis=0))

    def compute_coordinates(self, position: FloatArray, rotation: FloatArray) -> FloatArray:
        pose = np.asarray(position, dtype=float)[None], np.asarray(rotation, dtype=float)[None]
        return strut_lengths(self.description, *pose)[0]

    def find_pose(self, state: PlantState) -> tuple[FloatArray, FloatArray]:
        return state.position, state.rotation

    def load_platform(self, plant: Plant, payload: Payload | None, share: float) -> None:
        platform = self.description.platform
        if share != 1.0:
            platform = replace(platform, mass=share * platform.mass, inertia=share * platform.inertia)
        plant.exchange_platform(platform if payload is None else load_platform(platform, payload))

    def collect_truth(self, states: Sequence[PlantState]) -> Truth:
        motion = PlatformMotion(
            time=column(states, "time"),
            position=column(states, "position", 3),
            rotation=column(states, "rotation", 3, 3),
            twist=column(states, "twist", 6),
            acceleration=column(states, "acceleration", 6),
        )
        parts = (column(states, name, STRUTS) for name in ("length", "rate", "force", "resistance"))
        return Truth(motion, *parts)
