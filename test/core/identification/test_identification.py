# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Identification of machines whose truth is known: right, honest about its errors, repeatable."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from core import synthetic
from core.platform_motions import Harmonics, along, six_axes

from pkm_identification.errors import LogError, PkmError, Unidentifiable
from pkm_identification.estimation.estimators import ESTIMATORS as REGISTRY
from pkm_identification.identification.identify import identify, validate
from pkm_identification.identification.rates.sample_rate import compute_estimated_period
from pkm_identification.identification.result import Identification
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.motion import DriveLog
from pkm_identification.parameters.assumptions import (
    Assumptions,
    Fix,
    PriorValue,
    Tie,
)

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unjudged")]

NOMINAL, TRUTH = synthetic.nominal(), synthetic.truth()
EXACT = list_hexapod_parameters(TRUTH).nominal
ESTIMATORS = pytest.mark.parametrize("estimator", REGISTRY)


@pytest.mark.parametrize(("estimator", "friction"), [*((name, True) for name in REGISTRY), ("ls", False)])
def test_exact_log_gives_the_truth(estimator, friction):
    truth = synthetic.truth(friction)
    exact = list_hexapod_parameters(truth).nominal
    result = identify(
        [synthetic.log(truth, 8.0, 1)], synthetic.nominal(friction), Settings.of(estimator=estimator)
    )
    scale = np.where(exact == 0, 1.0, np.abs(exact))
    # what is left is the kinematic low-pass on the bend of the friction law
    np.testing.assert_array_less(np.abs(result.estimate.values - exact) / scale, 1e-4)
    assert result.estimate.status == ("identifiable",) * len(exact)
    assert result.converged
    # what is left of the bend is no outlier but to an estimator that sees nothing else
    assert set(result.dropped) <= ({"outlier"} if estimator == "robust" else set())


@cache
def identified(estimator: str, seed: int) -> Identification:
    """From 12 s with the noise of sensors."""
    return identify([synthetic.log(TRUTH, 12.0, seed, real=True)], NOMINAL, Settings.of(estimator=estimator))


@pytest.mark.parametrize(
    ("estimator", "seed"),
    [*((name, 0) for name in REGISTRY), *(("ls", seed) for seed in (1, 2, 3))],
)
def test_truth_lies_within_the_stated_standard_deviations(estimator, seed):
    estimate = identified(estimator, seed).estimate
    error = (estimate.values - EXACT) / estimate.std
    assert np.abs(error).max() < 5
    assert np.sqrt(np.mean(error**2)) < 2
    # and they say something: the masses are known to a few per cent
    masses = estimate.std[:3] / EXACT[:3]
    assert np.all(masses < 0.1)


def test_estimators_agree_within_a_standard_deviation():
    results = [identified(e, 0).estimate for e in ("ls", *REGISTRY)]
    for other in results[1:]:
        assert np.all(np.abs(other.values - results[0].values) < results[0].std)


@pytest.mark.parametrize("causal", [False, True])
def test_twice_gives_the_same_to_the_last_bit(causal):
    log = synthetic.log(TRUTH, 6.0, 6, real=True)
    first, second = (identify([log], NOMINAL, Settings.of(causal=causal)).estimate for _ in range(2))
    np.testing.assert_array_equal(first.values, second.values)
    np.testing.assert_array_equal(first.covariance, second.covariance)
    assert first.status == second.status
    assert (first.nis, first.count) == (second.nis, second.count)


def test_pieces_of_an_experiment_share_nothing_but_the_parameters():
    """Two motions with clocks of their own: no derivative is taken from one to the other."""
    logs = [synthetic.log(TRUTH, 7.0, 7), synthetic.log(TRUTH, 7.0, 8, start=-3.0)]
    result = identify(logs, NOMINAL, Settings.of(estimator="ls"))
    np.testing.assert_array_less(np.abs(result.estimate.values / EXACT - 1), 1e-4)
    swapped = identify(logs[::-1], NOMINAL, Settings.of(estimator="ls"))
    np.testing.assert_allclose(swapped.estimate.values, result.estimate.values, rtol=1e-6)


