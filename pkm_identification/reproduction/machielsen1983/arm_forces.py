# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the source prints of the arm, and its forces by cause, as tables 8.2.4-1 and 8.2.4-2 split them.

Of T_i = sum_j D_ij q_j'' + sum_jk D_ijk q_j' q_k' + D_i: T_in = D_ii q_i'', T_cin the rest of the first sum, T_cen and
T_cor the squares and the mixed products, T_grav = D_i; seen from one joint, T_vis = what has its own rate and
another's, T_ext = T_tot - T_in - T_vis. The same with the actuators' coordinates: F_in, F_vis, F_V2 (the own rate
squared), F_ext.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pkm_identification.mechanisms.actuators import Hydraulic
from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.kinematics import MechanismMotion
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.reproduction.study_file import read_file

ACTUATORS = ("L1", "L2", "L3", "L4", "vane")  # the text's names in the order of the machine's drives
_DECLARED = read_file(f"{__package__}.arm")
DATA = _DECLARED["data"]
# what the text prints by the name of a number
PRINTED = {
    one["name"]: one["text"]
    for finding in _DECLARED["findings"]
    for one in finding["numbers"]
    if "text" in one
}

# of the built-in machine: oil compliance in m/N and rad/(N m), hydraulic compliance in m/(N s), viscous friction in
# N s/m and N m s, and where sensors show 0 V, m and rad
_SERVOS = [
    one for one in Mechanism.load("epaas_hydraulic").description.actuators or () if isinstance(one, Hydraulic)
]
COMPLIANCE = np.array([one.oil_compliance for one in _SERVOS])
LEAKAGE = np.array([one.hydraulic_compliance for one in _SERVOS])
VISCOUS = np.array([one.friction.viscous for one in _SERVOS])
OFFSET_LENGTHS = tuple(0.0 if one.loop is None else one.loop.sensor_zero for one in _SERVOS)


def _fill_symmetric(rows: list[list[float]]) -> FloatArray:
    matrix = np.zeros((len(rows), len(rows)))
    for i, row in enumerate(rows):
        matrix[i, i:] = row
        matrix[i:, i] = row
    return matrix


JOINT_MASS = _fill_symmetric(DATA["joint_mass"])
ACTUATOR_MASS = _fill_symmetric(DATA["actuator_mass"])


Forces = Callable[[FloatArray, FloatArray], FloatArray]  # of rates and accelerations, all (n,)


@dataclass(frozen=True)
class ForceSplit:
    """Parts by their name in the source, shape (5,) each.

    Attributes
    ----------
    torques : dict of str to ndarray
        N m, joints 1 to 5.
    forces : dict of str to ndarray
        N or N m, actuators L1 to L4 and the vane.
    wrong_square : tuple of float
        F_V2 and F_in of actuator 4 with the wrong second derivative of L4 that comes near the print.
    """

    torques: dict[str, FloatArray]
    forces: dict[str, FloatArray]
    wrong_square: tuple[float, float]

    @property
    def torque_gap(self) -> float:
        """Total less the sum of T_in, T_cin, T_cen, T_cor and T_grav, largest, N m."""
        parts = sum(self.torques[name] for name in ("T_in", "T_cin", "T_cen", "T_cor", "T_grav"))
        return float(np.abs(parts - self.torques["T_tot"]).max())

    @property
    def force_gap(self) -> float:
        """F_tot less the joint torques brought to the actuators by virtual work, largest, N."""
        return float(np.abs(self.forces["F_tot"] - self.forces["F_work"]).max())


