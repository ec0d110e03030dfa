# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The cases of Oh 2003, chapter 4, identified as the source did and as its data allow.

Each case runs twice over the same equations, from the same first guess: by the source's filter, the UKF with the
Robbins-Monro process noise, and by the same filter without process noise, which is least squares with a prior. What the
source leaves open is read as follows: the first standard deviations are the first guess itself, friction starts at
90 % of Table 4.1, and data without noise count as right to 0.1 % of a strut's share of the weight (force) or of the
range of the work (energy).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.estimation.batch.least_squares import compute_robust_covariance, least_squares
from pkm_identification.estimation.data_order import data_order
from pkm_identification.estimation.equations import Equations
from pkm_identification.estimation.estimate import ParameterEstimate, make_estimate
from pkm_identification.estimation.filters.unscented import UnscentedFilter, UnscentedSettings
from pkm_identification.estimation.identifiability import BaseParameters, base_parameters
from pkm_identification.mechanisms.hexapod.parameters.builder import force_scale
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior

from .data import (
    MOTIONS,
    build_energy_model,
    build_force_model,
    exact_record,
    measure_record,
    parameter_set,
    study_machine,
)
from .source_tables import START

MODELS = {"force": build_force_model, "energy": build_energy_model}
SOURCE_SETTINGS = UnscentedSettings(1e-3, 2.0, 0.0, "robbins_monro", 0.01)
PLAIN_SETTINGS = UnscentedSettings(1e-3, 2.0, 0.0, "none")
FRICTION_START = 0.9
EXACTNESS = 1e-3
KEPT = ("Ixx_b", "Izz_b")  # stand for their sums with those of body E
UNEXCITED = 1e-8  # part of the largest column; integration leaves 1e-11
NOISES = (0.0, 0.01, 0.05)


@dataclass(frozen=True)
class Case:
    """One column of the source's tables: the table, one of `MOTIONS`, and what was done."""

    table: str
    motion: str
    friction: bool = False
    model: str = "force"
    noise: float = 0.0
    order: str = "sequential"


@dataclass(frozen=True)
class CaseResult:
    """A case done.

    Attributes
    ----------
    case : Case
    true, start : ndarray, shape (P,)
    estimate : ParameterEstimate
        Without process noise: values, standard deviations, statuses, combinations.
    as_source : ndarray, shape (P,)
        Where the source's filter ends.
    history, source_history : ndarray, shape (K, P)
        Both filters' estimates, sample by sample in the order they were taken.
    base : BaseParameters
        What this motion and model could identify of the parameters if the data were exact.
    """

    case: Case
    true: FloatArray
    start: FloatArray
    estimate: ParameterEstimate
    as_source: FloatArray
    history: FloatArray
    source_history: FloatArray
    base: BaseParameters

    @property
    def names(self) -> tuple[str, ...]:
        """Parameters."""
        return self.estimate.names

    def alone_identifiable(self, name: str) -> bool:
        """Return whether exact data would identify a parameter by itself."""
        i = self.names.index(name)
        return i in self.base.independent and not np.any(
            self.base.coefficients[list(self.base.independent).index(i)]
        )


def cases() -> tuple[Case, ...]:
    """Those of the source's tables, and the energy model at 5 % noise."""
    return (
        *(Case("4.4", motion) for motion in MOTIONS),
        *(Case("4.6", motion, friction=True) for motion in MOTIONS),
        *(Case("4.8", motion, model="energy") for motion in MOTIONS[:3]),
        *(Case("4.10", motion, order="random") for motion in MOTIONS),
        *(Case("4.12", motion, order="spread") for motion in MOTIONS),
        *(Case(f"4.14, {100 * noise:g} %", "XY", noise=noise) for noise in NOISES),
        *(Case(f"4.16, {100 * noise:g} %", "XY", model="energy", noise=noise) for noise in NOISES),
    )


def first_guess(parameters: ParameterSet) -> Prior:
    """Return the source's, as far as it is known; see the module's text."""
    start = np.array(
        [
            START[name] if name in START else FRICTION_START * nominal
            for name, nominal in zip(parameters.names, parameters.nominal, strict=True)
        ]
    )
    return Prior(start, np.abs(start))


def run_case(case: Case, seed: int = 0) -> CaseResult:
    """Do a case; `seed` of noise and random order."""
    parameters = parameter_set(case.friction)
    prior = first_guess(parameters)
    exact = exact_record(case.motion, case.friction)
    model = MODELS[case.model]
    columns, output = model(measure_record(exact, case.noise, seed), case.friction)
    count, outputs, _ = columns.shape
    segment = np.zeros(count, dtype=np.int64)
    noise = _compute_noise(case, Equations(np.arange(count) * 1.0, columns, output, output, segment), prior)
    order = data_order(count, case.order, seed)
    history, nis = _compute_filtered(PLAIN_SETTINGS, prior, columns[order], output[order], noise)
    source_history, _ = _compute_filtered(SOURCE_SETTINGS, prior, columns[order], output[order], noise)
    mean = history[-1]
    covariance = compute_robust_covariance(columns * prior.std, output - columns @ mean, noise, 1.0, segment)
    estimate = make_estimate(
        parameters,
        prior,
        mean,
        covariance * np.outer(prior.std, prior.std),
        nis=nis,
        nis_dof=outputs,
        count=count,
        time=float(exact.motion.time[-1]),
        estimator="ukf",
        model=case.model,
    )
    ideal = columns if case.noise == 0 else model(exact, case.friction)[0]
    return CaseResult(
        case=case,
        true=parameters.nominal,
        start=prior.mean,
        estimate=estimate,
        as_source=source_history[-1],
        history=history,
        source_history=source_history,
        base=structure(ideal, parameters.names),
    )


def structure(columns: FloatArray, names: tuple[str, ...]) -> BaseParameters:
    """Base parameters of exact columns, those that only rounding and integration excite counted as without effect."""
    size = np.linalg.norm(columns.reshape(-1, columns.shape[-1]), axis=0)
    return base_parameters(np.where(size > UNEXCITED * size.max(), columns, 0.0), names, keep=KEPT)


def _compute_noise(case: Case, equations: Equations, prior: Prior) -> FloatArray:
    """Covariance (m, m) the filters take the outputs to have: the residual's, and what exact data are trusted to."""
    if case.model == "force":
        trusted = EXACTNESS * force_scale(study_machine(case.friction))
    else:
        trusted = EXACTNESS * float(np.ptp(equations.measured))
    outputs = equations.measured.shape[1]
    return least_squares(equations, prior).noise + trusted**2 * np.eye(outputs)


def _compute_filtered(
    settings: UnscentedSettings, prior: Prior, columns: FloatArray, output: FloatArray, noise: FloatArray
) -> tuple[FloatArray, float]:
    """Estimates (K, P) after each equation, and the mean NIS."""
    estimator = UnscentedFilter(prior, output.shape[1], settings)
    history = np.empty((len(output), len(prior.mean)))
    nis = np.empty(len(output))
    for k in range(len(output)):
        nis[k], _ = estimator.step_linear(columns[k], output[k], noise)
        history[k] = estimator.mean
    return history, float(nis.mean())
