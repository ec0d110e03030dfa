# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""A hexapod as the subject of a search for a motion, and what earlier logs of it showed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics import angle_use, strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.model import HexapodModel
from pkm_identification.motion import PlatformMotion, StrutLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.records import write_motion_csv
from pkm_identification.simulation.trajectories import (
    FORCE_SHARE,
    LENGTH_MARGIN,
    RATE_SHARE,
    Trajectory,
    trajectory,
    within_limits,
)
from pkm_identification.simulation.waveforms import Derivatives, FadedWaves, MultiSine

from ..experiment import Experiment
from ..settings import Settings
from .subject import AS_MUCH, GRID, PERIOD, Response, furthest, with_all_tones


@dataclass(frozen=True)
class HexapodSubject:
    """See `Subject`; limits are those of `simulation.trajectories.within_limits`, forces the machine file's.

    Where a machine file states no rates or forces, twice those of `rich` are taken to be allowed.

    Attributes
    ----------
    machine : Machine
    parameters : ParameterSet
    path : Trajectory
        The motion `rich` with its fade.
    """

    machine: Machine
    parameters: ParameterSet
    path: Trajectory
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    scale: FloatArray
    start: MultiSine
    waves: FadedWaves
    _time: FloatArray = field(repr=False)
    _fine_time: FloatArray = field(repr=False)
    _fine_waves: FadedWaves = field(repr=False)
    _model: HexapodModel = field(repr=False)
    _most: tuple[float, float] = field(repr=False)

    @classmethod
    def of(cls, machine: Machine, parameters: ParameterSet, duration: float) -> HexapodSubject:
        """A machine, what is to be known of it, and a motion's duration in s.

        Raises
        ------
        SettingsError
            If the duration is too short, or the machine has no room for a motion.
        """
        path = trajectory("rich", machine, duration)
        path = replace(path, name="excite", signal=with_all_tones(path.signal, duration))
        time, fine_time = np.arange(0.0, duration, PERIOD), np.arange(0.0, duration, GRID)
        return cls(
            machine,
            parameters,
            path,
            parameters.names,
            tuple(entry.kind for entry in parameters.entries),
            parameters.scale,
            path.signal,
            path.waves(time),
            time,
            fine_time,
            path.waves(fine_time),
            HexapodModel(machine),
            _allowed(machine, path.motion(fine_time)),
        )

    @property
    def axes(self) -> tuple[tuple[str, str, float], ...]:
        """What can be displaced, with its unit and the furthest that is worth trying."""
        reach, angle = 0.5 * self.machine.length_scale, 0.6
        return (
            *((axis, "m", reach) for axis in "xyz"),
            *((f"turning about {axis}", "rad", angle) for axis in "xyz"),
        )

    def anywhere(self, displacement: Derivatives) -> Response | None:
        """The response of displacements at any instants; None at poses near a singular one."""
        states = self.path.displaced(np.zeros(len(displacement[0])), displacement)
        response = self.of_states(states)
        return response if np.isfinite(response.columns).all() else None

    def response(self, displacement: Derivatives) -> Response:
        return self.of_states(self.path.displaced(self._time, displacement))

    def columns(self, signal: MultiSine) -> FloatArray | None:
        states = self.path.displaced(self._time, self.waves.evaluate(signal))
        if not within_limits(self.machine, states):
            return None
        return self.of_states(states).rows

    def allowed(self, signal: MultiSine) -> bool:
        machine = self.machine
        states = self.path.displaced(self._fine_time, self._fine_waves.evaluate(signal))
        if not within_limits(machine, states, between=True):
            return False
        rate, force = self._most
        if (
            machine.rate_limit is None
            and furthest(strut_motion_from_platform(machine, states)[1]).max() > rate
        ):
            return False
        return machine.drive is not None or furthest(strut_forces(machine, states)).max() <= force

    def of_states(self, states: PlatformMotion) -> Response:
        """The response of a platform motion."""
        machine = self.machine
        low, high = machine.length_limits
        middle, half = 0.5 * (high + low), (0.5 - LENGTH_MARGIN) * (high - low)
        length, rate, _ = strut_motion_from_platform(machine, states)
        force = strut_forces(machine, states)
        most_rate, most_force = self._most
        use = (
            np.abs(length - middle) / half,
            np.abs(rate) / most_rate,
            np.abs(force) / most_force,
            angle_use(machine, states.position, states.rotation),
        )
        columns = self._model.regressor(states, self.parameters.mapping)
        return Response(columns, force, np.concatenate(use, axis=1))

    def write(self, path: str | Path, signal: MultiSine, time: FloatArray) -> None:
        """A motion at times (N,) as a table of poses, twists and accelerations; raises LogError if it cannot be."""
        write_motion_csv(path, replace(self.path, signal=signal).motion(time))

    def earlier(self, logs: Sequence[StrutLog], settings: Settings) -> list[Response]:
        """What the machine did in each log, behind the filters of `identify`.

        Raises
        ------
        LogError
            As `identify`.
        """
        experiment = Experiment.of(logs, self.machine, settings)
        every = max(1, round(PERIOD / experiment.period))
        return [self.of_states(samples.platform[::every]) for samples in experiment.smooth_samples]


def _allowed(machine: Machine, rich: PlatformMotion) -> tuple[float, float]:
    """Rate and force that a motion may use: its part of the limits, or a multiple of what another motion uses."""
    if machine.rate_limit is None:
        rate = AS_MUCH * furthest(strut_motion_from_platform(machine, rich)[1]).max()
    else:
        rate = RATE_SHARE * machine.rate_limit
    if machine.drive is None:
        return rate, AS_MUCH * furthest(strut_forces(machine, rich)).max()
    return rate, FORCE_SHARE * machine.drive.force_limit
