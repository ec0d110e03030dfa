# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm identifiability: ranks and statuses of the source's motions, deviations beside what simulated logs leave."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from pkm_identification.cli import main
from pkm_identification.commands.identifiability_study import _read_deviations
from pkm_identification.errors import SettingsError
from pkm_identification.estimation.identifiability.homogenized import homogenize_regressor
from pkm_identification.identification.excitation.criteria import Criterion
from pkm_identification.identification.excitation.log import read_log_response
from pkm_identification.identification.excitation.subject import Subject
from pkm_identification.identification.identify import identify
from pkm_identification.identification.procedures.forecast import forecast, log_of_motion
from pkm_identification.identification.procedures.white_noise_forecast import (
    forecast_logs,
    forecast_motions,
)
from pkm_identification.identification.saved_estimate import SCHEMA
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.hexapod.dynamics.regressor import regressor
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.multibody import dynamics
from pkm_identification.motion import DriveLog
from pkm_identification.parameters.parameter import Kind
from pkm_identification.records.log import write_log
from pkm_identification.records.mechanism_csv import write_named_csv
from pkm_identification.simulation.multibody.motions import generate_motion
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.simulator import simulate
from pkm_identification.simulation.trajectories import trajectory

LEAST = Settings.of(estimator="ls", hold_out=0.0)
UNSEEN = {"Ixx_p", "Iyy_p", "Izz_p"}


def ask(*arguments):
    return main(["identifiability", "--machine", "uf", *arguments])


def directions(folder):
    """Columns of the table of singular directions, by name."""
    names, *rows = (line.split(",") for line in (folder / "directions.csv").read_text().splitlines())
    return {name: [float(row[k]) for row in rows] for k, name in enumerate(names)}


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
def test_combinations_that_the_sources_motions_show():
    """Of `uf`'s twenty parameters and of its eight inertial ones; three motions together show no more than two do."""
    machine = Machine.load("uf")
    parameters = LEAST.parameter_set(machine)
    inertial = [entry.kind not in (Kind.VISCOUS, Kind.COULOMB) for entry in parameters.entries]
    assert sum(inertial) == 8
    columns = {}
    for name in ("x", "z", "xy", "rich"):
        path = trajectory(name, machine)
        states = path.motion(np.arange(0.0, path.duration, 0.02))
        columns[name] = regressor(machine, states, parameters.mapping).reshape(-1, 20)
    columns["all"] = np.concatenate([columns[name] for name in ("x", "z", "xy")])
    kinds = [entry.kind for entry in parameters.entries]
    own = [kind for kind, chosen in zip(kinds, inertial, strict=True) if chosen]
    ranks = {
        name: (
            homogenize_regressor(rows, kinds).rank,
            homogenize_regressor(rows[:, inertial], own).rank,
        )
        for name, rows in columns.items()
    }
    assert ranks == {"x": (16, 4), "z": (17, 5), "xy": (17, 5), "all": (17, 5), "rich": (20, 8)}


