# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The road of logs without the errors of some values: equations with the errors' columns behind the parameters'."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import CubicSpline

from pkm_identification.estimation.equations import Equations
from pkm_identification.machines.contract import Machine, Motion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.segments import segment_slices

from ..rates.kinematic_cutoff import WIDEST_SHARE
from ..regression.equations import LogEquations
from ..regression.friction import DriveFriction
from ..regression.road import CUTOFF, ORDER, Road
from ..regression.samples import Samples, smooth_forces
from ..regression.validation import ValidatedLog, find_acting
from .columns import DELAY, GAIN, OF_MOTION, OFFSET, compute_motion_column, differentiate
from .errors import ModelError

STEP = 1e-2  # of what a large error of a number of the file is, for differences
PER_CUTOFF = 10.0  # samples a period of the band's cutoff at which they are taken
FEWEST = 4  # samples of a spline


@dataclass(frozen=True)
class CorrectedRoad(Road):
    """See `Road`; reported forces are gain times those that came `delay` earlier, and an offset.

    Attributes
    ----------
    errors : tuple of ModelError, length q
    values : ndarray, shape (q,)
        Of the errors; those of log and file are undone.
    model : ndarray, shape (P,)
        Of the parameters, about which columns are taken.
    file : Machine
        As its file has it.
    """

    errors: tuple[ModelError, ...]
    values: FloatArray
    model: FloatArray
    file: Machine

    @classmethod
    def at(
        cls, road: Road, errors: Sequence[ModelError], values: FloatArray, model: FloatArray
    ) -> CorrectedRoad:
        """Return that of a road to the file's machine, with the numbers of the file changed."""
        changes: dict[str, float] = {}
        for error, value in zip(errors, values, strict=True):
            for path, share in (error.paths or {}).items():
                changes[path] = changes.get(path, 0.0) + share * float(value)
        machine = road.machine.with_changes(changes) if any(changes.values()) else road.machine
        return cls(machine, road.parameters, road.band, tuple(errors), values, model, road.machine)

    @property
    def gain(self) -> FloatArray:
        """Of each drive, (n,)."""
        return self._of_drives(GAIN, 1.0)

    def _of_drives(self, kind: str, right: float) -> FloatArray:
        """Return the values of a kind added up over drives, (n,)."""
        whole = np.full(len(self.machine.drives), right)
        for error, value in zip(self.errors, self.values, strict=True):
            if error.kind == kind:
                whole[list(error.drives)] += value - error.nominal
        return whole

    def equations(self, log: ValidatedLog, still=None) -> LogEquations:
        """Return equations with columns of the errors (P + q), which hold near their values; see `Road.equations`."""
        corrected = self._correct(log)
        made = super().equations(corrected, still)
        columns = made.in_band(self._columns(corrected, made.samples))
        # what is undone is none at its value, what is not at that of a right log and file
        about = np.array(
            [
                one.nominal if one.kind in OF_MOTION else value
                for one, value in zip(self.errors, self.values, strict=True)
            ]
        )
        own = made.equations
        whole: Equations = replace(
            own,
            regressor=np.concatenate([own.regressor, columns], axis=2),
            measured=own.measured + columns @ about,
        )
        return replace(made, equations=whole)

    def _correct(self, log: ValidatedLog) -> ValidatedLog:
        """Return a log as without delay, gain and offset of the forces; a delay costs each segment its ends."""
        delay, offset = self._of_drives(DELAY, 0.0), self._of_drives(OFFSET, 0.0)
        force = (log.force - offset) / self.gain
        if not delay.any():
            return replace(log, force=force)
        after = int(np.ceil(max(float(delay.max()), 0.0) / log.period))
        before = int(np.ceil(max(-float(delay.min()), 0.0) / log.period))
        kept = np.zeros(len(log), dtype=bool)
        for part in segment_slices(log.segment):
            if part.stop - part.start < before + after + FEWEST:
                continue
            inner = slice(part.start + before, part.stop - after)
            kept[inner] = True
            clock = log.period * np.arange(part.stop - part.start)
            for i in np.flatnonzero(delay):
                shifted = CubicSpline(clock, force[part, i])(clock + delay[i])
                force[inner, i] = shifted[before : len(clock) - after]
        return replace(
            log,
            time=log.time[kept],
            coordinate=log.coordinate[kept],
            force=force[kept],
            segment=log.segment[kept],
        )

    def _columns(self, log: ValidatedLog, samples: Samples) -> FloatArray:
        """Return columns of the errors at all samples, (N, n, q)."""
        count = len(self.machine.drives)
        nothing, unit = self._through_drives(log, samples)
        expected = self._forces(self.machine, samples.motion)
        for error, value in zip(self.errors, self.values, strict=True):
            if error.kind in OF_MOTION:
                own = list(error.drives)
                column = compute_motion_column(error.kind, samples, self.machine)[:, own]
                expected[:, own] += (value - error.nominal) * column
        course = expected - nothing  # of what is reported, at the mechanism
        late = -differentiate(course, samples.segment, self.band.period)
        columns = np.zeros((len(samples), count, len(self.errors)))
        for k, error in enumerate(self.errors):
            own = list(error.drives)
            if error.kind == DELAY:
                columns[:, own, k] = late[:, own]
            elif error.kind == GAIN:
                columns[:, own, k] = course[:, own] / self.gain[own]
            elif error.kind == OFFSET:
                columns[:, own, k] = unit[:, own] / self.gain[own]
            elif error.kind in OF_MOTION:
                columns[:, own, k] = compute_motion_column(error.kind, samples, self.machine)[:, own]
            else:
                columns[:, :, k] = self._slope_of_file(error, samples)
        return columns

    def _forces(self, machine: Machine, motion: Motion) -> FloatArray:
        """Return the forces (N, n) of a machine, in a motion of it, by the model's values."""
        basis = (self.parameters.mapping @ self.model + self.parameters.known)[:, None]
        force = machine.compute_regressor(motion, basis)
        DriveFriction.of(machine, basis).add(motion.rate, force)
        return force[:, :, 0]

    def _slope_of_file(self, error: ModelError, samples: Samples) -> FloatArray:
        """Return what a unit of numbers of the file adds, (N, n), by differences at some samples, splines between."""
        step = STEP * float(error.scale or 1.0)
        moved = self.machine.with_changes({path: step * share for path, share in (error.paths or {}).items()})
        every = max(1, int(1.0 / (PER_CUTOFF * self.band.cutoff * self.band.period)))
        slope = np.zeros(samples.force.shape)
        for part in segment_slices(samples.segment):
            count = part.stop - part.start
            rows = np.unique(np.r_[np.arange(0, count, every), count - 1])
            if len(rows) < FEWEST:
                rows = np.arange(count)
            motion = samples.motion[part.start + rows]
            start = tuple(one[:1] for one in motion.state)
            other = moved.compute_motion(motion.coordinate, motion.rate, motion.acceleration, start)
            found = (self._forces(moved, other) - self._forces(self.machine, motion)) / step
            found = np.where(np.isfinite(found), found, 0.0)
            slope[part] = found if len(rows) == count else CubicSpline(rows, found)(np.arange(count))
        return slope

    def _through_drives(self, log: ValidatedLog, samples: Samples) -> tuple[FloatArray, FloatArray]:
        """Return what reaches the mechanism of no reported force, and of one more unit of it, (N, n) each."""
        shape = samples.force.shape
        if self.machine.build_transfers(log.period) is None:
            return np.zeros(shape), np.ones(shape)
        cutoff = min(CUTOFF, WIDEST_SHARE / self.band.period)
        nothing, unit = (
            smooth_forces(
                find_acting(replace(log, force=np.full(log.force.shape, size)), self.machine), cutoff, ORDER
            )
            for size in (0.0, 1.0)
        )
        return nothing[samples.rows], (unit - nothing)[samples.rows]
