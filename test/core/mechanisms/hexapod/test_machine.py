# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The machine's description: what is read, and which geometries are no machine."""

from __future__ import annotations

import copy
import dataclasses
import re

import numpy as np
import pytest
import yaml
from core.mechanisms.hexapod.machine_variants import (
    BUILTIN,
    changed,
    document,
    edited,
    refused,
    untidy,
    with_joint,
)
from core.platform_motions import lengths

from pkm_identification.mechanisms.hexapod.machine import Machine, builtin_machines

pytestmark = pytest.mark.slow


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


def test_struts_differ_when_listed():
    machine = Machine.from_document(untidy("uf", seed=3))
    assert len({strut.body_b.mass for strut in machine.struts}) == 6


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


def test_joints_at_the_middle_of_sides_are_architecturally_singular():
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


def test_short_forms_are_the_long_ones():
    long = edited("friction.viscous", [800.0] * 6)
    long["friction"]["coulomb"] = [40.0] * 6
    long["platform"]["inertia"] = [0.1, 0.1, 0.18, 0.0, 0.0, 0.0]
    long["drive"] |= {"force_gain": [1.1] * 6, "force_offset": [3.0] * 6}
    long["drive"]["encoder"]["length_at_zero"] = [0.43] * 6
    short = edited("friction.viscous", 800.0)
    short["friction"]["coulomb"] = 40.0
    short["platform"]["inertia"] = [0.1, 0.1, 0.18]
    short["drive"] |= {"force_gain": 1.1, "force_offset": 3.0}
    short["drive"]["encoder"]["length_at_zero"] = 0.43
    before = copy.deepcopy(short)
    machine = Machine.from_document(short)
    assert short == before
    assert machine.document == long
    assert machine.hash == Machine.from_document(long).hash
