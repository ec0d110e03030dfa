# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm init: parallel machines as others describe them, against MuJoCo's inverse dynamics with the loops."""

from __future__ import annotations

import re

import mujoco
import numpy as np
import pytest
from core.machines.every_machine import machine, smooth_drives, smooth_motion

from pkm_identification.cli import main
from pkm_identification.errors import DocumentError
from pkm_identification.exporting.drafts.from_file import draft_from_file
from pkm_identification.exporting.formats import format_machine_text
from pkm_identification.machines.capabilities import BodiesFile, HexapodFile, has
from pkm_identification.machines.load import load_machine, read_machine_text

SIX = range(6)


def taken_over(path, text, drives=(), closures=()):
    path.write_text(text, encoding="utf-8")
    made, notes = draft_from_file(path, "again", drives, closures)
    return read_machine_text(made), " ".join(notes)


def rigid_forces(one, drives):
    values = np.array(one.basis.nominal)
    values[one.friction_rows.ravel()] = 0.0
    return one.compute_forces(one.compute_motion(*drives), values)


def rotary_hexapod(hung: bool) -> str:
    """MJCF of a 6-RSS: balls at both ends of the rods; the platform hangs on the last one, or is free."""
    angle = np.deg2rad([60 * k + (18 if k % 2 else -18) for k in SIX])
    out = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    over = np.deg2rad([60 * k + (-22 if k % 2 else 22) for k in SIX])
    elbow = 0.15 * out
    top = 0.06 * np.stack([np.cos(over), np.sin(over), 0 * over], axis=1) + [0.004, -0.003, 0.18]
    axis = np.stack([-np.sin(angle), np.cos(angle), 0.1 * np.cos(3 * angle)], axis=1)
    plate = """<inertial pos=".003 -.002 .004" mass=".3" fullinertia="2e-4 3e-4 4e-4 1e-5 -2e-5 3e-5"/>{sites}
      <body name="tool" pos=".01 .02 .03" euler="10 20 30">
        <inertial pos="0 0 .02" mass=".1" diaginertia="4e-5 5e-5 2e-5"/></body>"""
    sites = "".join(
        f'<site name="p{k}" pos="{" ".join(map(str, top[k] - [0, 0, 0.18]))}"/>'
        for k in SIX
        if k < 5 or not hung
    )
    arms = equality = ""
    for k in SIX:
        rod, length = top[k] - elbow[k], np.linalg.norm(top[k] - elbow[k])
        inner = f'<site name="r{k}" pos="0 0 {length}"/>'
        if hung and k == 5:
            # turned back, so that the platform stands parallel to the ground
            turn, back = np.zeros(4), np.zeros(4)
            mujoco.mju_quatZ2Vec(turn, rod / length)
            mujoco.mju_negQuat(back, turn)
            corner, quat = np.zeros(3), " ".join(map(str, back))
            mujoco.mju_rotVecQuat(corner, [0, 0, 0.18] - top[k], back)
            place = " ".join(map(str, np.array([0, 0, length]) + corner))
            pivot = " ".join(map(str, top[k] - [0, 0, 0.18]))
            inner = (
                f'<body name="platform" pos="{place}" quat="{quat}"><joint name="wrist" type="ball" pos="{pivot}"/>'
                f"{plate.format(sites=sites)}</body>"
            )
        else:
            equality += f'<connect site1="r{k}" site2="p{k}"/>'
        turn = np.zeros(4)
        mujoco.mju_quatZ2Vec(turn, rod / length)
        arms += f"""<body name="arm{k}" pos="{" ".join(map(str, 0.09 * out[k]))}">
          <joint name="motor{k}" axis="{" ".join(map(str, axis[k]))}" armature="2e-4" range="-60 60" limited="true"/>
          <inertial pos="{" ".join(map(str, 0.02 * out[k]))}" mass=".05" diaginertia="2e-5 3e-5 3e-5"/>
          <body name="rod{k}" pos="{" ".join(map(str, 0.06 * out[k]))}" quat="{" ".join(map(str, turn))}">
            <joint name="ball{k}" type="ball"/>
            <inertial pos="0 0 {0.4 * length}" mass=".03" diaginertia="1e-4 1e-4 1e-9"/>{inner}</body></body>"""
    free = (
        "" if hung else f'<body name="platform" pos="0 0 .18"><freejoint/>{plate.format(sites=sites)}</body>'
    )
    motors = "".join(f'<position name="m{k}" joint="motor{k}"/>' for k in SIX)
    return (
        '<mujoco><compiler angle="degree"/><option jacobian="dense"/>'
        f"<worldbody>{arms}{free}</worldbody><equality>{equality}</equality><actuator>{motors}</actuator></mujoco>"
    )


