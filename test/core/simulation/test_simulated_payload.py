# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A load taken up and set down while the simulated machine runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.machines import every_machine
from core.mechanisms.hexapod.machine_variants import machine, untidy
from core.simulation.simulated import relative_rms

from pkm_identification.cli import main
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.simulation.payload import Payload, load_platform
from pkm_identification.simulation.plant import Plant
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import Simulator
from pkm_identification.simulation.trajectories import trajectory

TAKEN, DOWN = 1.0, 2.0
INERTIA = np.array([[0.012, 0.001, -0.002], [0.001, 0.015, 0.0005], [-0.002, 0.0005, 0.009]])
PAYLOAD = Payload(2.5, [0.03, -0.05, 0.08], INERTIA, TAKEN, DOWN)


@pytest.fixture(scope="module")
def carried():
    made = machine(untidy("uf", seed=3))
    simulator = Simulator(
        made, trajectory("rich", made, 3.0), sensors=SensorSettings.perfect(), payload=PAYLOAD
    )
    return made, simulator.run()


@pytest.mark.slow
def test_loaded_machine_is_the_machine_with_both_bodies(carried):
    """Before, while and after: the forces are those of the inverse dynamics of what is moved then."""
    made, run = carried
    with_load = replace(made, platform=load_platform(made.platform, PAYLOAD))
    time = run.truth.motion.time
    while_carried = (time > TAKEN) & (time < DOWN - 1e-9)
    own, both = (strut_forces(m, run.truth.motion) for m in (made, with_load))
    for part, right, wrong in (
        (while_carried, both, own),
        (time < TAKEN, own, both),
        (time > DOWN, own, both),
    ):
        assert relative_rms((right - run.truth.force)[part], run.truth.force[part]) < 0.005
        assert relative_rms((wrong - run.truth.force)[part], run.truth.force[part]) > 0.02


def test_a_plant_with_the_load_from_the_start_is_the_same_plant():
    made = machine(untidy("uf", seed=3))
    first, second = Plant(made), Plant(replace(made, platform=load_platform(made.platform, PAYLOAD)))
    first.exchange_platform(load_platform(made.platform, PAYLOAD))
    for _ in range(100):
        for plant in (first, second):
            plant.advance(second.holding_force() + 5.0, 1e-3)
    np.testing.assert_allclose(first.state.acceleration, second.state.acceleration, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(first.length, second.length, atol=1e-12)
    first.reset()
    np.testing.assert_allclose(first.holding_force(), Plant(made).holding_force(), rtol=1e-12)


def test_parallel_axes_of_two_points():
    made = machine("uf").platform
    points = [replace(made, mass=m, center_of_mass=np.array(c), inertia=np.zeros((3, 3))) for m, c in
              ((2.0, [0.1, 0.0, 0.0]), (3.0, [0.0, 0.2, -0.1]))]  # fmt: skip
    body = load_platform(points[0], Payload(3.0, points[1].center_of_mass))
    center = (2.0 * points[0].center_of_mass + 3.0 * points[1].center_of_mass) / 5.0
    expected = sum(
        p.mass * (d @ d * np.eye(3) - np.outer(d, d)) for p in points for d in [p.center_of_mass - center]
    )
    assert body.mass == 5.0
    np.testing.assert_allclose(body.center_of_mass, center)
    np.testing.assert_allclose(body.inertia, expected, atol=1e-15)


@pytest.mark.parametrize("name", ["uf", "rss"])
def test_reset_begins_without_the_load_and_takes_it_up_again(name):
    made = every_machine.machine(name)
    simulator = Simulator(made, "rich", payload=Payload(2.0, taken_at=0.05))

    def run():
        return np.array([simulator.step().force for _ in range(100)])

    first = run()
    assert simulator.carried is simulator.payload
    simulator.reset()
    assert simulator.carried is None
    np.testing.assert_array_equal(run(), first)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"mass": 0.0}, "mass = 0 kg"),
        ({"mass": 1.0, "center_of_mass": [0.0, np.nan, 0.0]}, "center_of_mass"),
        ({"mass": 1.0, "inertia": np.diag([1.0, 1.0, 5.0])}, "inertia"),
        ({"mass": 1.0, "inertia": np.eye(2)}, "inertia"),
        ({"mass": 1.0, "taken_at": 3.0, "set_down_at": 2.0}, "set down at 2 s"),
        ({"mass": 1.0, "taken_at": -1.0}, "taken up at -1 s"),
    ],
)
def test_what_is_no_payload_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        Payload(**fields)


@pytest.mark.slow
def test_command_takes_a_payload_up(tmp_path):
    def lines(*more):
        out = tmp_path / f"{len(more)}.csv"
        arguments = ["simulate", "--machine", "uf", "--trajectory", "z", "--duration", "2", "--out"]
        assert main([*arguments, str(out), *more]) == 0
        return np.loadtxt(out, delimiter=",", skiprows=1)

    plain, carrying = lines(), lines("--payload", "0.2,8,0,0,0.05", "--set-down", "0.3")
    before = plain[:, 0] < 0.2
    np.testing.assert_array_equal(plain[before], carrying[before])
    assert np.abs(plain - carrying)[~before, 7:].max() > 0.1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--payload", "1"), "expected T,MASS or T,MASS,X,Y,Z"),
        (("--payload", "1,two"), "expected T,MASS"),
        (("--payload", "1,-2"), "mass = -2 kg"),
        (("--set-down", "2"), "without --payload"),
    ],
)
def test_command_refuses_what_is_no_payload(tmp_path, capsys, options, message):
    out = tmp_path / "log.csv"
    assert (
        main(
            [
                "simulate",
                "--machine",
                "uf",
                "--trajectory",
                "z",
                "--duration",
                "0.1",
                "--out",
                str(out),
                *options,
            ]
        )
        == 2
    )
    assert message in capsys.readouterr().err
    assert not out.exists()
