# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""One basis: base-parameters and what identifies call the same sums by the same names."""

from __future__ import annotations

import numpy as np
import pytest
import yaml
from core.machines.every_machine import machine
from core.mechanisms.multibody.test_mechanism_units import five_bar

from benchmarks.field.drawn_machines import draw_mechanism
from pkm_identification.mechanisms.multibody.analysis.routes import find_base_parameters
from pkm_identification.mechanisms.multibody.analysis.subject import Subject
from pkm_identification.mechanisms.multibody.base_set import BaseSet
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.report.tables import list_parameter_sums


def printed(mechanism: Mechanism, friction: bool = False) -> dict[str, np.ndarray]:
    """Coefficients of all rigid parameters by the names that `pkm base-parameters` prints."""
    subject = Subject.of_mechanism(mechanism)
    count = len(subject.names)
    base = find_base_parameters(subject.with_friction() if friction else subject, "double").double.base
    return {
        base.names[k]: row[:count] for k, row in zip(base.independent, base.mapping, strict=True) if k < count
    }


def identified(mechanism: Mechanism) -> dict[str, np.ndarray]:
    base = BaseSet.of(mechanism)
    return dict(zip(base.names, base.sums, strict=True))


def five_bar_without_motion() -> Mechanism:
    return Mechanism.from_document(five_bar())


@pytest.mark.parametrize("friction", [False, True])
def test_the_five_bar_has_one_basis(friction):
    mechanism = five_bar_without_motion()
    theirs, ours = printed(mechanism, friction), identified(mechanism)
    assert list(theirs) == list(ours)
    for name, row in theirs.items():
        np.testing.assert_allclose(row, ours[name], atol=1e-9)


@pytest.mark.slow
def test_mechanisms_with_and_without_a_motion_have_one_basis():
    drawn = [Mechanism.from_document(draw_mechanism(np.random.default_rng(seed))) for seed in range(6)]
    for mechanism in (*drawn, Mechanism.load("mast"), Mechanism.load("four-bar")):
        theirs, ours = printed(mechanism), identified(mechanism)
        assert list(theirs) == list(ours)
        for name, row in theirs.items():
            np.testing.assert_allclose(row, ours[name], atol=1e-9 * np.abs(row).max())


def test_a_sum_stands_beside_its_name():
    """The moment of a rod that is negative is so because of what is in its sum."""
    base = BaseSet.of(five_bar_without_motion())
    told = dict(list_parameter_sums(base.terms))
    assert set(told) == {
        name for name, row in zip(base.names, base.sums, strict=True) if np.count_nonzero(row) > 1
    }
    negative = [name for name, value in zip(base.names, base.nominal, strict=True) if value < 0]
    assert negative == ["J_rod_r"]
    assert told["J_rod_r"] == "J_rod_r - 0.3 mx_rod_r"


def test_a_sum_with_an_inertia_is_called_by_one():
    """What turns with the first joint of an arm is an inertia, not the mass of a link over a length squared."""
    base = BaseSet.of(machine("arm_7").mechanism)
    first = dict(zip(base.names, zip(base.units, base.sums, strict=True), strict=True))
    assert "m_link_3" not in first
    unit, row = first["Izz_link_1"]
    terms = {base.everything[k]: value for k, value in enumerate(row) if value}
    assert unit == "kg m^2"
    assert terms["Izz_link_1"] == 1.0
    assert terms["m_link_3"] > 0.0
    assert max(abs(one) for one in terms.values()) <= 1.0 + 1e-9  # lengths and their squares, in m


@pytest.mark.slow
def test_the_page_and_the_summary_have_the_sums(tmp_path, capsys):
    from pkm_identification.cli import main

    path, log = tmp_path / "fivebar.yaml", str(tmp_path / "log.csv")
    path.write_text(yaml.safe_dump(five_bar()))
    simulate = ["simulate", "--machine", str(path), "--trajectory", "rich", "--duration", "10", "--out", log]
    assert main([*simulate, "--seed", "1"]) == 0
    page = tmp_path / "page.html"
    main(["identify", log, "--machine", str(path), "--estimator", "ls", "--report", str(page)])
    assert "  J_rod_r (sum) = J_rod_r - 0.3 mx_rod_r\n" in capsys.readouterr().out
    assert "J_rod_r - 0.3 mx_rod_r" in page.read_text()