FOUR_BAR = """<mujoco><option jacobian="dense"/><worldbody>
  <body name="crank"><joint name="motor" axis="0 1 0"/>
    <inertial pos="0 0 .05" mass=".4" diaginertia="4e-4 4e-4 1e-5"/>
    <body name="rod" pos="0 0 .1"><joint name="pin" axis="0 1 0"/>
      <inertial pos=".15 0 0" mass=".6" diaginertia="1e-5 5e-3 5e-3"/>
      <site name="end" pos=".3 0 0"/></body></body>
  <body name="rocker" pos=".25 0 -.05"><joint name="foot" axis="0 1 0"/>
    <inertial pos=".02 0 .08" mass=".5" diaginertia="1e-3 1e-3 1e-5"/><site name="top" pos=".05 0 .15"/></body>
</worldbody><equality><connect site1="end" site2="top"/></equality></mujoco>"""


class ClosedMujoco:
    """MuJoCo's tree and constraints: closed by its own kinematics, forces by its mass matrix, bias and Jacobian."""

    def __init__(self, text, driven):
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)
        self.rows = np.zeros((len(driven), self.model.nv))
        for i, name in enumerate(driven):
            self.rows[i, self.model.joint(name).dofadr[0]] = 1.0
        self.place = [self.model.joint(name).qposadr[0] for name in driven]

    def constraints(self):
        mujoco.mj_fwdPosition(self.model, self.data)
        count = self.data.ne
        return self.data.efc_J.reshape(-1, self.model.nv)[:count].copy(), self.data.efc_pos[:count].copy()

    def forces(self, coordinate, rate, acceleration):
        model, data = self.model, self.data
        for _ in range(30):
            jacobian, gap = self.constraints()
            whole = np.vstack([jacobian, self.rows])
            short = np.concatenate([-gap, coordinate - data.qpos[self.place]])
            mujoco.mj_integratePos(model, data.qpos, np.linalg.lstsq(whole, short, rcond=1e-9)[0], 1.0)
        assert np.abs(short).max() < 1e-12
        jacobian, _ = self.constraints()
        whole = np.vstack([jacobian, self.rows])
        speed = np.linalg.lstsq(whole, np.concatenate([0 * gap, rate]), rcond=1e-9)[0]
        here, turned = data.qpos.copy(), []
        for step in (1e-5, -1e-5):
            data.qpos[:] = here
            mujoco.mj_integratePos(model, data.qpos, speed, step)
            turned.append(self.constraints()[0] @ speed)
        drift = (turned[0] - turned[1]) / 2e-5
        data.qpos[:] = here
        data.qvel[:] = speed
        mujoco.mj_forward(model, data)
        second = np.linalg.lstsq(whole, np.concatenate([-drift, acceleration]), rcond=1e-9)[0]
        mass = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, mass)
        columns = np.vstack([self.rows, jacobian]).T
        found = np.linalg.lstsq(columns, mass @ second + data.qfrc_bias, rcond=1e-9)[0]
        return found[: len(self.rows)]


