# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The source's actuators as it prints them: the test set-up's cylinder (table 7.1.1-1) and the robot's five (7.2.2-1).

Digits are decoded where our copy is damaged. Coulomb friction is bent within a rate, as its sign function has no slope
at rest; the rate is ours.
"""

from __future__ import annotations

from pkm_identification.mechanisms.actuators import (
    Hydraulic,
    HydraulicReduced,
    InnerFriction,
    NoLoadTable,
    PositionLoop,
    Vane,
)

VALVE_RATE, VALVE_DAMPING, VALVE_DELAY = 1443.0, 0.38, 1.629e-3  # rad/s, 1, s
SENSOR_DELAY = 0.658e-3  # s
CURRENT_LIMIT = 0.29  # A
OIL, LEAK, VISCOUS = 1.0e-6, 7.46e-5, 501.0  # m/N, m/(N s), N s/m

TEST_TABLE = NoLoadTable(
    (-0.3, -0.23, -0.0179, -0.0111, -0.0085, 0.0017, 0.194, 0.3),
    (-0.62, -0.61, -0.009, 0.0, 0.0, 0.009, 0.71, 0.72),
)
ROBOT_TABLE = NoLoadTable((-0.3, -0.202, 0.002, 0.008, 0.205, 0.3), (-0.96, -0.95, 0.0, 0.0, 0.73, 0.74))
VANE_TABLE = NoLoadTable(
    (-0.3, -0.213, -0.106, 0.0, 0.106, 0.213, 0.3), (-2.439, -2.438, -1.521, 0.0, 1.521, 2.438, 2.439)
)
BEND, VANE_BEND = 1e-3, 1e-2  # m/s and rad/s, within which Coulomb friction is bent


def _cylinder(
    table: NoLoadTable, gain: float, sensor: float, coulomb: float = 0.0, zero: float = 0.0
) -> Hydraulic:
    loop = PositionLoop(gain, CURRENT_LIMIT, sensor, SENSOR_DELAY, zero)
    return Hydraulic(
        loop,
        VALVE_DELAY,
        table,
        OIL,
        LEAK,
        valve_rate=VALVE_RATE,
        valve_damping=VALVE_DAMPING,
        friction=InnerFriction(VISCOUS, coulomb, BEND),
    )


TEST_SERVO = _cylinder(TEST_TABLE, -0.231, -186.0)
"""Extension is negative voltage."""

VANE = Vane(
    PositionLoop(0.319, CURRENT_LIMIT, 3.945),
    VALVE_DELAY,
    VANE_TABLE,
    69e-6,
    0.0,
    valve_rate=VALVE_RATE,
    valve_damping=VALVE_DAMPING,
    friction=InnerFriction(56.0, 15.0, VANE_BEND),
)
# in the order of the mechanism's drives; sensors show 0 V with the piston in the middle
ACTUATORS = ("L1", "L2", "L3", "L4", "vane")
ROBOT: tuple[Hydraulic, ...] = (
    _cylinder(ROBOT_TABLE, 0.310, 200.0, 200.0, 0.182263),
    _cylinder(ROBOT_TABLE, 0.415, 198.0, 0.0, 0.182263),
    _cylinder(ROBOT_TABLE, 0.144, 201.0, 150.0, 0.258053),
    _cylinder(ROBOT_TABLE, 0.128, 208.0, 0.0, 0.182263),
    VANE,
)
OFFSET_LENGTHS = tuple(one.loop.sensor_zero for one in ROBOT)  # m, rad of the vane: pistons in the middle


def reduced(actuators: tuple[Hydraulic, ...]) -> tuple[HydraulicReduced, ...]:
    """The same with each valve as one delay."""
    return tuple(HydraulicReduced.of(one) for one in actuators)
