# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The simulated hexapod: MuJoCo's rigid bodies with the loops closed exactly, and friction along the struts."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.errors import NotConverged, SettingsError
from pkm_identification.mechanisms.actuators.base import Actuator
from pkm_identification.mechanisms.actuators.row import MOST_STATES
from pkm_identification.mechanisms.friction import padded_coefficients
from pkm_identification.mechanisms.hexapod.bodies import Platform
from pkm_identification.mechanisms.hexapod.dynamics.joint_friction import compute_joint_rates
from pkm_identification.mechanisms.hexapod.joint_friction import JointFriction
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import build_quaternion_from_matrix

from .actuated.drives import STEP, ActuatorDrives
from .actuated.plant import ActuatedPlant
from .actuated.stepping import Dynamics, Motion
from .imperfections.drive_train import NO_TRAIN, DriveTrain
from .imperfections.setup import TrainErrors
from .imperfections.train_stepping import JointAxes, Present
from .loops.closure import Closure, close_loops, reduce_dynamics
from .loops.platform_hinge import PlatformHinge
from .model import build_hexapod_model, set_platform
from .mujoco_library import mujoco
from .resistance import Resistance, resist

# An end stop yields as if the strut's apparent mass swung on it at this frequency (rad/s), well damped.
STOP_FREQUENCY = 2 * np.pi * 60.0


@dataclass(frozen=True)
class PlantState:
    """The machine's true state at one instant, in SI units and base axes.

    Attributes
    ----------
    time : float
        s since the start.
    position, quaternion, rotation : ndarray, shapes (3,), (4,) and (3, 3)
        Platform pose; quaternion (x, y, z, w).
    twist, acceleration : ndarray, shape (6,)
        Of the platform frame's origin: (v, w) and (a, alpha).
    length, rate : ndarray, shape (6,)
        Of the struts, m and m/s.
    force : ndarray, shape (6,)
        Drive force in N, what moves bodies and overcomes friction.
    resistance : ndarray, shape (6,)
        Friction (and end stops, where a strut is in one), N.
    rubbing : ndarray, shape (6,)
        The part of it that stands for friction of the joints, which are moments and no forces along the struts.
    """

    time: float
    position: FloatArray
    quaternion: FloatArray
    rotation: FloatArray
    twist: FloatArray
    acceleration: FloatArray
    length: FloatArray
    rate: FloatArray
    force: FloatArray
    resistance: FloatArray
    rubbing: FloatArray

    @property
    def coordinate(self) -> FloatArray:
        """Of the drives: the lengths."""
        return self.length


