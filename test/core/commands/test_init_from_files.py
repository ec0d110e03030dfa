# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm init --from: files of other programs become machines with the same forces."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
import yaml
from core.machines.every_machine import machine, smooth_drives
from scipy.spatial.transform import Rotation

from pkm_identification.cli import main
from pkm_identification.document import TextScalars
from pkm_identification.exporting.drafts.from_file import draft_from_file
from pkm_identification.exporting.formats import format_machine_text
from pkm_identification.machines.load import load_machine, read_machine

ENDING = {"mjcf": "xml", "sdf": "sdf", "urdf": "urdf"}
LOOPS = ("mast", "four-bar", "delta", "five_bar", "rss", "pus")
# Hinges with references and turned bodies, two hinges in a body, a slide, motors in another order
MJCF = """
<mujoco><compiler angle="degree"/><option gravity="0 1 -9"/>
<worldbody>
  <body name="tower" pos="0 .1 .3" euler="20 0 40">
    <joint name="pan" axis="0 0 1" ref="15" damping=".2" range="-90 100" limited="true"/>
    <inertial pos=".01 .02 .1" mass="3" fullinertia=".03 .025 .02 .002 -.001 .003"/>
    <body name="boom" pos=".2 0 .25" quat=".9 .1 .3 -.2">
      <joint name="lift" axis="0 1 0" pos="0 0 .02" armature=".03"/>
      <joint name="roll" axis="1 0 1" pos="0 .01 0" frictionloss=".4"/>
      <inertial pos=".15 0 .02" mass="1.2" diaginertia=".004 .02 .021"/>
      <body name="sledge" pos=".3 0 0"><joint name="reach" type="slide" axis="1 .2 0" ref=".05"/>
        <inertial pos="0 .03 0" mass=".7" diaginertia=".001 .002 .0025"/></body>
    </body>
  </body>
</worldbody>
<actuator><motor joint="lift"/><motor joint="pan"/><motor joint="reach"/><motor joint="roll"/></actuator></mujoco>
"""


def drafted(path, drives=()):
    text, notes = draft_from_file(path, "again", drives)
    return read_machine(yaml.load(text, Loader=TextScalars)), notes


def rigid_forces(one, drives):
    values = np.array(one.basis.nominal)
    values[one.friction_rows.ravel()] = 0.0
    return one.compute_regressor(one.compute_motion(*drives), values[:, None])[:, :, 0]


@pytest.mark.parametrize(
    ("name", "form"),
    [
        *(pytest.param(name, form, marks=pytest.mark.slow) for form in ("mjcf", "sdf") for name in LOOPS),
        *(("arm_7", form) for form in ENDING),
    ],
)
def test_what_is_exported_comes_back_with_the_same_forces(name, form, tmp_path):
    one = machine(name)
    path = tmp_path / f"made.{ENDING[form]}"
    path.write_text(format_machine_text(one, form), encoding="utf-8")
    driven = [next(iter(drive.measure.joints)) for drive in one.mechanism.description.drives]
    again, _ = drafted(path, driven)
    drives = smooth_drives(one)
    # joints of an SDF are zero at home
    theirs = (drives[0] - (one.home if form == "sdf" else 0.0), *drives[1:])
    force = rigid_forces(one, drives)
    np.testing.assert_allclose(rigid_forces(again, theirs), force, atol=1e-9 * np.abs(force).max())


