# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The noise floor: how small a residual can be when the model is right, per drive and in the estimation band.

From the log alone (the noise of the force from the machine file, where it states that of every drive):

    A_k^2 = S_k integral |H|^4 df ,   S_k: power density of the force between .2 and .45 of the sample rate, where no
                                       motion is; at least that of rounding to whole steps,
    E_k   = what white encoder noise makes of the model's force: one more evaluation with noise of the level that the
            coordinates show between .35 and .45 of the rate,
    floor_k^2 = A_k^2 + E_k^2 + S_k^2 ,
    S_k   = what the kinematic low-pass rounds off the model's force, mostly where friction reverses: the difference
            that a lower cutoff makes, as errors of low-passes grow with the square of 1 / cutoff. Asked for where
            A and E are so small that it counts.

In closed loop the controller answers the encoder's steps with force far above the band: that is no noise of the force
sensor, and what of the force is coherent with the coordinates there is taken out. So is what is coherent with the
transition of the friction law: friction reverses within a millisecond, and of slow logs every segment has a
reversal. Rows of drives that stand still are no equations, and their noise makes none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pkm_identification.estimation.problem import Problem
from pkm_identification.machines.contract import Machine, Motion
from pkm_identification.mechanisms.friction import Friction, friction_columns
from pkm_identification.motion import StrutMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rows import segment_slices
from pkm_identification.signals import white_noise
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.forces.acting import compute_motor_side_compliance, noise_passed
from pkm_identification.signals.input_validation import ValidatedLog
from pkm_identification.signals.input_validation.samples import rows_of
from pkm_identification.signals.sections import response
from pkm_identification.signals.white_noise import LAGS, QUIET
from pkm_identification.signals.zero_phase import filter_log

from ..equations.band_rows import in_band
from ..equations.standstill import StandstillLimits, find_standstill
from ..experiment import Experiment
from ..model_errors.log_rows import LogRows, rows_of_samples
from ..regression.friction import DriveFriction
from ..samples import Samples

LONGEST = 20.0  # s of a log that are enough to measure noise
STEP = 5.0  # s between parts of a long log that are tried
QUIET_FORCE = 4e-4  # of the rms force: with more noise, what smoothing rounds off hardly counts
LOWER = 1.5  # times lower is the cutoff that tells it
LEAST = 1e-4  # of the rms force: nothing is modelled better than that
SEED = 7
STATED, FROM_DATA = "stated in the machine file", "from the data"


@dataclass(frozen=True)
class NoiseFloor:
    """Noise of each drive's force in the band.

    Attributes
    ----------
    std : ndarray, shape (n,)
        N or N m.
    force, encoder : ndarray, shape (n,)
        Its parts: noise of the force itself, and of the coordinates through the model.
    basis : str
        What it rests on, in words.
    exact : ndarray, shape (n,)
        N or N m: below it, numbers are rounding.
    smoothing : ndarray, shape (n,)
        N or N m: what the kinematic low-pass rounds off; 0 where noise hides it.
    """

    std: FloatArray
    force: FloatArray
    encoder: FloatArray
    basis: str
    exact: FloatArray
    smoothing: FloatArray


def measure_noise_floor(experiment: Experiment, problem: Problem, basis: FloatArray) -> NoiseFloor | None:
    """Return the noise floor of an experiment; None of logs too short for it.

    Parameters
    ----------
    experiment : Experiment
    problem : Problem
        Its zero-phase force equations.
    basis : ndarray, shape (B,)
        Rough values of the model, to carry noise of coordinates.
    """
    parts = [
        _LogPart.of(experiment, problem, log, samples)
        for log, samples in zip(experiment.logs, experiment.smooth_samples, strict=True)
        if log.force is not None and len(log.time) >= 16 * LAGS
    ]
    if not parts:
        return None
    band, weights = experiment.settings.band, [one.rows for one in parts]
    stated = density_of_file(experiment.machine, band.period)
    densities = [stated if stated is not None else one.measure_density() for one in parts]
    encoders = [one.carry_noise(basis, density) for one, density in zip(parts, densities, strict=True)]
    force = np.sqrt(np.average(densities, axis=0, weights=weights) * _integrate_band_power(band))
    encoder = np.sqrt(np.average(np.square(encoders), axis=0, weights=weights))
    square = np.mean(problem.equations.force**2, axis=0)
    exact = LEAST * np.sqrt(square) + 1e-300
    smoothing = np.zeros_like(force)
    if np.mean((force**2 + encoder**2) / (square + 1e-300)) < QUIET_FORCE**2:
        rounded = [one.measure_smoothing(basis) for one in parts]
        smoothing = np.sqrt(np.average(np.square(rounded), axis=0, weights=weights))
    std = np.sqrt(force**2 + encoder**2 + smoothing**2 + exact**2)
    return NoiseFloor(std, force, encoder, FROM_DATA if stated is None else STATED, exact, smoothing)


