# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A force channel that is noise is no force, on any machine; one of a motion that needs none is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.foreign.__main__ import draw_pair
from benchmarks.foreign.run import build_run
from pkm_identification.estimation.posterior.verdict import DO_NOT_USE
from pkm_identification.identification.diagnosis.unmeasured_forces import _compare_with_prediction
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import FULL, Settings
from pkm_identification.machines.load import read_machine
from pkm_identification.mechanisms.friction import friction_force

DURATION = 12.0


def test_a_part_of_a_prediction_is_judged_by_how_well_it_is_known():
    """Numbers good to a twentieth say that a force is lacking; a prediction that is all uncertainty says nothing."""
    random = np.random.default_rng(8)
    columns = random.standard_normal((400, 2))
    predicted, noise = columns @ np.array([3.0, 2.0]), 0.01 * random.standard_normal(400)
    known = _compare_with_prediction(noise, predicted, columns * np.array([0.15, 0.1]), 0.01)
    assert abs(known[0]) < 0.01
    assert 1.0 - known[0] > 10.0 * known[1]
    unknown = _compare_with_prediction(noise, predicted, columns * np.array([3.0, 2.0]), 0.01)
    assert 1.0 - unknown[0] < 10.0 * unknown[1]
    right = _compare_with_prediction(predicted + noise, predicted, columns * np.array([0.15, 0.1]), 0.01)
    assert abs(right[0] - 1.0) < 0.01


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "seed", "drive"), [("serial_arm", 903, 1), ("delta", 904, 1), ("uf", 905, 4)]
)
def test_a_force_that_is_noise_is_refused_by_its_name(kind, seed, drive):
    file, truth = draw_pair(kind, seed)
    machine = read_machine(file)
    log = build_run(read_machine(truth), machine, DURATION, seed).measure()
    right = identify([log], machine, Settings.of(estimator=FULL))
    assert right.answer.verdict.good
    assert not any(one.family == "force_unmeasured" for one in right.fit.causes)
    force = log.force.copy()
    noise = np.std(np.diff(force[:, drive])) / np.sqrt(2.0)
    force[:, drive] = noise * np.random.default_rng(seed).standard_normal(len(force))
    result = identify([replace(log, force=force)], machine, Settings.of(estimator=FULL))
    assert result.answer.verdict.grade == DO_NOT_USE
    assert [one.name for one in result.fit.causes] == [f"force_unmeasured_{machine.drives[drive].label}"]
    assert machine.drives[drive].title in result.answer.verdict.sentence
    assert not any(one.usable for one in result.answer.values)


def let_swing(run, drive):
    """Return a run whose drive gives no force: its axis moves as the others and its weight make it."""
    arm, step = run.machine, run.period
    own = [one.copy() for one in (run.motion.coordinate, run.motion.rate, run.motion.acceleration)]
    coordinate, rate, acceleration = (one[:, drive] for one in own)

    def fall(k, place, speed):
        at = [np.stack([one[k], one[k]]) for one in own]
        at[0][:, drive], at[1][:, drive], at[2][:, drive] = place, speed, (0.0, 1.0)
        force = arm.compute_forces(arm.compute_motion(*at), arm.basis.nominal)[:, drive]
        return -(force[0] + friction_force(at[1][:1, drive : drive + 1], arm.friction[drive])[0, 0]) / (
            force[1] - force[0]
        )

    rate[0] = 0.0
    acceleration[0] = fall(0, coordinate[0], 0.0)
    for k in range(1, len(coordinate)):
        coordinate[k] = coordinate[k - 1] + step * (rate[k - 1] + 0.5 * step * acceleration[k - 1])
        ahead = fall(k, coordinate[k], rate[k - 1] + step * acceleration[k - 1])
        rate[k] = rate[k - 1] + 0.5 * step * (acceleration[k - 1] + ahead)
        acceleration[k] = fall(k, coordinate[k], rate[k])
    return replace(run, motion=arm.compute_motion(*own))


@pytest.mark.slow
def test_an_axis_that_swings_freely_needs_no_force():
    """Its channel is noise as well, and right: the file, off as far as it says, allows for a motion without a force."""
    file, truth = draw_pair("serial_arm", 909)
    machine = read_machine(file)
    run = let_swing(build_run(read_machine(truth), machine, DURATION, 909), len(machine.drives) - 1)
    assert np.all(np.abs(run.force[:, -1]) < 1e-9)
    result = identify([run.measure()], machine, Settings.of(estimator=FULL))
    assert result.answer.verdict.good
    assert not result.fit.causes


@pytest.mark.slow
def test_friction_of_a_drive_that_stood_still_is_as_unknown_as_before():
    file, truth = draw_pair("serial_arm", 906)
    machine, arm = read_machine(file), read_machine(truth)
    run = build_run(arm, machine, DURATION, 906)
    moved = run.motion
    parts = [one.copy() for one in (moved.coordinate, moved.rate, moved.acceleration)]
    parts[0][:, -1], parts[1][:, -1], parts[2][:, -1] = moved.coordinate[0, -1], 0.0, 0.0
    run = replace(run, motion=arm.compute_motion(*parts))
    answer = identify([run.measure()], machine, Settings.of(estimator=FULL)).answer
    label, widths = machine.drives[-1].label, machine.knowledge.of_kind("viscous")
    (found,) = (one for one in answer.values if one.name == f"viscous_{label}")
    assert found.status == "from the file"
    assert found.std == pytest.approx(widths[-1].width, rel=0.1)
    assert found.taken == pytest.approx(0.0, abs=1e-6)
