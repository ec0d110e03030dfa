# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A mechanism: its description made a tree with loops, counted, closed at home, and packed for one arithmetic."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pkm_identification.document import YAML_ENDINGS
from pkm_identification.errors import MachineError

from ..builtin import MECHANISM, find_kind, list_builtin_files
from .closed_forms import closed_form
from .description.plausibility import check_home_in_limits
from .description.reader import read_document, read_file
from .description.records import Description, Joint
from .joint_limits import check_limits_at_home, compute_joint_coordinates, joint_use
from .kernels.closing import ClosedSamples, ClosingLimits, close
from .kernels.codes import OK
from .numbers.arithmetic import FLOAT64, Arithmetic, Multiprecision
from .structure.assembly import GuessDistance, guess_distances
from .structure.bodies import check_bodies
from .structure.mobility import Mobility, mobility, move_home, read_values
from .structure.model import Model, compute_model_size, pack_mechanism
from .structure.passive import PassiveFriction, passive_friction
from .structure.rows import Row, coupling_row, loop_rows, measure_row, pose_rows, rubbing_rows
from .structure.tree import Tree, planar_bodies, spanning_tree

if TYPE_CHECKING:
    from ..hexapod.machine import Machine


@dataclass(frozen=True)
class Mechanism:
    """Bodies and joints with loops, in float64 or in mpmath numbers.

    Attributes
    ----------
    description : Description
        What the file says, in exact numbers.
    arithmetic : Arithmetic
        What `model` and every array made of this mechanism are in.
    tree : Tree
        Its spanning tree, and the joints that close loops.
    mobility : Mobility
        Degrees of freedom, independent and redundant constraints.
    rows : tuple of Row
        Constraints, drives, outputs, readings, the pose of `description.pose` if it names a body, and the rates of
        joints with friction that are no velocities of the tree.
    model : Model
        Frames and rows as arrays.
    parameters : ndarray, shape (B, 10)
        m, mx, my, mz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz of each body about its frame's origin; SI units.
    home : ndarray, shape (Q,)
        Coordinates of the tree at home, loops closed.
    """

    description: Description
    arithmetic: Arithmetic
    tree: Tree
    mobility: Mobility
    rows: tuple[Row, ...]
    model: Model = field(repr=False)
    parameters: Any = field(repr=False)
    home: Any = field(repr=False)
    places: dict[str, range] = field(repr=False)

    @classmethod
    def load(cls, name_or_path: str | Path) -> Mechanism:
        """Return a built-in mechanism by its name, or one from a YAML file.

        Raises
        ------
        MachineError
            If there is none, or its description cannot be used: names file, key, value and what is allowed.
        """
        path = Path(name_or_path)
        if path.suffix in YAML_ENDINGS:
            return cls.of(read_file(path))
        if find_kind(name_or_path) != MECHANISM:
            raise MachineError(f"machine '{name_or_path}': is a hexapod, and this takes bodies with joints")
        return cls.of(read_file(builtin_mechanisms()[str(name_or_path)]))

    @classmethod
    def from_document(cls, document: Any, source: str = "mechanism", plausible: bool = True) -> Mechanism:
        """Return a mechanism of a description that is already parsed; numbers are best given as text.

        `plausible=False` takes numbers that no mechanism of this size has: of a description made by computation.
        """
        return cls.of(read_document(document, source, plausible))

    @classmethod
    def from_machine(cls, machine: Machine) -> Mechanism:
        """Return a hexapod as a mechanism of thirteen bodies, to try what is general against the special case."""
        # whoever has no hexapod does not wait for its kernels
        from .description.hexapod import build_hexapod_description

        return cls.of(build_hexapod_description(machine))

    @classmethod
    def of(
        cls, description: Description, arithmetic: Arithmetic = FLOAT64, near: Mechanism | None = None
    ) -> Mechanism:
        """Return a mechanism of a description.

        `near` is one that differs from it in the places of joints alone, by little: it closes near that one's home.

        Raises
        ------
        MachineError
            If it has a body without a path to ground, loops that cannot close at home, a home at a change-point,
            more or fewer drives than degrees of freedom, a body with an inertia that no body has, a joint that is
            beyond its limits at home, or a closed form that is not for it.
        """
        tree = spanning_tree(description)
        parts = list_rows(description, tree)
        rows = [row for part in parts.values() for row in part]
        places, count = {}, 0
        for name, part in parts.items():
            places[name] = range(count, count + len(part))
            count += len(part)
        model = pack_mechanism(description, tree, rows, FLOAT64)
        if not description.home.by_outputs:
            check_home_in_limits(description, FLOAT64.array(description.home.values))
        tasks = {name: list(indices) for name, indices in places.items()}
        freedom = None if near is None else move_home(near.mobility, description, model, tasks)
        if freedom is None:
            freedom = mobility(description, tree, model, rows, tasks)
            check_bodies(description, model, freedom)
        check_limits_at_home(description, tree, model, freedom.home)
        driven = np.array(places["drives"], dtype=np.int64)
        check_home_in_limits(description, read_values(model, driven, freedom.home))
        closed_form(description, tree)  # refuses what does not fit
        parameters = FLOAT64.array([body.parameters for body in description.bodies])
        mechanism = cls(
            description, FLOAT64, tree, freedom, tuple(rows), model, parameters, freedom.home, places
        )
        return mechanism if arithmetic == FLOAT64 else mechanism.in_arithmetic(arithmetic)

    def in_arithmetic(self, arithmetic: Arithmetic) -> Mechanism:
        """Return the same mechanism computed in another arithmetic; its home is closed again there."""
        model = pack_mechanism(self.description, self.tree, list(self.rows), arithmetic)
        parameters = arithmetic.array([body.parameters for body in self.description.bodies])
        home = self.description.home
        mechanism = replace(
            self,
            arithmetic=arithmetic,
            model=model,
            parameters=parameters,
            home=arithmetic.array(self.mobility.home),
        )
        if arithmetic == FLOAT64:
            return mechanism
        target = arithmetic.array([home.values])
        tasks = mechanism.task_rows("outputs" if home.by_outputs else "drives")
        closed = room_to_close(mechanism, 1)
        arithmetic.compile(close)(
            model,
            tasks,
            target.shape[1],
            target,
            arithmetic.array(np.eye(3)[None]),
            mechanism.home[None],
            mechanism.limits(0),
            closed,
        )
        if closed.status[0] != OK:
            raise MachineError(f"{self.description.source}: home cannot be closed in {arithmetic}")
        return replace(mechanism, home=closed.configuration[0])

    def with_digits(self, digits: int) -> Mechanism:
        """Return the same mechanism in mpmath numbers of so many decimal digits."""
        return self.in_arithmetic(Multiprecision(digits))

    def task_rows(self, task: str) -> np.ndarray:
        """Return rows (V,) that decide the whole motion: the independent constraints, then those of a task.

        `task` is `drives`, `outputs` or `pose`.
        """
        return self._tasks[task]

    def row_numbers(self, part: str) -> np.ndarray:
        """Return rows of `drives`, `outputs`, `readings`, `pose`, `rubbing` or `loops`."""
        return self._numbers[part]

    @cached_property
    def _numbers(self) -> dict[str, np.ndarray]:
        return {part: np.array(indices, dtype=np.int64) for part, indices in self.places.items()}

    @cached_property
    def _tasks(self) -> dict[str, np.ndarray]:
        independent = np.array(self.mobility.independent, dtype=np.int64)
        return {part: np.concatenate([independent, indices]) for part, indices in self._numbers.items()}

    def limits(self, side: int) -> ClosingLimits:
        """Return the limits of the closing kernel; `side` is the determinant's sign that counts as home's mode."""
        if side not in self._limits:
            size = compute_model_size(self.tree)
            step, tolerance = self.arithmetic.step, self.arithmetic.tolerance
            numbers = [0.5 * size, 0.5, step * min(1.0, size), tolerance * max(1.0, size), side]
            self._limits[side] = ClosingLimits(*self.arithmetic.array(numbers))
        return self._limits[side]

    # Made once: whatever closes one sample after another (controllers, plants) would spend a third of its time on them.
    @cached_property
    def _limits(self) -> dict[int, ClosingLimits]:
        return {}

    @cached_property
    def sides(self) -> dict[str, int]:
        """Signs of tasks' determinants at home, as far as `kinematics.task_side` has been asked for them."""
        return {}

    def joint_use(self, configuration: Any) -> Any:
        """How much of their limits joints use at configurations (N, Q), (N, k): up to 1 within; k is 0 without any."""
        return joint_use(self.description, self.tree, self.model, self.home, configuration)

    @property
    def guess_distances(self) -> tuple[GuessDistance, ...]:
        """How far each joint that the file guesses is at home from there, in float64: which assembly mode it is."""
        return guess_distances(self.description, self.tree, self.model, self.home)

    @property
    def joints_at_home(self) -> dict[str, Any]:
        """Coordinates at home (n,) by joint, in float64: m or rad; of joints with one or two coordinates."""
        return compute_joint_coordinates(self.description, self.tree, self.model, self.home)

    @cached_property
    def passive_friction(self) -> PassiveFriction | None:
        """Friction along the tree's velocities and the `rubbing` rows; None if no passive joint has any."""
        rows = [self.rows[k] for k in self.places["rubbing"]]
        return passive_friction(self.description, self.tree, rows)

    @property
    def name(self) -> str:
        return self.description.name

    @cached_property
    def hash(self) -> str:
        """Short digest of the description, to tell whether a saved file belongs to this mechanism."""
        canonical = json.dumps(self.description.document, sort_keys=True, default=str)
        return hashlib.sha256(canonical.encode()).hexdigest()[:16]

    @property
    def degrees_of_freedom(self) -> int:
        return self.mobility.degrees_of_freedom

    @property
    def loops(self) -> int:
        """Number of independent closed chains of bodies."""
        return len(self.tree.cut)

    @property
    def drive_names(self) -> tuple[str, ...]:
        """Names of the driven coordinates."""
        return tuple(drive.name for drive in self.description.drives)

    @property
    def force_names(self) -> tuple[str, ...]:
        """Names of the driven forces."""
        return tuple(drive.force for drive in self.description.drives)

    @property
    def output_names(self) -> tuple[str, ...]:
        """Names of the outputs; those of the drives if the description has none."""
        return tuple(measure.name for measure in self.description.outputs)

    @property
    def redundant_constraints(self) -> tuple[str, ...]:
        """Constraints that the others imply, by joint."""
        return tuple(self.rows[i].label for i in self.mobility.redundant)


