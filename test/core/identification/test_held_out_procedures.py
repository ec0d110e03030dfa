# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The staged procedure and the friction test, too, end with a prediction of what they have not seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core import synthetic

from pkm_identification.identification.procedures.friction_test import measure_friction
from pkm_identification.identification.procedures.staged import StageSettings
from pkm_identification.identification.procedures.staged_experiment import (
    StagedIdentification,
    Trajectories,
    trajectories_of,
    with_prediction,
)
from pkm_identification.motion import DriveLog
from pkm_identification.report.friction_tables import build_friction_document, format_friction_sentences

pytestmark = pytest.mark.slow

NOMINAL, TRUTH = synthetic.nominal(), synthetic.truth()


def logs(end: float = 1.0) -> list[DriveLog]:
    """Two motions; forces of the last fifth of each times a factor."""
    made = []
    for seed, name in ((7, "first"), (8, "second")):
        log = synthetic.log(TRUTH, 10.0, seed, real=True)
        force = log.force.copy()
        force[8000:] *= end
        made.append(DriveLog(log.time, log.length, force, f"{name}.csv"))
    return made


def procedure(trajectories: Trajectories) -> StagedIdentification:
    """What there is before its end: nothing but logs and a first guess."""
    parameters = trajectories.parameters
    start = parameters.nominal[: len(parameters.names) - parameters.nuisance]
    return StagedIdentification(
        NOMINAL, trajectories, start, {}, None, None, StageSettings(trajectories.redundancy)
    )


def test_ends_of_all_trajectories_are_predicted_by_one_estimation_from_the_rest():
    held = with_prediction(procedure(trajectories_of(logs(), NOMINAL))).validation
    assert held.held_out == "last 20 % of each of 2 logs"
    assert "other samples" in held.predicted_by
    assert held.rms_percent_total < 2.0
    other = with_prediction(procedure(trajectories_of(logs(1.1), NOMINAL))).validation
    # but for the last millionth of a zero-phase filter's reach
    np.testing.assert_allclose(other.predicted, held.predicted, atol=1e-3)
    assert other.rms_percent_total > 5.0


def test_equations_without_logs_predict_nothing():
    made = trajectories_of(logs(), NOMINAL)
    assert with_prediction(procedure(replace(made, predict=None))).validation is None


def test_friction_at_the_end_is_predicted_by_a_test_of_the_rest():
    """A tenth more friction force there is an error of a tenth."""
    made = logs()
    test = measure_friction(made, NOMINAL)
    held = test.prediction
    assert held.held_out == "last 20 % of each of 2 logs"
    assert set(held.percent) == set(test.struts)
    # noise of 1 N behind 20 Hz leaves 0.2 N of some 50 N; masses are 20 % off in the file, and corrected strut by strut
    assert held.total < 5.0
    assert held.total < max(held.percent.values()) < 10.0
    more = measure_friction(logs(1.1), NOMINAL).prediction
    assert more.total > held.total + 5.0
    assert (
        sum(
            line.startswith("Held out: friction forces of the last 20 % of")
            for line in format_friction_sentences(test)
        )
        == 1
    )
    document = build_friction_document(test)["validation"]
    assert document["rms_percent"]["total"] == held.total
    assert document["held_out"] == held.held_out
    nothing = replace(test, prediction=None)
    assert format_friction_sentences(nothing)[-1].startswith("Nothing was held out and predicted")
    assert build_friction_document(nothing)["validation"] is None
