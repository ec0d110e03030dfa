# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The answer of an experiment by its full model: values with total deviations, statuses and a verdict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.estimation.batch.least_squares import residual_covariance
from pkm_identification.estimation.posterior.blocks import (
    FEWEST_BLOCKS,
    Blocks,
    form_normal_equations,
    split_blocks,
)
from pkm_identification.estimation.posterior.mode import Mode, find_mode
from pkm_identification.estimation.posterior.status import (
    NAMED_KEYS,
    KnownValue,
    Leaning,
    choose_status,
)
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.parameter_set import ParameterSet

from ..experiment import Experiment
from .equations import FullEquations, build_full_equations, find_free_widths
from .nuisance import COMMON_GAIN
from .unknowns import FileModel, Unknown

GAIN_KEY = "force gain"
WEIGHTINGS = 3  # times that the residual says how to weigh the equations


@dataclass(frozen=True)
class Posterior:
    """What the logs and the file say together.

    Attributes
    ----------
    equations : FullEquations
    model : FileModel
    mode : Mode
    blocks : Blocks
    residual : ndarray, shape (K, m)
        Of the mode, N or N m.
    """

    equations: FullEquations
    model: FileModel
    mode: Mode
    blocks: Blocks
    residual: FloatArray

    @property
    def basis(self) -> FloatArray:
        """Values (B,) of the basis."""
        return self.mode.values[: self.equations.basis]

    @property
    def conflicts(self) -> list[tuple[Unknown, float]]:
        """Unknowns and how many of their widths they are off by, the worst first."""
        order = np.argsort(-np.abs(self.mode.unknowns))
        return [(self.model.unknowns[k], float(self.mode.unknowns[k])) for k in order]


def find_posterior(
    experiment: Experiment, values: FloatArray, noise: FloatArray
) -> Posterior | None:
    """Return the posterior of an experiment of the force model; None of logs that are too short for deviations.

    Parameters
    ----------
    experiment : Experiment
    values : ndarray, shape (B,)
        Of the basis, a first estimate.
    noise : ndarray, shape (m, m)
        Covariance of the equations' noise, a first guess.
    """
    full = build_full_equations(experiment, values)
    equations = full.problem.equations
    blocks = split_blocks(equations.time, equations.segment, full.problem.log)
    if len(blocks) < FEWEST_BLOCKS:
        return None
    model = build_model(full)
    starts: list[FloatArray] = []
    for _ in range(WEIGHTINGS):
        root = np.linalg.inv(np.linalg.cholesky(noise * full.problem.redundancy))
        columns, measured = root @ full.columns, full.measured @ root.T
        mode = find_mode(model, form_normal_equations(columns, measured), starts)
        residual = full.measured - full.columns @ mode.values
        starts = [mode.unknowns]
        noise = _weigh_residual(residual, full, mode)
    return Posterior(full, model, mode, Blocks.of(mode, columns, measured, blocks), residual)


def build_model(full: FullEquations) -> FileModel:
    """Return the unknowns of a machine's full equations."""
    total = full.columns.shape[2]
    machine = full.machine
    model = FileModel.of_bodies(machine.knowledge, machine.rows_of_bodies, machine.basis.nominal, total)
    unit = np.eye(total)
    for k, width in find_free_widths(full).items():
        entry = full.problem.parameters.entries[k]
        model.add(Unknown(entry.name, entry.name, width, entry.unit, entry.kind is Kind.INERTIA or entry.kind is Kind.MASS), width * unit[k])
    first = full.basis + full.reversals
    for nuisance in full.nuisances:
        for name, width, its_unit in zip(nuisance.names, nuisance.widths, nuisance.units, strict=True):
            model.add(Unknown(name, name, width, its_unit), unit[first])
            first += 1
    return model


def _weigh_residual(residual: FloatArray, full: FullEquations, mode: Mode) -> FloatArray:
    used = full.problem.used
    spent = len(mode.unknowns) - float(np.trace(mode.covariance))  # unknowns that the data have decided
    covariance = residual_covariance(residual, int(round(spent)))
    if used is None:
        return covariance
    share = 1.0 / np.sqrt(np.maximum(used.mean(axis=0), 1.0 / len(used)))
    return covariance * np.outer(share, share)


