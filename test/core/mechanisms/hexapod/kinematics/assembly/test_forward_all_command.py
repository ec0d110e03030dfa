# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm forward --all: one row for each assembly mode, and one clear line for each mistake."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from core.platform_motions import lengths, poses

from pkm_identification.cli import main
from pkm_identification.mechanisms.hexapod.kinematics.assembly.modes import assembly_modes
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.rotation import matrix_from_quaternion
from pkm_identification.records.mechanism_csv import write_named_csv

COLUMNS = ["row", "mode", "px", "py", "pz", "qx", "qy", "qz", "qw", "residual", "condition", "certified"]


def forward_all(tmp_path, length) -> tuple[int, list[dict[str, str]]]:
    write_named_csv(
        tmp_path / "in.csv", {f"length_{i + 1}": column for i, column in enumerate(np.asarray(length).T)}
    )
    code = main(["forward", "--all", "--machine", "uf", "--in", str(tmp_path / "in.csv"),
                 "--out", str(tmp_path / "out.csv")])  # fmt: skip
    with open(tmp_path / "out.csv", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
        assert reader.fieldnames == COLUMNS
    return code, rows


@pytest.mark.slow
def test_table_holds_every_mode(tmp_path, capsys):
    m = Machine.load("uf")
    length = lengths(m, *poses(m, 3, 1))
    code, rows = forward_all(tmp_path, length)
    assert code == 0
    found = [assembly_modes(m, values) for values in length]
    assert [int(r["row"]) for r in rows] == [
        n + 1 for n, modes in enumerate(found) for _ in range(len(modes))
    ]
    assert [int(r["mode"]) for r in rows] == [k + 1 for modes in found for k in range(len(modes))]
    position = np.array([[float(r[c]) for c in ("px", "py", "pz")] for r in rows])
    rotation = matrix_from_quaternion([[float(r[c]) for c in ("qx", "qy", "qz", "qw")] for r in rows])
    np.testing.assert_array_equal(position, np.concatenate([modes.position for modes in found]))
    row = np.array([int(r["row"]) - 1 for r in rows])
    np.testing.assert_allclose(lengths(m, position, rotation), length[row], atol=1e-12)
    assert all(r["certified"] == "1" and float(r["residual"]) < 1e-12 for r in rows)
    assert f"{len(rows)} modes" in capsys.readouterr().err


def test_lengths_without_a_pose_have_no_row_and_say_so(tmp_path, capsys):
    m = Machine.load("uf")
    length = lengths(m, *poses(m, 2, 2))
    length[0] = 0.02
    code, rows = forward_all(tmp_path, length)
    assert code == 1
    assert {r["row"] for r in rows} == {"2"}
    assert "1 without a pose" in capsys.readouterr().err


def test_no_pose_at_all_is_a_table_without_rows(tmp_path):
    code, rows = forward_all(tmp_path, np.full((1, 6), 0.02))
    assert code == 1
    assert rows == []


@pytest.mark.parametrize("value", ["-0.4", "0", "nan", "x"])
def test_lengths_without_meaning_are_refused_in_one_line(tmp_path, capsys, value):
    names = ",".join(f"length_{i}" for i in range(1, 7))
    (tmp_path / "in.csv").write_text(f"{names}\n{value},.4,.4,.4,.4,.4\n")
    out = tmp_path / "out.csv"
    arguments = ["forward", "--all", "--machine", "uf", "--in", str(tmp_path / "in.csv"), "--out", str(out)]
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert len(err.strip().splitlines()) == 1
    assert "in.csv" in err
    assert not out.exists()