def test_numbering_of_the_struts_does_not_matter():
    order = np.array([3, 0, 5, 1, 4, 2])

    def permuted(machine: Machine) -> Machine:
        made = {**machine.document, "geometry": dict(machine.document["geometry"])}
        for key in ("base_joints", "platform_joints"):
            made["geometry"][key] = [made["geometry"][key][i] for i in order]
        made["friction"] = dict(made["friction"])
        for key in ("viscous", "coulomb"):
            made["friction"][key] = [made["friction"][key][i] for i in order]
        return Machine.from_document(made)

    log = synthetic.log(TRUTH, 8.0, 9, real=True)
    other = DriveLog(log.time, log.length[:, order], log.force[:, order])
    settings = Settings.of(estimator="ls")
    first, second = (
        identify([log], NOMINAL, settings).estimate,
        identify([other], permuted(NOMINAL), settings).estimate,
    )
    same = np.concatenate([np.arange(8), 8 + order, 14 + order])
    np.testing.assert_allclose(
        second.values, first.values[same], atol=1e-5 * first.std[same].min(), rtol=1e-6
    )
    np.testing.assert_allclose(second.std, first.std[same], rtol=1e-4)


@pytest.mark.parametrize("axes", ["x", "z", "xy"])
def test_single_motions_show_no_platform_moments_and_nothing_wild(axes):
    """Pure translation: the columns of the platform's moments are zero, so their prior must not become an estimate."""
    log = synthetic.log(TRUTH, 8.0, 10, along(TRUTH, axes, 1), real=True)
    estimate = identify([log], NOMINAL, Settings.of(estimator="ls")).estimate
    for name in ("Ixx_p", "Iyy_p", "Izz_p"):
        k = estimate.names.index(name)
        assert estimate.status[k] != "identifiable", name
        assert estimate.shown(name) is None
        # not moved from the file's value by more than its prior allows, and no better known than that
        assert abs(estimate.values[k] - estimate.nominal[k]) < estimate.nominal[k]
    for k, status in enumerate(estimate.status):
        if status == "identifiable":
            assert abs(estimate.values[k] - EXACT[k]) < 5 * estimate.std[k], estimate.names[k]
    for found in estimate.combinations:
        assert abs(found.value - found.weights @ EXACT) < 5 * found.std, found.name


FRICTIONLESS = tuple(Fix(f"coulomb_{i + 1}", 0.0) for i in range(6))


def test_rest_shows_nothing_but_weights_and_these_only_without_friction():
    still = synthetic.log(TRUTH, 6.0, 11, Harmonics(TRUTH, np.zeros(6), [1.0]))
    with pytest.raises(LogError, match=r"only 0 equations .* more "):
        identify([still], NOMINAL, Settings.of(estimator="ls"))
    known = Assumptions(fixed=FRICTIONLESS)
    estimate = identify([still], NOMINAL, Settings.of(estimator="ls", assumptions=known)).estimate
    for name in ("Ixx_p", "It_b+It_e", "Ia_b+Ia_e", "viscous_1"):
        assert estimate.status[estimate.names.index(name)] != "identifiable"


def test_data_that_show_nothing_at_all_are_an_error():
    """At rest the work of the struts is zero: every parameter would be its prior."""
    still = synthetic.log(TRUTH, 6.0, 11, Harmonics(TRUTH, np.zeros(6), [1.0]))
    with pytest.raises(Unidentifiable, match=r"synthetic: .*m_p, m_b"):
        identify([still], NOMINAL, Settings.of(estimator="ls", model="energy"))
    # without friction the force model weighs the machine, so the same log shows something until that is taken as known
    masses = Assumptions(fixed=(Fix("m_p"), Fix("m_b"), Fix("m_e"), *FRICTIONLESS))
    known = Assumptions(fixed=FRICTIONLESS)
    weighed = identify([still], NOMINAL, Settings.of(estimator="ls", assumptions=known)).estimate
    assert set(weighed.status) != {"unidentifiable"}
    with pytest.raises(Unidentifiable, match="machine must move"):
        identify([still], TRUTH, Settings.of(estimator="ls", assumptions=masses))