@pytest.mark.slow
def test_the_forecast_is_what_is_stated_of_machines_that_differ_from_their_file():
    """Two simulated machines up to 15 % off; `python -m benchmarks.excite --forecasts 20` tries more."""
    before = of("rich", duration=8.0).estimate.std
    machine = Machine.load("uf")
    ratios = []
    for seed in (1, 2):
        log = simulate(perturb_machine(machine, seed, 0.15), "rich", 8.0, nominal=machine, seed=seed).log()
        ratios.append(before / forecast([log], machine, LEAST).estimate.std)
    assert np.min(ratios) > 0.6
    assert np.max(ratios) < 1.6
    assert 0.85 < np.median(ratios) < 1.2


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
    folder = tmp_path / "found"
    arguments = ("--trajectory", "z", "--duration", "8", "--noise", "2%", "--json", str(path))
    assert ask(*arguments, "--out", str(folder)) == 0
    out = capsys.readouterr().out
    assert "m_e + 0.167 m_p" in out
    assert ": Ixx_p, Iyy_p, Izz_p\n" in out
    assert ": Ia_b+Ia_e" in out
    assert ": identifiable is m_e + 0.167 m_p\n" in out
    assert "equations (to 10 Hz, one every 40 ms)" in out
    found = json.loads(path.read_text())
    assert set(found) == {
        "schema", "machine", "source", "noise", "parameters", "combinations", "weakest", "advice", "never",
        "homogenized",
    }  # fmt: skip
    by_name = {entry["name"]: entry for entry in found["parameters"]}
    assert (found["noise"]["band"], found["noise"]["step"]) == (10.0, 0.04)
    assert by_name["Ixx_p"]["status"] == "not in this motion"
    assert by_name["Ixx_p"]["std"] is None
    assert by_name["viscous_1"]["std"] > 0
    assert by_name["m_p"]["status"] == "combination"
    assert sum(entry["share"] for entry in found["parameters"]) == pytest.approx(1.0, abs=1e-10)
    assert json.loads((folder / "identifiability.json").read_text()) == found
    table = directions(folder)
    # all that no direction of the rank has: what the text says of this motion
    unseen = {name: sum(shares[17:]) for name, shares in table.items() if name in UNSEEN}
    assert sorted(unseen) == sorted(UNSEEN)
    assert min(unseen.values()) > 1 - 1e-6
    assert table["relative"][16] > 1e-6 > 1e-12 > table["relative"][17]
    assert {one.name for one in folder.glob("*.png")} == {"directions.png", "growth.png", "deviations.png"}
    # D's columns are unit vectors, as many as the kinds' ranks
    squares = sum(value**2 for value in table["singular_value"])
    assert squares == pytest.approx(sum(found["homogenized"]["ranks"]))
    steps, time = (
        np.loadtxt(folder / f"growth_with_{name}.csv", delimiter=",", skiprows=1)
        for name in ("amplitude", "time")
    )
    assert steps[-1] == pytest.approx([1.0, time[-1, 1]])
    assert steps[0, 1] < 0.1 * steps[-1, 1]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((), "either logs or --trajectory"),
        (("log.csv", "--trajectory", "z"), "and not both"),
        (("log.csv", "--noise", "1%"), "--noise: only with --trajectory"),
        (("--trajectory", "free"), "--trajectory free: not one of"),
        (("--trajectory", "z", "--noise", "much"), "--noise much"),
        (("--trajectory", "z", "--noise", "0%"), "--noise 0%"),
        (("--trajectory", "z", "--duration", "1"), "duration 1 s"),
        (("--trajectory", "rest"), "trajectory 'rest': determines nothing but gravity: 3 combinations"),
        (("--trajectory", "z", "--estimate", "e.json"), "--estimate e.json: needs --out"),
        (("--trajectory", "z", "--estimate", "no.json", "--out", "found"), "no.json: cannot be read"),
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
    folder = tmp_path / "found"
    assert main([*arguments, "--json", str(path), "--out", str(folder)]) == 0
    assert "25 of 25 combinations" in capsys.readouterr().out
    found = json.loads(path.read_text())
    # sums of bodies' parameters, and viscous and Coulomb friction of three drives
    assert len(found["parameters"]) == 19 + 6
    assert {entry["status"] for entry in found["parameters"]} == {"alone"}
    # 70 less 19 that stand for sums, and less those that are in the sums
    assert "mx_slider_1" in found["never"]
    table = directions(folder)
    assert list(table)[3:] == [entry["name"] for entry in found["parameters"]]
    assert 1e-8 < table["relative"][-1] < table["relative"][0] == 1.0
    time, steps = (
        np.loadtxt(folder / f"growth_with_{name}.csv", delimiter=",", skiprows=1)
        for name in ("time", "amplitude")
    )
    assert time[-1] == pytest.approx([60.0, steps[-1, 1]])
    assert steps[0, 1] < steps[-1, 1]
    assert (folder / "directions.png").stat().st_size > 10_000
    # nothing but the noise decides, as long as the data know more than the file
    assert main([*arguments, "--noise", "0.5%", "--json", str(path)]) == 0
    quiet = json.loads(path.read_text())
    ratio = [b["std"] / a["std"] for a, b in zip(found["parameters"], quiet["parameters"], strict=True)]
    assert ratio == pytest.approx([0.5] * 25, rel=0.03)
    assert len(quiet["advice"]) == 3


