# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The simulated mechanism is the mechanism: MuJoCo's constraint Jacobian, DOP853, energy, the hexapod's own."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from core.simulation.multibody.built import (
    HEXAPODS,
    NAMES,
    RUBBING_JOINTS,
    document,
    mechanism,
    rocker_driven,
    rubbing,
)
from scipy.integrate import solve_ivp

from pkm_identification.errors import NotConverged, SettingsError
from pkm_identification.mechanisms.friction import Friction
from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.simulation.imperfections.setup import TrainErrors
from pkm_identification.simulation.multibody.plant import MechanismPlant
from pkm_identification.simulation.plant import Plant

PERIOD = 1e-3


def plant_of(made: Mechanism, **settings) -> MechanismPlant:
    return MechanismPlant(made, **({"friction": False, "stops": False} | settings))


def states(made: Mechanism, count: int, seed: int = 0):
    """Configurations near home with rates, and forces beside those that hold them."""
    rng = np.random.default_rng(seed)
    n = made.degrees_of_freedom
    home = kinematics.read(made, "drives", made.home)
    found = kinematics.close_drives(made, home + rng.uniform(-0.03, 0.03, (count, n)))
    assert found.found.all()
    return found.configuration, rng.normal(0, 0.3, (count, n)), rng.normal(0, 30, (count, n))


@pytest.mark.parametrize("name", NAMES)
def test_acceleration_is_that_of_the_mechanisms_forward_dynamics(name):
    made, plant = mechanism(name), plant_of(mechanism(name))
    for q, rate, force in zip(*states(made, 5), strict=True):
        plant.reset(q, rate, force)
        expected = dynamics.forward_dynamics(made, q, rate, force, friction=False).drive_acceleration[0]
        found = plant.state.acceleration
        assert np.abs(found - expected).max() <= 1e-8 * np.abs(expected).max()
        assert plant.loop_gap < 1e-12


def mujocos_acceleration(made: Mechanism, model, data, drives: list[int], force: np.ndarray) -> np.ndarray:
    """Acceleration (V,) of MuJoCo's tree in its present state, the loops closed by its own constraint Jacobian.

    [M J^T; J 0] (u', -lambda) = (Q - h, -J' u), all of it MuJoCo's; the joints cut here hold points together.
    """
    if np.any(dynamics.drive_inertia(made)):
        pytest.fail("choose a mechanism whose drives have no inertia of their own")
    data.qfrc_applied[:] = 0.0
    data.qfrc_applied[drives] = force
    mujoco.mj_forward(model, data)
    rows, drift = [], []
    for joint in made.tree.cut:
        for body, place, sign in zip(joint.bodies, joint.place, (1, -1), strict=True):
            where = 0 if body == "ground" else model.body(body).id
            point = data.xpos[where] + data.xmat[where].reshape(3, 3) @ FLOAT64.array(place)
            jacobian, change, turning = np.zeros((3, 3, model.nv))
            mujoco.mj_jac(model, data, jacobian, turning, point, where)
            mujoco.mj_jacDot(model, data, change, turning, point, where)
            rows.append(sign * jacobian)
            drift.append(sign * change @ data.qvel)
    j = np.vstack([first + second for first, second in zip(rows[::2], rows[1::2], strict=True)])
    d = np.concatenate([first + second for first, second in zip(drift[::2], drift[1::2], strict=True)])
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    # along what the constraints leave free; the rest of the acceleration is what they need
    _, sizes, across = np.linalg.svd(j)
    free = across[np.count_nonzero(sizes > 1e-9) :].T
    needed = np.linalg.lstsq(j, -d, rcond=1e-10)[0]
    push = data.qfrc_applied - data.qfrc_bias - mass @ needed
    return needed + free @ np.linalg.solve(free.T @ mass @ free, free.T @ push)


def driven_joints(made: Mechanism, model) -> list[int]:
    """Places of the driven joints among MuJoCo's velocities."""
    return [model.joint(joint).dofadr[0] for d in made.description.drives for joint in d.measure.joints]


@pytest.mark.parametrize("name", ["four-bar", "mast", "slanted hinge"])
def test_acceleration_is_that_of_mujocos_tree_under_mujocos_constraint_jacobian(name):
    made, plant = mechanism(name), plant_of(mechanism(name))
    model, data = plant.tree.model, plant.tree.data
    drives = driven_joints(made, model)
    for q, rate, force in zip(*states(made, 3, seed=1), strict=True):
        plant.reset(q, rate, force)
        expected = mujocos_acceleration(made, model, data, drives, force)
        found = plant.state.acceleration
        assert np.abs(found - expected[drives]).max() <= 1e-8 * np.abs(expected).max()


