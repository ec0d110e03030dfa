# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Energies of the hexapod by pinocchio, from the same tree as the oracle of forces."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from core.mechanisms.hexapod.dynamics.pinocchio_tree import PinocchioHexapod

from pkm_identification.motion import PlatformMotion


def energy(oracle: PinocchioHexapod, motion: PlatformMotion) -> np.ndarray:
    """Kinetic and potential energy in J of every sample, shape (N, 2)."""
    return np.array([_one(oracle, motion, n) for n in range(len(motion))])


def _one(oracle: PinocchioHexapod, motion: PlatformMotion, n: int) -> tuple[float, float]:
    m = oracle.machine
    x, turned = motion.position[n], motion.rotation[n]
    v, w = motion.twist[n, :3], motion.twist[n, 3:]
    body = pin.Inertia(m.platform.mass, m.platform.center_of_mass, np.array(m.platform.inertia))
    kinetic = 0.5 * body.vtiv(pin.Motion(turned.T @ v, turned.T @ w))
    potential = -m.platform.mass * m.gravity @ (x + turned @ m.platform.center_of_mass)
    for i, (model, data, slide, placement) in enumerate(oracle.struts):
        r = turned @ m.platform_joints[i]
        local = placement.actInv(x + r)
        length = np.linalg.norm(local)
        d = local / length
        q = np.array([np.arctan2(-d[1], d[2]), np.arcsin(d[0]), length])
        pin.forwardKinematics(model, data, q)
        point = data.oMi[slide].rotation @ pin.computeJointJacobian(model, data, q, slide)[:3]
        rates = np.linalg.solve(point, v + np.cross(w, r))
        kinetic += pin.computeKineticEnergy(model, data, q, rates)
        potential += pin.computePotentialEnergy(model, data, q)
    return kinetic, potential
