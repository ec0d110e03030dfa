# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""A controlled run of a simulated mechanism: what its drives report while they follow a motion."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from pkm_identification.control.pid import ControlSettings, StrutController
from pkm_identification.mechanisms.multibody import dynamics
from pkm_identification.mechanisms.multibody.kinematics import close_drives
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.progress import steps

from ..actuated.file_control import FileControl
from ..actuated.lines import check_delays
from .motions import DriveMotion
from .plant import MechanismPlant

PERIOD = 1e-3  # s


@dataclass(frozen=True)
class MechanismRun:
    """Samples of one simulated motion.

    Attributes
    ----------
    time : ndarray, shape (N,)
        s.
    drive, force : ndarray, shape (N, n)
        What the drives report: coordinates in m or rad, forces in N or N m with their noise.
    true_force : ndarray, shape (N, n)
    rate, acceleration : ndarray, shape (N, n)
        The true ones.
    loop_gap : float
        Largest residual of the loops at any sample, m or sine of an angle.
    """

    time: FloatArray
    drive: FloatArray
    force: FloatArray
    true_force: FloatArray
    rate: FloatArray
    acceleration: FloatArray
    loop_gap: float

    def __len__(self) -> int:
        return len(self.time)


def simulate_mechanism(
    mechanism: Mechanism, motion: DriveMotion, noise: float = 0.01, seed: int = 0
) -> MechanismRun:
    """Follow a motion from its start to its end, feed-forward by the mechanism's own dynamics and a PID on each drive.

    Parameters
    ----------
    mechanism : Mechanism
        In float64.
    motion : DriveMotion
    noise : float
        Standard deviation of the forces' noise, relative to each drive's rms force.
    seed : int
        Of the noise.

    Raises
    ------
    MotionRefused
        If the motion leaves the mechanism's reach: names the row.
    NotConverged
        If the mechanism runs through a singular configuration.
    """
    check_delays(mechanism.description.actuators or (), motion.duration)
    count = round(motion.duration / PERIOD) + 1
    time = np.arange(count + 1, dtype=np.float64) * np.float64(PERIOD)
    wanted, rate, _ = motion.drives(time)
    # the forces for the end of a period are set at its start
    ahead = dynamics.forces(mechanism, motion.motion(mechanism, time))
    plant = MechanismPlant(mechanism)
    start = close_drives(mechanism, wanted[:1]).required(wanted[:1], "drives")[0]
    plant.reset(start, rate[0], ahead[0])
    viscous = mechanism.description.friction.viscous
    controller = StrutController(plant.apparent_mass, viscous, PERIOD, ControlSettings())
    controller.reset(np.zeros_like(ahead[0]))
    free = np.zeros(mechanism.degrees_of_freedom, dtype=bool)
    control = mechanism.description.control
    law = FileControl.of(control, lambda: mechanism, plant, lambda: plant.encoder)
    states, gap = [], 0.0
    for k in steps("simulating", range(count)):
        state = plant.state
        shown = plant.encoder
        states.append((shown, plant.reported_force, state.force, state.rate, state.acceleration))
        gap = max(gap, plant.loop_gap)
        if law is not None:
            law.move(partial(_at, motion, time[k]), PERIOD)
            continue
        if plant.takes_places:
            plant.follow(wanted[k], wanted[k + 1], PERIOD)
            continue
        plant.advance(controller.command(shown, wanted[k], ahead[k + 1], free), PERIOD)
    drive, force, true, rates, accelerations = (np.array(part) for part in zip(*states, strict=True))
    deviation = noise * np.sqrt(np.mean(force**2, axis=0))
    measured = force + deviation * np.random.default_rng(seed).standard_normal(force.shape)
    return MechanismRun(time[:count], drive, measured, true, rates, accelerations, gap)


def _at(motion: DriveMotion, begin: float, later: float) -> tuple[FloatArray, FloatArray]:
    """Wanted coordinates (n,) and rates, `later` s after `begin`."""
    place, rate, _ = motion.drives(np.array([begin + later]))
    return place[0], rate[0]
