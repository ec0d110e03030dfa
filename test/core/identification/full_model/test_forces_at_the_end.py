# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forces that no file has act at the tip of a five-bar, whose file names no outputs: found, named, and no value off."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.field.truth import find_errors
from benchmarks.foreign.__main__ import draw_pair, spoil
from benchmarks.foreign.kinds import KINDS
from benchmarks.foreign.run import build_run
from pkm_identification.estimation.posterior.verdict import FITS
from pkm_identification.identification.answer_file import answer_document
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import FULL, Settings
from pkm_identification.machines.load import read_machine

SEED, DURATION = 51, 20.0
NAMED = {
    "spring on the platform": "platform_spring",
    "damper on the platform": "platform_damper",
    "friction along the platform's way": "platform_friction",
    "friction of inner joints": "joint_friction_coulomb",
    "inner joints full of grease": "joint_friction_viscous",
    "sloshing mass, 1.5 Hz": "platform_resonance",
}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def drawn():
    file, truth = draw_pair("five-bar", SEED)
    return file, truth, build_run(read_machine(truth), read_machine(file), DURATION, SEED)


@pytest.mark.parametrize("kind", NAMED)
def test_what_acts_at_the_tip_is_named_and_moves_no_value(drawn, kind):
    file, truth, run = drawn
    assert kind in KINDS
    trial = spoil(run, file, truth, kind, SEED)
    machine = read_machine(file)
    answer = identify([trial.measure()], machine, Settings.of(estimator=FULL)).answer
    assert answer.verdict.grade == FITS
    assert answer.effects[0].name.startswith(NAMED[kind])
    swinging = [one.unit for one in answer.effects if one.name.startswith("platform_resonance")]
    assert set(swinging) == ({"kg at 1.5 Hz"} if kind.startswith("sloshing") else set())
    errors = find_errors(answer_document(answer), machine, read_machine(trial.truth))
    assert len(errors) > 6
    assert max(map(abs, errors.values())) < 3.5


@pytest.mark.parametrize("kind", ["damper on the platform", "sloshing mass, 1.5 Hz"])
def test_what_no_machine_has_is_not_named(drawn, kind):
    """The same forces the other way round: a damper that pushes, a mass below zero."""
    file, truth, run = drawn
    trial = spoil(run, file, truth, kind, SEED)
    turned = replace(trial, run=replace(trial.run, added=-trial.run.added))
    answer = identify([turned.measure()], read_machine(file), Settings.of(estimator=FULL)).answer
    braking = ("platform_damper", "platform_friction", "platform_resonance", "joint_friction")
    assert min([one.value for one in answer.effects if one.name.startswith(braking)], default=0.0) >= 0.0
    assert answer.effects or answer.verdict.grade != FITS  # something is wrong, and that is not hidden
