# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Planar four-bars: the linkage by plane geometry, its Lagrangian, and where it stops."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import yaml

from pkm_identification.document import TextScalars
from pkm_identification.errors import MotionRefused
from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism, builtin_mechanisms

L1, L2, L3, L4 = 0.30, 0.70, 0.50, 0.80
DENSITY = 2.0  # kg/m


@cache
def four_bar() -> Mechanism:
    return Mechanism.load("four-bar")


def angles(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Absolute angles of coupler and rocker, the joint between them above the ground line, by plane geometry."""
    tip = L1 * np.stack([np.cos(q), np.sin(q)])
    across = np.array([L4, 0.0])[:, None] - tip
    span = np.linalg.norm(across, axis=0)
    lean = np.arctan2(across[1], across[0])
    coupler = lean + np.arccos((span**2 + L2**2 - L3**2) / (2 * span * L2))
    end = tip + L2 * np.stack([np.cos(coupler), np.sin(coupler)])
    return coupler, np.arctan2(end[1], end[0] - L4)


def energy(q: float, rate: float) -> tuple[float, float]:
    h = 1e-6
    points = [_points(np.array([q + k * h]))[:, :, 0] for k in (-1, 0, 1)]
    velocity = (points[2] - points[0]) / (2 * h) * rate
    kinetic = potential = 0.0
    for start, end, length in ((0, 1, L1), (1, 2, L2), (3, 2, L3)):
        a, b = velocity[start], velocity[end]
        kinetic += DENSITY * length / 6 * (a @ a + a @ b + b @ b)
        potential += DENSITY * length * 9.81 * (points[1][start, 1] + points[1][end, 1]) / 2
    return kinetic, potential


def _points(q: np.ndarray) -> np.ndarray:
    """Pivot, crank tip, coupler end, rocker pivot: shape (4, 2, N)."""
    coupler, _ = angles(q)
    tip = L1 * np.stack([np.cos(q), np.sin(q)])
    end = tip + L2 * np.stack([np.cos(coupler), np.sin(coupler)])
    nothing = np.zeros_like(tip)
    return np.stack([nothing, tip, end, nothing + np.array([L4, 0.0])[:, None]])


def test_it_has_one_loop_and_one_degree_of_freedom():
    assert (four_bar().loops, four_bar().degrees_of_freedom) == (1, 1)
    assert four_bar().redundant_constraints == ()


def test_angles_are_those_of_plane_geometry_all_the_way_round():
    q = np.linspace(1.2 - np.pi, 1.2 + np.pi, 101)
    found = kinematics.close_drives(four_bar(), q[:, None])
    assert found.found.all()
    coupler, rocker = angles(q)
    readings = kinematics.read(four_bar(), "readings", found.configuration)
    np.testing.assert_allclose(np.exp(1j * readings[:, 0]), np.exp(1j * coupler), atol=1e-10)
    np.testing.assert_allclose(np.exp(1j * readings[:, 1]), np.exp(1j * rocker), atol=1e-10)


def test_torque_is_that_of_the_lagrangian():
    rng = np.random.default_rng(0)
    q, rate, acceleration = rng.uniform(-3, 3, 20), rng.normal(0, 3, 20), rng.normal(0, 20, 20)
    motion = kinematics.motion_of_drives(four_bar(), q[:, None], rate[:, None], acceleration[:, None])
    torque = dynamics.forces(four_bar(), motion)[:, 0]
    h = 1e-4
    for n in range(20):
        inertia = [2 * energy(q[n] + k * h, 1.0)[0] for k in (-1, 0, 1)]
        height = [energy(q[n] + k * h, 0.0)[1] for k in (-1, 1)]
        slope = (inertia[2] - inertia[0]) / (2 * h)
        expected = (
            inertia[1] * acceleration[n] + 0.5 * slope * rate[n] ** 2 + (height[1] - height[0]) / (2 * h)
        )
        assert torque[n] == pytest.approx(expected, rel=1e-5, abs=1e-5)


def driven_by_the_rocker(**constants: str) -> Mechanism:
    """The four-bar with its rocker driven: where crank and coupler are in line, it stops."""
    made = yaml.load(builtin_mechanisms()["four-bar"].read_text(encoding="utf-8"), Loader=TextScalars)
    made["constants"].update(constants)
    made["drives"] = {"q": {"joint": "rocker_pivot"}}
    made["home"] = {"drives": {"q": "2.2"}, "guess": {"crank_pivot": "1.2", "crank_tip": "-1"}}
    del made["motion"], made["readings"]
    return Mechanism.from_document(made)


def test_a_dead_point_is_refused_with_the_pose():
    """Crank and coupler stretched make a triangle of .8, .5 and 1 m: the rocker goes no further."""
    made = driven_by_the_rocker()
    furthest = np.pi - np.arccos((L4**2 + L3**2 - (L1 + L2) ** 2) / (2 * L4 * L3))
    inside = kinematics.close_drives(made, [[furthest + 1e-3]])
    assert inside.found.all()
    still = np.zeros((1, 1))
    with pytest.raises(MotionRefused, match=r"row 1: drives \(1\.\d+\): (singular|out of reach)"):
        kinematics.motion_of_drives(made, [[furthest]], still, still)
    with pytest.raises(
        MotionRefused, match=r"row 2: drives \(1\.\d+\): out of reach: .* at rocker_tip|.* at q"
    ):
        kinematics.motion_of_drives(made, [[2.2], [furthest - 1e-2]], np.zeros((2, 1)), np.zeros((2, 1)))


def test_a_change_point_is_refused():
    """The parallelogram stretched out, approached from its parallel branch."""
    made = Mechanism.load("parallelogram")
    found = kinematics.close_drives(made, [[1e-3], [0.0], [np.pi]])
    assert found.found[0]
    assert not found.found[1:].any()
    with pytest.raises(MotionRefused, match=r"row 1: singular configuration"):
        kinematics.at_rest(made, np.zeros((1, 3)))


@pytest.mark.parametrize("size", ["1e-5", "1e4"])
def test_size_does_not_matter(size):
    """A chip's four-bar and a harbour crane's close as well, and need torques in proportion."""
    made = yaml.load(builtin_mechanisms()["four-bar"].read_text(encoding="utf-8"), Loader=TextScalars)
    for name in ("l1", "l2", "l3", "l4"):
        made["constants"][name] = f"{size}*{made['constants'][name]}"
    scaled = Mechanism.from_document(made)
    q, rate, second = np.full((1, 1), 0.7), np.full((1, 1), 2.0), np.full((1, 1), -3.0)
    found = kinematics.motion_of_drives(scaled, q, rate, second)
    same = kinematics.motion_of_drives(four_bar(), q, rate, second)
    np.testing.assert_allclose(found.velocity, same.velocity, rtol=1e-9)
    factor = float(size) ** 3
    mass = dynamics.mass_matrix(scaled, found.configuration)
    np.testing.assert_allclose(mass, factor * dynamics.mass_matrix(four_bar(), same.configuration), rtol=1e-8)
