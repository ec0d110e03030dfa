# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0


"""Lines of a machine: rigid bodies keep their lengths in motion, drives between two points have their coordinate's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pkm_identification.browser.machine_scene import machine_scene, scene_frames
from pkm_identification.machines.load import load_machine
from pkm_identification.machines.motions import join_states
from pkm_identification.machines.outline import BodyOutline, create_outline, place_at_home
from pkm_identification.mechanisms.multibody.description.records import GROUND
from pkm_identification.mechanisms.multibody.mechanism import Mechanism

from .every_machine import EVERY, machine, smooth_drives

SLOW = {
    "epaas",
    "mast_belt",
    "epaas_hydraulic",
    "pus",
    "rss",
    "ford",
    "hexel",
    "uf_belt",
    "uf_hydraulic",
    "arm_7",
}


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=pytest.mark.slow) if one in SLOW else one for one in EVERY]
)
def test_lines_move_as_rigid_bodies_and_drives_do(name):
    one = machine(name)
    outline = create_outline(one)
    motion = one.compute_motion(*smooth_drives(one, count=6))
    states = join_states(motion)
    placed = np.array([outline.place(state) for state in states])
    length = np.linalg.norm(placed[:, :, 1] - placed[:, :, 0], axis=2)
    home = np.linalg.norm(np.diff(place_at_home(one, outline), axis=1)[:, 0], axis=1)
    np.testing.assert_allclose(length[:, ~outline.driven], np.tile(home[~outline.driven], (6, 1)), atol=1e-10)
    if outline.driven.any():
        np.testing.assert_allclose(length[:, outline.driven], motion.coordinate, atol=1e-9)
    assert np.ptp(placed[:, ~outline.fixed], axis=0).max() > 1e-4
    chosen, frames = scene_frames(one, states)
    assert len(frames) == len(states[chosen])
    scene = machine_scene(one)
    if "lines" in scene:
        assert len(frames[0]) == sum(len(body["points"]) for body in scene["lines"])


def list_base_lines(joints) -> set[frozenset[tuple[float, ...]]]:
    """Lines of the base of a hexapod as bodies, whatever their order and direction."""
    uf = load_machine("uf").description
    outline = BodyOutline(Mechanism.from_machine(replace(uf, base_joints=uf.base_joints[joints])))
    lines = [points for owner, points in zip(outline.owners, outline.points, strict=True) if owner == GROUND]
    return {frozenset(tuple(end) for end in line) for line in lines}


def test_a_body_has_the_same_polygon_in_any_order_of_its_joints():
    lines = list_base_lines([0, 1, 2, 3, 4, 5])
    assert len(lines) == 6
    # struts cross, so that neighbours in the file are none around the base
    assert list_base_lines([1, 0, 2, 4, 3, 5]) == lines
