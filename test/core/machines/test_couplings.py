# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Joints that gears, belts or cables couple: URDF's mimic, MJCF's and SDF's, and `couplings` of a machine file."""

from __future__ import annotations

import ctypes

import numpy as np
import pinocchio
import pytest
from core.exporting.compiled_c import COMPILER, compiled, pointer

from pkm_identification.cli import main
from pkm_identification.errors import MachineError, SettingsError
from pkm_identification.exporting.c_code import c_name
from pkm_identification.exporting.drafts.from_file import draft_from_file
from pkm_identification.exporting.formats import format_machine_text
from pkm_identification.machines.load import read_machine_text

LINKS = 6
STATES = 20


def draw_urdf(seed: int) -> tuple[str, dict[str, tuple[str, float, float]]]:
    """URDF of a drawn chain with branches, some of whose joints follow others; who follows whom, and how."""
    rng = np.random.default_rng(seed)
    parts, follows = ['<link name="base"/>'], {}
    for k in range(LINKS):
        place = f'xyz="{" ".join(map(str, rng.normal(0, 0.2, 3)))}" rpy="{" ".join(map(str, rng.normal(size=3)))}"'
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        size = rng.uniform(0.05, 0.2, 3)
        moments = (turn * (size[[1, 2, 0]] ** 2 + size[[2, 0, 1]] ** 2)) @ turn.T
        inertia = " ".join(
            f'{name}="{moments[i, j]}"'
            for name, i, j in (
                ("ixx", 0, 0), ("iyy", 1, 1), ("izz", 2, 2), ("ixy", 0, 1), ("ixz", 0, 2), ("iyz", 1, 2)
            )
        )  # fmt: skip
        mimic = ""
        if k in (2, 3, 5):
            leader = f"j{rng.choice([one for one in range(k) if f'j{one}' not in follows])}"
            ratio, offset = rng.choice([-1.0, 1.0, 0.5, -1.7]), rng.choice([0.0, 0.2])
            follows[f"j{k}"] = (leader, ratio, offset)
            mimic = f'<mimic joint="{leader}" multiplier="{ratio}" offset="{offset}"/>'
        parts.append(
            f'<link name="l{k}"><inertial><origin xyz="{" ".join(map(str, rng.normal(0, 0.05, 3)))}"/>'
            f'<mass value="1"/><inertia {inertia}/></inertial></link>'
            f'<joint name="j{k}" type="{"prismatic" if k in (1, 3) else "revolute"}">'
            f'<parent link="{"base" if k == 0 else f"l{max(0, k - rng.integers(1, 3))}"}"/><child link="l{k}"/>'
            f"<origin {place}/>"
            f'<axis xyz="{" ".join(map(str, rng.normal(size=3)))}"/>'
            f'<limit lower="-3" upper="3" effort="1" velocity="1"/>{mimic}</joint>'
        )
    # left over where a hand was made rigid
    parts.append('<link name="tip"/><joint name="tip" type="fixed"><parent link="l0"/><child link="tip"/>')
    parts.append('<mimic joint="j0"/></joint>')
    return f'<robot name="drawn">{"".join(parts)}</robot>', follows


def take_over(path, text, drives=()):
    path.write_text(text, encoding="utf-8")
    return read_machine_text(draft_from_file(path, "drawn", drives)[0])


def list_drives(machine):
    return [drive.name for drive in machine.drives]


def compute_forces(machine, motion):
    return machine.compute_forces(machine.compute_motion(*motion), np.array(machine.basis.nominal))


def draw_motion(count: int, seed: int):
    rng = np.random.default_rng(seed)
    return tuple(scale * rng.normal(size=(STATES, count)) for scale in (0.3, 1.0, 3.0))


@pytest.mark.parametrize("seed", range(6))
def test_forces_are_those_of_the_tree_projected_on_what_is_free(seed, tmp_path):
    text, follows = draw_urdf(seed)
    machine = take_over(tmp_path / "drawn.urdf", text)
    assert {f"q_{name}" for name in follows}.isdisjoint(list_drives(machine))
    motion = draw_motion(len(list_drives(machine)), seed)
    model = pinocchio.buildModelFromXML(text)
    data, place = model.createData(), {name: k for k, name in enumerate(list(model.names)[1:])}
    free = np.zeros((model.nv, len(list_drives(machine))))
    for i, name in enumerate(list_drives(machine)):
        free[place[name.removeprefix("q_")], i] = 1.0
    at_zero = np.zeros(model.nv)
    for joint, (leader, ratio, offset) in follows.items():
        free[place[joint]] = ratio * free[place[leader]]
        at_zero[place[joint]] = offset
    expected = [
        free.T @ pinocchio.rnea(model, data, at_zero + free @ q, free @ v, free @ a)
        for q, v, a in zip(*motion, strict=True)
    ]
    forces = compute_forces(machine, motion)
    assert np.abs(forces - expected).max() < 1e-9 * np.abs(forces).max()


