# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The arm of Machielsen (1983): its mass matrix, two independent formulations, its levers."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import yaml

from pkm_identification.document import TextScalars
from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.groups import drive_groups
from pkm_identification.mechanisms.multibody.mechanism import Mechanism, builtin_mechanisms

# Table 8.2.3-1 (joint coordinates) and 8.2.3-2 (actuators L1, L2, L3, L4, vane), upper triangles.
PRINTED_J = [
    [0.214180, -0.000102, -0.000219, -0.000223, 0.002474],
    [0.297523, 0.062126, -0.008105, 0.000336],
    [0.076586, 0.008015, -0.000224],
    [0.006667, -0.000224],
    [0.001118],
]
PRINTED_CJA = [
    [1.347150, -0.045180, 2.140560, 0.317589, -0.003173],
    [0.225879, -0.074280, -0.225879, 0.035173],
    [21.804420, -0.146145, -0.001097],
    [13.808524, -0.035115],
    [0.214180],
]
TWISTS = np.radians([90.0, 0.0, 0.0, 270.0, 180.0])
LENGTHS = np.array([0.0, 0.310, 0.248, 0.0, 0.0])
START_UP = np.radians([0.0, 89.76, 0.84, 0.84, 0.0])


@cache
def arm(name: str = "epaas") -> Mechanism:
    return Mechanism.load(name)


def symmetric(rows: list[list[float]]) -> np.ndarray:
    matrix = np.zeros((5, 5))
    for i, row in enumerate(rows):
        matrix[i, i:] = row
        matrix[i:, i] = row
    return matrix


def joint_mass(mechanism: Mechanism, outputs: np.ndarray) -> np.ndarray:
    q = kinematics.close_outputs(mechanism, outputs[None]).configuration
    return dynamics.tree_mass_matrix(mechanism, q)[0]


def as_printed() -> Mechanism:
    """The arm with the centres of mass as the table prints them."""
    document = yaml.load(builtin_mechanisms()["epaas"].read_text(encoding="utf-8"), Loader=TextScalars)
    document["bodies"]["link_3"]["center_of_mass"][0] = "-0.201"
    document["bodies"]["link_5"]["center_of_mass"][1] = "0.0024"
    return Mechanism.from_document(document)


def test_the_mass_matrix_at_start_up_is_the_printed_one():
    assert np.abs(joint_mass(arm(), START_UP) - symmetric(PRINTED_J)).max() < 6.5e-5


def test_with_the_printed_signs_and_the_nominal_pose_it_is_further_off():
    upright = np.radians([0.0, 90.0, 0.0, 0.0, 0.0])
    off = np.abs(joint_mass(as_printed(), upright) - symmetric(PRINTED_J)).max()
    assert 6.5e-5 < off < 3.2e-3


def test_actuator_masses_are_the_printed_ones():
    """At the cylinders' offset lengths; tolerances are the digest's own comparison (.1 % and .4 %)."""
    q = kinematics.close_outputs(arm(), START_UP[None]).configuration
    mass = dynamics.mass_matrix(arm(), q)[0]
    printed = symmetric(PRINTED_CJA)
    np.testing.assert_allclose(np.diag(mass), np.diag(printed), rtol=1e-3)
    np.testing.assert_allclose(mass[:2, :4], printed[:2, :4], atol=0.008 * printed[0, 0])


def frame(theta: float, link: int) -> np.ndarray:
    """A_i of the classic Denavit-Hartenberg convention."""
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(TWISTS[link]), np.sin(TWISTS[link])
    a = LENGTHS[link]
    return np.array([[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, 0], [0, 0, 0, 1]])


DELTA = np.zeros((4, 4))
DELTA[0, 1], DELTA[1, 0] = -1.0, 1.0


