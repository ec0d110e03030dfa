# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Reach of any machine along lines of its drives, against inverse kinematics and a hexapod's closed form."""

from __future__ import annotations

import numpy as np
import pytest
import yaml
from core.machines.every_machine import AS_MULTIBODY, ON_PAGE, machine

from benchmarks.field import parallel_machines as documents
from pkm_identification.cli import main
from pkm_identification.errors import SettingsError
from pkm_identification.machines.contract import OK
from pkm_identification.machines.load import load_machine
from pkm_identification.machines.reach import LIMIT, UNREACHABLE, follow_lines
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.numerics.rotation import matrix_from_vector
from pkm_identification.records.orientations import read_rotations
from pkm_identification.records.table import read_table


@pytest.mark.parametrize("name", ["mast", ON_PAGE])
def test_outputs_of_every_point_ask_for_its_drives_within_their_limits(name):
    one = machine(name)
    reach = follow_lines(one, 6)
    still = np.zeros_like(reach.value)
    back = one.compute_motion_of_outputs(reach.value, still, still)
    good = back.status == OK
    assert np.count_nonzero(good) > 0.8 * len(good)
    np.testing.assert_allclose(back.coordinate[good], reach.coordinate[good], atol=1e-8)
    for drive, column in zip(one.drives, reach.coordinate.T, strict=True):
        assert drive.lowest - 1e-12 <= column.min() < column.max() <= drive.highest + 1e-12
    ended = np.array([reach.coordinate[reach.line == k][-1] for k in range(len(reach.ends))])
    low, high = (np.array([getattr(drive, end) for drive in one.drives]) for end in ("lowest", "highest"))
    at_limit = np.any(np.isclose(ended, low) | np.isclose(ended, high), axis=1)
    np.testing.assert_array_equal(at_limit, [end == LIMIT for end in reach.ends])
    assert np.all((reach.dexterity > 0.0) & (reach.dexterity <= 1.0))


@pytest.mark.slow
def test_a_pose_is_a_hexapods():
    one, hexapod = machine(AS_MULTIBODY), load_machine("uf").description
    reach = follow_lines(one, 4)
    rotation = matrix_from_vector(reach.value[:, 3:]) @ hexapod.home_rotation
    np.testing.assert_allclose(
        strut_lengths(hexapod, reach.value[:, :3], rotation), reach.coordinate, atol=1e-9
    )


@pytest.mark.slow
def test_a_line_ends_where_the_machine_has_no_motion():
    """Cranks that turn all around take a platform on rods of finite length out of their reach."""
    reach = follow_lines(machine("rss"), 4)
    assert UNREACHABLE in reach.ends


def test_a_machine_without_pose_and_outputs_is_refused(capsys, tmp_path):
    with pytest.raises(SettingsError, match="platform with a pose"):
        follow_lines(machine("serial_arm"), 4)
    assert main(["workspace", "--machine", "four-bar", "--out", str(tmp_path)]) == 2
    assert "names neither" in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--plane", "xy"], ["--rotation", "0", "0", "5"], ["--payload", "2"]])
def test_options_of_slices_are_a_hexapods(option, capsys, tmp_path):
    assert main(["workspace", "--machine", "mast", "--out", str(tmp_path), *option]) == 2
    assert option[0] in capsys.readouterr().err


@pytest.mark.slow
def test_the_command_writes_the_angles_that_are_asked(tmp_path):
    form = "zxz"
    file = tmp_path / "rss.yaml"
    file.write_text(yaml.safe_dump(documents.rss()))
    assert (
        main(
            ["workspace", "--machine", str(file), "--points", "10", "--angles", form, "--out", str(tmp_path)]
        )
        == 0
    )
    table = read_table(tmp_path / "workspace.csv", lambda names: names)
    one = load_machine(str(file))
    drives = table.select([drive.name for drive in one.drives])
    _, rotation = one.compute_pose(one.compute_motion(drives, 0.0 * drives, 0.0 * drives))
    np.testing.assert_allclose(read_rotations(table), rotation, atol=1e-6)
    assert main(["workspace", "--machine", "mast", "--angles", form, "--out", str(tmp_path)]) == 2


@pytest.mark.slow
def test_the_command_writes_table_and_picture(capsys, tmp_path):
    assert main(["workspace", "--machine", "mast", "--points", "10", "--out", str(tmp_path)]) == 0
    assert "of 10 lines" in capsys.readouterr().out
    header = (tmp_path / "workspace.csv").read_text().splitlines()[0]
    assert header == "line,length_1,length_2,length_3,z,psi,theta,dexterity"
    assert (tmp_path / "workspace.png").stat().st_size > 1000
