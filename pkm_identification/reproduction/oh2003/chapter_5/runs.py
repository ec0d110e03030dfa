# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is estimated from the experiments: in stages, all at once, and from all trajectories together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.estimation.equations import Equations
from pkm_identification.estimation.filters.unscented import UnscentedFilter, UnscentedSettings
from pkm_identification.identification.procedures.staged import (
    ALL,
    PREVIOUS,
    STAGES,
    Stage,
    StagedResult,
    StageSettings,
    free_of,
    join_equations,
    joint,
    run_stage,
    staged,
)
from pkm_identification.identification.procedures.staged_experiment import (
    StagedIdentification,
    Trajectories,
    first_guess,
    identify_staged,
    trajectories_of,
)
from pkm_identification.mechanisms.hexapod.dynamics.regressor import regressor
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior

from .data import NAMES, Experiments, equations_with_rest, source_equations
from .joint_share import JointShare, joint_share

SWEEPS = 20  # over the data, for a filter that starts with one variance for all
RAW_NOISE = 1.0  # N^2, of that filter


@dataclass(frozen=True)
class AtOnce:
    """All parameters estimated at once from the first guess, on one trajectory.

    Attributes
    ----------
    values : ndarray, shape (P,)
        Nuisance parameters behind the 24.
    residual_rms : float
        N.
    moving : float
        Largest change of a parameter in the last sweep (raw) or pass, in its standard deviations of the staged end.
    """

    values: FloatArray
    residual_rms: float
    moving: float


@dataclass(frozen=True)
class StagedRuns:
    """Everything the study ran.

    Attributes
    ----------
    experiments : Experiments
    ours : StagedIdentification
        Both sides of the equation through one band, lengths hardly smoothed.
    as_source : StagedIdentification
        Lengths low-passed at 10 Hz, forces and the model's columns not.
    third : dict of str to dict of str to Stage
        Stage 3 as the source does it, its processing: by the trajectory whose stage 2 is the start, then by trajectory.
    whole_xy : Equations
        XY, its processing of ours, with the equations before the motion begins, which no stage gets.
    previous : StagedResult
        XY, its processing of ours, with the inertial parameters of 1-B held in 2-A.
    joints : JointShare
        What friction of the joints, which the experiments do not have, does to that of the struts in 1-A.
    ranks : dict of str to int
        Rank of the inertial columns of each exact motion.
    universal : StagedResult
        All three trajectories and a rich one together, with the joints the machine has.
    scaled, raw, raw_staged : dict of str to AtOnce
        All at once with first variances by the size of each parameter, and with one variance for all in SI units;
        the latter in stages, too.
    """

    experiments: Experiments
    ours: StagedIdentification
    as_source: StagedIdentification
    third: dict[str, dict[str, Stage]]
    whole_xy: Equations
    previous: StagedResult
    joints: JointShare
    ranks: dict[str, int]
    universal: StagedResult
    scaled: dict[str, AtOnce]
    raw: dict[str, AtOnce]
    raw_staged: dict[str, AtOnce]


def run_stages(experiments: Experiments) -> StagedRuns:
    """Everything that is estimated from the logs."""
    model, start, logs = experiments.model, experiments.start, experiments.logs
    ours = identify_staged(model, trajectories_of([logs[name] for name in NAMES], model), start)
    parameters, redundancy = ours.trajectories.parameters, ours.trajectories.redundancy
    plain = list_hexapod_parameters(model, "oh24")
    source = {name: source_equations(logs[name], model, plain) for name in NAMES}
    as_source = identify_staged(model, Trajectories(plain, source, (), redundancy, {}, ()), start)
    whole = trajectories_of(list(logs.values()), experiments.nominal)
    universal = joint(
        whole.equations,
        whole.parameters,
        first_guess(whole.parameters, start),
        StageSettings(redundancy),
        tuple(map(join_equations, whole.others)),
    )
    equations = ours.trajectories.equations
    std = {name: result.stages[-1].std for name, result in ours.results.items()}
    first = first_guess(parameters, start)
    return StagedRuns(
        experiments=experiments,
        ours=ours,
        as_source=as_source,
        third=third_stages(as_source, redundancy),
        whole_xy=equations_with_rest(logs["xy"], model, parameters),
        previous=staged(equations["xy"], parameters, first, StageSettings(redundancy, hold=PREVIOUS)),
        joints=joint_share(experiments.truth),
        ranks={name: compute_inertial_rank(model, name) for name in (*NAMES, "rich")},
        universal=universal,
        scaled={
            name: scaled_at_once(equations[name], parameters, first, redundancy, std[name]) for name in NAMES
        },
        raw={name: raw_run(equations[name], parameters, first, (ALL,), std[name]) for name in NAMES},
        raw_staged={
            name: raw_run(equations[name], parameters, first, [group for _, group in STAGES], std[name])
            for name in NAMES
        },
    )