def uicker_kahn(theta: np.ndarray, bodies: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """D_ij (5, 5), D_ijk (5, 5, 5) and D_i (5,) of the Lagrange form, from homogeneous matrices and pseudo-inertias."""
    single = [frame(theta[i], i) for i in range(5)]

    def chain(first: int, last: int) -> np.ndarray:
        product = np.eye(4)
        for i in range(first, last):
            product = product @ single[i]
        return product

    def once(p: int, i: int) -> np.ndarray:
        return chain(0, i) @ DELTA @ chain(i, p + 1) if i <= p else np.zeros((4, 4))

    def twice(p: int, j: int, k: int) -> np.ndarray:
        j, k = min(j, k), max(j, k)
        return chain(0, j) @ DELTA @ chain(j, k) @ DELTA @ chain(k, p + 1) if k <= p else np.zeros((4, 4))

    inertias = []
    for m, mx, my, mz, xx, yy, zz, xy, xz, yz in bodies:
        square = np.array([[yy + zz - xx, 0, 0], [0, xx + zz - yy, 0], [0, 0, xx + yy - zz]]) / 2
        square -= np.array([[0, xy, xz], [xy, 0, yz], [xz, yz, 0]])
        inertias.append(np.block([[square, np.array([[mx], [my], [mz]])], [np.array([[mx, my, mz, m]])]]))
    g = np.array([0, 0, -9.81, 0])
    d2, d3, d1 = np.zeros((5, 5)), np.zeros((5, 5, 5)), np.zeros(5)
    for p in range(5):
        for i in range(5):
            d1[i] -= g @ once(p, i) @ inertias[p][:, 3]
            for j in range(5):
                d2[i, j] += np.trace(once(p, j) @ inertias[p] @ once(p, i).T)
                for k in range(5):
                    d3[i, j, k] += np.trace(twice(p, j, k) @ inertias[p] @ once(p, i).T)
    return d2, d3, d1


@pytest.mark.parametrize("name", ["epaas", "epaas-horizontal"])
def test_lagrange_and_newton_euler_agree(name):
    mechanism = arm(name)
    rng = np.random.default_rng(0)
    for _ in range(5):
        theta, rate, second = rng.uniform(-3, 3, 5), rng.normal(0, 2, 5), rng.normal(0, 8, 5)
        d2, d3, d1 = uicker_kahn(theta, mechanism.parameters)
        expected = d2 @ second + np.einsum("ijk,j,k", d3, rate, rate) + d1
        found = dynamics.open_tree_forces(mechanism, theta, rate, second)[0]
        np.testing.assert_allclose(found, expected, atol=1e-9)
        np.testing.assert_allclose(dynamics.tree_mass_matrix(mechanism, theta)[0], d2, atol=1e-12)
        assert np.abs(np.einsum("iii->i", d3)).max() < 1e-9


def test_levers_follow_the_cosine_rule_and_its_derivatives():
    """Values of the digest at alpha = 90 and beta = 0 degrees."""
    at = np.radians([[0.0, 90.0, 0.0, 0.0, 0.0]])
    q = kinematics.close_outputs(arm(), at).configuration
    lengths = kinematics.read(arm(), "drives", q)[0]
    assert lengths[2] == pytest.approx(0.257592, abs=1e-6)
    assert lengths[3] == pytest.approx(0.180915, abs=1e-6)
    turning = np.zeros((1, 5))
    turning[0, 1] = 1.0  # alpha alone
    motion = kinematics.motion_of_outputs(arm(), at, turning, np.zeros((1, 5)))
    assert motion.drive_rate[0, 2] == pytest.approx(-0.107183, abs=1e-6)
    assert motion.drive_acceleration[0, 2] == pytest.approx(-0.035725, abs=1e-6)
    np.testing.assert_allclose(motion.drive_rate[0, [0, 1, 3, 4]], 0.0, atol=1e-15)
    turning[0] = [0, 0, 1.0, 0, 0]  # beta alone
    motion = kinematics.motion_of_outputs(arm(), at, turning, np.zeros((1, 5)))
    assert motion.drive_rate[0, 3] == pytest.approx(0.070484, abs=1e-6)
    assert motion.drive_acceleration[0, 3] == pytest.approx(-0.008151, abs=1e-6)


def test_lengths_come_back_to_the_angles():
    rng = np.random.default_rng(1)
    angles = np.radians(
        np.column_stack(
            [
                rng.uniform(-160, 160, 500),
                rng.uniform(60, 150, 500),
                rng.uniform(-45, 45, (500, 2)),
                rng.uniform(-20, 20, 500),
            ]
        )
    )
    q = kinematics.close_outputs(arm(), angles).configuration
    back = kinematics.close_drives(arm(), kinematics.read(arm(), "drives", q))
    assert back.found.all()
    np.testing.assert_allclose(kinematics.read(arm(), "outputs", back.configuration), angles, atol=1e-10)


def test_groups_of_forces_sum_to_the_total_and_scale_with_speed():
    rng = np.random.default_rng(2)
    angles = START_UP + np.radians(rng.uniform(-10, 10, (20, 5)))
    rate, second = rng.normal(0, 1, (20, 5)), rng.normal(0, 5, (20, 5))
    wrench = {"link_5": rng.normal(size=6)}
    slow = kinematics.motion_of_outputs(arm(), angles, rate, second)
    fast = kinematics.motion_of_outputs(arm(), angles, 5 * rate, 25 * second)
    one, five = drive_groups(arm(), slow, wrench=wrench), drive_groups(arm(), fast, wrench=wrench)
    np.testing.assert_allclose(one.total, dynamics.forces(arm(), slow, wrench=wrench), atol=1e-9)
    for name in ("acceleration", "coupling", "centripetal", "coriolis"):
        np.testing.assert_allclose(getattr(five, name), 25 * getattr(one, name), rtol=1e-8, atol=1e-8)
        assert np.abs(getattr(one, name)).max() > 1e-3
    for name in ("gravity", "external"):
        np.testing.assert_allclose(getattr(five, name), getattr(one, name), atol=1e-10)
