# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What the source prints of the servo on its test set-up: raw data of the identification, tables 7.1.2-2 and 8.1."""

from __future__ import annotations

import numpy as np

# identification: loads in kg, modes in Hz, damping ratios, oil compliances in 1e-6 m/N
LOADS = np.array([2.7, 4.1, 5.1, 7.5, 9.0])
MODES = np.array([79.9, 70.0, 63.0, 53.3, 50.9])
RATIOS = np.array([0.238, 0.198, 0.187, 0.196, 0.201])
OIL_OF_LOADS = (1.47, 1.26, 1.25, 1.18, 1.08)
OIL_MEAN = 1.25e-6  # m/N; the simulation uses 1.0e-6, lowered by a fifth because that improves agreement
SENSOR_PHASE, SENSOR_FREQUENCY = -45.7, 193.0  # degrees, Hz
VALVE_PEAK, VALVE_PEAK_FREQUENCY, VALVE_PHASE = 3.0, 193.0, -279.0  # dB, Hz, degrees at f0
VALVE_FREQUENCY = 229.65  # Hz

# steps: (load in kg, extending), simulated by the source: ms, ms, %
STEPS = (
    (2.7, True, 12.5, 11.5, 18.0),
    (2.7, False, 13.0, 12.0, 6.0),
    (5.1, True, 14.5, 16.0, 40.0),
    (5.1, False, 15.0, 15.5, 18.0),
)

# sensitivities at 5.1 kg, extending: variation in %, then first peak, period, overshoot at -p, 0, +p; the printed
# sensitivities in ms, ms and points per %
SENSITIVITIES: dict[
    str, tuple[float, tuple[float, ...], tuple[float, ...], tuple[float, ...], tuple[float, ...]]
] = {
    "open-loop gain": (10.0, (15.0, 14.5, 14.5), (15.0, 16.0, 17.0), (29.0, 42.0, 56.0), (-0.025, 0.1, 0.54)),
    "t_m": (25.0, (14.5, 14.5, 15.0), (16.0, 16.0, 16.0), (40.0, 42.0, 44.0), (0.01, 0.0, 0.08)),
    "t_e": (25.0, (14.0, 14.5, 15.5), (16.0, 16.0, 16.0), (37.0, 42.0, 47.0), (0.03, 0.0, 0.2)),
    "w_v": (25.0, (15.0, 14.5, 14.5), (16.5, 16.0, 16.0), (47.0, 42.0, 40.0), (-0.01, -0.01, -0.14)),
    "beta_v": (25.0, (14.0, 14.5, 15.5), (16.0, 16.0, 16.0), (40.0, 42.0, 44.0), (0.03, 0.0, 0.08)),
    "B": (25.0, (14.5, 14.5, 15.0), (16.0, 16.0, 15.5), (46.0, 42.0, 39.0), (0.01, -0.01, -0.14)),
    "1/c_h": (25.0, (14.5, 14.5, 15.0), (16.0, 16.0, 15.5), (44.0, 42.0, 41.0), (0.01, -0.01, -0.06)),
    "c_o": (25.0, (13.5, 14.5, 15.5), (13.5, 16.0, 18.5), (31.0, 42.0, 48.0), (0.04, 0.10, 0.34)),
    "M": (25.0, (13.5, 14.5, 15.5), (13.5, 16.0, 18.5), (29.0, 42.0, 50.0), (0.04, 0.10, 0.42)),
}
RANKING = ("open-loop gain", "M", "c_o", "t_e", "w_v")  # the most sensitive first; B is as w_v by the print

ORDER, DELAYS, REDUCED_ORDER = 25, 9, 15

STEP = 0.30  # V, assumed: the source's is lost