@pytest.mark.parametrize("hung", [True, False])
def test_a_rotary_hexapod_has_the_forces_that_mujoco_finds_with_its_loops(hung, tmp_path):
    text = rotary_hexapod(hung)
    one, notes = taken_over(tmp_path / "rss.xml", text)
    assert len(one.drives) == 6
    assert [one.drives[2].lowest, one.drives[2].highest] == pytest.approx(np.deg2rad([-60, 60]))
    assert "does not spin" in notes
    assert "tool" in notes
    assert len(one.mechanism.description.bodies) == 13
    oracle = ClosedMujoco(text, [f"motor{k}" for k in SIX])
    drives = smooth_drives(one, 4, seed=3)
    ours = rigid_forces(one, drives)
    theirs = np.array([oracle.forces(*state) for state in zip(*drives, strict=True)])
    np.testing.assert_allclose(ours, theirs, atol=1e-5 * np.abs(theirs).max())


def test_a_four_bar_closes_in_four_ways(tmp_path):
    """MJCF's connect, a joint for Gazebo in URDF, --close, an SDF: all with MuJoCo's forces."""
    inertial = (
        '<inertial><origin xyz="{0}"/><mass value="{1}"/>'
        '<inertia ixx="{2}" iyy="{3}" izz="{4}" ixy="0" ixz="0" iyz="0"/></inertial>'
    )
    bodies = {
        "crank": (("0 0 .05", ".4", "4e-4", "4e-4", "1e-5"), "0 0 0"),
        "rod": ((".15 0 0", ".6", "1e-5", "5e-3", "5e-3"), "0 0 .1"),
        "rocker": ((".02 0 .08", ".5", "1e-3", "1e-3", "1e-5"), ".25 0 -.05"),
    }
    links = "".join(f'<link name="{name}">{inertial.format(*one[0])}</link>' for name, one in bodies.items())
    joint = (
        '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/><origin xyz="{3}"/>'
        '<axis xyz="0 1 0"/></joint>'
    )
    tree = joint.format("motor", "world", "crank", "0 0 0") + joint.format("pin", "crank", "rod", "0 0 .1")
    tree += joint.format("foot", "world", "rocker", ".25 0 -.05")
    control = (
        '<ros2_control name="c" type="system"><joint name="motor"><command_interface name="effort"/></joint>'
    )
    control += '<joint name="pin"><state_interface name="position"/></joint></ros2_control>'
    robot = '<robot name="r"><link name="world"/>' + links + tree + control + "{}</robot>"
    ends = '<link name="a"/><link name="b"/>'
    for name, parent, place in (("a", "rod", ".3 0 0"), ("b", "rocker", ".05 0 .15")):
        ends += (
            f'<joint name="to_{name}" type="fixed"><parent link="{parent}"/><child link="{name}"/>'
            f'<origin xyz="{place}" rpy="-1.5707963267948966 0 0"/><axis xyz="0 0 0"/></joint>'
        )
    loop = (
        '<gazebo><joint name="loop" type="revolute"><parent>rod</parent><child>rocker</child>'
        "<pose>.05 0 .15 0 0 0</pose><axis><xyz>0 1 0</xyz></axis></joint></gazebo>"
    )
    sdf_links = sdf_joints = ""
    for name, ((center, mass, xx, yy, zz), place) in bodies.items():
        moments = "".join(f"<i{a}>{v}</i{a}>" for a, v in (("xx", xx), ("yy", yy), ("zz", zz)))
        sdf_links += (
            f'<link name="{name}"><pose>{place} 0 0 0</pose><inertial><pose>{center} 0 0 0</pose><mass>{mass}</mass>'
            f"<inertia>{moments}</inertia></inertial></link>"
        )
    for name, parent, child, place in (
        ("motor", "world", "crank", "0 0 0"),
        ("pin", "crank", "rod", "0 0 0"),
        ("foot", "world", "rocker", "0 0 0"),
        ("loop", "rod", "rocker", ".05 0 .15"),
    ):
        sdf_joints += (
            f'<joint name="{name}" type="revolute"><parent>{parent}</parent><child>{child}</child><pose>{place} 0 0 0'
            "</pose><axis><xyz>0 1 0</xyz><limit><lower/><upper/></limit></axis></joint>"
        )
    # the SDF stands open, as the others do at their zero: its loop is closed from there
    sdf = f'<sdf version="1.4"><model name="m">{sdf_links}{sdf_joints}</model></sdf>'
    oracle = ClosedMujoco(FOUR_BAR, ["motor"])
    for path, text, closures in (
        ("a.xml", FOUR_BAR, ()),
        ("b.urdf", robot.format(loop), ()),
        ("c.urdf", robot.format(ends), ("a:b:revolute",)),
        ("d.urdf", robot.format(ends), ("to_a:b",)),
        ("e.sdf", sdf, ()),
    ):
        one, _ = taken_over(tmp_path / path, text, () if path.endswith("urdf") else ("motor",), closures)
        assert [drive.name for drive in one.drives] == ["motor"]
        assert one.mechanism.loops == 1
        drives = tuple(np.array([[v], [-2 * v]]) for v in (0.1, 0.7, 3.0))
        theirs = np.array([oracle.forces(*state) for state in zip(*drives, strict=True)])
        np.testing.assert_allclose(rigid_forces(one, drives), theirs, atol=1e-7, err_msg=path)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["mjcf", "sdf"])
