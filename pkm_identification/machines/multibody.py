# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Bodies, joints and loops behind the contract: any mechanism that a description says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import MachineError, SettingsError
from pkm_identification.estimation.consistency.sums_of_bodies import SumsOfBodies
from pkm_identification.mechanisms.actuators.base import Actuator
from pkm_identification.mechanisms.actuators.loops import DriveLoops
from pkm_identification.mechanisms.actuators.transfer import Transfer
from pkm_identification.mechanisms.friction import Friction
from pkm_identification.mechanisms.known_statements import Statements, Width
from pkm_identification.mechanisms.multibody.base_set import BASE, BaseSet
from pkm_identification.mechanisms.multibody.description.reader import move_joints, read_document
from pkm_identification.mechanisms.multibody.description.records import FREEDOM
from pkm_identification.mechanisms.multibody.dynamics import regressor
from pkm_identification.mechanisms.multibody.extents import compute_body_extents, compute_inertial_sizes
from pkm_identification.mechanisms.multibody.groups import DriveGroups, drive_groups
from pkm_identification.mechanisms.multibody.identified import identified_mechanism
from pkm_identification.mechanisms.multibody.joint_friction import joint_friction_columns
from pkm_identification.mechanisms.multibody.kernels.dynamics import (
    TreeMotion,
    driven_forces,
    fill_energy_columns,
    fill_mass,
)
from pkm_identification.mechanisms.multibody.kinematics import MechanismMotion, read, require_regular
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.mechanisms.multibody.parameters import build_rigid_columns
from pkm_identification.mechanisms.multibody.setpoints import find_payload_body
from pkm_identification.mechanisms.multibody.shifted import compute_place_slopes, shift_places
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Basis, Kind
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.reduced import ENDING, SetOwner, reduced_set

from .capabilities import (
    ActuatedDrives,
    BodiesFile,
    ElasticDrives,
    EnergyModel,
    NamedOutputs,
    PlatformPose,
)
from .contract import OK, Machine, Motion, NeighbourSolver
from .drives import find_compliance, find_place_drives, find_valve, read_drive
from .file_numbers import REMEMBERED, Change, change_document
from .knowledge import Knowledge
from .knowledge.build import knowledge_of_mechanism
from .knowledge.records import DEFAULT
from .motions import mask_friction_rows
from .moving_bodies import MovingBodies, build_posed_mechanism, find_end
from .multibody_basis import build_basis
from .multibody_tracker import MultibodyTracker, map_forces
from .rows_of_bodies import find_motor_shares, find_sums, list_rows_of_mechanism

IDENTIFIABLE = "identifiable"  # what a machine determines at most: the base parameters
_STATES = 30  # states around home whose forces are typical
RUBS = 1e-12  # N m s/rad, N s/m: friction that is none
_NEAR = 0.3  # of a large change, so far are they from home
# Of half the machine's size: with a smaller one rounding makes answers of a stream others than those of its log
PLACE_STEP = 1e-5
_PACE = 6.0  # 1/s: rates of those states are large changes times this, accelerations times its square


