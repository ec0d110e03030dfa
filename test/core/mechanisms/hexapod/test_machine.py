"""The machine's description: what is read, and what is refused with which words."""

from __future__ import annotations

import copy
import dataclasses
import re

import numpy as np
import pytest
import yaml
from core.mechanisms.hexapod.machine_variants import BUILTIN, changed, document, untidy, with_joint
from core.platform_motions import lengths

from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.hexapod.machine import Machine, builtin_machines

pytestmark = pytest.mark.slow

BODY = {"mass": 1.0, "center_of_mass": 0.1, "inertia": [0.1, 0.01]}
STRUT = {"body_b": dict(BODY), "body_e": dict(BODY)}
DELETED = object()


def edited(path: str, value: object) -> dict:
    """The uf description with one place (path of keys and indices joined by '.') replaced, added or deleted."""
    made = document("uf")
    *parents, last = path.split(".")
    place = made
    for key in parents:
        place = place[key]
    if value is DELETED:
        del place[last]
    else:
        place[last] = value
    return made


def refused(made: object) -> str:
    with pytest.raises(MachineError) as caught:
        Machine.from_document(made, source="file.yaml")
    text = str(caught.value)
    assert text.startswith("file.yaml: ")
    assert "\n" not in text
    return text


@pytest.mark.parametrize("name", BUILTIN)
def test_builtin_machines_load_and_hold_what_their_file_says(name):
    machine = Machine.load(name)
    assert machine.name == name
    assert machine.universal
    assert machine.drive is not None
    assert machine.platform.mass == machine.document["platform"]["mass"]
    assert len(machine.struts) == 6
    home = lengths(machine, machine.home_position[None], machine.home_rotation[None])[0]
    assert np.all((home > machine.length_limits[0]) & (home < machine.length_limits[1]))


def test_builtin_machines_are_those_of_the_design():
    assert set(builtin_machines()) == {*BUILTIN, "uf_belt", "uf_hydraulic"}


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
    ("platform.inertia", [1.0, 1.0, 1.0], "6 numbers"),
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
        assert "'strut' (all alike) or 'struts' (a list of six)" in refused(made)
    for wrong in ([STRUT] * 5, STRUT, None):
        assert "struts must be a list of six struts" in refused(neither | {"struts": wrong})
    broken = [copy.deepcopy(STRUT) for _ in range(6)]
    broken[3]["body_e"]["mass"] = -1.0
    assert "struts[4].body_e.mass" in refused(neither | {"struts": broken})


def test_struts_differ_when_listed():
    machine = Machine.from_document(untidy("uf", seed=3))
    assert len({strut.body_b.mass for strut in machine.struts}) == 6


def test_home_outside_the_limits_names_the_strut():
    assert re.search(r"geometry\.home: strut .*1 \(.* m\).*\[0\.3, 0\.31\]", refused(
        edited("geometry.length_limits", [0.30, 0.31])))  # fmt: skip


def triangle(radius: float, turn: float) -> np.ndarray:
    angle = np.deg2rad([0.0, 120.0, 240.0]) + turn
    return radius * np.column_stack([np.cos(angle), np.sin(angle), np.zeros(3)])


def special(fraction: float) -> dict:
    """A special 6-6 machine: vertices joined to side points at a fraction of the sides, both ways round."""
    base, platform = triangle(0.47, 0.0), triangle(0.35, -np.pi / 3)

    def side(points, i):
        return points[i] + fraction * (points[(i + 1) % 3] - points[i])

    pairs = []
    for i in range(3):
        pairs.append((base[i], side(platform, i)))
        pairs.append((side(base, i), platform[(i + 1) % 3]))
    made = edited("geometry.base_joints", [b.tolist() for b, _ in pairs])
    made["geometry"]["platform_joints"] = [p.tolist() for _, p in pairs]
    made["geometry"]["length_limits"] = [0.2, 0.9]
    return made


def test_joints_at_the_middle_of_both_triangles_sides_are_refused_as_architecturally_singular():
    assert "architecturally singular" in refused(special(0.5))


def test_the_same_machine_with_joints_off_the_middle_is_good():
    Machine.from_document(special(0.42))


def test_joints_all_in_one_point_are_refused():
    assert "singular" in refused(edited("geometry.platform_joints", [[0.0, 0.0, 0.0]] * 6))


def test_singular_home_of_a_good_machine_is_refused_as_such():
    # turned by 90 degrees about its axis a hexapod with all joints in two planes is singular (Fichter 1986)
    made = document("hexel")
    hexagon = triangle(0.4, 0.0)
    points = np.vstack([hexagon, -hexagon])[[0, 4, 1, 5, 2, 3]]
    made["geometry"]["base_joints"] = points.tolist()
    made["geometry"]["platform_joints"] = (0.6 * points).tolist()
    made["geometry"]["length_limits"] = [0.1, 2.0]
    made["geometry"]["home"] = {
        "position": [0.0, 0.0, -0.35],
        "quaternion": [0.0, 0.0, float(np.sin(np.pi / 4)), float(np.cos(np.pi / 4))],
    }
    assert "singular" in refused(made)


def test_hash_follows_the_content_and_not_the_formatting(tmp_path):
    original = Machine.load("uf")
    plain = tmp_path / "plain.yaml"
    plain.write_text(
        "# another comment\n" + yaml.safe_dump(document("uf"), default_flow_style=True, sort_keys=True)
    )
    assert Machine.load(plain).hash == original.hash
    heavier = Machine.from_document(changed("uf", platform__mass=4.83))
    assert heavier.hash != original.hash
    assert Machine.from_document(with_joint("uf", "no_spin")).hash != original.hash
    assert re.fullmatch("[0-9a-f]{16}", original.hash)


def test_machine_cannot_be_changed():
    machine = Machine.load("uf")
    with pytest.raises(dataclasses.FrozenInstanceError):
        machine.name = "other"
    for array in (machine.base_joints, machine.home_rotation, machine.first_axes, machine.platform.inertia):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_first_axis_need_not_be_of_unit_length():
    machine = Machine.from_document(with_joint("uf", "universal", (0.0, 3.0, 4.0)))
    np.testing.assert_allclose(machine.first_axes, np.tile([0.0, 0.6, 0.8], (6, 1)), atol=1e-15)


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
