# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Equations in every number of a machine at once: its basis, reversal pulses and the columns of nuisance effects."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.estimation.problem import Problem
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.parameter_set import ParameterSet

from ..experiment import Experiment
from ..model_errors.log_rows import LogRows, rows_of_samples
from ..model_errors.situation import build_situations
from ..problem_builder import build_problem
from .nuisance import Nuisance, list_nuisances

FRICTION_WIDTH = 3.0  # times a typical force: friction before the data


@dataclass(frozen=True)
class FullEquations:
    """measured = columns @ w, w being the basis, then factors of reversal pulses, then effects in prior deviations.

    Attributes
    ----------
    machine : Machine
    problem : Problem
        In basis and reversal pulses.
    nuisances : tuple of Nuisance
    columns : ndarray, shape (K, m, T)
    basis, reversals : int
        How many values are of either.
    rows : tuple of LogRows
        Of each log.
    """

    machine: Machine
    problem: Problem
    nuisances: tuple[Nuisance, ...]
    columns: FloatArray
    basis: int
    reversals: int
    rows: tuple[LogRows, ...]

    @property
    def measured(self) -> FloatArray:
        """Right sides (K, m)."""
        return self.problem.equations.measured


def build_whole_set(machine: Machine) -> ParameterSet:
    """Return the set whose parameters are the entries of a machine's basis."""
    count = len(machine.basis)
    entries = tuple(replace(entry, scale=np.inf) for entry in machine.basis)
    return ParameterSet("whole", entries, np.eye(count), np.zeros(count))


def build_full_equations(experiment: Experiment, values: FloatArray) -> FullEquations:
    """Return the equations of an experiment of the force model, zero-phase.

    Parameters
    ----------
    experiment : Experiment
    values : ndarray, shape (B,)
        Of the basis, a first estimate: where effects are linearised.
    """
    machine, settings = experiment.machine, experiment.settings
    samples = experiment.smooth_samples
    problem = build_problem(
        machine, settings, [[one] for one in samples], noise=experiment.smooth_rate_noise,
        flicker=experiment.flicker, parameters=build_whole_set(machine),
    )  # fmt: skip
    basis = len(machine.basis)
    start = np.concatenate([values, np.zeros(len(problem.parameters) - basis)])
    seen = experiment.equations_machine()
    rows = [
        rows_of_samples(seen, problem.parameters, one, settings.band, experiment.flicker) for one in samples
    ]
    situations = build_situations(problem, rows, start)
    nuisances = tuple(list_nuisances(machine, problem.parameters))
    parts = [problem.equations.regressor, *(one.columns(situations) for one in nuisances)]
    columns = np.concatenate(parts, axis=2)
    return FullEquations(
        machine, problem, nuisances, columns, basis, problem.parameters.nuisance, tuple(rows)
    )


def find_free_widths(equations: FullEquations) -> dict[int, float]:
    """Return the prior deviations of basis entries that are no body's, and of reversal pulses, by their index."""
    machine, problem = equations.machine, equations.problem
    # of a drive that carries little: friction is not its bodies'
    typical = np.maximum(machine.force_size, np.sqrt(np.mean(problem.equations.force**2, axis=0)))
    of_bodies = np.any([np.any(rows, axis=1) for rows in machine.rows_of_bodies], axis=0)
    motors = {one.drives[0]: one.width for one in machine.knowledge.of_kind("motor_inertia")}
    widths = {}
    for k, entry in enumerate(problem.parameters.entries):
        if entry.kind.friction or entry.kind is Kind.NUISANCE:
            felt = np.sqrt(np.mean(equations.columns[:, :, k] ** 2, axis=0))
            seen = felt > 0.0
            if seen.any():
                widths[k] = FRICTION_WIDTH * float(np.max(typical[seen] / felt[seen]))
        elif not of_bodies[k] and entry.limb is not None:
            widths[k] = motors[entry.limb]
    return widths
