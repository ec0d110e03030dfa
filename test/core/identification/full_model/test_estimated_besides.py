# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is estimated as well is no claim of the file: the full model lets it be anything, and names it as no cause."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.machines.exact_logs import noisy_log

from pkm_identification.identification.diagnosis.nearest import list_found_effects
from pkm_identification.identification.experiment import Experiment
from pkm_identification.identification.full_model.answer import find_effects
from pkm_identification.identification.full_model.equations import ASKED_WIDE, build_full_equations
from pkm_identification.identification.full_model.posterior import find_posterior_of
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import as_machine, load_machine

SECONDS, RATE = 14.0, 250.0


def build(name: str, also: tuple[str, ...], offset: float = 0.0):
    """Return the full equations of a log whose first force is off by a share of its size."""
    log = noisy_log(name, SECONDS, RATE)
    force = log.force.copy()
    force[:, 0] += offset * np.sqrt(np.mean(force[:, 0] ** 2))
    machine = as_machine(load_machine(name))
    experiment = Experiment.of(
        [replace(log, force=force)], machine, Settings.of(estimator="ls", also=also, hold_out=0.0)
    )
    return machine, build_full_equations(experiment, np.array(machine.basis.nominal))


@pytest.mark.parametrize(
    ("name", "also"), [("mast", "geometry"), ("epaas", "force_gain"), ("mast", "force_offset_2")]
)
def test_numbers_that_are_asked_for_are_wide_and_no_others(name, also):
    plain, asked = build(name, ())[1], build(name, (also,))[1]
    names = [one for nuisance in plain.nuisances for one in nuisance.names]
    assert names == [one for nuisance in asked.nuisances for one in nuisance.names]
    factors = asked.effect_widths / plain.effect_widths
    wide = np.array([one in asked.estimated for one in names])
    assert wide.any()
    assert np.allclose(factors, np.where(wide, ASKED_WIDE, 1.0))
    first = plain.basis + plain.reversals
    assert np.allclose(asked.columns[:, :, first:], plain.columns[:, :, first:] * factors)


@pytest.mark.parametrize("name", ["mast", "epaas"])
def test_an_offset_is_found_and_named_unless_it_is_estimated_as_well(name):
    for also, is_named in (((), True), (("force_offset",), False)):
        _, full = build(name, also, 1.0)
        posterior = find_posterior_of(full, np.diag(np.var(full.measured, axis=0)) * 1e-4)
        named = [one.name for one in find_effects(posterior)]
        causes = [one.name for one in list_found_effects(posterior, 1.0, 0.0)]
        for found in (named, causes):
            assert any(one.startswith("force_offset") for one in found) == is_named