def moved_by_mujoco(made: Mechanism, plant: MechanismPlant, force, duration: float) -> np.ndarray:
    """Driven coordinates (N, n) every 0.1 s from the plant's present state, by Runge and Kutta over MuJoCo's tree."""
    model, data = plant.tree.model, mujoco.MjData(plant.tree.model)
    data.qpos[:], data.qvel[:] = plant.tree.data.qpos, plant.tree.data.qvel
    drives = driven_joints(made, model)
    places = [model.joint(joint).qposadr[0] for d in made.description.drives for joint in d.measure.joints]

    def change(q: np.ndarray, v: np.ndarray, t: float) -> np.ndarray:
        data.qpos[:], data.qvel[:] = q, v
        return mujocos_acceleration(made, model, data, drives, force(t))

    def gone(q: np.ndarray, v: np.ndarray, h: float) -> np.ndarray:
        q = q.copy()
        mujoco.mj_integratePos(model, q, v, h)
        return q

    q, v, h, found = data.qpos.copy(), data.qvel.copy(), 2 * PERIOD, []
    for k in range(round(duration / h)):
        t = k * h
        a1 = change(q, v, t)
        v2 = v + 0.5 * h * a1
        a2 = change(gone(q, v, 0.5 * h), v2, t + 0.5 * h)
        v3 = v + 0.5 * h * a2
        a3 = change(gone(q, v2, 0.5 * h), v3, t + 0.5 * h)
        v4 = v + h * a3
        a4 = change(gone(q, v3, h), v4, t + h)
        q, v = gone(q, (v + 2 * v2 + 2 * v3 + v4) / 6, h), v + h * (a1 + 2 * a2 + 2 * a3 + a4) / 6
        if (k + 1) % round(0.1 / h) == 0:
            found.append(q[places])
    return np.array(found)


def integrated(made: Mechanism, rate: np.ndarray, force, times: np.ndarray, friction: bool) -> np.ndarray:
    """Driven coordinates (N, n) from home by SciPy from the mechanism's own forward dynamics."""
    n = made.degrees_of_freedom
    start = kinematics.read(made, "drives", made.home)[0]

    def change(t: float, y: np.ndarray) -> np.ndarray:
        q = kinematics.close_drives(made, y[None, :n]).configuration
        moved = dynamics.forward_dynamics(made, q, y[None, n:], force(t)[None], friction=friction)
        return np.concatenate([y[n:], moved.drive_acceleration[0]])

    solved = solve_ivp(
        change, (0, times[-1]), np.concatenate([start, rate]), "DOP853", times, rtol=1e-9, atol=1e-11
    )
    assert solved.success
    return solved.y[:n].T


def run(plant: MechanismPlant, rate: np.ndarray, force, duration: float, period: float) -> np.ndarray:
    """Driven coordinates (N, n) every 0.1 s."""
    plant.reset(rate=rate, force=force(0.0))
    found = []
    for k in range(1, round(duration / period) + 1):
        plant.advance(force(k * period), period)
        if k % round(0.1 / period) == 0:
            found.append(plant.coordinate)
        assert plant.loop_gap < 1e-12
    return np.array(found)


PUSHED = {
    "four-bar": (np.array([-1.0]), 3e-5),
    "mast": (np.array([0.05, -0.03, 0.04]), 1e-6),
    "slanted hinge": (np.array([0.02, -0.01, 0.03, -0.02, 0.01, 0.02]), 1e-6),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PUSHED)
def test_the_error_of_motion_falls_with_the_square_of_the_step(
    name,
):
    made, plant = mechanism(name), plant_of(mechanism(name))
    rate, tolerance = PUSHED[name]
    holding, turn = plant.holding_force(), np.linspace(-1, 1, made.degrees_of_freedom)

    def force(t: float) -> np.ndarray:
        return holding * (1 + 0.02 * t) + 0.05 * t * turn

    expected = integrated(made, rate, force, np.arange(1, 11) / 10, friction=False)
    error = [np.abs(run(plant, rate, force, 1.0, h) - expected).max() for h in (2 * PERIOD, PERIOD)]
    assert np.abs(expected - kinematics.read(made, "drives", made.home)).max() > 0.01
    assert error[1] < tolerance
    assert 3.3 < error[0] / error[1] < 4.7


