# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Unseen motion is predicted with the effects that the full model found, and not by parameters alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core import synthetic

from pkm_identification.identification.identify import identify, validate
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import load_machine

pytestmark = pytest.mark.slow
OFFSET = np.array([0.0, 8.0, 0.0, 0.0, -6.0, 0.0])  # N


@pytest.fixture(scope="module")
def result():
    log = synthetic.log(synthetic.truth(), 20.0, real=True)
    machine = load_machine(synthetic.truth())
    return identify([replace(log, force=log.force + OFFSET)], machine, Settings.of(estimator="full"))


def test_the_end_of_a_log_is_predicted_with_the_offsets_of_its_beginning(result):
    assert result.converged
    floor = 100.0 * np.sqrt(np.mean(result.fit.floor.std**2) / np.mean(result.validation.measured**2))
    assert result.validation.rms_percent_total < 1.5 * floor
    assert result.validation.part


def test_another_log_is_predicted_with_the_offsets_and_parameters_alone_are_told(result):
    other = synthetic.log(synthetic.truth(), 6.0, 14, real=True)
    found = validate(result, replace(other, force=other.force + OFFSET)).validation
    assert found.measured.shape == found.predicted.shape == (len(found.time), 6)
    assert found.rms_percent_total < 0.5 * found.parameters_percent
    assert found.rms_percent_total < found.rms_percent_raw_total