@pytest.mark.parametrize("name", ["uf", "hexel", "ford"])
def test_a_hexapod_becomes_the_fast_one_with_the_same_forces(name, form, tmp_path):
    one = machine(name)
    again, _ = taken_over(tmp_path / ("x.xml" if form == "mjcf" else "x.sdf"), format_machine_text(one, form))
    assert has(again, HexapodFile)
    motion = smooth_motion(one, 8, seed=1)
    ours, theirs = np.zeros(one.basis.nominal.shape), np.zeros(again.basis.nominal.shape)
    for values, it in ((ours, one), (theirs, again)):
        values[:] = it.basis.nominal
        values[it.friction_rows.ravel()] = 0.0
    force = one.compute_forces(motion, ours)
    np.testing.assert_allclose(again.compute_forces(motion, theirs), force, atol=1e-8 * np.abs(force).max())


STRUTS_SDF = """<sdf version="1.7"><model name="h"><link name="base"/>{links}{joints}</model></sdf>"""


def struts_sdf(beside: float, joint: str = "ball") -> str:
    """SDF of six struts between balls, in which only the slides are named for their place; a mass beside one's line."""
    turn = np.deg2rad([10, 110, 130, 230, 250, 350])
    base = np.stack([0.5 * np.cos(turn), 0.5 * np.sin(turn), 0 * turn], axis=1)
    turn = np.deg2rad([50, 70, 170, 190, 290, 310])
    top = np.stack([0.3 * np.cos(turn), 0.3 * np.sin(turn), 0 * turn + 0.6], axis=1)
    inertia = "<inertia><ixx>{0}</ixx><iyy>{0}</iyy><izz>{1}</izz></inertia>"
    links = (
        '<link name="plate"><pose>0 0 .6 0 0 0</pose><inertial><pose>.01 0 .02 0 0 0</pose><mass>5</mass>'
        "<inertia><ixx>.1</ixx><iyy>.11</iyy><izz>.2</izz><ixy>.003</ixy></inertia></inertial></link>"
    )
    joints = '<joint name="floor" type="fixed"><parent>world</parent><child>base</child></joint>'
    for k in SIX:
        rod = top[k] - base[k]
        length = np.linalg.norm(rod)
        lean, yaw = np.arccos(rod[2] / length), np.arctan2(rod[1], rod[0])
        limit = f"<limit><lower>{-0.3 * length}</lower><upper>.2</upper></limit>"
        axis = f"<axis><xyz>0 0 1</xyz>{limit}<dynamics><damping>4</damping></dynamics></axis>"
        for name, end, side, mass in (("tube", base, 1, 1.5), ("shaft", top, -1, 0.8)):
            away = beside if (name, k) == ("tube", 2) else 0.0
            links += (
                f'<link name="{name}{k}"><pose>{" ".join(map(str, end[k]))} 0 {lean} {yaw}</pose>'
                f"<inertial><pose>{away} 0 {side * 0.2} 0 0 0</pose><mass>{mass}</mass>{inertia.format(0.02, 0.001)}"
                "</inertial></link>"
            )
        for name, kind, parent, child, rest in (
            (f"foot{k}", joint, "base", f"tube{k}", ""),
            (f"jack{k}", "prismatic", f"tube{k}", f"shaft{k}", axis),
            (f"head{k}", "ball", "plate", f"shaft{k}", ""),
        ):
            ends = f"<parent>{parent}</parent><child>{child}</child>"
            joints += f'<joint name="{name}" type="{kind}">{ends}{rest}</joint>'
    return STRUTS_SDF.format(links=links, joints=joints)


