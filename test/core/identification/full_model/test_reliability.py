# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Values that a wrong number of the file moves before the data contradict it: they rest on that number."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.field.drawn_kinds import draw_machine
from benchmarks.field.truth import find_errors
from benchmarks.foreign.__main__ import draw_pair, spoil
from benchmarks.foreign.run import build_run
from benchmarks.foreign.wrong_numbers import WRONG, spoil_file
from pkm_identification.estimation.posterior.status import RESTS_ON_FILE
from pkm_identification.identification.answer_file import answer_document
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import read_machine

pytestmark = pytest.mark.slow


def run(kind, seed, known, number):
    document = draw_machine(np.random.default_rng(seed), kind)
    document["known"] = known
    truth = read_machine(document)
    log = build_run(truth, truth, 20.0, np.ravel(seed)[0]).measure()
    numbers = [one for body in truth.knowledge.bodies for one in body.numbers]
    return truth, log, next(one for one in numbers if one.key == number)


def answer_of(log, file):
    return identify([log], file, Settings()).answer


@pytest.mark.parametrize("seed", [301, 412])
def test_mass_that_no_log_sees_is_named(seed):
    truth, log, mass = run("four-bar", seed, "cad", "bodies.rocker.mass")
    (moment,) = [one for one in answer_of(log, truth).values if one.name == "mx_rocker"]
    assert moment.status == RESTS_ON_FILE
    assert moment.rests_on[0].key == mass.key


@pytest.mark.parametrize(
    ("kind", "seed", "known", "key", "widths"),
    [
        ("four-bar", 301, "cad", "bodies.rocker.mass", -10.0),
        # the log says little of it: the value that has it is the file's number, not known
        ("four-bar", [1931, 9, 11], "cad", "bodies.crank.inertia.0", 10.0),
        # at zero, it is in a moment of inertia by its square alone
        ("delta", [611, 10, 11], "guessed", "bodies.rod_1.center_of_mass.1", 10.0),
    ],
)
def test_wrong_number_that_no_log_sees_moves_no_value_that_is_used(kind, seed, known, key, widths):
    truth, log, number = run(kind, seed, known, key)
    file = spoil_file(truth, number, widths)
    wrong = answer_of(log, file)
    assert wrong.verdict.good  # nothing says that the file is wrong
    assert max(map(abs, find_errors(answer_document(wrong), file, truth).values())) < WRONG


@pytest.mark.parametrize(
    ("kind", "seed", "fault"),
    [
        ("four-bar", 877, "a joint elsewhere"),
        ("four-bar", 877, "friction of inner joints"),
        ("four-bar", 877, "pitch of a drive"),
        ("delta", 513, "all joints elsewhere"),
        # of an axis in a body that a fit of sums has given no mass
        ("epaas", 522, "a joint elsewhere"),
    ],
)
def test_fault_that_no_log_tells_from_values_moves_none_that_is_used(kind, seed, fault):
    file, truth = draw_pair(kind, seed)
    run = build_run(read_machine(truth), read_machine(file), 20.0, seed)
    trial = spoil(run, file, truth, fault, seed)
    wrong = answer_of(trial.measure(), read_machine(trial.file))
    assert wrong.verdict.good
    errors = find_errors(answer_document(wrong), read_machine(trial.file), read_machine(trial.truth))
    assert max(map(abs, errors.values()), default=0.0) < WRONG


def test_joints_that_were_measured_leave_the_value_to_the_log():
    """How far one may be elsewhere without a word decides what rests on it."""
    file, truth = draw_pair("delta", 513)
    run = build_run(read_machine(truth), read_machine(file), 20.0, 513)
    log = run.measure()
    resting = {}
    for known in ({}, {"joint_places": 3e-5}):
        tolerances = {**file.get("tolerances", {}), **known}
        machine = read_machine({**file, "tolerances": tolerances} if tolerances else file)
        leaning = [
            (one.status, one.rests_on[0].key) for one in answer_of(log, machine).values if one.rests_on
        ]
        resting[bool(known)] = sum(
            status == RESTS_ON_FILE and key.startswith("joints.") for status, key in leaning
        )
    assert resting[False] > resting[True]
