"""The source's staged procedure on simulated experiments, shortened."""

import json

import numpy as np
import pytest

from pkm_identification.estimation.identifiability import IDENTIFIABLE
from pkm_identification.reproduction.oh2003.chapter_5.data import NAMES, run_experiments
from pkm_identification.reproduction.oh2003.chapter_5.findings import (
    friction_changes,
    friction_difference,
)
from pkm_identification.reproduction.oh2003.chapter_5.runs import run_study
from pkm_identification.reproduction.oh2003.chapter_5.study import outcome
from pkm_identification.reproduction.oh2003.chapter_5.tables import friction_table

pytestmark = pytest.mark.slow

SHORT = {"x": 3.5, "z": 3.5, "xy": 3.5, "rich": 4.0, "slow": 7.0}


@pytest.fixture(scope="module")
def study():
    return run_study(run_experiments(SHORT))


def test_strut_tests_are_the_friction_to_expect(study):
    """Within five deviations, which a short slow log gives to some percent."""
    true = study.experiments.true_values[12:]
    tests = study.experiments.strut_tests.struts.values()
    std = np.array([t.viscous.std for t in tests] + [t.coulomb.std for t in tests])
    assert np.all(np.abs(study.experiments.expected - true) < 5 * std)
    assert np.all(std < 0.03 * true)


def test_friction_is_the_same_on_every_trajectory_unless_one_side_is_filtered(study):
    assert np.median(np.abs(friction_difference(study, study.ours, "xy", "3"))) < 2.0
    # struts that hardly move in a short motion are left out by the median
    ours, as_source = (np.median(friction_changes(study, done)) for done in (study.ours, study.as_source))
    assert ours < 2.0
    assert as_source > 5.0
    coulomb = friction_difference(study, study.as_source, "xy", "1-A")[6:]
    # a sine's corners smoothed at 10 Hz: a good part of the Coulomb force is missed on every strut
    assert np.all(coulomb > 10.0)


def test_ranks_of_the_motions(study):
    assert study.ranks == {"x": 4, "z": 5, "xy": 5, "rich": 8}


def test_no_single_trajectory_shows_all_masses(study):
    for name in NAMES:
        status = study.ours.results[name].estimate.status
        assert any(value != IDENTIFIABLE for value in status[:3]), name


def test_all_at_once_converges_to_scale_and_not_without(study):
    for name in NAMES:
        staged = study.ours.results[name].stages[-1].residual_rms
        assert study.scaled[name].residual_rms < 1.1 * staged
        assert study.raw[name].residual_rms > 1.2 * staged
        assert study.scaled[name].moving < study.raw[name].moving


def test_text_document_and_figures(study):
    made = outcome(study)
    assert made.text.count("verdict:") == 8
    assert str(friction_table(study)) in made.text
    assert "-290.59 (S)" in made.text
    document = json.loads(json.dumps(made.document, allow_nan=False))
    assert len(document["findings"]) == 8
    assert set(document["all_at_once"]) == {"scaled", "raw", "raw_in_stages"}
    assert set(made.figures()) == {"staged_stages", "staged_dependence", "staged_friction"}
