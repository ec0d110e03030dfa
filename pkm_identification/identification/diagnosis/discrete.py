# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is wrong with a log altogether: signs, exchanged columns, gravity from another side, coupled drives.

Each is tried by what it would leave of the forces, and believed where that is much less than all that the full model
allows for leaves. One is reported: set right, the log is another one. The sign and the unit of all forces leave no
residual; the full model finds those by what the file says of the bodies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.estimation.lack_of_fit.exchange import find_best_order
from pkm_identification.estimation.posterior.blocks import form_normal_equations
from pkm_identification.estimation.posterior.mode import find_mode
from pkm_identification.estimation.posterior.thresholds import MAX_FLOOR_RATIO
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records.foreign.units import FACTORS

from ..full_model.equations import FullEquations
from ..full_model.posterior import Posterior, build_model
from ..full_model.unknowns import FileModel
from ..full_model.unstated_motors import allow_any_motors
from .coupled_drives import couple_bodies, couple_friction, describe_coupled_motor, list_coupled_motors
from .discrete_causes import BETTER, build_unit_cause, find_cause_of_order
from .findings import FORCE_FACTOR, Cause
from .length_order import find_best_length_order
from .reversed_coordinates import describe_reversal, list_reversals, reverse_coordinates

POOR = 3.0  # residual over floor from which on discrete causes are looked for
HOPELESS = 20.0  # and from which on also exchanged lengths
REMAINING = 0.1  # of the residual's squares: what leaves more is not what is wrong, or not all of it
STEPS = 30  # a change that is right is found in fewer
ALIKE = 1.02  # squares: of causes that leave as much, as on a machine that is its own mirror image, the first is told


def find_discrete_cause(posterior: Posterior, floor: FloatArray, left: float, misfit: bool) -> Cause | None:
    """Return what is wrong altogether, if anything is.

    Parameters
    ----------
    posterior : Posterior
    floor : ndarray, shape (n,)
        Noise of the equations, N or N m.
    left : float
        Sum of squares in units of the floor that the full model leaves.
    misfit : bool
        Whether that is more than noise: else nothing needs to leave less, but as much without any effect.
    """
    full, whole = posterior.equations, _FileModel.of(posterior, floor)
    before = whole.compute_cost(full.measured)
    ratio = np.sqrt(before / full.measured.size)
    if ratio < POOR:
        return None
    tried = [
        *_reverse_one_force(whole), *_convert_one_force(whole), *_exchange_forces(whole), *_turn_gravity(whole),
        *_couple_drives(whole), *_reverse_coordinates(whole),
    ]  # fmt: skip
    if ratio > HOPELESS:
        tried += _exchange_lengths(full, before)
    noise = MAX_FLOOR_RATIO**2 * full.measured.size
    # what leaves noise alone is right, though effects that are none may have left little more
    most = min(BETTER * before, max(BETTER * left, min(left, noise)) if misfit else MAX_FLOOR_RATIO**2 * left)
    believed = [(cause, squares) for cause, squares in tried if squares < most]
    if not believed:
        return None
    least = min(squares for _, squares in believed)
    cause, squares = next(one for one in believed if one[1] <= ALIKE * least)
    most_noise = HOPELESS**2 * full.measured.size
    if squares > min(REMAINING * before, most_noise):  # what is really wrong looks alike in part: no order
        cause = replace(cause, correction="")
    return cause.with_share(1.0 - squares / before)


@dataclass(frozen=True)
class _FileModel:
    """The numbers of the file with their priors, fitted without any effect, in units of the noise."""

    full: FullEquations
    floor: FloatArray
    model: FileModel

    @classmethod
    def of(cls, posterior: Posterior, floor: FloatArray) -> _FileModel:
        full = posterior.equations
        alone = replace(full, nuisances=(), columns=full.problem.equations.regressor)
        return cls(alone, floor, build_model(alone, motors=allow_any_motors(full.machine)))

    def compute_cost(
        self, measured: FloatArray, columns: FloatArray | None = None, floor: FloatArray | None = None
    ) -> float:
        """Return the least sum of squares of right sides (K, n) and prior, with other columns or noise if given."""
        columns = self.full.columns if columns is None else columns
        floor = self.floor if floor is None else floor
        normal = form_normal_equations(columns / floor[:, None], measured / floor)
        return find_mode(self.model, normal, (np.zeros(self.model.width),), STEPS).cost


def _reverse_one_force(whole: _FileModel) -> Iterator[tuple[Cause, float]]:
    """Yield the force of each drive that may have the other sign alone, and the squares that it would leave."""
    full = whole.full
    force = full.problem.equations.force
    count = force.shape[1]
    if count == 1:  # that of all forces: it leaves no residual
        return
    for row, drive in zip(np.eye(count), full.machine.drives, strict=True):
        correction = "Reverse the sign of that force"
        cause = Cause(f"force_sign_{drive.label}", -1.0, 0.0, "", 0.0, correction, FORCE_FACTOR)
        yield cause, whole.compute_cost(full.measured - 2.0 * force * row)


