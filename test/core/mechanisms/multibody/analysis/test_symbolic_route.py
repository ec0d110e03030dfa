# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rules of inertia transfer: counts by hand, each null vector against the regressor, and facts that no joint states."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import changed, machine, with_joint

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.multibody.analysis.routes import Routes, find_base_parameters
from pkm_identification.mechanisms.multibody.analysis.subject import Subject
from pkm_identification.mechanisms.multibody.analysis.symbolic.elimination import Elimination
from pkm_identification.mechanisms.multibody.description.hexapod import build_hexapod_description
from pkm_identification.mechanisms.multibody.description.reader import parse_text
from pkm_identification.mechanisms.multibody.description.records import Body, Joint
from pkm_identification.mechanisms.multibody.mechanism import Mechanism, builtin_mechanisms
from pkm_identification.mechanisms.multibody.numbers.exact import ONE, ZERO

X, Y = (ONE, ZERO, ZERO), (ZERO, ONE, ZERO)


def document(name, **constants):
    made = parse_text(builtin_mechanisms()[name])
    made.get("constants", {}).update(constants)
    return made


def subject_of(made) -> Subject:
    return Subject.of_mechanism(Mechanism.from_document(made))


def by_rules(subject, wanted_out=()):
    """The symbolic route, its null vectors confirmed by the regressor in double precision."""
    found = find_base_parameters(subject, "symbolic", wanted_out=wanted_out).symbolic.base
    rows = subject.columns().reshape(-1, len(subject.names))
    out = found.elimination
    coefficients = out.coefficients.astype(float).reshape(len(out.kept), len(out.given_up))
    left = rows[:, out.given_up] - rows[:, out.kept] @ coefficients
    assert np.abs(left).max() < 1e-11 * np.abs(rows).max()
    assert len(out.given_up) == len(found.vanishing) + len(found.transferred)
    return found


def transfers(found):
    return Counter((one.step.joint, one.step.condition) for one in found.applied if not one.vanishes)


def test_the_suspension_is_the_list_of_the_text():
    """Vanishing: arms 2 and 5 (1 + 5 each), the damper's upper part 1. Transfers: Iriarte et al. (2017), table 4."""
    found = by_rules(Subject.load("suspension"))
    assert (len(found.names), found.rank) == (70, 41)
    gone = [found.names[k] for k in found.vanishing]
    assert Counter(name.partition("_")[2] for name in gone) == {
        "lower_arm": 6,
        "upper_arm": 6,
        "damper_body": 1,
    }
    assert "m_damper_body" in gone
    assert transfers(found) == {
        ("damper_foot", 1): 1,
        ("lower_pivot", 1): 1,
        ("upper_pivot", 1): 1,
        ("rack", 1): 1,
        ("lower_ball", 1): 1,
        ("upper_ball", 1): 1,
        ("steering", 1): 1,
        ("bearing", 1): 1,
        ("bearing", 2): 1,
        ("bearing", 5): 1,
        ("damper", 6): 6,
    }
    given = {one.step.joint: found.parameters[one.parameter] for one in found.applied if not one.vanishes}
    # the ground lends masses, since the arms give their own to the hub
    assert given["lower_pivot"] == "Iyy_lower_arm"
    assert given["lower_ball"] == "m_lower_arm"
    assert given["damper_foot"] == "m_damper_rod"


def test_a_universal_joint_for_a_revolute_one_changes_the_suspension():
    """The upper arm's axis is no longer fixed: it keeps its ten but the mass at the joint and that at the ball."""
    made = document("suspension")
    made["joints"]["upper_pivot"].update(type="universal", axis=[["0", "1", "0"], ["0", "0", "1"]])
    made["drives"]["lean"] = {
        "length": {"ground": ["0.1", "0.3", "0.4"], "hub": ["0", "0", "0.1"]},
        "force": "push",
        "limits": ["0.48", "0.53"],
    }
    made["home"]["drives"]["lean"] = "0.5"
    del made["motion"]
    assert by_rules(subject_of(made)).rank == 41 + 6


def test_known_answer_of_the_four_bar():
    found = by_rules(Subject.load("four-bar"), ("m_coupler", "J_coupler"))
    assert found.rank == 8
    assert [found.names[k] for k in found.vanishing] == ["m_crank", "m_rocker"]
    out = found.elimination
    values = {
        (found.names[i], found.names[j]): value
        for i, row in zip(out.kept, out.coefficients, strict=True)
        for j, value in zip(out.given_up, row, strict=True)
        if value
    }
    assert values == {
        ("mx_crank", "m_coupler"): Fraction(3, 10),
        ("mx_crank", "J_coupler"): Fraction(-30, 49),
        ("J_crank", "m_coupler"): Fraction(9, 100),
        ("J_crank", "J_coupler"): Fraction(-9, 49),
        ("mx_coupler", "J_coupler"): Fraction(-10, 7),
        ("mx_rocker", "J_coupler"): Fraction(50, 49),
        ("J_rocker", "J_coupler"): Fraction(25, 49),
    }
    other = by_rules(Subject.load("four-bar"), ("J_crank",))
    assert "J_crank" in {other.names[k] for k in other.transferred}


