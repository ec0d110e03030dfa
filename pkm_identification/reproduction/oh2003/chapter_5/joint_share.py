# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The source's explanation of the friction excess, tried: what friction of the joints does to that of the struts.

Exact data of a machine whose twelve joints have rotational Coulomb (or viscous) friction, alike; the twelve friction
coefficients of the struts fitted as in stage 1-A, the inertial parameters held at their true values. The force is
linear in all of them, so what the joints add is fitted by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.mechanisms.friction import friction_columns
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.joint_friction import JointFriction
from pkm_identification.mechanisms.hexapod.joints import hinges_by_name
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray

from .data import NAMES

MOMENTS = (5.0, 10.0)  # N m in every joint: the text says none
JUDGED = MOMENTS[0]
DAMPING = 5.0  # N m s in every joint
HINGES = ("radial", "tangential")  # of the universal joints at the platform: the text says none either
DURATION, PERIOD = 6.0, 2e-3  # s


@dataclass(frozen=True)
class JointShare:
    """Changes of the struts' friction, (expected - estimate) / expected in %, (12,): viscous, then Coulomb.

    Attributes
    ----------
    coulomb : dict of float to dict of str to ndarray
        By Coulomb friction in each joint (N m), then by trajectory, with the joints of the experiments.
    viscous : dict of str to ndarray
        By trajectory, with DAMPING in each joint.
    at_platform : dict of str to dict of str to ndarray
        With JUDGED in each joint and the universal ones at the platform, by the direction of their hinges.
    left : dict of str to float
        Share of the joints' forces that strut friction cannot take, rms, by trajectory, with JUDGED in each joint.
    """

    coulomb: dict[float, dict[str, FloatArray]]
    viscous: dict[str, FloatArray]
    at_platform: dict[str, dict[str, FloatArray]]
    left: dict[str, float]


def joint_share(machine: Machine) -> JointShare:
    """Return the joint share of a machine, whose own friction of the struts is what they are compared with."""
    hinged = {
        name: replace(
            machine,
            base_joint="spherical",
            platform_joint="universal",
            first_axes=hinges_by_name(name, machine.platform_joints),
        )
        for name in HINGES
    }
    judged = JointFriction.alike(JUDGED)
    return JointShare(
        {
            size: {name: _fit(machine, JointFriction.alike(size), name)[0] for name in NAMES}
            for size in MOMENTS
        },
        {name: _fit(machine, JointFriction.alike(0.0, DAMPING), name)[0] for name in NAMES},
        {kind: {name: _fit(run, judged, name)[0] for name in NAMES} for kind, run in hinged.items()},
        {name: _fit(machine, judged, name)[1] for name in NAMES},
    )


def _fit(machine: Machine, joints: JointFriction, trajectory_name: str) -> tuple[FloatArray, float]:
    """Changes of the twelve coefficients, and the share of the joints' forces that is left."""
    # MuJoCo takes longer to load than most commands run
    from pkm_identification.simulation.trajectories import trajectory

    motion = trajectory(trajectory_name, machine, DURATION).motion(np.arange(0.0, DURATION, PERIOD))
    rubbing = replace(machine, joint_friction=joints)
    force = strut_forces(rubbing, motion) - strut_forces(replace(machine, joint_friction=None), motion)
    _, rate, _ = strut_motion_from_platform(machine, motion)
    columns = friction_columns(rate, machine.friction)
    added, left = np.empty((2, STRUTS)), np.empty_like(force)
    for i in range(STRUTS):
        own = columns[:2, :, i].T
        added[:, i], *_ = np.linalg.lstsq(own, force[:, i], rcond=None)
        left[:, i] = force[:, i] - own @ added[:, i]
    expected = np.concatenate([machine.friction.viscous, machine.friction.coulomb])
    rest = float(np.sqrt(np.mean(left**2) / np.mean(force**2)))
    return -100.0 * added.ravel() / expected, rest
