"""The pendulum study on a short fall: what it calls visible is, what it calls invisible is not."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pkm_identification.reproduction import STUDIES
from pkm_identification.reproduction.oh2003.chapter_3.data import TRUE, free_fall, measured
from pkm_identification.reproduction.oh2003.chapter_3.findings import findings, ratio_error
from pkm_identification.reproduction.oh2003.chapter_3.runs import run_study
from pkm_identification.reproduction.oh2003.chapter_3.study import NAME, outcome
from pkm_identification.reproduction.oh2003.chapter_3.tables import run_table

DURATION = 2.2  # s: 2128 samples and a few


@pytest.fixture(scope="module")
def study():
    return run_study(DURATION)


def test_lengths_and_ratios_are_found_and_masses_are_not(study):
    fit = study.run("ls", "none")
    np.testing.assert_allclose(fit.values[:2], TRUE[:2], rtol=1e-9)
    assert ratio_error(fit.values) < 1e-7
    assert abs(fit.values[4] / TRUE[4] - 1) > 0.01
    for estimator in ("ekf", "ukf"):
        run = study.run(estimator, "none")
        np.testing.assert_allclose(run.values[:2], TRUE[:2], rtol=2e-3)
        ratio, std = run.ratios()
        # no noise: what is left is the start's pull, below the deviation the filter claims
        assert np.all(np.abs(ratio - TRUE[2:4] / TRUE[4]) < 2 * std)


def test_the_null_direction_is_all_masses_by_one_factor(study):
    assert study.singular_values[-1] < 1e-9 * study.singular_values[0] < study.singular_values[-2]
    np.testing.assert_allclose(study.null_direction, [0, 0, 1, 1, 1], atol=1e-9)
    masses = [fit.values[4] for fit in study.by_start]
    assert masses[0] < 0.7 * masses[1] < 0.5 * masses[2]
    for fit in study.by_start:
        assert fit.rank == 4
        np.testing.assert_allclose(fit.values[:2], TRUE[:2], rtol=1e-8)
        np.testing.assert_allclose(fit.values[2:] / fit.values[4], TRUE[2:] / TRUE[4], rtol=1e-7)


def test_the_residual_form_ends_without_masses(study):
    assert np.abs(study.residual_form.values[2:]).max() < 1e-9


def test_a_known_force_shows_all_five(study):
    assert study.pushed.rank == 5
    np.testing.assert_allclose(study.pushed.values, TRUE, rtol=1e-7)
    # 1 % of the ranges: within a few per cent, and far better than the free fall's masses from ones
    np.testing.assert_allclose(study.pushed_noisy.values, TRUE, rtol=0.1)


def test_noise_is_as_large_as_it_says():
    motion = free_fall(0.5)
    noisy = measured(motion, 0.01, seed=3)
    for name in ("position", "velocity", "acceleration"):
        clean = getattr(motion, name)
        error = np.abs(getattr(noisy, name) - clean) / np.ptp(clean, axis=0)
        assert error.max() <= 0.01
        # of 500 uniform numbers the largest is within 5 % of the bound but once in 1e11
        assert error.max(axis=0).min() > 0.0095


def test_the_outcome_tells_it(study):
    made = outcome(study)
    assert json.loads(json.dumps(made.document, allow_nan=False))["study"] == NAME
    verdicts = [finding.verdict for finding in findings(study)]
    assert [one["verdict"] for one in made.document["findings"]] == verdicts
    assert "not identifiable" in verdicts[0]
    assert str(run_table(study)) in made.text
    assert NAME in STUDIES


def test_figures_are_drawn(study):
    figures = outcome(study).figures()
    assert list(figures) == ["pendulum_fall", "pendulum_least_squares", "pendulum_settling"]
    panels = figures["pendulum_settling"].axes
    assert len(panels) == 6
    # four filters and the truth
    assert all(len(panel.lines) == 5 for panel in panels)
