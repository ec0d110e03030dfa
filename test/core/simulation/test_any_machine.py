# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a simulation can do to one machine it can do to any: faults, perturbation, loads, commands, scenarios."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.field import parallel_machines
from pkm_identification.errors import SettingsError
from pkm_identification.machines.load import load_machine, read_machine
from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.simulation.faults import parse_fault
from pkm_identification.simulation.imperfections.setup import TrainErrors
from pkm_identification.simulation.payload import Payload
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.physics.load import build_physics
from pkm_identification.simulation.scenario import Scenario
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import Simulator, simulate

MACHINES = ("uf", "mast", "epaas", "four-bar")
PERFECT = SensorSettings.perfect()


def run(name: str, *faults: str, duration: float = 0.12):
    """Samples of a machine at rest, exact but for faults."""
    machine = load_machine(name)
    parsed = [parse_fault(text, len(machine.drives)) for text in faults]
    return simulate(machine, "rest", duration, sensors=PERFECT, faults=parsed)


@pytest.mark.parametrize("name", MACHINES)
def test_forces_are_measured_as_faults_say(name):
    exact = run(name).force[0]
    count = len(exact)
    last = run(name, f"force_gain_{count}=1.25", "force_offset_1=7", "force_sign").force[-1]
    factor, offset = np.ones(count), np.zeros(count)
    factor[-1], offset[0] = 1.25, 7.0
    np.testing.assert_allclose(last, -(factor * exact + offset), rtol=1e-6, atol=1e-6)
    clipped = run(name, "saturation=0.5").force[0]
    np.testing.assert_allclose(clipped, np.clip(exact, -0.5, 0.5), atol=1e-9)


@pytest.mark.parametrize("name", ["uf", "mast", "epaas"])
def test_columns_and_units_of_the_record_are_as_faults_say(name):
    exact = run(name)
    count = exact.force.shape[1]
    order = [1, 0, *range(2, count)]
    swapped = run(name, "exchanged_struts=1-2", "exchanged_lengths=1-2", "force_unit=kN", "time_unit=ms")
    np.testing.assert_allclose(swapped.force, exact.force[:, order] / 1000, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(swapped.length, exact.length[:, order], atol=1e-12)
    np.testing.assert_allclose(swapped.time, 1000 * exact.time, atol=1e-9)


@pytest.mark.parametrize("name", MACHINES)
def test_an_encoder_shows_its_errors_and_control_follows_them(name):
    exact, size = run(name), 1e-3
    wrong = run(name, "length_offset_1=0.001")
    # at the start the encoders show home, so the machine itself is elsewhere
    np.testing.assert_allclose(wrong.length[0], exact.length[0], atol=1e-9)
    assert wrong.truth.length[0, 0] == pytest.approx(exact.truth.length[0, 0] - size, abs=1e-9)
    lost = run(name, "lost_counts_1=0.0001,0.06")
    step = np.diff(lost.length[:, 0])
    assert step.max() == pytest.approx(1e-4, rel=0.2)


@pytest.mark.slow
def test_late_forces_are_those_of_before():
    machine = load_machine("mast")
    exact = simulate(machine, "rich", 1.6, sensors=PERFECT).force
    late = simulate(machine, "rich", 1.6, sensors=PERFECT, faults=[parse_fault("force_delay=0.004", 3)]).force
    np.testing.assert_allclose(late[100:], exact[96:-4], atol=1e-6)


LAWS = {
    "friction_stribeck=0.5,0.2": TrainErrors(excess=0.5, stribeck_rate=0.2),
    "friction_asymmetric=0.3": TrainErrors(asymmetry=0.3),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("mast", "motor_inertia=0.2"), ("mast", "joint_friction=0.02"),
        ("epaas", "friction_stribeck=0.5,0.2"),
        ("epaas", "friction_asymmetric=0.3"),
    ],
)  # fmt: skip
def test_the_body_is_another_one_and_inverse_dynamics_of_it_has_its_forces(name, fault):
    machine = load_machine(name)
    if name == "epaas":  # which has no friction of its own
        rubbing = {"friction": {"viscous": ["1"] * 5, "coulomb": ["2"] * 5, "transition_rate": "0.02"}}
        machine = read_machine(dict(machine.document) | rubbing)
    wrong = Simulator(machine, "rich", sensors=PERFECT, faults=[parse_fault(fault, len(machine.drives))]).run(
        1.6
    )
    truth = wrong.truth

    def forces(mechanism: Mechanism):
        motion = kinematics.motion_of_drives(mechanism, truth.length, truth.rate, truth.acceleration)
        return dynamics.forces(mechanism, motion)

    size = np.sqrt(np.mean(truth.force**2, axis=0)).max()
    off = np.sqrt(np.mean((truth.force - forces(machine.mechanism)) ** 2))
    assert off > 2e-3 * size  # the file's machine has other forces
    own = Simulator(machine, faults=[parse_fault(fault, len(machine.drives))]).plant.mechanism
    if fault in LAWS:  # the drives' effect, which a law of machine files has, too
        own = build_physics(machine).with_friction(
            LAWS[fault].change_law(machine.mechanism.description.friction)
        )
    assert np.sqrt(np.mean((truth.force - forces(own)) ** 2)) < 0.1 * off


