# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Answers of simulated logs: deviations hold with right and wrong files, and wrong files are told."""

from __future__ import annotations

import copy
import re
from dataclasses import replace

import numpy as np
import pytest
from core import synthetic
from core.mechanisms.hexapod.machine_variants import document
from scipy.signal import lfilter

import pkm_identification as pkm
from benchmarks.field.answers import mechanism_log
from benchmarks.field.drawn_kinds import draw_machine, draw_truth, scale_mechanism
from pkm_identification.cli import main
from pkm_identification.estimation.posterior.status import FROM_FILE, IDENTIFIED, RESTS_ON_FILE
from pkm_identification.estimation.posterior.verdict import CONTRADICTS, DO_NOT_USE, FITS
from pkm_identification.identification.estimate_file import estimate_document
from pkm_identification.identification.experiment import Experiment
from pkm_identification.identification.full_model import equations
from pkm_identification.identification.full_model.equations import build_full_equations
from pkm_identification.identification.full_model.sums import build_views
from pkm_identification.identification.full_model.unknowns import FileModel
from pkm_identification.identification.model_errors import unsearched
from pkm_identification.identification.model_errors.platform import outside_forces
from pkm_identification.identification.of_logs import identify_logs as identify
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import load_machine, read_machine
from pkm_identification.report.summary import summary

pytestmark = pytest.mark.slow
TOTAL = Settings.of(estimator="full")


@pytest.fixture(scope="module")
def log():
    return synthetic.log(synthetic.truth(), 20.0, real=True)


def file_with(change):
    made = copy.deepcopy(document("uf"))
    made["friction"]["viscous"] = [260.0, 300.0, 210.0, 400.0, 350.0, 180.0]
    made["friction"]["coulomb"] = [30.0, 24.0, 41.0, 36.0, 20.0, 28.0]
    change(made)
    return read_machine(made)


def test_columns_of_bodies_on_the_thin_grid_are_those_of_every_sample(log, monkeypatch):
    machine = load_machine(synthetic.truth())
    experiment = Experiment.of([log], machine, TOTAL)
    thin = build_full_equations(experiment, np.asarray(machine.basis.nominal))
    monkeypatch.setattr(equations, "THIN", 10**6)
    whole = build_full_equations(experiment, np.asarray(machine.basis.nominal))
    size = np.sqrt(np.mean(whole.columns**2, axis=(0, 1)))
    assert np.all(np.sqrt(np.mean((thin.columns - whole.columns) ** 2, axis=(0, 1))) <= 2e-3 * size)
    assert thin.problem.parameters.names == whole.problem.parameters.names
    np.testing.assert_array_equal(thin.measured, whole.measured)


def deviations_from_truth(answer, machine, basis=None):
    parameters = machine.build_parameter_set(machine.sums_set)
    factors, offsets = build_views(parameters, tuple(machine.basis.names))
    true = factors @ (machine.basis.nominal if basis is None else basis) + offsets
    truth = dict(zip(parameters.names, true.tolist(), strict=True))
    return {one.name: (one.value - truth[one.name]) / one.std for one in answer.values if one.name in truth}


@pytest.mark.parametrize("offset", [0.0, 0.04])
def test_hexapod_with_a_wrong_centre_of_mass(log, offset):
    def change(made):
        made["strut"]["body_e"]["center_of_mass"] += offset

    result = identify([log], file_with(change), TOTAL)
    answer = result.answer
    away = deviations_from_truth(answer, load_machine(synthetic.truth()))
    assert max(map(abs, away.values())) < 3.0
    status = {one.name: one.status for one in answer.values}
    assert [status[name] for name in ("h_b", "Jt", "coulomb_3")] == [IDENTIFIED] * 3
    assert status["m_p"] in (FROM_FILE, RESTS_ON_FILE)
    assert answer.verdict.grade == FITS
    assert result.trusted


