# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A serial arm of random geometry in pinocchio: a mechanism that is no hexapod, for what knows none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pinocchio as pin

from pkm_identification.mechanisms.rigid_bodies import BODY_PARAMETERS, BodyMotion, build_rigid_body_columns
from pkm_identification.parameters.parameter import Basis, Kind, Parameter

KINDS = (Kind.MASS, *(Kind.FIRST_MOMENT,) * 3, *(Kind.INERTIA,) * 6)
UNITS = ("kg", *("kg m",) * 3, *("kg m^2",) * 6)
# pinocchio's order of a body's inertia is xx, xy, yy, xz, yz, zz
ORDER = [0, 1, 2, 3, 4, 6, 9, 5, 7, 8]


@dataclass(frozen=True)
class JointMotion:
    """Stamps (N,), joint coordinates, rates and accelerations, each (N, n)."""

    time: np.ndarray
    q: np.ndarray
    rate: np.ndarray
    acceleration: np.ndarray

    @classmethod
    def random(cls, count: int, joints: int, seed: int) -> JointMotion:
        rng = np.random.default_rng(seed)
        return cls(np.arange(float(count)), *(rng.normal(size=(count, joints)) for _ in range(3)))


class SerialArm:
    """An arm with revolute and prismatic joints; torques of its joints are the outputs."""

    def __init__(self, joints: int = 3, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        model = pin.Model()
        parent = 0
        for k in range(joints):
            joint = pin.JointModelRX() if k == 0 else (pin.JointModelPY() if k == 1 else pin.JointModelRZ())
            parent = model.addJoint(parent, joint, pin.exp6(0.8 * rng.normal(size=6)), f"joint_{k + 1}")
            a = rng.normal(size=(3, 3))
            inertia = pin.Inertia(float(rng.uniform(1, 5)), 0.2 * rng.normal(size=3), a @ a.T + np.eye(3))
            model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
        self.model = model
        self.joints = joints

    @cached_property
    def basis(self) -> Basis:
        entries = []
        for k in range(self.joints):
            values = self.model.inertias[k + 1].toDynamicParameters()[ORDER]
            entries += [
                Parameter(f"{name}_{k + 1}", unit, kind, f"link {k + 1}", float(value), 2.0, name, k)
                for name, unit, kind, value in zip(BODY_PARAMETERS, UNITS, KINDS, values, strict=True)
            ]
        return Basis(tuple(entries))

    @property
    def outputs(self) -> tuple[str, ...]:
        return tuple(f"joint_{k + 1}" for k in range(self.joints))

    def regressor(self, motion: JointMotion, mapping: np.ndarray) -> np.ndarray:
        return build_rigid_body_columns(self.bodies(motion)) @ mapping

    def bodies(self, motion: JointMotion) -> list[BodyMotion]:
        count, aligned = len(motion.q), pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        rotation, jacobian = (
            np.empty((self.joints, count, 3, 3)),
            np.empty((self.joints, count, 6, self.joints)),
        )
        omega, alpha, proper = (np.empty((self.joints, count, 3)) for _ in range(3))
        data = self.model.createData()
        gravity = self.model.gravity.linear
        for n in range(count):
            q, v, a = motion.q[n], motion.rate[n], motion.acceleration[n]
            pin.forwardKinematics(self.model, data, q, v, a)
            pin.computeJointJacobians(self.model, data, q)
            for k in range(self.joints):
                rotation[k, n] = data.oMi[k + 1].rotation
                jacobian[k, n] = pin.getJointJacobian(self.model, data, k + 1, aligned).reshape(6, -1)
                omega[k, n] = pin.getVelocity(self.model, data, k + 1, aligned).angular
                acceleration = pin.getClassicalAcceleration(self.model, data, k + 1, aligned)
                alpha[k, n], proper[k, n] = acceleration.angular, acceleration.linear - gravity
        return [
            BodyMotion(rotation[k], omega[k], alpha[k], proper[k], jacobian[k]) for k in range(self.joints)
        ]

    def torques(self, motion: JointMotion) -> np.ndarray:
        """By pinocchio's recursive Newton-Euler, (N, n)."""
        data = self.model.createData()
        states = zip(motion.q, motion.rate, motion.acceleration, strict=True)
        return np.array([pin.rnea(self.model, data, *state) for state in states])
