# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The posterior of a machine's numbers: what the logs of an experiment and the file say together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

import numpy as np

from pkm_identification.estimation.batch.least_squares import compute_residual_covariance
from pkm_identification.estimation.posterior.blocks import (
    FEWEST_BLOCKS,
    Blocks,
    form_normal_equations,
    split_blocks,
)
from pkm_identification.estimation.posterior.contrasts import Contrasts
from pkm_identification.estimation.posterior.mode import Mode, NormalEquations, find_mode
from pkm_identification.estimation.posterior.thresholds import (
    COMMON_FACTORS,
    LEAST_FACTOR,
    LIKELY,
    MAX_CONFLICT,
    SEARCHED_FACTORS,
)
from pkm_identification.estimation.posterior.verdict import CommonFactor
from pkm_identification.machines.drives import find_coefficients_inside
from pkm_identification.numerics.arrays import FloatArray

from ..experiment import Experiment
from .equations import FullEquations, build_full_equations, find_free_widths
from .like_bodies import find_spread
from .nuisance import NEAR_STANDSTILL
from .sums import share_among_bodies
from .unknowns import FileModel, Unknown
from .unstated_motors import allow_any_motors, is_growing, widen_motors

STEPS = 30  # a common factor that is right is found in fewer
WEIGHTINGS = 3  # times that the residual says how to weigh the equations
# And that effects are linearised anew, as long as that moves values by more deviations of the data's, of which the
# residual's power says next to nothing
MOST_PASSES, SETTLED = 15, 0.3
# Of Student's distribution that effects have before the data: most are small, and one that is large is as large as it
# is. A normal one would bend all other values to make it smaller.
FREEDOM = 4.0
NONE = 1e-6  # stated widths of an effect that would be less than any can be: it is at its bound of 0