def test_hexapod_with_struts_ten_times_too_light(log):
    def change(made):
        for body in made["strut"].values():
            body["mass"] /= 10.0

    result = identify([log], file_with(change), TOTAL)
    assert result.answer.verdict.grade == CONTRADICTS
    assert not result.trusted
    assert "strut.body_b.mass" in [one.key for one in result.answer.verdict.conflicts]

    def guess(made):
        change(made)
        made["strut"]["known"] = "guessed"

    answer = identify([log], file_with(guess), TOTAL).answer
    assert answer.verdict.good
    assert max(map(abs, deviations_from_truth(answer, load_machine(synthetic.truth())).values())) < 3.0


def test_a_common_gain_that_all_masses_deny_is_named_and_no_single_mass_is(log):
    made = copy.deepcopy(synthetic.truth().document) | {"known": "cad"}
    gain = "drive.motor.torque_constant"
    verdict = identify([replace(log, force=0.8 * log.force)], read_machine(made), TOTAL).answer.verdict
    assert verdict.grade == CONTRADICTS
    assert gain in [one.key for one in verdict.conflicts]
    made["platform"]["mass"] *= 1.6
    keys = [one.key for one in identify([log], read_machine(made), TOTAL).answer.verdict.conflicts]
    assert "platform.mass" in keys
    assert gain not in keys


@pytest.mark.parametrize("factor", [1.0, 1.2])
def test_a_common_gain_is_named_where_one_mass_alone_denies_it(factor):
    machine = load_machine("mast")
    exact = mechanism_log(machine.mechanism)
    noise = np.random.default_rng(5).standard_normal(exact.force.shape)
    force = exact.force + 0.01 * np.sqrt(np.mean(exact.force**2, axis=0)) * noise
    file = read_machine(dict(machine.document) | {"known": "cad"})
    answer = identify([replace(exact, force=factor * force)], file, TOTAL).answer
    told = "tolerances.common_force_gain" in [one.key for one in answer.verdict.conflicts]
    assert told == (factor != 1.0)
    assert answer.verdict.good == (factor == 1.0)


def test_one_drive_of_another_gain_leaves_their_mean_uncertain():
    """Which of two drives is right no log shows, where masses are guessed: all values are as uncertain as that."""
    random = np.random.default_rng([61, 7])
    file = draw_machine(random, "five-bar") | {"known": "guessed"}
    truth = read_machine(draw_truth(random, file))
    right = mechanism_log(truth.mechanism)
    force = right.force * [0.5, 1.0]
    force += 0.005 * np.sqrt(np.mean(force**2, axis=0)) * random.standard_normal(force.shape)
    answer = identify([replace(right, force=force)], read_machine(file), TOTAL).answer
    assert {one.name for one in answer.effects} >= {"force_gain_q_l", "force_gain_q_r"}
    assert answer.verdict.conflicts[0].key == "tolerances.force_gain"
    assert "kgf" not in answer.verdict.sentence
    assert max(map(abs, deviations_from_truth(answer, truth).values())) < 3.0


@pytest.mark.parametrize(
    ("stated", "checked"),
    [
        ({"known": "guessed"}, False),
        ({"known": "cad"}, True),
        ({"tolerances": {"common_force_gain": 0.02}}, True),
    ],
)
def test_a_common_gain_that_nothing_checks_is_said(stated, checked):
    document = dict(load_machine("mast").document)
    document.pop("known", None)
    result = identify([drawn_log("mast", 6)[1]], read_machine(document | stated), TOTAL)
    note = result.answer.verdict.note
    assert note.startswith("All values rest on the forces' common factor") != checked
    assert (" ".join(note.split()) in " ".join(summary(result).split())) or checked
    assert estimate_document(result)["answer"]["verdict"]["note"] == note


@pytest.mark.parametrize("size", [1.0, 1.005])
def test_scales_that_are_wrong_alike_contradict_the_file(log, size):
    file = read_machine(dict(synthetic.truth().document) | {"known": "cad"})
    zeros = np.array([drive.zero for drive in file.drives])
    scaled = replace(log, coordinate=zeros + size * (log.coordinate - zeros))
    answer = identify([scaled], file, TOTAL).answer
    conflicts = [one.key for one in answer.verdict.conflicts if abs(one.deviations) > 4.0]
    assert ("tolerances.length_scale" in conflicts) == (size != 1.0)


