# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forward dynamics and the ten-parameter regressor by pinocchio: one tree, six loops closed at the platform joints."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from core.mechanisms.hexapod.dynamics.pinocchio_tree import PinocchioHexapod

from pkm_identification.motion import PlatformMotion

# where our parameters (xx, yy, zz, xy, xz, yz) stand in pinocchio's order (Ixx, Ixy, Iyy, Ixz, Iyz, Izz)
ORDER = [0, 1, 2, 3, 4, 6, 9, 5, 7, 8]


def tip_state(oracle: PinocchioHexapod, i: int, point, velocity, acceleration):
    """Joint coordinates, rates, accelerations and the tip's Jacobian of one strut whose tip moves as given."""
    model, data, slide, placement = oracle.struts[i]
    local = placement.actInv(point)
    length = np.linalg.norm(local)
    d = local / length
    q = np.array([np.arctan2(-d[1], d[2]), np.arcsin(d[0]), length])
    jac = pin.computeJointJacobian(model, data, q, slide)[:3]
    pin.forwardKinematics(model, data, q)
    jac = data.oMi[slide].rotation @ jac
    rates = np.linalg.solve(jac, velocity)
    pin.forwardKinematics(model, data, q, rates, np.zeros(3))
    drift = pin.getClassicalAcceleration(model, data, slide, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED).linear
    return q, rates, np.linalg.solve(jac, acceleration - drift), jac, drift


def tip_force(oracle: PinocchioHexapod, i: int, point, velocity, acceleration, gravity) -> np.ndarray:
    """Force (3,) at the tip that moves one strut as given."""
    q, rates, accelerations, jac, _ = tip_state(oracle, i, point, velocity, acceleration)
    model, data, *_ = oracle.struts[i]
    model.gravity.linear = np.asarray(gravity, dtype=float)
    return np.linalg.solve(jac.T, pin.rnea(model, data, q, rates, accelerations))


def tip_regressor(oracle: PinocchioHexapod, i: int, point, velocity, acceleration) -> np.ndarray:
    """Force at the tip per unit of the strut's twenty parameters (body B, body E), ours in order; (3, 20)."""
    q, rates, accelerations, jac, _ = tip_state(oracle, i, point, velocity, acceleration)
    model, data, *_ = oracle.struts[i]
    columns = pin.computeJointTorqueRegressor(model, data, q, rates, accelerations)
    # the first hinge carries no body
    return np.linalg.solve(jac.T, np.hstack([columns[:, 10:20][:, ORDER], columns[:, 20:30][:, ORDER]]))


def platform_force(m, motion: PlatformMotion, n: int, twist, acceleration, gravity) -> np.ndarray:
    """Wrench (6,) at the platform origin in base axes that moves the platform as given."""
    turned = motion.rotation[n]
    v, w, a, al = twist[:3], twist[3:], acceleration[:3], acceleration[3:]
    body = pin.Inertia(m.platform.mass, m.platform.center_of_mass, np.array(m.platform.inertia))
    body_v = pin.Motion(turned.T @ v, turned.T @ w)
    body_a = pin.Motion(turned.T @ (a - gravity - np.cross(w, v)), turned.T @ al)
    f = body * body_a + body_v.cross(body * body_v)
    return np.concatenate([turned @ f.linear, turned @ f.angular])


def closed_loop_accelerations(m, motion: PlatformMotion, force: np.ndarray) -> np.ndarray:
    """Platform accelerations (N, 6) under strut forces without friction, by pinocchio's constrained dynamics."""
    oracle = PinocchioHexapod(m)
    whole = pin.Model()
    whole.gravity.linear = m.gravity
    tips = []
    for i, (strut, _, _, placement) in enumerate(oracle.struts):
        parent = 0
        for k, joint in enumerate((pin.JointModelRX(), pin.JointModelRY(), pin.JointModelPZ()), start=1):
            parent = whole.addJoint(parent, joint, placement if k == 1 else pin.SE3.Identity(), f"{i}_{k}")
            whole.appendBodyToJoint(parent, strut.inertias[k], pin.SE3.Identity())
        tips.append(parent)
    platform = whole.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "platform")
    body = pin.Inertia(m.platform.mass, m.platform.center_of_mass, np.array(m.platform.inertia))
    whole.appendBodyToJoint(platform, body, pin.SE3.Identity())
    data = whole.createData()
    result = np.empty((len(motion), 6))
    for n in range(len(motion)):
        x, turned = motion.position[n], motion.rotation[n]
        v, w = motion.twist[n, :3], motion.twist[n, 3:]
        q, rates, tau = np.empty(whole.nq), np.empty(whole.nv), np.zeros(whole.nv)
        for i in range(6):
            r = turned @ m.platform_joints[i]
            own = tip_state(oracle, i, x + r, v + np.cross(w, r), np.zeros(3))
            q[3 * i : 3 * i + 3], rates[3 * i : 3 * i + 3] = own[0], own[1]
            tau[3 * i + 2] = force[n, i]
        q[18:] = pin.SE3ToXYZQUAT(pin.SE3(turned, x))
        rates[18:] = np.concatenate([turned.T @ v, turned.T @ w])
        mass = pin.crba(whole, data, q)
        mass = np.triu(mass) + np.triu(mass, 1).T
        bias = pin.nonLinearEffects(whole, data, q, rates)
        # both ends of every loop: velocity rows, and accelerations when no joint accelerates
        rows, drift = np.empty((18, whole.nv)), np.empty(18)
        pin.computeJointJacobians(whole, data, q)
        pin.forwardKinematics(whole, data, q, rates, np.zeros(whole.nv))
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        at_platform = pin.getJointJacobian(whole, data, platform, axes)
        spin = turned @ data.v[platform].angular
        centre = pin.getClassicalAcceleration(whole, data, platform, axes)
        for i, tip in enumerate(tips):
            r = turned @ m.platform_joints[i]
            rows[3 * i : 3 * i + 3] = (
                pin.getJointJacobian(whole, data, tip, axes)[:3]
                - at_platform[:3]
                + pin.skew(r) @ at_platform[3:]
            )
            end = centre.linear + np.cross(centre.angular, r) + np.cross(spin, np.cross(spin, r))
            drift[3 * i : 3 * i + 3] = pin.getClassicalAcceleration(whole, data, tip, axes).linear - end
        system = np.block([[mass, rows.T], [rows, np.zeros((18, 18))]])
        solution = np.linalg.solve(system, np.concatenate([tau - bias, -drift]))
        local = pin.Motion(solution[18:24])
        # body-fixed spatial acceleration to that of the origin in base axes
        result[n, :3] = turned @ local.linear + np.cross(w, v)
        result[n, 3:] = turned @ local.angular
    return result
