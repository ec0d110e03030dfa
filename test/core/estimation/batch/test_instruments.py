# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Instrumental variables: coarse encoders bias least squares, and not the estimate with instruments."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from core import synthetic
from core.estimation.toy_problems import equations
from core.platform_motions import lengths, six_axes

from pkm_identification.estimation.batch.instruments import instrumental_variables
from pkm_identification.estimation.batch.least_squares import least_squares
from pkm_identification.identification.equations.force_equations import force_equations
from pkm_identification.identification.samples import close_samples, compute_instrument_motions
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.parameters.prior import Prior
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.input_validation import ValidatedLog
from pkm_identification.signals.zero_phase import filter_log

PERIOD, SECONDS, CUTOFF, ORDER = 4e-3, 8.0, 80.0, 4
SEEDS = 20


def validated(length: np.ndarray, force: np.ndarray | None) -> ValidatedLog:
    count = len(length)
    return ValidatedLog(
        np.arange(count) * PERIOD,
        length,
        force,
        np.zeros(count, dtype=np.int64),
        np.zeros(count, dtype=bool),
        {},
        {},
        PERIOD,
    )


@lru_cache
def exact() -> tuple[Machine, np.ndarray, np.ndarray]:
    """The uf machine in small motions: truth, lengths and forces."""
    truth = synthetic.truth(friction=False)
    motion = six_axes(truth, 1, 0.5).at(np.arange(round(SECONDS / PERIOD)) * PERIOD)
    return truth, lengths(truth, motion.position, motion.rotation), strut_forces(truth, motion)


@lru_cache
def estimated(noise: float, band_cutoff: float) -> dict:
    """Estimates and stated standard deviations by least squares and with instruments, each shape (seeds, P)."""
    truth, length, force = exact()
    nominal = synthetic.nominal(friction=False)
    parameters = list_hexapod_parameters(nominal)
    prior, band = Prior.of(parameters), BandSettings(PERIOD, band_cutoff)
    found = {"ls": [], "iv": [], "ls std": [], "iv std": []}
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        log = validated(length + rng.normal(0, noise, length.shape), force + rng.normal(0, 0.5, force.shape))
        struts = filter_log(log, CUTOFF, ORDER)
        made = [
            force_equations(as_machine(nominal), parameters, close_samples(as_machine(nominal), motion), band)
            for motion in (struts, *compute_instrument_motions(log, struts, CUTOFF, ORDER))
        ]
        plain = least_squares(made[0], prior, band.redundancy)
        instrumental = instrumental_variables(made[0], (made[1], made[2]), prior, band.redundancy)
        assert instrumental.converged
        for name, fit in (("ls", plain), ("iv", instrumental)):
            found[name].append(fit.mean)
            found[f"{name} std"].append(np.sqrt(np.diag(fit.covariance)))
    made = {name: np.array(values) for name, values in found.items()}
    return made | {"truth": list_hexapod_parameters(truth).nominal}


def significance(result: dict, name: str) -> np.ndarray:
    """Mean error over the standard error of that mean."""
    values = result[name]
    return (values.mean(axis=0) - result["truth"]) / (values.std(axis=0, ddof=1) / np.sqrt(len(values)))


@pytest.mark.slow
def test_bias_of_coarse_encoders_is_removed():
    """30 um of noise at 250 Hz and a band of 25 Hz: the accelerations' noise is a tenth of small motions."""
    result = estimated(3e-5, 25.0)
    plain, instrumental = significance(result, "ls"), significance(result, "iv")
    biased = np.abs(plain) > 5.0
    assert biased.sum() >= 8
    assert np.abs(plain).max() > 20.0
    # of 20 numbers that follow Student's distribution of 19 degrees of freedom one in 60 such sets exceeds 4
    assert np.abs(instrumental).max() < 4.0
    bias = {name: np.abs(result[name].mean(axis=0) - result["truth"]) for name in ("ls", "iv")}
    assert np.all(bias["iv"][biased] < 0.4 * bias["ls"][biased])


@pytest.mark.slow
def test_standard_deviations_hold_with_instruments():
    result = estimated(3e-5, 25.0)
    error = {name: (result[name] - result["truth"]) / result[f"{name} std"] for name in ("ls", "iv")}
    assert np.sqrt(np.mean(error["iv"] ** 2, axis=0)).max() < 1.3
    assert np.sqrt(np.mean(error["ls"] ** 2, axis=0)).max() > 2.0
    # and cost next to nothing
    assert np.all(result["iv std"].mean(axis=0) < 1.2 * result["ls std"].mean(axis=0))


def test_image_has_the_passed_noises_spectrum_and_nothing_of_the_motion():
    _, length, _ = exact()
    noise = np.random.default_rng(5).normal(0, 1e-5, length.shape)
    struts = filter_log(validated(noise, None), CUTOFF, ORDER)
    one, two = compute_instrument_motions(validated(noise, None), struts, CUTOFF, ORDER)
    image = 0.5 * (one.length - two.length)
    # what the low-pass both passes and removes is neither's: the skirts take some of the image
    assert 0.6 < np.std(image) / np.std(struts.length) < 1.0
    together = np.mean(image * struts.length) / (np.std(image) * np.std(struts.length))
    assert abs(together) < 0.03  # 12 000 numbers, of which a third are independent
    smooth = filter_log(validated(length, None), CUTOFF, ORDER)
    one, two = compute_instrument_motions(validated(length, None), smooth, CUTOFF, ORDER)
    left = np.abs(one.length - two.length)
    assert left[50:-50].max() < 1e-9
    assert left.max() < 1e-6  # where the low-pass starts and ends
    np.testing.assert_allclose(0.5 * (one.rate + two.rate), smooth.rate, atol=1e-12)


def test_without_noise_of_the_motion_it_is_least_squares():
    rng = np.random.default_rng(6)
    prior = Prior(np.zeros(4), np.full(4, 10.0))
    columns = rng.normal(size=(200, 6, 4))
    made = equations(columns, columns @ np.array([1.0, -2.0, 0.5, 3.0]) + rng.normal(size=(200, 6)))
    plain, same = least_squares(made, prior), instrumental_variables(made, (made, made), prior)
    np.testing.assert_allclose(same.mean, plain.mean, atol=1e-6 * np.sqrt(plain.covariance.max()))
    np.testing.assert_allclose(same.covariance, plain.covariance, rtol=1e-4)
    assert same.converged


@pytest.mark.parametrize("level", [0.0, 0.5, 1.0])
def test_attenuation_by_noisy_columns_is_undone(level):
    """The textbook's case: one unknown, columns with noise of `level` of their size shrink it by 1 / (1 + level^2)."""
    rng = np.random.default_rng(7)
    clean, noise, image = (rng.normal(size=(4000, 1, 1)) for _ in range(3))
    measured = 2.0 * clean[:, :, 0] + 0.1 * rng.normal(size=(4000, 1))
    noisy, one, two = (
        equations(clean + level * (noise + side * image), measured) for side in (0.0, 1.0, -1.0)
    )
    prior = Prior(np.zeros(1), np.full(1, 10.0))
    shrunk = 2.0 / (1.0 + level**2)
    # 4000 numbers of spread 1 and a factor 2
    assert least_squares(noisy, prior).mean[0] == pytest.approx(shrunk, abs=0.1)
    fit = instrumental_variables(noisy, (one, two), prior)
    assert fit.mean[0] == pytest.approx(2.0, abs=0.2 * level + 0.01)
    assert abs(fit.mean[0] - 2.0) < 4 * np.sqrt(fit.covariance[0, 0])
