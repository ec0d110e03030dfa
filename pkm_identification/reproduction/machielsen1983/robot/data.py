# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What the source prints of steps of the robot (table 7.2.2-2): simulated, ms, ms, %; resolution 1 ms."""

from __future__ import annotations

PRINTED = {
    "L3": (26.0, 32.0, 51.0),
    "L4": (21.0, 26.0, 32.0),
    "L1": (11.0, 23.0, 65.0),
    "L2": (10.0, 14.0, 71.0),
}
VANE_TIMES, VANE_SHARES = (
    (0.025, 0.050, 0.075, 0.100),
    (37.0, 62.0, 88.0, 100.0),
)  # s, % of where it is at 100 ms

# setpoint steps in V, ours: the text's are lost. The first of each is the one that is compared.
STEPS = {"L3": (0.4, -2.0), "L4": (0.3, -2.5), "L1": (-0.5, 0.5), "L2": (-0.5, 0.5)}
VANE_STEP = 0.5
DURATION = {"L3": 0.12, "L4": 0.12, "L1": 0.06, "L2": 0.06}  # s
# ms: what is asked of first peaks and periods
NEAR = {"L3": 2.0, "L4": 1.0, "L1": 1.0, "L2": 1.0}
