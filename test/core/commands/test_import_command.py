# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm import: a log of another program as ours, its layout kept, and nothing written where something is wrong."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from core import synthetic

from pkm_identification.cli import main
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.records.log import read_log, write_log

COLUMNS = "t=ms,length=leg 1..leg 6,force=N1..N6"


@pytest.fixture
def foreign(tmp_path):
    """A log in ms, mm and N with decimal commas; lengths of the machine `uf`."""
    path = tmp_path / "legs.txt"
    names = ["ms", *(f"leg {i}" for i in range(1, 7)), *(f"N{i}" for i in range(1, 7))]
    rows = [[str(row), *["400,5"] * 6, *[f"{10 * i},25" for i in range(6)]] for row in range(30)]
    path.write_text("\n".join(";".join(cells) for cells in (names, *rows)))
    return path


def test_import_writes_our_log_and_shows_its_ranges(foreign, tmp_path, capsys):
    out = tmp_path / "log.csv"
    assert (
        main(["import", str(foreign), str(out), "--columns", COLUMNS, "--units", "ms,mm", "--machine", "uf"])
        == 0
    )
    log = read_log(out)
    np.testing.assert_allclose(log.time, np.arange(30) * 1e-3)
    np.testing.assert_allclose(log.length, 0.4005)
    np.testing.assert_allclose(log.force, np.tile(10 * np.arange(6) + 0.25, (30, 1)))
    text = capsys.readouterr().out
    assert "30 samples, 1000 Hz, 0.029 s" in text
    assert "0.4005..0.4005" in text


def test_a_kept_layout_is_used_by_other_commands_and_for_other_logs(foreign, tmp_path, capsys):
    out = tmp_path / "log.csv"
    assert main(["import", str(foreign), str(out), "--columns", COLUMNS, "--units", "ms,mm", "--keep"]) == 0
    kept = tmp_path / "legs.txt.columns.yaml"
    again = tmp_path / "again.csv"
    assert main(["import", str(foreign), str(again)]) == 0
    assert again.read_bytes() == out.read_bytes()
    other = tmp_path / "other.txt"
    other.write_bytes(foreign.read_bytes())
    assert main(["import", str(other), str(again), "--columns", str(kept)]) == 0
    assert again.read_bytes() == out.read_bytes()
    # what is kept a second time is the whole, not the one option that was said anew
    assert main(["import", str(foreign), str(again), "--units", "mm,ms", "--keep"]) == 0
    assert main(["import", str(foreign), str(again)]) == 0
    assert again.read_bytes() == out.read_bytes()
    # too short to identify anything, but read: by the file beside it and by options
    for options in ([], ["--columns", COLUMNS, "--units", "ms,mm"]):
        assert main(["check", str(foreign), "--machine", "uf", *options]) == 1
        assert "30" in capsys.readouterr().out


