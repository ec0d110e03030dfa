# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Steps of the robot's actuators: the nonlinear arm of order 25, frozen in its pose, and of order 15."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.mechanisms.actuators import Bank, Hydraulic
from pkm_identification.mechanisms.model import Actuator
from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.simulation.actuated.drives import STEP as SMALL_STEP
from pkm_identification.simulation.actuated.rig import Rig
from pkm_identification.simulation.multibody.plant import MechanismPlant

from ..actuators import ACTUATORS, OFFSET_LENGTHS, ROBOT, reduced
from ..step_metrics import StepMetrics, step_metrics
from .data import DURATION, STEPS, VANE_STEP, VANE_TIMES

PERIOD = 5e-4  # s, between evaluations of the arm, and of samples
NARROW = 0.3  # times the rate within which Coulomb friction is bent, to see whether it matters
REST = 0.1  # s


@dataclass(frozen=True)
class RobotStep:
    """A setpoint step of one actuator, the others held.

    Attributes
    ----------
    time, share : ndarray, shape (N,)
        s, the sensor's voltage as a part of the step.
    other, others : str and float
        Which other cylinder's piston is pushed aside most, and how far in % of this one's way.
    swing : float
        Peak to peak over the last quarter, as a part of the step.
    metrics : StepMetrics
    """

    time: FloatArray
    share: FloatArray
    swing: float
    other: str
    others: float
    metrics: StepMetrics


@dataclass(frozen=True)
class RobotStudy:
    """All that is compared.

    Attributes
    ----------
    order, delays : int
        Counted.
    drift : float
        Largest change of a coordinate over REST at rest, m or rad.
    steps : dict of (str, float) to RobotStep
        By actuator and size in V.
    narrow : dict of str to StepMetrics
        With Coulomb friction bent within a narrower rate, of those that have it.
    frozen, small : dict of str to StepMetrics
        With constant mass and weight; with valves as delays, order 15.
    vane : ndarray, shape (4,)
        % of where it is at 100 ms.
    """

    order: int
    delays: int
    drift: float
    steps: dict[tuple[str, float], RobotStep]
    narrow: dict[str, StepMetrics]
    frozen: dict[str, StepMetrics]
    small: dict[str, StepMetrics]
    vane: FloatArray

    def compared(self, name: str) -> RobotStep:
        """The step that stands beside the source's."""
        return self.steps[name, STEPS[name][0]]


class Robot:
    """The arm with actuators at start-up."""

    def __init__(
        self, actuators: Sequence[Actuator], period: float = PERIOD, small_step: float = SMALL_STEP
    ) -> None:
        description = replace(Mechanism.load("epaas").description, actuators=tuple(actuators))
        self.mechanism = Mechanism.of(description)
        self.bank, self.period = Bank(actuators), period
        self.plant = MechanismPlant(self.mechanism, small_step=small_step)
        self.start = np.array(OFFSET_LENGTHS)
        self._home = kinematics.close_drives(self.mechanism, self.start[None]).required(
            self.start[None], "drives"
        )
        resting = kinematics.at_rest(self.mechanism, self._home)
        self.weight = dynamics.forces(self.mechanism, resting)[0]
        self.mass = dynamics.mass_matrix(self.mechanism, self._home)[0]

    @property
    def order(self) -> int:
        """Number of states, delays apart."""
        return self.bank.order + 2 * len(self.bank)

    def run(self, step: FloatArray, duration: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Setpoints (n,) in V step from those that hold the start: time (N,), sensors' voltages and places (N, n)."""
        self.plant.reset(self._home[0], force=self.weight)
        drives = self.plant.actuated
        assert drives is not None  # the description has actuators
        command = drives.command + step
        count = round(duration / self.period)
        voltage, place = [drives.measured()], [drives.coordinate.copy()]
        for _ in range(count):
            self.plant.command(command, self.period)
            voltage.append(drives.measured())
            place.append(drives.coordinate.copy())
        time = self.period * np.arange(count + 1, dtype=np.float64)
        return time, np.array(voltage), np.array(place)

    def step(self, name: str, size: float) -> RobotStep:
        """A step of one actuator's setpoint in V."""
        k = ACTUATORS.index(name)
        time, voltage, place = self.run(size * np.eye(len(ACTUATORS))[k], DURATION[name])
        moved = np.abs(place - place[0]).max(axis=0)[:4]
        own = moved[k]
        moved[k] = 0.0
        share = (voltage[:, k] - voltage[0, k]) / size
        aside = float(100.0 * moved.max() / own)
        swing = float(np.ptp(share[time > 0.75 * DURATION[name]]))
        return RobotStep(
            time, share, swing, ACTUATORS[int(np.argmax(moved))], aside, step_metrics(time, share, 1.0)
        )


def run_study(period: float = PERIOD, every_step: bool = True) -> RobotStudy:
    """Compute everything; without `every_step` only the steps that stand beside the source's, in the full model."""
    robot = Robot(ROBOT, period)
    sizes = {name: given if every_step else given[:1] for name, given in STEPS.items()}
    steps = {(name, size): robot.step(name, size) for name, given in sizes.items() for size in given}
    _, _, place = robot.run(np.zeros(len(ACTUATORS)), REST)
    time, voltage, _ = robot.run(VANE_STEP * np.eye(len(ACTUATORS))[4], max(VANE_TIMES))
    angle = voltage[:, 4] - voltage[0, 4]
    narrow, small = {}, {}
    if every_step:
        less = Robot(tuple(_narrow(one) for one in ROBOT), period)
        narrow = {name: less.step(name, STEPS[name][0]).metrics for name in ("L3", "L1")}
        delayed = Robot(reduced(ROBOT), period)
        small = {name: delayed.step(name, STEPS[name][0]).metrics for name in STEPS}
    return RobotStudy(
        order=robot.order,
        delays=len(robot.bank.delays),
        drift=float(np.abs(place - place[0]).max()),
        steps=steps,
        narrow=narrow,
        frozen={name: _frozen(robot, name) for name in STEPS},
        small=small,
        vane=100.0 * np.interp(VANE_TIMES, time, angle) / angle[-1],
    )


def _narrow(actuator: Hydraulic) -> Hydraulic:
    friction = actuator.friction
    return replace(actuator, friction=replace(friction, transition_rate=NARROW * friction.transition_rate))


def _frozen(robot: Robot, name: str) -> StepMetrics:
    """The same step with the mass and the weight of the start throughout."""
    k, size = ACTUATORS.index(name), STEPS[name][0]
    rig = Rig(ROBOT, robot.mass, robot.weight, robot.start)
    command = rig.holding_command + size * np.eye(len(ACTUATORS))[k]
    run = rig.run(lambda _: command, DURATION[name], robot.period)
    return step_metrics(run.time, run.measured[:, k] - run.measured[0, k], size)
