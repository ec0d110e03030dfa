# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The double inverted pendulum on a cart against pinocchio, energy, SciPy and difference quotients."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from pkm_identification.mechanisms.pendulum.model import (
    GRAVITY,
    PendulumMotion,
    accelerations,
    compute_acceleration_jacobian,
    energy,
    residuals,
    simulate,
)

TRUE = np.array([0.5, 0.75, 0.75, 0.5, 1.5])


def states(count: int = 20, seed: int = 0) -> PendulumMotion:
    rng = np.random.default_rng(seed)
    position, velocity, acceleration = rng.normal(size=(3, count, 3)) * np.array([[[1.0]], [[4.0]], [[9.0]]])
    return PendulumMotion(np.arange(count) * 1.0, position, velocity, acceleration, rng.normal(size=count))


def pinocchio_accelerations(w, motion):
    """The same machine as a chain: the second joint's angle is relative there."""
    pin = pytest.importorskip("pinocchio")
    l1, l2, m1, m2, cart = w
    model = pin.Model()
    model.gravity.linear = np.array([0.0, 0.0, -GRAVITY])
    at = pin.SE3.Identity()
    parent = model.addJoint(0, pin.JointModelPX(), at, "cart")
    model.appendBodyToJoint(parent, pin.Inertia(cart, np.zeros(3), np.zeros((3, 3))), at)
    for length, mass, place in ((l1, m1, 0.0), (l2, m2, l1)):
        joint = pin.JointModelRY()  # turns z towards x
        parent = model.addJoint(parent, joint, pin.SE3(np.eye(3), np.array([0.0, 0.0, place])), f"{place}")
        about = mass * length**2 / 12.0
        body = pin.Inertia(mass, np.array([0.0, 0.0, 0.5 * length]), np.diag([about, about, 0.0]))
        model.appendBodyToJoint(parent, body, at)
    data = model.createData()
    relative = np.array([[1, 0, 0], [0, 1, 0], [0, -1, 1]])
    found = []
    for q, v, force in zip(motion.position, motion.velocity, motion.force, strict=True):
        own = pin.aba(model, data, relative @ q, relative @ v, np.array([force, 0.0, 0.0]))
        found.append(np.linalg.solve(relative, own))
    return np.array(found)


def test_accelerations_are_those_of_a_rigid_body_library():
    motion = states()
    expected = pinocchio_accelerations(TRUE, motion)
    np.testing.assert_allclose(accelerations(TRUE, motion), expected, rtol=1e-9, atol=1e-9)


def test_the_residual_vanishes_at_the_models_accelerations():
    motion = states()
    made = PendulumMotion(
        motion.time, motion.position, motion.velocity, accelerations(TRUE, motion), motion.force
    )
    np.testing.assert_allclose(residuals(TRUE, made)[0], 0.0, atol=1e-12)
    assert np.abs(residuals(1.1 * TRUE, made)[0]).max() > 0.1


@pytest.mark.parametrize("model", ["acceleration", "residual"])
def test_jacobians_are_the_difference_quotients(model):
    motion = states()
    if model == "residual":
        value, jacobian = (lambda w: residuals(w, motion)[0]), residuals(TRUE, motion)[1]
    else:
        value, jacobian = (lambda w: accelerations(w, motion)), compute_acceleration_jacobian(TRUE, motion)
    step = 1e-6
    for p in range(5):
        change = np.zeros(5)
        change[p] = step
        quotient = (value(TRUE + change) - value(TRUE - change)) / (2 * step)
        # differences of numbers up to 1e3 over 2e-6 carry 1e-7 of rounding
        np.testing.assert_allclose(jacobian[:, :, p], quotient, rtol=1e-6, atol=1e-5)


def test_a_fall_keeps_its_energy_and_its_momentum():
    motion = simulate(TRUE, np.arange(0.0, 5.0, 1e-2), np.array([0.0, 0.2, 0.1]))
    total = energy(TRUE, motion)
    np.testing.assert_allclose(total, total[0], atol=1e-10)
    l1, l2, m1, m2, cart = TRUE
    t, v = motion.position[:, 1:], motion.velocity
    along = (cart + m1 + m2) * v[:, 0] + (0.5 * m1 + m2) * l1 * v[:, 1] * np.cos(t[:, 0])
    along += 0.5 * m2 * l2 * v[:, 2] * np.cos(t[:, 1])
    np.testing.assert_allclose(along, 0.0, atol=1e-8)
    # it did fall
    assert np.abs(t).max() > np.pi / 2


def test_a_fall_is_that_of_an_integrator_with_steps_of_its_own_choice():
    """SciPy's DOP853; times of a coarse and uneven grid, with a force."""

    def push(t):
        return 5.0 * np.sin(3.0 * t)

    start, time = np.array([0.1, 0.2, 0.1]), np.array([0.0, 0.0137, 0.5, 0.50001, 1.9, 2.5])

    def derivative(t, state):
        at = PendulumMotion(
            np.array([t]), state[None, :3], state[None, 3:], state[None, :3], np.array([push(t)])
        )
        return np.concatenate([state[3:], accelerations(TRUE, at)[0]])

    solved = solve_ivp(derivative, (0.0, 2.5), [*start, 0, 0, 0], "DOP853", time, rtol=1e-11, atol=1e-11)
    motion = simulate(TRUE, time, start, push)
    np.testing.assert_allclose(np.hstack([motion.position, motion.velocity]), solved.y.T, rtol=0, atol=1e-7)
    np.testing.assert_array_equal(motion.force, push(time))


def test_a_force_does_its_work():
    motion = simulate(
        TRUE, np.arange(0.0, 2.0, 1e-3), np.array([0.0, 0.2, 0.1]), lambda t: 5.0 * np.sin(3 * t)
    )
    power = motion.force * motion.velocity[:, 0]
    work = np.concatenate([[0.0], np.cumsum(0.5e-3 * (power[1:] + power[:-1]))])
    total = energy(TRUE, motion)
    assert np.ptp(total) > 0.5
    # trapezoids at 1 ms, with curvatures of the power up to 1e4 W/s^2
    np.testing.assert_allclose(total - total[0], work, atol=1e-3)


def test_free_motion_knows_no_absolute_mass():
    motion = states()
    free = PendulumMotion(
        motion.time, motion.position, motion.velocity, motion.acceleration, 0.0 * motion.force
    )
    heavier = TRUE * np.array([1, 1, 3, 3, 3])
    np.testing.assert_allclose(accelerations(heavier, free), accelerations(TRUE, free), rtol=1e-10)
    np.testing.assert_allclose(residuals(heavier, free)[0], 3 * residuals(TRUE, free)[0], rtol=1e-12)
    masses = np.array([0.0, 0.0, *TRUE[2:]])
    np.testing.assert_allclose(compute_acceleration_jacobian(TRUE, free) @ masses, 0.0, atol=1e-9)
    assert np.abs(compute_acceleration_jacobian(TRUE, motion) @ masses).max() > 0.1