def third_stages(staged: StagedIdentification, redundancy: float) -> dict[str, dict[str, Stage]]:
    """Stage 3 on every trajectory from the friction of 2-A and inertias of 2-B of one (l.16426-66)."""
    parameters, settings = staged.trajectories.parameters, StageSettings(redundancy)
    free = free_of(parameters, ALL)
    return {
        first: {
            name: run_stage("3", part, parameters, free, result.stages[-2].values, settings)
            for name, part in staged.trajectories.equations.items()
        }
        for first, result in staged.results.items()
    }


def compute_inertial_rank(machine: Machine, name: str) -> int:
    """Rank of the inertial columns of an exact motion."""
    from pkm_identification.simulation.trajectories import trajectory

    parameters = list_hexapod_parameters(machine, "oh12")
    motion = trajectory(name, machine, 6.0).motion(np.arange(0.0, 6.0, 0.01))
    columns = regressor(machine, motion, parameters.mapping) * parameters.scale
    return int(np.linalg.matrix_rank(columns.reshape(-1, columns.shape[-1]), rtol=1e-9))


def scaled_at_once(
    equations: Equations, parameters: ParameterSet, start: FloatArray, redundancy: float, std: FloatArray
) -> AtOnce:
    """Return all 24 from the first guess, first variances by the size of each parameter."""
    settings, free = StageSettings(redundancy), free_of(parameters, ALL)
    stage = run_stage("all", equations, parameters, free, start, settings)
    again = run_stage("all", equations, parameters, free, stage.values, settings)
    return AtOnce(stage.values, stage.residual_rms, _compute_largest(again.values - stage.values, std))


def raw_run(
    equations: Equations,
    parameters: ParameterSet,
    start: FloatArray,
    groups: Sequence[str],
    std: FloatArray,
) -> AtOnce:
    """Groups of parameters one after the other with one first variance for all, in SI units.

    The source does not say its first variances; this is what happens to a filter that has no scales: a variance of 1
    is a wide one for a moment of 5e-5 kg m^2 and none for a viscous coefficient of 3500 N s/m.
    """
    values = before = np.array(start)
    outputs = equations.regressor.shape[1]
    noise = RAW_NOISE * np.eye(outputs)
    for group in groups:
        free = free_of(parameters, group)
        columns = np.ascontiguousarray(equations.regressor[:, :, free])
        target = equations.measured - equations.regressor[:, :, ~free] @ values[~free]
        prior = Prior(values[free], np.ones(int(free.sum())))
        estimator = UnscentedFilter(prior, outputs, UnscentedSettings(adaptation="none"))
        values = values.copy()
        for _ in range(SWEEPS):
            before = values.copy()
            for rows, measured in zip(columns, target, strict=True):
                estimator.step_linear(rows, measured, noise)
            values[free] = estimator.mean
    residual = equations.measured - equations.regressor @ values
    return AtOnce(values, float(np.sqrt(np.mean(residual**2))), _compute_largest(values - before, std))


def _compute_largest(change: FloatArray, std: FloatArray) -> float:
    return float(np.max(np.abs(change) / std))
