# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The axes' cascaded control as an exact sampled system, and its frequency response.

Position P every 5 ms makes a speed, velocity PI with both feed-forwards every millisecond makes a current, current PI
every 100 us a voltage, or the current follows at once. The speed reaches the velocity loop so many position cycles
later as the transport delay says. Between samples the axes are solved exactly; one position cycle is a linear map, so
that a harmonic command has a harmonic answer at every instant of the cycle. What is called response is the first
harmonic of the motors' angles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.linalg import expm
from scipy.optimize import brentq

from pkm_identification.errors import NotConverged
from pkm_identification.numerics.arrays import FloatArray

from . import data
from .axis import Axis, state_matrices

_HIGHEST = 50.0  # Hz, up to which a bandwidth is sought


@dataclass(frozen=True)
class CurrentLoop:
    """Current PI in Ohm and Ohm/s, its period in s, and the winding in Ohm and H."""

    gain: float = data.CURRENT_GAIN
    integral: float = data.CURRENT_INTEGRAL
    period: float = data.CURRENT_PERIOD
    resistance: float = data.RESISTANCE
    inductance: float = data.INDUCTANCE


@dataclass(frozen=True)
class Cascade:
    """Gains as printed, transport delay in position cycles, N m/A; `current` None: it follows at once."""

    delay: int = 1
    acceleration_feedforward: float = data.ACCELERATION_FEEDFORWARD
    torque_constant: float = data.TORQUE_CONSTANT
    current: CurrentLoop | None = None

    @property
    def velocity_steps(self) -> int:
        """Velocity samples per position cycle."""
        return round(data.POSITION_PERIOD / data.VELOCITY_PERIOD)


@dataclass(frozen=True)
class SampledLoop:
    """One position cycle of n closed loops: x+ = A x + B u, motor angles C_m x + D_m u at the velocity samples.

    Attributes
    ----------
    transition, command : ndarray, shape (S, S) and (S, n)
    outputs : ndarray, shape (K, n, S)
    through : ndarray, shape (K, n, n)
    """

    transition: FloatArray
    command: FloatArray
    outputs: FloatArray
    through: FloatArray

    @property
    def radius(self) -> float:
        """Largest eigenvalue of a cycle; stable below 1."""
        return float(np.abs(np.linalg.eigvals(self.transition)).max())

    def response(self, frequency: float, command: FloatArray) -> np.ndarray:
        """First harmonics (n,) of the motors for harmonic commands (n,), complex, 1 for a motor that follows."""
        w = 2.0 * np.pi * frequency
        turn = np.exp(1j * w * data.POSITION_PERIOD)
        state = np.linalg.solve(turn * np.eye(len(self.transition)) - self.transition, self.command @ command)
        phases = np.exp(-1j * w * data.POSITION_PERIOD * np.arange(len(self.outputs)) / len(self.outputs))
        answers = self.outputs @ state + self.through @ command
        return np.mean(answers * phases[:, None], axis=0)


def closed_loop(axis: Axis, cascade: Cascade, mass: FloatArray | None = None) -> SampledLoop:
    """The loops of axes alike that carry a mass matrix (n, n) in kg on their sliders; one bare axis by default."""
    mass = np.zeros((1, 1)) if mass is None else mass
    count = len(mass)
    plant = _plant(axis, cascade, mass)
    parts = [plant.size, count, count, *[count] * cascade.delay]  # axes, PI, speed in force, speeds under way
    size = sum(parts)
    ends = np.cumsum([0, *parts])
    columns = np.eye(size + count)
    pieces = [columns[a:b] for a, b in pairwise(ends)]
    command = columns[size:]
    state, integral, last, *pipe = pieces
    pipe = [*pipe, data.POSITION_GAIN * (command - state[:count])]
    speed, pipe = pipe[0], pipe[1:]
    h = data.VELOCITY_PERIOD
    feed = cascade.acceleration_feedforward * (speed - last) / data.POSITION_PERIOD
    feed = feed + data.VELOCITY_FEEDFORWARD * speed
    angles = []
    for _ in range(cascade.velocity_steps):
        angles.append(state[:count])
        error = speed - state[2 * count : 3 * count]
        integral = integral + data.VELOCITY_INTEGRAL * h * error
        state = plant.advanced(state, data.VELOCITY_GAIN * error + integral + feed)
    end = np.vstack([state, integral, speed, *pipe])
    positions = np.array(angles)
    return SampledLoop(end[:, :size], end[:, size:], positions[:, :, :size], positions[:, :, size:])


@dataclass(frozen=True)
class _Plant:
    """What turns a wanted current into motion over one velocity period: states, and the map of states and currents."""

    size: int
    advanced: Callable[[FloatArray, FloatArray], FloatArray]


def _plant(axis: Axis, cascade: Cascade, mass: FloatArray) -> _Plant:
    a, b, _ = state_matrices(axis, mass)
    count, size = len(mass), len(a)
    loop = cascade.current
    if loop is None:
        ad, bd = held(a, cascade.torque_constant * b, data.VELOCITY_PERIOD)
        return _Plant(size, lambda state, current: ad @ state + bd @ current)
    unit = np.eye(count)
    # currents are states besides; the back-EMF constant is the torque constant
    electric = np.block(
        [
            [a, cascade.torque_constant * b],
            [
                np.zeros((count, 2 * count)),
                -cascade.torque_constant / loop.inductance * unit,
                np.zeros((count, count)),
                -loop.resistance / loop.inductance * unit,
            ],
        ]
    )
    voltage = np.vstack([np.zeros((size, count)), unit / loop.inductance])
    ad, bd = held(electric, voltage, loop.period)
    steps = round(data.VELOCITY_PERIOD / loop.period)

    def advanced(state: FloatArray, wanted: FloatArray) -> FloatArray:
        motion, integral = state[: size + count], state[size + count :]
        for _ in range(steps):
            error = wanted - motion[size:]
            integral = integral + loop.integral * loop.period * error
            motion = ad @ motion + bd @ (loop.gain * error + integral)
        return np.vstack([motion, integral])

    return _Plant(size + 2 * count, advanced)


def held(a: FloatArray, b: FloatArray, period: float) -> tuple[FloatArray, FloatArray]:
    """x+ = A_d x + B_d u of x' = A x + B u over a period in s with u held; exact."""
    states, inputs = b.shape
    both = np.zeros((states + inputs, states + inputs))
    both[:states, :states], both[:states, states:] = a, b
    whole = expm(period * both)
    return whole[:states, :states], whole[:states, states:]


def bandwidth(response: Callable[[float], complex], lowest: float = 0.5) -> tuple[float, float]:
    """Frequencies in Hz where a response falls to -3 dB, and where it lags by 45 degrees.

    Raises
    ------
    NotConverged
        If it does neither below 50 Hz.
    """
    return (
        minus_3_db(response, lowest),
        _crossing(lambda f: np.degrees(np.angle(response(f))) + 45.0, lowest, 1e-6),
    )


def minus_3_db(response: Callable[[float], complex], lowest: float = 0.5, near: float = 1e-6) -> float:
    """The first of the two alone, to within `near` Hz."""
    return _crossing(lambda f: abs(response(f)) - np.sqrt(0.5), lowest, near)


def _crossing(function: Callable[[float], float], lowest: float, near: float) -> float:
    grid = np.arange(lowest, _HIGHEST, 0.25)
    before = function(grid[0])
    for low, high in pairwise(grid):
        after = function(high)
        if before > 0.0 >= after:
            return float(brentq(function, low, high, xtol=near))
        before = after
    raise NotConverged(f"no bandwidth between {lowest:g} and {_HIGHEST:g} Hz")
