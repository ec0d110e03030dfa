"""The source's experiments done in simulation: logs of three trajectories, and what is estimated from them.

The machine that moves is not the one of its file: masses, moments and friction differ, its base joints are universal
joints, sensors have noise. The estimator has the source's model: struts that do not spin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.estimation.equations import Equations
from pkm_identification.estimation.filters.unscented import UnscentedFilter, UnscentedSettings
from pkm_identification.identification.experiment import Experiment
from pkm_identification.identification.procedures.friction_test import FrictionTest, measure_friction
from pkm_identification.identification.procedures.staged import (
    ALL,
    STAGES,
    StagedResult,
    StageSettings,
    free_of,
    joined,
    joint,
    run_stage,
)
from pkm_identification.identification.procedures.staged_experiment import (
    StagedIdentification,
    Trajectories,
    first_guess,
    identify_staged,
    trajectories_of,
)
from pkm_identification.mechanisms.hexapod.dynamics.regressor import regressor
from pkm_identification.mechanisms.hexapod.kinematics.forward import platform_motion
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS, StrutLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.zero_phase import filter_log

SEED = 1
FRACTION = 0.19  # largest distance of the machine from its file: the source found masses 2 to 19 % away
GUESS = 0.10  # largest distance of the first guess from the file
NAMES = ("x", "z", "xy")
DURATIONS = {"x": 6.0, "z": 6.0, "xy": 6.0, "rich": 16.0, "slow": 14.0}  # s
SOURCE_CUTOFF, SOURCE_ORDER = 10.0, 8  # Hz and order of the source's low-pass
SWEEPS = 20  # over the data, for a filter that starts with one variance for all
RAW_NOISE = 1.0  # N^2, of that filter


@dataclass(frozen=True)
class Experiments:
    """A simulated machine, what its owner believes, and its logs.

    Attributes
    ----------
    nominal, model, truth : Machine
        The file; the file with the source's struts without spin; the machine that moved.
    start : ndarray, shape (24,)
        First guess.
    logs : dict of str to StrutLog
        x, z, xy, rich.
    strut_tests : FrictionTest
        From a slow log: what the source's single-strut tests are, the expected friction.
    """

    nominal: Machine
    model: Machine
    truth: Machine
    start: FloatArray
    logs: dict[str, StrutLog]
    strut_tests: FrictionTest

    @property
    def expected(self) -> FloatArray:
        """Viscous coefficients and Coulomb forces of the strut tests, shape (12,), in the order of `oh24`."""
        struts = [self.strut_tests.struts[i + 1] for i in range(STRUTS)]
        return np.array([s.viscous.value for s in struts] + [s.coulomb.value for s in struts])

    @property
    def true_values(self) -> FloatArray:
        """The machine that moved, in the parameters of `oh24`, shape (24,)."""
        return ParameterSet.of(self.truth, "oh24").nominal


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
class StagedStudy:
    """Everything the study ran.

    Attributes
    ----------
    experiments : Experiments
    ours : StagedIdentification
        Both sides of the equation through one band, lengths hardly smoothed.
    as_source : StagedIdentification
        Lengths and forces low-passed at 10 Hz, the model's columns not.
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
    ranks: dict[str, int]
    universal: StagedResult
    scaled: dict[str, AtOnce]
    raw: dict[str, AtOnce]
    raw_staged: dict[str, AtOnce]


def run_experiments(durations: Mapping[str, float] | None = None, seed: int = SEED) -> Experiments:
    """Simulate the motions; `durations` in s by trajectory, as DURATIONS."""
    # MuJoCo takes longer to load than most commands run
    from pkm_identification.simulation import perturbed, simulate

    durations = DURATIONS if durations is None else durations
    nominal = Machine.load("uf")
    truth = perturbed(nominal, seed, FRACTION)
    logs = {
        name: simulate(truth, name, duration, nominal=nominal, seed=seed).log()
        for name, duration in durations.items()
    }
    strut_tests = measure_friction([logs.pop("slow")], nominal)
    model = replace(nominal, base_joint="no_spin")
    values = ParameterSet.of(model, "oh24").nominal
    start = values * (1.0 + np.random.default_rng(seed).uniform(-GUESS, GUESS, len(values)))
    return Experiments(nominal, model, truth, start, logs, strut_tests)


def source_equations(log: StrutLog, machine: Machine, parameters: ParameterSet) -> Equations:
    """Equations of one log by the source's processing (Oh 2003, chapter 5).

    Lengths (and forces, or the two would not be of one instant) pass an 8th-order Butterworth low-pass at 10 Hz; the
    model's columns are computed from the smooth motion and stay as they are.
    """
    guarded = Experiment.of([log], machine).logs[0]
    struts = filter_log(guarded, SOURCE_CUTOFF, SOURCE_ORDER)
    struts = struts[:: BandSettings(guarded.period).stride]
    motion, _ = platform_motion(machine, struts)
    columns = regressor(machine, motion, np.column_stack([parameters.mapping, parameters.known]))
    known = columns[:, :, -1]
    return Equations(
        struts.time,
        np.ascontiguousarray(columns[:, :, :-1]),
        struts.force - known,
        struts.force,
        struts.segment,
    )


def run_study(experiments: Experiments) -> StagedStudy:
    """Everything that is estimated from the logs."""
    model, start, logs = experiments.model, experiments.start, experiments.logs
    ours = identify_staged(model, trajectories_of([logs[name] for name in NAMES], model), start)
    parameters, redundancy = ours.trajectories.parameters, ours.trajectories.redundancy
    plain = ParameterSet.of(model, "oh24")
    source = {name: source_equations(logs[name], model, plain) for name in NAMES}
    as_source = identify_staged(model, Trajectories(plain, source, (), redundancy, {}, ()), start)
    whole = trajectories_of(list(logs.values()), experiments.nominal)
    universal = joint(
        whole.equations,
        whole.parameters,
        first_guess(whole.parameters, start),
        StageSettings(redundancy),
        tuple(map(joined, whole.others)),
    )
    equations = ours.trajectories.equations
    std = {name: result.stages[-1].std for name, result in ours.results.items()}
    first = first_guess(parameters, start)
    return StagedStudy(
        experiments=experiments,
        ours=ours,
        as_source=as_source,
        ranks={name: inertial_rank(model, name) for name in (*NAMES, "rich")},
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


def inertial_rank(machine: Machine, name: str) -> int:
    """Rank of the inertial columns of an exact motion."""
    from pkm_identification.simulation import trajectory

    parameters = ParameterSet.of(machine, "oh12")
    motion = trajectory(name, machine, 6.0).motion(np.arange(0.0, 6.0, 0.01))
    columns = regressor(machine, motion, parameters.mapping) * parameters.scale
    return int(np.linalg.matrix_rank(columns.reshape(-1, columns.shape[-1]), rtol=1e-9))


def scaled_at_once(
    equations: Equations, parameters: ParameterSet, start: FloatArray, redundancy: float, std: FloatArray
) -> AtOnce:
    """All 24 from the first guess, first variances by the size of each parameter."""
    settings, free = StageSettings(redundancy), free_of(parameters, ALL)
    stage = run_stage("all", equations, parameters, free, start, settings)
    again = run_stage("all", equations, parameters, free, stage.values, settings)
    return AtOnce(stage.values, stage.residual_rms, _largest(again.values - stage.values, std))


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
    return AtOnce(values, float(np.sqrt(np.mean(residual**2))), _largest(values - before, std))


def _largest(change: FloatArray, std: FloatArray) -> float:
    return float(np.max(np.abs(change) / std))