@dataclass(frozen=True)
class Posterior:
    """See the module.

    Attributes
    ----------
    equations : FullEquations
    model : FileModel
    normal : NormalEquations
        Of the whitened equations.
    mode : Mode
    blocks : Blocks
    residual : ndarray, shape (K, m)
        Of the mode, N or N m.
    contrasts : Contrasts
        Between parts of the motion.
    motors : mapping of str to float
        Usual widths that large motors of which the file says nothing are, as of `widen_motors`.
    """

    equations: FullEquations
    model: FileModel
    normal: NormalEquations
    mode: Mode
    blocks: Blocks
    residual: FloatArray
    contrasts: Contrasts
    motors: Mapping[str, float] = field(default_factory=dict)

    @property
    def basis(self) -> FloatArray:
        """Values (B,) of the basis."""
        return self.mode.values[: self.equations.basis]

    @property
    def decided(self) -> float:
        """How many unknowns the data have decided."""
        return len(self.mode.unknowns) - float(np.trace(self.mode.covariance))

    @cached_property
    def common_factor(self) -> CommonFactor | None:
        """A factor of all forces without which the file is not contradicted, if there is one."""
        return _find_common_factor(self)

    @cached_property
    def gain_direction(self) -> FloatArray:
        """What unknowns (p,) change by where all forces are larger by a width of their common gain."""
        (gain,) = self.equations.machine.knowledge.of_kind("common_force_gain")
        # friction inside drives is in their forces, and the file's: what is left of it outside is the estimate's
        values = self.mode.values.copy()
        values[: self.equations.basis] += self.inside
        return np.asarray(np.linalg.lstsq(self.mode.slope, gain.width * values)[0])

    @cached_property
    def inside(self) -> FloatArray:
        """Coefficients of the friction inside the drives, in the basis (B,)."""
        return find_coefficients_inside(self.equations.machine)

    @cached_property
    def common_gain(self) -> tuple[str, float]:
        """Key and relative deviation of the forces' common gain, which no log shows.

        Where gains of drives differ by more than stated, which of them are right is not known: so is not their mean.
        """
        knowledge = self.equations.machine.knowledge
        (common,), each = knowledge.of_kind("common_force_gain"), knowledge.of_kind("force_gain")
        keys = {one.key for one in each}
        gains = [one for one in self.model.unknowns if one.effect and one.key in keys]
        beyond = [one.width**2 * (1.0 - one.widened**-2.0) for one in gains if one.widened > 1.0]
        # the widths are the likeliest of Student's distribution; here their squares' mean counts
        mean = float(np.sqrt(sum(beyond) * (FREEDOM + 1.0) / (FREEDOM - 1.0))) / max(len(gains), 1)
        widest = max(gains, key=lambda one: one.widened, default=None)
        key = common.key if widest is None or mean < common.width else widest.key
        return key, float(np.hypot(common.width, mean))

    @cached_property
    def gain_moves(self) -> FloatArray:
        """What a width of the forces' common gain moves the unknowns (p,) by: h."""
        return np.asarray(self.gain_direction - self.mode.covariance @ self.gain_direction)

    @cached_property
    def own_deviations(self) -> FloatArray:
        """Deviations (p,) of the unknowns if the file is right."""
        return np.sqrt(self.compute_variances(np.eye(len(self.mode.unknowns))) + self.gain_moves**2)

    def compute_variances(self, directions: FloatArray) -> FloatArray:
        """Return the variances of unknowns along directions (r, p) if the file is right."""
        covariance = self.mode.covariance
        # an effect at its bound is none: it moves nothing
        widened = np.maximum([one.widened for one in self.model.unknowns], 1.0)
        moved = directions @ covariance
        of_file = np.sum(((directions - moved) / widened) ** 2, axis=1)
        white = np.sum(moved * directions, axis=1) - np.sum(moved**2, axis=1)
        return np.asarray(of_file + np.maximum(self.blocks.jackknife(directions), white))

    @property
    def widest(self) -> float:
        """Of the effects' widths in stated ones, 1 where none is large."""
        return max((one.widened for one in self.model.unknowns if one.effect), default=1.0)

    def compute_residual_ratio(self, floor: FloatArray) -> float:
        """Return the rms residual over noise floors (m,), degrees of freedom counted."""
        used = self.equations.problem.used
        count = np.full(len(floor), float(len(self.residual))) if used is None else used.sum(axis=0)
        free = max(1.0 - self.decided / max(float(count.sum()), self.decided + 1.0), 1e-3)
        squares = np.sum(self.residual**2, axis=0) / np.maximum(count, 1.0)
        return float(np.sqrt(np.mean(squares / floor**2) / free))

    @cached_property
    def _held_out(self) -> tuple[float, float]:
        rough = np.array([one.name.startswith(NEAR_STANDSTILL) for one in self.model.unknowns])
        return self.blocks.compute_held_out_ratios(self.equations.problem.redundancy, rough)

    @property
    def held_out_ratio(self) -> float:
        """Error of held-out motion over what the rest of the motion says of it; at least 1."""
        return max(self._held_out[0], 1.0)

    @property
    def unseen_share(self) -> float:
        """Rms error over rms force of fifths of the time that the rest predicts."""
        return self.residual_share * self._held_out[1]

    @property
    def held_out_chance(self) -> float:
        """Factor by which noise alone makes `held_out_ratio` larger than 1."""
        return self.blocks.compute_held_out_chance(self.equations.problem.redundancy)

    @property
    def residual_share(self) -> float:
        """Rms residual over rms force, of all drives."""
        force = self.equations.problem.equations.force
        return float(np.sqrt(np.mean(self.residual**2) / max(np.mean(force**2), 1e-300)))


def find_posterior(
    experiment: Experiment, values: FloatArray, noise: FloatArray, places: FloatArray | None = None
) -> Posterior | None:
    """Return the posterior of an experiment of the force model; None of logs that are too short for deviations.

    Parameters
    ----------
    experiment : Experiment
    values : ndarray, shape (B,)
        Of the basis, a first estimate.
    noise : ndarray, shape (m, m)
        Covariance of the equations' noise, a first guess.
    places : ndarray, shape (K, n, q), optional
        As of `build_full_equations`.
    """
    values = share_among_bodies(experiment.machine, values)
    return find_posterior_of(build_full_equations(experiment, values, places), noise)


