# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Force gains by a known load, on simulated machines whose gains are known."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import changed, machine

from pkm_identification.cli import main
from pkm_identification.errors import SettingsError
from pkm_identification.identification.procedures.force_gains import KnownLoad, calibrate_gains
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.records.log import read_log, write_log
from pkm_identification.simulation.payload import Payload
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import simulate

pytestmark = pytest.mark.slow

GAINS = np.array([1.1, 1.08, 0.97, 1.05, 1.1, 1.12])
LOAD = KnownLoad(10.0, np.array([0.02, -0.03, 0.05]))


@cache
def log(loaded: bool):
    """Twelve seconds of a machine that is not its file, whose drives read 3 to 12 % too much or too little."""
    file = Machine.load("uf")
    truth = perturb_machine(machine(changed("uf", drive__force_gain=GAINS.tolist())), 2, 0.1)
    payload = Payload(LOAD.mass, LOAD.center_of_mass) if loaded else None
    sensors = SensorSettings(current_noise=0.005)
    made = simulate(truth, "rich", 12.0, nominal=file, sensors=sensors, seed=4 + loaded, payload=payload)
    return made.log()


def test_gains_come_out_within_their_deviations():
    result = calibrate_gains([log(True)], [log(False)], LOAD, Machine.load("uf"))
    estimate = result.gains
    assert estimate.names == tuple(f"force_gain_{k}" for k in range(1, 7))
    assert set(estimate.status) == {"identifiable"}
    assert np.abs((estimate.values - GAINS) / estimate.std).max() < 4.0
    assert estimate.std.max() < 0.02
    # a common factor is what no single log can show
    assert np.abs(estimate.values.mean() - GAINS.mean()) < 0.01
    np.testing.assert_allclose(result.build_file_gains(load_machine("uf")), estimate.values, atol=1e-6)


def test_gains_of_three_sliders_come_out_within_their_deviations(tmp_path, capsys):
    name, load, one = "mast", "2", load_machine("mast")
    gains = np.linspace(0.9, 1.12, len(one.drives))
    paths = [tmp_path / "empty.csv", tmp_path / "full.csv"]
    for path, more in zip(paths, ([], ["--payload", f"0,{load},0.02,0,0.01"]), strict=True):
        common = ["--machine", name, "--duration", "12", "--noise", "1", "--seed", "3", "--out", str(path)]
        assert main(["simulate", "--trajectory", "rich", *common, *more]) == 0
        made = read_log(path, one)
        write_log(path, replace(made, force=gains * made.force), drives=one.drives)
    out = tmp_path / "gains.json"
    asked = ["identify", *map(str, paths), "--payload", f"{load},0.02,0,0.01", "--machine", name]
    assert main([*asked, "--json", str(out)]) == 0
    assert "no key" in capsys.readouterr().out
    std = np.array([entry["std"] for entry in json.loads(out.read_text())["gains"]])
    assert std.max() < 0.05
    # values known to more than a twentieth of their prior are not written
    empty, full = (read_log(path, one) for path in paths)
    estimate = calibrate_gains(
        [full], [empty], KnownLoad(float(load), np.array([0.02, 0.0, 0.01])), one
    ).gains
    np.testing.assert_allclose(estimate.std, std, rtol=1e-6)
    assert np.abs((estimate.values - gains) / std).max() < 4.0


def test_without_a_load_the_common_gain_is_not_there():
    light = KnownLoad(1e-6, np.zeros(3))
    estimate = calibrate_gains([log(False)], [log(False)], light, Machine.load("uf")).gains
    common = np.sqrt(np.ones(6) @ estimate.covariance @ np.ones(6)) / 6
    assert common > 0.05  # next to nothing is learned beyond the prior of 0.3
    with_load = calibrate_gains([log(True)], [log(False)], LOAD, Machine.load("uf")).gains
    assert np.sqrt(np.ones(6) @ with_load.covariance @ np.ones(6)) / 6 < 0.1 * common


def test_the_command_tells_the_gains_and_refuses_what_it_cannot_use(tmp_path, capsys):
    empty, full = tmp_path / "empty.csv.gz", tmp_path / "full.csv.gz"
    write_log(empty, log(False))
    write_log(full, log(True))
    load = "10,0.02,-0.03,0.05"
    out = tmp_path / "gains.json"
    asked = [
        "identify",
        str(full),
        "--unloaded",
        str(empty),
        "--payload",
        load,
        "--machine",
        "uf",
        "--json",
        str(out),
    ]
    assert main(asked) == 0
    assert "drive.force_gain: [1.0" in capsys.readouterr().out
    found = np.array([entry["value"] for entry in json.loads(out.read_text())["gains"]])
    assert np.abs(found - GAINS).max() < 0.02
    assert main(["identify", str(empty), str(full), "--payload", load, "--machine", "uf", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["gains"][0]["value"] == pytest.approx(found[0], rel=1e-12)
    for wrong in (
        ["identify", str(empty), "--payload", load, "--machine", "uf"],
        ["identify", str(empty), str(full), "--payload", "10,0", "--machine", "uf"],
        ["identify", str(empty), str(full), "--payload", load, "--machine", "uf", "--causal"],
        ["identify", str(full), "--unloaded", str(empty), "--machine", "uf"],
    ):
        assert main(wrong) == 2
        stdout, stderr = capsys.readouterr()
        assert stdout == ""
        assert len(stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("text", ["", "10", "10,0,0", "0,0,0,0", "-1,0,0,0", "nan,0,0,0", "1,2,3,x"])
def test_a_load_is_a_mass_and_a_place(text):
    with pytest.raises(SettingsError, match=r"MASS,X,Y,Z"):
        KnownLoad.parse(text)
