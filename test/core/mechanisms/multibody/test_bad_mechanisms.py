# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Descriptions that cannot be used: one line that names the place and what was expected."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from pkm_identification.document import TextScalars
from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.builtin import find_kind
from pkm_identification.mechanisms.hexapod.machine import Machine, builtin_machines
from pkm_identification.mechanisms.multibody.loading import load_description
from pkm_identification.mechanisms.multibody.mechanism import Mechanism, builtin_mechanisms


def document(name: str = "four-bar") -> dict[str, Any]:
    text = builtin_mechanisms()[name].read_text(encoding="utf-8")
    return copy.deepcopy(yaml.load(text, Loader=TextScalars))


def put(*path: Any) -> Callable[[dict[str, Any]], None]:
    """A change of a document: the last entry is put where those before it lead."""
    *parents, key, value = path

    def change(made: dict[str, Any]) -> None:
        place: Any = made
        for parent in parents:
            place = place[parent]
        place[key] = value

    return change


def take(*path: Any) -> Callable[[dict[str, Any]], None]:
    *parents, key = path

    def change(made: dict[str, Any]) -> None:
        place: Any = made
        for parent in parents:
            place = place[parent]
        del place[key]

    return change


def lonely_body(made: dict[str, Any]) -> None:
    made["bodies"]["island"] = {"mass": "1"}
    made["bodies"]["islet"] = {"mass": "1"}
    made["joints"]["bridge"] = {"type": "revolute", "bodies": ["island", "islet"]}


def many_bodies(made: dict[str, Any]) -> None:
    made["bodies"] = {f"body_{i}": {"mass": "1"} for i in range(10_000)}


def far_cylinder(made: dict[str, Any]) -> None:
    made["home"] = {
        "drives": dict.fromkeys(("length_1", "length_2", "length_4"), "0.2") | {"length_3": "0.9"}
    }
    del made["drives"]["length_3"]["limits"]  # beyond which home is refused before


def second_drive(made: dict[str, Any]) -> None:
    made["drives"]["p"] = {"joint": "rocker_pivot"}
    made["home"]["drives"]["p"] = "0.3"
    del made["motion"]


def idle_drive(made: dict[str, Any]) -> None:
    """A wheel on the ground turns without the four-bar, whose own coordinate then has no drive."""
    made["bodies"]["wheel"] = {"mass": "1", "inertia": ["1", "1", "1", "0", "0", "0"]}
    made["joints"]["axle"] = {"type": "revolute", "bodies": ["ground", "wheel"]}
    made["drives"] = {"q": {"joint": "axle"}, "p": {"sum": {"axle": "2"}}}
    made["home"]["drives"] = {}
    del made["motion"]


def stretched(made: dict[str, Any]) -> None:
    made["home"] = {"drives": {"q": "0"}}
    del made["motion"]


def doubling(made: dict[str, Any]) -> None:
    made["constants"] = {"a_0": "sqrt(2)"} | made["constants"]
    for k in range(40):
        made["constants"][f"a_{k + 1}"] = f"a_{k}*a_{k}+a_{k}*a_{k}"


def chained(made: dict[str, Any]) -> None:
    """Each constant a sum of a hundred terms more."""
    made["constants"]["b_0"] = "pi"
    for k in range(40):
        made["constants"][f"b_{k + 1}"] = f"b_{k}" + 96 * "+pi"


def powers(made: dict[str, Any]) -> None:
    made["constants"] |= {"c_0": "99/100"} | {f"c_{k + 1}": f"c_{k}^64" for k in range(8)}


def moved_by_a_sum(made: dict[str, Any]) -> None:
    made["drives"]["length_1"] = {"sum": {"guide_1": "1", "guide_2": "1"}}


def moved_by_a_length(made: dict[str, Any]) -> None:
    made["drives"]["length_1"] = {"length": {"ground": ["0.4", "0", "-1"], "slider_1": ["0", "0", "0"]}}
    made["home"]["outputs"] = {"z": "0.4"}


