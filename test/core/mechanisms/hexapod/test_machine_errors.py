# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Machine files with errors: every key, every kind of value, and the words they are refused with."""

from __future__ import annotations

import copy
import itertools
import re

import pytest
from core.mechanisms.hexapod.machine_variants import (
    DELETED,
    document,
    edited,
    refused,
)

from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.hexapod.machine import Machine, builtin_machines

pytestmark = pytest.mark.slow

BODY = {"mass": 1.0, "center_of_mass": 0.1, "inertia": [0.1, 0.01]}
STRUT = {"body_b": dict(BODY), "body_e": dict(BODY)}


REQUIRED = [
    "schema",
    "name",
    "geometry",
    "geometry.base_joints",
    "geometry.platform_joints",
    "geometry.base_joint.type",
    "geometry.home",
    "geometry.home.position",
    "geometry.length_limits",
    "platform",
    "platform.mass",
    "platform.inertia",
    "strut.body_b",
    "strut.body_e",
    "strut.body_b.mass",
    "strut.body_b.center_of_mass",
    "strut.body_b.inertia",
    "strut.body_e.mass",
    "strut.body_e.center_of_mass",
    "strut.body_e.inertia",
    "drive.sample_rate",
    "drive.encoder.counts_per_meter",
    "drive.encoder.length_at_zero",
    "drive.motor.torque_constant",
    "drive.motor.screw_lead",
    "drive.motor.force_limit",
]
OPTIONAL = [
    "description",
    "gravity",
    "geometry.base_joint",
    "geometry.base_joint.first_axis",
    "geometry.home.quaternion",
    "geometry.rate_limit",
    "platform.center_of_mass",
    "friction",
    "friction.viscous",
    "friction.coulomb",
    "friction.transition_rate",
    "drive",
    "drive.encoder",
    "drive.motor",
    "drive.motor.gear_ratio",
    "drive.motor.efficiency",
]
PLACES = [
    "",
    "geometry",
    "geometry.base_joint",
    "geometry.home",
    "platform",
    "strut",
    "strut.body_b",
    "strut.body_e",
    "friction",
    "drive",
    "drive.encoder",
    "drive.motor",
]


@pytest.mark.parametrize("path", REQUIRED)
def test_missing_key_is_named(path):
    assert f"key '{path}' is missing" in refused(edited(path, DELETED))


@pytest.mark.parametrize("path", OPTIONAL)
def test_optional_key_may_be_left_out(path):
    Machine.from_document(edited(path, DELETED))


def test_required_and_optional_keys_are_all_keys_of_the_file():
    def walk(node, prefix=""):
        for key, value in node.items():
            yield prefix + key
            if isinstance(value, dict):
                yield from walk(value, f"{prefix}{key}.")

    assert set(walk(document("uf"))) == {*REQUIRED, *OPTIONAL, "strut"}


@pytest.mark.parametrize("place", PLACES)
def test_unknown_key_is_named_with_those_allowed(place):
    path = f"{place}.colour" if place else "colour"
    text = refused(edited(path, "red"))
    assert "unknown key 'colour'" in text
    if place:
        assert f"'{place}'" in text
    known = document("uf")
    for key in place.split(".") if place else ():
        known = known[key]
    for key in known:
        assert key in text.split("allowed:")[1]