@pytest.mark.slow
def test_a_controllers_own_log_of_inches_and_milliamperes(tmp_path, capsys):
    """Lengths and currents under the controller's names; every command reads it, as one of the same forces in N."""
    machine, rng = Machine.load("uf"), np.random.default_rng(2)
    length, current = rng.uniform(14.0, 20.0, (40, 6)).round(4), rng.normal(0.0, 900.0, (40, 6)).round(1)
    path, out = tmp_path / "controller.txt", tmp_path / "log.csv"
    names = ["Time", *(f"Leg {i}" for i in range(1, 7)), *(f"Motor {i} (mA)" for i in range(1, 7))]
    rows = np.column_stack([np.arange(40.0), length, current])
    path.write_text("\n".join(["\t".join(names), *("\t".join(map(str, row)) for row in rows.tolist())]))
    columns = "t=Time,length=Leg 1..Leg 6,cur=Motor 1 (mA)..Motor 6 (mA)"
    given = ["import", str(path), str(out), "--columns", columns]
    assert main([*given, "--units", "ms,in,mA", "--machine", "uf", "--keep"]) == 0
    log = read_log(out)
    np.testing.assert_allclose(log.length, 0.0254 * length, rtol=1e-12)
    np.testing.assert_allclose(log.force, 1e-3 * current * machine.drive.force_per_ampere, rtol=1e-12)
    np.testing.assert_array_equal(read_log(path, machine).force, log.force)
    capsys.readouterr()
    assert main([*given, "--units", "ms,in,mA"]) == 2
    assert re.search("currents .*'drive'", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "perhaps --columns"),
        (["--columns", COLUMNS], "samples are 1 s apart"),
        (["--columns", COLUMNS, "--units", "ms", "--machine", "uf"], "in mm? give --units mm"),
        (["--columns", "t=ms,length=leg 1..leg 7"], "expected six columns"),
        (["--keep"], "nothing is said"),
        (["--columns", "none.yaml"], "cannot be read"),
    ],
)
def test_what_is_wrong_is_one_line_and_nothing_is_written(foreign, tmp_path, capsys, options, message):
    out = tmp_path / "log.csv"
    assert main(["import", str(foreign), str(out), *options]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["legs.txt"]


def test_import_refuses_to_write_over_the_log_or_to_another_kind(foreign, tmp_path, capsys):
    assert main(["import", str(foreign), str(tmp_path / "log.bag")]) == 2
    own = foreign.rename(tmp_path / "own.csv")
    before = own.read_bytes()
    assert main(["import", str(own), str(own), "--columns", COLUMNS]) == 2
    assert own.read_bytes() == before
    assert "is the log itself" in capsys.readouterr().err


def test_times_that_run_backwards_are_refused_before_anything_is_written(foreign, tmp_path, capsys):
    head, *rows = foreign.read_text().splitlines()
    foreign.write_text("\n".join([head, *reversed(rows)]))
    out = tmp_path / "log.csv"
    assert main(["import", str(foreign), str(out), "--columns", COLUMNS, "--units", "ms,mm"]) == 2
    assert "order of time" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("command", ["check", "identify"])
def test_six_copies_of_one_strut_are_refused_by_all(command, foreign, tmp_path, capsys):
    head, *rows = foreign.read_text().splitlines()
    cells = [row.split(";") for row in rows]
    moved = [";".join([one[0], *[f"400,{k:03d}"] * 6, *one[7:]]) for k, one in enumerate(cells)]
    foreign.write_text("\n".join([head, *moved]))
    assert main([command, str(foreign), "--machine", "uf", "--columns", COLUMNS, "--units", "ms,mm"]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert "6 struts are the same" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda log: replace(log, coordinate=log.length - 0.3), "machine 'uf' does not fit"),
        (lambda log: replace(log, coordinate=np.repeat(log.length[:, :1], 6, axis=1)), "copies of one"),
        (lambda log: replace(log, time=np.mod(log.time + 0.25, 1.0)), "nanoseconds of stamps without"),
        (lambda log: log[np.random.default_rng(0).permutation(len(log))], "order of time"),
    ],
)
def test_what_import_promises_to_check_it_checks(tmp_path, capsys, change, message):
    log = synthetic.log(synthetic.truth(), 2.0, 1, real=True)
    path, out = tmp_path / "log.csv", tmp_path / "out.csv"
    write_log(path, log)
    assert main(["import", str(path), str(out), "--machine", "uf"]) == 0
    out.unlink()
    write_log(path, change(log))
    assert main(["import", str(path), str(out), "--machine", "uf"]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize("rows", [0, 7])
def test_rows_of_zeros_between_others_are_told(tmp_path, capsys, rows):
    log = synthetic.log(synthetic.truth(), 2.0, 1, real=True)
    coordinate = np.array(log.length)
    coordinate[50 : 50 + 20 * rows : 20] = 0.0
    write_log(tmp_path / "log.csv", replace(log, coordinate=coordinate))
    assert main(["import", str(tmp_path / "log.csv"), str(tmp_path / "out.csv")]) == 0
    assert (f"{rows} of {len(log)} samples have 0" in capsys.readouterr().out) == (rows > 0)
