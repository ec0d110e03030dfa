"""pkm identifiability: ranks and statuses of the source's motions, deviations beside what simulated logs leave."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pkm_identification.cli import main
from pkm_identification.identification.identify import identify
from pkm_identification.identification.procedures.forecast import forecast, log_of_motion
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation import trajectory

LEAST = Settings.of(estimator="ls", hold_out=0.0)
UNSEEN = {"Ixx_p", "Iyy_p", "Izz_p"}


def ask(*arguments):
    return main(["identifiability", "--machine", "uf", *arguments])


def of(name, noise=0.01, seed=0, duration=None):
    machine = Machine.load("uf")
    path = trajectory(name, machine, duration)
    motion = path.motion(np.arange(0.0, path.duration, 1e-3))
    return forecast([log_of_motion(machine, motion, noise, seed=seed)], machine, LEAST, [motion])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rank", "also"), [("x", 16, {"Ia_b+Ia_e"}), ("xy", 17, set())])
def test_ranks_and_statuses_of_the_sources_motions(name, rank, also):
    found = of(name)
    assert found.regressor.rank == rank
    unseen = {n for n, s in zip(found.estimate.names, found.status, strict=True) if s == "not in this motion"}
    assert unseen >= UNSEEN | also
    # more noise is no other structure
    noisy = of(name, noise=0.05, seed=1)
    assert noisy.regressor.rank == rank
    np.testing.assert_array_equal(noisy.regressor.singular_values, found.regressor.singular_values)


@pytest.mark.slow
def test_the_deviation_is_what_repeated_experiments_scatter_by():
    """Twelve experiments that differ in their noise alone: estimates scatter as one of them forecasts."""
    machine = Machine.load("uf")
    path = trajectory("rich", machine, 15.0)
    motion = path.motion(np.arange(0.0, path.duration, 1e-3))
    logs = [log_of_motion(machine, motion, 0.003, seed=seed) for seed in range(12)]
    found = forecast(logs[:1], machine, LEAST, [motion])
    assert set(found.status) == {"alone"}
    values = [forecast([log], machine, LEAST, [motion]).estimate.values for log in logs]
    ratio = np.std(values, axis=0, ddof=1) / found.estimate.std
    # twelve draws know a deviation to a fifth
    assert 0.75 < np.median(ratio) < 1.3
    assert ratio.min() > 0.4
    assert ratio.max() < 1.9
    # and identify states the same statuses, with deviations that are larger by what is systematic
    stated = identify(logs[:1], machine, LEAST).estimate
    assert set(stated.status) == {"identifiable"}
    assert (stated.std >= 0.999 * found.estimate.std).all()


@pytest.mark.slow
def test_text_and_document(tmp_path, capsys):
    path = tmp_path / "found.json"
    assert ask("--trajectory", "z", "--duration", "8", "--noise", "2%", "--json", str(path)) == 0
    out = capsys.readouterr().out
    assert "m_e + 0.167 m_p" in out
    assert "another motion may show: Ixx_p, Iyy_p, Izz_p" in out
    found = json.loads(path.read_text())
    assert set(found) == {
        "schema", "machine", "source", "noise", "parameters", "combinations", "weakest", "advice", "never",
        "homogenized",
    }  # fmt: skip
    by_name = {entry["name"]: entry for entry in found["parameters"]}
    assert by_name["Ixx_p"]["status"] == "not in this motion"
    assert by_name["Ixx_p"]["std"] is None
    assert by_name["viscous_1"]["std"] > 0
    assert by_name["m_p"]["status"] == "combination"
    assert sum(entry["share"] for entry in found["parameters"]) == pytest.approx(1.0, abs=1e-10)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((), "either logs or --trajectory"),
        (("log.csv", "--trajectory", "z"), "and not both"),
        (("log.csv", "--noise", "1%"), "--noise: of a trajectory"),
        (("--trajectory", "free"), "--trajectory free: not one of"),
        (("--trajectory", "z", "--noise", "much"), "--noise much"),
        (("--trajectory", "z", "--noise", "0%"), "--noise 0%"),
        (("--trajectory", "z", "--duration", "1"), "duration 1 s"),
    ],
)
def test_what_cannot_be_asked_is_one_line(arguments, text, capsys):
    assert ask(*arguments) == 2
    error = capsys.readouterr().err
    assert text in error
    assert error.count("\n") == 1


@pytest.mark.slow
def test_base_parameters_of_a_mechanism(tmp_path, capsys):
    path = tmp_path / "found.json"
    arguments = ["identifiability", "--machine", "mast", "--trajectory", "rich"]
    assert main([*arguments, "--json", str(path)]) == 0
    assert "19 of 19 combinations" in capsys.readouterr().out
    found = json.loads(path.read_text())
    assert len(found["parameters"]) == 19
    assert {entry["status"] for entry in found["parameters"]} == {"alone"}
    # 70 less 19 that stand for sums, and less those that are in the sums
    assert "mx_slider_1" in found["never"]
    # nothing but the noise decides, as long as the data know more than the file
    assert main([*arguments, "--noise", "0.5%", "--json", str(path)]) == 0
    quiet = json.loads(path.read_text())
    ratio = [b["std"] / a["std"] for a, b in zip(found["parameters"], quiet["parameters"], strict=True)]
    assert ratio == pytest.approx([0.5] * 19, rel=0.03)
    assert len(quiet["advice"]) == 3


@pytest.mark.slow
def test_advice_names_the_turn_that_shows_what_a_lift_does_not(tmp_path):
    path = tmp_path / "found.json"
    assert ask("--trajectory", "z", "--duration", "8", "--json", str(path)) == 0
    advised = json.loads(path.read_text())["advice"]
    assert any(text.startswith("turning about") and "shows Izz_p" in text for text in advised)
    # every axis once
    assert len({text.split(",")[0] for text in advised}) == len(advised) == 3


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["log.csv"], "there is no log of one"),
        (["--trajectory", "rest"], "shows nothing but gravity: 3 combinations"),
    ],
)
def test_what_a_mechanism_cannot_be_asked_is_one_line(arguments, text, capsys):
    assert main(["identifiability", "--machine", "mast", *arguments]) == 2
    error = capsys.readouterr().err
    assert text in error
    assert error.count("\n") == 1


@pytest.mark.slow
def test_statuses_are_those_of_identify_on_ten_logs():
    """A log alone, as recorded, of five motions and two machines: what one calls alone the other calls identifiable."""
    words = {"identifiable": "alone", "in_doubt": "alone", "combination": "combination"}
    for name in ("uf", "hexel"):
        machine = Machine.load(name)
        for seed, motion in enumerate(("x", "z", "xy", "rich", "slow")):
            path = trajectory(motion, machine, 5.0)
            states = path.motion(np.arange(0.0, 5.0, 1e-3))
            log = log_of_motion(machine, states, 0.01, seed=seed)
            found = forecast([log], machine, LEAST)
            stated = identify([log], machine, LEAST).estimate.status
            assert found.status == tuple(words.get(one, "not in this motion") for one in stated), motion
