# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""An arm whose last motor turns with two joints: told of logs of motors and of joints, and right with the line told."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
import yaml

from benchmarks.field.truth import find_errors
from benchmarks.foreign.__main__ import draw_pair, spoil
from benchmarks.foreign.run import build_run
from pkm_identification.identification.answer_file import answer_document
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import FULL, Settings
from pkm_identification.machines.load import read_machine

DURATION = 15.0


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "logged"), [(321, "motors"), (323, "joints")])
def test_a_motor_that_turns_with_two_joints_is_told_with_its_line(seed, logged):
    file, truth = draw_pair("serial_arm", seed)
    run = build_run(read_machine(truth), read_machine(file), DURATION, seed)
    trial = spoil(run, file, truth, f"a motor that turns with two joints, {logged} logged", seed)
    settings, log = Settings.of(estimator=FULL), trial.measure()
    result = identify([log], read_machine(trial.file), settings)
    assert not result.answer.verdict.good
    cause = result.fit.causes[0]
    assert cause.name == "coupled_drives"
    (line,) = yaml.safe_load(cause.correction.partition("in the file's drives: ")[2]).items()
    drive, measured = line
    assert drive == list(file["drives"])[-1]
    if logged == "joints":
        coordinate, force = log.coordinate.copy(), log.force.copy()
        coordinate[:, -1] += cause.value * coordinate[:, -2]
        force[:, -2] -= cause.value * force[:, -1]
        log = replace(log, coordinate=coordinate, force=force)
    changed = copy.deepcopy(file)
    changed["drives"][drive] = measured | {"force": file["drives"][drive]["force"]}
    home = changed["home"]["drives"]
    home[drive] = float(home[drive]) + cause.value * float(list(home.values())[-2])
    answer = identify([log], read_machine(changed), settings).answer
    assert answer.verdict.good
    assert answer.verdict.residual_share < 0.02
    errors = find_errors(answer_document(answer), read_machine(file), read_machine(truth))
    assert max(map(abs, errors.values())) < 4.0


@pytest.mark.slow
def test_a_right_log_of_an_arm_has_no_coupled_drives():
    file, truth = draw_pair("serial_arm", 321)
    run = build_run(read_machine(truth), read_machine(file), DURATION, 321)
    result = identify([run.measure()], read_machine(file), Settings.of(estimator=FULL))
    assert result.answer.verdict.good
    assert "coupled_drives" not in [one.name for one in result.fit.causes]
