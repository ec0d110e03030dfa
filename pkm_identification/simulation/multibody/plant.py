# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The simulated mechanism: MuJoCo's open tree with the loops closed exactly, friction of drives and passive joints.

With v = B s' the tree's velocities per unit of the driven ones and a_0 its accelerations while s'' = 0, the closed
mechanism moves by

    B^T M B s'' = force - friction - B^T (h + M a_0),

M and h being MuJoCo's for the open tree. The driven coordinates are integrated and the loops closed again from them
(`kernels.closing`), so that nothing drifts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.errors import NotConverged, SettingsError
from pkm_identification.mechanisms.actuators.row import MOST_STATES
from pkm_identification.mechanisms.friction import padded_coefficients
from pkm_identification.mechanisms.friction.law import TRANSITION
from pkm_identification.mechanisms.hexapod.bodies import Platform
from pkm_identification.mechanisms.multibody.description.parts import compute_central_moments
from pkm_identification.mechanisms.multibody.dynamics import drive_inertia
from pkm_identification.mechanisms.multibody.joint_friction import compute_rubbing_rates
from pkm_identification.mechanisms.multibody.kernels.closing import (
    NO_PIVOT,
    Readings,
    close,
    compute_complete_motion,
)
from pkm_identification.mechanisms.multibody.kernels.codes import DEGRADED, OK
from pkm_identification.mechanisms.multibody.kinematics import read
from pkm_identification.mechanisms.multibody.mechanism import Mechanism, room_to_close
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.mechanisms.multibody.setpoints import find_payload_body
from pkm_identification.numerics.arrays import FloatArray, contiguous

from ..actuated.drives import STEP, ActuatorDrives
from ..actuated.plant import ActuatedPlant
from ..actuated.stepping import Dynamics, Motion
from ..imperfections.drive_train import NO_TRAIN, DriveTrain
from ..imperfections.setup import TrainErrors
from ..imperfections.train_stepping import JointAxes, Present
from ..model import copy_bodies, restore_bodies, set_platform
from ..payload import Payload, load_platform
from ..plant import STOP_FREQUENCY
from ..resistance import COULOMB, VISCOUS, Resistance, resist
from .open_tree import OpenTree
from .reduction import TreeState, reduce_tree


@dataclass(frozen=True)
class MechanismState:
    """The true state at one instant; driven coordinates in m or rad, forces in N or N m.

    Attributes
    ----------
    time : float
        s since the start.
    configuration : ndarray, shape (Q,)
        Coordinates of the tree.
    coordinate, rate, acceleration : ndarray, shape (n,)
        Of the drives.
    force : ndarray, shape (n,)
        What the drives do to bodies and against friction.
    resistance : ndarray, shape (n,)
        Friction and end stops of the drives.
    """

    time: float
    configuration: FloatArray
    coordinate: FloatArray
    rate: FloatArray
    acceleration: FloatArray
    force: FloatArray
    resistance: FloatArray