class Plant(ActuatedPlant):
    """A hexapod that moves under drive forces.

    Parameters
    ----------
    machine : Machine
        Its parameters are the truth of this plant.
    friction : bool
        Whether struts and joints have the machine's friction.
    stops : bool
        Whether stiff end stops keep the struts within the machine's length limits. They act only beyond them.
    steps : int
        Small steps per call of `advance`, for friction and stops.
    train : TrainErrors, optional
        Friction and elasticity that no machine file describes.
    small_step : float
        s, of machines whose drives have states; calls of `advance` last a whole number of them.

    Raises
    ------
    NotConverged
        From `reset` and `advance`, when the machine is in, or runs through, a singular pose.
    """

    def __init__(
        self,
        machine: Machine,
        friction: bool = True,
        stops: bool = True,
        steps: int = 10,
        train: TrainErrors | None = None,
        small_step: float = STEP,
    ) -> None:
        self.machine = machine
        motor_mass = 0.0
        train = TrainErrors() if train is None else train
        built = machine
        if train.compliance > 0.0 and machine.drive is not None:
            # what turns with the motors is on the other side of the springs
            motor_mass = machine.motor_mass
            built = replace(machine, drive=replace(machine.drive, motor_inertia=0.0))
        compiled = build_hexapod_model(built)
        self.mjcf = compiled.mjcf
        self.model = compiled.model
        self.data = mujoco.MjData(self.model)
        self._frames = compiled.frames
        self._steps = steps
        self._base = np.ascontiguousarray(machine.base_joints)
        self._platform = np.ascontiguousarray(machine.platform_joints)
        self._qpos, self._qvel, self._bias = self.data.qpos, self.data.qvel, self.data.qfrc_bias
        self._mass = np.zeros((self.model.nv, self.model.nv))
        self._sites = np.array(
            [[self.model.site(f"{name}_{i + 1}").id for i in range(STRUTS)] for name in ("tip", "joint")]
        )

        self._hinge: PlatformHinge | None = None
        if machine.hinged_platform:
            self._hinge = PlatformHinge(machine.first_axes, (self._base, self._platform), self._frames)

        self._platform_exchanged = False
        self.time = 0.0
        self._configuration = np.zeros(7)
        self._velocity = np.zeros(6)
        self._force = np.zeros((2, STRUTS))
        self._rotation = np.zeros((3, 3))
        self._inverse_tip = np.zeros((STRUTS, 3, 3))
        self._bias_rates = np.zeros((STRUTS, 3))
        # dynamics at the start and at the end of a period
        self._length = np.zeros((2, STRUTS))
        self._ends = Dynamics(np.zeros((2, 6)), np.zeros((2, 6, STRUTS)), np.zeros((2, STRUTS, 6)))

        acting = machine.friction if friction else machine.friction.without()
        self._coefficients = padded_coefficients(acting.coefficients.ravel(), STRUTS)
        self._resistance = Resistance(
            np.vstack([acting.laws, acting.laws[:1]]),
            self._coefficients.copy(),
            np.zeros((4, STRUTS)),
            np.full(STRUTS, -1),
        )
        self.reset()
        self.apparent_mass = (
            1.0 / np.sum(self._ends.jacobian[0] * self._ends.compliance[0].T, axis=1) + motor_mass
        )
        """Mass in kg each strut's drive feels at home when the other struts are free."""
        if stops:
            shortest, longest = machine.length_limits
            rows = (
                np.full(STRUTS, shortest),
                np.full(STRUTS, longest),
                self.apparent_mass * STOP_FREQUENCY**2,
                self.apparent_mass * STOP_FREQUENCY,
            )
            self._resistance = self._resistance._replace(stops=np.array(rows))
        joints = machine.joint_friction if friction else None
        self._rubs = joints is not None and joints.acts
        if train.acts or self._rubs:
            self._train = DriveTrain(
                acting,
                train if friction else replace(train, by_load=0.0),
                _list_joint_axes(machine, joints if self._rubs else None),
                apparent_mass=self.apparent_mass,
                motor_mass=np.full(STRUTS, motor_mass),
                stops=self._resistance.stops,
                home=self.length,
            )
            self.reset()
        if machine.actuators is not None:
            self._build_actuators(machine.actuators, small_step)

    def _build_actuators(self, actuators: tuple[Actuator, ...], step: float) -> None:
        if self._train is not None:
            raise SettingsError(NO_TRAIN.format(self.machine.name))
        self.actuated = ActuatorDrives.of(actuators, self.machine.control, step)
        self._settle()

    def reset(
        self,
        position: FloatArray | None = None,
        rotation: FloatArray | None = None,
        twist: FloatArray | None = None,
        force: FloatArray | None = None,
        time: float = 0.0,
    ) -> None:
        """Put the machine's own platform somewhere: by default at home, at rest, without drive forces."""
        if self._platform_exchanged:
            set_platform(self.model, self.machine.platform)
            self._platform_exchanged = False
        position = self.machine.home_position if position is None else position
        rotation = self.machine.home_rotation if rotation is None else rotation
        self.scale_friction(1.0)
        self._configuration[:3] = position
        self._configuration[3:] = np.roll(build_quaternion_from_matrix(rotation), 1)
        self._velocity[:] = 0.0 if twist is None else twist
        self._force[:] = 0.0 if force is None else force
        self.time = time
        self._evaluate(0, self._configuration, self._velocity)
        self._settle()

    def _start_motion(self) -> Motion:
        pose, twist = self._configuration.copy(), self._velocity.copy()
        return Motion(pose, self.length, twist, np.zeros((0, MOST_STATES)))

    def _close(self, motion: Motion) -> FloatArray:
        return motion.pose

    def _accept(self, motion: Motion) -> None:
        self._length[0] = self._length[1]
        super()._accept(motion)

    def exchange_platform(self, platform: Platform) -> None:
        """Go on with another platform body at the present pose and twist: a load taken up or set down."""
        set_platform(self.model, platform)
        self._platform_exchanged = True
        self._evaluate(0, self._configuration, self._velocity)

    def _evaluate(self, end: int, configuration: FloatArray, velocity: FloatArray) -> None:
        pose, twist = configuration, velocity
        free, compliance, jacobian = (part[end] for part in self._ends)
        closure = tuple(
            Closure(self._rotation, self._inverse_tip, self._bias_rates, jacobian, self._length[end])
        )
        if self._hinge is not None:
            regular = self._hinge.evaluate(
                self.model, self.data, pose, twist, Closure(*closure), free, compliance
            )
        else:
            close_loops(
                (self._base, self._platform), self._frames, pose, twist, (self._qpos, self._qvel), closure
            )
            mujoco.mj_fwdPosition(self.model, self.data)
            mujoco.mj_fwdVelocity(self.model, self.data)
            mujoco.mj_fullM(self.model, self.data, self._mass)
            regular = reduce_dynamics(self._mass, self._bias, self._platform, closure, free, compliance)
        if self._train is not None and self._rubs:
            rows = compute_joint_rates(self.machine, pose[:3], self._rotation).reshape(-1, 6)
            self._train.evaluate(end, rows @ np.linalg.inv(jacobian))
        if not (regular and np.isfinite(free[0])):
            raise NotConverged(
                f"simulated machine '{self.machine.name}' left its regular workspace at {self.time:.3f} s "
                f"(lengths {np.round(self._length[end], 4).tolist()} m)"
            )

    @property
    def length(self) -> FloatArray:
        """Strut lengths in m, shape (6,)."""
        return self._length[0].copy()

    @property
    def coordinate(self) -> FloatArray:
        """Strut lengths in m, shape (6,)."""
        return self.length

    @property
    def state(self) -> PlantState:
        """Everything about this instant."""
        free, compliance, jacobian = (part[0] for part in self._ends)
        rate, rubbing = jacobian @ self._velocity, np.zeros(STRUTS)
        resistance, slope, stiffness = np.zeros((3, STRUTS))
        if self._train is None:
            resist(rate, self._length[0], self._resistance, resistance, slope, stiffness)
        else:
            present = Present(rate, resistance, rubbing)
            self._train.present(self._velocity, self._length[0], jacobian, self._force[0], present)
        acceleration = free + compliance @ (self._force[0] - resistance)
        return PlantState(
            time=self.time,
            position=self._configuration[:3].copy(),
            quaternion=self._configuration[[4, 5, 6, 3]],
            rotation=self._rotation.copy(),
            twist=self._velocity.copy(),
            acceleration=acceleration,
            length=self.length,
            rate=rate,
            force=self.force,
            resistance=resistance,
            rubbing=rubbing,
        )

    @property
    def loop_gap(self) -> float:
        """Largest distance in m between a strut's tip and its platform joint, both as MuJoCo places them."""
        places = self.data.site_xpos
        gap = places[self._sites[0]] - places[self._sites[1]]
        return math.sqrt((gap * gap).sum(axis=1).max())

    @property
    def energy(self) -> float:
        """Kinetic plus potential energy of the thirteen bodies in J, by MuJoCo."""
        mujoco.mj_energyPos(self.model, self.data)
        mujoco.mj_energyVel(self.model, self.data)
        return float(self.data.energy.sum())


def _list_joint_axes(machine: Machine, joints: JointFriction | None) -> JointAxes:
    """Return the friction of all joints' axes, in the order of `compute_joint_rates`; of none without any."""
    if joints is None:
        return JointAxes(np.zeros((2, 0)), np.zeros(0, dtype=np.int64), np.ones(1))
    coulomb, viscous = (joints.coefficients[rows].T.ravel().repeat(3) for rows in ([0, 2], [1, 3]))
    hinged = np.tile([machine.base_joint == "universal", machine.hinged_platform], STRUTS)
    first = np.where(hinged, -1, 3 * np.arange(2 * STRUTS)).repeat(3)
    return JointAxes(np.array([viscous, coulomb]), first, np.array([joints.transition_rate]))
