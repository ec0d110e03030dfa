# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Strong effects that depend on values or places are named, and move no value."""

from __future__ import annotations

import pytest

from benchmarks.field.truth import find_errors
from benchmarks.foreign.__main__ import DURATION, draw_pair, spoil
from benchmarks.foreign.run import build_run
from pkm_identification.estimation.posterior.verdict import FITS
from pkm_identification.identification.answer_file import answer_document
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import FULL, Settings
from pkm_identification.machines.load import read_machine

KINDS = (
    # columns are made anew until values stay: where friction changes its sign decides how much of a band is seen
    ("uf", 1201, "dead band of the current", "force_dead_band"),
    # far from home: the drive's friction is that in the middle of the motion
    ("epaas", 1203, "friction by position", "friction_position"),
)

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("kind", "seed", "fault", "effect"), KINDS)
def test_an_effect_is_named_and_moves_no_value(kind, seed, fault, effect):
    file, truth = draw_pair(kind, seed)
    machine = read_machine(file)
    run = build_run(read_machine(truth), machine, DURATION, seed)
    trial = spoil(run, file, truth, fault, seed)
    answer = identify([trial.measure()], machine, Settings.of(estimator=FULL)).answer
    assert answer.verdict.grade == FITS
    assert answer.effects[0].name.startswith(effect)
    errors = find_errors(answer_document(answer), machine, read_machine(trial.truth))
    assert max(map(abs, errors.values())) < 3.0