def test_a_file_of_somebody_has_the_forces_that_mujoco_finds(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(MJCF, encoding="utf-8")
    one, notes = drafted(path)
    assert notes == []
    assert [drive.name for drive in one.drives] == ["lift", "pan", "reach", "roll"]
    np.testing.assert_allclose(one.home, [0.0, np.deg2rad(15), 0.05, 0.0], atol=1e-12)
    np.testing.assert_allclose([one.drives[1].lowest, one.drives[1].highest], np.deg2rad([-90, 100]))
    friction = one.mechanism.description.friction
    np.testing.assert_allclose([friction.viscous[1], friction.coulomb[3]], [0.2, 0.4])
    model = mujoco.MjModel.from_xml_string(MJCF)
    model.dof_damping[:], model.dof_frictionloss[:] = 0.0, 0.0
    data = mujoco.MjData(model)
    order = [model.joint(drive.name).id for drive in one.drives]
    coordinate, rate, acceleration = smooth_drives(one)
    ours = rigid_forces(one, (coordinate, rate, acceleration))
    for k in range(len(ours)):
        data.qpos[order], data.qvel[order], data.qacc[order] = coordinate[k], rate[k], acceleration[k]
        mujoco.mj_inverse(model, data)
        np.testing.assert_allclose(ours[k], data.qfrc_inverse[order], atol=1e-9 * np.abs(ours).max())


def test_a_file_with_lengths_in_mm_is_refused(tmp_path, capsys):
    """Inertias of bodies that long would have to be ten thousand times as large: they are not scaled to that."""
    link = '<body name="{0}" pos="{1} 0 0"><joint name="{0}" axis="0 1 0"/><inertial pos="{2} 0 0" mass="4" {3}/>'
    for unit, refused in ((1.0, False), (1000.0, True)):
        inner, outer = (
            link.format(name, at * unit, 0.2 * unit, 'diaginertia=".01 .06 .06"')
            for name, at in (("upper", 0.0), ("lower", 0.4))
        )
        text = f"<mujoco><worldbody>{inner}{outer}</body></body></worldbody></mujoco>"
        (tmp_path / "arm.xml").write_text(text, encoding="utf-8")
        made = tmp_path / f"made{refused}.yaml"
        code = main(["init", str(tmp_path / "arm.xml"), str(made), "--drives", "upper,lower"])
        assert (code, made.exists()) == ((2, False) if refused else (0, True))
        assert ("lengths in mm?" in capsys.readouterr().err) == refused


@pytest.mark.parametrize("drives", [(), ("--drives", "pan,tilt")])
def test_moments_that_no_body_has_become_the_nearest_that_one_can_have(drives, tmp_path):
    link = (
        '<link name="{0}"><inertial><mass value="2"/><origin xyz="0 0 .1"/><inertia ixx=".01" iyy=".01" izz="{1}" '
        'ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="{0}" type="revolute"><parent link="{2}"/>'
        '<child link="{0}"/><axis xyz="{3}"/><limit lower="-2" upper="2" effort="9" velocity="9"/></joint>'
    )
    bodies = link.format("pan", 0.015, "base", "0 0 1") + link.format("tilt", 0.032, "pan", "0 1 0")
    (tmp_path / "arm.urdf").write_text(
        f'<robot name="a"><link name="base"/>{bodies}</robot>', encoding="utf-8"
    )
    made = tmp_path / "made.yaml"
    assert main(["init", str(tmp_path / "arm.urdf"), str(made), *drives]) == 0
    inertia = np.array(load_machine(str(made)).document["bodies"]["tilt"]["inertia"][:3], dtype=float)
    np.testing.assert_allclose(inertia, [0.014, 0.014, 0.028], rtol=1e-6)
    first = np.array(load_machine(str(made)).document["bodies"]["pan"]["inertia"][:3], dtype=float)
    np.testing.assert_allclose(first, [0.01, 0.01, 0.015], rtol=1e-6)


@pytest.mark.slow
def test_init_from_a_file_simulates_and_identifies(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "given.xml").write_text(format_machine_text(machine("five_bar"), "mjcf"), encoding="utf-8")
    assert main(["init", "made.yaml", "--from", "given.xml"]) == 0
    said = capsys.readouterr().out
    assert "2 drives (left, right)" in said
    assert "GUESSED" in (tmp_path / "made.yaml").read_text(encoding="utf-8")
    log = ["--trajectory", "rich", "--duration", "12", "--seed", "2", "--out", "log.csv"]
    assert main(["simulate", "--machine", "made.yaml", *log]) == 0
    capsys.readouterr()
    assert main(["identify", "log.csv", "--machine", "made.yaml", "--estimator", "ls"]) == 0
    assert "The model fits" in capsys.readouterr().out
    assert load_machine("made.yaml").mechanism.loops >= 1


ROBOT = '<robot name="r"><link name="a"/><link name="b"/>{}</robot>'
XACRO = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="a"/><xacro:leg name="b"/></robot>'
JOINT = '<joint name="j" type="{}"><parent link="a"/><child link="b"/>{}</joint>'


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("x.urdf", "<robot", "is no XML"),
        ("x.urdf", '<!DOCTYPE r [<!ENTITY a "b">]><robot/>', "document type"),
        ("x.urdf", "<html/>", "begins with <html>"),
        ("x.urdf", XACRO, "xacro"),
        ("x.urdf", ROBOT.format(""), "joint's child; found a, b"),
        ("x.urdf", ROBOT.format(JOINT.format("floating", "")), "type 'floating' has no counterpart"),
        ("x.urdf", ROBOT.format(JOINT.format("revolute", '<axis xyz="0 0"/>')), "expected 3 numbers"),
        ("x.urdf", ROBOT.format(JOINT.format("revolute", '<axis xyz="0 0 0"/>')), "has no length"),
        (
            "x.urdf",
            ROBOT.format(JOINT.format("revolute", '<mimic joint="k"/>')),
            "j_follows: 'k'",
        ),
        ("x.urdf", ROBOT.format(JOINT.format("fixed", "")), "no joint can be driven"),
        ("x.sdf", "<sdf/>", "has 0 models"),
        ("x.sdf", "<sdf><model name='m'/></sdf>", "has no link"),
        ("x.sdf", "<sdf><model><joint name='j' type='ball'/></model></sdf>", "is no link"),
        ("x.xml", "<mujoco><worldbody><body><joint/></body></worldbody></mujoco>", "MuJoCo"),
        ("x.xml", MJCF.replace('<joint name="pan"', '<freejoint/><joint name="pan"'), "MuJoCo"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(name, text, says, tmp_path, capsys):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert main(["init", str(tmp_path / "made.yaml"), "--from", str(path)]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    assert not (tmp_path / "made.yaml").exists()


def test_drives_are_named(tmp_path, capsys):
    path, out = tmp_path / "arm.xml", tmp_path / "made.yaml"
    path.write_text(MJCF, encoding="utf-8")
    assert main(["init", str(out), "--from", str(path), "--drives", "pan,boom"]) == 2
    assert "joint 'boom' cannot be driven" in capsys.readouterr().err
    assert main(["init", str(out), "--from", str(path), "--drives", "pan"]) == 2
    assert "that no drive holds: lift" in capsys.readouterr().err
    assert main(["init", str(out), "--from", str(path), "--kind", "delta"]) == 2


INERTIAL = '<inertial><mass value="2"/>{}</inertial>'
MOMENTS = '<inertia ixx=".02" iyy=".03" izz=".04" ixy="0" ixz="0" iyz="0"/>'


NO_MOMENTS = '<inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/>'


@pytest.mark.parametrize(
    ("inertial", "how"),
    [
        (INERTIAL.format(NO_MOMENTS), "guessed"),
        ("", "guessed"),
        (INERTIAL.format(""), "guessed"),
        (INERTIAL.format(MOMENTS), "default"),
    ],
)
def test_bodies_of_which_the_file_does_not_say_all_are_guessed(inertial, how, tmp_path):
    link = '<link name="{}">{}</link>'
    robot = f'<robot name="r">{link.format("a", "")}{link.format("b", INERTIAL.format(MOMENTS))}{{}}</robot>'
    joints = JOINT.format("continuous", '<axis xyz="0 1 0"/>')
    joints += joints.replace('"j"', '"k"').replace('"b"', '"c"').replace('"a"', '"b"') + link.format(
        "c", inertial
    )
    (tmp_path / "x.urdf").write_text(robot.format(joints), encoding="utf-8")
    bodies = drafted(tmp_path / "x.urdf")[0].knowledge.bodies
    assert {body.name: body.mass.how for body in bodies} == {"b": "default", "c": how}


def test_right_angles_that_were_rounded_are_right_angles(tmp_path):
    """Else parameters of axes that are parallel but for 4e-6 rad are sums of each other."""
    link = '<link name="{}">' + INERTIAL.format(MOMENTS) + "</link>"
    text = "".join(link.format(name) for name in "abc")
    text += JOINT.format("continuous", '<axis xyz="0 0 1"/><origin rpy="1.5708 0 3.14"/>')
    text += (
        JOINT.format("continuous", '<axis xyz="0 0 1"/><origin xyz=".2 0 0" rpy="0 -1.571 1.6"/>')
        .replace('"a"', '"x"')
        .replace('"b"', '"c"')
        .replace('"x"', '"b"')
        .replace('"j"', '"k"')
    )
    path = tmp_path / "x.urdf"
    path.write_text(f'<robot name="r">{text}</robot>', encoding="utf-8")
    joints = yaml.load(draft_from_file(path, "again")[0], Loader=TextScalars)["joints"]
    axes = np.array([joint["axis"][0] for joint in joints.values()], dtype=float)
    assert axes[0] == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)
    turned = Rotation.from_euler("xyz", [0.0, -0.5 * np.pi, 1.6])
    assert axes[1] == pytest.approx(turned.as_matrix()[:, 2], abs=1e-12)
