# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Coordinates behind belts by the model: what noise-free logs leave, and what is left as it was."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from core.machines.every_machine import machine

from pkm_identification.estimation.estimators import ESTIMATORS, Tuning
from pkm_identification.identification.elastic_drives.elastic_drive_model import (
    apply_elastic_drive_model,
    compute_deflections,
)
from pkm_identification.identification.elastic_drives.elastic_drive_stream import (
    FADE,
    FAR,
    ElasticDriveStream,
)
from pkm_identification.identification.experiment import Experiment
from pkm_identification.identification.online.filter_stage import FilterStage, by_model
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import as_machine, read_machine
from pkm_identification.mechanisms.hexapod.kinematics.forward import FAILED
from pkm_identification.signals.causal import filter_log_causally
from pkm_identification.signals.forces.acting import acting
from pkm_identification.signals.input_validation import ValidatedSample
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import simulate

DURATION, PERIOD = 8.0, 1e-3
NOISE_OF_FORCES = 0.5  # of their rms

pytestmark = pytest.mark.slow


def soft_mast():
    """Three guides on belts as soft, for their friction, as those of the uf: the file's are a hundred times stiffer."""
    document = copy.deepcopy(dict(machine("mast_belt").document))
    document["actuator"]["stiffness"] = float(document["actuator"]["stiffness"]) / 100.0
    document["friction"] = {"law": "coulomb", "viscous": [40.0, 50.0, 60.0], "coulomb": [12.0, 9.0, 15.0]}
    return read_machine(document)


@cache
def record(name):
    """A machine, another one than its file's, and that one's log."""
    nominal = soft_mast() if name == "mast" else machine(name)
    truth = as_machine(perturb_machine(nominal, 3))
    recording = simulate(truth, "rich", DURATION, nominal=nominal, sensors=SensorSettings.perfect())
    return nominal, truth, recording


@pytest.fixture(scope="module", params=["uf_belt", "mast"])
def simulated(request):
    return record(request.param)


@pytest.fixture(scope="module")
def struts():
    return record("uf_belt")


@pytest.fixture(scope="module")
def online(simulated):
    """The log by the online stages, sample by sample."""
    nominal, _, recording = simulated
    return Experiment.of([recording.log()], nominal, replace(Settings(), causal=True))


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
    again, other = apply_elastic_drive_model(experiment, problem)
    assert again.elastic_drives_modelled
    assert left(other, truth) < 0.3 * left(problem, truth)


def test_logs_are_left_alone_where_the_model_cannot_tell(simulated, online):
    nominal, _, recording = simulated
    rigid = machine("uf" if nominal.name == "uf_belt" else "mast")
    for experiment in (online, Experiment.of([recording.log()], rigid)):
        problem = experiment.problem()
        assert apply_elastic_drive_model(experiment, problem) == (experiment, problem)


def test_online_a_model_that_the_stream_makes_itself_tells_it_as_well(simulated, online):
    """Behind the first seconds, in which measured forces tell it."""
    _, truth, _ = simulated
    assert online.elastic_drives_modelled
    settings = online.settings
    by_forces = replace(online, logs=tuple(acting(log, settings.validation) for log in online.at_motors))
    start = online.logs[0].time[0] + 3.0
    new, old = (one.problem().part(one.problem().equations.time > start) for one in (online, by_forces))
    assert left(new, truth) < 0.4 * left(old, truth)


def test_the_strut_stage_gives_what_a_whole_log_gives_by_the_model(simulated, online):
    nominal, _, recording = simulated
    settings, log = online.settings, recording.log()
    stage = FilterStage(settings.validation, settings.filter, by_model(nominal))
    found = [one for k in range(2500) for one in stage.step(float(log.time[k]), log.length[k], log.force[k])]
    assert stage.forces[-1].modelled
    whole, _ = filter_log_causally(online.logs[0], settings.filter)
    assert len(found) > 2300
    # it is later than the filter alone by what is known of the belts
    assert stage.delay > stage.filter.delay + 0.03
    for name in ("time", "length", "rate", "acceleration", "force"):
        one = np.array([getattr(sample, "coordinate" if name == "length" else name) for sample in found])
        other = getattr(whole, name)[: len(one)]
        np.testing.assert_allclose(one, other, rtol=0.0, atol=1e-6 * np.abs(other).max())


def test_a_stream_without_forces_or_after_a_hole_begins_anew(simulated):
    nominal, _, recording = simulated
    settings, log = Settings().resolve(nominal, PERIOD), recording.log()
    stream = ElasticDriveStream(nominal, settings.validation, settings.filter, settings.validation.period)
    lag = round(stream.delay / settings.validation.period)
    for segment in (0, 1):
        samples = [
            ValidatedSample(float(log.time[k]), log.length[k], log.force[k], segment, False)
            for k in range(lag + 40)
        ]
        given = [stream.step(sample) for sample in samples]
        first = stream.before + lag
        assert not any(given[:first])
        assert [one.time for (one,) in given[first:]] == [one.time for one in samples[stream.before : -lag]]
    blind = samples[0]._replace(force=None)
    assert stream.step(blind) == [blind]
    assert stream.step(samples[0]) == []


