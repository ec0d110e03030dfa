# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""estimator: recursive least squares, and what is fixed, tied or stated beforehand, over ROS parameters."""

import json
from pathlib import Path

import numpy as np
import pytest
from ros.rigs import EstimatorRig, platform_samples, tracked_samples

from pkm_identification.errors import PkmError
from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.identification.settings import Settings, assumptions_of
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.nodes.estimator import EstimatorNode
from pkm_identification.parameters.assumptions import (
    Assumptions,
    Fix,
    PriorValue,
    Tie,
)


@pytest.fixture(scope="module")
def samples():
    return platform_samples()


def learned(samples, **options):
    """What the stage without ROS makes of the same samples with the same options."""
    machine = Machine.load("uf")
    pipeline = OnlinePipeline(machine, Settings.of(**options).resolve(machine))
    for sample in tracked_samples(samples):
        pipeline.estimator.step(sample)
    return pipeline.estimator.estimate


def test_the_sources_options_are_the_nodes_too(bench, tmp_path, samples):
    """Oh 2003, 2.69-2.75: sigma points, Robbins-Monro process noise and its factor, the CAD inertias held."""
    tuning = {
        "alpha": 1e-2,
        "beta": 1.0,
        "kappa": 3.0,
        "process_noise": "robbins_monro",
        "process_noise_factor": 0.2,
    }
    rig = EstimatorRig(bench, save_folder=str(tmp_path), estimator="ukf", fix=["inertial"], **tuning)
    rig.feed(samples)
    held = assumptions_of(("inertial",), (), "")
    expected = learned(samples, estimator="ukf", assumptions=held, **tuning)
    message = bench.wait(
        lambda: next((m for m in rig.estimates if m.count == expected.count), None), "the last estimate"
    )
    assert tuple(message.names) == expected.names
    assert all(name.startswith(("viscous", "coulomb")) for name in message.names)
    np.testing.assert_allclose(message.values, expected.values, rtol=1e-9)
    np.testing.assert_allclose(message.std, expected.std, rtol=1e-9)
    # they are not what the node does by itself
    other = learned(samples, estimator="ukf", assumptions=held)
    assert np.abs(other.values / expected.values - 1).max() > 1e-6


def test_the_node_learns_what_the_stage_learns_with_the_same_knowledge(bench, tmp_path, samples):
    prior = tmp_path / "cad.yaml"
    prior.write_text("m_b: {value: 7.7, std: 0.01}\n")
    rig = EstimatorRig(
        bench,
        save_folder=str(tmp_path),
        estimator="rls",
        forgetting=0.99,
        fix=["Ia_b+Ia_e", "m_p=4.9"],
        tie=["viscous_2=viscous_1*0.8"],
        prior=str(prior),
    )
    rig.feed(samples)
    assumptions = Assumptions(
        fixed=(Fix("Ia_b+Ia_e"), Fix("m_p", 4.9)),
        tied=(Tie("viscous_2", "viscous_1", 0.8),),
        prior_values=(PriorValue("m_b", 7.7, 0.01),),
    )
    expected = learned(samples, estimator="rls", forgetting=0.99, assumptions=assumptions)
    message = bench.wait(
        lambda: next((m for m in rig.estimates if m.count == expected.count), None), "the last estimate"
    )
    assert message.estimator == "rls"
    assert tuple(message.names) == expected.names
    assert not {"Ia_b+Ia_e", "m_p", "viscous_2"} & set(message.names)
    np.testing.assert_allclose(message.values, expected.values, rtol=1e-9)
    np.testing.assert_allclose(message.std, expected.std, rtol=1e-9)
    assert message.std[list(message.names).index("m_b")] <= 0.01


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"fix": ["mass"]}, "no parameter 'mass'"),
        ({"tie": ["m_e"]}, "tie m_e: expected NAME=OTHER"),
        ({"prior": "/none/cad.yaml"}, "prior file '/none/cad.yaml': cannot be read: No such file"),
        ({"forgetting": 0.9}, "forgetting is for the estimator 'rls'"),
    ],
)
def test_mistakes_are_refused_with_the_reason(bench, values, words):
    with pytest.raises(PkmError, match=words):
        bench.start(EstimatorNode, **values)


def test_it_starts_from_what_an_earlier_version_saved(bench, tmp_path, samples):
    path = Path(__file__).parents[1] / "core" / "identification" / "online" / "saved_by_0.1.0.json"
    saved = json.loads(path.read_text())["state"]
    rig = EstimatorRig(
        bench,
        save_folder=str(tmp_path),
        initial_estimate=str(path),
        fix=["Ia_b+Ia_e"],
        tie=["viscous_2=viscous_1*0.8"],
    )
    message = bench.wait(lambda: rig.estimates and rig.estimates[-1], "the saved estimate")
    assert message.count == saved["count"]
    assert list(message.names) == saved["names"]
    np.testing.assert_allclose(message.values, saved["mean"], rtol=1e-9)
    rig.feed(samples[:1500])
    bench.wait(lambda: rig.estimates[-1].count > saved["count"] + 5, "what was learned besides")
