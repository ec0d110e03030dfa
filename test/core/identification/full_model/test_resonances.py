# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Something swings: a load on springs or on one, or what a single drive moves. It is found, and no value is off."""

from __future__ import annotations

import pytest

from benchmarks.field.truth import find_errors
from benchmarks.foreign.__main__ import draw_pair, spoil
from benchmarks.foreign.run import build_run
from pkm_identification.estimation.posterior.verdict import FITS
from pkm_identification.identification.answer_file import answer_document
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import FULL, Settings
from pkm_identification.machines.load import read_machine

SEED, DURATION = 161, 16.0
SWINGING = {
    "mass on a spring, 9 Hz": "platform_resonance",
    "mass on a spring that gives one way, 6 Hz": "platform_resonance",
    "load of a drive on a spring, 5 Hz": "drive_resonance",
}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def drawn():
    file, truth = draw_pair("uf", SEED)
    return file, truth, build_run(read_machine(truth), read_machine(file), DURATION, SEED)


@pytest.mark.parametrize("kind", SWINGING)
def test_what_swings_is_named_with_its_frequency_and_moves_no_value(drawn, kind):
    file, truth, run = drawn
    trial = spoil(run, file, truth, kind, SEED)
    machine = read_machine(file)
    answer = identify([trial.measure()], machine, Settings.of(estimator=FULL)).answer
    assert answer.verdict.grade == FITS
    first = answer.effects[0]
    assert first.name.startswith(SWINGING[kind])
    frequency = float(first.unit.removesuffix(" Hz").split()[-1])
    assert frequency == pytest.approx(float(kind.split()[-2]), rel=0.03)
    errors = find_errors(answer_document(answer), machine, read_machine(trial.truth))
    assert len(errors) > 12
    assert max(map(abs, errors.values())) < 3.5
