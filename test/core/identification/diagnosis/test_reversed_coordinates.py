# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Coordinates of the other sign, alone or with their forces; and what looks like another sign in part."""

from __future__ import annotations

from dataclasses import replace

import pytest

import pkm_identification as pkm
from pkm_identification.cli import main
from pkm_identification.identification.identify import identify
from pkm_identification.report.diagnosis import sentence


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    path = tmp_path_factory.mktemp("arm") / "arm.yaml"
    assert main(["init", str(path), "--kind", "serial-arm", "--axes", "3"]) == 0
    machine = pkm.load_machine(str(path))
    return machine, pkm.simulate(machine, "rich", duration=12.0, noise=0.3, seed=4)[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("coordinates", "forces", "name", "said"),
    [
        ((1, 1, -1), (1, 1, 1), "coordinate_sign_q3", "The coordinate of q3 has the other sign: "),
        ((1, -1, 1), (1, -1, 1), "coordinate_sign_q2", "and so has its force"),
        ((-1, -1, -1), (1, 1, 1), "coordinate_sign", "All coordinates have the other sign"),
        ((1, 1, 1), (1, -1, 1), "force_sign_q2", "The force of q2 has the other sign"),
    ],
)
def test_a_sign_is_named_whose_it_is(arm, coordinates, forces, name, said):
    machine, log = arm
    wrong = replace(log, coordinate=log.coordinate * coordinates, force=log.force * forces)
    result = identify([wrong], machine)
    assert not result.trusted
    cause = result.fit.causes[0]
    assert cause.name == name
    assert cause.explains > 0.9
    assert cause.correction
    assert said in sentence(cause)


@pytest.mark.slow
def test_what_looks_like_a_sign_in_part_is_no_order_to_reverse_one(arm):
    """Two coordinates of the other sign: that one of them is, or a force, leaves much of the misfit."""
    machine, log = arm
    wrong = replace(log, coordinate=log.coordinate * (1, -1, -1))
    result = identify([wrong], machine)
    assert not result.trusted
    assert not any(cause.correction for cause in result.fit.causes)
