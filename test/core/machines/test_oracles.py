# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Every machine against other programs: pinocchio for trees and cut loops, MuJoCo for what falls."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from core.machines.every_machine import ACTUATED, AS_MULTIBODY, MECHANISMS, machine, smooth_motion

from benchmarks.mechanism_peers import PinocchioMechanism
from pkm_identification.mechanisms.multibody import kinematics
from pkm_identification.simulation.multibody.mjcf import build_mechanism_mjcf

# Levers are no joints that pinocchio could drive: see test_oracles.py of multibody for the arm's
DRIVEN = [
    AS_MULTIBODY,
    *(name for name in MECHANISMS if not name.startswith("epaas") and name not in ACTUATED),
]


def bodies_alone(one) -> np.ndarray:
    """Return the basis (B,) of the bodies, without inertia of drives and friction."""
    bodies = {body.name for body in one.mechanism.description.bodies}
    return np.array([entry.nominal if entry.body in bodies else 0.0 for entry in one.basis])


@pytest.mark.parametrize("name", DRIVEN)
def test_forces_are_those_of_pinocchio(name):
    one = machine(name)
    oracle, motion = PinocchioMechanism(one.mechanism), smooth_motion(one, 6, seed=2)
    values = bodies_alone(one)
    own = one.compute_forces(motion, values)
    mass, bias = one.compute_mass_and_bias(motion, values)
    theirs = np.array([oracle.driven_forces(*state) for state in zip(*motion.state, strict=True)])
    np.testing.assert_allclose(own, theirs, atol=1e-9 * np.abs(theirs).max())
    again = np.einsum("nij,nj->ni", mass, motion.acceleration) + bias
    np.testing.assert_allclose(again, theirs, atol=1e-9 * np.abs(theirs).max())


@pytest.mark.parametrize("name", [name for name in MECHANISMS if name not in ACTUATED])
def test_it_falls_as_in_mujoco(name):
    """Accelerations of all bodies in free fall from home; MuJoCo closes loops by constraints that yield a little."""
    one = machine(name)
    made, still = one.mechanism, np.zeros((1, len(one.drives)))
    values = one.basis.nominal * [not entry.kind.friction for entry in one.basis]
    home = one.compute_motion(one.home[None], still, still)
    mass, bias = one.compute_mass_and_bias(home, values)
    second = np.linalg.solve(mass[0], -bias[0])
    h, places = 1e-3, []
    for sign in (-1.0, 0.0, 1.0):
        drive = one.home + sign * 0.5 * h**2 * second
        places.append(
            kinematics.body_poses(made, one.compute_motion(drive[None], still, still).state[0])[1][0]
        )
    falling = (places[2] - places[0]) / h**2
    model = mujoco.MjModel.from_xml_string(build_mechanism_mjcf(made))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    mujoco.mj_forward(model, data)
    mujoco.mj_rnePostConstraint(model, data)
    for body, acceleration in zip(made.description.bodies, falling, strict=True):
        found, place = np.zeros(6), model.body(body.name).id
        mujoco.mj_objectAcceleration(model, data, mujoco.mjtObj.mjOBJ_XBODY, place, found, 0)
        # MuJoCo's accelerations are those an accelerometer shows
        found[3:] += model.opt.gravity
        np.testing.assert_allclose(found[3:], acceleration, atol=2e-3 * 9.81)
