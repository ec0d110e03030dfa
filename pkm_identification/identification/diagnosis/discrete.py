# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What is wrong altogether: sign and unit of the forces, exchanged struts, gravity from another side.

Looked for before everything else, since a stepwise search loses its way with them, and sign and unit leave no residual
at all: they are judged against the machine file, whose values are wrong by tens of percent but not by factors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from pkm_identification.estimation.lack_of_fit.evidence import Base
from pkm_identification.estimation.lack_of_fit.exchange import find_best_order
from pkm_identification.estimation.lack_of_fit.factor import compute_output_factor
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind

from ..model_errors.forces import LARGE_DELAY, compute_late, compute_later
from .discrete_causes import (
    BETTER,
    FORCE_FACTOR,
    are_alike,
    find_cause_of_order,
    is_common_factor,
    list_causes_of_factor,
)
from .evidence_base import EvidenceBase
from .findings import Cause
from .length_order import find_best_length_order

INERTIAL = (Kind.MASS, Kind.FIRST_MOMENT, Kind.INERTIA)
POOR = 3.0  # residual over floor from which on discrete causes are looked for
HOPELESS = 20.0  # and from which on also exchanged lengths


@dataclass(frozen=True)
class Discrete:
    """A discrete cause, and the force (K, 6) and the machine with which it is undone.

    Attributes
    ----------
    cause : Cause
    force : callable (K, 6) -> (K, 6)
        The forces as they should have been recorded.
    machine : Machine or None
        Where the machine file is wrong.
    lengths : tuple of int
        Which recorded column holds the coordinate of each drive; None: each its own.
    """

    cause: Cause
    force: Callable[[FloatArray], FloatArray]
    machine: Machine | None = None
    lengths: tuple[int, ...] | None = None


def _keep(force: FloatArray) -> FloatArray:
    return force


def sign_and_unit(base: EvidenceBase, floor: FloatArray, present: Base) -> list[Discrete]:
    """Return forces of the other sign or in another unit, judged against the machine file's bodies with friction free.

    What is not common to all that the model alone (`present`) estimates is no unit; where that leaves so much that its
    estimates say nothing, what is not common to platform and struts.
    """
    machine = base.rows[0].machine
    bodies = _compute_body_forces(base)
    factor, std = _factor_of(base, floor, bodies.sum(axis=2, keepdims=True))
    values = base.parameters(present)[: base.problem.reported]
    spread = np.sqrt(base.variance(present) * present.pure_error)
    told = []
    for cause in list_causes_of_factor(factor, std, machine.drives):
        common = is_common_factor(cause, factor, base.problem.parameters, values, spread)
        if not common and present.total_ratio > POOR:
            parts = [_factor_of(base, floor, bodies[:, :, order]) for order in ([0, 1], [1, 0])]
            common = all(are_alike(part, factor) for part, _ in parts)
        if common:
            by = 1.0 / cause.value if cause.name == "force_gain" else cause.value
            told.append(Discrete(cause, partial(_scale, factor=by)))
    return told


def _compute_body_forces(base: EvidenceBase) -> FloatArray:
    """Return the force (K, n, 2) in the band that the file's bodies need: of the platform, and of all others.

    Of a machine without limbs the heaviest body stands for the platform.
    """
    entries = base.rows[0].machine.basis.entries
    bodies = [entry.kind in INERTIAL for entry in entries]
    platform = [own and entry.limb is None for own, entry in zip(bodies, entries, strict=True)]
    if platform == bodies:
        heaviest = max(
            (entry for entry in entries if entry.kind is Kind.MASS), key=lambda entry: entry.nominal
        ).body
        platform = [entry.body == heaviest for entry in entries]
    phi = np.array([entry.nominal for entry in entries])
    directions = np.stack([np.where(platform, phi, 0.0), np.where(np.greater(bodies, platform), phi, 0.0)], 1)
    return np.concatenate(
        [
            rows.thin_in_band(rows.machine.compute_regressor(rows.thin_motion, directions))
            for rows in base.rows
        ]
    )


def _factor_of(base: EvidenceBase, floor: FloatArray, bodies: FloatArray) -> tuple[float, float]:
    """Return the factor, and its deviation, of the first column (K, 6, n) of bodies; the rest and friction are free."""
    equations = base.problem.equations
    friction = [k for k, entry in enumerate(base.problem.parameters.entries) if entry.kind.friction]
    free = np.concatenate([bodies[:, :, 1:], equations.regressor[:, :, friction]], axis=2)
    return compute_output_factor(bodies[:, :, 0], free, equations.force, floor, equations.segment)


def _scale(force: FloatArray, factor: float | FloatArray) -> FloatArray:
    return factor * force


def find_exchanged_forces(base: EvidenceBase) -> list[Discrete]:
    """Return forces in the columns of other struts."""
    equations = base.problem.equations
    order = find_best_order(
        base.view.equations(equations).regressor, _compute_known_force(base), equations.force
    )
    cause = find_cause_of_order(order)
    return [] if cause is None else [Discrete(cause, lambda force: force[:, order.column])]