def test_a_coupler_that_only_translates_is_found():
    """Of its four, three vanish; crank and rocker turn alike: J and first moments are one, masses at pivots nothing."""
    found = by_rules(Subject.load("parallelogram"))
    assert found.rank == 3
    assert {"mx_coupler", "my_coupler", "J_coupler"} <= {found.names[k] for k in found.vanishing}
    assert transfers(found) == {("", 6): 1, ("", 4): 2, ("crank_tip", 1): 1}
    # a millionth away from it there are eight again
    assert by_rules(subject_of(document("parallelogram", l3="0.300001"))).rank == 8


def test_planar_mechanisms_of_bodies_in_space():
    """Thirty parameters: of each body five of inertia and one first moment more that vanish, or a mass."""
    for name, base in (("four-bar", 8), ("parallelogram", 3)):
        made = document(name)
        for body in made["bodies"].values():
            del body["planar"]
            body["inertia"] = ["0.1", "0.1", "0.1", "0", "0", "0"]
        found = by_rules(subject_of(made))
        assert (len(found.names), found.rank) == (30, base)


def test_the_table_and_the_robot():
    """Of the table each leg loses 9 + 6 that vanish, and a mass at each of its two joints; 7 of link 1's inertia."""
    table = by_rules(Subject.load("mast"))
    assert (len(table.vanishing), len(table.transferred), table.rank) == (45, 6, 19)
    robot = by_rules(Subject.load("epaas"))
    # link 1 turns about its upright axis alone: 9 vanish; four hinges: 3 each
    assert (len(robot.vanishing), len(robot.transferred), robot.rank) == (9, 12, 29)


def test_a_universal_hinge_changes_the_table():
    """Bar 2's axis is no longer fixed: it keeps its ten but the mass at the hinge and that at the ball."""
    made = document("mast")
    hinge = made["joints"]["hinge_2"]
    hinge.update(type="universal", axis=[["-1", "0", "0"], ["0", "0", "1"]])
    del hinge["reference"], made["closed_form"], made["readings"]["gamma_2"], made["readings"]["x_p"]
    made["drives"]["lean"] = {
        "length": {"ground": ["0.8", "0.1", "0.5"], "platform": ["0", "0", "0.1"]},
        "force": "push",
        "limits": ["0.4", "1.2"],
    }
    made["outputs"]["x"] = {"body": "platform", "position": "x"}
    made["home"]["outputs"]["x"] = "0"
    made["home"]["guess"]["hinge_2"] = ["gamma", "0"]
    table = by_rules(subject_of(made))
    assert (len(table.vanishing), len(table.transferred), table.rank) == (39, 6, 19 + 6)


def test_a_slide_for_the_first_hinge_changes_the_robot():
    """Link 1 only translates: 9 vanish; axes of links 2 to 4 are fixed then: 6 vanish each; hinges: 1, 1, 1 and 3."""
    made = document("epaas")
    made["joints"]["joint_1"]["type"] = "prismatic"
    made["drives"]["phi"] = {"joint": "joint_1", "force": "push", "limits": ["-0.5", "0.5"]}
    made["outputs"]["phi"] = {"body": "link_1", "position": "z"}
    robot = by_rules(subject_of(made))
    assert (len(robot.vanishing), len(robot.transferred), robot.rank) == (27, 6, 17)


@pytest.mark.parametrize(
    ("symmetry", "size", "base"),
    [
        ("general", 130, 82),
        pytest.param("alike", 30, 22, marks=pytest.mark.slow),
        pytest.param("axisymmetric", 58, 34, marks=pytest.mark.slow),
        pytest.param("axisymmetric_alike", 18, 14, marks=pytest.mark.slow),
    ],
)
def test_hexapods(symmetry, size, base):
    """Six masses at base joints, six complete tensors, six masses at platform joints."""
    found = by_rules(Subject.load("uf", symmetry))
    assert (len(found.names), found.rank) == (size, base)
    assert len([one for one in found.applied if one.vanishes]) == 6
    assert Counter(one.step.condition for one in found.applied if not one.vanishes) == {6: 36, 1: 6}


@pytest.mark.slow
def test_the_plane_that_costs_a_hexapod_three():
    """Hinges of one pair of struts lie on one line, and their platform joints coincide: the struts stay in one plane.

    First moments of either body and one moment of inertia across that plane are then one for both struts.
    """
    found = by_rules(Subject.of_machine(machine("hexel")))
    assert found.rank == 79
    assert Counter(
        one.step.condition for one in found.applied if not one.step.joint and not one.vanishes
    ) == {
        2: 2,
        5: 1,
    }
    # with the hinges across that line there is no such plane
    turned = by_rules(
        Subject.of_machine(machine(changed("hexel", geometry__base_joint__first_axis=[0.6, 0.8, 0.0])))
    )
    assert turned.rank == 82