def room_to_close(mechanism: Mechanism, count: int) -> ClosedSamples:
    """Return what the closing kernel writes of so many samples."""
    zeros = mechanism.arithmetic.zeros
    return ClosedSamples(
        zeros(count, mechanism.tree.coordinates),
        np.zeros(count, dtype=np.int64),
        np.zeros(count, dtype=np.int64),
        zeros(count),
        zeros(count),
    )


def list_rows(description: Description, tree: Tree) -> dict[str, list[Row]]:
    """Return the rows of a description by their parts."""
    planar = planar_bodies(description.bodies)
    loops = [row for joint in tree.cut for row in loop_rows(joint, planar)]
    return {
        "loops": [*loops, *(coupling_row(coupling) for coupling in description.couplings)],
        "drives": [measure_row(drive.measure) for drive in description.drives],
        "outputs": [measure_row(measure) for measure in description.outputs],
        "readings": [measure_row(measure) for measure in description.readings],
        "pose": pose_rows(description.pose) if description.pose else [],
        "rubbing": [row for joint in _list_closing_joints(tree) if joint.rubs for row in rubbing_rows(joint)],
    }


def _list_closing_joints(tree: Tree) -> tuple[Joint, ...]:
    """Joints whose rates are no velocities of the tree: those that close loops, and those without spin."""
    return (*tree.cut, *(joint for joint in tree.carried if joint.type == "no_spin"))


def builtin_mechanisms() -> dict[str, Path]:
    """Paths of the mechanism descriptions that come with the package, by name."""
    return list_builtin_files("mechanisms")
