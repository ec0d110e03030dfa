# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Force and energy model under noise (Oh 2003, 4.8): the source's equations, and the same data in a narrow band."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.estimation.batch.least_squares import least_squares
from pkm_identification.estimation.equations import Equations
from pkm_identification.estimation.identifiability import IDENTIFIABLE, assess
from pkm_identification.identification.equations.energy_equations import energy_equations
from pkm_identification.identification.equations.force_equations import force_equations
from pkm_identification.identification.samples import Samples
from pkm_identification.machines.capabilities import EnergyModel, motion_of_platform, require
from pkm_identification.machines.load import as_machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.differences import TEN_POINTS, central_differences

from .cases import (
    MODELS,
    NOISES,
    Case,
    CaseResult,
    first_guess,
    run_case,
)
from .data import (
    PERIOD,
    Record,
    exact_record,
    measure_record,
    parameter_set,
    study_machine,
)
from .source_tables import MASSES

SEEDS = 3
BAND_DURATION = 10.0  # s, of data for the band


@dataclass(frozen=True)
class NoiseResult:
    """Errors of the masses at one noise with one model, by seed of the noise.

    Attributes
    ----------
    noise : float
    model : {'force', 'energy'}
    as_source, plain : ndarray, shape (S, 3)
        Estimate / truth - 1 of the source's filter and of the one without process noise, sample by sample.
    plain_std : ndarray, shape (S, 3)
        Standard deviations that belong to `plain`, relative to the truth.
    band, band_std : ndarray, shape (S, 3)
        The same of least squares over 10 s in the estimation band.
    plain_identified, band_identified : int
        Of the three masses, how many are identified one by one: in the worst run.
    """

    noise: float
    model: str
    as_source: FloatArray
    plain: FloatArray
    plain_std: FloatArray
    band: FloatArray
    band_std: FloatArray
    plain_identified: int
    band_identified: int


def worst(errors: FloatArray) -> float:
    """Return largest error of a mass in %, its median over the seeds."""
    return float(100 * np.median(np.abs(errors).max(axis=1)))


def noise_results(seeds: int = SEEDS, duration: float = BAND_DURATION) -> tuple[NoiseResult, ...]:
    """Both models at every noise; one seed where there is none."""
    return tuple(
        _compute_result(noise, model, seeds if noise else 1, duration) for model in MODELS for noise in NOISES
    )


def _compute_result(noise: float, model: str, seeds: int, duration: float) -> NoiseResult:
    results = [run_case(Case("", "XY", model=model, noise=noise), seed) for seed in range(seeds)]
    true = results[0].true[: len(MASSES)]
    band = [_compute_in_band(noise, model, seed, duration) for seed in range(seeds)]
    return NoiseResult(
        noise=noise,
        model=model,
        as_source=np.array([one.as_source[:3] / true - 1 for one in results]),
        plain=np.array([one.estimate.values[:3] / true - 1 for one in results]),
        plain_std=np.array([one.estimate.std[:3] / true for one in results]),
        band=np.array([values[:3] / true - 1 for values, _, _ in band]),
        band_std=np.array([std[:3] / true for _, std, _ in band]),
        plain_identified=min(_compute_identified(one) for one in results),
        band_identified=min(count for _, _, count in band),
    )


def _compute_identified(result: CaseResult) -> int:
    return sum(status == IDENTIFIABLE for status in result.estimate.status[: len(MASSES)])


def _compute_force_in_band(record: Record, parameters: ParameterSet, band: BandSettings) -> Equations:
    description, segment = study_machine(False), np.zeros(len(record.motion), dtype=np.int64)
    motion = motion_of_platform(description, record.motion)
    samples = Samples(record.motion.time, motion, record.force, segment)
    return force_equations(as_machine(description), parameters, samples, band)


def _compute_energy_in_band(record: Record, parameters: ParameterSet, band: BandSettings) -> Equations:
    """Return forces work along the lengths, which are a data set of their own and exact (l.6325-29)."""
    rate, _ = central_differences(record.length, PERIOD, TEN_POINTS)
    inner = slice(TEN_POINTS.reach, -TEN_POINTS.reach)
    segment = np.zeros(len(rate), dtype=np.int64)
    motion = replace(motion_of_platform(study_machine(False), record.motion[inner]), rate=rate)
    machine = require(as_machine(study_machine(False)), EnergyModel, "the energy model")
    time = record.motion.time[inner]
    return energy_equations(machine, parameters, motion, time, record.force[inner], segment, band)


_BAND_MODELS = {"force": _compute_force_in_band, "energy": _compute_energy_in_band}


def _compute_in_band(
    noise: float, model: str, seed: int, duration: float
) -> tuple[FloatArray, FloatArray, int]:
    """Estimate, standard deviations, and how many masses are identified."""
    record = measure_record(exact_record("XY", False, duration), noise, seed)
    parameters = parameter_set(False)
    prior = first_guess(parameters)
    band = BandSettings(PERIOD)
    equations = _BAND_MODELS[model](record, parameters, band)
    fit = least_squares(equations, prior, band.redundancy)
    assessment = assess(
        parameters.names, parameters.units, fit.mean, parameters.nominal, fit.covariance, prior.std
    )
    std = np.minimum(np.sqrt(np.diag(fit.covariance)), prior.std)
    return fit.mean, std, sum(status == IDENTIFIABLE for status in assessment.status[: len(MASSES)])
