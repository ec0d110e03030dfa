# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Scenarios: what a file says happens, at its sample, and again the same with the same seed."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.cli import main
from pkm_identification.errors import DocumentError, SettingsError
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.records.log import read_log
from pkm_identification.simulation.faults import parse_fault
from pkm_identification.simulation.scenario import Scenario
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import Simulator, simulate
from pkm_identification.simulation.trajectories import trajectory

MACHINE = Machine.load("uf")


def scenario(tmp_path, *events: str) -> Scenario:
    path = tmp_path / "scenario.yaml"
    path.write_text("schema: 1\nevents:\n" + "".join(f"  - {event}\n" for event in events))
    return Scenario.read(path)


def run(**options):
    return simulate(MACHINE, "x", 1.6, sensors=SensorSettings.perfect(), **options)


@pytest.mark.slow
def test_events_act_from_their_sample_on_and_end_again(tmp_path):
    plain = run()
    played = run(
        scenario=scenario(
            tmp_path,
            "{at: 0.6, clear: all}",
            "{at: 0.2, fault: force_gain_4=1.1}",
            "{at: 0.8, payload: [2.0, 0.0, 0.0, 0.05]}",
            "{at: 0.4, fault: exchanged_lengths=1-2}",
        )
    )
    gain = played.force[:, 3] / plain.force[:, 3]
    # the drives control what they measure: the force that is shown may differ from then on, and the true one must
    truth = played.truth.force[:, 3] / plain.truth.force[:, 3]
    assert np.all(gain[:200] == 1.0)
    assert np.allclose(gain[201:400] / truth[201:400], 1.1, rtol=1e-9)
    np.testing.assert_array_equal(played.force[:200], plain.force[:200])
    swapped = np.abs(played.length[400:600, 0] - played.truth.length[400:600, 1]).max()
    assert swapped < 1e-5 < np.abs(played.length[600:, 0] - played.truth.length[600:, 1]).max()
    lift = np.abs(played.truth.force[850:].sum(axis=1)) - np.abs(plain.truth.force[850:].sum(axis=1))
    assert lift.mean() == pytest.approx(2.0 * 9.81, rel=0.3)


def test_reset_takes_everything_back_and_plays_it_again(tmp_path):
    events = scenario(
        tmp_path, "{at: 0.01, noise: 3.0}", "{at: 0.02, friction: 2.0}", "{at: 0.03, fault: force_gain=2}"
    )
    simulator = Simulator(MACHINE, trajectory("x", MACHINE), seed=5, scenario=events)
    first = [simulator.step().force for _ in range(60)]
    assert simulator.faults == ("force_gain",)
    simulator.reset()
    assert simulator.faults == ()
    np.testing.assert_array_equal([simulator.step().force for _ in range(60)], first)
    other = Simulator(MACHINE, trajectory("x", MACHINE), seed=6, scenario=events)
    assert not np.array_equal([other.step().force for _ in range(60)], first)


def test_a_fault_of_the_body_cannot_begin_and_one_that_is_not_there_cannot_end():
    simulator = Simulator(MACHINE, faults=[parse_fault("force_gain_2=1.2")])
    with pytest.raises(SettingsError, match=r"compliance.*from the start"):
        simulator.set_fault(parse_fault("compliance=1e-7"))
    with pytest.raises(SettingsError, match=r"force_gain_3.*they have force_gain_2"):
        simulator.clear_fault("force_gain_3")
    with pytest.raises(SettingsError, match="half time"):
        simulator.set_fault(parse_fault("lost_counts_1=0.001"))
    assert simulator.faults == ("force_gain_2",)
    simulator.clear_fault("force_gain_2")
    assert simulator.faults == ()


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ("{at: -1, noise: 0}", r"events\[1\].at = -1: must be 0 s or later"),
        ("{at: 1}", "one of payload, fault, clear"),
        ("{at: 1, noise: 0, friction: 1}", "not friction, noise"),
        ("{at: 1, noize: 0}", "one of payload"),
        ("{at: 1, payload: [-2, 0, 0, 0]}", "mass = -2 kg"),
        ("{at: 1, fault: force_gain_7=1}", "force_gain_7"),
        ("{at: 1, fault: no_spin}", "from the start"),
        ("{at: 1, friction: -1}", "between 0 and 100"),
        ("{at: 1, lengths: [1, 2]}", "lengths"),
        ("{at: 1, drives: 3}", "true or false"),
        ("{at: 1, noise: 0, more: 2}", "more"),
    ],
)
def test_a_scenario_that_cannot_be_is_refused_with_its_place(tmp_path, event, said):
    with pytest.raises(DocumentError, match=said):
        scenario(tmp_path, event)


@pytest.mark.slow
def test_the_command_plays_a_scenario_and_one_seed_gives_one_log(tmp_path, capsys):
    scenario(tmp_path, "{at: 0.5, fault: force_sign_3}", "{at: 0.7, noise: 0.5}")
    command = ["simulate", "--machine", "uf", "--trajectory", "x", "--duration", "1.6", "--seed", "4"]
    for name in ("a.csv", "b.csv"):
        assert (
            main([*command, "--scenario", str(tmp_path / "scenario.yaml"), "--out", str(tmp_path / name)])
            == 0
        )
    assert main([*command, "--out", str(tmp_path / "plain.csv")]) == 0
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    plain, played = (read_log(tmp_path / name, MACHINE).force[:, 2] for name in ("plain.csv", "a.csv"))
    np.testing.assert_array_equal(played[:500], plain[:500])
    np.testing.assert_array_equal(played[500:700], -plain[500:700])
    missing = ["--scenario", str(tmp_path / "none.yaml"), "--out", str(tmp_path / "c.csv")]
    assert main([*command, *missing]) == 2
    assert "none.yaml" in capsys.readouterr().err
    assert not (tmp_path / "c.csv").exists()
