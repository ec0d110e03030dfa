# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Frequency response of a whole sampled, nonlinear machine: sinusoids along an axis, first harmonic of the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.control.drives.settings import drive_settings
from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.actuators import Bank
from pkm_identification.mechanisms.multibody import dynamics
from pkm_identification.mechanisms.multibody.kinematics import motion_of_drives
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.power_density import harmonic

from .drives import STEP
from .lines import check_delays
from .rig import Rig
from .subject import Subject

SETTLING = 0.4  # s, at least, before the answer is taken
MEASURED = 0.5  # s, at least, in whole periods
PERIOD = 5e-4  # s between samples, at most
PER_PERIOD = 40  # samples, at least


@dataclass(frozen=True)
class Response:
    """Answers by frequency.

    Attributes
    ----------
    frequency : ndarray, shape (F,)
        Hz.
    gain : ndarray of complex, shape (F,)
        First harmonic of the answer over the wanted motion's, as the encoders show it.
    true_gain : ndarray of complex, shape (F,)
        The same of the mechanism itself.
    alone : ndarray of complex, shape (F,), or None
        As `gain`, of the drives without the mechanism; None where they have no inertia of their own to move.
    position_error : ndarray, shape (F,)
        Amplitude of wanted less shown over the wanted one.
    force_error : ndarray, shape (F,)
        rms of the drives' reported forces less the rigid model's for the wanted motion, over the model's rms.
    """

    frequency: FloatArray
    gain: np.ndarray
    true_gain: np.ndarray
    alone: np.ndarray | None
    position_error: FloatArray
    force_error: FloatArray


def bandwidths(frequency: FloatArray, gain: np.ndarray) -> tuple[float | None, float | None]:
    """Where the magnitude falls below -3 dB, and where the phase reaches -45 degrees, Hz; None where neither is seen.

    Linear in the logarithm of the frequency between the points.
    """
    decibel = 20 * np.log10(np.maximum(np.abs(gain), 1e-300))
    phase = np.rad2deg(np.unwrap(np.angle(gain)))
    return _find_crossing(frequency, decibel, -3.0), _find_crossing(frequency, phase, -45.0)


def _find_crossing(frequency: FloatArray, values: FloatArray, level: float) -> float | None:
    below = np.flatnonzero(values < level)
    if len(below) == 0 or below[0] == 0:
        return None
    k = int(below[0])
    share = (values[k - 1] - level) / (values[k - 1] - values[k])
    return float(frequency[k - 1] * (frequency[k] / frequency[k - 1]) ** share)


def response(subject: Subject, axis: str, frequencies: Sequence[float], amplitude: float) -> Response:
    """Drive sinusoids of an amplitude (m or rad) along an axis from home, one frequency after the other.

    Raises
    ------
    SettingsError
        If the amplitude or the answer to it leaves the limits, a frequency is beyond half the slowest loop's rate, or a
        drive's command arrives after the end.
    """
    along = subject.direction(axis)
    for sign in (1.0, -1.0):
        subject.check_reach(sign * amplitude * along, "--amplitude", f"{sign * amplitude:g} along '{axis}'")
    highest = 0.5 / subject.slowest_period
    for f in frequencies:
        if not 0 < f < highest:
            raise SettingsError(
                f"{f:g} Hz: must be positive and below half the slowest loop's rate, {highest:g} Hz "
                f"(its period is {subject.slowest_period:g} s)"
            )
    check_delays(subject.actuators, min(_plan_timing(float(f))[2] for f in frequencies))
    back = along / (along @ along)
    rows = [_simulate_one(subject, along, back, float(f), amplitude) for f in frequencies]
    alone = response_alone(subject, axis, frequencies, amplitude)
    gain, true, position, force = (np.array(part) for part in zip(*rows, strict=True))
    return Response(np.array(frequencies, dtype=float), gain, true, alone, position.real, force.real)


def _plan_timing(f: float) -> tuple[float, float, float]:
    """Sampling period, settling and whole duration in s, whole numbers of small steps and of periods of the motion."""
    period = min(PERIOD, 1.0 / (PER_PERIOD * f))
    period = max(1, round(period / STEP)) * STEP
    settle = np.ceil(SETTLING * f) / f
    return period, settle, settle + max(1.0, np.ceil(MEASURED * f)) / f


def _generate_sinusoid(f: float, amplitude: float, settle: float, t: float) -> float:
    """Return a sinusoid that swells over the settling time, so that nothing jumps."""
    swell = min(1.0, t / settle)
    return amplitude * swell * swell * (3 - 2 * swell) * np.sin(2 * np.pi * f * t)


def _simulate_one(
    subject: Subject, along: FloatArray, back: FloatArray, f: float, amplitude: float
) -> tuple[complex, complex, float, float]:
    period, settle, duration = _plan_timing(f)
    home = subject.home
    run = subject.run(lambda t: home + along * _generate_sinusoid(f, amplitude, settle, t), duration, period)
    for reached in (run.drive.min(axis=0), run.drive.max(axis=0)):
        subject.check_reach(reached - home, "--amplitude", f"the response to {amplitude:g} at {f:g} Hz")
    used = run.time >= settle
    time = run.time[used]
    shown, true = ((part[used] - home) @ back for part in (run.shown, run.drive))
    gains = [harmonic(time, values, f, drifting=True) / amplitude for values in (shown, true)]
    angle = (2 * np.pi * f * time)[:, None]
    motion = motion_of_drives(
        subject.mechanism,
        home + along * amplitude * np.sin(angle),
        along * amplitude * 2 * np.pi * f * np.cos(angle),
        -along * amplitude * (2 * np.pi * f) ** 2 * np.sin(angle),
    )
    model = np.asarray(dynamics.forces(subject.mechanism, motion), dtype=float)
    behind = np.array([actuator.inertia_behind for actuator in subject.actuators])
    model = model - behind * along * amplitude * (2 * np.pi * f) ** 2 * np.sin(angle)
    error = np.sqrt(np.mean((run.reported[used] - model) ** 2) / np.mean(model**2))
    return gains[0], gains[1], abs(1 - gains[0]), float(error)


def response_alone(
    subject: Subject, axis: str, frequencies: Sequence[float], amplitude: float
) -> np.ndarray | None:
    """Return the first harmonics (F,) of the drive that moves most along an axis, with its own inertia alone.

    None where the drives have no loops or no inertia of their own.
    """
    along = subject.direction(axis)
    control = subject.mechanism.description.control
    i = int(np.argmax(np.abs(along)))
    actuator = subject.actuators[i]
    if control is None or not control.drives or control.workspace or actuator.inertia <= 0:
        return None
    loops = control.drives[i : i + 1]
    bank = Bank([actuator])
    size = amplitude * along[i]
    alone = []
    for f in frequencies:
        period, settle, duration = _plan_timing(float(f))
        rig = Rig([actuator], 0.0, controls=drive_settings(bank, loops, STEP))
        shown, times = [], []
        for k in range(round(duration / period)):
            t = k * period
            times.append(t)
            shown.append(rig.drives.shown()[0])
            rig.follow(
                np.array([_generate_sinusoid(f, size, settle, t)]),
                np.array([_generate_sinusoid(f, size, settle, t + period)]),
                period,
            )
        time = np.array(times)
        used = time >= settle
        alone.append(harmonic(time[used], np.array(shown)[used], float(f), drifting=True) / size)
    return np.array(alone)
