"""One period of the machine against an adaptive integration of its equations of motion."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from core.machine_variants import document, untidy
from core.platform_motions import states
from scipy.spatial.transform import Rotation

from pkm_identification.dynamics import integrate
from pkm_identification.dynamics.basis import basis_parameters
from pkm_identification.estimation.dual.prediction import rotation_between
from pkm_identification.estimation.dual.state_model import advance
from pkm_identification.machine import Machine

PERIOD = 1e-3


def stepped(machine, position, rotation, twist, force, guess, substeps=1):
    """The state after one period, and whether there is one."""
    position, rotation, twist = position.copy(), rotation.copy(), twist.copy()
    good = advance(
        machine.base_joints, machine.platform_joints, machine.first_axis, machine.universal, machine.gravity,
        machine.friction.shape, PERIOD, substeps, basis_parameters(machine), force, guess, position, rotation, twist,
        np.empty((9, 6, 6)),
    )  # fmt: skip
    return good, position, rotation, twist


@pytest.mark.parametrize("law", ["coulomb", "smooth", "stribeck"])
def test_a_period_is_integrated(law):
    """Untidy machine with friction, moving; some struts pass through the bend of the law within the period."""
    made = untidy("uf", seed=2)
    made["friction"]["law"] = law
    if law == "stribeck":
        made["friction"] |= {"static_ratio": 1.4, "stribeck_rate": 0.02}
    machine = Machine.from_document(made)
    some = states(machine, 6, seed=3)
    rng = np.random.default_rng(4)
    for n in range(6):
        # from slow, where friction is stiff, to fast
        twist = some.twist[n] * 0.3**n
        ends = rng.normal(0, 60, (2, 6))
        ends[1] = ends[0] + rng.normal(0, 5, 6)
        exact = integrate(
            machine,
            np.array([0.0, PERIOD]),
            lambda t, *_, ends=ends: ends[0] + t / PERIOD * (ends[1] - ends[0]),
            position=some.position[n],
            rotation=some.rotation[n],
            twist=twist,
            tolerance=1e-10,
        )
        guess = (exact.twist[1] - exact.twist[0]) / PERIOD
        good, position, rotation, after = stepped(
            machine, some.position[n], some.rotation[n], twist, ends, guess, substeps=4
        )
        assert good
        moved = np.abs(exact.twist[1] - exact.twist[0]).max()
        # three hundredths of what happens in the period, in spite of the bends inside it
        assert np.abs(after - exact.twist[1]).max() < 3e-2 * moved
        assert np.abs(position - exact.position[1]).max() < 3e-2 * moved * PERIOD
        turned = Rotation.from_matrix(rotation @ exact.rotation[1].T).as_rotvec()
        assert np.abs(turned).max() < 3e-2 * moved * PERIOD


def test_friction_that_settles_in_a_fiftieth_of_the_period_stops_the_machine():
    made = copy.deepcopy(document("uf"))
    made["friction"] = {"viscous": [2e4] * 6, "coulomb": [500.0] * 6, "transition_rate": 0.002}
    machine = Machine.from_document(made)
    position, rotation, twist = machine.home_position, np.array(machine.home_rotation), np.full(6, 0.1)
    for _ in range(200):
        good, position, rotation, twist = stepped(
            machine, position, rotation, twist, np.zeros((2, 6)), np.zeros(6), substeps=2
        )
        assert good
    # it sinks as slowly as its weight drives it against the slope: some hundred N over some 10^4 N s/m
    assert np.abs(twist).max() < 0.05
    assert np.abs(position - machine.home_position).max() < 1e-2


def test_no_machine_no_state():
    """Parameters that no machine has, with a mass matrix that is not positive, are told and not computed with."""
    machine = Machine.load("uf")
    phi = basis_parameters(machine)
    phi[0] = -100.0
    good = advance(
        machine.base_joints, machine.platform_joints, machine.first_axis, machine.universal, machine.gravity,
        machine.friction.shape, PERIOD, 1, phi, np.zeros((2, 6)), np.zeros(6), machine.home_position.copy(),
        np.array(machine.home_rotation), np.zeros(6), np.empty((9, 6, 6)),
    )  # fmt: skip
    assert not good


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 0.02, 0.5, 1.4])
def test_rotation_between_is_the_logarithm(angle):
    rng = np.random.default_rng(5)
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    rotation = Rotation.random(rng=6).as_matrix()
    turned = Rotation.from_rotvec(angle * axis).as_matrix() @ rotation
    vector = np.empty(3)
    rotation_between(turned, rotation, vector)
    np.testing.assert_allclose(vector, angle * axis, atol=1e-14, rtol=1e-9)