@ESTIMATORS
def test_what_is_known_is_used_by_every_estimator(estimator):
    """Alike friction tied together, a mass fixed at the truth: the rest is found better, never worse."""
    log = synthetic.log(TRUTH, 8.0, 3, real=True)
    k = EXACT[0]
    assumptions = Assumptions(
        fixed=(Fix("m_p", k),),
        tied=(Tie("viscous_1", "viscous_2", 260.0 / 300.0),),
        prior_values=(PriorValue("m_b", EXACT[1] + 0.01, 0.02),),
    )
    plain = identify([log], NOMINAL, Settings.of(estimator=estimator)).estimate
    found = identify([log], NOMINAL, Settings.of(estimator=estimator, assumptions=assumptions)).estimate
    names = list(list_hexapod_parameters(NOMINAL).names)
    assert list(found.names) == [name for name in names if name not in ("m_p", "viscous_1")]
    left = [names.index(name) for name in found.names]
    error = (found.values - EXACT[left]) / found.std
    assert np.abs(error).max() < 5
    # what goes together with the masses in the data profits
    for name in ("m_e", "Ixx_p"):
        assert found.std[found.names.index(name)] < 0.7 * plain.std[plain.names.index(name)], name
    assert found.std[found.names.index("m_b")] < 0.02


@pytest.mark.parametrize("name", ["oh24", "extended", "general", "general_motor", "alike", "alike_motor"])
def test_every_parameter_set_can_be_identified_with(name):
    result = identify(
        [synthetic.log(TRUTH, 12.0, 2, real=True)], NOMINAL, Settings.of(estimator="ls", parameters=name)
    )
    exact = list_hexapod_parameters(TRUTH, name).nominal
    estimate = result.estimate
    shown = np.array([status == "identifiable" for status in estimate.status])
    assert shown[-12:].all()  # friction
    assert np.abs((estimate.values - exact) / estimate.std)[shown].max() < 5
    for found in estimate.combinations:
        assert abs(found.value - found.weights @ exact) < 5 * found.std, found.name
    assert result.validation.rms_percent_total < 2.0


@pytest.mark.parametrize("settings", [{"causal": True}, {"model": "energy"}, {"estimator": "ls"}])
def test_end_of_the_log_is_predicted_by_an_estimate_from_the_rest(settings):
    log = synthetic.log(TRUTH, 14.0, 4, real=True)
    result = identify([log], NOMINAL, Settings.of(**settings))
    held = result.validation
    assert held.held_out == "last 20 % of synthetic"
    assert held.time[0] > 11.2
    assert held.time[-1] > 13.0
    assert held.rms_percent_total < 2.0
    # forces that change in the held-out part alone change the prediction's error, not the prediction
    force = log.force.copy()
    force[11_200:] *= 1.1
    other = identify([DriveLog(log.time, log.length, force)], NOMINAL, Settings.of(**settings)).validation
    # but for the last millionth of a zero-phase filter's reach
    np.testing.assert_allclose(other.predicted, held.predicted, atol=1e-3)
    assert other.rms_percent_total > 5.0


def test_ends_of_all_logs_are_held_out_or_nothing_is():
    logs = [synthetic.log(TRUTH, 9.0, 7, real=True), synthetic.log(TRUTH, 9.0, 8, real=True, start=-3.0)]
    settings = Settings.of(estimator="ls")
    both = identify(logs, NOMINAL, settings).validation
    assert both.held_out == "last 20 % of each of 2 logs"
    assert both.time.min() > 4.0
    # so short that nothing outlasts the filters; and asked not to
    assert identify([synthetic.log(TRUTH, 2.8, 9)], NOMINAL, settings).validation is None
    assert identify(logs, NOMINAL, Settings.of(estimator="ls", hold_out=0.0)).validation is None