def density_of_file(machine: Machine, period: float) -> FloatArray | None:
    """Return the one-sided power density (n,) of the forces' noise where the machine file states it."""
    stated = np.array([drive.force_noise for drive in machine.drives], dtype=float)
    return 2.0 * stated**2 * period if stated.all() else None


def _integrate_band_power(band: BandSettings) -> float:
    """Integral of the band's power response, both passes, over frequency in Hz."""
    rate = 1.0 / band.period
    middle = (np.arange(8192) + 0.5) * 0.5 * rate / 8192
    return float(np.mean(np.abs(response(band.sections, middle, rate)) ** 4)) * 0.5 * rate


def force_density(log: ValidatedLog, moved: StrutMotion, friction: Sequence[Friction]) -> FloatArray:
    """One-sided power density of the force where there is no motion, without what answers encoders or reversals.

    Parameters
    ----------
    log : ValidatedLog
        One segment of N samples.
    moved : StrutMotion
        Its smooth motion, without some of its first and last rows; empty where the segment is too short for that.
    friction : sequence of Friction, length n
        Whose transition is taken out; its coefficients do not matter.

    Returns
    -------
    ndarray, shape (n,)
        N^2/Hz or N^2 m^2/Hz.

    Raises
    ------
    ValueError
        If the log has no forces.
    """
    if log.force is None:
        raise ValueError("a log without forces has no noise of theirs")
    if len(moved) < 16 * LAGS or any(one.law.reversing is None for one in friction):
        return white_noise.force_density(log.force, log.length, log.period)
    first = int(np.searchsorted(log.time, moved.time[0]))
    inner = slice(first, first + len(moved))
    transition = np.stack(
        [
            friction_columns(rate, one)[one.law.reversing_term]
            for rate, one in zip(moved.rate.T, friction, strict=True)
        ],
        axis=1,
    )
    return white_noise.force_density(log.force[inner], log.length[inner], log.period, transition)


