# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What the paper on the 3PRS table prints of its axes, and what is assumed where it does not."""

from __future__ import annotations

import numpy as np

SOURCE = "The paper on the 3PRS table"

# printed, or decoded from damaged digits (P): kg m^2
ROTOR, GEARBOX, COUPLING = 1.42e-5, 1.4e-6, 4.68e-6
MOTOR_INERTIA = ROTOR + GEARBOX + COUPLING  # J_1, Eq. 20
STIFFNESS = 67.702  # K_1, N m/rad
IMPACT_FREQUENCY = 986.5  # f_n, Hz
GEAR_RATIO = 15.0
RESONANCE = 900.0  # of TF1, Hz, read from its figure by the paper's words
INERTIA_FACTOR = 1.56  # J_1 is divided by it in the identification
IDENTIFIED_FRICTION = 7.18e-2  # N m, Coulomb
PRINTED_FRICTION = 0.2  # N m, the constant of Eq. 23, on the output shaft of the gearbox as read here

# assumed: the paper's are lost or not legible
DAMPING = 3.00e-3  # C_1, N m s: 10^-3 or 10^-8 by the print
PITCH = 0.070  # m of travel per turn of the pulley
GUIDE_INERTIA, LOAD = 4.524e-4, 0.76  # kg m^2 and kg: readings that come nearest the printed resonance
RESISTANCE, INDUCTANCE = 0.299, 8.2e-5  # Ohm and H: the catalogue's for the winding that k_T points at
# readings of J_guide and M_load, kg m^2 and kg
READINGS = ((4.524e-4, 0.76), (4.524e-4, 0.076), (4.524e-5, 2.27))

TRAVEL = PITCH / (2.0 * np.pi * GEAR_RATIO)  # m of slider per rad of motor

# printed controller (Fig. 6): 1/s, A s/rad, A/rad, A s/rad, A s^2/rad, Ohm, Ohm/s and periods in s
POSITION_GAIN, POSITION_PERIOD = 20.0, 5e-3
VELOCITY_GAIN, VELOCITY_INTEGRAL, VELOCITY_PERIOD = 0.069, 2.93, 1e-3
VELOCITY_FEEDFORWARD, ACCELERATION_FEEDFORWARD = 4.8e-3, 4.7e-4
CURRENT_GAIN, CURRENT_INTEGRAL, CURRENT_PERIOD = 1.17, 2.46e3, 1e-4
TORQUE_CONSTANT = ROTOR / ACCELERATION_FEEDFORWARD  # N m/A, reconstructed: the paper has none

# the closed position loop as printed: Hz, magnitude, phase in degrees
FREQUENCIES = (0.4, 5.0, 10.0)
MAGNITUDES = (0.994, 0.654, 0.432)
PHASES = (-6.3, -62.5, -103.7)
BANDWIDTH_BARE, BANDWIDTH_WITH = 4.0, 3.5  # Hz, without and with the mechanism
