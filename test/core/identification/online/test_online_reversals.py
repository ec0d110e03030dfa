# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What smoothing does to friction where a strut turns back is estimated online too, and stays inside."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from core import synthetic
from core.estimation.loaded_equations import Scene, estimator, scene

from pkm_identification.identification.online import online_estimator
from pkm_identification.identification.online.online_estimator import EstimatorState, OnlineEstimator
from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.friction import friction_columns
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.simulation.trajectories import trajectory

SECONDS, RUNS = 24.0, 8
LATE = 0.15e-3  # s, by which smoothing lets a rate pass zero too late
# turning about the horizontal axes: what the pulses resemble most
MOST_HURT = ("Ixx_p", "Iyy_p")


@cache
def late_forces() -> tuple[Scene, np.ndarray]:
    """Forces of a machine whose Coulomb friction changes sign before the smoothed rates do."""
    made = scene(SECONDS)
    motion = trajectory("rich", made.nominal, SECONDS).motion(made.time)
    _, rate, second = strut_motion_from_platform(made.nominal, motion)
    early, now = (friction_columns(r, made.nominal.friction)[1] for r in (rate + LATE * second, rate))
    return made, made.force() + made.truth.friction.coulomb * (early - now)


def learned(seed: int, pulses: bool = True) -> OnlineEstimator:
    """From half a per cent of noise on the forces."""
    made, force = late_forces()
    online = estimator(made)
    own = len(online.parameters.names)
    for equation in made.equations(force, 300 + seed, 0.5):
        online.take(equation if pulses else equation._replace(regressor=equation.regressor[:, :own].copy()))
    return online


def errors(pulses: bool) -> np.ndarray:
    """Relative errors of the platform's moments of inertia, (RUNS, 2)."""
    truth = list_hexapod_parameters(late_forces()[0].truth)
    which = [truth.names.index(name) for name in MOST_HURT]
    values = [learned(seed, pulses).estimate.values[which] for seed in range(RUNS)]
    return np.array(values) / truth.nominal[which] - 1.0


@pytest.mark.slow
def test_moments_of_inertia_are_not_biased_by_reversals(monkeypatch):
    found = errors(True)
    # each mean by its own standard error; four of them are one in two hundred for Student's t of 7
    assert np.all(np.abs(found.mean(axis=0)) < 4.0 * found.std(axis=0) / np.sqrt(RUNS - 1))
    monkeypatch.setattr(online_estimator, "with_reversals", lambda parameters, machine: parameters)
    without = errors(False)
    # 15 % too large instead of 1 %, scattering by 2.5 % either way
    assert np.sqrt(np.mean(found**2)) < 0.4 * np.sqrt(np.mean(without**2))


@pytest.mark.slow
def test_nothing_of_them_is_shown_or_kept():
    online = learned(0)
    estimate, shown = online.estimate, online.machine.build_parameter_set().names
    assert estimate.names == online.parameters.names == shown
    assert estimate.covariance.shape == (len(shown), len(shown))
    for combination in estimate.combinations:
        assert "reversal" not in combination.name
    # inside there are six more, and they have been learned
    factors = slice(len(shown), None)
    assert len(online.prior.mean[factors]) == 6
    spread = np.sqrt(np.diag(online.state.covariance))[factors]
    assert np.all(spread < 0.3 * online.prior.std[factors])


@pytest.mark.slow
def test_an_estimation_continues_from_what_was_kept_without_them():
    whole = learned(1)
    made, force = late_forces()
    equations = made.equations(force, 301, 0.5)
    half = len(equations) // 2
    first, second = estimator(made), estimator(made)
    for equation in equations[:half]:
        first.take(equation)
    saved = first.estimate
    second.resume(EstimatorState(saved.values, saved.covariance, saved.count, saved.time))
    np.testing.assert_allclose(second.estimate.values, saved.values, rtol=1e-12)
    np.testing.assert_allclose(second.estimate.std, saved.std, rtol=1e-6)
    np.testing.assert_array_equal(second.state.mean[len(saved.values) :], 0.0)
    for equation in equations[half:]:
        second.take(equation)
    # what is lost is the correlation with the factors, and the noise is learned anew
    assert np.all(np.abs(second.estimate.values - whole.estimate.values) < 1.5 * whole.estimate.std)
    assert np.all(second.estimate.std < 1.3 * whole.estimate.std)


@pytest.mark.parametrize(("parameters", "more"), [("oh12", 0), ("extended", 6)])
def test_other_sets_have_them_where_they_have_every_struts_friction(parameters, more):
    machine = synthetic.nominal()
    pipeline = OnlinePipeline(machine, Settings.of(parameters=parameters).resolve(machine))
    log = synthetic.log(synthetic.truth(), 1.5, 1)
    for time, length, force in zip(log.time.tolist(), log.length, log.force, strict=True):
        pipeline.step(time, length, force)
    estimate = pipeline.estimate
    assert estimate.count > 10
    assert len(pipeline.estimator.prior.mean) == len(estimate.names) + more
