# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The friction of a strut from slow motion: values, deviations, what cannot be told, and the shape near standstill."""

import json
from dataclasses import replace

import numpy as np
import pytest

from pkm_identification.cli import main
from pkm_identification.errors import LogError
from pkm_identification.identification.procedures.friction_test import (
    FrictionSettings,
    measure_friction,
)
from pkm_identification.identification.procedures.friction_transition import fit_friction_transition
from pkm_identification.identification.procedures.strut_friction import (
    StrutSamples,
    friction_curve,
    strut_friction,
    untestable,
)
from pkm_identification.mechanisms.friction import Friction
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.records.log import write_log
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import simulate
from pkm_identification.simulation.trajectories import trajectory

VISCOUS, FORWARD, BACKWARD, NOISE = 120.0, 30.0, 22.0, 0.8
LEAST = 0.006
SCALE = (5000.0, 200.0)


def samples(noise=NOISE, offset=0.0, count=6000, stribeck=(0.0, 0.006), transition=0.002, seed=0):
    """A strut that swings up to 30 mm/s, with white noise on its force."""
    rate = 0.03 * np.sin(np.arange(count) * 0.01) * np.sin(np.arange(count) * 0.0007)
    bend = np.clip(rate / transition, -1, 1)
    friction = VISCOUS * rate + np.where(rate > 0, FORWARD, BACKWARD) * bend
    friction += stribeck[0] * bend * np.exp(-((rate / stribeck[1]) ** 2))
    force = friction + offset + noise * np.random.default_rng(seed).standard_normal(count)
    return StrutSamples(rate, force, np.ones((count, 1)), np.zeros(count, int), np.ones(count, bool))


def test_friction_in_both_directions():
    """Within four deviations, which are those of white noise (Cramer-Rao) within a fifth."""
    made = samples()
    found = strut_friction(made, LEAST, SCALE, np.array([1e-9]))
    moving = np.abs(made.rate) > LEAST
    forward = made.rate[moving] > 0
    columns = np.column_stack([made.rate[moving], forward, -1.0 * ~forward])
    bound = NOISE * np.sqrt(np.diag(np.linalg.inv(columns.T @ columns)))
    got = (found.viscous, found.forward, found.backward)
    for quantity, true, least in zip(got, (VISCOUS, FORWARD, BACKWARD), bound, strict=True):
        assert abs(quantity.value - true) < 4 * quantity.std
        assert 0.95 * least < quantity.std < 1.2 * least
    assert abs(found.asymmetry.value - 4.0) < 4 * found.asymmetry.std
    assert found.residual_rms == pytest.approx(NOISE, rel=0.05)


def test_load_and_asymmetry_are_not_told_apart():
    """An unknown constant load makes the asymmetry as uncertain as itself, and leaves the Coulomb force alone."""
    found = strut_friction(samples(offset=7.0), LEAST, SCALE, np.array([10.0]))
    assert found.asymmetry.std == pytest.approx(10.0, rel=0.05)
    assert abs(found.coulomb.value - 26.0) < 4 * found.coulomb.std < 0.5
    known = strut_friction(samples(), LEAST, SCALE, np.array([1e-9]))
    assert found.coulomb.std == pytest.approx(known.coulomb.std, rel=0.2)


def test_curve_follows_the_law():
    made = samples()
    curve = friction_curve(made, made.force)
    fast = np.abs(curve.rate) > 0.004
    law = VISCOUS * curve.rate + np.where(curve.rate > 0, FORWARD, -BACKWARD)
    # 15 intervals of some hundred samples: standard errors of about NOISE / sqrt(200)
    assert np.all(np.abs(curve.force - law)[fast] < 5 * curve.error[fast] + 0.05)
    assert np.all(curve.error[fast] < 0.2)
    assert np.all(curve.count >= 3)


def test_one_direction_only_is_not_tested():
    made = samples()
    assert untestable(made, LEAST) is None
    upward = replace(made, rate=np.maximum(made.rate, -0.001))
    assert "retracts" in untestable(upward, LEAST)
    assert "extends" in untestable(made, 0.05)


def test_transition_rate_is_found_and_no_stribeck_excess_invented():
    made = samples()
    bend = fit_friction_transition(made.rate, made.force, made.segment, 0.001)
    assert abs(bend.transition_rate.value - 0.002) < 4 * bend.transition_rate.std < 0.0004
    assert bend.static_ratio is None
    assert bend.stribeck_rate is None


def test_stribeck_excess_is_found():
    made = samples(stribeck=(12.0, 0.008))
    bend = fit_friction_transition(made.rate, made.force, made.segment, 0.002)
    assert abs(bend.transition_rate.value - 0.002) < 4 * bend.transition_rate.std
    assert abs(bend.stribeck_rate.value - 0.008) < 4 * bend.stribeck_rate.std
    assert abs(bend.static_ratio.value - (1 + 12.0 / 26.0)) < 4 * bend.static_ratio.std
    found = strut_friction(made, 0.004, SCALE, np.array([1e-9]), stribeck_rate=0.008)
    assert abs(found.viscous.value - VISCOUS) < 4 * found.viscous.std
    assert abs(found.excess.value - 12.0) < 4 * found.excess.std
    # left out, the excess would pull the viscous coefficient far down
    plain = strut_friction(made, 0.004, SCALE, np.array([1e-9]))
    assert plain.viscous.value < VISCOUS - 10 * plain.viscous.std


def test_no_bend_without_friction():
    made = samples()
    noise = np.random.default_rng(1).standard_normal(len(made.rate))
    bend = fit_friction_transition(made.rate, noise, made.segment, 0.002)
    assert bend.transition_rate is None
    assert bend.static_ratio is None