def test_coloured_noise_of_more_than_a_hundredth_of_the_force_is_noise(log):
    pole = np.exp(-2.0 * np.pi * 40.0 * (log.time[1] - log.time[0]))
    white = np.random.default_rng(4).standard_normal(log.force.shape)
    noise = lfilter([np.sqrt(1.0 - pole**2)], [1.0, -pole], white, axis=0)
    force = log.force + 0.05 * np.sqrt(np.mean(log.force**2)) * noise
    verdict = identify([replace(log, force=force)], load_machine(synthetic.truth()), TOTAL).answer.verdict
    assert verdict.residual_share > 0.01
    assert verdict.grade == FITS


def test_late_forces_are_linearised_where_they_are(log):
    shifted = [np.interp(log.time - 4e-3, log.time, one) for one in log.force.T]
    answer = identify(
        [replace(log, force=np.stack(shifted, axis=1))], file_with(lambda made: None), TOTAL
    ).answer
    assert max(map(abs, deviations_from_truth(answer, load_machine(synthetic.truth())).values())) < 2.0
    (delay,) = answer.effects
    assert abs(delay.value - 4e-3) < 2.0 * delay.std
    # .13 % with the columns of no delay
    assert answer.verdict.residual_share < 1.1e-3


def test_what_nobody_searches_for_is_allowed_for(log, monkeypatch):
    """All at once: clock, lag, drifts, a wrench and a spring on the platform; what that costs a right log.

    Little of what is not near 0. A product of inertia near 0 looks like a spring beside scales of coordinates.
    """
    machine, truth = file_with(lambda made: None), load_machine(synthetic.truth())
    period, away = log.time[1] - log.time[0], (log.time - log.time.mean()) / np.ptp(log.time)
    still = np.zeros_like(log.length)
    motion = machine.compute_motion(log.length, still, still)
    rows = [machine.compute_drive_rates(motion, np.tile(unit, (len(away), 1))) for unit in np.eye(6)]
    position, (home, _) = machine.compute_pose(motion)[0], machine.home_pose
    wrench = np.concatenate(
        [[1.0, -2.0, 3.0] + (position - home) * [10.0, -8.0, 6.0], 0.0 * position], axis=1
    )
    force = log.force - np.linalg.solve(np.stack(rows, axis=1), wrench[:, :, None])[:, :, 0]
    force *= 1.0 + away[:, None] * [0.01, -0.01, 0.005, 0.0, 0.01, 0.0]
    force += away[:, None] * [2.0, -1.0, 0.0, 1.5, 0.0, -2.0]
    force = lfilter([period], [period + 2e-3, -2e-3], force, axis=0)
    kept = slice(50, None)  # without the lag's transient
    wrong = replace(
        log, time=1.0002 * log.time[kept], coordinate=log.length[kept], force=force[kept],
    )  # fmt: skip
    answer = identify([wrong], machine, TOTAL).answer
    assert max(map(abs, deviations_from_truth(answer, truth).values())) < 3.0
    assert {"offset_drift_6", "gain_drift_5", "force_delay"} <= {one.name for one in answer.effects}
    right = identify([log], machine, TOTAL).answer
    for module in (unsearched, outside_forces):
        monkeypatch.setattr(module, "effects", lambda machine: [])
    without = identify([log], machine, TOTAL).answer
    pairs = zip(right.values, without.values, strict=True)
    assert max(one.std / other.std for one, other in pairs if not one.near_zero) < 1.6
    assert max(map(abs, deviations_from_truth(right, truth).values())) < 3.0


def test_what_sensors_seldom_do_is_found_where_the_model_does_not_fit(log):
    machine, truth = file_with(lambda made: None), load_machine(synthetic.truth())
    force = log.force + 0.06 * np.roll(log.force, 1, axis=1)
    force[:, 2] *= 1.0 + 0.05 * np.abs(log.force[:, 2]) / np.std(log.force[:, 2])
    answer = identify([replace(log, force=force)], machine, TOTAL).answer
    names = {one.name for one in answer.effects}
    assert any(name.startswith("force_cross_talk") for name in names)
    assert names & {"force_square_3", "force_cube_3"}
    assert answer.verdict.grade == FITS
    assert max(map(abs, deviations_from_truth(answer, truth).values())) < 4.0


