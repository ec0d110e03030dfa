"""Lengths behind belts by the model: what noise-free logs leave, and what is left as it was."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

from pkm_identification.estimation.estimators import ESTIMATORS, Tuning
from pkm_identification.identification.experiment import Experiment
from pkm_identification.identification.settings import Settings
from pkm_identification.identification.yielding.rewinding import rewound, wound_up
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation.perturbation import perturbed
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import Simulator
from pkm_identification.simulation.trajectories import trajectory

DURATION = 8.0

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def simulated():
    """A log of another machine than the file's, and the true lengths of its struts."""
    nominal = Machine.load("uf_belt")
    truth = perturbed(nominal, 3)
    motion = trajectory("rich", nominal, DURATION)
    simulator = Simulator(truth, motion, nominal=nominal, sensors=SensorSettings.perfect())
    recording = simulator.run()
    return nominal, truth, recording


def true_values(parameters, truth):
    """Of the parameters; what is estimated besides is 0."""
    values = np.zeros(len(parameters))
    true = Settings().parameter_set(truth)
    values[: len(true.nominal)] = true.nominal
    return values


def left(problem, truth):
    """What the true values leave of the equations, N rms."""
    values = true_values(problem.parameters, truth)
    return np.sqrt(np.mean((problem.equations.measured - problem.equations.regressor @ values) ** 2))


def test_the_model_tells_better_than_the_force_how_far_belts_are_wound_up(simulated):
    nominal, truth, recording = simulated
    experiment = Experiment.of([recording.log()], nominal)
    problem = experiment.problem()
    again, other = rewound(experiment, problem)
    assert again.modelled_winding
    assert left(other, truth) < 0.3 * left(problem, truth)


def test_logs_are_left_alone_where_the_model_cannot_tell(simulated):
    nominal, _, recording = simulated
    causal = replace(Settings(), causal=True)
    for machine, settings in ((nominal, causal), (Machine.load("uf"), Settings())):
        experiment = Experiment.of([recording.log()], machine, settings)
        problem = experiment.problem()
        assert rewound(experiment, problem) == (experiment, problem)


def test_a_course_that_is_not_the_log_s_is_not_believed(simulated):
    """The winding of bodies that weigh nothing or far too much has nothing to do with what belts were wound up."""
    nominal, truth, recording = simulated
    experiment = Experiment.of([recording.log()], nominal)
    parameters, transfers = experiment.problem().parameters, experiment.settings.guard.transfers
    believed = {}
    for factor in (1.0, 4.0):
        basis = parameters.known + parameters.mapping @ (factor * true_values(parameters, truth))
        (measured,), (log,) = experiment.at_motors, experiment.logs
        believed[factor] = wound_up(experiment, measured, log, basis, transfers) is not None
    assert believed == {1.0: True, 4.0: False}


def test_what_does_not_fit_better_is_not_taken(simulated):
    """Belts of a fifth of the stiffness in the file, which no first estimate makes good."""
    nominal, _, recording = simulated
    document = copy.deepcopy(dict(nominal.document))
    document["actuator"]["stiffness"] /= 5.0
    machine = Machine.from_document(document, "soft")
    experiment = Experiment.of([recording.log()], machine)
    problem = experiment.problem()
    again, other = rewound(experiment, problem)
    before, after = (
        np.sqrt(np.mean((one.equations.measured - one.equations.regressor @ fitted(one)) ** 2))
        for one in (problem, other)
    )
    assert after <= before
    assert again.modelled_winding == (after < before)


def fitted(problem):
    return ESTIMATORS["ls"].fit(problem, Tuning()).mean