BAD = [
    (
        "four-bar",
        put("joints", "crank_pivot", "bodies", ["ground", "crnk"]),
        r"joints\.crank_pivot\.bodies .*'crnk'",
    ),
    ("four-bar", put("joints", "crank_pivot", "bodies", ["crank", "crank"]), "two different bodies"),
    ("four-bar", put("joints", "crank_pivot", "type", "hinge"), r"joints\.crank_pivot\.type .*one of"),
    ("four-bar", lonely_body, "body 'island' has no path"),
    (
        "four-bar",
        put("constants", "l4", "3"),
        r"home: the loop at joint 'rocker_tip' cannot close: gap of 1\.\d+ m",
    ),
    (
        "four-bar",
        second_drive,
        "drives: 2 of them, but the mechanism has 1 degree of freedom; .* moves with .*: drive .*, whose force is",
    ),
    ("mast", take("drives", "length_3"), "drives: 2 of them, but the mechanism has 3 degrees of freedom"),
    ("mast", take("outputs", "theta"), r"theta.*|outputs: 2 of them"),
    ("four-bar", idle_drive, "do not decide the mechanism's motion at home|does not move"),
    ("parallelogram", stretched, "home is at a change-point"),
    (
        "mast",
        put("home", "outputs", "psi", "1.5"),
        r"home: the loop at joint 'ball_\d' cannot close: gap of 0\.\d+ m",
    ),
    ("epaas", put("home", "outputs", "alpha", "x"), r"home\.outputs\.alpha"),
    (
        "epaas",
        far_cylinder,
        "home: out of reach: 'length_3' misses 0.9 by 0.5",
    ),
    ("four-bar", put("constants", "l1", "abc"), r"constants\.l1 = 'abc': names 'abc'"),
    ("four-bar", put("constants", "l1", "1/0"), r"constants\.l1 = '1/0': divides by zero"),
    ("four-bar", put("constants", "l1", "0.3 m"), r"constants\.l1 .*no number"),
    ("four-bar", put("constants", "l1", "1e30"), "no machine has more"),
    ("four-bar", put("constants", "l1", "sqrt(-1)"), "no finite value"),
    ("four-bar", put("constants", "l1", "(" * 290 + "1"), "more than 50 parentheses"),
    ("four-bar", put("constants", "l1", "-" * 290 + "1"), "more than 50 parentheses, signs"),
    ("four-bar", put("constants", "l1", "2" + "^1" * 140), "signs or powers within each other"),
    ("four-bar", chained, r"constants\.b_\d = .*made of too many operations"),
    ("four-bar", doubling, r"constants\.a_\d = .*made of too many operations"),
    ("four-bar", powers, r"constants\.c_\d = .*has too many digits"),
    ("four-bar", put("bodies", "crank", "mass", "-1"), r"bodies\.crank\.mass .*negative"),
    ("four-bar", put("bodies", "crank", "mas", "1"), "unknown key 'mas' in 'bodies.crank'"),
    ("four-bar", put("bodies", "ground", {"mass": "1"}), "what does not move"),
    ("four-bar", put("bodies", "world", {"mass": "1"}), "what does not move"),
    ("four-bar", put("bodies", "", {"mass": "1"}), "bodies has an entry named ''"),
    ("mast", put("bodies", "\ud800", {"mass": "1"}), "must be printable text"),
    ("mast", put("pose", "platform"), "pose: takes six degrees of freedom, but the mechanism has 3"),
    ("mast", put("closed_form", "name", "prs"), "closed_form.name = 'prs': must be one of prs_table"),
    ("mast", put("closed_form", "bar", "0"), "closed_form prs_table: needs"),
    ("mast", take("closed_form", "guides"), "closed_form prs_table: needs"),
    ("mast", moved_by_a_sum, "closed_form prs_table: needs"),
    ("mast", moved_by_a_length, "closed_form prs_table: needs"),
    (
        "four-bar",
        put("closed_form", {"name": "prs_table", "radius": "1", "bar": "1", "guides": "1"}),
        "needs radius",
    ),
    ("four-bar", put("geometry", {}), r"geometry belongs into a hexapod's file"),
    ("four-bar", put("kind", "machine"), "kind = 'machine': must be one of mechanism"),
    ("four-bar", put("schema", "2"), "schema"),
    ("four-bar", put("name", ["1"]), r"name = \['1'\]: must be text"),
    ("four-bar", many_bodies, "10000 entries; at most"),
    (
        "mast",
        put("bodies", "platform", "inertia", ["1", "1", "3", "0", "0", "0"]),
        r"bodies\.platform: no body has its inertia",
    ),
    (
        "mast",
        put("bodies", "platform", "inertia", ["-1", "1", "1", "0", "0", "0"]),
        r"bodies\.platform: no body",
    ),
    (
        "mast",
        put("bodies", "slider_1", {"parameters": ["0", "0.1", *["0"] * 8]}),
        "slider_1: has first moments but no mass",
    ),
    ("mast", put("bodies", "platform", "planar", True), "must be a list of 1 numbers|is planar"),
    (
        "mast",
        put("drives", "length_1", "joint", "hinge_9"),
        r"drives\.length_1\.joint names the joint 'hinge_9'",
    ),
    ("mast", put("drives", "length_1", "joint", "ball_1"), "which is spherical"),
    ("mast", put("drives", "length_1", "limits", ["1", "0"]), "least, greatest"),
    ("mast", put("outputs", "psi", "sequence", "yyx"), "x, y and z in some order"),
    ("mast", put("outputs", "z", "body", "table"), "'table', which is not there"),
    ("mast", put("joints", "hinge_1", "axis", ["0", "0", "0"]), "has no length"),
    ("mast", take("joints", "hinge_2", "reference"), "say which directions coincide"),
    ("mast", put("home", "guess", {"nothing": "1"}), "names no joint"),
    ("mast", put("home", "guess", {"ball_1": "1"}), "has 3 coordinates"),
    ("four-bar", put("motion", "samples", "0"), "whole number"),
    ("four-bar", put("motion", "period", "0"), "greater than zero"),
    (
        "four-bar",
        put("friction", {"viscous": ["1", "2"], "coulomb": ["0"]}),
        "friction.viscous must be 1 numbers",
    ),
    ("mast", put("friction", {"joints": {"base": "1"}}), "unknown key 'base' in 'friction.joints'"),
    ("mast", put("friction", {"joints": {"transition_rate": "0"}}), "friction.joints.transition_rate"),
    ("mast", put("friction", {"joints": "3"}), "friction.joints"),
]


