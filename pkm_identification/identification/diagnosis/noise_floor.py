# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The noise floor: how small a residual can be when the model is right, per strut and in the estimation band.

From the log alone (the noise of the force from the machine file, where it says `drive.force_noise`):

    A_k^2 = S_k integral |H|^4 df ,   S_k: power density of the force between .2 and .45 of the sample rate, where no
                                       motion is; at least that of rounding to whole steps,
    E_k   = what white encoder noise makes of the model's force: one more evaluation with noise of the level that the
            lengths show between .35 and .45 of the rate,
    floor_k^2 = A_k^2 + E_k^2 + S_k^2 ,
    S_k   = what the kinematic low-pass rounds off the model's force, mostly where friction reverses: the difference
            that a lower cutoff makes, as errors of low-passes grow with the square of 1 / cutoff. Asked for where
            A and E are so small that it counts.

In closed loop the controller answers the encoder's steps with force far above the band: that is no noise of the force
sensor, and what of the force is coherent with the lengths there is taken out. So is what is coherent with the bend of
the friction law: friction reverses within a millisecond, and of slow logs every stretch has a reversal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.mechanisms.friction import Friction, friction_columns
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.forward import platform_motion
from pkm_identification.mechanisms.hexapod.kinematics.nearby import inverse_jacobians, nearby_motion
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS, PlatformMotion, StrutMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.segments import segment_slices
from pkm_identification.signals import white_noise
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.forces.acting import compute_motor_side_compliance, noise_passed
from pkm_identification.signals.input_validation import ValidatedLog
from pkm_identification.signals.input_validation.samples import rows_of
from pkm_identification.signals.sections import response
from pkm_identification.signals.white_noise import LAGS, QUIET
from pkm_identification.signals.zero_phase import filter_log

from ..equations.band_rows import in_band
from ..experiment import Experiment

LONGEST = 20.0  # s of a log that are enough to measure noise
QUIET_FORCE = 4e-4  # of the rms force: with more noise, what smoothing rounds off hardly counts
LOWER = 1.5  # times lower is the cutoff that tells it
LEAST = 1e-4  # of the rms force: nothing is modelled better than that
SEED = 7
THREADS = 2  # nothing else is under way meanwhile
STATED, FROM_DATA = "stated in the machine file", "from the data"


@dataclass(frozen=True)
class NoiseFloor:
    """Noise of each strut's force in the band.

    Attributes
    ----------
    std : ndarray, shape (6,)
        N.
    force, encoder : ndarray, shape (6,)
        Its parts: noise of the force itself, and of the lengths through the model.
    basis : str
        What it rests on, in words.
    exact : ndarray, shape (6,)
        N: below it, numbers are rounding.
    smoothing : ndarray, shape (6,)
        N: what the kinematic low-pass rounds off; 0 where noise hides it.
    """

    std: FloatArray
    force: FloatArray
    encoder: FloatArray
    basis: str
    exact: FloatArray
    smoothing: FloatArray


def noise_floor(experiment: Experiment, parameters: FloatArray, band_force: FloatArray) -> NoiseFloor:
    """Return the noise floor of an experiment.

    Parameters
    ----------
    experiment : Experiment
    parameters : ndarray, shape (B,)
        Of the model's basis, to carry encoder noise.
    band_force : ndarray, shape (K, 6)
        Measured force in the band, N.
    """
    band, drive = experiment.settings.band, experiment.description.drive
    left = noise_passed(experiment.settings.validation, band.period, *QUIET)
    noise_of_file = None if drive is None else drive.force_noise
    passed = _integrate_band_power(band)
    densities, weights, encoders = [], [], []
    numbered = [
        (number, log)
        for number, log in enumerate(experiment.logs)
        if log.force is not None and len(log.time) >= 16 * LAGS
    ]
    for number, log in numbered:
        part = rows_of(log, _find_longest_segment(log))
        struts = _smooth(experiment, part)
        density = (
            np.full(STRUTS, 2.0 * noise_of_file**2 * band.period)
            if noise_of_file
            else force_density(part, struts, experiment.description.friction) / left
        )
        densities.append(density)
        weights.append(len(log.time))
        known = experiment.smooth_samples[number].platform
        encoders.append(_compute_encoder_part(experiment, part, struts, known, parameters, density))
    if not densities:
        densities, weights, encoders = [np.zeros(STRUTS)], [1], [np.zeros(STRUTS)]
    force = np.sqrt(np.average(densities, axis=0, weights=weights) * passed)
    encoder = np.sqrt(np.average(np.square(encoders), axis=0, weights=weights))
    exact = LEAST * np.sqrt(np.mean(band_force**2, axis=0)) + 1e-300
    smoothing = np.zeros(STRUTS)
    if numbered and np.mean(force**2 + encoder**2) < QUIET_FORCE**2 * np.mean(band_force**2):
        parts = [_compute_smoothing_part(experiment, log, parameters) for _, log in numbered]
        smoothing = np.sqrt(np.average(np.square(parts), axis=0, weights=weights))
    std = np.sqrt(force**2 + encoder**2 + smoothing**2 + exact**2)
    return NoiseFloor(std, force, encoder, STATED if noise_of_file else FROM_DATA, exact, smoothing)