def split_at_speed(arm: Mechanism, speed: int) -> ForceSplit:
    """Return the parts at the state of the tables, at `speed` times the printed single speed."""
    q = np.radians([DATA["state"]])
    rate = np.radians(DATA["rates_five"]) / 5.0 * speed
    second = np.radians(DATA["accelerations_five"]) / 25.0 * speed**2
    still = np.zeros(5)

    def joint_torque(rate: FloatArray, second: FloatArray) -> FloatArray:
        return dynamics.open_tree_forces(arm, q, rate[None], second[None])[0]

    lever = kinematics.moving(arm, np.repeat(q, 5, axis=0), np.eye(5), np.zeros((5, 5))).velocity.T
    lengths_rate = np.linalg.solve(lever, rate)
    coasting = kinematics.moving(arm, q, lengths_rate[None], still[None]).acceleration[0]
    lengths_second = np.linalg.solve(lever, second - coasting)

    def drive_force(rate: FloatArray, second: FloatArray) -> FloatArray:
        return dynamics.forces(arm, kinematics.moving(arm, q, rate[None], second[None]))[0]

    joints = _compute_parts("T", joint_torque, dynamics.tree_mass_matrix(arm, q)[0], rate, second)
    mass = dynamics.mass_matrix(arm, q)[0]
    actuators = _compute_parts("F", drive_force, mass, lengths_rate, lengths_second)
    actuators["F_work"] = lever.T @ joints["T_tot"]
    return ForceSplit(joints, actuators, _compute_wrong_square(arm, q, mass, rate, second))


def _compute_parts(
    letter: str, force: Forces, mass: FloatArray, rate: FloatArray, second: FloatArray
) -> dict[str, FloatArray]:
    """Superposition: the quadratic terms are separated by moving one coordinate, or two, at a time."""
    count = len(rate)
    still, unit = np.zeros(count), np.eye(count)
    gravity, total = force(still, still), force(rate, second)
    own, whole = np.diag(mass) * second, mass @ second
    alone = np.array([force(unit[j] * rate, still) - gravity for j in range(count)])
    quadratic = force(rate, still) - gravity
    mixed = np.zeros(count)
    for i in range(count):
        for k in range(count):
            if k != i:
                pair = force((unit[i] + unit[k]) * rate, still) - gravity
                mixed[i] += (pair - alone[i] - alone[k])[i]
    square = np.diag(alone).copy()
    parts = {
        "in": own,
        "cin": whole - own,
        "cen": alone.sum(axis=0),
        "cor": quadratic - alone.sum(axis=0),
        "grav": gravity,
        "tot": total,
        "vis": mixed,
        "V2": square,
        "ext": total - own - mixed - square,
    }
    return {f"{letter}_{name}": part for name, part in parts.items()}


def _compute_wrong_square(
    arm: Mechanism, q: FloatArray, mass: FloatArray, rate: FloatArray, second: FloatArray
) -> tuple[float, float]:
    """F_V2 and F_in of L4 with -(DL^2 + twice cos(beta + theta_0)) / L4, which is not its second derivative."""
    length, first, cosine = _compute_lever_of_l4(arm, q)
    wrong = -(first**2 + 2.0 * cosine) / length
    beta_rate, beta_second = rate[1] + rate[2], second[1] + second[2]
    own = mass[3, 3]
    return float(-own * wrong * beta_rate**2), float(own * (first * beta_second + wrong * beta_rate**2))


def _compute_lever_of_l4(arm: Mechanism, q: FloatArray) -> tuple[float, float, float]:
    """L4, dL4/dbeta, and (twice / 2) cos(beta + theta_0) from L4^2 = square - twice cos(beta + theta_0)."""
    beta_alone = np.array([[0.0, 0.0, 1.0, 0.0, 0.0]])
    angles = kinematics.read(arm, "outputs", q)
    motion: MechanismMotion = kinematics.motion_of_outputs(arm, angles, beta_alone, np.zeros((1, 5)))
    length, first = float(motion.drive[0, 3]), float(motion.drive_rate[0, 3])
    # d^2(L^2)/dbeta^2 / 2 = L'^2 + L L'' = (twice / 2) cos
    cosine = first**2 + length * float(motion.drive_acceleration[0, 3])
    return length, first, cosine
