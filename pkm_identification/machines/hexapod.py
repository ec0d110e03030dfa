# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The hexapod behind the contract: its own kernels, the special case of six struts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import NotConverged
from pkm_identification.estimation.consistency.coordinates import FreeCoordinates
from pkm_identification.estimation.consistency.layout import Layout
from pkm_identification.mechanisms.actuators.base import Actuator
from pkm_identification.mechanisms.actuators.loops import DriveLoops
from pkm_identification.mechanisms.actuators.transfer import Transfer
from pkm_identification.mechanisms.friction import Friction
from pkm_identification.mechanisms.hexapod.dynamics import ForceGroups, force_groups, strut_forces
from pkm_identification.mechanisms.hexapod.dynamics.basis import (
    build_coulomb_columns,
    friction_columns,
    joint_rows,
)
from pkm_identification.mechanisms.hexapod.dynamics.energy import compute_energy_regressor
from pkm_identification.mechanisms.hexapod.dynamics.falling import compute_falling_lengths
from pkm_identification.mechanisms.hexapod.dynamics.joint_friction import joint_friction_columns
from pkm_identification.mechanisms.hexapod.dynamics.mass import has_symmetric_rods, strut_dynamics
from pkm_identification.mechanisms.hexapod.dynamics.readings import sensor_readings
from pkm_identification.mechanisms.hexapod.dynamics.regressor import SparseMapping, regressor
from pkm_identification.mechanisms.hexapod.identified import identified_machine
from pkm_identification.mechanisms.hexapod.joint_friction import JointFriction
from pkm_identification.mechanisms.hexapod.kinematics.assembly.continuation import follow_lengths
from pkm_identification.mechanisms.hexapod.kinematics.assembly.mode_proof import joined_to_start
from pkm_identification.mechanisms.hexapod.kinematics.assembly.modes import AssemblyModes, assembly_modes
from pkm_identification.mechanisms.hexapod.kinematics.forward import platform_motion
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths, strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import (
    compute_pose_conditions,
    home_side,
    jacobian,
    platform_rates_at,
)
from pkm_identification.mechanisms.hexapod.kinematics.nearby import inverse_jacobians, nearby_motion
from pkm_identification.mechanisms.hexapod.kinematics.passive import angle_use
from pkm_identification.mechanisms.hexapod.kinematics.pose_of_lengths import pose_of_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine as Description
from pkm_identification.mechanisms.hexapod.parameters.builder import build_hexapod_basis, force_scale
from pkm_identification.mechanisms.hexapod.parameters.physical_layout import physical_layout
from pkm_identification.mechanisms.hexapod.parameters.sets import NAMES, list_hexapod_parameters
from pkm_identification.mechanisms.hexapod.transfers import transfers_of
from pkm_identification.mechanisms.known_statements import Statements, Width
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.motion import STRUTS, PlatformMotion, StrutMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Basis
from pkm_identification.parameters.parameter_set import ParameterSet

from .capabilities import (
    ActuatedDrives,
    ElasticDrives,
    EnergyModel,
    EnumeratedModes,
    HexapodFile,
    MotionSensors,
    PlatformPose,
    PostureMeasures,
    has,
    require,
)
from .contract import FAILED, FORCE_ROOM, OK, RATE_ROOM, Drive, Machine, Motion
from .drives import find_compliance, find_place_drives, find_valve
from .file_numbers import REMEMBERED, Change, change_document
from .hexapod_tracker import HexapodNeighbours, HexapodTracker
from .knowledge import Knowledge
from .knowledge.build import knowledge_of_hexapod
from .motions import mask_friction_rows, mass_and_bias_of_regressors
from .rows_of_bodies import list_rows_of_hexapod


def description_of(machine: Machine) -> Description | None:
    """Return the description of a platform on six struts; None of any other machine."""
    return require(machine, HexapodFile, "description").description if has(machine, HexapodFile) else None


