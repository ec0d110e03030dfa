# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The hexapod as a tree in pinocchio: six [revolute, revolute, prismatic] struts and a free platform."""

import numpy as np
import pinocchio as pin

from pkm_identification.motion import PlatformMotion


class PinocchioHexapod:
    """Inverse dynamics by pinocchio's Newton-Euler on the cut tree, closed by virtual power."""

    def __init__(self, machine):
        self.machine = machine
        self.struts = []
        for i, strut in enumerate(machine.struts):
            model = pin.Model()
            model.gravity.linear = machine.gravity
            x = machine.first_axes[i]
            helper = np.eye(3)[np.argmin(np.abs(x))]
            y = np.cross(helper, x)
            y /= np.linalg.norm(y)
            placement = pin.SE3(np.column_stack([x, y, np.cross(x, y)]), machine.base_joints[i])
            first = model.addJoint(0, pin.JointModelRX(), placement, "first")
            second = model.addJoint(first, pin.JointModelRY(), pin.SE3.Identity(), "second")
            slide = model.addJoint(second, pin.JointModelPZ(), pin.SE3.Identity(), "slide")
            b, e = strut.body_b, strut.body_e
            model.appendBodyToJoint(
                second,
                pin.Inertia(
                    b.mass, np.array([0, 0, b.center_of_mass]), np.diag([b.transverse, b.transverse, b.axial])
                ),
                pin.SE3.Identity(),
            )
            model.appendBodyToJoint(
                slide,
                pin.Inertia(
                    e.mass,
                    np.array([0, 0, -e.center_of_mass]),
                    np.diag([e.transverse, e.transverse, e.axial]),
                ),
                pin.SE3.Identity(),
            )
            self.struts.append((model, model.createData(), slide, placement))

    def strut_forces(self, motion: PlatformMotion) -> np.ndarray:
        """Drive forces without friction, (N, 6)."""
        return np.array([self._one(motion, n) for n in range(len(motion))])

    def _one(self, motion, n):
        m = self.machine
        x, turned = motion.position[n], motion.rotation[n]
        v, w = motion.twist[n, :3], motion.twist[n, 3:]
        a, al = motion.acceleration[n, :3], motion.acceleration[n, 3:]
        spatial = pin.Inertia(m.platform.mass, m.platform.center_of_mass, np.array(m.platform.inertia))
        body_v = pin.Motion(turned.T @ v, turned.T @ w)
        # spatial acceleration of the body frame is the classical one less w x v; gravity enters as an acceleration
        body_a = pin.Motion(turned.T @ (a - m.gravity - np.cross(w, v)), turned.T @ al)
        f = spatial * body_a + body_v.cross(spatial * body_v)
        wrench = np.concatenate([turned @ f.linear, turned @ f.angular])
        jac = np.empty((6, 6))
        for i, (model, data, slide, placement) in enumerate(self.struts):
            r = turned @ m.platform_joints[i]
            p = x + r
            v_p = v + np.cross(w, r)
            a_p = a + np.cross(al, r) + np.cross(w, np.cross(w, r))
            local = placement.actInv(p)
            length = np.linalg.norm(local)
            d = local / length  # d = Rx(q1) Ry(q2) ez
            q = np.array([np.arctan2(-d[1], d[2]), np.arcsin(d[0]), length])
            pin.forwardKinematics(model, data, q)
            assert np.allclose(data.oMi[slide].translation, p, atol=1e-12)
            point = pin.computeJointJacobian(model, data, q, slide)[:3]
            point = data.oMi[slide].rotation @ point
            qd = np.linalg.solve(point, v_p)
            pin.forwardKinematics(model, data, q, qd, np.zeros(3))
            drift = pin.getClassicalAcceleration(
                model, data, slide, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
            ).linear
            qdd = np.linalg.solve(point, a_p - drift)
            tau = pin.rnea(model, data, q, qd, qdd)
            force = np.linalg.solve(point.T, tau)  # the force at P that does the same virtual work
            wrench[:3] += force
            wrench[3:] += np.cross(r, force)
            s = (p - m.base_joints[i]) / length
            jac[i] = np.concatenate([s, np.cross(r, s)])
        return np.linalg.solve(jac.T, wrench)
