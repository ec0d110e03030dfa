# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Values that a wrong number of the file moves before the data contradict it: they rest on that number."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.field.drawn_kinds import draw_machine
from benchmarks.field.truth import find_errors
from benchmarks.foreign.run import build_run
from benchmarks.foreign.wrong_numbers import WRONG, spoil_file
from pkm_identification.estimation.posterior.status import RESTS_ON_FILE
from pkm_identification.identification.answer_file import answer_document
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import read_machine

pytestmark = pytest.mark.slow
KEY = "bodies.rocker.mass"


@pytest.mark.parametrize("seed", [301, 412])
def test_mass_that_no_log_sees(seed):
    document = draw_machine(np.random.default_rng(seed), "four-bar")
    document["known"] = "cad"
    truth = read_machine(document)
    log = build_run(truth, truth, 20.0, seed).measure()
    right = identify([log], truth, Settings()).answer
    (moment,) = [one for one in right.values if one.name == "mx_rocker"]
    assert moment.status == RESTS_ON_FILE
    assert moment.rests_on[0].key == KEY
    (mass,) = [one for one in truth.knowledge.bodies[2].numbers if one.key == KEY]
    file = spoil_file(truth, mass, -10.0)
    wrong = identify([log], file, Settings()).answer
    errors = find_errors(answer_document(wrong), file, truth)
    assert not wrong.verdict.good or max(map(abs, errors.values())) < WRONG