@pytest.mark.slow
def test_states_on_another_branch_are_not_taken():
    """With this seed a strut's hinges point the other way in the first states found: a sum would have a wrong sign."""
    hexel = Subject.of_machine(machine("hexel"))
    rows = hexel.columns().reshape(-1, len(hexel.names))
    out = find_base_parameters(hexel, "symbolic", seed=1).symbolic.base.elimination
    left = rows[:, out.given_up] - rows[:, out.kept] @ out.coefficients.astype(float)
    assert np.abs(left).max() < 1e-11 * np.abs(rows).max()


@pytest.mark.slow
def test_joints_without_spin_do_not_show_the_struts_moments_about_themselves():
    found = by_rules(Subject.of_machine(machine(with_joint("uf", "no_spin"))))
    assert found.rank == 76
    # of bodies B: the mass; of both: the moment about the strut
    assert len([one for one in found.applied if one.vanishes]) == 6 + 12


def with_crosses(name) -> Mechanism:
    """A hexapod with its six crosses as bodies: universal joints made of two hinges."""
    description = build_hexapod_description(machine(name))
    joints: list[Joint] = []
    bodies = list(description.bodies)
    guess = dict(description.home.guess)
    for joint in description.joints:
        if joint.type != "universal":
            joints.append(joint)
            continue
        cross, (first, second) = f"cross_{joint.name[-1]}", guess.pop(joint.name)
        bodies.append(Body(cross, (ONE, *(ZERO,) * 3, *(ONE / 100,) * 3, *(ZERO,) * 3)))
        origin = (ZERO, ZERO, ZERO)
        joints += [
            Joint(
                f"{joint.name}_1",
                "revolute",
                (joint.bodies[0], cross),
                (joint.place[0], origin),
                (joint.axis[0], X),
                (joint.reference[0], Y),
            ),
            Joint(
                f"{joint.name}_2",
                "revolute",
                (cross, joint.bodies[1]),
                (origin, joint.place[1]),
                (Y, Y),
                (X, X),
            ),
        ]
        guess[f"{joint.name}_1"], guess[f"{joint.name}_2"] = (first,), (second,)
    home = replace(description.home, guess=guess)
    return Mechanism.of(
        replace(description, bodies=tuple(bodies), joints=tuple(joints), home=home, document={})
    )


@pytest.mark.slow
def test_crosses_besides():
    """10 of the platform and 13 of each leg: 7 of a cross vanish, 3 go over its hinge, 6 + 1 as without it."""
    found = by_rules(Subject.of_mechanism(with_crosses("uf")))
    assert (len(found.names), found.rank) == (190, 88)
    assert len(found.vanishing) == 42


def test_numbers_that_are_no_fractions():
    found = by_rules(subject_of(document("four-bar", l1="0.2+pi/31")))
    assert found.rank == 8
    assert "60 digits" in found.how


def test_an_elimination_knows_what_earlier_vectors_imply():
    made = Elimination(lambda value: value == 0)
    one, two = {0: Fraction(1), 1: Fraction(2)}, {1: Fraction(3), 2: Fraction(1)}
    assert made.add(one, lambda column: column) == 0
    assert made.add(two, lambda column: -column) == 2
    assert made.add({0: Fraction(2), 1: Fraction(7), 2: Fraction(1)}, lambda column: column) is None
    assert made.rows == {0: one, 2: {1: Fraction(3), 2: Fraction(1)}}


@pytest.mark.slow
def test_what_the_rules_say_is_held_against_other_routes():
    found = find_base_parameters(Subject.load("four-bar"), "all")
    assert found.disagreement == ""
    assert found.upper_bound is False
    less = replace(
        found.symbolic.base,
        elimination=find_base_parameters(Subject.load("parallelogram"), "symbolic").symbolic.base.elimination,
    )
    wrong = replace(found, symbolic=replace(found.symbolic, base=less, rank=less.rank))
    assert wrong.disagreement == "routes disagree: double 8, precise 8, exact 8, symbolic 3"
    more = Routes(found.subject, exact=replace(found.exact), symbolic=found.symbolic)
    assert more.upper_bound is False
    alone = Routes(found.subject, symbolic=found.symbolic)
    assert alone.upper_bound is None
    assert alone.best is found.symbolic


def test_floats_are_refused():
    made = document("four-bar")
    made["constants"]["l1"] = 0.3
    with pytest.raises(SettingsError, match=r"constants\.l1 = 0\.3 is a floating-point number"):
        find_base_parameters(subject_of(made), "symbolic")
