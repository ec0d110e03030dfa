# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Effects whose columns follow the values are made anew until the values stay, not the residual alone."""

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

SEED = 1201

pytestmark = pytest.mark.slow


def test_dead_bands_of_all_drives_move_no_value():
    """Where friction changes its sign decides how much of a band's force is seen: friction was 5 deviations off."""
    file, truth = draw_pair("uf", SEED)
    machine = read_machine(file)
    run = build_run(read_machine(truth), machine, DURATION, SEED)
    trial = spoil(run, file, truth, "dead band of the current", SEED)
    answer = identify([trial.measure()], machine, Settings.of(estimator=FULL)).answer
    assert answer.verdict.grade == FITS
    assert answer.effects[0].name.startswith("force_dead_band")
    errors = find_errors(answer_document(answer), machine, read_machine(trial.truth))
    assert max(map(abs, errors.values())) < 3.0
