# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Errors of model and logs estimated beside a machine's parameters: taken off logs and file, and fitted again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import block_diag

from pkm_identification.estimation.equations import Equations
from pkm_identification.estimation.estimators import ESTIMATORS, Tuning
from pkm_identification.estimation.problem import Problem
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind, Parameter
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.relations import LinearRelations

from ..regression.equations import LogEquations
from ..regression.road import Road, join_equations
from ..regression.validation import ValidatedLog
from .columns import GAIN
from .errors import LARGE_SHARE, ModelError
from .road import CorrectedRoad

MOST_PASSES = 12
STILL = 0.1  # standard deviations
ROUNDING = 1e-4  # of the prior's standard deviation: nothing is known better
FIXED = 1e-5  # standard deviation of the mean of gains, which no motion shows
ALIKE = 0.02  # gains this near to their median are taken for right


def extend_parameters(
    parameters: ParameterSet, errors: Sequence[ModelError], equations: Equations | None = None
) -> ParameterSet:
    """Return a set with the errors behind its own, each an entry of its own behind the basis.

    Parameters
    ----------
    parameters : ParameterSet
    errors : sequence of ModelError
    equations : Equations, optional
        With columns of the errors: what errors without a scale of their own are small beside.
    """
    if not errors:
        return parameters
    entries = []
    for k, error in enumerate(errors):
        scale = error.scale
        if scale is None:
            scale = 1.0 if equations is None else _make_scale(equations, len(parameters) + k, error.drives)
        limb = error.drives[0] if len(error.drives) == 1 else None
        body = "machine" if limb is None else "drive"
        entries.append(
            Parameter(
                error.name, error.unit, Kind.EFFECT, body, error.nominal, scale, error.kind, limb, error.size
            )
        )
    return replace(
        parameters,
        entries=(*parameters.entries, *entries),
        mapping=block_diag(parameters.mapping, np.eye(len(errors))),
        known=np.concatenate([parameters.known, np.zeros(len(errors))]),
    )


def _make_scale(equations: Equations, column: int, drives: Sequence[int]) -> float:
    """Return what makes LARGE_SHARE of the drives' forces."""
    own = list(drives)
    force = np.sqrt(np.mean(equations.force[:, own] ** 2))
    felt = np.sqrt(np.mean(equations.regressor[:, own, column] ** 2))
    return float(LARGE_SHARE * force / felt) if felt > 0.0 and force > 0.0 else 1.0


def relate_gains(
    errors: Sequence[ModelError], parameters: ParameterSet, values: FloatArray, drives: int
) -> LinearRelations | None:
    """Return what fixes the factor that all gains have in common, where all drives have one; else None.

    No motion shows it. The mean of those near their median, or of all where none is, is 1: one gain that is wrong
    leaves the others right.

    Parameters
    ----------
    errors : sequence of ModelError
    parameters : ParameterSet
        That are estimated.
    values : ndarray, shape (q,)
        Of the errors.
    drives : int
    """
    own = [(error.name, value) for error, value in zip(errors, values, strict=True) if error.kind == GAIN]
    if len(own) < max(drives, 2) or any(name not in parameters.names for name, _ in own):
        return None
    places = np.array([parameters.names.index(name) for name, _ in own])
    gains = np.array([value for _, value in own])
    near = np.abs(gains / np.median(gains) - 1.0) < ALIKE
    if near.any():
        places = places[near]
    row = np.zeros(len(parameters))
    row[places] = 1.0 / (len(places) * FIXED)
    return LinearRelations(row[None, :], np.array([1.0 / FIXED]))


@dataclass(frozen=True)
class Settled:
    """Logs, file and equations without the errors as they are estimated.

    Attributes
    ----------
    road : Road
    made : list of LogEquations
        With columns of the errors.
    values : ndarray, shape (q,)
        About which these hold.
    unsettled : str
        Whose value still moves, in words; empty where none does.
    """

    road: Road
    made: list[LogEquations]
    values: FloatArray
    unsettled: str = ""


def settle_errors(
    road: Road,
    logs: Sequence[ValidatedLog],
    made: list[LogEquations],
    errors: Sequence[ModelError],
    build_problem: Callable[[list[LogEquations], FloatArray], tuple[Problem, FloatArray, FloatArray]],
    robust: bool,
) -> Settled:
    """Return the errors' values and equations near them: Gauss-Newton, until values move no more.

    Parameters
    ----------
    road : Road
        Of the file's machine.
    logs : sequence of ValidatedLog
    made : list of LogEquations
        Theirs, without errors.
    errors : sequence of ModelError
    build_problem : callable (equations, values of the errors)
        The problem, and how all parameters (P + q) follow from those that are estimated: matrix and constant.
    robust : bool
        Whether to fit robustly.
    """
    estimator = ESTIMATORS["robust" if robust else "ls"]
    values = np.array([error.nominal for error in errors])
    if not errors:
        return Settled(road, made, values)
    count = len(road.parameters)
    model = _fit_alone(road, made)
    moving = np.array([not error.linear for error in errors])
    moved = 0
    for _ in range(MOST_PASSES):
        at = CorrectedRoad.at(road, errors, values, model)
        equations = [at.equations(log) for log in logs]
        problem, spread, constant = build_problem(equations, values)
        fit = estimator.fit(problem, Tuning())
        whole = spread @ fit.mean + constant
        covariance = spread @ fit.covariance @ spread.T
        width = np.array([error.scale or 0.0 for error in errors])
        known = np.maximum(np.sqrt(np.maximum(np.diag(covariance)[count:], 0.0)), ROUNDING * width + 1e-300)
        change = np.where(moving, np.abs(whole[count:] - values) / known, 0.0)
        moved = int(np.argmax(change))
        if change[moved] < STILL:
            return Settled(at, equations, values)
        # a linear error's value is also what the model's forces are made of
        values, model = whole[count:], whole[:count]
    return Settled(at, equations, values, f"{errors[moved].name} still moves after {MOST_PASSES} passes")


def _fit_alone(road: Road, made: Sequence[LogEquations]) -> FloatArray:
    """Return rough values of the parameters (P,), with nothing estimated besides."""
    joined = join_equations(made)
    rows = joined.regressor.reshape(-1, joined.regressor.shape[2])
    size = np.sqrt(np.mean(rows**2, axis=0))
    size[size == 0.0] = 1.0
    found = np.linalg.lstsq(rows / size, joined.measured.ravel(), rcond=1e-6)[0]
    return np.asarray(found / size)
