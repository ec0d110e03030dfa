# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The peers' models of the same machine: pinocchio, MuJoCo, and forward kinematics with SciPy and NumPy.

Each is set up as well as we know how: models, joint states and projections are made beforehand, so that only the peer's
own work is timed.
"""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pinocchio as pin
from scipy.optimize import fsolve, least_squares

from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian
from pkm_identification.mechanisms.hexapod.kinematics.strut_frames import strut_frames
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.rotation import build_quaternion_from_matrix
from pkm_identification.simulation.model import hexapod_mjcf


def skew(vector: np.ndarray) -> np.ndarray:
    """Cross product matrices (N, 3, 3) of vectors (N, 3)."""
    x, y, z = np.moveaxis(vector, -1, 0)
    zero = np.zeros_like(x)
    return np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1).reshape(*x.shape, 3, 3)


def apply(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    return np.einsum("nij,nj->ni", matrix, vector)


class TreeStates:
    """A motion in the coordinates of the cut tree: six [hinge, hinge, slide] struts and a free platform.

    `q` (N, 18), `v`, `a` (N, 18) of the struts; the platform's (N, 6) as pinocchio has them (body axes, spatial
    acceleration). `map` (N, 24, 6) gives the tree's velocities of a twist, `projection` (N, 6, 24) the strut forces of
    the tree's generalized forces, by virtual power.
    """

    def __init__(self, machine: Machine, motion: PlatformMotion, frames: np.ndarray) -> None:
        count = len(motion)
        v, w = motion.twist[:, :3], motion.twist[:, 3:]
        a, al = motion.acceleration[:, :3], motion.acceleration[:, 3:]
        self.q, self.v, self.a = (np.empty((count, 18)) for _ in range(3))
        self.map = np.zeros((count, 24, 6))
        for i in range(6):
            arm = motion.rotation @ machine.platform_joints[i]
            turning = np.cross(w, arm)
            tip = (motion.position + arm - machine.base_joints[i]) @ frames[i]
            speed = (v + turning) @ frames[i]
            second = (a + np.cross(al, arm) + np.cross(w, turning)) @ frames[i]
            length = np.linalg.norm(tip, axis=1)
            d = tip / length[:, None]  # Rx(q1) Ry(q2) z
            q1, q2 = np.arctan2(-d[:, 1], d[:, 2]), np.arcsin(d[:, 0])
            s1, c1, s2, c2, zero = np.sin(q1), np.cos(q1), np.sin(q2), np.cos(q2), np.zeros(count)
            d1, d2 = np.stack([zero, -c1 * c2, -s1 * c2], 1), np.stack([c2, s1 * s2, -c1 * s2], 1)
            d11, d12 = np.stack([zero, s1 * c2, -c1 * c2], 1), np.stack([zero, c1 * s2, s1 * s2], 1)
            inverse = np.linalg.inv(np.stack([length[:, None] * d1, length[:, None] * d2, d], axis=2))
            own = slice(3 * i, 3 * i + 3)
            self.q[:, own] = np.stack([q1, q2, length], 1)
            self.v[:, own] = rate = apply(inverse, speed)
            r1, r2, r3 = rate.T[:, :, None]
            drift = 2 * r3 * (d1 * r1 + d2 * r2)
            drift += length[:, None] * (d11 * r1**2 + 2 * d12 * r1 * r2 - d * r2**2)
            self.a[:, own] = apply(inverse, second - drift)
            self.map[:, own, :3] = inverse @ frames[i].T
            self.map[:, own, 3:] = -inverse @ frames[i].T @ skew(arm)
        back = np.swapaxes(motion.rotation, 1, 2)
        self.map[:, 18:21, :3] = self.map[:, 21:, 3:] = back
        self.position = motion.position
        self.quaternion = build_quaternion_from_matrix(motion.rotation)
        self.body_v = np.hstack([apply(back, v), apply(back, w)])
        self.body_a = np.hstack([apply(back, a - np.cross(w, v)), apply(back, al)])
        jac = jacobian(machine, motion.position, motion.rotation)
        self.projection = np.linalg.solve(np.swapaxes(jac, 1, 2), np.swapaxes(self.map, 1, 2))


class PinocchioTree:
    """The whole cut tree as one pinocchio model of 24 degrees of freedom, and the states in its coordinates."""

    def __init__(self, machine: Machine, motion: PlatformMotion) -> None:
        self.machine = machine
        self.model = pin.Model()
        self.model.gravity.linear = machine.gravity
        self.tips = []
        self.frames = strut_frames(machine)
        for i, frame in enumerate(self.frames):
            placement = pin.SE3(frame, machine.base_joints[i])
            first = self.model.addJoint(0, pin.JointModelRX(), placement, f"first_{i}")
            second = self.model.addJoint(first, pin.JointModelRY(), pin.SE3.Identity(), f"second_{i}")
            slide = self.model.addJoint(second, pin.JointModelPZ(), pin.SE3.Identity(), f"slide_{i}")
            self.tips.append(slide)
        self.platform = self.model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "platform")
        for joint, body in self.bodies(machine).items():
            self.model.appendBodyToJoint(joint, body, pin.SE3.Identity())
        self.data = self.model.createData()
        self.pool = pin.ModelPool(self.model, 1)
        self.q, self.v, self.a, self.projection = self.coordinates(motion)

    def coordinates(self, motion: PlatformMotion) -> tuple[np.ndarray, ...]:
        """Configuration (N, 25), velocity and acceleration (N, 24), projection (N, 6, 24) of a motion."""
        states = TreeStates(self.machine, motion, self.frames)
        return (
            np.hstack([states.q, states.position, states.quaternion]),
            np.hstack([states.v, states.body_v]),
            np.hstack([states.a, states.body_a]),
            np.ascontiguousarray(states.projection),
        )

    def bodies(self, machine: Machine) -> dict[int, pin.Inertia]:
        """Inertia of every joint that carries a body."""
        found = {}
        for i, strut in enumerate(machine.struts):
            for joint, body, place in (
                (self.tips[i] - 1, strut.body_b, strut.body_b.center_of_mass),
                (self.tips[i], strut.body_e, -strut.body_e.center_of_mass),
            ):
                moments = np.diag([body.transverse, body.transverse, body.axial])
                found[joint] = pin.Inertia(body.mass, np.array([0.0, 0.0, place]), moments)
        platform = machine.platform
        found[self.platform] = pin.Inertia(platform.mass, platform.center_of_mass, np.array(platform.inertia))
        return found

    def strut_forces(self) -> np.ndarray:
        """Forces (N, 6) without friction: rnea of the tree and its projection, one call per sample."""
        model, data, rnea = self.model, self.data, pin.rnea
        return np.array([
            projection @ rnea(model, data, q, v, a)
            for q, v, a, projection in zip(self.q, self.v, self.a, self.projection)
        ])  # fmt: skip

    def strut_forces_compiled(self) -> np.ndarray:
        """The same by pinocchio's own loop over the samples, on one thread."""
        return self._looped(self.q, self.v, self.a, self.projection)

    def strut_forces_of(self, motion: PlatformMotion) -> np.ndarray:
        """The same from pose, twist and acceleration: the tree's coordinates by NumPy, then pinocchio."""
        q, v, a, projection = self.coordinates(motion)
        if len(motion) == 1:
            return (projection[0] @ pin.rnea(self.model, self.data, q[0], v[0], a[0]))[None]
        return self._looped(q, v, a, projection)

    def _looped(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, projection: np.ndarray) -> np.ndarray:
        return np.einsum("nij,jn->ni", projection, pin.rneaInParallel(1, self.pool, q.T, v.T, a.T))

    def fold(self) -> np.ndarray:
        """How the eight inertial parameters of the set `identifiable` enter pinocchio's, (190, 8).

        Parameters are changed one by one; pinocchio's depend linearly on each.
        """

        def with_struts(name: str, moment: str | None) -> Machine:
            struts = []
            for strut in self.machine.struts:
                body = getattr(strut, name)
                changed = (
                    {"mass": body.mass + 1.0} if moment is None else {moment: getattr(body, moment) + 1.0}
                )
                struts.append(replace(strut, **{name: replace(body, **changed)}))
            return replace(self.machine, struts=tuple(struts))

        def with_platform(mass: float, moments: list[float]) -> Machine:
            old = self.machine.platform
            changed = replace(old, mass=old.mass + mass, inertia=old.inertia + np.diag(moments))
            return replace(self.machine, platform=changed)

        changes = [
            with_platform(1.0, [0.0, 0.0, 0.0]),
            with_struts("body_b", None),
            with_struts("body_e", None),
            *(with_platform(0.0, list(row)) for row in np.eye(3)),
            with_struts("body_b", "transverse"),
            with_struts("body_b", "axial"),
        ]
        nominal = self.parameters(self.machine)
        return np.column_stack([self.parameters(changed) - nominal for changed in changes])

    def parameters(self, machine: Machine) -> np.ndarray:
        """Pinocchio's ten parameters of every joint's body, (190,)."""
        values = np.zeros((self.model.njoints, 10))
        for joint, body in self.bodies(machine).items():
            values[joint] = body.toDynamicParameters()
        return values[1:].ravel()

    def regressors(self, fold: np.ndarray) -> np.ndarray:
        """Strut forces per parameter (N, 6, P), one call per sample."""
        model, data, columns = self.model, self.data, pin.computeJointTorqueRegressor
        return np.array([
            projection @ (columns(model, data, q, v, a) @ fold)
            for q, v, a, projection in zip(self.q, self.v, self.a, self.projection)
        ])  # fmt: skip

    def close(self) -> None:
        """Close the six loops by point constraints between the struts' tips and the platform."""
        self.loops = pin.StdVec_RigidConstraintModel()
        self.loop_data = pin.StdVec_RigidConstraintData()
        for tip, joint in zip(self.tips, self.machine.platform_joints):
            loop = pin.RigidConstraintModel(
                pin.ContactType.CONTACT_3D,
                self.model,
                tip,
                pin.SE3.Identity(),
                self.platform,
                pin.SE3(np.eye(3), joint),
                pin.ReferenceFrame.LOCAL,
            )
            self.loops.append(loop)
            self.loop_data.append(loop.createData())
        pin.initConstraintDynamics(self.model, self.data, self.loops, self.loop_data)
        self.tau = np.zeros((len(self.q), self.model.nv))

    def accelerations(self, force: np.ndarray) -> np.ndarray:
        """Accelerations (N, 24) under strut forces (N, 6) with closed loops, one call per sample."""
        self.tau[:, 2:18:3] = force
        model, data, loops, loop_data = self.model, self.data, self.loops, self.loop_data
        settings, solve = pin.ProximalSettings(1e-12, 0.0, 1), pin.constraintDynamics
        return np.array([
            solve(model, data, q, v, tau, loops, loop_data, settings)
            for q, v, tau in zip(self.q, self.v, self.tau)
        ])  # fmt: skip

    def platform_accelerations(self, tree: np.ndarray, motion: PlatformMotion) -> np.ndarray:
        """(a, alpha) in base axes of accelerations of the tree."""
        linear = apply(motion.rotation, tree[:, 18:21]) + np.cross(motion.twist[:, 3:], motion.twist[:, :3])
        return np.hstack([linear, apply(motion.rotation, tree[:, 21:])])


