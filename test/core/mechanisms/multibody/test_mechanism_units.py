# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Numbers of a mechanism's file in another unit, and drives' limits that home does not keep."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import yaml

from benchmarks.field.drawn_machines import draw_mechanism
from pkm_identification.document import TextScalars
from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.multibody.mechanism import Mechanism, builtin_mechanisms

FIVE_BAR = """
schema: 1
kind: mechanism
name: fivebar
gravity: [0, -9.81, 0]
constants: {d: 0.30, a: 0.20, b: 0.30}
bodies:
  crank_l: {mass: 0.6, center_of_mass: [0.1, 0, 0], inertia: [0.004], planar: true}
  crank_r: {mass: 0.6, center_of_mass: [0.1, 0, 0], inertia: [0.004], planar: true}
  rod_l: {mass: 0.3, center_of_mass: [0.15, 0, 0], inertia: [0.003], planar: true}
  rod_r: {mass: 0.4, center_of_mass: [0.14, 0, 0], inertia: [0.004], planar: true}
joints:
  motor_l: {type: revolute, bodies: [ground, crank_l], place: [[0, 0, 0], [0, 0, 0]]}
  motor_r: {type: revolute, bodies: [ground, crank_r], place: [[d, 0, 0], [0, 0, 0]]}
  elbow_l: {type: revolute, bodies: [crank_l, rod_l], place: [[a, 0, 0], [0, 0, 0]]}
  elbow_r: {type: revolute, bodies: [crank_r, rod_r], place: [[a, 0, 0], [0, 0, 0]]}
  tip: {type: revolute, bodies: [rod_l, rod_r], place: [[b, 0, 0], [b, 0, 0]]}
drives:
  q_l: {joint: motor_l, force: tau_l, limits: [deg(60), deg(170)]}
  q_r: {joint: motor_r, force: tau_r, limits: [deg(10), deg(120)]}
outputs:
  x: {body: rod_l, position: x, point: [b, 0, 0]}
  y: {body: rod_l, position: y, point: [b, 0, 0]}
home:
  drives: {q_l: deg(110), q_r: deg(70)}
  guess: {elbow_l: deg(-70), elbow_r: deg(70)}
"""


def five_bar(*changes: tuple[str, Any]) -> dict[str, Any]:
    """The five-bar's file with values at keys joined by dots."""
    made = yaml.load(FIVE_BAR, Loader=TextScalars)
    for path, value in changes:
        *parents, last = path.split(".")
        place = made
        for key in parents:
            place = place[key]
        place[last] = copy.deepcopy(value)
    return made


def refused(*changes: tuple[str, Any]) -> str:
    with pytest.raises(MachineError) as caught:
        Mechanism.from_document(five_bar(*changes), source="file.yaml")
    return str(caught.value)


@pytest.mark.parametrize(
    ("key", "value", "unit"),
    [
        ("drives.q_l.limits", ["60", "170"], "[deg(60), deg(170)]"),
        ("home.drives.q_l", "110", "deg(110)"),
        ("home.guess.elbow_l", "-70", "deg(-70)"),
        ("joints.elbow_l.limits", ["-150", "150"], "deg(150)"),
        ("drives.q_r.limits", ["0.2", "0.9"], "outside [0.2, 0.9]"),
        ("gravity", ["0", "-9810", "0"], "mm/s^2?"),
        ("bodies.rod_l.mass", "300", "; g?"),
        ("bodies.rod_l.inertia", ["3000"], "kg mm^2"),
        ("bodies.rod_l.inertia", ["30"], "kg cm^2"),
        ("bodies.rod_l.center_of_mass", ["150", "0", "0"], "mm"),
        ("joints.tip.place", [["300", "0", "0"], ["b", "0", "0"]], "mm"),
        ("outputs.x.point", ["300", "0", "0"], "mm"),
    ],
)
def test_a_number_in_another_unit_is_refused_with_the_unit_that_fits(key, value, unit):
    message = refused((key, value))
    assert ".".join(key.split(".")[:2]) in message
    assert unit in message


def test_limits_in_degrees_that_home_lies_in_are_refused_too():
    message = refused(("drives.q_l.limits", ["1.2", "4"]), ("home.drives.q_l", "0.9"))
    assert "home is at 0.9 rad, outside [1.2, 4]" in message
    assert "degrees" not in message
    message = refused(("drives.q_l.limits", ["2", "6"]), ("home.drives.q_l", "deg(4)"))
    assert "limits in degrees? [deg(2), deg(6)]" in message


@pytest.mark.parametrize(
    "limits", [["-3*pi", "3*pi"], ["deg(-500)", "deg(500)"], ["-2*pi", "2*pi"], ["-6.28", "6.28"]]
)
def test_limits_beyond_a_turn_that_are_meant_load(limits):
    assert Mechanism.from_document(five_bar(("drives.q_l.limits", limits)))


def test_a_slide_in_millimetres_is_named():
    made = yaml.load(builtin_mechanisms()["mast"].read_text(encoding="utf-8"), Loader=TextScalars)
    made["drives"]["length_2"]["limits"] = ["0", "30"]
    assert Mechanism.from_document(made)  # home is inside; a long guide is possible
    made["drives"]["length_2"]["limits"] = ["0", "300"]  # home is inside, and no guide is that long
    with pytest.raises(MachineError, match=r"drives\.length_2\.limits = \[0, 300\].*mm"):
        Mechanism.from_document(made)
    made["drives"]["length_2"]["limits"] = ["5", "30"]
    with pytest.raises(MachineError, match=r"drives\.length_2\.limits = \[5, 30\].*limits in cm\?"):
        Mechanism.from_document(made)


@pytest.mark.parametrize(
    "changes",
    [
        (("bodies.rod_l.mass", "0"), ("bodies.rod_l.inertia", ["0"])),
        (("bodies.rod_l.inertia", ["0"]),),  # a point: not stated
        (("bodies.crank_l.center_of_mass", ["-0.1", "0", "0"]),),  # a counterweight
        (("bodies.rod_l.mass", "0.02"), ("bodies.rod_l.inertia", ["0.0002"])),  # carbon
        (("bodies.rod_r.mass", "40"), ("bodies.rod_r.inertia", ["0.5"])),
        (("gravity", ["0", "0", "0"]),),
    ],
)
def test_what_is_rare_but_possible_loads(changes):
    assert Mechanism.from_document(five_bar(*changes))


def test_all_descriptions_that_come_with_the_package_load():
    for name in builtin_mechanisms():
        assert Mechanism.load(name)


@pytest.mark.slow
def test_drawn_mechanisms_of_a_decimetre_to_ten_metres_load():
    for seed in range(40):
        assert Mechanism.from_document(draw_mechanism(np.random.default_rng(seed)))
