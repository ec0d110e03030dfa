# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A mechanism's spanning tree in pinocchio, its loops as constraint Jacobians."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from pkm_identification.mechanisms.multibody.kernels.codes import BALL, FIXED, PRISMATIC
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64


class PinocchioMechanism:
    """The open tree, and the directions its loops leave free; velocities in the mechanism's own order."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.model = pin.Model()
        self.model.gravity.linear = FLOAT64.array(mechanism.description.gravity)
        where = {0: (0, pin.SE3.Identity())}
        self.order = np.zeros(mechanism.tree.velocities, dtype=int)
        for k, frame in enumerate(mechanism.tree.frames):
            if k == 0:
                continue
            parent, offset = where[frame.parent]
            here = offset * pin.SE3(
                FLOAT64.array(frame.placement.rotation), FLOAT64.array(frame.placement.origin)
            )
            if frame.kind == FIXED:
                where[k] = (parent, here)
                continue
            axis = np.eye(3)[frame.axis] * frame.sign
            if frame.kind == BALL:
                joint = pin.JointModelSpherical()
            elif frame.kind == PRISMATIC:
                joint = pin.JointModelPrismaticUnaligned(axis)
            else:
                joint = pin.JointModelRevoluteUnaligned(axis)
            number = self.model.addJoint(parent, joint, here, f"frame_{k}")
            joint = self.model.joints[number]
            assert joint.idx_q == frame.coordinate
            self.order[frame.velocity : frame.velocity + joint.nv] = joint.idx_v + np.arange(joint.nv)
            where[k] = (number, pin.SE3.Identity())
        self.places = where
        for body, row in zip(mechanism.description.bodies, mechanism.parameters, strict=True):
            self._append(where[mechanism.tree.body_frames[body.name]], row)
        self.data = self.model.createData()

    def _append(self, place: tuple[int, pin.SE3], row: np.ndarray) -> None:
        m, mx, my, mz, xx, yy, zz, xy, xz, yz = row
        if not np.any(row):
            return
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        arm = np.array([mx, my, mz]) / m
        central = inertia - m * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        if np.count_nonzero(np.diag(inertia)) == 1:
            # about one axis alone, which is all that is felt; pinocchio wants what some body has
            central = np.eye(3) * np.diag(central)[np.argmax(np.diag(inertia))]
        self.model.appendBodyToJoint(place[0], pin.Inertia(m, arm, central), place[1])

    def tree_forces(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        return pin.rnea(self.model, self.data, q, self._sorted(v), self._sorted(a))[self.order]

    def _sorted(self, values: np.ndarray) -> np.ndarray:
        """Values (V,) in pinocchio's order."""
        theirs = np.empty_like(values)
        theirs[self.order] = values
        return theirs

    def mass(self, q: np.ndarray) -> np.ndarray:
        """By columns of the inverse dynamics: pinocchio's crba wants the joints of a subtree numbered without a gap."""
        still, eye = np.zeros(self.model.nv), np.eye(self.model.nv)
        rest = self.tree_forces(q, still, still)
        return np.column_stack([self.tree_forces(q, still, unit) - rest for unit in eye])

    def _point(self, body: str, point: np.ndarray) -> tuple[int, pin.SE3]:
        joint, offset = self.places[self.mechanism.tree.body_frames[body]]
        return joint, offset * pin.SE3(np.eye(3), point)

    def constraints(
        self, q: np.ndarray, v: np.ndarray, a: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Jacobian of the loops, and relative accelerations and gaps of their points, ground axes."""
        pin.forwardKinematics(self.model, self.data, q, self._sorted(v), self._sorted(a))
        pin.computeJointJacobians(self.model, self.data, q)
        rows, accelerations, gaps = [], [], []
        for joint in self.mechanism.tree.cut:
            assert joint.type in ("revolute", "spherical", "universal")
            ends = []
            for side, body in enumerate(joint.bodies):
                number, offset = self._point(body, FLOAT64.array(joint.place[side]))

                # in the ground's axes at the point itself
                here = self.data.oMi[number] * offset
                turn = pin.SE3(here.rotation, np.zeros(3))
                jacobian = (
                    turn.toActionMatrix()
                    @ offset.toActionMatrixInverse()
                    @ pin.getJointJacobian(self.model, self.data, number, pin.ReferenceFrame.LOCAL)
                )
                motion = offset.actInv(self.data.v[number])
                second = offset.actInv(self.data.a[number])
                classical = here.rotation @ (second.linear + np.cross(motion.angular, motion.linear))
                ends.append((here, jacobian, classical))
            (here_a, jac_a, acc_a), (here_b, jac_b, acc_b) = ends
            gaps.append(here_b.translation - here_a.translation)
            rows.append((jac_b - jac_a)[:3])
            accelerations.append(acc_b - acc_a)
            if joint.type == "revolute":
                axis = here_a.rotation @ FLOAT64.array(joint.axis[0])
                across = np.linalg.svd(axis[None])[2][1:]
                rows.append(across @ (jac_b - jac_a)[3:])
            elif joint.type == "universal":
                # its two axes stay at right angles: no turn about what is across both
                axes = [
                    here.rotation @ FLOAT64.array(axis)
                    for here, axis in zip((here_a, here_b), joint.axis, strict=True)
                ]
                rows.append(np.cross(*axes)[None] @ (jac_b - jac_a)[3:])

        empty = np.zeros((0, self.model.nv))
        return (
            np.concatenate([empty, *rows])[:, self.order],
            np.concatenate([np.zeros(0), *accelerations]),
            np.concatenate([np.zeros(0), *gaps]),
        )

    def drive_rows(self) -> np.ndarray:
        """Rates of driven joint coordinates, (n, V): of drives that are joints or sums of joints."""
        tree = self.mechanism.tree
        rows = np.zeros((self.mechanism.degrees_of_freedom, self.model.nv))
        for row, drive in zip(rows, self.mechanism.description.drives, strict=True):
            for joint, factor in drive.measure.joints.items():
                row[tree.frames[tree.joint_frames[joint][0]].velocity] = FLOAT64.number(factor)
        return rows

    def driven_forces(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Forces along the drives by projection: N^T (M a + h) = (S N)^T tau, N the directions the loops leave free."""
        jacobian, _, _ = self.constraints(q, v, a)
        free = null_space(jacobian, self.mechanism.degrees_of_freedom)
        moved = self.drive_rows() @ free
        return np.linalg.solve(moved.T, free.T @ self.tree_forces(q, v, a))

    def regular_forces(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """The same where no constraint is redundant: [J; S]^T (lambda, tau) = M a + h."""
        jacobian, _, _ = self.constraints(q, v, a)
        rows = np.concatenate([jacobian, self.drive_rows()])
        return np.linalg.solve(rows.T, self.tree_forces(q, v, a))[len(jacobian) :]


def null_space(jacobian: np.ndarray, freedom: int) -> np.ndarray:
    """Directions (V, freedom) that a Jacobian does not see."""
    if not len(jacobian):
        return np.eye(jacobian.shape[1])
    _, values, across = np.linalg.svd(jacobian)
    rank = int(np.count_nonzero(values > 1e-8 * values[0]))
    assert jacobian.shape[1] - rank == freedom
    return across[rank:].T