class MujocoLoops:
    """The simulator's tree with MuJoCo's point constraints closing the loops."""

    # direct stiffness and damping of a critically damped constraint as fast as a step of .1 ms allows
    CONNECT = (
        '<connect site1="tip_{0}" site2="joint_{0}" solref="-2.5e7 -1e4" solimp="0.9999 0.9999 0.001 0.5 2"/>'
    )

    def __init__(self, machine: Machine, motion: PlatformMotion) -> None:
        loops = "".join(self.CONNECT.format(i) for i in range(1, 7))
        text = hexapod_mjcf(machine).replace("</mujoco>", f"<equality>{loops}</equality></mujoco>")
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)
        states = TreeStates(machine, motion, strut_frames(machine))
        # MuJoCo: quaternion wxyz, linear velocity in world axes
        self.q = np.hstack([states.q, states.position, np.roll(states.quaternion, 1, axis=1)])
        self.v = np.hstack([states.v, motion.twist[:, :3], states.body_v[:, 3:]])

    def accelerations(self, force: np.ndarray) -> np.ndarray:
        """Accelerations (N, 24) under strut forces: state in, mj_forward, accelerations out, one call per sample."""
        model, data, forward = self.model, self.data, mujoco.mj_forward
        position, velocity, applied, acceleration = data.qpos, data.qvel, data.qfrc_applied[2:18:3], data.qacc
        result = np.empty((len(self.q), model.nv))
        for n in range(len(self.q)):
            position[:] = self.q[n]
            velocity[:] = self.v[n]
            applied[:] = force[n]
            forward(model, data)
            result[n] = acceleration
        return result

    def platform_accelerations(self, tree: np.ndarray, motion: PlatformMotion) -> np.ndarray:
        return np.hstack([tree[:, 18:21], apply(motion.rotation, tree[:, 21:])])