class MechanismPlant(ActuatedPlant):
    """A mechanism that moves under drive forces.

    Parameters
    ----------
    mechanism : Mechanism
        In float64; its parameters are the truth of this plant.
    friction : bool
        Whether drives and passive joints have the mechanism's friction.
    stops : bool
        Whether stiff end stops keep the drives within their limits. They act only beyond them.
    steps : int
        Small steps per call of `advance`, for friction and stops.
    small_step : float
        s, of drives that have states; calls of `advance` then last a whole number of them.
    train : TrainErrors, optional
        Friction and elasticity of the drives that no machine file describes.

    Raises
    ------
    SettingsError
        If the mechanism is not in float64.
    NotConverged
        From `reset` and `advance`, when the mechanism is in, or runs through, a singular configuration.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        friction: bool = True,
        stops: bool = True,
        steps: int = 10,
        small_step: float = STEP,
        train: TrainErrors | None = None,
    ) -> None:
        if mechanism.arithmetic != FLOAT64:
            raise SettingsError("a simulated mechanism is in float64")
        self.mechanism = mechanism
        self.tree = OpenTree(mechanism)
        self._steps = steps
        self._drives = mechanism.degrees_of_freedom
        self._tasks = mechanism.task_rows("drives")
        train = TrainErrors() if train is None else train
        inertia = drive_inertia(mechanism)
        # of elastic drives it is on the other side of the springs
        motor_mass = inertia if train.compliance > 0.0 else np.zeros_like(inertia)
        self._inertia = inertia - motor_mass
        self._rubbing, self._resistance = _list_friction_axes(mechanism, friction)
        self._coefficients = self._resistance.coefficients.copy()
        self._closed = room_to_close(mechanism, 1)
        self._limits, self._no_turn = mechanism.limits(0), np.eye(3)[None]
        self._units = np.vstack([np.eye(self._drives), np.zeros(self._drives)])
        self._still, nothing = np.zeros_like(self._units), np.zeros((self._drives + 1, 0))
        self._no_readings = Readings(np.zeros(0, dtype=np.int64), nothing, nothing, nothing)
        # velocities and accelerations of the tree for a unit of each rate and in the motion, and their pivots
        self._completed = (
            *np.zeros((2, self._drives + 1, mechanism.tree.velocities)), np.zeros(self._drives + 1)
        )  # fmt: skip
        axes = self._drives + len(self._rubbing)
        self._ends = Dynamics(
            np.zeros((2, self._drives)),
            np.zeros((2, self._drives, axes)),
            np.zeros((2, axes, self._drives)),
        )
        self._force = np.zeros((2, self._drives))
        self._side = 0
        self._bodies, self._platform_exchanged = copy_bodies(self.tree.model), False
        self.reset()
        self.apparent_mass = motor_mass + 1.0 / np.einsum(
            "ii->i", self._ends.compliance[0, :, : self._drives]
        )
        """kg or kg m^2 that each drive feels at home when the others are free."""
        if stops:
            self._resistance = self._resistance._replace(stops=_build_stops(mechanism, self.apparent_mass))
        actuators, control = mechanism.description.actuators, mechanism.description.control
        if train.acts:
            if actuators is not None:
                raise SettingsError(NO_TRAIN.format(mechanism.name))
            own = mechanism.description.friction
            joints = self._rubbing_axes()
            self._train = DriveTrain(
                own if friction else own.without(),
                train if friction else replace(train, by_load=0.0),
                joints,
                apparent_mass=self.apparent_mass,
                motor_mass=motor_mass,
                stops=self._resistance.stops,
                home=self.coordinate,
            )
            self.reset()
        if actuators is not None:
            self.actuated = ActuatorDrives.of(actuators, control, small_step)
            self._settle()

    def reset(
        self,
        configuration: FloatArray | None = None,
        rate: FloatArray | None = None,
        force: FloatArray | None = None,
        time: float = 0.0,
    ) -> None:
        """Put the mechanism into a closed configuration (Q,): by default home, at rest, without drive forces.

        Its platform is that of the file again.
        """
        if self._platform_exchanged:
            restore_bodies(self.tree.model, self._bodies)
            self._platform_exchanged = False
        home = self.mechanism.home
        self._configuration = np.array(home if configuration is None else configuration, dtype=float)
        self._coordinate = read(self.mechanism, "drives", self._configuration)[0]
        self._velocity = np.zeros(self._drives) if rate is None else np.array(rate, dtype=float)
        self._force[:] = 0.0 if force is None else force
        self.time = time
        self._side = 0
        self._evaluate(0, self._configuration, self._velocity)
        self._settle()

    def _rubbing_axes(self) -> JointAxes:
        """Return the friction of the passive joints' axes."""
        count, triple = self._drives, self._resistance.triple[self._drives :]
        return JointAxes(
            self._coefficients[[VISCOUS, COULOMB], count:].copy(),
            np.where(triple < 0, -1, triple - count),
            self._resistance.laws[-1, [TRANSITION]],
        )

    def _start_motion(self) -> Motion:
        return Motion(np.zeros(0), self._coordinate.copy(), self._velocity.copy(), np.zeros((0, MOST_STATES)))

    def _close(self, motion: Motion) -> FloatArray:
        return self._follow(motion.coordinate)

    def _accept(self, motion: Motion) -> None:
        self._coordinate = motion.coordinate
        super()._accept(motion)

    def load_platform(self, payload: Payload | None, share: float) -> None:
        """Go on with `share` times mass and inertia of the body that loads are fixed to, and a payload or None."""
        name = find_payload_body(self.mechanism.description)
        (body,) = (one for one in self.mechanism.description.bodies if one.name == name)
        mass, first, inertia = compute_central_moments(body)
        platform = Platform(share * mass, first / mass if mass > 0.0 else first, share * inertia)
        set_platform(
            self.tree.model, platform if payload is None else load_platform(platform, payload), body.name
        )
        self._platform_exchanged = True
        self._evaluate(0, self._configuration, self._velocity)

    def _follow(self, coordinate: FloatArray) -> FloatArray:
        """Return the configuration of driven coordinates, near the present one."""
        mechanism, result = self.mechanism, self._closed
        close(
            mechanism.model,
            self._tasks,
            self._drives,
            coordinate[None],
            self._no_turn,
            self._configuration[None],
            self._limits,
            result,
        )
        if result.status[0] not in (OK, DEGRADED):
            self._lost()
        return result.configuration[0].copy()

    def _evaluate(self, end: int, configuration: FloatArray, velocity: FloatArray) -> None:
        count, (v, a, pivot) = self._drives, self._completed
        self._units[count] = velocity
        compute_complete_motion(
            self.mechanism.model,
            self._tasks,
            configuration[None],
            self._units,
            self._still,
            v,
            a,
            pivot,
            self._no_readings,
        )
        side = int(np.sign(pivot[0]))
        if abs(pivot[0]) < NO_PIVOT or side * self._side < 0 or not np.isfinite(a).all():
            self._lost()
        self._side = side
        self.tree.move(configuration, v[count])
        rubbing, passive = self._rubbing, v[:0]
        if len(rubbing):
            passive = compute_rubbing_rates(self.mechanism, configuration)[0, rubbing]
        state = TreeState(configuration, v, a[count], self.tree.mass, self.tree.bias)
        if not reduce_tree(self.tree.order, state, self._inertia, passive, self._ends, end):
            self._lost()
        if self._train is not None:
            self._train.evaluate(end, self._ends.jacobian[end, count:])

    def _lost(self) -> None:
        coordinates = np.round(self._coordinate, 4).tolist()
        raise NotConverged(
            f"simulated mechanism '{self.mechanism.name}' left its regular workspace at {self.time:.3f} s "
            f"({', '.join(self.mechanism.drive_names)} = {coordinates})"
        )

    @property
    def coordinate(self) -> FloatArray:
        """Driven coordinates (n,), m or rad."""
        return self._coordinate.copy()

    @property
    def state(self) -> MechanismState:
        """Everything about this instant."""
        free, compliance, jacobian = (part[0] for part in self._ends)
        drives = self._drives
        resistance, slope, stiffness = np.zeros((3, len(jacobian)))
        if self._train is None:
            resist(
                jacobian @ self._velocity, self._coordinate, self._resistance, resistance, slope, stiffness
            )
            acceleration = free + compliance[:, :drives] @ self._force[0] - compliance @ resistance
        else:
            present = Present(*np.zeros((3, drives)))
            self._train.present(
                self._velocity, self._coordinate, contiguous(jacobian[:drives]), self._force[0], present
            )
            acceleration = free + compliance[:, :drives] @ (self._force[0] - present.resistance)
            resistance = present.resistance - present.rubbing
        return MechanismState(
            time=self.time,
            configuration=self._configuration.copy(),
            coordinate=self.coordinate,
            rate=self._velocity.copy(),
            acceleration=acceleration,
            force=self.force,
            resistance=resistance[:drives],
        )

    @property
    def loop_gap(self) -> float:
        """Largest residual of the loops, m or sine of an angle, by where MuJoCo places the bodies."""
        return self.tree.gap

    @property
    def energy(self) -> float:
        """Kinetic plus potential energy in J: the bodies' by MuJoCo, and of the drives' own inertia."""
        return self.tree.energy + 0.5 * float(self._inertia @ self._velocity**2)