@dataclass(frozen=True)
class _LogPart:
    """The part of a log that its noise is measured in: at most LONGEST of its longest segment.

    Attributes
    ----------
    experiment : Experiment
    log : ValidatedLog
        The part.
    samples : Samples
        Of the whole log.
    limits : StandstillLimits or None
    rows : int
        Of the whole log.
    """

    experiment: Experiment
    log: ValidatedLog
    samples: Samples
    limits: StandstillLimits | None
    rows: int

    @classmethod
    def of(cls, experiment: Experiment, problem: Problem, log: ValidatedLog, samples: Samples) -> _LogPart:
        machine, parameters = experiment.machine, problem.parameters
        rows = rows_of_samples(machine, parameters, samples, experiment.settings.band, experiment.flicker)
        limits = StandstillLimits.of(machine, parameters, experiment.flicker)
        return cls(experiment, rows_of(log, _find_liveliest_part(log, rows)), samples, limits, len(log.time))

    @cached_property
    def moved(self) -> StrutMotion:
        """The drives' smooth motion."""
        return self.smooth(self.log.length)

    def smooth(self, coordinate: FloatArray, factor: float = 1.0) -> StrutMotion:
        """Return the drives' smooth motion of coordinates, by a cutoff that is so many times lower."""
        low_pass = self.experiment.settings.filter
        log = replace(self.log, coordinate=coordinate, force=None)
        return filter_log(log, low_pass.cutoff / factor, low_pass.order)

    def measure_density(self) -> FloatArray:
        """Return the one-sided power density (n,) of the forces' noise."""
        if self.log.force_density is not None:  # of what was recorded: the log was resampled
            return self.log.force_density
        settings = self.experiment.settings
        found = force_density(self.log, self.moved, self.experiment.machine.friction)
        return found / noise_passed(settings.validation, settings.band.period, *QUIET)

    def carry_noise(self, basis: FloatArray, density: FloatArray) -> FloatArray:
        """Return the standard deviation (n,) of the model's force in the band because of noise of the coordinates.

        That is the encoders', and where coordinates at the mechanism differ from motors' by what a force of power
        density (n,) winds up, that force's.
        """
        settings, part = self.experiment.settings, self.log
        if len(self.moved) == 0:
            return np.zeros(part.length.shape[1])
        wound = density / (2.0 * settings.period) * compute_motor_side_compliance(settings.validation) ** 2
        wound = np.zeros_like(wound) if self.experiment.elastic_drives_modelled else wound
        noise = np.sqrt(white_noise.position_noise(part.length, settings.period) ** 2 + wound)
        noise = noise * np.random.default_rng(SEED).standard_normal(part.length.shape)
        return self._compare(basis, self.moved, self.smooth(part.length + noise))

    def measure_smoothing(self, basis: FloatArray) -> FloatArray:
        """Return the standard deviation (n,) of what the kinematic low-pass rounds off the model's force."""
        moved, lower = self.moved, self.smooth(self.log.length, LOWER)
        if len(lower) == 0:
            return np.zeros(self.log.length.shape[1])
        first = int(np.searchsorted(moved.time, lower.time[0]))
        return self._compare(basis, moved[first : first + len(lower)], lower) / (LOWER**2 - 1.0)

    def _compare(self, basis: FloatArray, moved: StrutMotion, other: StrutMotion) -> FloatArray:
        """Return the standard deviation (n,) in the band of the model's force of another motion, where drives move."""
        machine, band = self.experiment.machine, self.experiment.settings.band
        motion = self._close(moved)
        near = machine.create_neighbour_solver(motion)(machine, other.length, other.rate, other.acceleration)
        forces = [compute_model_force(machine, one, basis) for one in (motion, near)]
        passed = in_band(np.nan_to_num(forces[1] - forces[0]), moved.segment, band)
        still = find_standstill(self.limits, moved.length, moved.rate, moved.segment, band)
        drives = zip(passed.T, ~still.T, strict=True)
        return np.array([np.std(own[used]) if used.any() else 0.0 for own, used in drives])

    def _close(self, moved: StrutMotion) -> Motion:
        """Return the machine's motion of drives, near to the samples' where they have one of every row."""
        machine, known = self.experiment.machine, self.samples
        first = int(np.searchsorted(known.time, moved.time[0]))
        rows = slice(first, first + len(moved))
        if not np.array_equal(known.time[rows], moved.time):
            return machine.compute_motion(moved.length, moved.rate, moved.acceleration)
        there = known.motion[rows]
        if np.array_equal(there.coordinate, moved.length):
            return there
        return machine.create_neighbour_solver(there)(machine, moved.length, moved.rate, moved.acceleration)


def compute_model_force(machine: Machine, motion: Motion, basis: FloatArray) -> FloatArray:
    """Return the forces (N, n) of a motion by basis values (B,), with the drives' friction."""
    friction = np.zeros((*motion.rate.shape, 1))
    DriveFriction.of(machine, basis[:, None]).add(motion.rate, friction)
    return machine.compute_forces(motion, basis) + friction[:, :, 0]


def _find_liveliest_part(log: ValidatedLog, rows: LogRows) -> slice:
    """Return the first LONGEST seconds of the longest segment in which drives stand still least."""
    whole = max(segment_slices(log.segment), key=lambda part: part.stop - part.start)
    count, step = round(LONGEST / log.period), round(STEP / log.period)
    if whole.stop - whole.start <= count:
        return whole
    stamps = [rows.samples.time[piece.part][piece.chosen] for piece in rows.pieces]
    time = np.concatenate([np.empty(0), *stamps])
    begins = range(whole.start, whole.stop - count + 1, step)

    def count_standing(begin: int) -> int:
        inside = (time >= log.time[begin]) & (time <= log.time[begin + count - 1])
        return int(rows.still[inside].sum(axis=0).max(initial=0))

    begin = min(begins, key=count_standing)
    return slice(begin, begin + count)