def _convert_one_force(whole: _FileModel) -> Iterator[tuple[Cause, float]]:
    """Yield each unit that the force of one drive may be in alone, and the squares that it leaves converted.

    Its noise is converted with it: else any small unit would leave little.
    """
    full, drives = whole.full, whole.full.machine.drives
    force = full.problem.equations.force
    if len(drives) == 1:  # that of all forces: it leaves no residual
        return
    for row, drive in zip(np.eye(len(drives)), drives, strict=True):
        for unit, factor in FACTORS["torque" if drive.unit == "rad" else "force"].items():
            if factor == 1.0:
                continue
            cause = build_unit_cause(drive, unit, factor)
            scale = 1.0 + (factor - 1.0) * row
            yield cause, whole.compute_cost(full.measured + (scale - 1.0) * force, floor=whole.floor * scale)


def _exchange_forces(whole: _FileModel) -> Iterator[tuple[Cause, float]]:
    """Yield forces in the columns of other drives, and about the squares that they leave in the right ones.

    The equation of a drive that stands still is a row of zeros, which must not change places: samples where all drives
    move tell the order.
    """
    problem = whole.full.problem
    moving = slice(None) if problem.used is None else np.all(problem.used, axis=1)
    equations, prior = problem.equations[moving], problem.prior
    if equations.force.size < whole.model.width:
        return
    known = equations.force - whole.full.measured[moving]
    order = find_best_order(
        equations.regressor * prior.std, known + equations.regressor @ prior.mean, equations.force
    )
    cause = find_cause_of_order(order, whole.full.machine.drives)
    if cause is not None:
        left = whole.compute_cost(equations.force[:, order.column] - known, whole.full.columns[moving])
        yield cause, left * len(whole.full.measured) / len(equations.force)


def _turn_gravity(whole: _FileModel) -> Iterator[tuple[Cause, float]]:
    """Yield gravity upside down or along another axis, and the squares that it leaves there."""
    full = whole.full
    machine = full.machine
    size = float(np.linalg.norm(machine.gravity))
    if size == 0.0:
        return
    unit = np.eye(full.basis)
    for direction in np.vstack([np.eye(3), -np.eye(3)]) * size:
        if np.linalg.norm(direction - machine.gravity) < 0.1 * size:
            continue
        changed = _replace_gravity(machine, direction)
        columns = full.columns.copy()
        columns[:, :, : full.basis] += np.concatenate(
            [
                rows.thin_in_band(
                    changed.compute_regressor(rows.thin_motion, unit)
                    - machine.compute_regressor(rows.thin_motion, unit)
                )
                for rows in full.rows
            ]
        )
        cosine = float(np.clip(direction @ machine.gravity / size**2, -1.0, 1.0))
        where = "upside down" if cosine < -0.99 else f"along {_name_axis(direction)}"
        correction = f"Set gravity: {[round(float(g), 4) for g in direction]} in the machine file"
        cause = Cause(
            "gravity_direction", float(np.arccos(cosine)), 0.0, "rad", 0.0, correction, "gravity",
            detail=f"gravity is {where}",
        )  # fmt: skip
        yield cause, whole.compute_cost(full.measured, columns)


def _couple_drives(whole: _FileModel) -> Iterator[tuple[Cause, float]]:
    """Yield motors that may turn with two joints, and the squares that they leave if the log has motors, or joints."""
    full = whole.full
    for motor in list_coupled_motors(full.machine):
        for logged, couple in (("motors", couple_bodies), ("joints", couple_friction)):
            columns = couple(full, motor)
            if np.all(np.isfinite(columns)):
                yield (
                    describe_coupled_motor(full.machine, motor, logged),
                    whole.compute_cost(full.measured, columns),
                )


def _reverse_coordinates(whole: _FileModel) -> Iterator[tuple[Cause, float]]:
    """Yield coordinates of the other sign, alone and with their forces, and the squares that they leave set right."""
    full = whole.full
    force = full.problem.equations.force
    for sign in list_reversals(full):
        columns = reverse_coordinates(full, sign)
        if columns is None:
            continue
        for with_force, measured in ((False, full.measured), (True, full.measured + (sign - 1.0) * force)):
            cause = describe_reversal(full.machine.drives, sign, with_force)
            yield cause, whole.compute_cost(measured, columns)


def _exchange_lengths(full: FullEquations, before: float) -> Iterator[tuple[Cause, float]]:
    """Yield lengths in the columns of other struts, and about the squares that they leave in the right ones."""
    rows, problem = full.rows[0], full.problem
    order = find_best_length_order(
        rows.machine, rows.thin_drives, rows.force[rows.thin], problem.parameters, problem.prior
    )
    if order is not None:
        yield order.cause, before * (1.0 - order.explains)


def _replace_gravity(machine: Machine, gravity: FloatArray) -> Machine:
    change = gravity - machine.gravity
    return machine.with_changes({f"gravity.{k}": float(change[k]) for k in np.flatnonzero(change)})


def _name_axis(direction: FloatArray) -> str:
    k = int(np.argmax(np.abs(direction)))
    return ("-" if direction[k] < 0 else "+") + "xyz"[k]
