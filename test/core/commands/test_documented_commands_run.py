# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Commands in the blocks of README and docs/ are run in the order of their page, with short motions and small files.

The tutorial's and the walk's are typed in full by test_tutorial.py. What needs nodes or other computers is named below
with the test that has it.
"""

from __future__ import annotations

import glob
import re
import shutil
from collections.abc import Callable
from fnmatch import fnmatch
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from core.records.made_log import write_joint_bag
from documented_commands import ROOT, documented

from pkm_identification.cli import main
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.records.log import read_log, write_log

MACHINES, MECHANISMS = ROOT / "config" / "machines", ROOT / "config" / "mechanisms"
SHARED, SHORT = "6", "3"  # s
# Put behind a command where it costs more than its words need
SHORTER = {
    "excite": ("--duration", "8", "--budget", "1"),
    "history": ("--workers", "0"),
    "identify": ("--estimator", "ls"),
    "response": ("--from", "5", "--to", "10", "--points", "2"),
    "simulate": ("--duration", SHORT),
    "simulate --machine uf --trajectory rich --fault": ("--duration", "10"),
    "simulate --machine uf --trajectory motion.yaml": (),
    "step": ("--duration", "0.05"),
}
ELSEWHERE = {
    "control-design *": "test/core/simulation/actuated/test_control_design.py",  # as long as all else together
    "base-parameters --machine suspension --route precise*": "test/core/commands/test_base_parameters_command.py",
    "watch": "test/ros/test_watch_process.py",
    "record --out trial": "test/ros/test_record_play.py",
    "history s3:*": "test/core/identification/many_logs/test_history.py",
    "init my.yaml": "test/core/commands/test_init_command.py",  # which asks
    "init robot.urdf *": "test/core/exporting/test_taken_over.py",
    "init robot.yaml --from *": "test/core/commands/test_init_from_files.py",
    "init robot.yaml * --mass-properties *": "test/core/exporting/test_mass_properties.py",
}
WITH_VERDICT = {"diagnose", "--cures"}  # what needs one
FILES = re.compile(r"^--(out|json|latex|reduced)$")


@pytest.fixture(scope="module")
def shared(tmp_path_factory) -> Path:
    """A short log of `uf` and what is made of it: its estimate, and the log as a bag."""
    folder = tmp_path_factory.mktemp("shared")
    log = str(folder / "log.csv.gz")
    options = ["--machine", "uf", "--noise", "0.5", "--seed", "1"]
    assert main(["simulate", *options, "--trajectory", "rich", "--duration", SHARED, "--out", log]) == 0
    assert (
        main(["identify", log, "--machine", "uf", "--estimator", "ls", "--json", str(folder / "e.json")]) < 2
    )
    read = read_log(log, Machine.load("uf"))
    write_log(folder / "bag", read)
    write_log(folder / "log.csv", read)
    return folder


def machine_and_log(shared: Path) -> None:
    for name in ("m.yaml", "my.yaml", "mine.yaml"):
        shutil.copy(MACHINES / "uf.yaml", name)
    shutil.copy(shared / "log.csv.gz", "log.csv.gz")


def own_log(shared: Path) -> None:
    machine_and_log(shared)
    shutil.copy(shared / "log.csv", "log.csv")


def readme(shared: Path) -> None:
    own_log(shared)
    for path in (ROOT / "examples" / "data").iterdir():
        shutil.copy(path, path.name)


def estimates(shared: Path) -> None:
    for name in ("estimate.json", "january.json", "march.json", "new.json"):
        shutil.copy(shared / "e.json", name)
    for day in (1, 2):
        folder = Path("logs") / f"2026-01-0{day}"
        folder.mkdir(parents=True)
        shutil.copy(shared / "log.csv", folder / "run1.csv")


def loads(shared: Path) -> None:
    machine_and_log(shared)
    for name in ("empty.csv.gz", "loaded.csv.gz"):
        shutil.copy(shared / "log.csv.gz", name)
    for name in ("empty.bag", "loaded_a.bag", "loaded_b.bag"):
        shutil.copytree(shared / "bag", name)


def trial(shared: Path) -> None:
    machine_and_log(shared)
    shutil.copytree(shared / "bag", "trial")


def motion_of_one_axis(shared: Path) -> None:
    machine_and_log(shared)
    shutil.copy(shared / "log.csv.gz", "x.csv.gz")


def foreign(shared: Path) -> None:
    machine_and_log(shared)
    log = read_log("log.csv.gz", Machine.load("uf"))
    names = ["Time [ms]", *(f"L{k}" for k in range(1, 7)), *(f"F{k}" for k in range(1, 7))]
    table = np.column_stack([1e3 * log.time, 1e3 * log.length, 1e-3 * log.force])
    np.savetxt("legs.csv", table, delimiter=",", header=",".join(names), comments="")


def joints(shared: Path) -> None:
    machine = Machine.load("uf")
    np.savetxt("joints.csv", np.column_stack([machine.base_joints, machine.platform_joints]), delimiter=",")


def tables(shared: Path) -> None:
    shutil.copy(MECHANISMS / "mast.yaml", "table.yaml")
    Path("poses.csv").write_text("z,psi,theta\n0.2,0,0\n0.21,0.01,-0.01\n")
    of_motion = [f"{name}{kind}" for kind in ("", "_rate", "_acceleration") for name in ("z", "psi", "theta")]
    Path("motion.csv").write_text(f"{','.join(of_motion)}\n0.2,0,0,0.1,0,0,1,0,0\n")
    log = ["--machine", "table.yaml", "--trajectory", "rich2", "--duration", SHORT, "--out", "other.csv"]
    assert main(["simulate", *log]) == 0
    delta_of_the_page()


def delta_of_the_page() -> None:
    """Write the delta robot of the page, and a log of it as other programs keep it: a table and a recording."""
    text = (ROOT / "docs" / "mechanisms.md").read_text(encoding="utf-8")
    Path("delta.yaml").write_text(re.search(r"```yaml\n(.*?)```", text, re.DOTALL)[1])
    log = ["--machine", "delta.yaml", "--trajectory", "rich", "--duration", SHARED, "--out", "own.csv"]
    assert main(["simulate", *log]) == 0
    own = np.loadtxt("own.csv", delimiter=",", skiprows=1)
    time, angle, torque = own[:, 0], np.degrees(own[:, 1:4]), own[:, 4:]
    names = ["Zeit", *(f"q{k}" for k in (1, 2, 3)), *(f"M{k}" for k in (1, 2, 3))]
    table = np.column_stack([1e3 * time, angle, 1e3 * torque])
    np.savetxt("log.txt", table, fmt="%.17g", delimiter=";", header=";".join(names), comments="")
    write_joint_bag(Path("bag"), ["/joint_states"], ["axis_a", "axis_b", "axis_c"], time, angle, torque)


def scenario(shared: Path) -> None:
    text = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
    Path("my.yaml").write_text(re.search(r"```yaml\n(.*?)```", text, re.DOTALL)[1])


GIVEN: dict[str, Callable[[Path], None]] = {
    "README.md": readme,
    "docs/base_parameters.md": lambda shared: None,
    "docs/diagnosis.md": machine_and_log,
    "docs/driver_contract.md": trial,
    "docs/dynamics.md": machine_and_log,
    "docs/exciting_motions.md": motion_of_one_axis,
    "docs/export.md": estimates,
    "docs/faults_and_cures.md": loads,
    "docs/history.md": estimates,
    "docs/identifiability.md": motion_of_one_axis,
    "docs/logs.md": foreign,
    "docs/machine_file.md": joints,
    "docs/mechanisms.md": tables,
    "docs/mechatronics.md": lambda shared: None,
    "docs/preparing_your_data.md": own_log,
    "docs/scenarios.md": scenario,
}
TYPED_IN_FULL = {"docs/tutorial.md", "docs/walk.md"}
BLOCKS = [one for one in documented() if one.program == "pkm" and one.in_block and not one.open]


def test_no_page_is_left_out():
    runnable = {one.page for one in BLOCKS if not elsewhere(one.words)}
    assert runnable == GIVEN.keys() | TYPED_IN_FULL
    for path in ELSEWHERE.values():
        assert (ROOT / path).is_file()


def elsewhere(words: tuple[str, ...]) -> bool:
    return any(fnmatch(" ".join(words[1:]), command) for command in ELSEWHERE)


def shorter(words: list[str]) -> tuple[str, ...]:
    """What the longest entry of SHORTER that begins a command adds to it."""
    text = " ".join(words)
    found = [entry for entry in SHORTER if text.startswith(entry)]
    return SHORTER[max(found, key=len)] if found else ()


@pytest.mark.slow
@pytest.mark.parametrize("page", GIVEN)
def test_commands_of_a_page_run_one_after_the_other(page, shared, tmp_path, monkeypatch, capsys, request):
    if not WITH_VERDICT & {word for one in BLOCKS if one.page == page for word in one.words}:
        # the verdict on a fit of three seconds tries no word of a page; that of typed commands is in test_tutorial.py
        request.getfixturevalue("unjudged")
    if page == "docs/history.md":
        for library in ("distributed", "fsspec", "pyarrow"):  # of the extra `fleet`
            pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    GIVEN[page](shared)
    for one in BLOCKS:
        if one.page != page or elsewhere(one.words):
            continue
        # as a shell does it, where it is not quoted on the page
        listed = [sorted(glob.glob(word)) if word == "*.json" else [word] for word in one.words[1:]]
        words = [part for parts in listed for part in parts]
        try:
            code = main([*words, *shorter(words)])
        except SystemExit as end:  # of what prints a list
            code = end.code
        # 1: an answer that is not to be trusted, as short logs give
        assert code in (0, 1), f"{one}\n{capsys.readouterr().err}"
        for option, name in pairwise(words):
            if FILES.match(option):
                assert Path(name).exists(), f"{one} wrote no {name}"
