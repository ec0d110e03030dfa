# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The hexapod as a tree in pinocchio that grows from the platform: its universal joints, six slides, six free ends.

What the base's spherical joints hold is the struts' far ends, which do not move: all rates follow from the platform's.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from core.mechanisms.hexapod.dynamics.pinocchio_loops import ORDER

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion


def rod(mass: float, place: float, moments: tuple[float, float, float]) -> pin.Inertia:
    return pin.Inertia(mass, np.array([0.0, 0.0, place]), np.diag(moments))


class PinocchioPlatformHinges:
    """Forces, accelerations, energies and ten-parameter columns of a machine with universal joints at the platform."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        model = self.model = pin.Model()
        model.gravity.linear = machine.gravity
        self.platform = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "platform")
        body = pin.Inertia(
            machine.platform.mass, machine.platform.center_of_mass, np.array(machine.platform.inertia)
        )
        model.appendBodyToJoint(self.platform, body, pin.SE3.Identity())
        self.bodies: list[tuple[int, int]] = []
        self.frames = []
        for i, strut in enumerate(machine.struts):
            x = machine.first_axes[i]
            y = np.cross(np.eye(3)[np.argmin(np.abs(x))], x)
            y /= np.linalg.norm(y)
            self.frames.append(np.column_stack([x, y, np.cross(x, y)]))
            place = pin.SE3(self.frames[i], machine.platform_joints[i])
            first = model.addJoint(self.platform, pin.JointModelRX(), place, f"first_{i}")
            second = model.addJoint(first, pin.JointModelRY(), pin.SE3.Identity(), f"second_{i}")
            slide = model.addJoint(second, pin.JointModelPZ(), pin.SE3.Identity(), f"slide_{i}")
            b, e = strut.body_b, strut.body_e
            # z along the strut, from base to platform joint
            model.appendBodyToJoint(
                second,
                rod(e.mass, -e.center_of_mass, (e.transverse, e.transverse, e.axial)),
                pin.SE3.Identity(),
            )
            model.appendBodyToJoint(
                slide,
                rod(b.mass, b.center_of_mass, (b.transverse, b.transverse, b.axial)),
                pin.SE3.Identity(),
            )
            self.bodies.append((slide, second))
        self.data = model.createData()

    def _state(self, motion: PlatformMotion, n: int, accelerating: bool = True):
        """Coordinates, rates, accelerations, and the map from the platform's twist to all rates."""
        m, model, data = self.machine, self.model, self.data
        x, turned = motion.position[n], motion.rotation[n]
        v, w = motion.twist[n, :3], motion.twist[n, 3:]
        acceleration = motion.acceleration[n] if accelerating else np.zeros(6)
        q = pin.neutral(model)
        q[:7] = pin.SE3ToXYZQUAT(pin.SE3(turned, x))
        for i, (slide, _) in enumerate(self.bodies):
            d = turned.T @ (x + turned @ m.platform_joints[i] - m.base_joints[i])
            length = np.linalg.norm(d)
            d = self.frames[i].T @ d / length  # d = Rx(q1) Ry(q2) ez
            start = model.idx_qs[slide] - 2
            q[start : start + 3] = np.arctan2(-d[1], d[2]), np.arcsin(d[0]), -length
        pin.computeJointJacobians(model, data, q)
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        to_rates = np.zeros((model.nv, 6))
        to_rates[:3, :3] = to_rates[3:6, 3:] = turned.T
        solvers = []
        for i, (slide, _) in enumerate(self.bodies):
            np.testing.assert_allclose(data.oMi[slide].translation, m.base_joints[i], atol=1e-12)
            rows = pin.getJointJacobian(model, data, slide, axes)[:3]
            own = slice(model.idx_vs[slide] - 2, model.idx_vs[slide] + 1)
            solvers.append((slide, own, rows[:, own]))
            to_rates[own] = -np.linalg.solve(rows[:, own], rows[:, :6] @ to_rates[:6])
        rates = to_rates @ motion.twist[n]
        second = np.zeros(model.nv)
        second[:3] = turned.T @ (acceleration[:3] - np.cross(w, v))
        second[3:6] = turned.T @ acceleration[3:]
        pin.forwardKinematics(model, data, q, rates, second)
        for slide, own, rows in solvers:
            second[own] = -np.linalg.solve(
                rows, pin.getClassicalAcceleration(model, data, slide, axes).linear
            )
        return q, rates, second, to_rates

    def _jacobian(self, motion: PlatformMotion, n: int) -> np.ndarray:
        arms = self.machine.platform_joints @ motion.rotation[n].T
        s = motion.position[n] + arms - self.machine.base_joints
        s /= np.linalg.norm(s, axis=1, keepdims=True)
        return np.hstack([s, np.cross(arms, s)])

    def strut_forces(self, motion: PlatformMotion) -> np.ndarray:
        """Drive forces without friction, (N, 6)."""
        result = np.empty((len(motion), 6))
        for n in range(len(motion)):
            q, rates, second, to_rates = self._state(motion, n)
            wrench = to_rates.T @ pin.rnea(self.model, self.data, q, rates, second)
            result[n] = np.linalg.solve(self._jacobian(motion, n).T, wrench)
        return result

    def accelerations(self, motion: PlatformMotion, force: np.ndarray) -> np.ndarray:
        """Platform accelerations (N, 6) under strut forces, without friction."""
        result = np.empty((len(motion), 6))
        for n in range(len(motion)):
            q, rates, second, to_rates = self._state(motion, n, accelerating=False)
            mass = pin.crba(self.model, self.data, q)
            mass = np.triu(mass) + np.triu(mass, 1).T
            bias = pin.rnea(self.model, self.data, q, rates, second)
            wrench = self._jacobian(motion, n).T @ force[n] - to_rates.T @ bias
            result[n] = np.linalg.solve(to_rates.T @ mass @ to_rates, wrench)
        return result

    def energies(self, motion: PlatformMotion) -> np.ndarray:
        """Kinetic and potential energy in J, (N, 2)."""
        result = np.empty((len(motion), 2))
        for n in range(len(motion)):
            q, rates, _, _ = self._state(motion, n)
            result[n, 0] = pin.computeKineticEnergy(self.model, self.data, q, rates)
            result[n, 1] = pin.computePotentialEnergy(self.model, self.data, q)
        return result

    def columns(self, motion: PlatformMotion) -> np.ndarray:
        """Strut forces per unit of each body's ten parameters, ours in order, (N, 6, 130)."""
        result = np.empty((len(motion), 6, 130))
        bodies = [self.platform, *(joint for pair in self.bodies for joint in pair)]
        for n in range(len(motion)):
            q, rates, second, to_rates = self._state(motion, n)
            whole = pin.computeJointTorqueRegressor(self.model, self.data, q, rates, second)
            # joints count from 1, the universe being 0
            chosen = np.hstack([whole[:, 10 * (body - 1) : 10 * body][:, ORDER] for body in bodies])
            result[n] = np.linalg.solve(self._jacobian(motion, n).T, to_rates.T @ chosen)
        return result
