# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Bodies that a file has alike and that are not: the data say by how much, and values hold all the same."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.field.drawn_kinds import draw_machine, draw_truth
from benchmarks.field.truth import find_errors
from benchmarks.foreign.run import build_run
from benchmarks.foreign.wrong_numbers import BEYOND
from pkm_identification.estimation.posterior.mode import NormalEquations, find_mode
from pkm_identification.identification.answer_file import answer_document
from pkm_identification.identification.full_model.like_bodies import find_differences, find_spread
from pkm_identification.identification.full_model.unknowns import FileModel
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import FULL, Settings
from pkm_identification.machines.knowledge.bodies import ALIKE_KEY
from pkm_identification.machines.load import load_machine, read_machine

NOISE = 0.005  # of each value of the basis, or of the mean one where it is 0


def find_spread_of(differ, seed, stated=1.0):
    """Return what is found of a hexapod whose struts differ by so many stated widths, `stated` to begin with."""
    machine = load_machine("uf")
    basis, random = np.asarray(machine.basis.nominal), np.random.default_rng(seed)
    parts = machine.knowledge, machine.rows_of_bodies, basis, len(basis)
    model = FileModel.of_bodies(*parts)
    unknowns = random.standard_normal(model.width)
    unknowns[find_differences(model)] *= differ
    noise = NOISE * np.where(basis == 0.0, np.mean(np.abs(basis)), np.abs(basis))
    measured = (model.compute(unknowns)[0] + noise * random.standard_normal(len(basis))) / noise
    gram = np.diag(noise**-2.0)
    normal = NormalEquations(gram, measured / noise, float(measured @ measured), np.zeros(len(basis)))
    model = FileModel.of_bodies(*parts, stated)
    return find_spread(model, find_mode(model, normal, ()))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_spread_is_what_bodies_differ_by(seed):
    assert find_spread_of(1.0, seed) < 1.5
    assert 2.0 < find_spread_of(4.0, seed) < 5.0  # some twenty numbers that are seen
    # from wherever the search begins
    assert find_spread_of(4.0, seed, 3.0) == pytest.approx(find_spread_of(4.0, seed), rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [[50, 7]])
def test_values_hold_where_bodies_are_not_alike(seed):
    random = np.random.default_rng(seed)
    file = draw_machine(random, "rrr")
    truth = read_machine(draw_truth(random, file))
    file = read_machine(file)
    log = build_run(truth, file, 20.0, seed[0]).measure()
    answer = identify([log], file, Settings.of(estimator=FULL)).answer
    assert answer.verdict.good
    assert [one.key for one in answer.verdict.conflicts if one.beyond] == [ALIKE_KEY]
    errors = find_errors(answer_document(answer), file, truth)
    assert len(errors) > 15
    assert max(map(abs, errors.values())) < BEYOND
