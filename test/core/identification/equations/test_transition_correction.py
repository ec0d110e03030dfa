# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the kinematic low-pass makes of friction's bend: told by smoothing more, foretold to the present, taken off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pkm_identification.identification.equations.reversal import with_reversals
from pkm_identification.identification.equations.transition_correction import (
    FACTOR_CORRECTED,
    FACTOR_RESIDUAL,
    TransitionCorrection,
    compute_smoothed_transition,
    compute_smoothing_weights,
    foretelling,
    foretold,
    take_off_all,
)
from pkm_identification.identification.regression.friction import build_laws
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.causal import FilterSettings, linear_phase_taps
from pkm_identification.signals.sections import filter_rows

BEND = 0.002  # m/s


def bent(rate):
    return np.clip(rate / BEND, -1.0, 1.0)


def test_bend_is_the_difference_that_smoothing_the_rates_makes():
    laws = build_laws(as_machine(Machine.load("uf")))
    weights = np.array([0.1, 0.25, 0.3, 0.25, 0.1])
    ring, transition = np.zeros((5, 6)), np.empty(6)
    path = np.linspace(-0.006, 0.006, 25)[:, None] ** 3 / 0.006**2 * np.linspace(0.5, 2.0, 6)
    for place, rate in enumerate(path):
        compute_smoothed_transition(
            rate, laws, laws, np.ones(6, dtype=np.int64), weights, ring, place % 5, transition
        )
        if place >= 4:
            window = path[place - 4 : place + 1]
            clipped = [np.clip(x / 0.002, -1, 1) for x in (weights @ window, window[2])]
            np.testing.assert_allclose(transition, clipped[0] - clipped[1], atol=1e-12)


@pytest.mark.parametrize(("cutoff", "period"), [(150.0, 1e-3), (50.0, 1e-3), (30.0, 1e-2)])
def test_smoothing_is_a_low_pass_at_two_thirds_of_the_cutoff(cutoff, period):
    """Half the amplitude there, as both passes of a zero-phase Butterworth leave; nothing taken from slow motion."""
    weights = compute_smoothing_weights(cutoff, period)
    np.testing.assert_array_equal(weights, weights[::-1])
    place = np.arange(len(weights)) - len(weights) // 2

    def gain(frequency: float) -> float:
        return float(weights @ np.cos(2 * np.pi * frequency * period * place))

    assert gain(cutoff / 1.5) == pytest.approx(0.5, abs=0.02)
    # faint tails of 1 % are cut
    assert gain(cutoff / 10) == pytest.approx(1.0, abs=0.015)


@pytest.mark.parametrize("crossing", [0.5e-3, 2e-3, 8e-3])
def test_what_the_low_pass_makes_of_a_kink_at_the_bend_is_partly_taken_off(crossing):
    """A strut that breaks away at the bend: friction of the smoothed rate is wrong around it.

    By the share that is taken off the error becomes less. A lone kink's falls with the lowest power: what is left is
    what is stated besides.
    """
    period, cutoff = 1e-3, 150.0
    time = np.arange(-300, 300) * period
    true = BEND + np.where(time > 0.0, BEND / crossing, 0.1 * BEND / 0.3) * time
    taps, weights = (
        linear_phase_taps(FilterSettings(period, cutoff)),
        compute_smoothing_weights(cutoff, period),
    )
    rate = np.convolve(true, taps, "same")
    change = bent(np.convolve(rate, weights, "same")) - bent(rate)
    middle = slice(150, -150)
    error = np.sum((bent(rate) - bent(true))[middle])
    change = np.sum(change[middle])
    assert abs(error) > 0.01
    assert abs(error - FACTOR_CORRECTED * change) < 0.75 * abs(error)
    assert abs(error - FACTOR_CORRECTED * change) == pytest.approx(FACTOR_RESIDUAL * abs(change), rel=0.2)


@pytest.mark.parametrize("rate", [500.0, 1000.0, 4000.0])
def test_what_is_foretold_is_what_comes_when_the_samples_in_between_are_nothing(rate):
    band = BandSettings(1.0 / rate)
    later = round(0.018 * rate)
    gains = foretelling(band, later)
    values = np.random.default_rng(2).standard_normal((round(0.3 * rate), 3))
    sections = band.sections
    state = np.zeros((len(sections), 2, 3))
    filter_rows(sections, values, state, np.empty_like(values))
    found = [foretold(gains, state, column) for column in range(3)]
    followed = np.concatenate([values, np.zeros((later, 3))])
    filtered = np.empty_like(followed)
    filter_rows(sections, followed, np.zeros_like(state), filtered)
    np.testing.assert_allclose(found, filtered[-1], rtol=1e-9, atol=1e-12)
    # and whatever comes instead of nothing is hardly felt
    followed[-later:] = 1.0
    filter_rows(sections, followed, np.zeros_like(state), filtered)
    np.testing.assert_allclose(found, filtered[-1], atol=1e-3)


@pytest.mark.parametrize(
    ("rate", "cutoff", "counts", "corrected"),
    [
        (1000.0, 150.0, 8e5, True),
        (250.0, 75.0, 8e5, True),
        # half of what the band answers comes before smoothing is known
        (100.0, 30.0, 8e5, False),
        # steps of 10 um at the bend are no noise
        (1000.0, 90.0, 1e5, False),
    ],
)
def test_nothing_is_taken_off_where_smoothing_is_told_too_late_or_not_from_encoders(
    rate, cutoff, counts, corrected
):
    machine = Machine.load("uf")
    machine = replace(machine, drive=replace(machine.drive, counts_per_meter=counts))
    parameters = with_reversals(list_hexapod_parameters(machine), as_machine(machine))
    correction = TransitionCorrection(as_machine(machine), parameters, BandSettings(1.0 / rate), cutoff)
    assert (correction.gains is not None) == corrected
    assert correction.left == (FACTOR_RESIDUAL if corrected else 1.0)


def test_a_correction_is_the_change_of_each_struts_own_column():
    machine = Machine.load("uf")
    parameters = with_reversals(list_hexapod_parameters(machine), as_machine(machine))
    correction = TransitionCorrection(as_machine(machine), parameters, BandSettings(1e-3), 150.0)
    transition = np.random.default_rng(4).standard_normal((5, 6))
    columns, measured = np.zeros((5, 6, len(parameters.names))), np.ones((5, 6))
    take_off_all(transition, correction.entering, columns, measured)
    own = [parameters.names.index(f"coulomb_{i}") for i in range(1, 7)]
    np.testing.assert_allclose(columns[:, range(6), own], -FACTOR_CORRECTED * transition)
    columns[:, range(6), own] = 0.0
    assert not columns.any()
    np.testing.assert_array_equal(measured, 1.0)
