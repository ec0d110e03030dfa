# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a motion or a log shows of a set of parameters, and how well: before the experiment as after it.

A motion is asked as a log of it would be: exact lengths at the machine's sample rate, its own forces with white noise,
through the same filters, band and estimator as `identify`. What is structure is decided on noise-free columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.identifiability import COMBINATION, IDENTIFIABLE, base_parameters
from pkm_identification.estimation.identifiability.contributions import (
    ParameterContributions,
    parameter_contributions,
)
from pkm_identification.estimation.identifiability.homogenized import (
    Homogenized,
    homogenize_regressor,
)
from pkm_identification.estimation.identifiability.status import echelon
from pkm_identification.mechanisms.hexapod.analysis.base_parameters import random_states
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.dynamics.regressor import regressor as compute_regressor
from pkm_identification.mechanisms.hexapod.kinematics.forward import forward_kinematics
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog, PlatformMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet

from ..experiment import Experiment
from ..settings import Settings

ALONE, TOGETHER, NOT_HERE, NEVER = "alone", "combination", "not in this motion", "never"
_STATES = 60
_EVERY = 10  # samples of a motion; its fastest tones have a few Hz
_WEAKEST = 3
_NAMED = 0.25  # of the largest term of a direction
_SEPARATE = 1e-6  # a parameter's part in what is not shown: rounding
_BLIND = 0.98  # of what was known before: nothing has come to it


@dataclass(frozen=True)
class WeakDirection:
    """A sum of parameters that is known badly, each in units of its own size.

    Attributes
    ----------
    names : tuple of str
        Its largest terms first.
    weights : ndarray, shape (k,)
    std : float
        Standard deviation along it, in units of the parameters' own sizes; 1: as badly as before.
    """

    names: tuple[str, ...]
    weights: FloatArray
    std: float


@dataclass(frozen=True)
class Forecast:
    """What can be expected of a set of parameters.

    Attributes
    ----------
    parameters : ParameterSet
    estimate : ParameterEstimate
        Standard deviations and combinations, as `identify --estimator ls` states their random part.
    status : tuple of str
        ALONE, TOGETHER, NOT_HERE or NEVER.
    weakest : tuple of WeakDirection
    regressor : Homogenized
        Of the equations, without units.
    contributions : ParameterContributions
    noise : ndarray, shape (6,)
        Standard deviation of the equations' residuals, N.
    never : tuple of str
        What no motion shows and is not among the parameters.
    faint : tuple of str
        Parameters NOT_HERE that a motion does show, but more weakly than the noise.
    band, step : float
        -3 dB frequency in Hz of the low-pass that the equations pass, and s between two of them; 0 where there is none.
    """

    parameters: ParameterSet
    estimate: ParameterEstimate
    status: tuple[str, ...]
    weakest: tuple[WeakDirection, ...]
    regressor: Homogenized
    contributions: ParameterContributions
    noise: FloatArray
    never: tuple[str, ...] = ()
    faint: tuple[str, ...] = ()
    band: float = 0.0
    step: float = 0.0


def log_of_motion(
    machine: Machine, motion: PlatformMotion, noise: float, absolute: bool = False, seed: int = 0
) -> DriveLog:
    """Return what exact encoders and noisy force sensors would report of a motion.

    Parameters
    ----------
    machine : Machine
    motion : PlatformMotion
        At the machine's sample rate.
    noise : float
        Standard deviation of the forces' white noise: of each drive's rms force, or N if `absolute`.
    absolute : bool
    seed : int
        Of the noise.
    """
    force = strut_forces(machine, motion)
    deviation = noise if absolute else noise * np.sqrt(np.mean(force**2, axis=0))
    noisy = force + deviation * np.random.default_rng(seed).normal(size=force.shape)
    return DriveLog(motion.time, strut_lengths(machine, motion.position, motion.rotation), noisy, "motion")


