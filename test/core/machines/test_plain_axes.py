# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Axes without lengths, and bodies that a fixed joint holds together, are machines as any other."""

from __future__ import annotations

from pkm_identification.machines.load import read_machine
from pkm_identification.report.figures.machine import machine_figure
from pkm_identification.report.figures.style import png

SLIDE = {"type": "prismatic", "bodies": ["ground", "car"], "axis": [1, 0, 0]}


def rail(**joints):
    bodies = {"car": {"mass": 12}, **({"plate": {"mass": 3}} if joints else {})}
    return read_machine(
        {"schema": 1, "kind": "mechanism", "name": "rail", "bodies": bodies, "joints": {"x": SLIDE, **joints},
         "drives": {"x": {"joint": "x", "limits": [-0.3, 0.3]}}}
    )  # fmt: skip


def test_a_machine_of_no_extent_is_drawn():
    assert png(machine_figure(rail()))


def test_fixed_joints_get_no_friction():
    machine = rail(bolts={"type": "fixed", "bodies": ["car", "plate"]})
    assert machine.with_joint_friction() is not None
