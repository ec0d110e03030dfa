# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`pkm excite`: better than `rich`, within the limits between samples, played by the other commands."""

from __future__ import annotations

import re
import signal
import subprocess
import sys

import numpy as np
import pytest
import yaml

from pkm_identification.cli import main
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.records.motion_csv import read_motion_csv
from pkm_identification.simulation.trajectories import trajectory


def ask(*arguments):
    return main(["excite", "--machine", "uf", *arguments])


def criterion(path):
    """Of `rich` and of the motion in a file, as the file says."""
    said = re.search(r"tried: (\S+) -> ([^\s']+)", path.read_text())
    assert said is not None
    return tuple(map(float, said.groups()))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("motion") / "motion.yaml"
    poses = str(path.with_name("poses.csv"))
    assert ask("--out", str(path), "--poses", poses, "--duration", "10", "--budget", "4", "--seed", "3",
               "--angles", "rpy") == 0  # fmt: skip
    assert path.with_name("poses.csv").read_text().startswith("t,px,py,pz,roll,pitch,yaw,")
    return path


@pytest.mark.slow
def test_a_motion_is_better_keeps_the_limits_and_is_played(written, capsys):
    machine = Machine.load("uf")
    motion = trajectory(str(written), machine)
    assert motion.duration == 10.0
    rich, found = criterion(written)
    assert found < rich
    # twenty times finer than the search looked
    length, rate, _ = strut_motion_from_platform(machine, motion.motion(np.arange(0, 10, 0.00025)))
    low, high = machine.length_limits
    assert low < length.min()
    assert length.max() < high
    assert np.abs(rate).max() < machine.rate_limit
    arguments = ["identifiability", "--machine", "uf", "--trajectory", str(written)]
    assert main(arguments) == 0
    assert "20 of 20 combinations" in capsys.readouterr().out
    log = written.with_name("log.csv")
    assert main(["simulate", "--machine", "uf", "--trajectory", str(written), "--out", str(log)]) == 0
    # header and 10 s at 1 kHz
    assert len(log.read_text().splitlines()) > 9_900
    # and the best next motion after it
    capsys.readouterr()
    again = written.with_name("next.yaml")
    assert ask("--base", str(log), "--out", str(again), "--duration", "10", "--budget", "4") == 0
    out = capsys.readouterr().out
    # how much better depends on how many motions this computer tries in the time; the first one is better already
    gains = [float(line.split()[1]) for line in out.splitlines()[2:22]]
    assert min(gains) > 0.9
    assert float(re.search(r"geometric mean (\S+),", out)[1]) > 1.0
    # `rich` after the log shows more than the log alone
    rich_next, found_next = criterion(again)
    assert found_next < rich_next < found


@pytest.mark.slow
def test_poses_are_the_motion(written):
    machine = Machine.load("uf")
    poses = read_motion_csv(written.with_name("poses.csv"))
    motion = trajectory(str(written), machine).motion(poses.time)
    np.testing.assert_allclose(poses.position, motion.position, atol=1e-8)
    np.testing.assert_allclose(poses.acceleration, motion.acceleration, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"machine_hash": "0"}, "machine_hash = 0: is of another state"),
        ({"machine_hash": "0", "machine": "ford"}, "machine_hash = 0: is of machine 'ford', not of 'uf'"),
        ({"end": None}, "key 'end' is missing"),
        ({"frequency": [0.5]}, "sine must be 6 x 1 numbers"),
        ({"duration": 0}, "duration = 0: must be greater than zero"),
        ({"other": 1}, "unknown key 'other'"),
    ],
)
def test_files_that_cannot_be_played(written, tmp_path, change, text, capsys):
    document = {**yaml.safe_load(written.read_text()), **change}
    bad = tmp_path / "bad.yaml"
    bad.write_text(yaml.safe_dump({key: value for key, value in document.items() if value is not None}))
    assert main(["identifiability", "--machine", "uf", "--trajectory", str(bad)]) == 2
    assert text in capsys.readouterr().err


def test_a_motion_of_months_is_refused(capsys):
    assert main(["identifiability", "--machine", "uf", "--trajectory", "rich", "--duration", "1e7"]) == 2
    assert "--duration 1e+07: " in capsys.readouterr().err


@pytest.mark.slow
def test_a_motion_beyond_the_limits_is_refused(written, tmp_path, capsys):
    document = yaml.safe_load(written.read_text())
    document["sine"] = (3 * np.array(document["sine"])).tolist()
    bad = tmp_path / "bad.yaml"
    bad.write_text(yaml.safe_dump(document))
    out = str(tmp_path / "log.csv")
    assert main(["simulate", "--machine", "uf", "--trajectory", str(bad), "--out", out]) == 2
    assert "does not keep the limits" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--out", "m.yaml", "--budget", "0"), "--budget 0"),
        (("--out", "m.csv"), "must end in .yaml"),
        (
            ("--out", "m.yaml", "--criterion", "a", "--weights", "mass=2"),
            "--weights mass=2: no such parameter",
        ),
        (
            ("--out", "m.yaml", "--criterion", "a", "--weights", "m_p=much"),
            "--weights m_p=much: must be a number",
        ),
        (("--out", "m.yaml", "--weights", "m_p=2"), "criterion 'd' does not change with weights"),
        (("--out", "m.yaml", "--joint-angles", "30,40"), "--joint-angles 30,40: must be three angles"),
        (("--out", "m.yaml", "--joint-angles", ",,0"), "--joint-angles ,,0: must be three angles"),
        (("--out", "m.yaml", "--duration", "-1"), "--duration -1"),
        (("--out", "m.yaml", "--poses", "m.yaml"), "--poses m.yaml: must end in .csv or .csv.gz"),
        (("--out", "m.yaml", "--poses", "m.txt"), "--poses m.txt: must end in .csv or .csv.gz"),
    ],
)
def test_what_cannot_be_asked_is_one_line(arguments, text, capsys):
    assert ask(*arguments) == 2
    error = capsys.readouterr().err
    assert text in error
    assert error.count("\n") == 1


@pytest.mark.slow
def test_an_interrupted_search_writes_the_best_so_far(tmp_path):
    out = tmp_path / "motion.yaml"
    command = [sys.executable, "-m", "pkm_identification.cli", "excite", "--machine", "uf", "--out", str(out)]

    def obey():
        # what runs in the background of a script is started to ignore interrupts
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    with subprocess.Popen(
        [*command, "--duration", "8"], stderr=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=obey
    ) as run:
        # a line of progress behind the one that all is loaded: it is searching
        assert run.stderr is not None
        assert b"loaded in" in run.stderr.readline()
        assert b"motions tried" in run.stderr.readline()
        run.send_signal(signal.SIGINT)
        _, error = run.communicate(timeout=300)
    assert run.returncode == 0
    assert b"interrupted" in error
    assert trajectory(str(out), Machine.load("uf")).duration == 8.0


@pytest.mark.parametrize(
    "command", [("excite", "--out", "m.yaml"), ("identifiability", "--trajectory", "rich")]
)
def test_a_mechanism_has_no_sets_of_parameters(command, capsys):
    assert main([*command, "--machine", "mast", "--parameters", "oh12"]) == 2
    assert "parameters 'oh12': must be identifiable or base" in capsys.readouterr().err