def new_stream(one):
    settings = Settings().resolve(one, PERIOD)
    return ElasticDriveStream(one, settings.validation, settings.filter, settings.validation.period)


def validated(log, k, factor=1.0):
    return ValidatedSample(float(log.time[k]), log.length[k], factor * log.force[k], 0, False)


def test_a_stream_that_learned_from_false_forces_is_by_a_model_again(struts):
    """The machine flies apart behind the springs of such a model; what had been learned before does not help."""
    nominal, _, recording = struts
    log, stream = recording.log(), new_stream(nominal)
    modelled, beside = [], []
    for k in range(6500):
        for one in stream.step(validated(log, k, 0.0 if 1500 <= k < 2500 else 1.0)):
            beside.append(np.abs(one.coordinate - stream._acting[0].coordinate).max())
        modelled.append(stream.modelled)
    assert modelled[1499]
    assert not any(modelled[1700:2500])
    assert modelled[-1]
    # nor does a length show anything of it: belts are wound up by 3 mm
    assert max(beside) < 3e-3


def test_a_model_is_judged_against_the_noise_of_measured_forces(struts, monkeypatch):
    """By forces this noisy drives are wound up by an eighth otherwise than by any model, the true one too."""
    nominal, _, recording = struts
    log, stream = recording.log(), new_stream(nominal)
    noise = np.random.default_rng(1).normal(size=log.force.shape)
    noisy = replace(log, force=log.force + NOISE_OF_FORCES * np.sqrt(np.mean(log.force**2)) * noise)
    made, beyond, modelled, forget = [], [], [], stream._forget_model
    monkeypatch.setattr(stream, "_forget_model", lambda: (made.append(k), forget()))
    for k in range(6000):
        stream.step(validated(noisy, k))
        beyond.append(stream._off > FAR**2 * stream._size)
        modelled.append(stream.modelled)
    settled = slice(2500, None)
    assert np.mean(beyond[settled]) > 0.9
    assert all(modelled[settled])
    assert not any(k > 2500 for k in made)


def test_where_a_pose_is_lost_the_model_s_part_fades_and_the_model_learns_of_a_hole(struts, monkeypatch):
    nominal, _, recording = struts
    log, stream = recording.log(), new_stream(nominal)
    for k in range(1500):
        stream.step(validated(log, k))
    assert stream.modelled
    basis = stream._basis
    monkeypatch.setattr(stream._tracker, "step", lambda *_: FAILED)
    beside = []
    for k in range(1500, 1500 + round(FADE / PERIOD)):
        for one in stream.step(validated(log, k)):
            beside.append(one.coordinate - stream._acting[0].coordinate)
        monkeypatch.undo()
    # in equal steps, down to nothing
    held = np.abs(stream._besides[0])
    assert held.max() > 1e-6
    assert np.all(np.abs(np.diff(beside, axis=0)) <= 1.001 * held * PERIOD / FADE)
    np.testing.assert_allclose(beside[-1], 0.0, atol=1e-12)
    assert (
        stream._basis is basis
    )  # it takes an equation each .04 s, but not until its filters have settled again


def test_a_course_that_is_not_the_log_s_is_not_believed(simulated):
    """The winding of bodies that weigh nothing or far too much has nothing to do with what belts were wound up."""
    nominal, truth, recording = simulated
    experiment = Experiment.of([recording.log()], nominal)
    parameters, transfers = experiment.problem().parameters, experiment.settings.validation.transfers
    believed = {}
    for factor in (1.0, 4.0):
        basis = parameters.known + parameters.mapping @ (factor * true_values(parameters, truth))
        (measured,), (log,) = experiment.at_motors, experiment.logs
        believed[factor] = compute_deflections(experiment, measured, log, basis, transfers) is not None
    assert believed == {1.0: True, 4.0: False}


def test_what_does_not_fit_better_is_not_taken(simulated):
    """Belts of a fifth of the stiffness in the file, which no first estimate makes good."""
    nominal, _, recording = simulated
    document = copy.deepcopy(dict(nominal.document))
    document["actuator"]["stiffness"] = float(document["actuator"]["stiffness"]) / 5.0
    experiment = Experiment.of([recording.log()], read_machine(document))
    problem = experiment.problem()
    again, other = apply_elastic_drive_model(experiment, problem)
    before, after = (
        np.sqrt(np.mean((one.equations.measured - one.equations.regressor @ fitted(one)) ** 2))
        for one in (problem, other)
    )
    assert after <= before
    assert again.elastic_drives_modelled == (after < before)


def fitted(problem):
    return ESTIMATORS["ls"].fit(problem, Tuning()).mean