@pytest.mark.parametrize("form", ["urdf", "sdf", "mjcf", "yaml"])
def test_an_exported_model_comes_back_with_its_couplings(form, tmp_path):
    machine = take_over(tmp_path / "drawn.urdf", draw_urdf(3)[0])
    text = format_machine_text(machine, form)
    driven = [name.removeprefix("q_") for name in list_drives(machine)]
    again = (
        read_machine_text(text)
        if form == "yaml"
        else take_over(tmp_path / f"again.{'xml' if form == 'mjcf' else form}", text, driven)
    )
    assert len(again.mechanism.description.couplings) == 3
    motion = draw_motion(len(driven), 3)
    forces = compute_forces(machine, motion)
    assert np.abs(compute_forces(again, motion) - forces).max() < 1e-8 * np.abs(forces).max()


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")
def test_the_compiled_source_gives_our_forces(tmp_path):
    machine = take_over(tmp_path / "drawn.urdf", draw_urdf(3)[0])
    library = compiled(format_machine_text(machine, "c"), tmp_path)
    prefix, count = c_name(machine.name), len(list_drives(machine))
    motion = draw_motion(count, 3)
    expected = compute_forces(machine, motion)
    state = np.array(machine.mechanism.home)
    force = np.zeros(count)
    run = getattr(library, f"{prefix}_forces")
    run.restype = ctypes.c_int
    for row, wanted in zip(zip(*motion, strict=True), expected, strict=True):
        given = [np.ascontiguousarray(part) for part in row]
        assert run(*(pointer(part) for part in given), pointer(state), pointer(force)) == 0
        np.testing.assert_allclose(force, wanted, rtol=1e-8, atol=1e-8)


RACK = """
schema: 1
kind: mechanism
name: rack
bodies:
  crank: {mass: 2, center_of_mass: [0.15, 0.01, 0.02], inertia: [0.001, 0.02, 0.02, 0, 0, 0]}
  bar: {mass: 1.5, center_of_mass: [0.25, 0.02, 0], inertia: [0.001, 0.03, 0.03, 0, 0, 0]}
  weight: {mass: 1.2, center_of_mass: [0.01, 0.02, 0.03], inertia: [0.003, 0.003, 0.003, 0, 0, 0]}
joints:
  turn: {type: revolute, bodies: [ground, crank], axis: [0, 1, 0]}
  elbow: {type: revolute, bodies: [crank, bar], place: [[0.3, 0, 0], [0, 0, 0]], axis: [0, 1, 0]}
  slide: {type: prismatic, bodies: [crank, weight], axis: [1, 0, 0]}
couplings:
  parallel: {sum: {elbow: 1, turn: 1}}
  pinion: {sum: {slide: 1, turn: -0.05, elbow: 0.02}, offset: -0.1}
drives:
  q: {joint: turn, limits: [-1, 1]}
home: {drives: {q: 0.2}}
"""


@pytest.mark.slow
def test_what_is_coupled_is_identified(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rack.yaml").write_text(RACK, encoding="utf-8")
    simulate = [
        "simulate",
        "--machine",
        "rack.yaml",
        "--trajectory",
        "rich",
        "--duration",
        "12",
        "--seed",
        "4",
    ]
    assert main([*simulate, "--out", "log.csv"]) == 0
    assert main(["identify", "log.csv", "--machine", "rack.yaml"]) == 0
    printed = capsys.readouterr().out
    assert "The model fits" in printed
    assert main(["mechanism", "--machine", "rack.yaml"]) == 0
    assert "Coupling pinion: 0 = slide - 0.05 turn + 0.02 elbow - 0.1" in capsys.readouterr().out


def test_formats_without_such_couplings_say_so():
    machine = read_machine_text(RACK)
    for form in ("urdf", "sdf"):
        with pytest.raises(SettingsError, match=r"coupling 'pinion' .* 3; export to mjcf"):
            format_machine_text(machine, form)
    format_machine_text(machine, "mjcf")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("elbow: 1,", "elbou: 1,", "joint 'elbou'"),
        ("{sum: {elbow: 1, turn: 1}}", "{joint: elbow}", "couplings.parallel"),
        ("{q: 0.2}", "{q: 0.2}, guess: {slide: [1, 2]}", "guess.slide"),
        ("elbow: 1, turn: 1", "turn: 1", "coupling 'parallel' .* 0.2 rad"),
        ("elbow: 1, turn: 1", "elbow: 0, turn: 0", "2 degrees of freedom"),
    ],
)
def test_a_coupling_that_cannot_be_is_refused(old, new, says):
    with pytest.raises(MachineError, match=says):
        read_machine_text(RACK.replace(old, new))