@pytest.fixture(scope="module")
def mast():
    machine = load_machine("mast")
    return Subject.of(machine, machine.build_parameter_set("base"), 10.0)


@pytest.fixture(scope="module")
def mast_log(mast, tmp_path_factory):
    """What the drives report of `rich`, exact positions and forces with a noise of two per cent of the first one's."""
    path = tmp_path_factory.mktemp("mast") / "log.csv"
    mechanism, time = mast.machine.mechanism, np.arange(10_000) * 1e-3
    motion = generate_motion("rich", mechanism, 10.0).motion(mechanism, time)
    force = dynamics.forces(mechanism, motion, friction=False)
    noise = 0.02 * np.sqrt(np.mean(force[:, 0] ** 2))
    force = force + noise * np.random.default_rng(4).standard_normal(force.shape)
    values = np.hstack([motion.drive, force])
    write_named_csv(
        path, dict(zip((*mechanism.drive_names, *mechanism.force_names), values.T, strict=True)), time
    )
    return path, noise


@pytest.mark.slow
def test_a_mechanisms_log_shows_what_its_motion_was_to_show(mast, mast_log):
    path, noise = mast_log
    log = read_log_response(path, mast)
    # a thousandth of the samples are lost at the ends, and 9700 know a deviation to 0.7 %
    assert log.noise == pytest.approx([noise] * 3, rel=0.03)
    after = forecast_logs(mast, [log]).estimate
    before = forecast_motions(
        mast, [generate_motion("rich", mast.machine.mechanism, 10.0)], noise, absolute=True
    ).estimate
    assert after.status == before.status
    np.testing.assert_allclose(after.std, before.std, rtol=0.1)
    # two such logs know all by the root of two better but for what is known without data
    twice = forecast_logs(mast, [log, log]).estimate
    assert np.median(after.std / twice.std) == pytest.approx(np.sqrt(2), rel=0.01)


