# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""From estimates to the model a controller believes."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import machine, untidy

from pkm_identification.control.model import BelievedModel, EstimateReader, EstimateRefused
from pkm_identification.machines.capabilities import motion_of_platform
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.hexapod.dynamics import basis_parameters, strut_forces
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import NAMES, list_hexapod_parameters
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.trajectories import trajectory

UF = Machine.load("uf")
WHOLE = load_machine(UF)
TRUE = perturb_machine(UF, 1)


def estimate(nominal=UF, true=TRUE, name="identifiable"):
    """What a perfect estimation would give."""
    names = list_hexapod_parameters(nominal, name)
    values = list_hexapod_parameters(true, name).nominal
    return {
        "machine_hash": nominal.hash,
        "names": list(names.names),
        "values": values,
        "std": np.full(len(values), 1e-3),
        "shown": np.ones(len(values), dtype=bool),
    }


def read(**changes):
    return EstimateReader(WHOLE).basis(**{**estimate(), **changes})


def test_a_perfect_estimate_gives_the_true_forces():
    motion = trajectory("rich", UF, 3.0).motion(np.linspace(0, 3, 100))
    true = strut_forces(TRUE, motion)
    # moments about the centre of mass and lumped struts: the basis differs, the forces do not
    np.testing.assert_allclose(strut_forces(UF, motion, parameters=read()), true, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_nominal_values_of_every_set_are_the_machine_file(name):
    made = machine(untidy("hexel"))
    given = estimate(made, made, name)
    np.testing.assert_allclose(
        EstimateReader(load_machine(made)).basis(**given), basis_parameters(made), atol=1e-12
    )


def test_only_what_the_data_show_is_taken():
    shown = np.zeros(20, dtype=bool)
    np.testing.assert_allclose(read(shown=shown), basis_parameters(UF), atol=1e-12)
    names = estimate()["names"]
    shown[names.index("m_p")] = True
    basis = read(shown=shown)
    assert basis[0] == pytest.approx(TRUE.platform.mass)
    np.testing.assert_allclose(basis[10:], basis_parameters(UF)[10:], atol=1e-12)


def test_friction_below_zero_is_zero():
    given = estimate()
    given["values"] = np.where([n == "coulomb_2" for n in given["names"]], -0.3, given["values"])
    assert EstimateReader(WHOLE).basis(**given)[-5] == 0.0


WRONG = {
    "is of the machine description 1234": {"machine_hash": "1234"},
    "is of the machine description without a hash": {"machine_hash": ""},
    "no parameter set has the parameters": {"names": ["m_p", "nonsense"]},
    "20 names, but 19 values": {"values": np.ones(19)},
    "20 names, but 20 values, 2 standard deviations": {"std": np.ones(2)},
    "a number that is not finite": {"values": np.full(20, np.nan)},
    "holds a number": {"std": np.full(20, np.inf)},
    "inertia at home would be": {"values": np.where(np.arange(20) < 3, -1.0, estimate()["values"])},
}


@pytest.mark.parametrize("reason", WRONG)
def test_what_must_not_be_believed_is_refused(reason):
    with pytest.raises(EstimateRefused, match=reason):
        read(**WRONG[reason])


def test_impossible_inertia_is_refused_above_and_below():
    for factor in (0.02, 50.0):
        with pytest.raises(EstimateRefused, match="times that of its description"):
            read(values=factor * estimate()["values"])


def test_the_model_goes_over_smoothly():
    model = BelievedModel(WHOLE, blend=0.1, period=1e-3)
    start, goal = model.present.copy(), read()
    model.accept(goal)
    model.step()
    share = 1 - np.exp(-0.01)
    np.testing.assert_allclose(model.present, start + share * (goal - start), rtol=1e-12)
    for _ in range(99):
        model.step()
    np.testing.assert_allclose(model.present, goal + np.exp(-1) * (start - goal), rtol=1e-10)
    for _ in range(100):
        model.step(50)
    np.testing.assert_array_equal(model.present, goal)
    assert model.accepted == 1
    model.reset()
    np.testing.assert_array_equal(model.present, basis_parameters(UF))
    at_once = BelievedModel(WHOLE, blend=0.0, period=1e-3)
    at_once.accept(goal)
    at_once.step()
    np.testing.assert_array_equal(at_once.present, goal)


def test_a_jump_is_the_largest_change_of_force():
    model = BelievedModel(WHOLE, blend=0.1, period=1e-3)
    motion = trajectory("rich", UF, 3.0).motion(np.array([1.5]))
    expected = np.abs(strut_forces(TRUE, motion) - strut_forces(UF, motion)).max()
    assert model.jump(motion_of_platform(UF, motion), read()).max() == pytest.approx(expected)