@pytest.mark.slow
@pytest.mark.parametrize("name", PUSHED)
def test_a_second_of_motion_is_that_of_mujoco(name):
    made, plant = mechanism(name), plant_of(mechanism(name))
    rate, tolerance = PUSHED[name]
    holding, turn = plant.holding_force(), np.linspace(-1, 1, made.degrees_of_freedom)

    def force(t: float) -> np.ndarray:
        return holding * (1 + 0.02 * t) + 0.05 * t * turn

    plant.reset(rate=rate, force=force(0.0))
    expected = moved_by_mujoco(made, plant, force, 1.0)
    assert np.abs(run(plant, rate, force, 1.0, PERIOD) - expected).max() < tolerance


@pytest.mark.slow
def test_motion_with_friction_of_all_joints_is_that_of_forward_dynamics():
    # nothing comes to rest in this time: the bend of Coulomb friction is no matter of DOP853
    made, plant = rubbing(), plant_of(rubbing(), friction=True)
    rate = np.array([0.15, 0.12, 0.1])
    holding = plant.holding_force()

    def force(t: float) -> np.ndarray:
        return holding + 2.0 + np.array([0.2, 0.1, 0.3])

    expected = integrated(made, rate, force, np.array([0.1, 0.2]), friction=True)
    assert np.abs(run(plant, rate, force, 0.2, PERIOD) - expected).max() < 1e-6
    assert plant.state.rate.min() > 0.01
    smooth = run(plant_of(made), rate, force, 0.2, PERIOD)
    assert np.abs(smooth - expected).max() > 1e-3


def test_each_drive_has_the_friction_of_its_own_law():
    made = mechanism("epaas")
    rates = np.array([1e-3, 2e-3, 3e-3, 4e-3, 0.05])
    numbers = {"viscous": np.full(5, 3.0), "coulomb": np.full(5, 2.0), "static_ratio": 1.5}
    friction = Friction.of("stribeck", transition_rate=rates, stribeck_rate=5.0 * rates, **numbers)
    plant = plant_of(replace(made, description=replace(made.description, friction=friction)), friction=True)
    for share in (0.3, 2.0, 8.0):
        rate = share * rates * np.array([1.0, -1.0, 1.0, 1.0, -1.0])
        plant.reset(rate=rate)
        transition = np.clip(share, -1.0, 1.0) * (1.0 + 0.5 * np.exp(-((share / 5.0) ** 2)))
        np.testing.assert_allclose(
            plant.state.resistance, 3.0 * rate + 2.0 * transition * np.sign(rate), rtol=1e-12
        )


def test_friction_holds_what_pushes_less():
    plant = plant_of(rubbing(), friction=True)
    plant.reset(force=plant.holding_force() + np.array([1.5, -0.5, 1.0]))
    start = plant.coordinate
    for _ in range(200):
        plant.advance(plant.force, PERIOD)
    # the law bends within 2 mm/s, so that what holds creeps a little
    assert np.abs(plant.coordinate - start).max() < 0.002 * 0.2
    free = plant_of(rubbing())
    free.reset(force=plant.force)
    for _ in range(200):
        free.advance(plant.force, PERIOD)
    assert np.abs(free.coordinate - start).max() > 0.01


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_energy_is_conserved_without_friction(name):
    # constant forces are conservative (potential -F . s); these balance gravity at home
    plant = plant_of(mechanism(name))
    holding = plant.holding_force()
    rate = (0.5 if name == "four-bar" else 0.05) * np.cos(np.arange(len(holding)))
    plant.reset(rate=rate, force=holding)
    start = plant.energy - holding @ plant.coordinate
    drift, kinetic = [], 0.0
    for _ in range(500):
        plant.advance(holding, PERIOD)
        drift.append(plant.energy - holding @ plant.coordinate - start)
        state = plant.state
        moved = kinematics.moving(mechanism(name), state.configuration, state.rate, state.acceleration)
        kinetic = max(kinetic, dynamics.energy(mechanism(name), moved)[0][0])
    assert kinetic > 1e-4
    assert np.abs(drift).max() < 1e-4 * kinetic


