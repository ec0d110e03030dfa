# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What the source prints of the arm: tables 8.2.3-1, 8.2.3-2, 8.2.4-1, 8.2.4-2, effective masses, modes."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.actuators import Hydraulic
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray

Table = dict[int, dict[str, tuple[float | None, ...]]]  # by speed and part

SOURCE = "Machielsen 1983"
# what fits table 8.2.3-1 best: phi, alpha, beta, gamma, psi
START_UP = tuple(np.radians([0.0, 89.76, 0.84, 0.84, 0.0]))

# of the built-in machine: oil compliance in m/N and rad/(N m), hydraulic compliance in m/(N s), viscous friction in
# N s/m and N m s, and where sensors show 0 V, m and rad
ACTUATORS = ("L1", "L2", "L3", "L4", "vane")  # the text's names in the order of the machine's drives
_SERVOS = [
    one for one in Mechanism.load("epaas_hydraulic").description.actuators or () if isinstance(one, Hydraulic)
]
COMPLIANCE = np.array([one.oil_compliance for one in _SERVOS])
LEAKAGE = np.array([one.hydraulic_compliance for one in _SERVOS])
VISCOUS = np.array([one.friction.viscous for one in _SERVOS])
OFFSET_LENGTHS = tuple(0.0 if one.loop is None else one.loop.sensor_zero for one in _SERVOS)


def _compute_symmetric(rows: list[list[float]]) -> FloatArray:
    matrix = np.zeros((len(rows), len(rows)))
    for i, row in enumerate(rows):
        matrix[i, i:] = row
        matrix[i:, i] = row
    return matrix


JOINT_MASS = _compute_symmetric(
    [
        [0.214180, -0.000102, -0.000219, -0.000223, 0.002474],
        [0.297523, 0.062126, -0.008105, 0.000336],
        [0.076586, 0.008015, -0.000224],
        [0.006667, -0.000224],
        [0.001118],
    ]
)
ACTUATOR_MASS = _compute_symmetric(
    [
        [1.347150, -0.045180, 2.140560, 0.317589, -0.003173],
        [0.225879, -0.074280, -0.225879, 0.035173],
        [21.804420, -0.146145, -0.001097],
        [13.808524, -0.035115],
        [0.214180],
    ]
)
JOINT_COUPLING = (1.0, 21.0, 82.0, 171.0, 225.0)  # %
PRINTED_COUPLING = (3.0, 10.0, 161.0, 107.0)  # % of joints 2 to 5
ACTUATOR_COUPLING = (161.0, 107.0, 10.0, 3.0)  # % of L1 to L4, rows of joints 2 and 3 interchanged back

PAYLOAD = 4.0  # kg
PAYLOAD_PLACE = 0.198  # m along the gripper's axis, fitted to the row of L1: not in the text
MASS_L3, MASS_L3_LOADED = (19.0, 38.0), (48.0, 96.0)  # kg
MASS_L4, MASS_L4_LOADED = (14.0, 38.0), (64.0, 111.0)
MASS_VANE, MASS_VANE_LOADED = (0.18, 0.33), (0.19, 1.3)  # kg m^2
MASS_L1, MASS_L1_LOADED = (1.3, 2.7), (33.0, 68.0)

# Hz: of the model and measured with a hammer, by actuator
MODEL_MODES = {"L3": 34.7, "L4": 43.3, "L1": 140.0}
MEASURED_MODES = {"L3": 35.9, "L4": 40.2, "vane": 25.2}
FLEXIBLE_MODES = {
    "the gripper, in its plane": 13.6,
    "the gripper, across": 14.8,
    "the upper arm, in its plane": 59.2,
    "the upper arm, across": 83.2,
}
VANE_LOADED_MODE, VANE_TEST_INERTIA, VANE_TEST_LOAD = 33.0, 0.338, 2.5  # Hz, kg m^2, kg

# The state of tables 8.2.4: deg, deg/s and deg/s^2 at five times the speed, which is printed with more digits
STATE = (44.0, 81.0, 274.0, 12.0, 5.0)
RATES_FIVE = (688.0, -123.0, 170.0, -2.0, -48.0)
ACCELERATIONS_FIVE = (600.0, 284.0, -4758.0, 4289.0, 4474.0)
# N m, joints 1 to 5, and N, actuators in the order of ACTUATORS; by speed. None: not compared, as a misprint (F_V2 of
# L4, T_ext of joint 4) or as a small difference of large terms (totals of L1 and of joint 4 at single speed)
TORQUES: Table = {
    5: {
        "T_in": (2.539, 1.548, -6.786, 0.499, 0.087),
        "T_cin": (0.212, -6.305, 1.119, -0.922, 0.041),
        "T_cen": (0.006, 12.533, -3.568, -2.474, 0.110),
        "T_cor": (5.810, -1.014, 0.003, 0.159, 0.077),
        "T_grav": (0.0, 3.417, 2.378, 0.116, -0.003),
        "T_tot": (8.567, 10.178, -6.854, -2.622, 0.313),
        "T_vis": (5.816, -0.984, 0.0, 0.0, 0.0),
        "T_ext": (0.213, 9.614, -0.068, None, 0.225),
    },
    1: {
        "T_in": (0.101, 0.061, -0.271, 0.020, 0.003),
        "T_cin": (0.008, -0.252, 0.045, -0.037, 0.002),
        "T_cen": (0.0, 0.501, -0.143, -0.099, 0.004),
        "T_cor": (0.232, -0.041, 0.0, 0.006, 0.003),
        "T_grav": (0.0, 3.417, 2.378, 0.116, -0.003),
        "T_tot": (0.343, 3.687, 2.008, None, 0.010),
        "T_vis": (0.233, -0.039, 0.0, 0.0, 0.0),
        "T_ext": (0.009, 3.665, 2.278, None, 0.006),
    },
}
FORCES: Table = {
    5: {
        "F_in": (-0.325, 0.0, -17.195, -76.251, 2.539),
        "F_ext": (-37.710, 4.445, -156.146, 11.407, 0.213),
        "F_V2": (0.013, 0.0, 4.958, None, 0.0),
        "F_vis": (0.001, 0.0, 0.0, 0.010, 5.816),
        "F_tot": (-38.021, 4.445, -168.384, -64.085, 8.567),
    },
    1: {
        "F_in": (-0.013, 0.0, -0.688, -3.05, 0.102),
        "F_ext": (None, 0.138, -16.108, 31.104, 0.009),
        "F_V2": (0.001, 0.0, 0.198, None, 0.0),
        "F_vis": (0.0, 0.0, 0.0, 0.0, 0.233),
        "F_tot": (None, 0.138, -16.598, 28.084, 0.343),
    },
}
PRINTED_EXTERNAL_4, PRINTED_SQUARE_4, PRINTED_OWN_4 = (
    3.120,
    0.749,
    -76.251,
)  # T_ext, F_V2, F_in of 4, five-fold
NEAR = {5: 0.04, 1: 0.05}  # of the largest of a row; the state is printed to whole degrees