def forecast(
    logs: Sequence[DriveLog],
    machine: Machine,
    settings: Settings,
    motions: Sequence[PlatformMotion] = (),
) -> Forecast:
    """Return what logs, recorded or made of a motion, show.

    Parameters
    ----------
    logs : sequence of DriveLog
    motions : sequence of PlatformMotion
        The logs' own, where they are known exactly: ranks are theirs. Of recorded logs they are those of the filtered
        equations, where noise can show what the motion does not.
    machine : Machine
        The nominal one.
    settings : Settings
        Of the estimator `ls` and the force model.

    Raises
    ------
    LogError, SettingsError
        As `identify`.
    """
    experiment = Experiment.of(logs, machine, settings)
    problem = experiment.problem()
    count = problem.reported
    entries = problem.parameters.entries[:count]
    columns = problem.equations.regressor[:, :, :count]
    if problem.resting and not len(columns):
        held = [_hold_pose(machine, log.length[0]) for log in experiment.logs]
        raise SettingsError(
            f"{', '.join(experiment.sources)}: {of_rest(machine, experiment.parameters, held)}"
        )
    if columns.shape[0] * columns.shape[1] < count:
        raise SettingsError(
            f"{experiment.sources[0]}: {columns.shape[0] * columns.shape[1]} equations cannot determine {count} "
            "parameters"
        )
    fit = experiment.estimator.fit(problem, experiment.tuning)
    estimate = fit.estimate(problem)
    rows = columns.reshape(-1, count)
    if motions:
        mapping = experiment.parameters.mapping
        exact = [compute_regressor(machine, motion[::_EVERY], mapping) for motion in motions]
        rows = np.concatenate(exact).reshape(-1, count)
    kinds = tuple(entry.kind for entry in entries)
    never = _find_unfelt_parameters(machine, experiment.parameters)
    status = tuple(
        NEVER if name in never else in_words(one)
        for name, one in zip(estimate.names, estimate.status, strict=True)
    )
    regressor, band = homogenize_regressor(rows, kinds), experiment.settings.band
    return Forecast(
        experiment.parameters,
        estimate,
        status,
        weakest(estimate, np.array([entry.scale for entry in entries])),
        regressor,
        parameter_contributions(rows, np.array([entry.nominal for entry in entries]), kinds),
        np.sqrt(np.diag(fit.noise)),
        faint=faint(estimate.names, status, rows, regressor.rank) if motions else (),
        band=band.cutoff,
        step=band.stride * band.period,
    )


def faint(names: Sequence[str], status: Sequence[str], rows: FloatArray, rank: int) -> tuple[str, ...]:
    """Return parameters NOT_HERE that no change of the others could stand for: their own forces are below the noise.

    Parameters
    ----------
    names, status : sequence of str, length P
    rows : ndarray, shape (R, P)
        Columns of the motion, without noise.
    rank : int
        Theirs.
    """
    size = np.sqrt(np.sum(rows**2, axis=0))
    _, _, directions = np.linalg.svd(rows / np.where(size > 0, size, 1.0), full_matrices=False)
    blind = np.sqrt(np.sum(directions[rank:] ** 2, axis=0))
    return tuple(
        name
        for name, one, part in zip(names, status, blind, strict=True)
        if one == NOT_HERE and part < _SEPARATE
    )


def of_rest(machine: Machine, parameters: ParameterSet, poses: Sequence[PlatformMotion]) -> str:
    """Return what poses that are held show, in words: so many combinations by their weights."""
    columns = np.concatenate([compute_regressor(machine, pose[:1], parameters.mapping) for pose in poses])
    rank = np.linalg.matrix_rank(columns.reshape(-1, len(parameters)))
    return f"determines nothing but gravity: {rank} combinations"


def _hold_pose(machine: Machine, length: FloatArray) -> PlatformMotion:
    """Return a pose at rest."""
    pose = forward_kinematics(machine, length[None])
    still = np.zeros((1, 6))
    return PlatformMotion(np.zeros(1), pose.position, pose.rotation, still, still)


def in_words(status: str) -> str:
    """Return a status of an estimate as that of a forecast, of a parameter that some motion shows."""
    return {IDENTIFIABLE: ALONE, COMBINATION: TOGETHER}.get(status, NOT_HERE)


def _find_unfelt_parameters(machine: Machine, parameters: ParameterSet) -> set[str]:
    """Return parameters that no motion of the machine feels, by random states without noise."""
    states = random_states(machine, _STATES)
    columns = compute_regressor(machine, states, parameters.mapping)
    base = base_parameters(columns, parameters.names)
    return {parameters.names[k] for k in base.invisible}


def weakest(estimate: ParameterEstimate, scale: FloatArray) -> tuple[WeakDirection, ...]:
    """Directions of the largest standard deviation, parameters in units of their own size.

    Of several directions to which nothing has come any mixture is an eigenvector: they are reduced to echelon form, so
    that each names what belongs together. Single parameters among them are reported by their status, and come last.
    """
    values, vectors = np.linalg.eigh(estimate.covariance / np.outer(scale, scale))
    deviations = np.sqrt(np.maximum(values, 0.0))
    blind = deviations > _BLIND
    vectors = np.column_stack([vectors[:, ~blind], echelon(np.ascontiguousarray(vectors[:, blind].T)).T])
    directions = []
    for k in range(len(values) - 1, -1, -1):
        weights = vectors[:, k]
        order = np.argsort(-np.abs(weights), kind="stable")
        order = order[np.abs(weights[order]) > _NAMED * np.abs(weights[order[0]])]
        named = weights[order] * np.sign(weights[order[0]]) / np.linalg.norm(weights)
        directions.append(WeakDirection(tuple(estimate.names[i] for i in order), named, float(deviations[k])))
    alone = [blind[-1 - k] and len(one.names) == 1 for k, one in enumerate(directions)]
    singles = [one for one, last in zip(directions, alone, strict=True) if last]
    return tuple([one for one, last in zip(directions, alone, strict=True) if not last] + singles)[:_WEAKEST]