def find_posterior_of(full: FullEquations, noise: FloatArray, wide: float = 1.0) -> Posterior | None:
    """Return the posterior of full equations, whose noise has a covariance (m, m) at first; None as above.

    Effects are `wide` times as wide at first: what is large then decides which of several is taken for it.
    """
    equations = full.problem.equations
    blocks = split_blocks(equations.time, equations.segment, full.problem.log)
    if len(blocks) < FEWEST_BLOCKS:
        return None
    first = full.basis + full.reversals
    widened = np.full(full.columns.shape[2] - first, wide)
    model = build_model(full, widened)
    starts: list[FloatArray] = []
    least, largest = _find_bounds(full)
    motors: dict[str, float] = {}
    limits, origin = np.full(len(widened), np.inf), model.compute(np.zeros(model.width))[0]
    for number in range(MOST_PASSES):
        root = np.linalg.inv(np.linalg.cholesky(noise * full.problem.redundancy))
        columns, measured = root @ full.columns, full.measured @ root.T
        normal = form_normal_equations(columns, measured, origin)
        mode = find_mode(model, normal, starts)
        change = mode.values - origin
        origin = mode.values
        residual = full.measured - full.columns @ mode.values
        noise = _weigh_residual(residual, full, mode)
        bent = full.is_bent(mode.values)
        beyond = (np.abs(mode.values[first:]) > largest) & (limits > 1.0)
        limits[beyond] = 1.0  # what no machine has is not allowed for
        std = widened * np.sqrt(np.diag(mode.covariance))[len(mode.unknowns) - len(widened) :]
        below = (mode.values[first:] < least - LIKELY * std) & (limits > NONE)
        limits[below] = NONE
        still = not bent or change @ normal.gram @ change < SETTLED**2
        grown = widen_motors(full.machine, model, mode)
        settled = still and not np.any(beyond | below) and not is_growing(motors, grown)
        if number == MOST_PASSES - 1 or (number >= WEIGHTINGS - 1 and settled):
            break
        if bent:
            full = full.relinearise(mode.values)
        widened = np.minimum(_widen(mode.values[first:], full), limits)
        spread, motors = find_spread(model, mode), grown
        there = mode.unknowns * model.list_widened()
        model = build_model(full, widened, spread, motors)
        sizes = model.list_widened()
        starts = [np.where(sizes > NONE, there / sizes, 0.0)]
    parts = Contrasts.of(
        mode, columns, residual @ root.T, blocks, full.split_by_motion(), full.find_inner_equations()
    )
    return Posterior(
        full, model, normal, mode, Blocks.of(mode, columns, measured, blocks), residual, parts, motors
    )


def _widen(found: FloatArray, full: FullEquations) -> FloatArray:
    """Return the widths of effects (q,) that were found in stated ones.

    What no file states and some drives have much of, the others may well have, too: their widths are one of a kind.
    """
    widths = np.sqrt((FREEDOM + found**2) / (FREEDOM + 1.0))
    first = full.basis + full.reversals
    for nuisance, columns in full.list_effects():
        own = slice(columns.start - first, columns.stop - first)
        if not nuisance.assessed:
            common = np.sqrt((FREEDOM + np.sum(found[own] ** 2)) / (FREEDOM + len(found[own])))
            widths[own] = np.maximum(widths[own], common)
    return np.maximum(widths, 1.0)


def _find_bounds(full: FullEquations) -> FloatArray:
    """Return what no machine has less and more of, of each effect (2, q) in its stated widths."""
    bounds = [
        (one.effect.least / max(width, 1e-300), one.effect.largest / max(width, 1e-300))
        for one in full.nuisances
        for width in one.widths
    ]
    return np.array(bounds).reshape(-1, 2).T


