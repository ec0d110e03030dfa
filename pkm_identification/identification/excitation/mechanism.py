# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""A mechanism as the subject of a search for a motion: its base parameters, shown by its drives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from pkm_identification.errors import MotionRefused, SettingsError
from pkm_identification.mechanisms.multibody.base_set import BASE, BaseSet
from pkm_identification.mechanisms.multibody.dynamics import forces, regressor
from pkm_identification.mechanisms.multibody.kinematics import motion_of_drives
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.reduced import SetOwner, reduced_set
from pkm_identification.records.mechanism_csv import write_named_csv
from pkm_identification.simulation.multibody.motions import DriveMotion, generated, within_reach
from pkm_identification.simulation.trajectories import LENGTH_MARGIN
from pkm_identification.simulation.waveforms import Derivatives, FadedWaves, MultiSine

from .subject import AS_MUCH, GRID, PERIOD, Response, furthest, with_all_tones

_ROUNDING = 1e-9


@dataclass(frozen=True)
class MechanismSubject:
    """See `Subject`; limits are the drives', the joints' and a distance to singular configurations.

    Descriptions state neither rates nor forces that a drive can do: twice those of `rich` are taken to be allowed.

    Attributes
    ----------
    mechanism : Mechanism
    base : BaseSet
    path : DriveMotion
        The motion `rich` with its fade.
    """

    mechanism: Mechanism
    base: BaseSet
    path: DriveMotion
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    scale: FloatArray
    start: MultiSine
    waves: FadedWaves
    _fine_waves: FadedWaves = field(repr=False)
    _most: tuple[FloatArray, FloatArray] = field(repr=False)

    @classmethod
    def of(cls, mechanism: Mechanism, duration: float) -> MechanismSubject:
        """A mechanism and a motion's duration in s; raises as `BaseSet.of` and `generated`."""
        base = BaseSet.of(mechanism)
        path = generated("rich", mechanism, duration)
        path = replace(path, name="excite", signal=with_all_tones(path.signal, duration))
        waves = path.waves(np.arange(0.0, duration, PERIOD))
        fine = path.waves(np.arange(0.0, duration, GRID))
        count = len(path.home)
        anything = (np.full(count, np.inf), np.full(count, np.inf))
        names, ones = base.names, np.ones(len(base.names))
        subject = cls(mechanism, base, path, names, base.kinds, ones, path.signal, waves, fine, anything)
        finely = subject._drives(fine, path.signal)
        states = motion_of_drives(mechanism, *finely)
        most = (AS_MUCH * furthest(finely[1]), AS_MUCH * furthest(forces(mechanism, states)))
        subject = replace(subject, _most=most)
        response = subject.response(waves.evaluate(path.signal))
        if response is None:
            raise SettingsError(f"mechanism '{mechanism.name}' cannot follow the motion 'rich'")
        # sizes of their own may be zero: what a parameter would be that made all the forces of `rich` by itself
        size = np.sqrt(np.mean(response.rows**2, axis=0))
        return replace(subject, scale=1.0 / np.where(size > 0, size, 1.0))

    def reduced(self, path: str | Path) -> MechanismSubject:
        """With the base parameters of a reduced set alone; raises MachineError if the file cannot be used."""
        mechanism = self.mechanism
        left = reduced_set(path, SetOwner(mechanism.name, mechanism.hash), {BASE: self.parameter_set})
        base = self.base.only(dict(zip(left.names, left.nominal, strict=True)))
        scale = np.array([self.scale[self.names.index(name)] for name in base.names])
        return replace(self, base=base, names=base.names, kinds=base.kinds, scale=scale)

    def parameter_set(self) -> ParameterSet:
        """The base parameters; sizes are their own, or where these are zero `scale`."""
        base = self.base
        sizes = np.where(np.abs(base.nominal) > 0, np.abs(base.nominal), self.scale)
        return ParameterSet(BASE, base.entries(sizes), np.eye(len(sizes)), np.zeros(len(sizes)))

    def row_scale(self, responses: Sequence[Response]) -> FloatArray | None:
        """What rows of forces and of torques are divided by, (n,): their rms in some motions; None of one kind."""
        if len({one.measure.unit for one in self.mechanism.description.drives}) == 1:
            return None
        rms = np.sqrt(np.mean(np.concatenate([one.force for one in responses]) ** 2, axis=0))
        return np.where(rms > 0, rms, 1.0)

    @property
    def axes(self) -> tuple[tuple[str, str, float], ...]:
        """What can be displaced, with its unit and the furthest that is worth trying."""
        drives = self.mechanism.description.drives
        return tuple(
            (one.name, one.measure.unit, 0.6 if one.measure.unit == "rad" else 0.5) for one in drives
        )

    def anywhere(self, displacement: Derivatives) -> Response | None:
        """The response of displacements at any instants; None where the mechanism cannot be."""
        return self.response(displacement)

    def response(self, displacement: Derivatives) -> Response | None:
        return self.of_drives((self.path.home + displacement[0], *displacement[1:]))

    def of_drives(self, drives: Derivatives) -> Response | None:
        """The response of driven coordinates and their derivatives; None where they cannot be."""
        try:
            states = motion_of_drives(self.mechanism, *drives)
            columns = regressor(self.mechanism, states)[:, :, self.base.columns]
            force = forces(self.mechanism, states)
        except MotionRefused:
            return None
        rate_use, force_use = (
            np.abs(part) / most for part, most in zip((drives[1], force), self._most, strict=True)
        )
        joints = self.mechanism.joint_use(states.configuration)
        use = np.concatenate([self._use(drives[0]), rate_use, force_use, joints], axis=1)
        return Response(columns, force, use)

    def columns(self, signal: MultiSine) -> FloatArray | None:
        drives = self._drives(self.waves, signal)
        if not within_reach(self.mechanism, drives[0]):
            return None
        response = self.of_drives(drives)
        return None if response is None or response.use.max() > 1 else response.rows

    def allowed(self, signal: MultiSine) -> bool:
        drives = self._drives(self._fine_waves, signal)
        if not within_reach(self.mechanism, drives[0], between=True):
            return False
        try:
            force = forces(self.mechanism, motion_of_drives(self.mechanism, *drives))
        except MotionRefused:
            return False
        pairs = zip((drives[1], force), self._most, strict=True)
        return all(bool(np.all(furthest(part) <= most * (1 + _ROUNDING))) for part, most in pairs)

    def write(self, path: str | Path, signal: MultiSine, time: FloatArray) -> None:
        """A motion at times (N,) as a table of drives, rates and accelerations; raises LogError if it cannot be."""
        parts = zip(
            ("", "_rate", "_acceleration"), replace(self.path, signal=signal).drives(time), strict=True
        )
        names = self.mechanism.drive_names
        columns = {
            name + ending: column
            for ending, part in parts
            for name, column in zip(names, part.T, strict=True)
        }
        write_named_csv(path, columns, time)

    def _drives(self, waves: FadedWaves, signal: MultiSine) -> Derivatives:
        value, rate, second = waves.evaluate(signal)
        return self.path.home + value, rate, second

    def _use(self, drives: FloatArray) -> FloatArray:
        """Of the drives' limits, (N, n); zero of a drive without."""
        use = np.zeros_like(drives)
        for i, one in enumerate(self.mechanism.description.drives):
            if one.limits is not None:
                low, high = FLOAT64.array(one.limits)
                use[:, i] = np.abs(drives[:, i] - 0.5 * (low + high)) / ((0.5 - LENGTH_MARGIN) * (high - low))
        return use