@pytest.mark.parametrize(("name", "change", "message"), BAD)
def test_a_bad_description_is_refused_in_one_line(name, change, message):
    made = document(name)
    change(made)
    with pytest.raises(MachineError, match=message) as caught:
        Mechanism.from_document(made, source="bad.yaml")
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith("bad.yaml")


def test_two_bodies_of_one_name_are_refused(tmp_path):
    path = tmp_path / "twice.yaml"
    path.write_text(
        "schema: 1\nkind: mechanism\nname: x\nbodies:\n  a: {mass: 1}\n  a: {mass: 2}\n", encoding="utf-8"
    )
    with pytest.raises(MachineError, match="line 6: not YAML: key 'a' is given twice"):
        Mechanism.load(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "not YAML"),
        ("", "must be a mapping"),
        ("- 1", "must be a mapping"),
        ("schema: 1", "key 'bodies' is missing"),
    ],
)
def test_what_is_no_description_is_refused(tmp_path, text, message):
    path = tmp_path / "bad.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(MachineError, match=message):
        Mechanism.load(path)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(MachineError, match="cannot be read"):
        Mechanism.load(tmp_path / "none.yaml")
    with pytest.raises(MachineError, match="is neither built in"):
        Mechanism.load("none")


def test_a_mechanism_is_no_hexapod_and_the_reverse():
    mast, uf = builtin_mechanisms()["mast"], builtin_machines()["uf"]
    for given in (mast, "mast"):
        with pytest.raises(MachineError, match="hexapod"):
            Machine.load(given)
    with pytest.raises(MachineError, match="is a hexapod"):
        Mechanism.load("uf")
    with pytest.raises(MachineError, match="geometry belongs into a hexapod's file"):
        Mechanism.load(uf)