@pytest.mark.parametrize("name", ["mast", "epaas", "four-bar"])
def test_a_perturbed_machine_differs_in_bodies_alone_and_has_possible_ones(name):
    machine = load_machine(name)
    other = perturb_machine(machine, 3, 0.2)
    same = perturb_machine(machine, 3, 0.2)
    np.testing.assert_array_equal(other.parameters, same.parameters)
    mass, changed = (np.asarray(one.parameters, dtype=float)[:, 0] for one in (machine.mechanism, other))
    ratio = changed[mass > 0] / mass[mass > 0]
    assert np.all((np.abs(ratio - 1) >= 0.06 - 1e-9) & (np.abs(ratio - 1) <= 0.2 + 1e-9))
    np.testing.assert_allclose(other.home, machine.mechanism.home, atol=1e-12)
    with pytest.raises(SettingsError, match="fraction"):
        perturb_machine(machine, 3, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("machine", "body"),
    [
        (read_machine(parallel_machines.rss() | {"pose": "platform"}), "platform"),
        (load_machine("mast"), "platform"),
        (load_machine("four-bar"), "coupler"),
        (read_machine(parallel_machines.serial_arm()), "link_3"),
        (read_machine(parallel_machines.serial_arm() | {"payload_body": "link_2"}), "link_2"),
    ],
    ids=["6-RSS", "mast", "four-bar", "arm", "arm by its file"],
)
def test_a_load_is_held_by_its_weight(machine, body):
    load = Payload(2.0, [0.02, 0.01, 0.0], taken_at=0.1)
    record = simulate(machine, "rest", 1.0, sensors=PERFECT, payload=load)
    assert machine.knowledge.bodies[machine.payload_body].name == body
    # virtual work: the drives' forces grow by what the weight does when each drive moves
    count, gravity = len(machine.drives), np.array(machine.gravity)
    still = np.zeros((1, count))
    home = machine.compute_motion(machine.home[None], still, still)
    here = find_body_place(machine, home, body, load.center_of_mass)
    step = 1e-6 * np.eye(count)
    moved = machine.compute_motion(machine.home + step, still.repeat(count, 0), still.repeat(count, 0))
    lift = (find_body_place(machine, moved, body, load.center_of_mass) - here) @ gravity / 1e-6
    np.testing.assert_allclose(record.force[-1] - record.force[0], -2.0 * lift, atol=0.03)


def find_body_place(machine, motion, body, place):
    """Return where a place of a body is in the ground's frame, (N, 3)."""
    rotation, position = kinematics.body_poses(machine.mechanism, motion.state[0])
    number = [one.name for one in machine.mechanism.description.bodies].index(body)
    return position[:, number] + rotation[:, number] @ place


@pytest.mark.slow
def test_drives_go_where_they_are_sent(tmp_path):
    machine = load_machine("mast")
    simulator = Simulator(machine, sensors=PERFECT)
    wanted = machine.home + np.array([0.01, -0.005, 0.002])
    simulator.command_lengths(wanted)
    for _ in range(1500):
        simulator.step()
    np.testing.assert_allclose(simulator.truth.coordinate, wanted, atol=2e-4)
    with pytest.raises(ValueError, match="3 coordinates"):
        simulator.command_lengths(np.zeros(6))
    events = tmp_path / "events.yaml"
    events.write_text(
        f"schema: 1\nevents:\n  - {{at: 0.1, lengths: {wanted.tolist()}}}\n  - {{at: 0.2, fault: force_gain_3=2}}\n"
    )
    played = Simulator(machine, sensors=PERFECT, scenario=Scenario.read(events, 3))
    for _ in range(1500):
        sample = played.step()
    np.testing.assert_allclose(played.truth.coordinate, wanted, atol=2e-4)
    assert sample.force[2] == pytest.approx(2 * played.truth.force[2], rel=1e-6)
