# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What the studies of the table's axes assume, for their reports."""

from .axis import AXIS
from .data import DAMPING, GUIDE_INERTIA, INDUCTANCE, LOAD, PITCH, RESISTANCE, TORQUE_CONSTANT

AXIS_NOTES = (
    "Printed: gains, feed-forwards and periods of the cascade, K_1, gear ratio 15, inertias of gearbox and "
    "coupling; the "
    "rotor's 1.42e-5 kg m^2 and the current gain 1.17 Ohm are decoded.",
    f"Assumed, as the paper's are lost or not legible: pitch {1e3 * PITCH:g} mm a turn, J_guide "
    f"{GUIDE_INERTIA:g} kg m^2, "
    f"carriage {LOAD:g} kg (J_2 = {AXIS.guide:.3g} kg m^2), C_1 {DAMPING:g} N m s, R {RESISTANCE:g} Ohm and L "
    f"{INDUCTANCE:g} H by the catalogue, platform a uniform disc of 2.06 kg, k_T {TORQUE_CONSTANT:.4g} N m/A "
    "(reconstructed), amplitudes of motion (each finding states its own).",
    "Positions are the motors', as in the paper's figures over time; responses are first harmonics.",
)
