# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The noise floor of a stream: how small a residual of its equations can be when the model is right, per strut.

As offline (`diagnosis.noise_floor`), from samples that have passed the kinematic low-pass, whose response G is known:
what white noise has left there, where it still passes and no motion is, tells how strong it was before.

    A_k^2 = S_k integral |G H|^2 df ,  S_k: power density of the force between half of `highest` and `highest`,
    E_k   = what white noise of the lengths, as strong as theirs there, makes of the model's force: one more evaluation,
    B_k   = rms of what smoothing may have made of friction's bend besides what is taken off (`Equation.bend`),
    floor_k^2 = A_k^2 + E_k^2 + B_k^2 + exact_k^2 .
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from pkm_identification.machines.contract import Machine, Motion
from pkm_identification.machines.motions import compute_nearby_motion, split_states
from pkm_identification.mechanisms.friction import friction_columns
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.signals.butterworth import low_pass
from pkm_identification.signals.causal import CausalFilter, FilterSettings, linear_phase_taps
from pkm_identification.signals.forces.acting import noise_passed
from pkm_identification.signals.sections import filtered, response
from pkm_identification.signals.white_noise import force_density, position_noise

from ...regression.friction import DriveFriction
from ...settings import Settings

KEPT = 4000  # samples: 4 s at 1 kHz, in which the power of noise 100 Hz wide is known to some per cent
FEWEST = 500  # samples that tell of noise: a fifth of them settles the filters
PART = 2000  # samples that one part of the work takes: about four milliseconds
HIGHEST_POWER_PASSED = 0.01  # of the low-pass, at the highest frequency at which noise is read
HIGHEST_OF_RATE = 0.45  # of the sample rate: nothing is read higher
OVERSAMPLED = 6.0  # samples kept per period of the kinematic cutoff; more tell nothing new
SEED = 7


