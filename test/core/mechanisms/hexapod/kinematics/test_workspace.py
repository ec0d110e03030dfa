# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Workspace slices: what is inside, how large, and the pictures and tables of the command."""

from __future__ import annotations

import io

import numpy as np
import pytest
from core.mechanisms.hexapod.kinematics.test_forward_kinematics import near_singular, singular_angle
from core.mechanisms.hexapod.machine_variants import BUILTIN, document
from core.platform_motions import lengths
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from scipy.spatial.transform import Rotation

from pkm_identification.cli import main
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian
from pkm_identification.mechanisms.hexapod.kinematics.workspace import workspace_slice
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.report.figures.reach import draw_workspace_figure
from pkm_identification.report.figures.style import png

pytestmark = pytest.mark.slow

MACHINES = pytest.mark.parametrize("name", BUILTIN)


@settings(max_examples=8)
@given(st.sampled_from(BUILTIN), st.sampled_from(["xy", "xz", "yz"]), st.integers(0, 1000))
def test_inside_and_dexterity_are_those_of_the_poses(name, plane, seed):
    m = Machine.load(name)
    turn = Rotation.from_rotvec(np.random.default_rng(seed).uniform(-0.2, 0.2, 3)).as_matrix()
    piece = workspace_slice(m, plane, turn @ m.home_rotation, points=15)
    position = piece.positions().reshape(-1, 3)
    rotation = np.broadcast_to(turn @ m.home_rotation, (len(position), 3, 3))
    length = lengths(m, position, rotation)
    low, high = m.length_limits
    np.testing.assert_array_equal(piece.inside.ravel(), np.all((length >= low) & (length <= high), axis=1))
    scaled = jacobian(m, position, rotation) @ np.diag([1, 1, 1, *[1 / m.length_scale] * 3])
    np.testing.assert_allclose(piece.dexterity.ravel(), 1 / np.linalg.cond(scaled), atol=1e-12)
    for n in np.flatnonzero(~piece.inside.ravel()):
        strut = piece.limiting.ravel()[n]
        excess = np.maximum(length[n] - high, low - length[n])
        assert abs(strut) == 1 + np.argmax(excess)
        assert (length[n, abs(strut) - 1] > high) == (strut > 0)
    assert np.all(piece.limiting[piece.inside] == 0)


@MACHINES
def test_slice_frames_the_part_around_home(name):
    m = Machine.load(name)
    piece = workspace_slice(m, "xy", points=81)
    assert piece.inside.any()
    for edge in (piece.inside[0], piece.inside[-1], piece.inside[:, 0], piece.inside[:, -1]):
        assert not edge.any()
    # it fills most of the frame
    assert np.ptp(np.flatnonzero(piece.inside.any(axis=0))) > 0.75 * 81
    assert not piece.singular


def test_area_is_that_of_another_count():
    """A Monte Carlo estimate: 200 000 points, so 1 % is more than four standard deviations."""
    m = Machine.load("uf")
    piece = workspace_slice(m, "xy", points=181)
    rng = np.random.default_rng(1)
    position = np.column_stack([rng.uniform(-0.3, 0.3, (200_000, 2)), np.full(200_000, -0.35)])
    length = lengths(m, position, np.broadcast_to(np.eye(3), (200_000, 3, 3)))
    inside = np.all((length >= m.length_limits[0]) & (length <= m.length_limits[1]), axis=1)
    assert piece.area == pytest.approx(0.36 * inside.mean(), rel=0.02)


def test_singularity_across_a_slice_is_seen_and_drawn():
    """Near its singular turn the machine of similar hexagons is singular in a curve through the slice."""
    m, _, _ = near_singular(0.0)
    tilt = Rotation.from_rotvec([0.0, 0.2, singular_angle()]).as_matrix()
    piece = workspace_slice(m, "xz", tilt, points=61)
    assert piece.singular
    figure = draw_workspace_figure(m, piece)
    assert "singular" in [text.get_text() for text in figure.axes[0].get_legend().get_texts()]