def test_gross_errors_of_the_forces_move_only_the_plain_fit():
    """Something pushes for 0.2 s, 5 % of the time; the band spreads that over thrice as many equations."""
    log = synthetic.log(TRUTH, 24.0, 5, real=True)
    rng = np.random.default_rng(6)
    force = log.force.copy()
    for start in rng.choice(np.arange(1000, 23_000, 800), 6, replace=False):
        force[start : start + 200] += rng.uniform(50.0, 150.0, 6)
    pushed = DriveLog(log.time, log.length, force)
    plain, robust = (
        identify([pushed], NOMINAL, Settings.of(estimator=e, hold_out=0.0)) for e in ("ls", "robust")
    )
    clean = identify([log], NOMINAL, Settings.of(estimator="ls", hold_out=0.0)).estimate
    error = (robust.estimate.values - EXACT) / robust.estimate.std
    assert np.abs(error).max() < 5
    assert np.sqrt(np.mean(error**2)) < 2
    assert np.sqrt(np.mean(((plain.estimate.values - EXACT) / clean.std) ** 2)) > 5
    assert np.all(robust.estimate.std < 2.5 * clean.std)
    assert 0 < robust.dropped["outlier"] < 200


def test_recursive_least_squares_with_full_memory_is_least_squares():
    log = synthetic.log(TRUTH, 8.0, 6, real=True)
    ls, rls = (identify([log], NOMINAL, Settings.of(estimator=e)).estimate for e in ("ls", "rls"))
    # up to what the last change of the weights still moves: 1e-6 of a standard deviation
    assert np.all(np.abs(rls.values - ls.values) < 1e-5 * ls.std)
    np.testing.assert_allclose(rls.std, ls.std, rtol=1e-3)
    forgets = identify([log], NOMINAL, Settings.of(estimator="rls", forgetting=0.98)).estimate
    assert np.all(forgets.std > ls.std)
    assert np.abs((forgets.values - EXACT) / forgets.std).max() < 5


def test_both_sides_are_filtered_alike():
    """The reason for it: forces filtered at 10 Hz against columns that are not differ by what friction does between."""
    from pkm_identification.mechanisms.hexapod.dynamics import regressor
    from pkm_identification.signals.butterworth import low_pass, zero_phase

    motion = six_axes(TRUTH, 12).at(np.arange(8000) * 1e-3)
    columns = regressor(TRUTH, motion, list_hexapod_parameters(TRUTH).mapping)
    force = columns @ EXACT
    sections = low_pass(8, 10.0, 1000.0)
    inner = slice(500, -500, 20)
    smooth_force = zero_phase(sections, force)[inner].reshape(-1)

    def solve(matrix):
        scaled = matrix[inner].reshape(-1, len(EXACT)) * EXACT
        return np.linalg.lstsq(scaled, smooth_force, rcond=None)[0]

    both, one = solve(zero_phase(sections, columns)), solve(columns)
    np.testing.assert_allclose(both, 1.0, atol=1e-6)
    assert np.abs(one - 1).max() > 0.01


def test_validation_predicts_forces_that_were_not_used():
    result = identified("ls", 3)
    held_out = validate(result, synthetic.log(TRUTH, 6.0, 14, real=True)).validation
    assert held_out.rms_percent_total < 1.0
    assert held_out.rms_percent_total < held_out.rms_percent_raw_total
    wrong = validate(result, synthetic.log(NOMINAL, 6.0, 14, real=True)).validation
    assert wrong.rms_percent_total > 5.0
    assert held_out.measured.shape == held_out.predicted.shape == (len(held_out.time), 6)


