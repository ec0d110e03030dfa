# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Computed torque and workspace control of mechanisms with loops, as their files ask for them."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import yaml

from pkm_identification.control.laws.computed_torque import held_gains
from pkm_identification.control.laws.space import Space
from pkm_identification.errors import MachineError, SettingsError
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.builtin import list_builtin_files
from pkm_identification.mechanisms.hexapod.machine import Machine, builtin_machines
from pkm_identification.mechanisms.multibody.kinematics import close_drives, read
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.simulation.actuated.file_control import FileControl
from pkm_identification.simulation.actuated.subject import Subject
from pkm_identification.simulation.multibody.motions import generate_motion
from pkm_identification.simulation.multibody.plant import MechanismPlant
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import Simulator

MAST = yaml.safe_load(list_builtin_files("mechanisms")["mast"].read_text())
K_P, K_V = 400.0, 24.0  # 20 rad/s, damping 0.6
MOTOR = {"type": "screw", "torque_constant": 0.03, "lead": 0.005, "inertia": 1e-6, "current_limit": 40.0}
LOOPS = {
    "position": {"gain": 20.0, "period": 0.002},
    "velocity": {"gain": 0.05, "integral": 1.0, "period": 0.0005},
}


def mast(**sections):
    return Subject(Mechanism.from_document(copy.deepcopy(MAST) | copy.deepcopy(sections)))


def torque(space):
    law = {"position_gain": K_P, "rate_gain": K_V, "period": 0.001}
    return mast(actuator={"type": "ideal"}, control={"space": space, "computed_torque": law})


def exact(t):
    """Solution of e'' + k_v e' + k_p e = 0 from e = 1 at rest."""
    decay, turn = K_V / 2, np.sqrt(K_P - K_V**2 / 4)
    return np.exp(-decay * t) * (np.cos(turn * t) + decay / turn * np.sin(turn * t))


def outputs(subject, drive):
    mechanism = subject.mechanism
    return read(mechanism, "outputs", close_drives(mechanism, drive).required(drive, "drives"))


@pytest.mark.slow
@pytest.mark.parametrize("space", ["drives", "workspace"])
def test_the_error_obeys_its_equation_within_a_thousandth(space):
    subject = torque(space)
    away = np.array([0.08, -0.08, 0.03])
    wanted = subject.home + away
    run = subject.run(lambda t: wanted, 0.3)
    if space == "drives":
        error, first = wanted - run.drive, away
    else:
        there = outputs(subject, wanted[None])
        error = there - outputs(subject, run.drive)
        first = error[0]
    share = error / first
    assert np.abs(share - exact(run.time)[:, None]).max() < 1e-3
    # in the other coordinates the same error obeys another equation
    other = outputs(subject, run.drive) if space == "drives" else run.drive
    goal = outputs(subject, wanted[None]) if space == "drives" else wanted
    bent = (goal - other) / (goal - other[0])
    assert np.abs(bent - exact(run.time)[:, None]).max() > 0.02


def test_held_gains_are_the_equations_for_short_periods():
    assert held_gains(K_P, K_V, 1e-7) == pytest.approx((K_P, K_V), rel=1e-5)


