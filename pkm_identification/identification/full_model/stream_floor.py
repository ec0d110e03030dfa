# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The noise floor of a stream: how small a residual of its equations can be when the model is right, per drive.

As offline (`diagnosis.noise_floor`), from samples that have passed the kinematic low-pass, whose response G is known:
what white noise has left there, where it still passes and no motion is, tells how strong it was before.

    A_k^2 = S_k integral |G H H|^2 df ,  S_k: power density of the force between `LOWEST_QUIET` `highest` and `highest`,
    E_k   = what white noise of the lengths, as strong as theirs there, makes of the model's force: one more evaluation,
    floor_k^2 = A_k^2 + E_k^2 + exact_k^2 .
"""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.machines.motions import compute_nearby_motion
from pkm_identification.mechanisms.friction import friction_columns
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.rows import segment_slices
from pkm_identification.signals.butterworth import low_pass, zero_phase
from pkm_identification.signals.causal import CausalFilter, FilterSettings, linear_phase_taps
from pkm_identification.signals.forces.acting import noise_passed
from pkm_identification.signals.sections import response
from pkm_identification.signals.white_noise import force_density, position_noise

from ..diagnosis.noise_floor import (
    FROM_DATA,
    LEAST,
    STATED,
    NoiseFloor,
    compute_model_force,
    density_of_file,
)
from ..experiment import Experiment
from ..samples import Samples
from ..settings import Settings

MOST_ROWS = 4000  # 4 s at 1 kHz, in which the power of noise 100 Hz wide is known to some per cent
FEWEST_ROWS = 500  # that tell of noise: a fifth of them settles the filters
HIGHEST_POWER_PASSED = 0.01  # of the low-pass, at the highest frequency at which noise is read
LOWEST_QUIET = (
    0.75  # of that frequency: lower down a loop answers its encoders, which looks like noise of the forces
)
HIGHEST_OF_RATE = 0.45  # of the sample rate: nothing is read higher
OVERSAMPLED = 6.0  # samples per period of the kinematic cutoff that are looked at; more tell nothing new
FREQUENCIES = 4096  # from 0 to half the sample rate, at which responses are summed
SEED = 7


def measure_stream_floor(experiment: Experiment, basis: FloatArray) -> NoiseFloor | None:
    """Return the noise floor of the zero-phase equations of streams' samples; None of too short ones.

    Parameters
    ----------
    experiment : Experiment
        As of `Experiment.of_samples`.
    basis : ndarray, shape (B,)
        Values of the model, to carry the noise of coordinates.
    """
    machine, settings = experiment.machine, experiment.settings
    every = max(1, int(1.0 / (settings.period * OVERSAMPLED * settings.filter.cutoff)))
    parts, weights = [], []
    for samples in experiment.smooth_samples:
        newest = _take_newest_rows(samples, every)
        if len(newest) >= FEWEST_ROWS:
            parts.append(_measure_parts(machine, settings, newest, every, basis))
            weights.append(len(samples))
    if not parts:
        return None
    force, encoder = np.sqrt(np.average(np.square(parts), axis=0, weights=weights))
    squares = [np.mean(one.force**2, axis=0) for one in experiment.smooth_samples if one.force is not None]
    exact = LEAST * np.sqrt(np.mean(squares, axis=0)) + 1e-300
    std = np.sqrt(force**2 + encoder**2 + exact**2)
    stated = density_of_file(machine, settings.period) is not None
    return NoiseFloor(std, force, encoder, STATED if stated else FROM_DATA, exact, np.zeros_like(std))


def _take_newest_rows(samples: Samples, every: int) -> Samples:
    """Return the newest rows of the longest uninterrupted segment, one of `every`."""
    segment = max(segment_slices(samples.segment), key=lambda part: part.stop - part.start)
    rows = np.arange(segment.start, segment.stop)[::-1][::every][:MOST_ROWS][::-1]
    force = None if samples.force is None else contiguous(samples.force[rows])
    return Samples(samples.time[rows], samples.motion[rows], force, samples.segment[rows])


def _measure_parts(
    machine: Machine, settings: Settings, samples: Samples, every: int, basis: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the standard deviations (n,) that noise of forces and of coordinates has in the band."""
    filter_settings, band, motion = settings.filter, settings.band, samples.motion
    raw_period, period = settings.period, every * settings.period
    frequency = (np.arange(FREQUENCIES) + 0.5) * 0.5 / raw_period / FREQUENCIES
    power = _compute_passed_power(filter_settings, frequency)
    highest = min(float(frequency[power > HIGHEST_POWER_PASSED][-1]), HIGHEST_OF_RATE / period)
    inside = (frequency > LOWEST_QUIET * highest) & (frequency < highest)
    passed_there = float(np.mean(power[inside]))
    quiet = (LOWEST_QUIET * highest * period, highest * period)
    density = density_of_file(machine, raw_period)
    if density is None:
        assert samples.force is not None
        bend = _smooth_reversals(machine, filter_settings, motion.rate, every)
        acting = noise_passed(
            settings.validation, raw_period, LOWEST_QUIET * highest * raw_period, highest * raw_period
        )
        found = force_density(samples.force, motion.coordinate, period, bend, quiet)
        density = found / (passed_there * acting)
    both_ways = np.abs(response(band.sections, frequency, 1.0 / band.period)) ** 4
    in_band = float(np.sum(power * both_ways)) * (frequency[1] - frequency[0])
    noise = position_noise(motion.coordinate, period, quiet) * np.sqrt(every / passed_there)
    encoder = _carry_encoder_noise(machine, settings, samples, noise, every, basis)
    return np.sqrt(density * in_band), encoder