@pytest.mark.slow
def test_a_stewart_platform_of_somebody_is_a_hexapod_or_says_why_not(tmp_path):
    fast, notes = taken_over(tmp_path / "fast.sdf", struts_sdf(0.0))
    assert has(fast, HexapodFile)
    assert "lengths are joint to joint" in notes
    assert fast.description.joint_names == tuple(f"jack{k}" for k in SIX)
    assert fast.description.friction.coefficient("viscous") == pytest.approx(4.0)
    slow, notes = taken_over(tmp_path / "slow.sdf", struts_sdf(0.004))
    assert has(slow, BodiesFile)
    assert not has(slow, HexapodFile)
    assert "not on the line" in notes
    # the mass beside the line weighs little: the same machine but for that
    almost, _ = taken_over(tmp_path / "almost.sdf", struts_sdf(0.00002))
    assert has(almost, BodiesFile)
    drives = smooth_drives(fast, 5, seed=4)
    shifted = drives[0] - fast.home + almost.home, *drives[1:]
    force = rigid_forces(fast, drives)
    np.testing.assert_allclose(rigid_forces(almost, shifted), force, atol=2e-3 * np.abs(force).max())


@pytest.mark.slow
def test_crosses_of_some_mass_are_joints(tmp_path):
    """Struts on crosses of two hinges each: a hexapod, and a cross that is no small one stays a body."""
    text = struts_sdf(0.0)
    for k in SIX:
        tube = text.index(f'<link name="tube{k}">')
        pose = text[tube:].partition("<pose>")[2].partition("</pose>")[0]
        cross = (
            f'<link name="cross{k}"><pose>{pose}</pose><inertial><mass>.05</mass><inertia><ixx>1e-5</ixx>'
            "<iyy>1e-5</iyy><izz>1e-5</izz></inertia></inertial></link>"
        )
        foot = f'<joint name="foot{k}" type="ball"><parent>base</parent><child>tube{k}</child></joint>'
        hinge = (
            '<joint name="{0}{1}" type="revolute"><parent>{2}</parent><child>{3}</child>'
            "<axis><xyz>{4}</xyz></axis></joint>"
        )
        both = hinge.format("foot_a", k, "base", f"cross{k}", "1 0 0")
        both += hinge.format("foot_b", k, f"cross{k}", f"tube{k}", "0 1 0")
        assert foot in text
        text = text[:tube] + cross + text[tube:].replace(foot, both)
    one, notes = taken_over(tmp_path / "x.sdf", text)
    assert has(one, HexapodFile)
    assert one.description.base_joint == "universal"
    assert "cross5: a cross or ball" in notes
    heavy, notes = taken_over(
        tmp_path / "y.sdf", text.replace("<ixx>1e-5", "<ixx>9e-5").replace("1e-5", "2e-3")
    )
    assert has(heavy, BodiesFile)
    assert "cross" not in notes
    drives = smooth_drives(one, 4, seed=5)
    shifted = drives[0] - one.home + heavy.home, *drives[1:]
    force = rigid_forces(one, drives)
    np.testing.assert_allclose(rigid_forces(heavy, shifted), force, atol=0.02 * np.abs(force).max())