def test_dead_bands_are_found_in_every_drive(log):
    """Some are plain and some are not: what some drives have, the others may well have, too."""
    machine, truth = file_with(lambda made: None), load_machine(synthetic.truth())
    band = 0.04 * np.sqrt(np.mean(log.force**2))
    force = np.sign(log.force) * np.maximum(np.abs(log.force) - band, 0.0)
    answer = identify([replace(log, force=force)], machine, TOTAL).answer
    assert answer.verdict.grade == FITS
    assert answer.effects[0].name.startswith("force_dead_band")
    assert max(map(abs, deviations_from_truth(answer, truth).values())) < 4.0


def test_forces_ahead_have_no_lag(log):
    """Its square would be negative: coordinates that were smoothed look like it."""
    force = log.force - 9e-6 * np.gradient(np.gradient(log.force, log.time, axis=0), log.time, axis=0)
    answer = identify([replace(log, force=force)], file_with(lambda made: None), TOTAL).answer
    assert not any(one.name == "force_lag" for one in answer.effects)


def test_a_gain_that_turns_a_force_round_is_none(log):
    force = log.force * np.array([1.0, 1.0, -0.5, 1.0, 1.0, 1.0])
    result = identify([replace(log, force=force)], file_with(lambda made: None), TOTAL)
    assert result.answer.verdict.grade == DO_NOT_USE
    assert not result.trusted


def test_a_large_offset_that_the_file_allows_is_named(log):
    """Within the tenth of the weight that a file without a word allows."""
    force = log.force + np.array([0.0, 0.0, 0.0, 8.0, 0.0, 0.0])
    answer = identify([replace(log, force=force)], file_with(lambda made: None), TOTAL).answer
    (found,) = (one for one in answer.effects if one.name.startswith("force_offset"))
    assert found.name == "force_offset_4"
    assert abs(found.value - 8.0) < 3.0 * found.std
    assert 0.03 < found.share < 0.06
    assert answer.verdict.grade == FITS


def test_forces_in_pounds_are_named(log):
    force = replace(log, force=log.force / 4.4482216)
    result = identify([force], file_with(lambda made: None), TOTAL)
    assert result.answer.verdict.grade == CONTRADICTS
    assert "lbf" in result.answer.verdict.sentence


def drawn_log(name, seed):
    """A log of a machine whose bodies are drawn from what its file says of them, and its basis."""
    machine = load_machine(name)
    exact = mechanism_log(machine.mechanism)
    basis = np.asarray(machine.basis.nominal)
    model = FileModel.of_bodies(machine.knowledge, machine.rows_of_bodies, basis, len(basis))
    random = np.random.default_rng(seed)
    values, _ = model.compute(random.standard_normal(model.width))
    step = exact.time[1] - exact.time[0]
    rate = np.gradient(exact.coordinate, step, axis=0, edge_order=2)
    motion = machine.compute_motion(exact.coordinate, rate, np.gradient(rate, step, axis=0, edge_order=2))
    force = machine.compute_forces(motion, values)
    noise = 0.002 * np.sqrt(np.mean(force**2, axis=0)) * random.standard_normal(force.shape)
    return machine, replace(exact, force=force + noise), values


@pytest.mark.parametrize("name", ["mast", "four-bar"])
def test_mechanism_drawn_from_what_its_file_says(name):
    machine, log, values = drawn_log(name, 3)
    result = identify([log], machine, TOTAL)
    answer = result.answer
    assert max(map(abs, deviations_from_truth(answer, machine, values).values())) < 3.5
    assert answer.verdict.good
    assert [one.status for one in answer.values].count(IDENTIFIED) >= 2
    written = estimate_document(result)["answer"]
    assert written["verdict"]["grade"] == answer.verdict.grade
    assert [one["name"] for one in written["values"]] == [one.name for one in answer.values]
    assert answer.verdict.sentence in summary(result)


@pytest.mark.parametrize("size", [1.0, 1.15])
def test_values_of_a_machine_of_another_size_do_not_hold(size):
    machine, log, _ = drawn_log("mast", 5)
    document = scale_mechanism(dict(machine.document), size, 1.0)
    assert identify([log], read_machine(document), TOTAL).answer.verdict.good == (size == 1.0)