@pytest.mark.parametrize("name", ["mast", "uf"])
def test_a_file_is_known_by_its_keys_where_it_says_no_kind(name, tmp_path):
    path = tmp_path / "made.yaml"
    text = (builtin_mechanisms() | builtin_machines())[name].read_text(encoding="utf-8")
    path.write_text(text.replace("kind: mechanism\n", ""), encoding="utf-8")
    assert find_kind(path) == find_kind(name)
    assert load_description(path).name == name
    path.write_text(f"kind: {find_kind(name)}\n{text.replace('kind: mechanism', '')}", encoding="utf-8")
    assert load_description(path).name == name


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name: x", "is no machine description; its keys: name"),
        ("geometry: {}\nbodies: {}", r"keys of 'hexapod' \(geometry\) and of 'mechanism' \(bodies\)"),
        ("kind: hexapd", "must be one of hexapod, mechanism.*hexapod"),
        ("- 1", "must be a mapping"),
        ("[", "not YAML"),
    ],
)
def test_a_file_of_no_kind_is_refused(text, says, tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(MachineError, match=says) as caught:
        load_description(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("inertia", [["0"] * 6, ["0", "0.1352", "0", "0", "0", "0"]])
def test_an_inertia_of_which_nothing_else_is_felt_is_allowed(inertia):
    made = document("epaas")
    made["bodies"]["link_1"]["inertia"] = inertia
    assert Mechanism.from_document(made).degrees_of_freedom == 5
    made["bodies"]["link_2"]["inertia"] = ["0", "0.1352", "0", "0", "0", "0"]
    with pytest.raises(MachineError, match=r"bodies\.link_2: no body"):
        Mechanism.from_document(made)


@pytest.mark.parametrize("name", sorted(builtin_mechanisms()))
def test_built_in_mechanisms_are_read(name):
    mechanism = Mechanism.load(name)
    assert mechanism.name == name
    assert mechanism.redundant_constraints == ()


def test_redundant_constraints_of_a_spatial_four_bar_are_named():
    """Four parallel hinges between bodies that may leave the plane: three of the last one's five say nothing new."""
    made = document("four-bar")
    for body in made["bodies"].values():
        body["planar"] = False
        body["inertia"] = ["0.1", "0.1", "0.1", "0", "0", "0"]
    mechanism = Mechanism.from_document(made)
    assert (mechanism.degrees_of_freedom, mechanism.loops) == (1, 1)
    assert len(mechanism.redundant_constraints) == 3
    assert all(text.startswith("rocker_tip: ") for text in mechanism.redundant_constraints)


@pytest.mark.parametrize(
    ("name", "freedom", "loops", "bodies"), [("suspension", 2, 3, 7), ("four-bar", 1, 1, 3)]
)
def test_degrees_of_freedom_and_loops_are_counted(name, freedom, loops, bodies):
    mechanism = Mechanism.load(name)
    assert (mechanism.degrees_of_freedom, mechanism.loops) == (freedom, loops)
    assert len(mechanism.description.bodies) == bodies


def test_what_is_wrong_with_several_entries_is_said_at_once():
    made = document()
    first, second, *_ = made["bodies"]
    made["bodies"][first]["mass"] = "-1"
    made["bodies"][second]["weight"] = "2"
    with pytest.raises(MachineError) as caught:
        Mechanism.from_document(made)
    said = str(caught.value)
    assert "2 problems: (1) " in said
    assert f"bodies.{first}.mass = '-1': must not be negative" in said
    assert f"unknown key 'weight' in 'bodies.{second}'" in said
    assert "\n" not in said
