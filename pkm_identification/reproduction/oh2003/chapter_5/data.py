# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The source's experiments done in simulation, and its way to process them.

The machine that moves is not the one of its file: masses, moments and friction differ, its base joints are universal
joints, sensors have noise. The estimator has the source's model: struts that do not spin.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.estimation.equations import Equations
from pkm_identification.identification.equations.force_equations import force_equations
from pkm_identification.identification.experiment import Experiment
from pkm_identification.identification.procedures.friction_test import FrictionTest, measure_friction
from pkm_identification.mechanisms.hexapod.dynamics.regressor import regressor
from pkm_identification.mechanisms.hexapod.kinematics.forward import platform_motion
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.motion import STRUTS, DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.reproduction.study_file import read_file
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.zero_phase import filter_log

SEED = 1
FRACTION = 0.19  # largest distance of the machine from its file: the source found masses 2 to 19 % away
GUESS = 0.10  # largest distance of the first guess from the file
NAMES = ("x", "z", "xy")
DURATIONS = {"x": 6.0, "z": 6.0, "xy": 6.0, "rich": 16.0, "slow": 14.0}  # s
SOURCE_CUTOFF, SOURCE_ORDER = 10.0, 8  # Hz and order of the source's low-pass, on positions only

PRINTED = read_file(f"{__package__}.study")["data"]  # tables 5.1, 5.3 and 5.5, and the end of Fig. 5.12


@dataclass(frozen=True)
class Experiments:
    """A simulated machine, what its owner believes, and its logs.

    Attributes
    ----------
    nominal, model, truth : Machine
        The file; the file with the source's struts without spin; the machine that moved.
    start : ndarray, shape (24,)
        First guess.
    logs : dict of str to DriveLog
        x, z, xy, rich.
    strut_tests : FrictionTest
        From a slow log: what the source's single-strut tests are, the expected friction.
    """

    nominal: Machine
    model: Machine
    truth: Machine
    start: FloatArray
    logs: dict[str, DriveLog]
    strut_tests: FrictionTest

    @property
    def expected(self) -> FloatArray:
        """Viscous coefficients and Coulomb forces of the strut tests, shape (12,), in the order of `oh24`."""
        struts = [self.strut_tests.struts[i + 1] for i in range(STRUTS)]
        return np.array([s.viscous.value for s in struts] + [s.coulomb.value for s in struts])

    @property
    def true_values(self) -> FloatArray:
        """The machine that moved, in the parameters of `oh24`, shape (24,)."""
        return list_hexapod_parameters(self.truth, "oh24").nominal


def run_experiments(durations: Mapping[str, float] | None = None, seed: int = SEED) -> Experiments:
    """Simulate the motions; `durations` in s by trajectory, as DURATIONS."""
    # MuJoCo takes longer to load than most commands run
    from pkm_identification.simulation.perturbation import perturb_machine
    from pkm_identification.simulation.simulator import simulate

    durations = DURATIONS if durations is None else durations
    nominal = Machine.load("uf")
    truth = perturb_machine(nominal, seed, FRACTION)
    logs = {
        name: simulate(truth, name, duration, nominal=nominal, seed=seed).log()
        for name, duration in durations.items()
    }
    strut_tests = measure_friction([logs.pop("slow")], nominal)
    model = replace(nominal, base_joint="no_spin")
    values = list_hexapod_parameters(model, "oh24").nominal
    start = values * (1.0 + np.random.default_rng(seed).uniform(-GUESS, GUESS, len(values)))
    return Experiments(nominal, model, truth, start, logs, strut_tests)


def equations_with_rest(log: DriveLog, machine: Machine, parameters: ParameterSet) -> Equations:
    """Equations of one log with both sides in one band, those of the machine at rest included, which no stage gets.

    Parameters
    ----------
    log : DriveLog
    machine : Machine
    parameters : ParameterSet
        As `trajectories_of` has them: what smoothing does to friction at reversals is behind the 24.
    """
    experiment = Experiment.of([log], machine)
    settings = experiment.settings
    samples = experiment.samples(experiment.logs[0])
    return force_equations(
        experiment.machine, parameters, samples, settings.band, noise=experiment.smooth_rate_noise
    )


def source_equations(log: DriveLog, machine: Machine, parameters: ParameterSet) -> Equations:
    """Equations of one log by the source's processing (Oh 2003, chapter 5).

    Positions pass an 8th-order Butterworth low-pass at 10 Hz (l.16283-85), rates and accelerations come from them;
    forces stay raw, and so do the model's columns.
    """
    validated = Experiment.of([log], machine).logs[0]
    struts = filter_log(validated, SOURCE_CUTOFF, SOURCE_ORDER)[:: BandSettings(validated.period).stride]
    # stamps are those of the validated log
    raw = np.asarray(validated.force)[np.searchsorted(validated.time, struts.time)]
    motion, _ = platform_motion(machine, struts)
    columns = regressor(machine, motion, np.column_stack([parameters.mapping, parameters.known]))
    known = columns[:, :, -1]
    return Equations(
        struts.time,
        np.ascontiguousarray(columns[:, :, :-1]),
        raw - known,
        raw,
        struts.segment,
    )