class Multibody(MovingBodies):
    """See `contract.Machine`; `mechanism` is the description, closed at home, in float64."""

    quick: ClassVar[bool] = False
    parameter_sets: ClassVar[tuple[str, ...]] = (BASE,)
    rows_at_once: ClassVar[int] = 400
    known_forces = None  # its file says nothing of how reported forces differ
    has_identical_limbs: ClassVar[bool] = False
    states_reports: ClassVar[bool] = False
    friction_set: ClassVar[str] = BASE
    sums_set: ClassVar[str] = BASE
    widest_cutoff: ClassVar[float] = (
        60.0  # Hz: its file says nothing of encoders, whose noise a wider one would let pass
    )

    def __init__(self, mechanism: Mechanism, friction: Friction | None = None) -> None:
        self.mechanism, self._other_friction = mechanism, friction
        self.name, self.hash = mechanism.name, mechanism.hash
        self.sample_rate = None
        description = mechanism.description
        self.drives = tuple(
            read_drive(one, self.size, find_valve(description.actuators, i))
            for i, one in enumerate(description.drives)
        )
        shared = self._shared = friction or description.friction
        self.friction = tuple(shared.of_axis(i) for i in range(len(self.drives)))
        change_document(
            self.document, dict.fromkeys(description.tolerances.numbers, 0.0)
        )  # refuses wrong paths
        self._rigid = build_rigid_columns(mechanism)
        # where the parts of the basis end: bodies, drives' friction, drives' inertia, passive joints' friction
        ends = np.cumsum([len(self._rigid), shared.coefficients.size, len(self.drives)])
        self._bodies, self._along, self._passive = (
            slice(0, ends[0]), slice(ends[1], ends[2]), slice(ends[2], len(self.basis)),
        )  # fmt: skip
        self.friction_rows = np.arange(ends[0], ends[1]).reshape(shared.coefficients.shape)

    @property
    def actuators(self) -> tuple[Actuator, ...] | None:
        return self.mechanism.description.actuators

    @property
    def loaded(self) -> Mechanism:
        """What was read from the file."""
        return self.mechanism

    @property
    def bodies(self) -> Mechanism:
        return self.mechanism

    @property
    def file(self) -> Mapping[str, Any]:
        return self.mechanism.description.file

    @property
    def document(self) -> Mapping[str, Any]:
        return self.mechanism.description.full_document

    @cached_property
    def gravity(self) -> FloatArray:
        return np.asarray(FLOAT64.array(self.mechanism.description.gravity), dtype=float)

    @cached_property
    def size(self) -> float:
        extent = 2.0 * float(np.max(compute_body_extents(self.mechanism)))
        if extent > 0.0:
            return extent
        # a point on a slide: how far it goes
        travels = [
            np.ptp(FLOAT64.array(one.limits)) for one in self.mechanism.description.drives if one.limits
        ]
        return float(max(travels, default=1.0))

    @cached_property
    def joint_places(self) -> Mapping[str, tuple[str, ...]]:
        joints = self.mechanism.description.joints
        coordinates = [(end, k) for end in range(2) for k in range(3)]
        return {
            one.name: tuple(f"joints.{one.name}.place.{end}.{k}" for end, k in coordinates) for one in joints
        }

    @cached_property
    def knowledge(self) -> Knowledge:
        return knowledge_of_mechanism(self, self.mechanism)

    @cached_property
    def home(self) -> FloatArray:
        return np.asarray(read(self.mechanism, "drives", self.mechanism.home[None])[0], dtype=float)

    @cached_property
    def basis(self) -> Basis:
        return build_basis(self.mechanism, self.drives, self._shared)

    @cached_property
    def rows_of_bodies(self) -> tuple[FloatArray, ...]:
        return list_rows_of_mechanism(self.mechanism, len(self.basis))

    @cached_property
    def payload_body(self) -> int:
        description = self.mechanism.description
        return [one.name for one in description.bodies].index(find_payload_body(description))

    @cached_property
    def standstill_rows(self) -> NDArray[np.int64]:
        kinds = [entry.kind is Kind.COULOMB for entry in self.basis]
        return np.flatnonzero(kinds)

    @cached_property
    def force_size(self) -> FloatArray:
        """1.5 times the median of the forces in states around home: few are near singular.

        Of a drive that needs none, or of a file without masses, 1.
        """
        change = np.array([drive.size for drive in self.drives])
        offset, rate, acceleration = np.random.default_rng(0).normal(size=(3, _STATES, len(change))) * change
        motion = self.compute_motion(self.home + _NEAR * offset, _PACE * rate, _PACE**2 * acceleration)
        motion = motion[motion.status == OK]
        force = self.compute_regressor(motion, self.basis.nominal[:, None])[:, :, 0]
        size = 1.5 * np.median(np.abs(force), axis=0) if len(force) else np.zeros(len(change))
        return np.where(size > 0.0, size, 1.0)

    @cached_property
    def base(self) -> BaseSet:
        """The base parameters; raises SettingsError where double precision leaves their number in doubt."""
        return BaseSet.of(self.mechanism)

    @cached_property
    def _sums(self) -> dict[str, dict[str, float]]:
        """What base parameters are sums of, with the motors of which the file says nothing."""
        unstated = {
            one.drives[0]: self.basis.names[self._along][one.drives[0]]
            for one in self.knowledge.of_kind("motor_inertia")
            if one.value == 0.0 and one.how == DEFAULT
        }
        shares = find_motor_shares(self.mechanism, self.base, unstated)
        return {name: terms | shares.get(name, {}) for name, terms in self.base.terms.items()}

    def build_parameter_set(self, name: str = BASE) -> ParameterSet:
        """Return base parameters and friction of the drives; the rest of the basis is the file's.

        Raises
        ------
        SettingsError
            If it is neither a set of any machine nor the file of a reduced one.
        """
        if name.endswith(ENDING):
            return reduced_set(name, SetOwner(self.name, self.hash), {BASE: self.build_parameter_set})
        if name not in (BASE, IDENTIFIABLE):
            raise SettingsError(
                f"parameters '{name}': must be {IDENTIFIABLE} or {BASE}, which are one set of '{self.name}', or a "
                f"reduced set ({ENDING})"
            )
        base, friction = self.base, self.friction_rows.ravel()
        rows = [*np.searchsorted(self._rigid, base.columns), *friction]
        known = np.array(self.basis.nominal)
        known[self._bodies] = 0.0
        known[friction] = 0.0
        # widths that the file does not state are the data's
        own = zip(base.entries(), compute_inertial_sizes(self.mechanism, base.columns), strict=True)
        entries = (
            *(replace(one, scale=np.inf, size=float(size)) for one, size in own),
            *(replace(self.basis.entries[row], scale=np.inf) for row in friction),
        )
        return ParameterSet(name, entries, np.eye(len(self.basis))[:, rows], known, sums=self._sums)

    def build_physical(self, parameters: ParameterSet) -> SumsOfBodies:
        return find_sums(self.mechanism, self.base, parameters)

    def build_transfers(self, period: float) -> tuple[Transfer, ...] | None:
        description = self.mechanism.description
        if description.actuators is None:
            return None
        held = period if description.control is None else description.control.command_period
        return tuple(replace(one.transfer(held), held=held).at(period) for one in description.actuators)

    def compute_regressor(self, motion: Motion, mapping: FloatArray) -> FloatArray:
        rows = mask_friction_rows(self, mapping)
        moved = self._whole(motion)
        written = np.empty((len(motion), len(self.drives), rows.shape[1]))
        rigid = np.asarray(regressor(self.mechanism, moved))
        sparse, along, passive = self.split_mapping(rows)
        map_forces(rigid, np.ascontiguousarray(motion.acceleration), sparse, along, written)
        if passive is not None:
            written += joint_friction_columns(self.mechanism, moved) @ passive
        return written

    def split_mapping(self, rows: FloatArray) -> tuple[Any, FloatArray, FloatArray | None]:
        """Return a mapping (B, P) for kernels: entries of bodies, inertia of drives, friction of passive joints."""
        columns, entries = np.nonzero(rows[self._bodies].T)
        passive = rows[self._passive]
        return (
            (self._rigid[entries], columns, rows[entries, columns]),
            np.ascontiguousarray(rows[self._along]),
            passive if np.any(passive) else None,
        )

    def compute_forces(self, motion: Motion, values: FloatArray) -> FloatArray:
        # a third of the time that the columns of all bodies take, which hundreds of changed machines do not need
        moved = self._whole(motion)
        force, pivot = self._compute_forces_of_bodies(moved, values)
        require_regular(moved.configuration, pivot, "drives")
        return force + values[self._along] * moved.drive_acceleration

    def _compute_forces_of_bodies(
        self, motion: MechanismMotion, values: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return what bodies and passive joints of a basis (B,) need along the drives, (N, n), and pivots (N,)."""
        mechanism, count, drives = self.mechanism, len(motion), len(self.drives)
        force, pivot = np.zeros((count, drives)), np.zeros(count)
        if count:
            driven_forces(
                mechanism.model, mechanism.task_rows("drives"), drives, self._spread_bodies(values),
                np.zeros((1, len(mechanism.parameters), 6)), np.zeros((1, mechanism.tree.velocities)),
                TreeMotion(motion.configuration, motion.velocity, motion.acceleration), force, pivot,
            )  # fmt: skip
        if np.any(values[self._passive]):
            force += joint_friction_columns(mechanism, motion) @ values[self._passive]
        return force, pivot

    def _spread_bodies(self, values: FloatArray) -> FloatArray:
        """Return ten parameters of each body, of a basis (B,)."""
        bodies = np.zeros(self.mechanism.parameters.size)
        bodies[self._rigid] = values[self._bodies]
        return bodies.reshape(self.mechanism.parameters.shape)

    def compute_force_groups(self, motion: Motion, friction: bool = True) -> DriveGroups:
        return drive_groups(self.mechanism, self._whole(motion), friction)

    def create_neighbour_solver(self, motion: Motion) -> NeighbourSolver:
        def follow(
            machine: Machine, coordinate: FloatArray, rate: FloatArray, acceleration: FloatArray
        ) -> Motion:
            return machine.compute_motion(coordinate, rate, acceleration, motion.state)

        return follow

    def compute_place_slopes(self, motion: Motion, values: FloatArray, paths: Sequence[str]) -> FloatArray:
        """See `place_slopes.compute_place_slopes`; zero where no loop closes with a joint that is elsewhere."""
        step = PLACE_STEP * 0.5 * self.size
        moved = [k for k, path in enumerate(paths) if self._closes_with(path, step)]
        shifts = shift_places(self.mechanism, [paths[k] for k in moved], step)
        slopes = np.zeros((len(motion), len(self.drives), len(paths)))
        slopes[:, :, moved] = compute_place_slopes(
            self.mechanism, shifts, self._whole(motion), self._spread_bodies(values), values[self._passive]
        )
        return slopes

    def _closes_with(self, path: str, step: float) -> bool:
        if not self.mechanism.mobility.redundant:
            return True
        try:
            self.with_changes({path: step})
        except MachineError:
            return False
        return True

    def create_tracker(self, mapping: FloatArray) -> MultibodyTracker:
        return MultibodyTracker(self.mechanism, self.split_mapping(mask_friction_rows(self, mapping)))

    def with_changes(self, changes: Mapping[str, float]) -> Multibody:
        own = self.mechanism.description
        changed = _change_mechanism(Change.of(self, changes, kept=own.actuators))
        changed = replace(changed, description=replace(changed.description, known=own.known))
        return Multibody(changed, self._other_friction)

    def with_actuators(self, actuators: tuple[Actuator, ...]) -> Multibody:
        changed = replace(self.mechanism.description, actuators=actuators)
        return Multibody(replace(self.mechanism, description=changed), self._other_friction)

    def with_friction(self, friction: Friction) -> Multibody:
        return Multibody(self.mechanism, friction)

    def with_joint_friction(self) -> Multibody | None:
        if self.mechanism.passive_friction is not None:
            return None
        joints, drives = self.document["joints"], self.document["drives"]
        driven = {drive.get("joint") for drive in drives.values()}
        # a joint rubs where a coefficient is not 0
        return self.with_changes(
            {
                f"joints.{name}.friction.viscous": RUBS
                for name, joint in joints.items()
                if name not in driven and FREEDOM[joint["type"]] > 0
            }
        )

    def with_statements(self, widths: Mapping[tuple[str, ...], Width]) -> Multibody:
        own = self.mechanism.description
        stated = replace(own, known=Statements({**own.known.stated, **widths}))
        return Multibody(replace(self.mechanism, description=stated), self._other_friction)

    def with_values(self, values: FloatArray, covariance: FloatArray | None = None) -> Multibody:
        nominal = self.basis.nominal
        passive = self.mechanism.passive_friction
        joints: dict[str, dict[str, float]] = {}
        if passive is not None and np.any(values[self._passive] != nominal[self._passive]):
            coulomb, viscous = np.split(values[self._passive], 2)
            for name, dry, wet in zip(passive.names, coulomb, viscous, strict=True):
                joints[name] = {"viscous": float(wet), "coulomb": float(dry)}
        return Multibody(
            identified_mechanism(
                self.mechanism, self.base, values[self._bodies],
                replace(self._shared, coefficients=values[self.friction_rows]),
                values[self._along] - nominal[self._along], joints,
                None if covariance is None else covariance[self._bodies, self._bodies],
            )
        )  # fmt: skip

    def with_rate_noise(self, noise: FloatArray) -> Multibody:
        aware = copy(self)
        aware.friction = tuple(
            replace(one, rate_noise=float(size)) for one, size in zip(self.friction, noise, strict=True)
        )
        return aware

    def compute_mass_and_bias(self, motion: Motion, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        mechanism, count, drives = self.mechanism, len(motion), len(self.drives)
        q, rate = motion.state[0], np.ascontiguousarray(motion.rate)
        coasting = self._move("drives", q, rate, np.zeros_like(rate))
        bias, pivot = self._compute_forces_of_bodies(coasting, values)
        mass = np.zeros((count, drives, drives))
        if count:
            rows, bodies = mechanism.task_rows("drives"), self._spread_bodies(values)
            fill_mass(mechanism.model, rows, drives, bodies, q, mass, pivot)
        mass[:, np.arange(drives), np.arange(drives)] += values[self._along]
        mass[pivot == 0.0], bias[pivot == 0.0] = np.nan, np.nan
        return mass, bias

    @property
    def place_drives(self) -> str:
        description = self.mechanism.description
        return find_place_drives(description.control, description.actuators)

    @cached_property
    def capabilities(self) -> frozenset[type]:
        own: set[type] = {EnergyModel, BodiesFile}
        if self.mechanism.places["pose"]:
            own.add(PlatformPose)
        if self.mechanism.description.document.get("outputs"):
            own.add(NamedOutputs)
        if self.compliance.any():
            own.add(ElasticDrives)
        if self.actuators:
            own.add(ActuatedDrives)
        return frozenset(own)

    @cached_property
    def _posed(self) -> Multibody:
        return Multibody(build_posed_mechanism(self.mechanism))

    def compute_end(self, motion: Motion) -> tuple[FloatArray, FloatArray]:
        position, rotation = self._posed.compute_pose(motion)
        twist, _ = self._posed.compute_twist(motion)
        away = rotation @ find_end(self.mechanism)
        return position + away, twist[:, :3] + np.cross(twist[:, 3:], away)

    @property
    def compliance(self) -> FloatArray:
        return find_compliance(self)

    @property
    def drive_loops(self) -> tuple[DriveLoops, ...]:
        control = self.mechanism.description.control
        return () if control is None else control.drives

    def compute_energy(self, motion: Motion, mapping: FloatArray) -> FloatArray:
        q, velocity, _ = motion.state
        columns = np.zeros((len(motion), self.mechanism.parameters.size))
        if len(motion):
            fill_energy_columns(self.mechanism.model, q, velocity, columns)
        turning = 0.5 * motion.rate**2 @ mapping[self._along]
        return columns[:, self._rigid] @ mapping[self._bodies] + turning

    def compute_dissipation(self, motion: Motion, mapping: FloatArray) -> FloatArray:
        passive = mapping[self._passive]
        if not np.any(passive):
            return np.zeros((len(motion), mapping.shape[1]))
        columns = joint_friction_columns(self.mechanism, self._whole(motion))
        return np.einsum("nip,ni->np", columns, motion.rate) @ passive


@lru_cache(maxsize=REMEMBERED)
def _change_mechanism(change: Change) -> Mechanism:
    own, document = change.machine.mechanism, change_document(change.machine.document, change.changes)
    moved = move_joints(own.description, change.changes, document)
    # joints at zero that are moved by a micrometre are plausible, though all others seem far away then
    changed = moved or read_document(document, plausible=False)
    return Mechanism.of(changed, near=None if moved is None else own)