class NumpyKinematics:
    """Strut lengths and their derivatives in plain NumPy, at a start pose changed by (translation, rotation vector)."""

    def __init__(self, machine: Machine) -> None:
        self.base = machine.base_joints
        self.platform = machine.platform_joints

    @staticmethod
    def _turn(vector: np.ndarray) -> np.ndarray:
        x, y, z = vector.tolist()
        square = x * x + y * y + z * z
        angle = square**0.5
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        if angle < 1e-6:
            return np.eye(3) + cross + 0.5 * cross @ cross
        return np.eye(3) + np.sin(angle) / angle * cross + (1 - np.cos(angle)) / square * cross @ cross

    def lengths(self, position: np.ndarray, rotation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lengths (6,) and the Jacobian (6, 6) for (v, w)."""
        arm = self.platform @ rotation.T
        strut = arm + position - self.base
        length = np.sqrt(np.einsum("ij,ij->i", strut, strut))
        jac = np.empty((6, 6))
        s = jac[:, :3]
        np.divide(strut, length[:, None], out=s)
        jac[:, 3] = arm[:, 1] * s[:, 2] - arm[:, 2] * s[:, 1]
        jac[:, 4] = arm[:, 2] * s[:, 0] - arm[:, 0] * s[:, 2]
        jac[:, 5] = arm[:, 0] * s[:, 1] - arm[:, 1] * s[:, 0]
        return length, jac

    def residual(self, x: np.ndarray, target: np.ndarray, rotation: np.ndarray) -> np.ndarray:
        strut = self.platform @ (self._turn(x[3:]) @ rotation).T + x[:3] - self.base
        return np.sqrt(np.einsum("ij,ij->i", strut, strut)) - target

    def newton(self, target: np.ndarray, position: np.ndarray, rotation: np.ndarray) -> np.ndarray:
        """Position of the platform by Newton's method from a start pose."""
        for _ in range(20):
            length, jac = self.lengths(position, rotation)
            error = target - length
            if np.abs(error).max() < 1e-12:
                break
            step = np.linalg.solve(jac, error)
            position = position + step[:3]
            rotation = self._turn(step[3:]) @ rotation
        return position

    def fsolve(self, target: np.ndarray, position: np.ndarray, rotation: np.ndarray) -> np.ndarray:
        start = np.concatenate([position, np.zeros(3)])
        return fsolve(self.residual, start, args=(target, rotation), xtol=1e-12)[:3]

    def least_squares(self, target: np.ndarray, position: np.ndarray, rotation: np.ndarray) -> np.ndarray:
        start = np.concatenate([position, np.zeros(3)])
        found = least_squares(
            self.residual, start, args=(target, rotation), method="lm", xtol=1e-12, ftol=1e-12, gtol=1e-12
        )
        return found.x[:3]