def test_log_without_forces_is_refused():
    log = synthetic.log(TRUTH, 2.0)
    with pytest.raises(LogError, match="no forces"):
        identify([DriveLog(log.time, log.length, None, "x.csv")], NOMINAL)


@pytest.mark.parametrize("count", [0, 1, 3, 20, 200, 900])
def test_log_too_short_is_refused_with_what_is_needed(count):
    log = synthetic.log(TRUTH, 2.0)[:count]
    with pytest.raises(LogError, match=r"synthetic: .*(too few|only .* equations|no usable)"):
        identify([log], NOMINAL)


def test_rate_that_is_not_the_drives():
    log = synthetic.log(TRUTH, 1.0)
    for factor, off in ((1.01, False), (0.96, True), (1.1, True)):
        period, warning = compute_estimated_period(
            DriveLog(factor * log.time, log.length, log.force), as_machine(NOMINAL)
        )
        assert (warning is not None) == off
        assert period == pytest.approx(1e-3 * factor, rel=1e-9)
    jittered = log.time + np.random.default_rng(1).uniform(-2e-4, 2e-4, len(log.time))
    for times in (log.time, (1.0 + 5e-5) * log.time, jittered):
        assert compute_estimated_period(DriveLog(times, log.length, log.force), as_machine(NOMINAL)) == (
            1e-3,
            None,
        )
    # jitter of more than half a period makes input validation fill holes that are none
    jittered = DriveLog(
        log.time + np.random.default_rng(1).uniform(-3e-4, 3e-4, len(log)), log.length, log.force
    )
    assert compute_estimated_period(jittered, as_machine(NOMINAL))[0] == pytest.approx(1e-3, rel=0.01)
    with pytest.raises(LogError, match=rf"forward at 0 of {len(log)} samples"):
        compute_estimated_period(DriveLog(log.time[::-1].copy(), log.length, log.force), as_machine(NOMINAL))
    with pytest.raises(LogError, match="5 samples are too few"):
        compute_estimated_period(DriveLog(log.time[:5], log.length[:5], log.force[:5]), as_machine(NOMINAL))
    with pytest.raises(LogError, match=r"come at 500 Hz.* states 1000 Hz; set sample_rate: 500 "):
        identify([DriveLog(2 * log.time, log.length, log.force)], NOMINAL)


@pytest.mark.parametrize(
    ("values", "words"),
    [({"estimator": "magic"}, "ukf, ekf, rls, ls, robust, iv"), ({"model": "x"}, "force, energy")],
)
def test_unknown_choices_name_those_known(values, words):
    with pytest.raises(PkmError, match=words):
        Settings.of(**values)


@pytest.mark.parametrize(
    "values",
    [
        {"cutoff": 700.0},
        {"band_cutoff": -1.0},
        {"order": 0},
        {"parameters": "all"},
        {"estimator": "rls", "forgetting": 1.5},
        {"estimator": "ukf", "forgetting": 0.9},
        {"estimator": "iv", "causal": True},
        {"hold_out": 0.7},
        {"assumptions": Assumptions(fixed=(Fix("mass"),))},
    ],
)
def test_impossible_settings_are_errors_of_the_package(values):
    log = synthetic.log(TRUTH, 3.0)
    with pytest.raises(PkmError):
        identify([log], NOMINAL, Settings.of(**values))


def test_a_log_to_validate_with_may_have_had_its_clock_set_back():
    whole = synthetic.log(TRUTH, 12.0, 1, real=True)
    again = slice(0, 6000)
    twice = DriveLog(
        np.concatenate([whole.time, whole.time[again]]),
        np.concatenate([whole.length, whole.length[again]]),
        np.concatenate([whole.force, whole.force[again]]),
    )
    result = identified("ls", 2)
    once, both = (validate(result, log).validation for log in (whole, twice))
    # the same forces, half of them twice
    assert both.rms_percent_raw_total == pytest.approx(once.rms_percent_raw_total, rel=0.1)
    assert len(both.time) > 1.3 * len(once.time)