def test_friction_of_the_only_drive_is_known_where_nothing_else_rubs():
    random = np.random.default_rng(877)
    file = draw_machine(random, "four-bar")
    log = mechanism_log(read_machine(file).mechanism)
    noise = 0.005 * np.sqrt(np.mean(log.force**2, axis=0)) * random.standard_normal(log.force.shape)
    log = replace(log, force=log.force + noise)
    found = []
    for stated in ({}, {"tolerances": {"passive_friction": "1e-5"}}):
        answer = identify([log], read_machine(file | stated), TOTAL).answer
        found += [one for one in answer.values if one.name.startswith("coulomb")]
    rubbing, alone = found
    assert rubbing.status != IDENTIFIED
    assert rubbing.std > 0.2 * rubbing.value
    assert rubbing.rests_on[0].key.startswith("joint_friction_coulomb")
    assert alone.status == IDENTIFIED


@pytest.mark.parametrize("size", [0.93, 1.1])
def test_gravity_that_is_none_on_earth_says_how_long_the_machine_is(size):
    """Lengths l times, masses 1/l^2 times and gravity l times as large: the forces are the same."""
    random = np.random.default_rng(11)
    file = draw_machine(random, "serial_arm")
    log = mechanism_log(read_machine(scale_mechanism(file, size, size**-2)).mechanism)
    noise = 0.005 * np.sqrt(np.mean(log.force**2, axis=0)) * random.standard_normal(log.force.shape)
    result = identify([replace(log, force=log.force + noise)], read_machine(file), TOTAL)
    verdict = result.answer.verdict
    assert verdict.grade == CONTRADICTS
    assert verdict.conflicts[0].key == "gravity"
    assert not [one for one in result.answer.values if one.status == IDENTIFIED]
    (found,) = re.findall(r"lengths are ([0-9.]+) times", verdict.sentence)
    assert float(found) == pytest.approx(size, abs=0.02)


def test_values_rest_on_lengths_where_a_force_or_another_size_explains_a_log():
    """Unless the lengths were measured: then it is the force."""
    random = np.random.default_rng(3)
    file = draw_machine(random, "five-bar")
    sister = read_machine(scale_mechanism(file, 0.9, 0.9**-2))
    log = mechanism_log(sister.mechanism)
    noise = 0.005 * np.sqrt(np.mean(log.force**2, axis=0)) * random.standard_normal(log.force.shape)
    log, machine = replace(log, force=log.force + noise), read_machine(file)
    answer = identify([log], machine, TOTAL).answer
    assert answer.verdict.good
    (found,) = re.findall(r"lengths ([0-9.]+) times the file's", answer.verdict.note)
    assert float(found) == pytest.approx(0.9, abs=0.04)
    used = [one for one in answer.values if one.usable]
    errors = deviations_from_truth(answer, machine, sister.basis.nominal)
    assert max(abs(errors[one.name]) for one in used) < 4.0
    resting = [one for one in answer.values if one.rests_on[0].key == "tolerances.joint_places"]
    assert resting
    assert not [one for one in resting if one.usable]
    measured = read_machine(file | {"tolerances": {"joint_places": "1e-4"}})
    assert "times the file's" not in identify([log], measured, TOTAL).answer.verdict.note


def test_a_drawn_delta_whose_masses_are_guesses_converges(tmp_path):
    """Masses times places make narrow curved valleys in which straight steps are a hundredth as long."""
    file, log = str(tmp_path / "delta.yaml"), str(tmp_path / "log.csv")
    assert main(["init", file, "--kind", "delta"]) == 0
    motion = ["--trajectory", "rich", "--duration", "10"]
    assert main(["simulate", "--machine", file, *motion, "--out", log]) == 0
    result = pkm.identify(log, file).identification
    assert result.answer.verdict.grade == FITS
    assert result.trusted
    # one equation of energy says less than three of forces, as its deviations tell: that is no misfit
    energy = pkm.identify(log, file, model="energy").identification
    assert energy.answer.verdict.grade == FITS