@pytest.mark.parametrize("plane", ["xy", "xz", "yz"])
def test_figure_has_labels_units_and_a_reasonable_size(plane):
    m = Machine.load("uf")
    figure = draw_workspace_figure(m, workspace_slice(m, plane, points=41))
    panel = figure.axes[0]
    assert panel.get_xlabel() == f"{plane[0]} (m)"
    assert panel.get_ylabel() == f"{plane[1]} (m)"
    assert "length scale 0.280 m" in figure.axes[1].get_ylabel()
    data = png(figure)
    assert len(data) < 200_000
    with Image.open(io.BytesIO(data)) as image:
        assert 300 < image.height < 1000
        assert len(image.convert("RGB").getcolors(maxcolors=2**24)) > 50


def test_nothing_within_the_limits_is_said_not_drawn():
    m = Machine.load("uf")
    upside_down = Rotation.from_rotvec([0, 0, 2.5]).as_matrix()
    piece = workspace_slice(m, "xy", upside_down, points=21)
    assert not piece.inside.any()
    assert piece.area == 0.0
    assert not piece.singular
    texts = [text.get_text() for text in draw_workspace_figure(m, piece).axes[0].texts]
    assert len(texts) == 1
    assert "no pose" in texts[0]


def test_command_writes_pictures_and_tables(tmp_path, capsys):
    arguments = ["workspace", "--machine", "uf", "--points", "31", "--out", str(tmp_path / "maps")]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert [line[:3] for line in lines[::2]] == ["xy:", "xz:", "yz:"]
    assert all(line.strip().startswith("effective mass of struts 1 to 6: ") for line in lines[1::2])
    names = sorted(path.name for path in (tmp_path / "maps").iterdir())
    assert names == [f"workspace_{plane}.{kind}" for plane in ("xy", "xz", "yz") for kind in ("csv", "png")]
    table = np.genfromtxt(tmp_path / "maps" / "workspace_xz.csv", delimiter=",", names=True)
    assert table.dtype.names == ("px", "py", "pz", "inside", "limiting_strut", "dexterity", "sign")
    assert len(table) == 31 * 31
    np.testing.assert_array_equal(table["py"], 0.0)
    position = np.column_stack([table[name] for name in ("px", "py", "pz")])
    length = lengths(Machine.load("uf"), position, np.broadcast_to(np.eye(3), (len(table), 3, 3)))
    np.testing.assert_array_equal(table["inside"], np.all((length >= 0.3) & (length <= 0.55), axis=1))


def test_command_says_when_there_is_nothing(tmp_path, capsys):
    code = main(["workspace", "--machine", "uf", "--plane", "xy", "--rotation", "0", "0", "150",
                 "--points", "21", "--out", str(tmp_path)])  # fmt: skip
    assert code == 1
    assert "no pose" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "mentions"),
    [
        (["--points", "3"], "--points 3"),
        (["--rotation", "nan", "0", "0"], "--rotation"),
        (["--rotation", "400", "0", "0"], "360"),
        (["--through", "inf", "0", "0"], "--through"),
    ],
)
def test_command_refuses_bad_input_in_one_line(tmp_path, capsys, more, mentions):
    assert main(["workspace", "--machine", "uf", "--out", str(tmp_path), *more]) == 2
    err = capsys.readouterr().err
    assert mentions in err
    assert len(err.strip().splitlines()) == 1


def test_command_refuses_a_folder_that_is_a_file(tmp_path, capsys):
    (tmp_path / "taken").write_text("x")
    assert main(["workspace", "--machine", "uf", "--out", str(tmp_path / "taken")]) == 2
    assert "cannot be made" in capsys.readouterr().err


def test_bad_input_is_refused():
    m = Machine.load("uf")
    for arguments, message in (
        ({"plane": "zx"}, "must be one of xy, xz, yz"),
        ({"points": 1}, "at least 2"),
        ({"rotation": np.eye(2)}, r"\(3, 3\)"),
        ({"center": np.array([0.0, np.nan, 0.0])}, "finite"),
        ({"length_scale": -1.0}, "length_scale"),
    ):
        with pytest.raises(ValueError, match=message):
            workspace_slice(m, **arguments)


def test_machine_limits_decide():
    made = document("uf")
    made["geometry"]["length_limits"] = [0.36, 0.47]
    small, whole = (workspace_slice(x, points=61) for x in (Machine.from_document(made), Machine.load("uf")))
    assert 0 < small.area < 0.3 * whole.area
