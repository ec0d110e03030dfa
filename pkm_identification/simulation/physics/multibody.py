# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Bodies with joints and loops in a simulation: motions of the drives, MuJoCo's open tree with the loops closed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from pkm_identification.errors import MotionRefused, SettingsError
from pkm_identification.machines.contract import Motion
from pkm_identification.machines.multibody import Multibody
from pkm_identification.mechanisms.friction import Friction
from pkm_identification.mechanisms.hexapod.bodies import Platform
from pkm_identification.mechanisms.hexapod.drive import CONTROL
from pkm_identification.mechanisms.multibody import dynamics
from pkm_identification.mechanisms.multibody.description.parts import compute_central_moments
from pkm_identification.mechanisms.multibody.kinematics import (
    MechanismMotion,
    body_poses,
    close_drives,
    close_pose,
    motion_of_drives,
    read,
)
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.mechanisms.multibody.numbers.exact import ZERO, ExactVector
from pkm_identification.mechanisms.rigid_bodies import parallel_axes
from pkm_identification.numerics.arrays import FloatArray

from ..actuators import ExactDrives
from ..imperfections.setup import Setup
from ..multibody.motions import DriveMotion, build_motion
from ..multibody.plant import MechanismPlant, MechanismState
from ..payload import Payload
from ..recording import Truth, column
from ..setpoints import MotionReference, Wanted

# Of references made from single commands, per s and s^2: a large change in a third of a second
_RATE, _ACCELERATION = 3.0, 20.0
COMMAND_SHARE = 0.5  # of the rate that the file allows
_START_SHARE = 0.01  # of a large change
_GRID = 0.01  # s, of samples whose forces are typical
_TYPICAL = 20.0  # s