@pytest.fixture(scope="module")
def machine():
    return Machine.load("uf")


@pytest.fixture(scope="module")
def slow(machine):
    """12 s of slow motion of a machine 15 % away from its file, exact but for force noise of 1 N."""
    truth = perturb_machine(machine, 2, 0.15)
    time = np.arange(0.0, 12.0, 0.001)
    motion = trajectory("slow", machine, 14.0).motion(time)
    length = strut_motion_from_platform(machine, motion)[0]
    force = strut_forces(truth, motion) + np.random.default_rng(5).standard_normal((len(time), 6))
    return DriveLog(time, length, force), truth.friction


@pytest.mark.slow
def test_machine_whose_masses_are_wrong(machine, slow):
    log, friction = slow
    test = measure_friction([log], machine)
    assert list(test.struts) == [1, 2, 3, 4, 5, 6]
    assert not test.untested
    for number, strut in test.struts.items():
        viscous, coulomb = friction.viscous[number - 1], friction.coulomb[number - 1]
        assert abs(strut.viscous.value - viscous) < 4 * strut.viscous.std < 0.1 * viscous
        assert abs(strut.coulomb.value - coulomb) < 4 * strut.coulomb.std < 0.1 * coulomb
        # there is none, and the load is uncertain by several newtons
        assert abs(strut.asymmetry.value) < 3 * strut.asymmetry.std
        assert test.transitions[number].transition_rate.value == pytest.approx(0.002, rel=0.1)
        assert test.transitions[number].stribeck_rate is None


def test_struts_that_rest_are_not_tested(machine, slow):
    """A log in which strut 3 alone moves: five are not tested, and strut 3 is as before."""
    log, friction = slow
    time = log.time
    length = np.repeat(log.length[:1], len(time), axis=0)
    length[:, 2] += 0.010 * np.sin(2 * np.pi * 0.3 * time)
    rate = 0.010 * 2 * np.pi * 0.3 * np.cos(2 * np.pi * 0.3 * time)
    force = np.zeros((len(time), 6))
    force[:, 2] = friction.viscous[2] * rate + friction.coulomb[2] * np.clip(rate / 0.002, -1, 1) + 3.0
    force += np.random.default_rng(6).standard_normal(force.shape)
    test = measure_friction([DriveLog(time, length, force)], machine, FrictionSettings(tolerance=1.0))
    assert list(test.struts) == [3]
    assert sorted(test.untested) == [1, 2, 4, 5, 6]
    assert abs(test.struts[3].viscous.value - friction.viscous[2]) < 4 * test.struts[3].viscous.std


def test_log_at_rest(machine, slow):
    log, _ = slow
    still = replace(log, coordinate=np.repeat(log.length[:1], len(log), axis=0))
    with pytest.raises(LogError, match=r"strut 1 .* 6 mm/s in 0 passes"):
        measure_friction([still], machine)


def test_log_that_is_too_short(machine, slow):
    with pytest.raises(LogError, match="too short: no sample remains after filtering"):
        measure_friction([slow[0][:100]], machine)


@pytest.mark.slow
def test_simulated_machine_that_sticks_and_slips(machine):
    """Stribeck friction in the physics engine: the bend is told from real stick and slip."""
    friction = Friction.of(
        "stribeck",
        viscous=np.full(6, 100.0),
        coulomb=machine.friction.coulomb,
        transition_rate=machine.friction.transition_rate,
        static_ratio=1.4,
        stribeck_rate=0.006,
    )
    record = simulate(
        replace(machine, friction=friction), "slow", 9.0, nominal=machine, sensors=SensorSettings(0.005)
    )
    test = measure_friction([record.log()], machine)
    bend = test.transitions[1]
    # stick and slip smears the bend by some percent; without excess the ratio would be 1
    assert bend.static_ratio.value == pytest.approx(1.4, abs=0.1)
    assert bend.stribeck_rate.value == pytest.approx(0.006, rel=0.15)
    assert test.struts[1].coulomb.value == pytest.approx(friction.coulomb[0], rel=0.05)


@pytest.mark.slow
def test_command(slow, tmp_path, capsys):
    log, friction = slow
    write_log(tmp_path / "slow.csv", log)
    code = main(["friction", str(tmp_path / "slow.csv"), "--machine", "uf", "--out", str(tmp_path / "out")])
    shown = capsys.readouterr().out
    assert code == 0
    assert "viscous" in shown
    assert "No strut's friction differs" in shown
    document = json.loads((tmp_path / "out" / "friction.json").read_text())
    assert [strut["strut"] for strut in document["struts"]] == [1, 2, 3, 4, 5, 6]
    assert document["struts"][3]["coulomb"]["value"] == pytest.approx(friction.coulomb[3], rel=0.02)
    assert (tmp_path / "out" / "friction.png").stat().st_size > 5000


def test_command_says_what_is_wrong(slow, tmp_path, capsys):
    log, _ = slow
    write_log(tmp_path / "still.csv", replace(log, coordinate=np.repeat(log.length[:1], len(log), axis=0)))
    assert main(["friction", str(tmp_path / "still.csv"), "--machine", "uf"]) == 2
    assert "still.csv: no strut can be tested" in capsys.readouterr().err
    assert main(["friction", str(tmp_path / "still.csv"), "--machine", "uf", "--tolerance", "0"]) == 2
    assert "--tolerance 0: must be between 1e-06 and 10" in capsys.readouterr().err