NAN, INF = float("nan"), float("inf")
WRONG = [
    ("schema", 2, "reads schema 1"),
    ("schema", "1", "reads schema 1"),
    ("name", 7, "must be text"),
    ("name", None, "must be text"),
    ("description", ["a"], "must be text"),
    ("gravity", [0.0, -9.81], "3 numbers"),
    ("gravity", "down", "3 numbers"),
    ("gravity", [0.0, 0.0, NAN], "not finite"),
    ("geometry", 3, "mapping"),
    ("geometry", None, "mapping"),
    ("geometry.base_joints", [[0.0, 0.0, 0.0]] * 5, "6 x 3 numbers, found 5 x 3"),
    ("geometry.base_joints", [[0.0, 0.0]] * 6, "6 x 3 numbers, found 6 x 2"),
    ("geometry.base_joints", [[0.0, 0.0, 0.0]] * 5 + [[0.0, 0.0]], "6 x 3 numbers"),
    ("geometry.platform_joints", [[0.0, 0.0, "x"]] * 6, "6 x 3 numbers"),
    ("geometry.platform_joints", 4.0, "6 x 3 numbers, found a single value"),
    ("geometry.platform_joints", [[0.0, 0.0, INF]] * 6, "not finite"),
    ("geometry.base_joint", "universal", "mapping"),
    ("geometry.base_joint.type", "ball", "one of no_spin, universal, spherical"),
    ("geometry.base_joint.first_axis", [0.0, 0.0, 0.0], "no length"),
    ("geometry.home.position", [0.0, 0.0], "3 numbers"),
    ("geometry.home.quaternion", [0.0, 0.0, 0.0, 2.0], "length 1"),
    ("geometry.home.quaternion", [0.0, 0.0, 0.0, 0.0], "length 1"),
    ("geometry.length_limits", [0.5, 0.3], "shortest < longest"),
    ("geometry.length_limits", [0.0, 0.5], "0 < shortest"),
    ("geometry.length_limits", [0.3, 0.5, 0.7], "2 numbers"),
    ("geometry.rate_limit", 0.0, "greater than zero"),
    ("geometry.rate_limit", True, "must be a number"),
    ("platform.mass", -4.82, "greater than zero"),
    ("platform.mass", 0, "greater than zero"),
    ("platform.mass", NAN, "finite"),
    ("platform.mass", "heavy", "must be a number"),
    ("platform.mass", None, "must be a number"),
    ("platform.center_of_mass", [0.0], "3 numbers"),
    ("platform.inertia", [1.0, 1.0, 1.0, 1.0], "6 numbers"),
    ("platform.inertia", [1.0, 1.0, 3.0, 0.0, 0.0, 0.0], "at most the sum of the other two"),
    ("platform.inertia", [1.0, 1.0, -1.0, 0.0, 0.0, 0.0], "must be positive"),
    ("platform.inertia", [1.0, 1.0, 1.0, 1.5, 0.0, 0.0], "must be positive"),
    ("strut.body_b.mass", 0.0, "greater than zero"),
    ("strut.body_b.center_of_mass", INF, "finite"),
    ("strut.body_b.inertia", [-0.1, 0.01], "not be negative"),
    ("strut.body_b.inertia", [0.1, 0.21], "twice the transverse"),
    ("strut.body_b.inertia", [0.1], "2 numbers"),
    ("strut.body_e.mass", -1.0, "greater than zero"),
    ("strut.body_e.center_of_mass", "middle", "must be a number"),
    ("strut.body_e.inertia", [0.0, 0.1], "twice the transverse"),
    ("friction.viscous", [1.0] * 5, "6 numbers, found 5"),
    ("friction.viscous", [-1.0] * 6, "not be negative"),
    ("friction.coulomb", [1.0] * 5 + [NAN], "not finite"),
    ("friction.coulomb", [1.0] * 5 + [-1e-9], "not be negative"),
    ("friction.transition_rate", 0.0, "greater than zero"),
    ("drive", 4, "mapping"),
    ("drive.sample_rate", 0, "greater than zero"),
    ("drive.encoder", [], "mapping"),
    ("drive.encoder.counts_per_meter", -800000, "greater than zero"),
    ("drive.encoder.length_at_zero", [0.4] * 7, "6 numbers, found 7"),
    ("drive.motor.torque_constant", 0.0, "greater than zero"),
    ("drive.motor.screw_lead", -0.005, "greater than zero"),
    ("drive.motor.gear_ratio", "1:3", "must be a number"),
    ("drive.motor.efficiency", 1.2, "at most 1"),
    ("drive.motor.force_limit", INF, "finite"),
]


@pytest.mark.parametrize(("path", "value", "expected"), WRONG)
def test_wrong_value_is_named_with_what_is_allowed(path, value, expected):
    text = refused(edited(path, value))
    assert path in text
    assert expected in text


def test_every_key_has_a_wrong_value_above():
    tried = {path for path, _, _ in WRONG}
    containers = {
        "platform",
        "strut",
        "strut.body_b",
        "strut.body_e",
        "friction",
        "drive.motor",
        "geometry.home",
    }
    assert {*REQUIRED, *OPTIONAL} - tried - containers == set()


@pytest.mark.parametrize(
    "path", ["platform", "strut", "friction", "drive.motor", "geometry.home", "strut.body_b"]
)
@pytest.mark.parametrize("value", [None, [], "x", 1.0])
def test_a_group_of_keys_must_be_a_mapping(path, value):
    text = refused(edited(path, value))
    assert path in text
    assert "mapping" in text


@pytest.mark.parametrize("whole", [None, [], "text", 3, {}])
def test_document_that_is_no_description(whole):
    refused(whole)