def compute_reversed_force(base: EvidenceBase, floor: FloatArray, present: Base) -> list[Discrete]:
    """Return the force of the drive that has the other sign alone, if the model then leaves much less."""
    machine, kept = base.rows[0].machine, base.kept
    equations, own = base.problem.equations, base.view.equations(base.problem.equations)
    count = equations.force.shape[1]
    if count == 1:  # that of all forces: no residual shows it
        return []
    squares = []
    for row in np.eye(count):
        measured = own.measured - 2.0 * equations.force * row
        fit = Base.of(own.regressor[kept], measured[kept], floor, equations.segment[kept])
        squares.append(float(fit.residual @ fit.residual))
    before, drive = float(present.residual @ present.residual), int(np.argmin(squares))
    if squares[drive] > BETTER * before:
        return []
    sign = 1.0 - 2.0 * np.eye(count)[drive]
    cause = Cause(
        f"force_sign_{machine.drives[drive].label}", -1.0, 0.0, "", 1.0 - squares[drive] / before,
        "Reverse the sign of that force", FORCE_FACTOR,
    )  # fmt: skip
    return [Discrete(cause, partial(_scale, factor=sign))]


def _compute_known_force(base: EvidenceBase) -> FloatArray:
    """Force (K, 6) of what is not estimated, and of the parameters before the data."""
    equations = base.problem.equations
    return equations.force - base.view.equations(equations).measured


def other_gravity(base: EvidenceBase, floor: FloatArray, present: Base) -> list[Discrete]:
    """Gravity upside down or along another axis: the model refitted with each of six directions."""
    machine = base.rows[0].machine
    size = float(np.linalg.norm(machine.gravity))
    if size == 0.0:
        return []
    problem = base.problem
    mapping = np.column_stack([problem.parameters.mapping, problem.parameters.known])
    # late forces, too, are explained by half with gravity upside down
    before = float(present.residual @ present.residual)
    most = min(BETTER * before, _compute_delay_residual(base, floor, present))
    best: tuple[float, FloatArray] | None = None
    for direction in np.vstack([np.eye(3), -np.eye(3)]) * size:
        if np.linalg.norm(direction - machine.gravity) < 0.1 * size:
            continue
        changed = _replace_gravity(machine, direction)
        change = np.concatenate(
            [
                rows.thin_in_band(
                    changed.compute_regressor(rows.thin_motion, mapping)
                    - machine.compute_regressor(rows.thin_motion, mapping)
                )
                for rows in base.rows
            ]
        )
        equations = replace(
            problem.equations,
            regressor=problem.equations.regressor + change[:, :, :-1],
            measured=problem.equations.measured - change[:, :, -1],
        )
        other = base.view.equations(equations)
        fit = Base.of(other.regressor, other.measured, floor, equations.segment)
        left = float(fit.residual @ fit.residual)
        if left < most and (best is None or left < best[0]):
            best = left, direction
    if best is None:
        return []
    left, direction = best
    cosine = float(np.clip(direction @ machine.gravity / size**2, -1.0, 1.0))
    where = "upside down" if cosine < -0.99 else f"along {_name_axis(direction)}"
    cause = Cause(
        "gravity_direction", float(np.arccos(cosine)), 0.0, "rad", 1.0 - left / before,
        f"Set gravity: {[round(float(g), 4) for g in direction]} in the machine file", "gravity",
        detail=f"gravity is {where}",
    )  # fmt: skip
    return [Discrete(cause, _keep, _replace_gravity(machine, direction))]


def find_exchanged_lengths(base: EvidenceBase) -> list[Discrete]:
    """Lengths in the columns of other struts."""
    rows, problem = base.rows[0], base.problem
    order = find_best_length_order(
        rows.machine, rows.thin_drives, rows.force[rows.thin], problem.parameters, problem.prior
    )
    return [] if order is None else [Discrete(order.cause, _keep, lengths=order.column)]


def _compute_delay_residual(base: EvidenceBase, floor: FloatArray, present: Base) -> float:
    """Return the sum of squares that a delay of all forces would leave, in units of the floor."""
    values, scale = base.parameters(present), np.array([LARGE_DELAY])
    situations = base.situations(values)
    late = np.concatenate([compute_late(one).sum(axis=2, keepdims=True) for one in situations])[base.kept]
    delay = float(present.extend(late, scale).solution[-1]) * LARGE_DELAY
    every = np.full(late.shape[1], delay or LARGE_DELAY)
    later = base.columns_at(compute_later, situations, every).sum(axis=2, keepdims=True)
    left = present.extend(later, scale).residual
    return float(left @ left)


def _replace_gravity(machine: Machine, gravity: FloatArray) -> Machine:
    change = gravity - machine.gravity
    return machine.with_changes({f"gravity.{k}": float(change[k]) for k in np.flatnonzero(change)})


def _name_axis(direction: FloatArray) -> str:
    k = int(np.argmax(np.abs(direction)))
    return ("-" if direction[k] < 0 else "+") + "xyz"[k]


def suspects(base: EvidenceBase, floor: FloatArray, present: Base) -> list[Discrete]:
    """What may be wrong altogether: sign or unit, which are sure; else what could leave less of a large residual.

    Exchanged struts and another gravity come before sign and unit where nothing fits: they spoil the comparison with
    the machine file that tells those. `present` is the base with that floor.
    """
    causes: list[Discrete] = []
    if present.total_ratio > POOR:
        causes = [
            *compute_reversed_force(base, floor, present),
            *find_exchanged_forces(base),
            *other_gravity(base, floor, present),
        ]
    if present.total_ratio > HOPELESS:
        causes += find_exchanged_lengths(base)
        if causes:
            return causes
    return sign_and_unit(base, floor, present)[:1] or causes
