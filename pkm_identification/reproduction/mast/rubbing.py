# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""One axis under the cascade with Coulomb friction on the motor's shaft, in time, and its response at an amplitude.

Between small steps of 50 us the two inertias are solved exactly; friction is held over a step and is as large as stops
the motor within it, at most the Coulomb torque (an implicit step, so that standing still is standing still).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.signals.harmonic import harmonic

from . import data
from .axis import Axis, state_matrices
from .cascade import Cascade, held

STEP = 5e-5  # s
SETTLING, PERIODS = 1.0, 2  # s before, and periods over which a first harmonic is taken


@dataclass(frozen=True)
class AxisRun:
    """Samples of the velocity loop, shape (N,) each.

    Attributes
    ----------
    time, angle, rate, torque : ndarray
        s, motor angle in rad and its rate in rad/s, motor torque in N m held until the next sample.
    """

    time: FloatArray
    angle: FloatArray
    rate: FloatArray
    torque: FloatArray


class Gains(NamedTuple):
    """Of the cascade: gains, feedforward, torque constant, and the periods of its loops in s."""

    position: float
    velocity: float
    integral: float
    velocity_feedforward: float
    acceleration_feedforward: float
    torque_constant: float
    velocity_period: float
    position_period: float


class SmallStep(NamedTuple):
    """The axis over STEP: from its state (4, 4), from torque and from force on the slider (4,)."""

    transition: FloatArray
    torque: FloatArray
    guide: FloatArray


@kernel
def _run(step, gains, command, friction, guide, delay, small, out):
    """Integrate; `out` (5 K, 3) takes angle, rate and torque of each velocity sample."""
    k_v, k_p, k_i, v_ff, a_ff, k_t, fast, slow = gains
    transition, torque_input, guide_input = step
    state, moved = np.zeros(4), np.zeros(4)
    pipe = np.zeros(delay + 1)
    integral, last = 0.0, 0.0
    cycles = command.shape[0]
    inner = out.shape[0] // cycles
    for cycle in range(cycles):
        for i in range(delay):
            pipe[i] = pipe[i + 1]
        pipe[delay] = k_v * (command[cycle] - state[0])
        speed = pipe[0]
        feed = v_ff * speed + a_ff * (speed - last) / slow
        last = speed
        for sample in range(inner):
            error = speed - state[2]
            integral += k_i * fast * error
            torque = k_t * (k_p * error + integral + feed)
            row = cycle * inner + sample
            out[row, 0], out[row, 1], out[row, 2] = state[0], state[2], torque
            for _ in range(small):
                for i in range(4):
                    moved[i] = torque_input[i] * torque + guide_input[i] * guide
                    for k in range(4):
                        moved[i] += transition[i, k] * state[k]
                stopping = moved[2] / torque_input[2]
                rub = min(max(stopping, -friction), friction)
                for i in range(4):
                    state[i] = moved[i] - torque_input[i] * rub


def run_axis(
    axis: Axis, cascade: Cascade, command: FloatArray, friction: float = 0.0, pull: float = 0.0
) -> AxisRun:
    """The axis from rest under commands of the motor's angle, one a position cycle, shape (K,) in rad.

    `friction` is the Coulomb torque in N m on the motor's shaft, `pull` a constant force in N against the slider.
    """
    a, b, g = state_matrices(axis, np.zeros((1, 1)))
    transition, inputs = held(a, np.hstack([b, g]), STEP)
    gains = Gains(
        float(data.POSITION_GAIN),
        float(data.VELOCITY_GAIN),
        float(data.VELOCITY_INTEGRAL),
        float(data.VELOCITY_FEEDFORWARD),
        float(cascade.acceleration_feedforward),
        float(cascade.torque_constant),
        float(data.VELOCITY_PERIOD),
        float(data.POSITION_PERIOD),
    )
    step = SmallStep(*(np.ascontiguousarray(part) for part in (transition, inputs[:, 0], inputs[:, 1])))
    out = np.zeros((len(command) * cascade.velocity_steps, 3))
    _run(
        step,
        gains,
        np.ascontiguousarray(command, dtype=float),
        float(friction),
        float(pull),
        cascade.delay,
        round(data.VELOCITY_PERIOD / STEP),
        out,
    )
    time = data.VELOCITY_PERIOD * np.arange(len(out), dtype=np.float64)
    return AxisRun(time, *out.T)


def sine(frequency: float, amplitude: float, duration: float) -> FloatArray:
    """Commands amplitude sin(2 pi f t), one a position cycle, rad."""
    time = np.arange(round(duration / data.POSITION_PERIOD)) * data.POSITION_PERIOD
    return amplitude * np.sin(2.0 * np.pi * frequency * time)


def response_at(
    axis: Axis, cascade: Cascade, frequency: float, amplitude: float, friction: float, pull: float = 0.0
) -> complex:
    """First harmonic of the motor for a commanded amplitude of the motor's angle in rad."""
    duration = SETTLING + PERIODS / frequency
    run = run_axis(axis, cascade, sine(frequency, amplitude, duration), friction, pull)
    counted = run.time >= duration - PERIODS / frequency - 1e-9
    return harmonic(run.time[counted], run.angle[counted], frequency) / amplitude