def as_words_and_numbers(text):
    words, numbers = [], []
    for part in text.replace('"', " ").replace("<", " ").replace(">", " ").split():
        try:
            numbers.append(float(part))
        except ValueError:
            words.append(part)
    return words, np.array(numbers)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("arm_7", "urdf"),
        ("arm_7", "mjcf"),
        ("five_bar", "mjcf"),
        ("five_bar", "sdf"),
        *(
            pytest.param(name, form, marks=pytest.mark.slow)
            for form, names in (
                ("mjcf", ("rss", "pus", "mast", "uf", "hexel")),
                ("sdf", ("mast", "uf", "hexel")),
            )
            for name in names
        ),
    ],
)
def test_export_init_export_is_the_same(name, form, tmp_path):
    one = machine(name)
    path = tmp_path / f"x.{form}"
    path.write_text(format_machine_text(one, form), encoding="utf-8")
    driven = (
        []
        if has(one, HexapodFile)
        else [next(iter(d.measure.joints)) for d in one.mechanism.description.drives]
    )
    made, _ = draft_from_file(path, one.name, driven)
    again = format_machine_text(read_machine_text(made), form)
    # nobody reads comments back, or shapes, whose order is any that makes a polygon
    (words, numbers), (first_words, first_numbers) = (
        as_words_and_numbers(re.sub("<!--.*-->|<geom .*/>", "", text))
        for text in (again, path.read_text(encoding="utf-8"))
    )
    assert words == first_words
    np.testing.assert_allclose(numbers, first_numbers, atol=1e-9)


def test_moments_that_no_body_has_are_guesses_and_said(tmp_path):
    text = FOUR_BAR.replace('mass=".5" diaginertia="1e-3 1e-3 1e-5"', 'mass=".5" diaginertia="9 9 9"')
    one, notes = taken_over(tmp_path / "x.xml", text, ("motor",))
    assert "rocker: GUESSED" in notes
    assert {body.name: body.mass.how for body in one.knowledge.bodies}["rocker"] == "guessed"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--close", "crank"], "expected LINK:LINK"),
        (["--close", "crank:rockr"], "did you mean 'rocker'"),
        (["--close", "crank:rocker:screw"], "type 'screw' must be one of"),
        (["--close", "crank:crank"], "names one link twice"),
        (["--mass-properties", "rockr=x.txt"], "x.txt: cannot be read"),
        (["--from", "b.xml"], "one file to begin with"),
    ],
)
def test_bad_options_are_one_line(options, says, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.xml").write_text(FOUR_BAR, encoding="utf-8")
    assert main(["init", "a.xml", "a.yaml", *options]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    assert not (tmp_path / "a.yaml").exists()


def test_a_joint_of_a_body_that_is_not_there_is_refused(tmp_path):
    path = tmp_path / "a.urdf"
    link = (
        '<link name="crank"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
    )
    joint = (
        '<joint name="{}" type="revolute"><parent link="{}"/><child link="{}"/><axis xyz="0 0 1"/></joint>'
    )
    joints = joint.format("i", "world", "crank") + joint.format("j", "crank", "crnk")
    path.write_text(f'<robot name="a"><link name="world"/>{link}{joints}</robot>', encoding="utf-8")
    with pytest.raises(DocumentError, match=r"joint 'j' .*'crnk', .*'crank'"):
        draft_from_file(path, "a")


def test_a_body_that_nothing_holds_is_refused(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ball = '<body name="ball" pos="0 0 1"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>'
    (tmp_path / "a.xml").write_text(FOUR_BAR.replace("</worldbody>", ball + "</worldbody>"), encoding="utf-8")
    assert main(["init", "a.xml"]) == 2
    assert "ball: no joint or constraint" in capsys.readouterr().err


def test_a_file_alone_is_enough(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.xml").write_text(FOUR_BAR, encoding="utf-8")
    assert main(["init", "a.xml"]) == 0
    assert load_machine("a.yaml").mechanism.loops == 1
