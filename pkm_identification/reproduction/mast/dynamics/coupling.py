# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Three axes and the mechanism in time: coupled, or with the mechanism as a force on the sliders.

The force is F = M(rho) rho'' + h(rho, rho') on the sliders, M and h of the mechanism, taken anew every velocity sample.

coupled    M stands beside the guides' inertia: one set of equations, solved exactly between samples.
one_step   F of one small step acts in the next, from the sliders' acceleration there: what a block diagram does.
implicit   F is solved for together with the acceleration at the start of each small step.

One step late, the force feeds back on the acceleration it comes from, with a gain of m n^2 / J_t if the axis is stiff.
Above .5 `one_step` is refused.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.errors import NotConverged, SettingsError
from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray

from .. import data
from ..axis import Axis, state_matrices
from ..cascade import Cascade, held

SCHEMES = ("coupled", "one_step", "implicit")
STEP = 5e-5  # s
LARGEST_GAIN = 0.5
_LOST = 1e3  # m or m/s of a slider, beyond which its motor has run away


@dataclass(frozen=True)
class TableRun:
    """Samples of the velocity loop.

    Attributes
    ----------
    time : ndarray, shape (N,)
    slider, torque, force : ndarray, shape (N, 3)
        Slider heights in m, motor torques in N m, forces of the sliders on the mechanism in N.
    """

    time: FloatArray
    slider: FloatArray
    torque: FloatArray
    force: FloatArray


def loop_gain(axis: Axis, mass: FloatArray) -> float:
    """Largest m n^2 / J_t of a mass matrix (n, n) in kg on the sliders, over all ways in which they move together."""
    return float(np.linalg.eigvalsh(mass)[-1] * axis.travel**2 / axis.total)


def slider_commands(mast: Mechanism, outputs: FloatArray) -> FloatArray:
    """Slider heights (N, 3) of z, psi and theta (N, 3)."""
    configurations = kinematics.close_outputs(mast, outputs).required(outputs, "outputs")
    return kinematics.read(mast, "drives", configurations)


def run_table(
    mast: Mechanism, axis: Axis, cascade: Cascade, sliders: FloatArray, scheme: str, step: float = STEP
) -> TableRun:
    """Follow slider heights (K, 3), one row a position cycle, from standing still under the mechanism's weight.

    Raises
    ------
    SettingsError
        If `scheme` is none of SCHEMES, or `one_step` would feed back too much.
    NotConverged
        If a motor runs away.
    """
    if scheme not in SCHEMES:
        raise SettingsError(f"coupling '{scheme}': there are {', '.join(SCHEMES)}")
    home = kinematics.close_drives(mast, sliders[:1]).required(sliders[:1], "drives")
    first = dynamics.mass_matrix(mast, home)[0]
    gain = loop_gain(axis, first)
    if scheme == "one_step" and gain > LARGEST_GAIN:
        raise SettingsError(
            f"one-step coupling with a gain of {gain:.3g}, above {LARGEST_GAIN:g}, does not settle: solve implicitly"
        )
    follower = _Follower(axis, cascade, sliders, _weight(mast, home))
    block = _Coupled(axis) if scheme == "coupled" else _Disturbed(axis, scheme == "implicit", step)
    configuration, rows = home, []
    for cycle in range(len(sliders)):
        follower.command(cycle)
        for _ in range(cascade.velocity_steps):
            height, rate = axis.travel * follower.state[3:6], axis.travel * follower.state[9:]
            configuration = kinematics.close_drives(mast, height[None], configuration).configuration
            moving = kinematics.moving(mast, configuration, rate[None], np.zeros((1, 3)))
            mass, bias = dynamics.mass_matrix(mast, configuration)[0], dynamics.bias(mast, moving)[0]
            torque = follower.torque()
            follower.state, force = block.advance(follower.state, torque, mass, bias)
            rows.append((height, torque, force))
            if not np.all(np.abs(follower.state) < _LOST / axis.travel):
                raise NotConverged(f"{scheme}: a motor ran away at {len(rows) * data.VELOCITY_PERIOD:.3f} s")
    slider, torques, forces = (np.array(part) for part in zip(*rows, strict=True))
    time = data.VELOCITY_PERIOD * np.arange(len(rows), dtype=np.float64)
    return TableRun(time, slider, torques, forces)


def _weight(mast: Mechanism, configuration: FloatArray) -> FloatArray:
    return dynamics.forces(mast, kinematics.at_rest(mast, configuration), friction=False)[0]


class _Follower:
    """The cascade of three axes, started without a bump: integral parts and springs carry the weight."""

    def __init__(self, axis: Axis, cascade: Cascade, sliders: FloatArray, weight: FloatArray) -> None:
        load = axis.travel * weight
        guide = sliders[0] / axis.travel
        still = np.zeros(3)
        self.state = np.concatenate([guide + load / axis.stiffness, guide, still, still])
        self._cascade = cascade
        self._command = sliders / axis.travel + load / axis.stiffness
        self._integral = load / cascade.torque_constant
        self._pipe = [still] * cascade.delay
        self._speed = self._last = self._feed = still

    def command(self, cycle: int) -> None:
        """A position cycle: the speed that reaches the velocity loop, and its feed-forward."""
        pipe = [*self._pipe, data.POSITION_GAIN * (self._command[cycle] - self.state[:3])]
        self._last, self._speed, self._pipe = self._speed, pipe[0], pipe[1:]
        change = (self._speed - self._last) / data.POSITION_PERIOD
        self._feed = data.VELOCITY_FEEDFORWARD * self._speed + self._cascade.acceleration_feedforward * change

    def torque(self) -> FloatArray:
        """A velocity sample: motor torques until the next."""
        error = self._speed - self.state[6:9]
        self._integral = self._integral + data.VELOCITY_INTEGRAL * data.VELOCITY_PERIOD * error
        return self._cascade.torque_constant * (data.VELOCITY_GAIN * error + self._integral + self._feed)


class _Coupled:
    """Mass beside the guides' inertia."""

    def __init__(self, axis: Axis) -> None:
        self._axis = axis

    def advance(
        self, state: FloatArray, torque: FloatArray, mass: FloatArray, bias: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        a, b, g = state_matrices(self._axis, mass)
        slope = a @ state + b @ torque + g @ bias
        force = mass @ (self._axis.travel * slope[9:]) + bias
        ad, bd = held(a, np.hstack([b, g]), data.VELOCITY_PERIOD)
        return ad @ state + bd @ np.concatenate([torque, bias]), force


class _Disturbed:
    """Bare axes under a force that is held over small steps."""

    def __init__(self, axis: Axis, implicit: bool, step: float) -> None:
        self._axis, self._implicit = axis, implicit
        self._a, self._b, self._g = state_matrices(axis, np.zeros((3, 3)))
        self._steps = round(data.VELOCITY_PERIOD / step)
        self._ad, self._bd = held(self._a, np.hstack([self._b, self._g]), step)
        self._second = np.zeros(3)  # of the sliders, a step ago

    def advance(
        self, state: FloatArray, torque: FloatArray, mass: FloatArray, bias: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        travel, forces = self._axis.travel, []
        # rho'' = free + reach F, F = M rho'' + h
        reach = travel * self._g[9:]
        solved = np.linalg.inv(np.eye(3) - mass @ reach) if self._implicit else None
        for _ in range(self._steps):
            free = travel * (self._a[9:] @ state + self._b[9:] @ torque)
            force = mass @ self._second + bias if solved is None else solved @ (mass @ free + bias)
            self._second = free + reach @ force
            state = self._ad @ state + self._bd @ np.concatenate([torque, force])
            forces.append(force)
        return state, forces[0]