class MultibodyPhysics:
    """See `contract.Physics`."""

    cycles = 1
    noise_follows_log = True

    def __init__(self, machine: Multibody) -> None:
        self.machine = machine
        self.description: Mechanism = machine.mechanism
        self.drives = machine.drives
        self.friction = self.description.description.friction
        self.actuators = self.description.description.actuators or ()
        self.control = self.description.description.control
        self.sample_rate = CONTROL if machine.sample_rate is None else machine.sample_rate
        size = np.array([drive.size for drive in self.drives])
        rated = COMMAND_SHARE * np.array([drive.rated_rate for drive in self.drives])
        self.rate_limit, self.acceleration_limit = np.minimum(_RATE * size, rated), _ACCELERATION * size
        self.start_tolerance = _START_SHARE * size

    def _rebuild(self, **changed: Any) -> Mechanism:
        return Mechanism.of(replace(self.description.description, **changed))

    def without_friction(self) -> MultibodyPhysics:
        joints = self.description.description.joints
        smooth = tuple(replace(joint, viscous=ZERO, coulomb=ZERO) for joint in joints)
        return MultibodyPhysics(Multibody(self._rebuild(friction=self.friction.without(), joints=smooth)))

    @property
    def has_friction(self) -> bool:
        return self.friction.acts or self.description.passive_friction is not None

    def require_struts(self) -> Mechanism:
        raise SettingsError(f"needs a hexapod; '{self.description.name}' is none")

    def with_friction(self, friction: Friction) -> Mechanism:
        return self._rebuild(friction=friction)

    def with_more_joint_friction(self, coulomb: float, viscous: float = 0.0) -> Mechanism:
        description = self.description.description
        driven = {name for drive in description.drives for name in drive.measure.joints}
        dry, wet = Fraction(coulomb), Fraction(viscous)
        return self._rebuild(
            joints=tuple(
                joint
                if joint.name in driven or joint.type == "fixed"
                else replace(joint, coulomb=joint.coulomb + dry, viscous=joint.viscous + wet)
                for joint in description.joints
            )
        )

    def with_turned_gravity(self, rotation: FloatArray) -> Mechanism:
        gravity = rotation @ FLOAT64.array(self.description.description.gravity)
        return self._rebuild(gravity=tuple(Fraction(float(part)) for part in gravity))

    @property
    def platform(self) -> Platform:
        body = self.description.description.bodies[self.machine.payload_body]
        mass, first, inertia = compute_central_moments(body)
        return Platform(mass, first / mass if mass > 0.0 else first, inertia)

    def with_platform(self, platform: Platform) -> Mechanism:
        bodies, number = list(self.description.description.bodies), self.machine.payload_body
        inertia = platform.inertia + parallel_axes(platform.mass, platform.center_of_mass)
        first, products = platform.mass * platform.center_of_mass, inertia[[0, 0, 1], [1, 2, 2]]
        numbers = [platform.mass, *first, *np.diag(inertia), *products]
        parameters = tuple(Fraction(float(one)) for one in numbers)
        bodies[number] = replace(bodies[number], parameters=parameters)
        return self._rebuild(bodies=tuple(bodies))

    def with_moved_joints(self, draw: Callable[[tuple[int, ...]], FloatArray]) -> Mechanism:
        description = self.description.description
        shifts = draw((len(description.joints), 2, 3))
        if all(body.planar for body in description.bodies):
            shifts[:, :, 2] = 0.0  # out of its plane it would not close
        return self._rebuild(
            joints=tuple(
                replace(
                    joint,
                    place=(_shift_point(joint.place[0], shift[0]), _shift_point(joint.place[1], shift[1])),
                )
                for joint, shift in zip(description.joints, shifts, strict=True)
            )
        )

    def with_more_drive_inertia(self, inertia: float) -> Mechanism:
        drives = self.description.description.drives
        drives = tuple(replace(drive, inertia=drive.inertia + Fraction(inertia)) for drive in drives)
        sizes = FLOAT64.array([drive.inertia for drive in drives])
        least = int(np.argmin(sizes))
        if sizes[least] < 0:
            has = sizes[least] - inertia
            raise SettingsError(f"'{inertia:g}': drive '{drives[least].name}' has only {has:g} to lose")
        return self._rebuild(drives=drives)

    def build_motion(self, name: str | None, duration: float | None, seed: int) -> DriveMotion:
        return build_motion(name, self.description, duration, seed)

    def compute_motion(self, motion: DriveMotion, time: FloatArray) -> Motion:
        return self.machine.wrap_motion(_move(self.description, motion, time, None))

    def build_reference(self, motion: DriveMotion, period: float, feed_forward: bool) -> MotionReference:
        near: FloatArray | None = None

        def sample(time: FloatArray) -> tuple[FloatArray, FloatArray]:
            nonlocal near
            states = _move(self.description, motion, time, near)
            near = states.configuration[-2:-1]  # where the next block begins
            if not feed_forward:
                return states.drive, np.zeros_like(states.drive)
            return states.drive, dynamics.forces(self.description, states)

        def want(time: float) -> Wanted:
            coordinate, rate, _ = motion.drives(np.array([time]))
            return coordinate[0], rate[0]

        return MotionReference(sample, period, want, begins_at_rest=not np.any(want(0.0)[1]))

    def build_plant(self, setup: Setup, friction: bool, stops: bool) -> MechanismPlant:
        train, own = setup.train, self.description.description
        if train.acts and own.actuators is not None:  # of whose drives friction is a law's
            mechanism = Mechanism.of(replace(own, friction=train.change_law(own.friction)))
            return MechanismPlant(mechanism, friction, stops)
        return MechanismPlant(self.description, friction, stops, train=train)

    def build_drive(self, holding: FloatArray) -> ExactDrives:
        return ExactDrives(np.zeros(len(self.drives)))

    def build_noise(self, seed: int) -> np.random.Generator:
        return np.random.default_rng(seed)

    def build_additional(self, share: float, seed: int) -> NoReadings:
        return NoReadings()

    def find_start(
        self,
        nominal: Any,
        motion: DriveMotion | None,
        true: Callable[[FloatArray], FloatArray],
        right: bool,
    ) -> tuple[Any, ...]:
        wanted, rate, _ = nominal.find_home(motion)
        start = true(wanted)[None]
        return close_drives(self.description, start).required(start, "drives")[0], rate

    def find_home(self, motion: DriveMotion | None) -> tuple[FloatArray, ...]:
        """Return coordinates (n,), rates and accelerations at the start of a motion, or at home."""
        if motion is not None:
            return tuple(part[0] for part in motion.drives(np.zeros(1)))
        home = read(self.description, "drives", self.description.home)[0]
        return home, np.zeros_like(home), np.zeros_like(home)

    def compute_typical_force(self, motion: DriveMotion) -> FloatArray:
        time = np.arange(0.0, min(motion.duration, _TYPICAL) + _GRID, _GRID)
        states = _move(self.description, motion, time, None)
        return np.sqrt(np.mean(dynamics.forces(self.description, states) ** 2, axis=0))

    def compute_coordinates(self, position: FloatArray, rotation: FloatArray) -> FloatArray:
        pose = np.asarray(position, dtype=float)[None], np.asarray(rotation, dtype=float)[None]
        closed = close_pose(self.description, *pose).required(pose[0], "pose")
        return read(self.description, "drives", closed)[0]

    def find_pose(self, state: MechanismState) -> tuple[FloatArray, FloatArray]:
        rotation, position = body_poses(self.description, state.configuration[None])
        names = [one.name for one in self.description.description.bodies]
        number = names.index(self.description.description.pose or "")
        return position[0, number], rotation[0, number]

    def load_platform(self, plant: MechanismPlant, payload: Payload | None, share: float) -> None:
        plant.load_platform(payload, share)

    def collect_truth(self, states: Sequence[MechanismState]) -> Truth:
        count = len(self.drives)
        names = ("coordinate", "rate", "force", "resistance", "acceleration")
        return Truth(None, *(column(states, name, count) for name in names))


def _shift_point(position: ExactVector, shift: FloatArray) -> ExactVector:
    """Return a joint's place (3) moved by (3,), m."""
    return tuple(own + Fraction(float(more)) for own, more in zip(position, shift, strict=True))


class NoReadings:
    """Of a machine without sensors other than encoders and currents."""

    def imu(self, state: Any) -> None:
        """Return None: there is no IMU."""

    def force(self, state: Any) -> None:
        """Return None: there are no force sensors."""


def _move(
    mechanism: Mechanism, motion: DriveMotion, time: FloatArray, near: FloatArray | None
) -> MechanismMotion:
    """Return a mechanism's motion at times (N,), from near a configuration (1, Q); MotionRefused names the instant."""
    drives = motion.drives(time)
    closed = close_drives(mechanism, drives[0], near)
    if not closed.found.all():
        row = int(np.argmin(closed.found))
        values = ", ".join(f"{value:.4g}" for value in drives[0][row])
        raise MotionRefused(
            f"trajectory '{motion.name}': at {time[row]:.3f} s: drives ({values}): {closed.reason(row)}"
        )
    return motion_of_drives(mechanism, *drives, near)