def build_views(parameters: ParameterSet, names: tuple[str, ...]) -> tuple[FloatArray, FloatArray]:
    """Return what makes of the basis (B,) values of a set's parameters: factors (P, B) and offsets (P,).

    Parameters
    ----------
    parameters : ParameterSet
        Without nuisance.
    names : tuple of str, length B
        Of the basis.
    """
    factors = np.linalg.pinv(parameters.mapping)
    offsets = -factors @ parameters.known
    index = {name: k for k, name in enumerate(names)}
    for row, name in enumerate(parameters.names):
        if name in parameters.sums:
            factors[row], offsets[row] = 0.0, 0.0
            for term, factor in parameters.sums[name].items():
                factors[row, index[term]] = factor
    return factors, offsets


@dataclass(frozen=True)
class Views:
    """Values that are reported: r of them, with their slopes by the unknowns.

    Attributes
    ----------
    names, units : tuple of str
    values : ndarray, shape (r,)
    slopes : ndarray, shape (r, p)
    sizes : ndarray, shape (r,)
        What a value may well be where it is near 0; 0 where nothing is known.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    values: FloatArray
    slopes: FloatArray
    sizes: FloatArray


def build_posterior_views(posterior: Posterior) -> Views:
    """Return the sums of the machine that its logs are asked for, and masses of bodies that are in none of them."""
    full, mode = posterior.equations, posterior.mode
    machine = full.machine
    parameters = machine.build_parameter_set(machine.sums_set)
    factors, offsets = build_views(parameters, tuple(machine.basis.names))
    values = factors @ posterior.basis + offsets
    slopes = factors @ mode.slope[: full.basis]
    sizes = [0.0 if one.size is None or not np.isfinite(one.size) else one.size for one in parameters.entries]
    names, units = list(parameters.names), list(parameters.units)
    masses = posterior.model.compute_hidden_masses(mode.unknowns)
    names += [name for name, _, _ in masses]
    units += ["kg"] * len(masses)
    return Views(
        tuple(names), tuple(units),
        np.concatenate([values, [value for _, value, _ in masses]]),
        np.vstack([slopes, *[slope for _, _, slope in masses]]),
        np.array([*sizes, *[0.0] * len(masses)]),
    )  # fmt: skip


def list_values(posterior: Posterior) -> tuple[KnownValue, ...]:
    """Return values with total deviations and statuses."""
    mode, views = posterior.mode, build_posterior_views(posterior)
    values, slopes = views.values, views.slopes
    covariance = mode.covariance
    moved = slopes @ covariance  # (P, p): d value / d number of the file, in its widths
    white = np.sum((moved @ (mode.information - np.eye(len(covariance)))) * moved, axis=1)
    data = np.sqrt(np.maximum(posterior.blocks.jackknife(slopes), white))
    prior = np.sum(slopes**2, axis=1)
    file_variance = moved**2
    left = (data**2 + file_variance.sum(axis=1)) / np.maximum(prior, 1e-300)
    gain = COMMON_GAIN * np.abs(values)
    made = []
    for j, (name, unit, size) in enumerate(zip(views.names, views.units, views.sizes, strict=True)):
        if not np.any(slopes[j]):
            continue
        own = float(np.sqrt(file_variance[j].sum() + gain[j] ** 2))
        std = float(np.hypot(data[j], own))
        status = choose_status(float(values[j]), std, own, 1.0 - float(left[j]), float(size))
        leanings = _find_leanings(posterior, moved[j], float(values[j]), float(gain[j]), std)
        made.append(
            KnownValue(
                name, unit, float(values[j]), std, float(data[j]), own, 1.0 - float(left[j]),
                status, leanings,
            )
        )  # fmt: skip
    return tuple(made)


def _find_leanings(
    posterior: Posterior, moved: FloatArray, value: float, gain: float, std: float
) -> tuple[Leaning, ...]:
    """Return the keys that a value rests on most."""
    shares: dict[str, float] = {GAIN_KEY: (gain / std) ** 2 if std else 0.0}
    largest: dict[str, int] = {}
    for k, unknown in enumerate(posterior.model.unknowns):
        shares[unknown.key] = shares.get(unknown.key, 0.0) + (moved[k] / std) ** 2
        if unknown.key not in largest or abs(moved[k]) > abs(moved[largest[unknown.key]]):
            largest[unknown.key] = k
    leanings = []
    for key in sorted(shares, key=lambda one: -shares[one])[:NAMED_KEYS]:
        if key == GAIN_KEY:
            leanings.append(Leaning(key, shares[key], 0.01, "%"))
            continue
        unknown = posterior.model.unknowns[largest[key]]
        slope = moved[largest[key]] / unknown.width / value if value else 0.0
        unit = unknown.unit if unknown.unit in ("%", "mm") else ""
        leanings.append(Leaning(key, shares[key], float(slope), unit))
    return tuple(leanings)
