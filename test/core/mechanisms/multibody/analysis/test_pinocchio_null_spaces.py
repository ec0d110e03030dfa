# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What no motion shows, by pinocchio's regressor of the open tree and its loops projected out: none of it is ours."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from core.mechanisms.hexapod.machine_variants import machine

from benchmarks.mechanism_peers import PinocchioMechanism, null_space
from pkm_identification.estimation.identifiability.base_parameters import base_parameters
from pkm_identification.mechanisms.multibody.analysis.states import compute_structure_motion
from pkm_identification.mechanisms.multibody.description.hexapod import build_hexapod_description
from pkm_identification.mechanisms.multibody.description.reader import parse_text
from pkm_identification.mechanisms.multibody.dynamics import regressor
from pkm_identification.mechanisms.multibody.mechanism import Mechanism, builtin_mechanisms
from pkm_identification.mechanisms.multibody.parameters import build_rigid_basis, build_rigid_columns

# where our m, mx, my, mz, xx, yy, zz, xy, xz, yz are among its m, mx, my, mz, xx, xy, yy, xz, yz, zz
THEIRS = [0, 1, 2, 3, 4, 6, 9, 5, 7, 8]


def spatial_four_bar() -> Mechanism:
    document = parse_text(builtin_mechanisms()["four-bar"])
    for body in document["bodies"].values():
        del body["planar"]
        body["inertia"] = ["0.1", "0.1", "0.1", "0", "0", "0"]
    return Mechanism.from_document(document)


def hexapod(name: str) -> Mechanism:
    return Mechanism.of(build_hexapod_description(machine(name)))


def in_joint_frame(offset: pin.SE3) -> np.ndarray:
    """Ten parameters of a body in its own frame as those in a joint's, (10, 10): T P T^T of the pseudo-inertia P."""
    made = np.zeros((10, 10))
    for k, unit in enumerate(np.eye(10)):
        m, mx, my, mz, xx, yy, zz, xy, xz, yz = unit
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        first, second = np.array([mx, my, mz]), 0.5 * np.trace(inertia) * np.eye(3) - inertia
        pseudo = np.block([[second, first[:, None]], [first[None], np.array([[m]])]])
        moved = offset.homogeneous @ pseudo @ offset.homogeneous.T
        turned = np.trace(moved[:3, :3]) * np.eye(3) - moved[:3, :3]
        products = turned[0, 1], turned[0, 2], turned[1, 2]
        made[:, k] = [moved[3, 3], *moved[:3, 3], *np.diag(turned), *products]
    return made


def their_columns(mechanism: Mechanism, motion) -> np.ndarray:
    """Rows (R, 10 bodies): N^T Y of the tree's regressor Y, N the directions that the loops leave free."""
    oracle = PinocchioMechanism(mechanism)
    rows = []
    for n in range(len(motion)):
        q, v, a = (part[n] for part in (motion.configuration, motion.velocity, motion.acceleration))
        jacobian, _, _ = oracle.constraints(q, v, a)
        free = null_space(jacobian, mechanism.degrees_of_freedom)
        whole = pin.computeJointTorqueRegressor(
            oracle.model, oracle.data, q, oracle._sorted(v), oracle._sorted(a)
        )
        whole = whole[oracle.order]
        bodies = []
        for body in mechanism.description.bodies:
            joint, offset = oracle.places[mechanism.tree.body_frames[body.name]]
            own = whole[:, 10 * (joint - 1) : 10 * joint][:, THEIRS]
            bodies.append(own @ in_joint_frame(offset))
        rows.append(free.T @ np.concatenate(bodies, axis=1))
    return np.concatenate(rows)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("made", "base"),
    [(spatial_four_bar, 8), (lambda: Mechanism.load("mast"), 19), (lambda: hexapod("uf"), 82)],
    ids=["four-bar", "mast", "uf"],
)
def test_null_spaces_are_those_of_pinocchio_with_its_loops_projected_out(made, base):
    mechanism = made()
    _, motion = compute_structure_motion(mechanism, 40)
    ours = regressor(mechanism, motion)[..., build_rigid_columns(mechanism)]
    basis = build_rigid_basis(mechanism)
    theirs = their_columns(mechanism, motion)
    size = np.linalg.norm(theirs, axis=0)
    scaled = theirs / np.where(size > 1e-9 * size.max(), size, np.inf)
    values = np.linalg.svd(scaled, compute_uv=False)
    assert values[base - 1] > 1e-6 > 1e-10 > values[base]
    found = base_parameters(ours, basis.names)
    assert found.count == base
    # what our sums do not see, theirs do not
    rng = np.random.default_rng(0)
    unseen = rng.normal(size=(len(basis), 20))
    seen = theirs @ unseen
    unseen -= np.linalg.pinv(found.mapping) @ (found.mapping @ unseen)
    assert np.abs(theirs @ unseen).max() < 1e-9 * np.abs(seen).max()
