# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The arm's inertia, levers, modes and forces, computed from the mechanism `epaas`."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.mechanisms.actuator_space import (
    Modes,
    actuator_mass,
    compute_single_frequency,
    coupling_factors,
    effective_mass,
    find_damped_modes,
)
from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray

from .data import (
    ACTUATOR_MASS,
    COMPLIANCE,
    JOINT_MASS,
    LEAKAGE,
    OFFSET_LENGTHS,
    PAYLOAD,
    PAYLOAD_PLACE,
    START_UP,
    VISCOUS,
)
from .forces import ForceSplit, split_at_speed

GRID = 181
UPRIGHT = np.radians(90.0)


@dataclass(frozen=True)
class MassCurves:
    """Effective masses in kg over an angle, without and with the payload.

    Attributes
    ----------
    angle : ndarray, shape (K,)
        rad.
    bare, loaded : ndarray, shape (K,)
    """

    angle: FloatArray
    bare: FloatArray
    loaded: FloatArray


@dataclass(frozen=True)
class ArmStudy:
    """All that is compared.

    Attributes
    ----------
    from_printed : ndarray, shape (5, 5)
        Actuator mass from the printed joint mass at the offset lengths.
    joint_mass, as_printed : ndarray, shape (5, 5)
        From the mass data at start-up as read, and at alpha = 90, beta = 0 with the digits as printed.
    actuator_mass : ndarray, shape (5, 5)
        From the mass data at start-up.
    lift, grip, elbow, turn : MassCurves
        L3 over alpha, L1 over gamma.
    alone : ndarray, shape (5,)
        Hz, each actuator with the others held, of the printed actuator mass.
    modes : Modes
        Of the whole arm, damped, of the same.
    forces : dict of int to ForceSplit
        By speed.
    wrist : float
        Distance of the wrist from the vane's axis at start-up, m.
    """

    from_printed: FloatArray
    joint_mass: FloatArray
    as_printed: FloatArray
    actuator_mass: FloatArray
    lift: MassCurves
    grip: MassCurves
    elbow: MassCurves
    turn: MassCurves
    alone: FloatArray
    modes: Modes
    forces: dict[int, ForceSplit]
    wrist: float

    @property
    def joint_coupling(self) -> FloatArray:
        """Coupling factors of the printed joint mass, %."""
        return 100.0 * coupling_factors(JOINT_MASS)

    @property
    def actuator_coupling(self) -> FloatArray:
        """Coupling factors among the four cylinders, %."""
        return 100.0 * coupling_factors(self.from_printed[:4, :4])


def run_study() -> ArmStudy:
    """Compute everything."""
    arm = Mechanism.load("epaas")
    target = np.array([OFFSET_LENGTHS])
    middle = kinematics.close_drives(arm, target).required(target, "drives")
    mass = actuator_mass(JOINT_MASS, drive_jacobian(arm, middle))
    start = pose_arm(arm, np.array([START_UP]))
    upright = pose_arm(arm, np.array([[0.0, UPRIGHT, 0.0, 0.0, 0.0]]))
    wrist = kinematics.read(arm, "readings", start)[0]
    loaded = with_payload(arm, PAYLOAD, PAYLOAD_PLACE)
    alpha, gamma = np.radians(np.linspace(60.0, 150.0, GRID)), np.radians(np.linspace(-45.0, 45.0, GRID))
    return ArmStudy(
        from_printed=mass,
        joint_mass=dynamics.tree_mass_matrix(arm, start)[0],
        as_printed=dynamics.tree_mass_matrix(_compute_with_printed_digits(arm), upright)[0],
        actuator_mass=dynamics.mass_matrix(arm, start)[0],
        lift=_compute_curves(arm, loaded, 1, alpha, 2),
        grip=_compute_curves(arm, loaded, 3, gamma, 0),
        elbow=_compute_curves(arm, loaded, 2, gamma, 3),
        turn=_compute_curves(arm, loaded, 1, alpha, 4),
        alone=compute_single_frequency(effective_mass(ACTUATOR_MASS), COMPLIANCE, LEAKAGE, VISCOUS),
        modes=find_damped_modes(ACTUATOR_MASS, COMPLIANCE, LEAKAGE, VISCOUS),
        forces={speed: split_at_speed(arm, speed) for speed in (1, 5)},
        wrist=float(np.hypot(wrist[0], wrist[1])),
    )


def pose_arm(arm: Mechanism, outputs: FloatArray) -> FloatArray:
    """Configurations (N, 5) of phi, alpha, beta, gamma and psi, (N, 5) in rad."""
    return kinematics.close_outputs(arm, outputs).required(outputs, "outputs")


def drive_jacobian(arm: Mechanism, configuration: FloatArray) -> FloatArray:
    """Rates of the drives per rate of the joints (5, 5) at one configuration (1, 5)."""
    count = arm.degrees_of_freedom
    one_by_one = kinematics.moving(
        arm, np.repeat(configuration, count, axis=0), np.eye(count), np.zeros((count, count))
    )
    return np.linalg.inv(one_by_one.velocity.T)


def with_payload(arm: Mechanism, mass: float, place: float) -> Mechanism:
    """Return the arm with a point mass in kg on the gripper's axis, `place` in m from its frame."""
    return _compute_changed(
        arm, "link_5", np.array([mass, 0, 0, mass * place, mass * place**2, mass * place**2, 0, 0, 0, 0])
    )


def _compute_with_printed_digits(arm: Mechanism) -> Mechanism:
    """Return the arm with the two centres of mass as the table prints them: x of link 3 -.201, y of link 5 +.0024 m."""
    bodies = [body.name for body in arm.description.bodies]
    masses = arm.parameters[:, 0]
    third, fifth = np.zeros(10), np.zeros(10)
    third[1] = -0.001 * masses[bodies.index("link_3")]
    fifth[2] = 2 * 0.0024 * masses[bodies.index("link_5")]
    return _compute_changed(_compute_changed(arm, "link_3", third), "link_5", fifth)


def _compute_changed(arm: Mechanism, body: str, more: FloatArray) -> Mechanism:
    parameters = np.array(arm.parameters)
    parameters[[one.name for one in arm.description.bodies].index(body)] += more
    return replace(arm, parameters=parameters)


def _compute_curves(
    arm: Mechanism, loaded: Mechanism, output: int, angle: FloatArray, drive: int
) -> MassCurves:
    outputs = np.zeros((len(angle), 5))
    outputs[:, 1] = UPRIGHT
    outputs[:, output] = angle
    at = pose_arm(arm, outputs)
    bare, heavy = (effective_mass(dynamics.mass_matrix(one, at))[:, drive] for one in (arm, loaded))
    return MassCurves(angle, bare, heavy)