def _list_friction_axes(mechanism: Mechanism, friction: bool) -> tuple[np.ndarray, Resistance]:
    """Return the axes of passive joints that rub (`compute_rubbing_rates`) and what resists along drives and them."""
    drives = mechanism.degrees_of_freedom
    own = mechanism.description.friction
    passive = mechanism.passive_friction if friction else None
    rubbing = np.zeros(0, dtype=np.int64)
    law, theirs, triple = own.law_parameters, padded_coefficients(np.zeros(0), 0), np.full(drives, -1)
    if passive is not None:
        rubbing = np.flatnonzero([name != "" for name in passive.joint])
        law = passive.friction.law_parameters
        theirs = padded_coefficients(passive.friction.coefficients[:, rubbing].ravel(), len(rubbing))
        triple = np.full(drives + len(rubbing), -1)
        for first in drives + np.searchsorted(rubbing, passive.triples):
            triple[first : first + 3] = first
    ours = padded_coefficients((own if friction else own.without()).coefficients.ravel(), drives)
    return rubbing, Resistance(
        np.vstack([own.laws, law]),
        np.ascontiguousarray(np.hstack([ours, theirs])),
        np.zeros((4, drives)),
        triple,
    )


def _build_stops(mechanism: Mechanism, apparent_mass: FloatArray) -> FloatArray:
    """Stops (4, n) that yield as if each drive's apparent mass swung on them."""
    stops = np.zeros((4, mechanism.degrees_of_freedom))
    for i, drive in enumerate(mechanism.description.drives):
        if drive.limits is not None:
            stops[0, i], stops[1, i] = FLOAT64.array(drive.limits)
            stops[2, i] = apparent_mass[i] * STOP_FREQUENCY**2
            stops[3, i] = apparent_mass[i] * STOP_FREQUENCY
    return stops