@pytest.mark.slow
@pytest.mark.parametrize("name", HEXAPODS)
def test_a_hexapod_moves_as_in_its_own_plant(name):
    own, general = Plant(HEXAPODS[name]), MechanismPlant(mechanism(name))
    np.testing.assert_allclose(general.apparent_mass, own.apparent_mass, rtol=1e-7)
    holding = own.holding_force()
    np.testing.assert_allclose(general.holding_force(), holding, rtol=1e-6, atol=1e-6)
    push = (3000.0 if name == "slanted hinge" else 150.0) * np.array([1, -1, 0.5, -0.5, 0.3, 0.2])
    own.reset(force=holding)
    general.reset(force=holding)
    start, moved = own.length, 0.0
    for k in range(300):
        force = holding + push * np.sin(2 * np.pi * 3 * (k + 1) * PERIOD)
        own.advance(force, PERIOD)
        general.advance(force, PERIOD)
        moved = max(moved, np.abs(own.length - start).max())
    assert moved > 1e-3
    # both err with the square of the period, each in its own coordinates
    assert np.abs(own.length - general.coordinate).max() < 1e-3 * moved
    np.testing.assert_allclose(general.state.resistance, own.state.resistance, atol=2.0)


SLIPPING = TrainErrors(excess=0.4, asymmetry=0.2, by_load=0.05, by_position=2.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "train"),
    [
        *((name, None) for name in RUBBING_JOINTS),
        ("no spin", SLIPPING),
        ("slanted hinge", replace(SLIPPING, presliding=1e-4)),
        ("no spin", TrainErrors(compliance=2e-7)),
    ],
)
def test_a_hexapod_with_friction_in_its_joints_moves_and_stops_as_in_its_own_plant(name, train):
    machine = RUBBING_JOINTS[name]
    own, general = Plant(machine, train=train), MechanismPlant(Mechanism.from_machine(machine), train=train)
    bare = MechanismPlant(mechanism(name))
    holding = own.holding_force()
    push = (3000.0 if name == "slanted hinge" else 150.0) * np.array([1, -1, 0.5, -0.5, 0.3, 0.2])
    for plant in (own, general, bare):
        plant.reset(force=holding)
    start, moved, apart, without = own.length, 0.0, 0.0, 0.0
    for k in range(500):
        # two ways with rests between, in which friction holds what gravity pulls more than at home
        force = holding + push * np.maximum(np.sin(2 * np.pi * 4 * (k + 1) * PERIOD), 0.0) * (
            1 if k < 250 else -1
        )
        for plant in (own, general, bare):
            plant.advance(force, PERIOD)
        moved = max(moved, np.abs(own.length - start).max())
        apart = max(apart, np.abs(own.length - general.coordinate).max())
        apart = max(apart, np.abs(own.encoder - general.encoder).max())
        without = max(without, np.abs(own.length - bare.coordinate).max())
    assert moved > 5e-4
    assert without > 0.02 * moved
    assert apart < 1e-4 * moved


@pytest.mark.slow
def test_end_stops_hold_a_drive_at_its_limits():
    plant = plant_of(rubbing(), friction=True, stops=True)
    for _ in range(1000):
        plant.advance(np.zeros(3), PERIOD)
    state = plant.state
    # the outer two carry the platform: they have fallen onto their stops, which carry them
    assert np.all(state.coordinate > -0.002)
    assert np.all(state.coordinate[[0, 2]] < 0)
    assert np.abs(state.rate[[0, 2]]).max() < 1e-3
    assert np.all(state.resistance[[0, 2]] < -5)


def test_drives_own_inertia_counts():
    given = document("mast")
    for i in (1, 2, 3):
        given["drives"][f"length_{i}"]["inertia"] = "0.4"
    made = Mechanism.from_document(given)
    plant = plant_of(made)
    q, rate, force = (part[0] for part in states(made, 1))
    plant.reset(q, rate, force)
    expected = dynamics.forward_dynamics(made, q, rate, force, friction=False).drive_acceleration[0]
    np.testing.assert_allclose(plant.state.acceleration, expected, rtol=1e-8)
    moved = kinematics.moving(made, q, rate, plant.state.acceleration)
    assert plant.energy == pytest.approx(sum(part[0] for part in dynamics.energy(made, moved)), rel=1e-9)


def test_a_dead_point_ends_the_run():
    plant = plant_of(rocker_driven())
    plant.reset(rate=np.array([-3.0]))

    def fall() -> None:
        for _ in range(1000):
            plant.advance(np.array([-5.0]), PERIOD)

    with pytest.raises(NotConverged, match=r"'four-bar' left its regular workspace at .* s \(r = "):
        fall()


def test_other_numbers_than_float64_are_refused():
    with pytest.raises(SettingsError, match="float64"):
        MechanismPlant(mechanism("four-bar").with_digits(30))