def build_model(
    full: FullEquations,
    widened: FloatArray | None = None,
    spread: float = 1.0,
    motors: Mapping[str, float] = MappingProxyType({}),
) -> FileModel:
    """Return the unknowns of a machine's full equations; effects are wider than stated by factors (q,) if given.

    Bodies that are made alike differ by `spread` stated widths, and `motors` are as of `widen_motors`.
    """
    machine, total = full.machine, full.columns.shape[2]
    model = FileModel.of_bodies(
        machine.knowledge, machine.rows_of_bodies, machine.basis.nominal, total, spread
    )
    unit = np.eye(total)
    for k, width in find_free_widths(full).items():
        entry = full.problem.parameters.entries[k]
        friction = k >= full.basis or entry.kind.friction
        factor = motors.get(entry.name, 1.0)
        assessed = not friction and factor == 1.0
        model.add(
            Unknown(entry.name, entry.name, factor * width, entry.unit, assessed, widened=factor),
            factor * width * unit[k],
        )
    first = full.basis + full.reversals
    factors = iter(np.ones(total - first) if widened is None else widened.tolist())
    for nuisance in full.nuisances:
        rows = zip(nuisance.names, nuisance.keys, nuisance.widths, nuisance.units, strict=True)
        for name, key, width, its_unit in rows:
            factor = next(factors)
            unknown = Unknown(
                name, key, factor * width, its_unit, nuisance.assessed, True, factor, nuisance.effect.largest
            )
            model.add(unknown, factor * unit[first])
            first += 1
    return model


def _weigh_residual(residual: FloatArray, full: FullEquations, mode: Mode) -> FloatArray:
    used = full.problem.used
    spent = len(mode.unknowns) - float(np.trace(mode.covariance))
    covariance = compute_residual_covariance(residual, round(spent))
    if used is None:
        return covariance
    share = 1.0 / np.sqrt(np.maximum(used.mean(axis=0), 1.0 / len(used)))
    return covariance * np.outer(share, share)


def _find_common_factor(posterior: Posterior) -> CommonFactor | None:
    """Return a factor of all forces without which the file is not contradicted: a unit's, else any that is large."""
    unknowns, normal = posterior.model.unknowns, posterior.normal
    model = build_model(posterior.equations, motors=allow_any_motors(posterior.equations.machine))
    assessed = np.array([one.assessed for one in model.unknowns])
    deviations = np.abs(posterior.mode.unknowns * [one.widened for one in unknowns]) * assessed
    own = float(np.max(deviations, initial=0.0))
    units = [unit for nuisance in posterior.equations.nuisances for unit in nuisance.units]
    # gains, delays and joints elsewhere add a share of the forces, whatever these are in; offsets and friction do not
    shares = np.array(["N" not in unit and "kg" not in unit for unit in units], dtype=bool)
    of_forces = np.zeros(len(normal.pull), dtype=bool)
    of_forces[len(of_forces) - len(units) :] = shares
    found, least = None, own

    def find_conflict(factor: float) -> float:
        # forces times a factor, and their noise with them
        columns = np.where(of_forces, factor, 1.0)
        changed = NormalEquations(
            normal.gram * np.outer(columns, columns) / factor**2, normal.pull * columns / factor, normal.power,
            normal.origin * (factor / columns),
        )  # fmt: skip
        mode = find_mode(model, changed, (np.zeros(model.width),), STEPS)
        return float(np.max(np.abs(mode.unknowns[assessed]), initial=0.0)) if mode.converged else np.inf

    for name, factor in COMMON_FACTORS:
        conflict = find_conflict(factor)
        if conflict >= min(least, MAX_CONFLICT):
            continue
        # masses that are all wrong by another factor come nearer with half the way, a unit does not
        if factor < 0.0 or find_conflict(float(np.sqrt(factor))) > conflict:
            found, least = CommonFactor(name, factor), conflict
    # guessed masses allow for much, and would take in what another number has wrong
    masses = [one.key.endswith(".mass") for one in unknowns]
    if found is not None or not np.max(deviations[masses], initial=0.0) > MAX_CONFLICT:
        return found
    # about as many times as the file's own forces are larger: it may lack friction
    of_file = posterior.equations.columns @ posterior.model.compute(np.zeros(posterior.model.width))[0]
    about = float(np.sqrt(np.mean(of_file**2) / np.mean(posterior.equations.measured**2)))
    possible = [one for one in about * SEARCHED_FACTORS if find_conflict(float(one)) < MAX_CONFLICT]
    factor = float(np.exp(np.mean(np.log(possible)))) if possible else 1.0
    if 1.0 / LEAST_FACTOR < factor < LEAST_FACTOR:
        return None
    return CommonFactor(f"about {1.0 / factor:.2g} times what the file's masses need", factor, is_unit=False)
