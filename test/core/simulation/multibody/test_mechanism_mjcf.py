# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Exported mechanisms: they load in MuJoCo, their loops are closed at home, and they move as the mechanism does."""

from __future__ import annotations

from copy import deepcopy

import mujoco
import numpy as np
import pytest
from core.simulation.multibody.built import (
    NAMES,
    closed_by_planar_joints,
    coupled,
    document,
    mechanism,
    rocker_driven,
)

from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.simulation.multibody.mjcf import build_mechanism_mjcf
from pkm_identification.simulation.multibody.open_tree import OpenTree


def at_home(made: Mechanism) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = mujoco.MjModel.from_xml_string(build_mechanism_mjcf(made))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    mujoco.mj_forward(model, data)
    return model, data


MADE = {name: lambda name=name: mechanism(name) for name in NAMES} | {
    "rocker": rocker_driven,
    "coupled": coupled,
    "block": closed_by_planar_joints,
}


@pytest.mark.parametrize("name", MADE)
def test_loops_are_closed_at_home(name):
    made = MADE[name]()
    model, data = at_home(made)
    assert model.neq == made.loops + len(made.description.couplings)
    assert np.abs(data.efc_pos).max(initial=0.0) < 1e-12


@pytest.mark.parametrize("name", MADE)
def test_it_falls_as_the_mechanism_does(name):
    made = MADE[name]()
    model, data = at_home(made)
    n = made.degrees_of_freedom
    fall = dynamics.forward_dynamics(made, made.home, np.zeros((1, n)), np.zeros((1, n)), friction=False)
    mujoco.mj_rnePostConstraint(model, data)
    for body, acceleration in zip(made.description.bodies, body_accelerations(made, fall), strict=True):
        found = np.zeros(6)
        mujoco.mj_objectAcceleration(
            model, data, mujoco.mjtObj.mjOBJ_XBODY, model.body(body.name).id, found, 0
        )
        # MuJoCo's accelerations are those an accelerometer shows, and its constraints yield a little
        found[3:] += model.opt.gravity
        np.testing.assert_allclose(found[3:], acceleration, atol=2e-3 * 9.81)


def body_accelerations(made: Mechanism, motion) -> np.ndarray:
    """Of the bodies' origins (B, 3) at the start of a motion from rest, by differences of places."""
    h = 1e-3
    places = []
    for sign in (-1, 0, 1):
        # from rest s(t) = s + a t^2 / 2, and places follow t^2 at first
        drive = motion.drive + sign * 0.5 * h**2 * motion.drive_acceleration
        places.append(kinematics.body_poses(made, kinematics.close_drives(made, drive).configuration)[1][0])
    return (places[2] - places[0]) / h**2


def test_names_that_the_export_would_make_itself_do_no_harm():
    """A joint `table_1` beside the planar `table`, bodies and drives named as twins, inner bodies and sites are."""
    given = deepcopy(closed_by_planar_joints().description.document)
    given["bodies"]["puck"] = given["bodies"].pop("block")
    for joint in given["joints"].values():
        joint["bodies"] = ["puck" if name == "block" else name for name in joint["bodies"]]
    given["drives"]["turn"]["body"] = "puck"
    bare = {"mass": "1", "inertia": ["1", "1", "1", "0", "0", "0"]}
    for k, name in enumerate(("rod:pair", "puck:table", "pair:2", "table:2", "twin")):
        given["bodies"][name] = bare
        given["joints"][f"table_{k + 1}" if k % 2 else f"pair_{k + 1}"] = {
            "type": "fixed",
            "bodies": ["ground", name],
        }
    made = Mechanism.from_document(given)
    model, _ = at_home(made)
    assert model.nbody > len(made.description.bodies)
    OpenTree(made)


def test_a_planar_joint_beside_hinges_named_as_its_parts():
    """An arm on a planar joint: `hip` makes three joints of its own in MuJoCo, one of which is `hip_1`."""
    bare = {"mass": "1", "inertia": ["1", "1", "1", "0", "0", "0"]}
    made = Mechanism.from_document(
        {
            "schema": "1",
            "kind": "mechanism",
            "name": "walker",
            "bodies": {"hull": bare, "leg": bare, "hip:1": bare},
            "joints": {
                "hip": {"type": "planar", "bodies": ["ground", "hull"]},
                "hip_1": {"type": "revolute", "bodies": ["hull", "leg"]},
                "hip_2": {"type": "revolute", "bodies": ["leg", "hip:1"]},
            },
            "drives": {
                "x": {"body": "hull", "position": "x"},
                "y": {"body": "hull", "position": "y"},
                "turn": {"body": "hull", "angle": "1", "sequence": "zyx"},
                "swing": {"joint": "hip_1"},
                "kick": {"joint": "hip_2"},
            },
        }
    )
    model, _ = at_home(made)
    assert (model.njnt, model.joint("hip_1").id, model.nq) == (5, 3, 5)
    assert OpenTree(made).gap == 0.0


def test_what_mujoco_refuses_is_one_line():
    given = document("four-bar")
    given["name"] = "\0"
    with pytest.raises(MachineError, match=r"mechanism: MuJoCo does not take it: [^\n]*$"):
        OpenTree(Mechanism.from_document(given))


def test_drives_inertia_is_armature_of_joints_or_tendons():
    given = document("four-bar")
    given["drives"] = {
        "q": {"length": {"ground": ["0.8", "0.3", "0"], "crank": ["0.3", "0", "0"]}, "inertia": "7"}
    }
    given["home"] = {"drives": {"q": "0.9"}, "guess": given["home"]["guess"]}
    del given["motion"]
    made = Mechanism.from_document(given)
    model, data = at_home(made)
    assert model.tendon_armature[0] == 7.0
    assert data.ten_length[0] == pytest.approx(0.9, abs=1e-12)
    given["drives"] = {"q": {"sum": {"crank_pivot": "2", "crank_tip": "-1"}, "inertia": "7"}}
    given["home"] = {"drives": {"q": "3.4"}, "guess": given["home"]["guess"]}
    made = Mechanism.from_document(given)
    model, data = at_home(made)
    assert model.tendon_armature[0] == 7.0
    assert data.ten_length[0] == pytest.approx(3.4, abs=1e-12)
    assert at_home(closed_by_planar_joints())[0].joint("slide").name == "slide"
    model = at_home(closed_by_planar_joints())[0]
    assert model.dof_armature[model.joint("slide").dofadr[0]] == 0.3


def test_a_bar_that_turns_about_one_axis_keeps_its_moment_there():
    model, _ = at_home(mechanism("four-bar"))
    # about the centre of mass: density l^3 / 12
    assert model.body_inertia[model.body("rocker").id].max() == pytest.approx(2 * 0.5**3 / 12, rel=1e-9)