def _integrate_band_power(band: BandSettings) -> float:
    """Integral of the band's power response, both passes, over frequency in Hz."""
    rate = 1.0 / band.period
    middle = (np.arange(8192) + 0.5) * 0.5 * rate / 8192
    return float(np.mean(np.abs(response(band.sections, middle, rate)) ** 4)) * 0.5 * rate


def force_density(log: ValidatedLog, struts: StrutMotion, friction: Friction) -> FloatArray:
    """One-sided power density of the force where there is no motion, without what answers encoders or reversals.

    Parameters
    ----------
    log : ValidatedLog
        One segment of N samples.
    struts : StrutMotion
        Its smooth motion, without some of its first and last rows; empty where the segment is too short for that.
    friction : Friction
        Whose bend is taken out; its coefficients do not matter.

    Returns
    -------
    ndarray, shape (6,)
        N^2/Hz.

    Raises
    ------
    ValueError
        If the log has no forces.
    """
    if log.force is None:
        raise ValueError("a log without forces has no noise of theirs")
    if len(struts) < 16 * LAGS or friction.law.reversing is None:
        return white_noise.force_density(log.force, log.length, log.period)
    first = int(np.searchsorted(log.time, struts.time[0]))
    inner = slice(first, first + len(struts))
    transition = friction_columns(struts.rate, friction)[friction.law.reversing_term]
    return white_noise.force_density(log.force[inner], log.length[inner], log.period, transition)


def _smooth(experiment: Experiment, part: ValidatedLog) -> StrutMotion:
    """Return strut motion, without the force."""
    settings = experiment.settings.filter
    return filter_log(replace(part, force=None), settings.cutoff, settings.order)


def _compute_encoder_part(
    experiment: Experiment,
    part: ValidatedLog,
    struts: StrutMotion,
    known: PlatformMotion,
    parameters: FloatArray,
    density: FloatArray,
) -> FloatArray:
    """Return the standard deviation (6,) in N of the model's force in the band because of noise of the lengths.

    That is the encoders', and where struts are shorter than motors turn by what a force of power density (6,) in
    N^2/Hz winds up, that force's. `known` is the platform's motion along the whole log.
    """
    settings, machine = experiment.settings, experiment.description
    if len(struts) == 0:
        return np.zeros(STRUTS)
    deflection = density / (2.0 * settings.period) * compute_motor_side_compliance(settings.validation) ** 2
    deflection = np.zeros(STRUTS) if experiment.elastic_drives_modelled else deflection
    noise = np.sqrt(white_noise.position_noise(part.length, settings.period) ** 2 + deflection)
    noise = noise * np.random.default_rng(SEED).standard_normal(part.length.shape)
    motion, inverse = _compute_motion(machine, struts, known)
    moved = _smooth(experiment, replace(part, coordinate=part.length + noise))
    noisy = nearby_motion(machine, moved, motion, inverse, THREADS)
    forces = [strut_forces(machine, each, parameters=parameters, threads=THREADS) for each in (motion, noisy)]
    passed = in_band(np.nan_to_num(forces[1] - forces[0]), struts.segment, settings.band)
    return np.std(passed, axis=0) if len(passed) else np.zeros(STRUTS)


def _compute_motion(
    machine: Machine, struts: StrutMotion, known: PlatformMotion
) -> tuple[PlatformMotion, FloatArray]:
    """Platform motion of a stretch, and inverse Jacobians (N, 6, 6) near to it.

    From the poses known along the log where it has one for each row: the ends of the stretch are smoothed otherwise.
    """
    first = int(np.searchsorted(known.time, struts.time[0]))
    there = known[first : first + len(struts)]
    if np.array_equal(there.time, struts.time):
        inverse = inverse_jacobians(machine, there, THREADS)
        return nearby_motion(machine, struts, there, inverse, THREADS), inverse
    motion = platform_motion(machine, struts)[0]
    return motion, inverse_jacobians(machine, motion)


def _compute_smoothing_part(experiment: Experiment, log: ValidatedLog, parameters: FloatArray) -> FloatArray:
    """Rms (6,) in N of what the kinematic low-pass rounds off the model's force in the band."""
    settings, machine = experiment.settings, experiment.description
    part = rows_of(log, _find_longest_segment(log))
    struts = _smooth(experiment, part)
    lower = filter_log(replace(part, force=None), settings.filter.cutoff / LOWER, settings.filter.order)
    if len(lower) == 0:
        return np.zeros(STRUTS)
    first = int(np.searchsorted(struts.time, lower.time[0]))
    struts = struts[first : first + len(lower)]
    motion = platform_motion(machine, struts)[0]
    rounded = nearby_motion(machine, lower, motion, inverse_jacobians(machine, motion))
    forces = [strut_forces(machine, each, parameters=parameters) for each in (motion, rounded)]
    passed = in_band(np.nan_to_num(forces[1] - forces[0]), struts.segment, settings.band)
    return np.std(passed, axis=0) / (LOWER**2 - 1.0) if len(passed) else np.zeros(STRUTS)


def _find_longest_segment(log: ValidatedLog) -> slice:
    """Return the longest uninterrupted stretch, cut at LONGEST."""
    part = max(segment_slices(log.segment), key=lambda part: part.stop - part.start)
    return slice(part.start, min(part.stop, part.start + round(LONGEST / log.period)))
