# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What resists along a coordinate that one drive alone moves is that drive's friction, and no effect besides."""

from __future__ import annotations

import copy

import pytest
from core.machines.every_machine import machine as make_machine

from pkm_identification.identification.model_errors.platform.outside_forces import (
    DAMPER,
    FRICTION,
    SPRING,
    effects,
    find_own_drives,
)
from pkm_identification.machines.load import read_machine

SLIDES = {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}


def gantry(**friction):
    """Return three slides on each other."""
    bodies = {f"carriage_{name}": {"mass": 8.0, "inertia": [0.1, 0.1, 0.1, 0, 0, 0]} for name in SLIDES}
    carriers = ["ground", *bodies]
    across = {"x": [0, 1, 0], "y": [1, 0, 0], "z": [1, 0, 0]}
    joints = {
        name: {"type": "prismatic", "bodies": carriers[k : k + 2], "place": [[0, 0, 0]] * 2, "axis": [axis] * 2,
               "reference": [across[name]] * 2}
        for k, (name, axis) in enumerate(SLIDES.items())
    }  # fmt: skip
    drives = {name: {"joint": name, "limits": [-0.5, 0.5]} for name in SLIDES}
    return read_machine(
        {"schema": 1, "kind": "mechanism", "name": "gantry", "bodies": bodies, "joints": joints,
         "drives": drives, "home": {"drives": dict.fromkeys(SLIDES, 0.0)}, "friction": friction}
    )  # fmt: skip


def name_effects(machine):
    return {one.name: one.parts for one in effects(machine)}


def test_each_axis_of_a_gantry_has_a_drive_of_its_own():
    machine = gantry(viscous=[10.0] * 3, coulomb=[5.0] * 3)
    assert find_own_drives(machine) == [0, 1, 2]
    named = name_effects(machine)
    assert DAMPER not in named
    assert FRICTION not in named
    assert len(named[SPRING]) == 3


@pytest.mark.parametrize("name", ["uf", "mast", "delta", "five_bar", "arm_7"])
def test_no_coordinate_belongs_to_one_drive_where_several_move_it(name):
    machine = make_machine(name)
    assert set(find_own_drives(machine)) == {None}
    assert len(name_effects(machine)[DAMPER]) == len(find_own_drives(machine))


def test_a_lift_below_turning_joints_keeps_dampers_along_all_other_coordinates():
    machine = copy.copy(make_machine("epaas"))
    own = find_own_drives(machine)
    assert own.count(None) == len(own) - 1
    assert len(name_effects(machine)[DAMPER]) == len(own) - 1