class StreamNoise:
    """Keeps the newest samples of a machine in motion, and tells the noise of its equations by them.

    Parameters
    ----------
    machine : Machine
    settings : Settings
        Of the stream.
    shapes : tuple of shapes
        Of the parts of the machine's state.

    Attributes
    ----------
    row : ndarray, shape (`EquationFilter.kept`,)
        Where `EquationFilter.step` is to copy the next sample.
    """

    def __init__(self, machine: Machine, settings: Settings, shapes: tuple[tuple[int, ...], ...]) -> None:
        self._machine, self._shapes = machine, shapes
        self._drives = len(machine.drives)
        self._low_pass = settings.filter
        period = settings.period
        self._every = max(1, int(1.0 / (period * OVERSAMPLED * settings.filter.cutoff)))
        self._raw_period, self._period = period, self._every * period
        frequency = (np.arange(4096) + 0.5) * 0.5 / period / 4096
        power = _compute_passed_power(settings.filter, frequency)
        passed = frequency[power > HIGHEST_POWER_PASSED]
        highest = min(float(passed[-1]), HIGHEST_OF_RATE / self._period)
        self._quiet = (0.5 * highest * self._period, highest * self._period)
        inside = (frequency > 0.5 * highest) & (frequency < highest)
        self._passed_there = float(np.mean(power[inside]))
        acting = noise_passed(settings.guard, period, 0.5 * highest * period, highest * period)
        self._force_passed_there = self._passed_there * acting
        band = settings.band
        self._band = band
        step = frequency[1] - frequency[0]
        in_band = power * np.abs(response(band.sections, frequency, 1.0 / band.period)) ** 2
        self._passed_in_band = float(np.sum(in_band)) * step
        # those of the noise of lengths are filtered at the stream's own rate
        self._settling = -(-band.settling // self._every)
        stated = np.array([drive.force_noise for drive in machine.drives])
        self._stated = 2.0 * stated**2 * period if stated.all() else None
        taps = linear_phase_taps(settings.filter)
        middle = len(taps) // 2
        kept = taps[middle % self._every :: self._every]
        self._smoothing = kept / kept.sum()
        # copies, as rows of `EquationFilter.step`: samples themselves would keep their memory from being used again,
        # and every new one would be written to memory that no cache holds
        count = 4 * self._drives + sum(int(np.prod(shape)) for shape in shapes)
        self._samples = np.empty((KEPT, count))
        self._place = 0
        self.row = self._samples[0]
        self.clear()

    def clear(self) -> None:
        """Forget the samples: what comes does not follow them, or the machine is at standstill."""
        self._count = self._skipped = 0

    def note(self) -> None:
        """Keep the sample that is in `row`: it has a good pose and forces."""
        self._skipped += 1
        if self._skipped >= self._every:
            self._skipped = 0
            self._count += 1
            self._place = (self._place + 1) % KEPT
            self.row = self._samples[self._place]

    @property
    def enough(self) -> bool:
        """Whether there are enough samples to tell."""
        return self._count >= FEWEST

    def floor_parts(self, basis: FloatArray, floor: list[FloatArray]) -> Iterator[str]:
        """Append the noise floor (n,) of forces and coordinates to `floor`; pause after each part of the work.

        `basis` (B,) are the model's parameters, to carry the noise of coordinates.
        """
        samples, drives = self._in_order(), self._drives
        count = len(samples)
        coordinate, rate, acceleration, force = (
            contiguous(samples[:, k * drives : (k + 1) * drives]) for k in range(4)
        )
        state = tuple(contiguous(part) for part in split_states(samples[:, 4 * drives :], self._shapes))
        motion = Motion(
            coordinate, rate, acceleration, state, np.zeros(count, dtype=np.uint8), np.zeros(count)
        )
        yield "drives"
        density = self._force_density(force, motion)
        yield "force"
        noise = position_noise(coordinate, self._period, self._quiet)
        scale = noise * np.sqrt(self._every / self._passed_there)
        yield "coordinates"
        column = basis[:, None]
        friction = DriveFriction.of(self._machine, column)
        differences = []
        for first in range(0, count, self._machine.rows_at_once):
            part = slice(first, first + self._machine.rows_at_once)
            there, moved = (
                motion[part],
                [
                    own[part] + scale * one[:count][part]
                    for own, one in zip((coordinate, rate, acceleration), self._unit_noise, strict=True)
                ],
            )
            near = compute_nearby_motion(self._machine, there, *moved)
            ahead, here = (self._force_of(one, column, friction) for one in (near, there))
            differences.append(np.nan_to_num(ahead - here))
            yield "model"
        encoder = self._in_band(np.concatenate(differences))
        floor.append(np.sqrt(density * self._passed_in_band + encoder**2))

    def _force_of(self, motion: Motion, column: FloatArray, friction: DriveFriction) -> FloatArray:
        """Return the forces (N, n) of a model in one column (B, 1)."""
        force = self._machine.compute_regressor(motion, column)
        friction.add(motion.rate, force)
        return force[:, :, 0]

    def _in_order(self) -> FloatArray:
        """Return a copy (N, ...) of what is kept, oldest first."""
        count = min(self._count, KEPT)
        return self._samples[np.arange(self._place - count, self._place)]

    def _force_density(self, force: FloatArray, motion: Motion) -> FloatArray:
        """Return the one-sided power density (n,) of the force's white noise before the low-pass, by Hz."""
        if self._stated is not None:
            return self._stated
        bend = None
        if all(one.law.reversing is not None for one in self._machine.friction):
            # as sharp as the force is: that has passed the low-pass, whose rates are smooth without it
            sharp = [
                friction_columns(rate, one)[one.law.reversing_term]
                for rate, one in zip(motion.rate.T, self._machine.friction, strict=True)
            ]
            bend = np.stack([np.convolve(one, self._smoothing, mode="same") for one in sharp], axis=1)
        density = force_density(force, motion.coordinate, self._period, bend, self._quiet)
        return density / self._force_passed_there

    @cached_property
    def _unit_noise(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """White noise of 1 behind the low-pass: coordinate, rate and acceleration, each (KEPT, n)."""
        stream = CausalFilter(self._low_pass)
        count = KEPT * self._every
        rows = np.random.default_rng(SEED).standard_normal((count + stream.fill, self._drives))
        time = self._raw_period * np.arange(len(rows), dtype=float)
        filtered = stream.filter_log(time, rows, None, np.zeros(len(rows), dtype=np.int64))[1][:: self._every]
        return filtered[:KEPT, 0], filtered[:KEPT, 1], filtered[:KEPT, 2]

    def _in_band(self, force: FloatArray) -> FloatArray:
        """Return the rms (n,) of forces (N, n) behind the estimation band."""
        band = self._band
        sections = low_pass(band.order, band.cutoff, 1.0 / self._period)
        settled = min(self._settling, len(force) // 2)
        passed = filtered(sections, force)[settled:]
        return np.asarray(np.sqrt(np.mean(passed**2, axis=0)))


def _compute_passed_power(settings: FilterSettings, frequency: FloatArray) -> FloatArray:
    """Return the power response of the kinematic low-pass of a stream at frequencies in Hz."""
    rate = 1.0 / settings.period
    if settings.kind == "butterworth":
        return np.abs(response(low_pass(settings.order, settings.cutoff, rate), frequency, rate)) ** 2
    taps = linear_phase_taps(settings)
    half = taps[len(taps) // 2 :]
    waves = np.cos(2.0 * np.pi * np.outer(frequency / rate, np.arange(1, len(half))))
    return np.asarray((half[0] + 2.0 * waves @ half[1:]) ** 2)