def test_struts_must_be_six_or_one_for_all():
    both = document("uf") | {"struts": [STRUT] * 6}
    neither = edited("strut", DELETED)
    for made in (both, neither):
        assert "'strut' (all equal) or 'struts' (a list of six)" in refused(made)
    for wrong in ([STRUT] * 5, STRUT, None):
        assert "a list of six" in refused(neither | {"struts": wrong})
    broken = [copy.deepcopy(STRUT) for _ in range(6)]
    broken[3]["body_e"]["mass"] = -1.0
    assert "struts[4].body_e.mass" in refused(neither | {"struts": broken})


def test_home_outside_the_limits_names_the_strut():
    assert re.search(r"geometry\.home: strut .*1 \(.* m\).*\[0\.3, 0\.31\]", refused(
        edited("geometry.length_limits", [0.30, 0.31])))  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("missing.yaml", None, "cannot be read"),
        ("binary.yaml", b"\xff\xfe\x00\x80", "is not a text file"),
        ("broken.yaml", b"a: [1, 2\nb: 3", "not YAML"),
        ("empty.yaml", b"", "mapping"),
        ("list.yaml", b"- 1\n- 2\n", "mapping"),
    ],
)
def test_unusable_file_is_named(tmp_path, name, content, expected):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(MachineError, match=expected) as caught:
        Machine.load(path)
    assert name in str(caught.value)


def test_folder_and_unknown_name_are_refused(tmp_path):
    (tmp_path / "folder.yaml").mkdir()
    with pytest.raises(MachineError, match="cannot be read"):
        Machine.load(tmp_path / "folder.yaml")
    with pytest.raises(MachineError, match="ford, hexel, uf"):
        Machine.load("delta")


def test_key_given_twice_is_refused(tmp_path):
    path = tmp_path / "machine.yaml"
    path.write_text(builtin_machines()["uf"].read_text() + "\nname: other\n")
    with pytest.raises(MachineError, match=r"machine\.yaml.*'name' is given twice"):
        Machine.load(path)


def test_number_that_yaml_takes_for_text_gets_a_hint():
    assert "5.0e-5" in refused(edited("platform.mass", "5e-5"))


def test_all_problems_of_a_file_are_said_at_once_with_what_was_meant():
    made = edited("platform.mass", DELETED)
    made["platform"]["mas"] = 5.0
    made["geometry"]["base_joints"][2] = [1.0, 2.0]
    made["geometry"]["rate_limt"] = 1.0
    made["strut"]["body_b"]["mass"] = -1.0
    made["friction"]["law"] = "columb"
    made["drive"]["sample_rate"] = "fast"
    made["tolerance"] = {}
    text = refused(made)
    assert text.startswith("file.yaml: 7 problems: (1) ")
    for number, problem in enumerate(
        (
            "geometry.base_joints must be 6 x 3 numbers",
            "unknown key 'rate_limt' in 'geometry'; allowed: ",
            "unknown key 'mas' in 'platform'; allowed: ",
            "strut.body_b.mass = -1: must be greater than zero",
            "friction.law = 'columb': must be one of ",
            "drive.sample_rate = 'fast': must be a number",
            "unknown key 'tolerance'; allowed: ",
        )
    ):
        assert problem in text, number
    for meant in ("rate_limit", "mass", "coulomb", "tolerances"):
        assert f"did you mean '{meant}'?" in text
    # a misspelt key is not missing besides, and what stands in for a bad value is never complained about
    assert "is missing" not in text
    assert "1.0, 1.0" not in text


def test_every_pair_of_wrong_values_is_named_in_one_message():
    """Two errors in different parts: both are said, whichever comes first."""
    wrong = {
        "gravity": [1.0],
        "geometry.home.quaternion": [2.0, 0.0, 0.0, 0.0],
        "geometry.length_limits": [1.0, 0.5],
        "platform.inertia": [1.0, 1.0, 3.0],
        "strut.body_e.inertia": [0.0, 0.1],
        "friction.viscous": "much",
        "drive.motor.efficiency": 2.0,
    }
    for first, second in itertools.combinations(wrong, 2):
        made = edited(first, wrong[first])
        *parents, last = second.split(".")
        place = made
        for key in parents:
            place = place[key]
        place[last] = wrong[second]
        text = refused(made)
        assert "2 problems: " in text
        assert f") {first} " in text
        assert f") {second} " in text


def test_a_misspelt_law_does_not_make_its_keys_unknown():
    made = edited("friction.law", "stribek")
    made["friction"] |= {"static_ratio": 1.4, "stribeck_rate": 0.01}
    text = refused(made)
    assert "did you mean 'stribeck'?" in text
    assert "unknown" not in text


def test_a_misspelt_built_in_name_is_answered_with_the_one_meant():
    with pytest.raises(MachineError, match=r"machine 'hexl': .*did you mean 'hexel'"):
        Machine.load("hexl")