@pytest.mark.slow
def test_after_a_mechanisms_log_its_motion_gains_a_root_of_two_at_most(mast, mast_log, tmp_path, capsys):
    """And `pkm excite --base` counts from there."""
    earlier = read_log_response(mast_log[0], mast).response.rows
    rich = mast.columns(mast.start)
    assert rich is not None
    fresh = Criterion("d", mast.scale, mast.kinds).deviations(rich)
    later = Criterion("d", mast.scale, mast.kinds, earlier=earlier).deviations(rich)
    # as much time of the same; the filter's ends are 3 % of the log
    assert np.median(fresh / later) == pytest.approx(np.sqrt(2), rel=0.05)
    written = tmp_path / "next.yaml"
    asked = ["--machine", "mast", "--out", str(written), "--duration", "10", "--budget", "0.5"]
    assert main(["excite", *asked, "--base", str(mast_log[0])]) == 0
    out = capsys.readouterr().out
    said = re.search(r"tried: (\S+) -> ([^\s']+)", written.read_text())
    assert said is not None
    start, found = map(float, said.groups())
    # the command reads the log with its own limits of rows
    assert start == pytest.approx(Criterion("d", mast.scale, mast.kinds, earlier=earlier)(rich), rel=2e-3)
    # how much better depends on how many motions this computer tries in the time; the first ones may be no better
    assert found <= start
    gains = [float(line.split()[1]) for line in out.splitlines()[2:21]]
    assert min(gains) > 0.9
    assert float(re.search(r"geometric mean (\S+),", out)[1]) >= 1.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda lines: [line.partition(",")[2] for line in lines], "no column t"),
        (lambda lines: lines[:1] + lines[1::50], "20 samples a second; at least 60 are needed"),
        (lambda lines: lines[:900], "899 samples are too few"),
    ],
)
def test_a_mechanisms_log_that_shows_nothing_is_one_line(mast_log, tmp_path, change, text, capsys):
    bad = tmp_path / "bad.csv"
    bad.write_text("\n".join(change(mast_log[0].read_text().splitlines())))
    assert main(["identifiability", "--machine", "mast", str(bad)]) == 2
    error = capsys.readouterr().err
    assert text in error
    assert error.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("machine", "seconds", "text"),
    [
        ("uf", 5.0, "log.csv: determines nothing but gravity: 3 combinations"),
        ("uf", 0.3, "log.csv: 0 equations cannot determine 20 parameters"),
        (
            "ford",
            5.0,
            "log.csv: machine 'ford' does not fit this log: 100 % of its samples have length_1 outside",
        ),
    ],
)
def test_a_log_that_shows_nothing_is_one_line_and_leaves_nothing(
    machine, seconds, text, tmp_path, monkeypatch, capsys
):
    """Of a uf that is held low, with what encoders and currents do at rest."""
    monkeypatch.chdir(tmp_path)
    rng, time = np.random.default_rng(0), np.arange(0.0, seconds, 1e-3)
    length = 0.36 + 1e-6 * rng.integers(0, 2, (len(time), 6))
    force = 40.0 + 0.3 * rng.normal(size=(len(time), 6))
    write_log("log.csv", DriveLog(time, length, force, "log.csv"))
    asked = (
        "log.csv",
        "--json",
        "found.json",
        "--out",
        "found",
        "--drop-below",
        "2",
        "--reduced",
        "set.yaml",
    )
    assert main(["identifiability", "--machine", machine, *asked]) == 2
    captured = capsys.readouterr()
    assert text in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["log.csv"]


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
        (["log.csv"], "log.csv: cannot be read"),
        (["log.csv", "--topic", "/a"], "log.csv: has no topics; --topic is for recordings"),
        (["--trajectory", "rest"], "determines nothing but gravity: 3 combinations"),
        (["--trajectory", "rich", "--estimate", "no.json", "--out", "found"], "no.json: cannot be read"),
    ],
)
def test_what_a_mechanism_cannot_be_asked_is_one_line(arguments, text, capsys):
    assert main(["identifiability", "--machine", "mast", *arguments]) == 2
    error = capsys.readouterr().err
    assert text in error
    assert error.count("\n") == 1


@pytest.mark.slow
@pytest.mark.usefixtures("unjudged")
def test_statuses_are_those_of_identify_on_five_logs():
    """A log alone, as recorded, of five motions: what one calls alone the other calls identifiable."""
    words = {"identifiable": "alone", "in_doubt": "alone", "combination": "combination"}
    machine = Machine.load("uf")
    for seed, motion in enumerate(("x", "z", "xy", "rich", "slow")):
        path = trajectory(motion, machine, 5.0)
        states = path.motion(np.arange(0.0, 5.0, 1e-3))
        log = log_of_motion(machine, states, 0.01, seed=seed)
        found = forecast([log], machine, LEAST)
        stated = identify([log], machine, LEAST).estimate.status
        assert found.status == tuple(words.get(one, "not in this motion") for one in stated), motion


@pytest.mark.parametrize("name", ["uf", "mast"])
def test_an_estimate_of_another_set_is_compared_where_names_are_shared(name, tmp_path):
    machine = load_machine(name)
    parameters = Settings.of(estimator="ls").parameter_set(machine)
    path = tmp_path / "estimate.json"

    def deviations(*names):
        entries = [{"name": one, "status": "identified", "std": 0.5} for one in names]
        path.write_text(json.dumps({"schema": SCHEMA, "machine_hash": machine.hash, "parameters": entries}))
        return _read_deviations(str(path), machine, parameters)

    assert _read_deviations(None, machine, parameters) is None
    assert deviations(parameters.names[0], "elsewhere")[parameters.names[0]] == 0.5
    with pytest.raises(SettingsError, match=f"estimate.json: .*{parameters.names[0]}"):
        deviations("elsewhere")