class Hexapod:
    """See `contract.Machine`; `description` is the hexapod's file."""

    rows_at_once: ClassVar[int] = 2000
    has_identical_limbs: ClassVar[bool] = True
    states_reports: ClassVar[bool] = True
    friction_set: ClassVar[str] = "extended"
    sums_set: ClassVar[str] = "alike"
    widest_cutoff: ClassVar[float] = (
        150.0  # Hz: smoothing rounds the friction transition, which six struts pass all the time
    )
    quick: ClassVar[bool] = True
    parameter_sets: ClassVar[tuple[str, ...]] = NAMES

    def __init__(self, description: Description) -> None:
        self.description = description
        self.name, self.hash = description.name, description.hash
        motor = description.drive
        self.sample_rate = None if motor is None else motor.sample_rate
        low, high = (float(end) for end in description.length_limits)
        rate = RATE_ROOM * description.rate_limit if description.rate_limit else np.inf
        force = np.inf if motor is None else FORCE_ROOM * motor.force_limit
        count = 1.0 / motor.counts_per_meter if motor is not None and motor.has_encoder else 0.0
        self.drives = tuple(
            Drive(
                name=f"length_{i + 1}", joint=description.joint_names[i], unit="m", force_name=f"force_{i + 1}",
                lowest=low, highest=high, rate_limit=rate, force_limit=force, resolution=count,
                size=0.1 * (high - low), zero=0.0 if motor is None else float(motor.length_at_zero[i]),
                suffix=str(i + 1), part="strut",
                force_noise=(motor.force_noise or 0.0) if motor is not None else 0.0,
                rated_rate=description.rate_limit or np.inf,
                rated_force=np.inf if motor is None else motor.force_limit,
                following_error=(motor.following_error or np.inf) if motor is not None else np.inf,
                force_jump=(motor.force_jump or np.inf) if motor is not None else np.inf,
                reported=description.reported[i], valve=find_valve(description.actuators, i),
            )
            for i in range(STRUTS)
        )  # fmt: skip
        self.known_forces = None if motor is None else motor.known_forces
        shared = description.friction
        self.friction = tuple(shared.of_axis(i) for i in range(STRUTS))

    @property
    def actuators(self) -> tuple[Actuator, ...] | None:
        return self.description.actuators

    @property
    def loaded(self) -> Description:
        """What was read from the file."""
        return self.description

    @cached_property
    def bodies(self) -> Mechanism:
        return Mechanism.from_machine(self.description)

    @property
    def file(self) -> Mapping[str, Any]:
        return self.description.file

    @cached_property
    def document(self) -> Mapping[str, Any]:
        own, written = self.description, self.description.full_document
        # gravity and joints may be others than the file's
        places = {"base_joints": own.base_joints.tolist(), "platform_joints": own.platform_joints.tolist()}
        return {
            **written, "gravity": own.gravity.tolist(), "geometry": {**written["geometry"], **places}
        }  # fmt: skip

    @property
    def gravity(self) -> FloatArray:
        return self.description.gravity

    @property
    def size(self) -> float:
        return 2.0 * self.description.length_scale

    @cached_property
    def joint_places(self) -> Mapping[str, tuple[str, ...]]:
        return {
            f"{end}_joint_{i + 1}": tuple(f"geometry.{end}_joints.{i}.{k}" for k in range(3))
            for end in ("base", "platform")
            for i in range(STRUTS)
        }

    @cached_property
    def knowledge(self) -> Knowledge:
        return knowledge_of_hexapod(self, self.description)

    @cached_property
    def home(self) -> FloatArray:
        home = self.description
        return strut_lengths(home, home.home_position[None], home.home_rotation[None])[0]

    @cached_property
    def basis(self) -> Basis:
        return build_hexapod_basis(self.description)

    @cached_property
    def rows_of_bodies(self) -> tuple[FloatArray, ...]:
        return list_rows_of_hexapod(self.description)

    @property
    def payload_body(self) -> int:
        return 0

    @cached_property
    def friction_rows(self) -> NDArray[np.int64]:
        names = self.description.friction.law.names
        starts = [friction_columns(self.description, name).start for name in names]
        return np.add.outer(np.array(starts, dtype=np.int64), np.arange(STRUTS))

    @cached_property
    def standstill_rows(self) -> NDArray[np.int64]:
        return build_coulomb_columns(self.description)

    @cached_property
    def force_size(self) -> FloatArray:
        return np.full(STRUTS, force_scale(self.description))

    def build_parameter_set(self, name: str = "identifiable") -> ParameterSet:
        return list_hexapod_parameters(self.description, name)

    def build_physical_layout(self, parameters: ParameterSet) -> Layout:
        """Return which parameters of a set are one body; raises PkmError where that cannot be determined."""
        return physical_layout(self.description, parameters)

    def build_physical(self, parameters: ParameterSet) -> FreeCoordinates:
        return FreeCoordinates.of(self.build_physical_layout(parameters))

    def build_transfers(self, period: float) -> tuple[Transfer, ...] | None:
        return transfers_of(self.description, period)

    def compute_motion(
        self,
        coordinate: FloatArray,
        rate: FloatArray,
        acceleration: FloatArray,
        start: tuple[FloatArray, ...] | None = None,
    ) -> Motion:
        count = len(coordinate)
        segment = np.zeros(count, dtype=np.int64)
        struts = StrutMotion(np.zeros(count), coordinate, rate, acceleration, None, segment)
        pose = (start[0][0], start[1][0]) if start is not None and count else None
        platform, poses = platform_motion(self.description, struts, pose)
        state = (platform.position, platform.rotation, platform.twist, platform.acceleration)
        return Motion(coordinate, rate, acceleration, state, poses.status, poses.residual)

    def compute_accelerated_motion(self, motion: Motion, acceleration: FloatArray) -> Motion:
        """See `contract.compute_accelerated_motion`: at one place the platform's accelerations are linear in them."""
        position, rotation, twist, platform = motion.state
        count = len(acceleration)
        more = platform_rates_at(self.description, position, rotation, acceleration - motion.acceleration)
        state = position.repeat(count, 0), rotation.repeat(count, 0), twist.repeat(count, 0), platform + more
        return Motion(
            motion.coordinate.repeat(count, 0), motion.rate.repeat(count, 0), acceleration, state,
            motion.status.repeat(count), motion.residual.repeat(count),
        )  # fmt: skip

    def compute_rest(self, coordinate: FloatArray) -> Motion:
        """See `contract.compute_rest`: each way from home is proved to be free of singularities."""
        path = follow_lengths(self.description, coordinate)
        still = np.zeros((len(coordinate), STRUTS))
        state = (path.position, path.rotation, still, still)
        return Motion(coordinate, still, still, state, path.status, path.residual)

    def explain_unreachable(self, coordinate: FloatArray) -> str:
        try:
            pose_of_lengths(self.description, coordinate)
        except (NotConverged, ValueError) as error:
            return str(error)
        return ""

    def compute_regressor(self, motion: Motion, mapping: FloatArray) -> FloatArray:
        sparse = SparseMapping.of(self.description, mask_friction_rows(self, mapping))
        return regressor(self.description, PlatformMotion(np.zeros(len(motion)), *motion.state), sparse)

    def compute_forces(self, motion: Motion, values: FloatArray) -> FloatArray:
        platform = PlatformMotion(np.zeros(len(motion)), *motion.state)
        passive = np.array(values, dtype=float)
        passive[self.friction_rows] = 0.0
        return strut_forces(self.description, platform, parameters=passive)

    def compute_drive_forces(self, motion: Motion, values: FloatArray) -> FloatArray:
        """Return the forces (N, 6) of basis values (B,), friction of the drives included."""
        platform = PlatformMotion(np.zeros(len(motion)), *motion.state)
        return strut_forces(self.description, platform, parameters=values)

    def compute_force_groups(self, motion: Motion, friction: bool = True) -> ForceGroups:
        return force_groups(self.description, PlatformMotion(np.zeros(len(motion)), *motion.state), friction)

    def create_neighbour_solver(self, motion: Motion) -> HexapodNeighbours:
        return HexapodNeighbours(self, motion)

    def compute_nearby_motion(
        self, motion: Motion, coordinate: FloatArray, rate: FloatArray, acceleration: FloatArray
    ) -> Motion:
        """See `contract.compute_nearby_motion`: Newton's steps from the known poses need no factorisation."""
        count = len(motion)
        known = PlatformMotion(np.zeros(count), *motion.state)
        segment = np.zeros(count, dtype=np.int64)
        struts = StrutMotion(known.time, coordinate, rate, acceleration, None, segment)
        near = nearby_motion(self.description, struts, known, inverse_jacobians(self.description, known))
        status = np.where(np.isfinite(near.position[:, 0]), OK, FAILED).astype(np.uint8)
        state = (near.position, near.rotation, near.twist, near.acceleration)
        return Motion(coordinate, rate, acceleration, state, status, np.zeros(count))

    def create_tracker(self, mapping: FloatArray) -> HexapodTracker:
        return HexapodTracker(self, mapping)

    def with_changes(self, changes: Mapping[str, float]) -> Hexapod:
        own, changed = self.description, _change_description(Change.of(self, changes))
        changed = replace(changed, known=own.known)
        # a law of friction that is not the file's is no part of the document
        if not any(path.startswith("friction") for path in changes):
            changed = replace(changed, friction=own.friction, joint_friction=own.joint_friction)
        return Hexapod(changed)

    def with_statements(self, widths: Mapping[tuple[str, ...], Width]) -> Hexapod:
        known = Statements({**self.description.known.stated, **widths})
        return Hexapod(replace(self.description, known=known))

    def with_values(self, values: FloatArray, covariance: FloatArray | None = None) -> Hexapod:
        return Hexapod(identified_machine(self.description, values))

    def with_actuators(self, actuators: tuple[Actuator, ...]) -> Hexapod:
        return Hexapod(replace(self.description, actuators=actuators))

    def with_friction(self, friction: Friction) -> Hexapod:
        return Hexapod(replace(self.description, friction=friction))

    def with_joint_friction(self) -> Hexapod | None:
        if self.description.joint_friction is not None:
            return None
        return Hexapod(replace(self.description, joint_friction=JointFriction.alike(0.0)))

    def with_rate_noise(self, noise: FloatArray) -> Hexapod:
        aware = replace(self.description.friction, rate_noise=float(noise[0]))  # encoders are alike
        return Hexapod(replace(self.description, friction=aware))

    def compute_mass_and_bias(self, motion: Motion, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        if not has_symmetric_rods(values):
            return mass_and_bias_of_regressors(self, motion, values)
        position, rotation, twist, _ = motion.state
        found = strut_dynamics(self.description, position, rotation, twist, values)
        joints = np.zeros_like(values)
        joints[joint_rows(self.description) :] = values[joint_rows(self.description) :]
        if joints.any():
            return found.mass, found.bias + self.compute_regressor(motion, joints[:, None])[:, :, 0]
        return found.mass, found.bias

    @property
    def place_drives(self) -> str:
        return find_place_drives(self.description.control, self.description.actuators)

    @cached_property
    def capabilities(self) -> frozenset[type]:
        own: set[type] = {
            PlatformPose, PostureMeasures, EnergyModel, EnumeratedModes, HexapodFile
        }  # fmt: skip
        if np.isfinite(self.reading_noise).any():
            own.add(MotionSensors)
        if self.actuators:
            own.add(ActuatedDrives)
        return frozenset(own | ({ElasticDrives} if self.compliance.any() else set()))

    @property
    def compliance(self) -> FloatArray:
        return find_compliance(self)

    @property
    def drive_loops(self) -> tuple[DriveLoops, ...]:
        control = self.description.control
        return () if control is None else control.drives

    @property
    def home_pose(self) -> tuple[FloatArray, FloatArray]:
        return self.description.home_position, self.description.home_rotation

    def compute_pose(self, motion: Motion) -> tuple[FloatArray, FloatArray]:
        return motion.state[0], motion.state[1]

    def compute_twist(self, motion: Motion) -> tuple[FloatArray, FloatArray]:
        return motion.state[2], motion.state[3]

    def compute_drive_rates(self, motion: Motion, twist: FloatArray) -> FloatArray:
        jac = jacobian(self.description, motion.state[0], motion.state[1])
        return np.asarray((jac @ twist[:, :, None])[:, :, 0])

    def compute_motion_of_pose(
        self, position: FloatArray, rotation: FloatArray, twist: FloatArray, acceleration: FloatArray
    ) -> Motion:
        state = position, rotation, twist, acceleration
        platform = PlatformMotion(np.zeros(len(position)), *state)
        struts = strut_motion_from_platform(self.description, platform)
        status = np.full(len(position), OK, dtype=np.uint8)
        status[~np.isfinite(struts[2]).all(axis=1)] = FAILED
        return Motion(*struts, state, status, np.zeros(len(position)))

    @cached_property
    def _side(self) -> float:
        return home_side(self.description)

    def compute_condition(self, motion: Motion) -> FloatArray:
        return compute_pose_conditions(self.description, self._side, motion.state[0], motion.state[1])

    def compute_joint_use(self, motion: Motion) -> FloatArray:
        return angle_use(self.description, motion.state[0], motion.state[1])

    def with_joint_limits(self, limits: Mapping[str, float]) -> Hexapod:
        own = self.description
        return Hexapod(replace(own, joint_limits=replace(own.joint_limits, **limits)))

    def compute_energy(self, motion: Motion, mapping: FloatArray) -> FloatArray:
        return compute_energy_regressor(
            self.description, PlatformMotion(np.zeros(len(motion)), *motion.state), mapping
        )

    def compute_dissipation(self, motion: Motion, mapping: FloatArray) -> FloatArray:
        rubs, passive = self.description.joint_friction, mapping[joint_rows(self.description) :]
        if rubs is None:
            return np.zeros((len(motion), mapping.shape[1]))
        platform = PlatformMotion(np.zeros(len(motion)), *motion.state)
        columns = joint_friction_columns(self.description, platform, rubs.transition_rate)
        return np.einsum("nip,ni->np", columns, motion.rate) @ passive

    @property
    def reading_noise(self) -> FloatArray:
        sensors = self.description.sensors
        there = np.repeat([sensors.imu is not None, sensors.force is not None], STRUTS)
        return np.where(there, sensors.noise, np.inf)

    @property
    def reading_bias(self) -> FloatArray:
        return np.concatenate([self.description.sensors.bias, np.zeros(STRUTS)])

    def compute_readings(self, motion: Motion, values: FloatArray) -> FloatArray:
        force = self.compute_forces(motion, values)
        return sensor_readings(
            self.description, PlatformMotion(np.zeros(len(motion)), *motion.state), values, force
        )

    def find_modes(self, coordinate: FloatArray) -> AssemblyModes:
        return assembly_modes(self.description, coordinate)

    def find_proved(self, motion: Motion) -> NDArray[np.bool_]:
        return joined_to_start(self.description, motion.coordinate, motion.state[0], motion.state[1])

    def compute_fall(self, values: FloatArray, start: Motion, time: FloatArray) -> FloatArray:
        """Return what `falling.compute_fall` does, compiled."""
        return compute_falling_lengths(self.description, values, start.state[0][0], start.state[1][0], time)


@lru_cache(maxsize=REMEMBERED)
def _change_description(change: Change) -> Description:
    return Description.from_document(change_document(change.machine.document, change.changes))