@pytest.mark.slow
def test_in_the_workspace_a_platform_goes_straight_and_as_the_gain_says():
    away = np.array([0.1, -0.1, 0.05])
    paths = {}
    for space in ("drives", "workspace"):
        subject = mast(actuator=MOTOR, control={"space": space, **LOOPS})
        wanted = subject.home + away
        run = subject.run(lambda t, wanted=wanted: wanted, 0.25)
        there = outputs(subject, wanted[None])[0]
        gone = (there - outputs(subject, run.drive)) / (there - outputs(subject, subject.home[None])[0])
        paths[space] = run.time, gone
    time, gone = paths["workspace"]
    spread = {name: np.ptp(path[len(path) // 8 :], axis=1).max() for name, (_, path) in paths.items()}
    assert spread["workspace"] < 0.4 * spread["drives"]
    late = time > 0.05  # behind the velocity loops' own answer
    rate = -np.polyfit(time[late & (time < 0.15)], np.log(gone[late & (time < 0.15), 0]), 1)[0]
    assert rate == pytest.approx(LOOPS["position"]["gain"], rel=0.1)


@pytest.mark.parametrize("kind", [lambda machine: machine, Mechanism.from_machine])
def test_a_platforms_jacobian_is_that_of_its_lengths(kind):
    machine = Machine.load("uf")
    space = Space(as_machine(kind(machine)), workspace=True)
    assert space.task == "pose"
    here = space.move(space.machine.home)
    change = np.array([1e-5, -2e-5, 1e-5, 3e-5, 1e-5, -2e-5])
    moved = space.machine.home + np.linalg.solve(space.compute_jacobian(here), change)
    error = space.compute_error(space.move(moved, near=here), here)
    np.testing.assert_allclose(error, change, rtol=1e-3)


@pytest.mark.slow
def test_loops_of_each_drive_are_its_own():
    softer = copy.deepcopy(LOOPS)
    softer["position"]["gain"] = 5.0
    subject = mast(actuator=MOTOR, control=[LOOPS, softer, LOOPS])
    wanted = subject.home + 0.01
    run = subject.run(lambda t: wanted, 0.2)
    left = (wanted - run.drive[-1]) / 0.01
    assert left[1] > 0.25
    assert np.all(left[[0, 2]] < 0.06)


HYDRAULIC = yaml.safe_load(builtin_machines()["uf_hydraulic"].read_text())["actuator"]
LAW = {"computed_torque": {"position_gain": K_P, "rate_gain": K_V, "period": 0.001}}


@pytest.mark.parametrize(
    ("actuator", "control", "message"),
    [
        (
            MOTOR,
            [LOOPS] * 2,
            "must be a list of 3, one for each drive, or one section for all; found 2 entries",
        ),
        (MOTOR, {"space": "joints", **LOOPS}, "space = 'joints': must be one of drives, workspace"),
        (
            MOTOR,
            {"space": "workspace", **LOOPS, "position": LOOPS["position"] | {"rate_feed_forward": 1.0}},
            "has no rate",
        ),
        (HYDRAULIC, LAW, "drive 1 has a valve, which takes none"),
        (MOTOR, LAW | LOOPS, "unknown key 'position' in 'control'"),
        (MOTOR, {"computed_torque": LAW["computed_torque"] | {"rate_gain": 0.0}}, "greater than zero"),
    ],
)
def test_control_that_cannot_be_is_refused(actuator, control, message):
    with pytest.raises(MachineError, match=message) as caught:
        mast(actuator=actuator, control=control)
    assert "\n" not in str(caught.value)


def test_a_period_that_is_no_part_of_the_samples_is_refused():
    odd = {"computed_torque": LAW["computed_torque"] | {"period": 0.0003}}
    mechanism = mast(actuator={"type": "ideal"}, control=odd).mechanism
    with pytest.raises(SettingsError, match=r"period of 0\.0003 s .* 0\.001 s"):
        Simulator(mechanism, generate_motion("slow", mechanism, 5.0)).run()


@pytest.mark.slow
def test_a_motion_is_followed_with_its_rates_and_accelerations():
    mechanism = torque("workspace").mechanism
    plant = MechanismPlant(mechanism)
    plant.set_force(plant.holding_force())
    law = FileControl.of(mechanism.description.control, as_machine(mechanism), plant, lambda: plant.encoder)
    start, size, omega = plant.coordinate, np.array([0.05, -0.04, 0.03]), 2 * np.pi * 2.0

    def wanted(t):
        turned = omega * t
        return start + size * (1 - np.cos(turned)), size * omega * np.sin(turned)

    away = []
    for k in range(150):
        law.move(lambda t, k=k: wanted(k * 1e-3 + t), 1e-3)
        away.append(plant.coordinate - wanted((k + 1) * 1e-3)[0])
    assert np.abs(away).max() < 1e-3 * size.max()
    asked = []

    def noted(t):
        asked.append(t)
        return wanted(0.15 + t)

    law.move(noted, 5 * law.period)
    np.testing.assert_allclose(asked, law.period * np.arange(6))  # each instant once


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "control"),
    [
        ("uf_belt", {"space": "workspace", "position": {"gain": 20.0, "period": 0.002}}),
        ("uf", {"space": "workspace", **LAW}),
    ],
)
def test_a_hexapod_goes_where_it_is_wanted_by_the_law_of_its_file(name, control):
    document = yaml.safe_load(builtin_machines()[name].read_text())
    document.setdefault("actuator", {"type": "ideal"})
    if "control" in document:
        control = control | {"velocity": document["control"]["velocity"]}
        document["drive"]["sample_rate"] = 500.0
    simulator = Simulator(
        Machine.from_document(document | {"control": control}), sensors=SensorSettings.perfect()
    )
    start = simulator.plant.length
    simulator.command_lengths(start + 0.004)
    away = []
    for _ in range(round(0.6 / simulator.period)):
        simulator.step()
        away.append(np.abs(simulator.plant.length - start - 0.004).max())
    assert away[0] > 0.003
    # what friction keeps from a velocity loop whose integral is slow
    assert away[-1] < 0.06 * away[0]
