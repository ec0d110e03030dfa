# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""One period of the machine against an adaptive integration of its equations of motion."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import document, rubbing, untidy, with_joint
from core.platform_motions import states
from scipy.spatial.transform import Rotation

from pkm_identification.identification.augmented_state.records import (
    State,
    StateEquations,
    step_result,
    step_scratch,
)
from pkm_identification.identification.augmented_state.state_model import advance
from pkm_identification.mechanisms.friction import friction_slopes
from pkm_identification.mechanisms.hexapod.dynamics import integrate
from pkm_identification.mechanisms.hexapod.dynamics.basis import basis_parameters
from pkm_identification.mechanisms.hexapod.dynamics.joint_friction import joint_rates
from pkm_identification.mechanisms.hexapod.dynamics.mass import platform_dynamics
from pkm_identification.mechanisms.hexapod.dynamics.records import packed_geometry
from pkm_identification.mechanisms.hexapod.kinematics import jacobian
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.rotation import rotation_between

PERIOD = 1e-3


def equations(machine, substeps=1):
    return StateEquations(packed_geometry(machine), PERIOD, substeps)  # fmt: skip


def stepped(machine, position, rotation, twist, force, guess, substeps=1):
    """The state after one period, and whether there is one."""
    position, rotation, twist = position.copy(), rotation.copy(), twist.copy()
    state = State(position, rotation, twist)
    good = advance(
        equations(machine, substeps),
        basis_parameters(machine),
        force,
        guess,
        state,
        step_scratch(),
        step_result(),
    )
    return good, position, rotation, twist


def stiffness(machine, position, rotation) -> float:
    """Largest rate in 1/s at which strut rates settle by friction, at its steepest."""
    mass = platform_dynamics(machine, position[None], rotation[None]).mass[0]
    jac = jacobian(machine, position[None], rotation[None])[0]
    bends = []
    for rate in np.linspace(0, 0.01, 201):
        bends.append(friction_slopes(rate, machine.friction.law_parameters)[1])
    slope = np.diag(machine.friction.viscous + machine.friction.coulomb * max(bends))
    if machine.joint_friction is not None:
        axes = joint_rates(machine, position, rotation) @ np.linalg.inv(jac)
        coulomb, viscous = machine.joint_friction.coefficients.reshape(2, 2, 6).swapaxes(0, 1)
        steepest = viscous + coulomb / machine.joint_friction.transition_rate
        slope += np.einsum("iekn,ei,iekm->nm", axes, steepest, axes)
    return float(np.abs(np.linalg.eigvals(jac @ np.linalg.solve(mass, jac.T) @ slope)).max())


def lost_by_the_rule(settling: float) -> float:
    """What the trapezoidal rule is off while something settles, at most; `settling` is the rate times the substep."""
    steps = np.arange(1, 50)
    factor = (1.0 - 0.5 * settling) / (1.0 + 0.5 * settling)
    return float(np.abs(factor**steps - np.exp(-settling * steps)).max())


@pytest.mark.slow
@pytest.mark.parametrize(
    "law", ["coulomb", "smooth", "stribeck", "coulomb, rubbing joints", "no spin, rubbing joints"]
)
def test_a_period_is_integrated(law):
    """Untidy machine with friction, moving; some struts pass through the bend of the law within the period.

    Off by no more than the trapezoidal rule is where friction is steepest, and 16 times less with four times the
    substeps; what then is left comes from taking M, h and J once, in the middle of the period.
    """
    law, _, joints = law.partition(", ")
    made = untidy("uf", seed=2) if law != "no spin" else with_joint(untidy("uf", seed=2), "no_spin")
    made["friction"]["law"] = law if law != "no spin" else "coulomb"
    if joints:
        made = rubbing(made)
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
        moved = np.abs(exact.twist[1] - exact.twist[0]).max()
        rate = stiffness(machine, some.position[n], some.rotation[n])
        # J and M change by this share within half a period; the middle leaves its square and what speeds add to it
        frozen = np.abs(twist).max() / 0.2 * 0.5 * PERIOD
        errors = {}
        for substeps in (4, 16):
            good, position, rotation, after = stepped(
                machine, some.position[n], some.rotation[n], twist, ends, guess, substeps=substeps
            )
            assert good
            turned = Rotation.from_matrix(rotation @ exact.rotation[1].T).as_rotvec()
            errors[substeps] = (
                max(
                    np.abs(after - exact.twist[1]).max(),
                    np.abs(position - exact.position[1]).max() / PERIOD,
                    np.abs(turned).max() / PERIOD,
                )
                / moved
            )
        assert errors[4] < lost_by_the_rule(rate * PERIOD / 4) + frozen
        # a sixteenth, and half of it again for the terms of higher order
        assert errors[16] < 1.5 / 16 * errors[4] + frozen


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
    # stopped within two periods of its starting speed; then it sinks as its weight drives it against friction's slope
    assert stiffness(machine, position, rotation) > 50 / PERIOD
    jac = jacobian(machine, position[None], rotation[None])[0]
    weight = np.linalg.solve(jac.T, platform_dynamics(machine, position[None], rotation[None]).bias[0])
    sinking = np.linalg.solve(jac, -weight / (2e4 + 500.0 / 0.002))
    np.testing.assert_allclose(twist, sinking, rtol=1e-3, atol=1e-3 * np.abs(sinking).max())
    moved = np.abs(position - machine.home_position - 200 * PERIOD * sinking[:3])
    assert moved.max() < 2 * 0.1 * PERIOD


def test_no_machine_no_state():
    """Parameters that no machine has, with a mass matrix that is not positive, are told and not computed with."""
    machine = Machine.load("uf")
    phi = basis_parameters(machine)
    phi[0] = -100.0
    state = State(machine.home_position.copy(), np.array(machine.home_rotation), np.zeros(6))
    good = advance(
        equations(machine), phi, np.zeros((2, 6)), np.zeros(6), state, step_scratch(), step_result()
    )
    assert not good


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 0.02, 0.5, 1.4])
def test_rotation_between_is_the_logarithm(angle):
    rng = np.random.default_rng(5)
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    rotation = Rotation.from_rotvec(rng.normal(size=3)).as_matrix()
    turned = Rotation.from_rotvec(angle * axis).as_matrix() @ rotation
    vector = np.empty(3)
    rotation_between(turned, rotation, vector)
    np.testing.assert_allclose(vector, angle * axis, atol=1e-14, rtol=1e-9)
