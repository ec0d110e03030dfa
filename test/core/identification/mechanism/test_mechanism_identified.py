# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is called identified of a mechanism whose file has zeros and whose motion hardly moves some bodies."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
import yaml

from benchmarks.field.answers import (
    PERIOD,
    PLATE,
    called_identified_wrongly,
    disturbed,
    drawn_mechanism,
    mechanism_log,
)
from pkm_identification.cli import main
from pkm_identification.estimation.identifiability import IDENTIFIABLE
from pkm_identification.estimation.posterior.verdict import USABLE
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.multibody.extents import compute_body_extents, compute_inertial_sizes
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.motion import DriveLog

SETTINGS = Settings.of(estimator="ls")


@lru_cache
def exact(seed: int) -> tuple[Mechanism, DriveLog]:
    mechanism = drawn_mechanism("plate", seed)
    return mechanism, mechanism_log(mechanism)


def recorded(seed: int, noise: float) -> DriveLog:
    _, log = exact(seed)
    size = noise * np.sqrt(np.mean(log.force**2, axis=0))
    force = log.force + size * np.random.default_rng(seed).standard_normal(log.force.shape)
    return DriveLog(log.time, log.coordinate, force, "plate")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("noise", [0.002, 0.02])
def test_nothing_is_identified_that_is_not_known(seed, noise):
    mechanism, _ = exact(seed)
    result = identify([recorded(seed, noise)], mechanism, SETTINGS)
    assert result.trusted
    assert called_identified_wrongly(result) == []
    status = dict(zip(result.estimate.names, result.estimate.status, strict=True))
    # products of inertia of rods that turn by some degrees
    assert all(
        one != IDENTIFIABLE
        for name, one in status.items()
        if name.startswith(("Ixy", "Ixz", "Iyz")) and "plate" not in name
    )
    friction = [one for name, one in status.items() if name.startswith(("viscous", "coulomb"))]
    assert friction == [IDENTIFIABLE] * 4


def test_scales_are_those_of_the_bodies():
    mechanism = Mechanism.from_document(PLATE)
    names = [body.name for body in mechanism.description.bodies]
    plate, tube = names.index("plate"), names.index("tube_1")
    extent = compute_body_extents(mechanism)
    # largest moments of inertia about their own centres of mass; of a light plate half the way from there to an eye
    assert extent[plate] == pytest.approx(np.sqrt(6 / 60))
    assert extent[tube] == pytest.approx(np.sqrt(0.015 / 2))
    columns = np.array([10 * plate, 10 * plate + 1, 10 * plate + 9, 10 * tube + 4])
    wanted = [60.0, 60.0 * extent[plate], 60.0 * extent[plate] ** 2, 0.015]
    np.testing.assert_allclose(compute_inertial_sizes(mechanism, columns), wanted)
    thin = PLATE["bodies"]["plate"] | {"inertia": [0.05, 0.06, 0.04, 0, 0, 0]}
    extent = compute_body_extents(
        Mechanism.from_document(PLATE | {"bodies": PLATE["bodies"] | {"plate": thin}})
    )
    assert extent[plate] == pytest.approx(0.5 * np.linalg.norm([0.39, 0.27, 0.2]))


def test_a_body_without_mass_counts_as_the_lightest():
    document = PLATE | {"bodies": PLATE["bodies"] | {"rod_2": {"mass": 0}}}
    mechanism = Mechanism.from_document(document)
    names = [body.name for body in mechanism.description.bodies]
    sizes = compute_inertial_sizes(mechanism, 10 * np.array([names.index(one) for one in ("rod_1", "rod_2")]))
    np.testing.assert_allclose(sizes, 1.0)


@pytest.mark.slow
def test_what_no_cause_explains_is_no_fit_to_the_noise(tmp_path, capsys):
    """A small disturbance that no cause explains: text and exit code agree, and no deviation is multiplied by it."""
    mechanism, log = exact(0)
    force = disturbed(log.force, PERIOD, 3)
    result = identify([DriveLog(log.time, log.coordinate, force)], mechanism, SETTINGS)
    assert result.answer.verdict.grade == USABLE
    assert result.fit.ratio > 3.0
    assert not any(cause.correction for cause in result.fit.causes)
    own = np.sqrt(np.diag(result.estimate.covariance))
    np.testing.assert_allclose(result.estimate.std, np.minimum(own, result.prior.std))
    (tmp_path / "plate.yaml").write_text(yaml.safe_dump(PLATE | {"name": "plate"}))
    columns = np.column_stack([log.time, log.coordinate, force])
    header = "t,length_1,length_2,force_1,force_2"
    np.savetxt(tmp_path / "log.csv", columns, delimiter=",", header=header, comments="")
    command = ["identify", str(tmp_path / "log.csv"), "--machine", str(tmp_path / "plate.yaml")]
    assert len(result.estimate.combinations) > 0
    assert {one.status for one in result.estimate.combinations} == {"combination"}
    assert main([*command, "--require", "fits"]) == 1
    text = capsys.readouterr().out
    assert "Usable: the model error" in text
    assert "identified combination" not in text