def _smooth_reversals(
    machine: Machine, settings: FilterSettings, rate: FloatArray, every: int
) -> FloatArray | None:
    """Return friction's reversals (N, n) as sharp as the force is: that has passed the low-pass, too."""
    if any(one.law.reversing is None for one in machine.friction):
        return None
    taps = linear_phase_taps(settings)
    kept = taps[len(taps) // 2 % every :: every]
    sharp = [
        friction_columns(own, one)[one.law.reversing_term]
        for own, one in zip(rate.T, machine.friction, strict=True)
    ]
    return np.stack([np.convolve(one, kept / kept.sum(), mode="same") for one in sharp], axis=1)


def _carry_encoder_noise(
    machine: Machine, settings: Settings, samples: Samples, noise: FloatArray, every: int, basis: FloatArray
) -> FloatArray:
    """Return the rms (n,) in the band of what white noise of coordinates (n,) makes of the model's force."""
    count = len(samples)
    stream = CausalFilter(settings.filter)
    rows = np.random.default_rng(SEED).standard_normal((count * every + stream.fill, len(noise)))
    time = settings.period * np.arange(len(rows), dtype=float)
    passed = stream.filter_log(time, rows, None, np.zeros(len(rows), dtype=np.int64))[1][::every][:count]
    motion = samples.motion
    moved = [
        own + noise * passed[:, k]
        for k, own in enumerate((motion.coordinate, motion.rate, motion.acceleration))
    ]
    forces = [
        compute_model_force(machine, one, basis)
        for one in (motion, compute_nearby_motion(machine, motion, *moved))
    ]
    band = settings.band
    sections = low_pass(band.order, band.cutoff, 1.0 / (every * settings.period))
    settled = min(-(-band.settling // every), count // 3)
    in_band = zero_phase(sections, np.nan_to_num(forces[1] - forces[0]))[settled : count - settled]
    return np.asarray(np.sqrt(np.mean(in_band**2, axis=0)))


def _compute_passed_power(settings: FilterSettings, frequency: FloatArray) -> FloatArray:
    """Return the power response of the kinematic low-pass of a stream at frequencies in Hz."""
    rate = 1.0 / settings.period
    if settings.kind == "butterworth":
        return np.abs(response(low_pass(settings.order, settings.cutoff, rate), frequency, rate)) ** 2
    taps = linear_phase_taps(settings)
    half = taps[len(taps) // 2 :]
    waves = np.cos(2.0 * np.pi * np.outer(frequency / rate, np.arange(1, len(half))))
    return np.asarray((half[0] + 2.0 * waves @ half[1:]) ** 2)
