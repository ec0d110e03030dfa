# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Identification from the printed raw data, steps of the test set-up, variations, and the model of reduced order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from pkm_identification.mechanisms.actuators import Bank, Hydraulic, HydraulicReduced
from pkm_identification.mechanisms.actuators.variation import varied
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.simulation.actuated.drives import STEP as SMALL_STEP
from pkm_identification.simulation.actuated.rig import Rig

from ..actuators import ROBOT, TEST_SERVO, reduced
from ..step_metrics import StepMetrics, step_metrics
from .data import (
    LOADS,
    MODES,
    OIL_MEAN,
    RATIOS,
    SENSITIVITIES,
    SENSOR_FREQUENCY,
    SENSOR_PHASE,
    STEP,
    STEPS,
    VALVE_PEAK,
    VALVE_PEAK_FREQUENCY,
    VALVE_PHASE,
)

GRAVITY = 9.81
DURATION, PERIOD = 0.06, 1e-4  # s
LOAD = STEPS[2][0]  # kg, of the reduced model's step and of the sensitivities


@dataclass(frozen=True)
class Identified:
    """What the printed raw data give.

    Attributes
    ----------
    sensor_delay, valve_delay : float
        s.
    valve_damping, valve_frequency : float
        Hz for the latter.
    oil : ndarray, shape (5,)
        m/N, by load.
    leak, viscous : float
        m/(N s), N s/m, by least squares over the loads.
    """

    sensor_delay: float
    valve_damping: float
    valve_frequency: float
    valve_delay: float
    oil: FloatArray
    leak: float
    viscous: float


@dataclass(frozen=True)
class ServoStep:
    """A step of the set-up: voltage of the measuring circuit, and the piston's place in the same volts.

    Attributes
    ----------
    time, measured, place : ndarray, shape (N,)
        s and V, from 0.
    metrics, of_place : StepMetrics
    """

    time: FloatArray
    measured: FloatArray
    place: FloatArray
    metrics: StepMetrics
    of_place: StepMetrics


@dataclass(frozen=True)
class ServoStudy:
    """All that is compared.

    Attributes
    ----------
    steps : tuple of ServoStep
        As STEPS.
    reduced : ServoStep
        5.1 kg, extending, with the valve as one delay.
    reduced_later : ServoStep
        The same with one small step more of that delay.
    varied : dict of str to tuple of StepMetrics
        At -p, 0 and +p.
    order, delays, reduced_order : int
        Of the robot, counted.
    """

    identified: Identified
    steps: tuple[ServoStep, ...]
    reduced: ServoStep
    reduced_later: ServoStep
    varied: dict[str, tuple[StepMetrics, StepMetrics, StepMetrics]]
    order: int
    delays: int
    reduced_order: int

    @property
    def full(self) -> ServoStep:
        """5.1 kg, extending."""
        return self.steps[2]

    def sensitivity(self, name: str) -> tuple[float, float, float]:
        """(value(+p) - value(-p)) / 2p of peak and period in ms, overshoot in points, per %."""
        p = SENSITIVITIES[name][0]
        low, _, high = (in_print_units(one) for one in self.varied[name])
        return tuple((b - a) / (2.0 * p) for a, b in zip(low, high, strict=True))  # type: ignore[return-value]


def run_study() -> ServoStudy:
    """Compute everything."""
    bank, small = Bank(ROBOT), Bank(reduced(ROBOT))
    steps = tuple(servo_step(TEST_SERVO, load, -STEP if out else STEP) for load, out, *_ in STEPS)
    one_delay = HydraulicReduced.of(TEST_SERVO)
    later = replace(one_delay, valve_delay=one_delay.valve_delay + SMALL_STEP)
    return ServoStudy(
        identified=identified(),
        steps=steps,
        reduced=servo_step(one_delay, LOAD, -STEP),
        reduced_later=servo_step(later, LOAD, -STEP),
        varied={
            name: (_varied(name, 1.0 - 0.01 * p), steps[2].metrics, _varied(name, 1.0 + 0.01 * p))
            for name, (p, *_) in SENSITIVITIES.items()
        },
        order=bank.order + 2 * len(bank),
        delays=len(bank.delays),
        reduced_order=small.order + 2 * len(small),
    )


def servo_step(
    servo: Hydraulic | HydraulicReduced, load: float, volts: float, step: float = SMALL_STEP
) -> ServoStep:
    """A step of the setpoint in V from rest, the load in kg hanging on the piston; `step` is the small step in s."""
    rig = Rig([servo], load, load * GRAVITY, step=step)
    held = rig.holding_command
    run = rig.run(lambda _: held + volts, DURATION, PERIOD)
    measured = run.measured[:, 0] - run.measured[0, 0]
    place = servo.loop.sensor_gain * (run.position[:, 0] - run.position[0, 0])
    return ServoStep(
        run.time,
        measured,
        place,
        step_metrics(run.time, measured, volts),
        step_metrics(run.time, place, volts),
    )


def in_print_units(metrics: StepMetrics) -> tuple[float, float, float]:
    """ms, ms, %."""
    return 1e3 * metrics.first_peak, 1e3 * metrics.period, 100.0 * metrics.overshoot


def identified() -> Identified:
    """The source's procedures on its raw data (sections 6.1 and 6.2)."""
    # a second-order system's peak is 1 / (2 b sqrt(1 - b^2)) high and at f0 sqrt(1 - 2 b^2)
    damping = np.sqrt((1.0 - np.sqrt(1.0 - 10.0 ** (-VALVE_PEAK / 10.0))) / 2.0)
    frequency = VALVE_PEAK_FREQUENCY / np.sqrt(1.0 - 2.0 * damping**2)
    sensor_delay = -SENSOR_PHASE / 360.0 / SENSOR_FREQUENCY
    # at its own frequency the valve lags by 90 degrees; the sensor's share goes off, too
    rest = VALVE_PHASE + 90.0 + 360.0 * sensor_delay * frequency
    oil = 1.0 / ((2.0 * np.pi * MODES) ** 2 * LOADS)
    columns = 0.5 * np.column_stack([np.sqrt(LOADS / OIL_MEAN), np.sqrt(OIL_MEAN / LOADS)])
    (leak, viscous), *_ = np.linalg.lstsq(columns, RATIOS, rcond=None)
    return Identified(
        float(sensor_delay),
        float(damping),
        float(frequency),
        float(-rest / 360.0 / frequency),
        oil,
        float(leak),
        float(viscous),
    )


# by the source's name of it, what the actuator calls it; the load is none of its own
_QUANTITIES = {
    "open-loop gain": "gain",
    "t_m": "sensor.delay",
    "t_e": "valve.delay",
    "w_v": "valve.natural_frequency",
    "beta_v": "valve.damping",
    "B": "viscous",
    "1/c_h": "hydraulic_compliance",
    "c_o": "oil_compliance",
}


def _varied(name: str, factor: float) -> StepMetrics:
    """5.1 kg, extending, with one number multiplied by a factor."""
    if name == "M":
        return servo_step(TEST_SERVO, factor * LOAD, -STEP).metrics
    quantity = next(one for one in TEST_SERVO.parameters if one.name == _QUANTITIES[name])
    changed = cast("Hydraulic", varied(TEST_SERVO, quantity, factor))
    return servo_step(changed, LOAD, -STEP).metrics
