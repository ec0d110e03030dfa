# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions of the driven coordinates of any mechanism: exciting and slow ones within its limits, and its own."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.machines.falling import compute_fall
from pkm_identification.machines.motions import compute_rest
from pkm_identification.machines.multibody import Multibody
from pkm_identification.mechanisms.multibody.kinematics import (
    MechanismMotion,
    close_drives,
    motion_of_drives,
    read,
)
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.mechanisms.multibody.structure.model import compute_model_size
from pkm_identification.motion import DEFAULT_DURATION, TRAJECTORIES
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.suggestion import did_you_mean

from ..motion_file import is_motion_file, read_motion
from ..shapes import FAST_BAND, FAST_TONES, PERIOD, SLOW_BAND, triangles
from ..trajectories import LENGTH_MARGIN, RAMP, REST, SHORTEST, peaks
from ..waveforms import Derivatives, Fade, FadedWaves, MultiSine, fade_signals

NAMES = ("rich", "rich2", "slow", "rest", "free")
FALL = NAMES[-1]
STATED = "motion"  # the description's own

# How far a drive without limits goes: rad, and parts of the mechanism's size.
_ANGLE, _SHARE = 0.5, 0.2
_SLOW_SHARE = 0.3  # of that, for plateaus of rates
_FAST_SHARE = 0.3  # of that, at most, for the fast part of an exciting motion
_FAST_ACCELERATION, _FAST_ANGULAR = 1.0, 4.0  # m/s^2 and rad/s^2, rms
_LEAST_PIVOT = 0.3  # smallest over largest pivot of the closed loops, relative to home's
_CHECKED = 400  # samples
_TRIES = 8
_INSIDE = 0.25  # of a drive's travel, from a limit: what a motion is about where home has no room


@dataclass(frozen=True)
class DriveMotion:
    """Driven coordinates as exact functions of time.

    Attributes
    ----------
    name : str
    duration : float
        s.
    home : ndarray, shape (n,)
        What is added to the signals, m or rad.
    signal : MultiSine
        As many signals as drives.
    fade : Fade or None
        Rest and fade at both ends.
    """

    name: str
    duration: float
    home: FloatArray
    signal: MultiSine
    fade: Fade | None

    @property
    def powered(self) -> bool:
        """Whether the drives are on."""
        return self.name != FALL

    def drives(self, time: FloatArray) -> Derivatives:
        """Driven coordinates and two derivatives at times (N,) in s, (N, n) each."""
        value, rate, second = self._displacement(np.asarray(time, dtype=float))
        return self.home + value, rate, second

    def motion(self, mechanism: Mechanism, time: FloatArray) -> MechanismMotion:
        """Return the mechanism's motion at times (N,); raises MotionRefused if a row is out of reach."""
        return motion_of_drives(mechanism, *self.drives(time))

    def waves(self, time: FloatArray) -> FadedWaves:
        """Return the signal's tones and fade at times (N,) in s, for many signals of them."""
        return FadedWaves.of(self.signal.frequency, self.fade, time)

    def _displacement(self, time: FloatArray) -> Derivatives:
        if self.fade is None:
            return self.signal.evaluate(time)
        return fade_signals(self.signal.evaluate(time - self.fade.rest), self.fade.evaluate(time))

    def fit_amplitudes(self, mechanism: Mechanism) -> DriveMotion:
        """All amplitudes made smaller alike until the mechanism can do the motion and keeps away from singularities.

        Raises
        ------
        SettingsError
            If it has no room around its home.
        """
        time = np.linspace(0.0, min(self.duration, PERIOD + REST + RAMP), _CHECKED)
        value = self._displacement(time)[0]
        scale = 1.0
        for _ in range(_TRIES):
            if _is_possible(mechanism, self.home + scale * value, between=True):
                return replace(self, signal=self.signal.scale(scale))
            scale *= 0.7
        raise SettingsError(
            f"trajectory '{self.name}': mechanism '{mechanism.name}' has no room for it around its home"
        )


def build_motion(
    name: str | None, mechanism: Mechanism, duration: float | None, seed: int = 0
) -> DriveMotion:
    """Return a named motion (`generate_motion`), or the description's own if none is named (`compute_own_motion`)."""
    if name in (None, STATED):
        return compute_own_motion(mechanism, duration)
    return generate_motion(name, mechanism, duration, seed)


def generate_motion(
    name: str, mechanism: Mechanism, duration: float | None = None, seed: int = 0
) -> DriveMotion:
    """Return a named motion, made to fit a mechanism.

    `rich` moves all drives at many frequencies, as far as limits and singularities allow; `rich2` is another such
    motion; `slow` has plateaus of rates in both directions (friction); `rest` stays at home; `free` is a fall from
    there with the drives off. Where a drive has no
    limits it goes 0.5 rad or a fifth of the mechanism's size either way; where home is at a limit, a quarter of the
    drive's travel inside. They repeat every 20 s.

    Parameters
    ----------
    name : str
        One of NAMES, or a motion file.
    mechanism : Mechanism
        In float64.
    duration : float, optional
        s, with 0.5 s of rest and a fade at both ends.
    seed : int
        Of tones and phases.

    Raises
    ------
    SettingsError
        Unknown name, too short a duration, or a mechanism without room around its home.
    """
    signal = None
    if is_motion_file(name):
        signal, own = read_motion(name, mechanism)
        duration = own if duration is None else duration
    elif name not in NAMES:
        if name in TRAJECTORIES:
            raise SettingsError(f"trajectory '{name}': needs a hexapod; '{mechanism.name}' is none")
        raise SettingsError(
            f"trajectory '{name}': not one of {', '.join(NAMES)}, nor a motion file (.yaml){did_you_mean(name, NAMES)}"
        )
    if duration is None:
        duration = _compute_fall_time(mechanism) if name == FALL else DEFAULT_DURATION[name]
    shortest = 0.0 if name in ("rest", FALL) else SHORTEST
    if not shortest < duration < np.inf:
        raise SettingsError(f"trajectory '{name}': duration {duration:g} s: must be more than {shortest:g} s")
    count = mechanism.degrees_of_freedom
    home = read(mechanism, "drives", mechanism.home)[0]
    fade = Fade(duration, REST, min(RAMP, 0.25 * max(duration - 2 * REST, 0.1)))
    still = MultiSine(np.ones(1), np.zeros((count, 1)), np.zeros((count, 1)))
    motion = DriveMotion(name, float(duration), home, still, fade)
    if name in ("rest", FALL):
        return motion
    if signal is not None:
        motion = replace(motion, signal=signal)
        if not within_reach(mechanism, motion.drives(np.arange(0.0, duration, PERIOD / 4000))[0]):
            raise SettingsError(
                f"motion file '{name}': does not keep the limits of machine '{mechanism.name}'"
            )
        return motion
    center = _find_center(mechanism, home)
    motion, reach = replace(motion, home=center), _reach(mechanism, center)
    if name == "slow":
        return replace(
            motion, signal=triangles(3 + np.arange(count) % 6, _SLOW_SHARE * reach)
        ).fit_amplitudes(mechanism)
    rng = np.random.default_rng([NAMES.index(name), seed])
    return replace(motion, signal=_build_rich_motion(mechanism, reach, rng)).fit_amplitudes(mechanism)


def _compute_fall_time(mechanism: Mechanism) -> float:
    """Return how long a mechanism falls from home before a drive leaves its reach, at most 0.15 s.

    Raises
    ------
    SettingsError
        If its drives have states, which hold it without a current.
    """
    if mechanism.description.actuators is not None:
        raise SettingsError(
            f"trajectory '{FALL}': the drives of '{mechanism.name}' have states ('actuator' in its file) that hold it"
        )
    machine, time = Multibody(mechanism), np.linspace(0.0, DEFAULT_DURATION[FALL], 31)
    fallen = compute_fall(machine, machine.basis.nominal, compute_rest(machine, machine.home[None]), time)
    inside = [np.isfinite(one).all() and within_reach(mechanism, one[None]) for one in fallen]
    last = 30 if all(inside) else max(1, inside.index(False) - 1)
    return float(time[last])


def compute_own_motion(mechanism: Mechanism, duration: float | None = None) -> DriveMotion:
    """The description's own `motion`, one period unless a duration is given; raises SettingsError if it has none."""
    motion = mechanism.description.motion
    if motion is None:
        raise SettingsError(
            f"--trajectory is missing: give one of {', '.join(NAMES)}; the description of '{mechanism.name}' "
            "has no 'motion'"
        )
    period = FLOAT64.number(motion.period)
    orders = max(max(len(series.cosine), len(series.sine)) for series in motion.series)
    sine, cosine = np.zeros((2, len(motion.series), max(orders, 1)))
    for i, series in enumerate(motion.series):
        sine[i, : len(series.sine)] = FLOAT64.array(series.sine)
        cosine[i, : len(series.cosine)] = FLOAT64.array(series.cosine)
    frequency = np.arange(1, max(orders, 1) + 1) / period
    mean = FLOAT64.array([series.mean for series in motion.series])
    signal = MultiSine(frequency, sine, cosine)
    return DriveMotion(STATED, period if duration is None else float(duration), mean, signal, None)


def _find_center(mechanism: Mechanism, home: FloatArray) -> FloatArray:
    """Return what the drives move about (n,): home, or further in where that leaves a drive no room."""
    center = home.copy()
    for i, drive in enumerate(mechanism.description.drives):
        if drive.limits is not None:
            low, high = FLOAT64.array(drive.limits)
            room = min(home[i] - low, high - home[i])
            if room <= LENGTH_MARGIN * (high - low):
                inside = _INSIDE * (high - low)
                center[i] = np.clip(home[i], low + inside, high - inside)
    return center


def _reach(mechanism: Mechanism, center: FloatArray) -> FloatArray:
    """Return how far each drive may go either way, (n,)."""
    reach = np.zeros(len(center))
    for i, drive in enumerate(mechanism.description.drives):
        if drive.limits is None:
            reach[i] = _ANGLE if drive.measure.unit == "rad" else _SHARE * compute_model_size(mechanism.tree)
            continue
        low, high = FLOAT64.array(drive.limits)
        reach[i] = min(center[i] - low, high - center[i]) - LENGTH_MARGIN * (high - low)
    return reach


def _build_rich_motion(mechanism: Mechanism, reach: FloatArray, rng: np.random.Generator) -> MultiSine:
    """Multi-sines of all drives that share no frequency: slow ones that go far, fast ones that show inertias."""
    count = len(reach)
    frequency = np.arange(round(SLOW_BAND[0] * PERIOD), round(FAST_BAND[1] * PERIOD) + 1) / PERIOD
    slow_tones = rng.permutation(np.flatnonzero(frequency <= SLOW_BAND[1]))
    fast_tones = rng.permutation(np.flatnonzero(frequency >= FAST_BAND[0]))
    time = np.arange(0.0, PERIOD, 0.02)
    amplitude = np.zeros((count, len(frequency)), dtype=complex)
    for i, drive in enumerate(mechanism.description.drives):
        rms = _FAST_ANGULAR if drive.measure.unit == "rad" else _FAST_ACCELERATION
        # few drives share the tones out; many take them in turns
        slow = slow_tones[i % len(slow_tones) :: min(count, len(slow_tones))][: 2 * FAST_TONES]
        fast = fast_tones[(FAST_TONES * i + np.arange(FAST_TONES)) % len(fast_tones)]
        parts = np.zeros((2, len(frequency)), dtype=complex)
        parts[0, slow] = 1.0
        parts[1, fast] = rms * np.sqrt(2 / FAST_TONES) / (2 * np.pi * frequency[fast]) ** 2
        parts *= np.exp(1j * rng.uniform(0, 2 * np.pi, len(frequency)))
        waves = (np.exp(2j * np.pi * np.outer(time, frequency)) @ parts.T).imag
        peak = np.abs(waves).max(axis=0)
        parts[1] *= min(1.0, _FAST_SHARE * reach[i] / peak[1])
        left = reach[i] - min(peak[1], _FAST_SHARE * reach[i])
        amplitude[i] = left / peak[0] * parts[0] + parts[1]
    return MultiSine(frequency, amplitude.real, amplitude.imag)


def within_reach(mechanism: Mechanism, drive: FloatArray, between: bool = False) -> bool:
    """Whether rows (N, n) keep to the drives' limits, with a margin, to the joints', and away from singularities.

    With `between`, evenly spaced rows answer for what is between them too.
    """
    least, most = peaks(drive) if between else (drive.min(axis=0), drive.max(axis=0))
    home = read(mechanism, "drives", mechanism.home)[0]
    for i, one in enumerate(mechanism.description.drives):
        if one.limits is None:
            continue
        low, high = FLOAT64.array(one.limits)
        margin = LENGTH_MARGIN * (high - low)
        if least[i] < min(low + margin, home[i]) or most[i] > max(high - margin, home[i]):
            return False
    return _is_possible(mechanism, drive, between)


def _is_possible(mechanism: Mechanism, drive: FloatArray, between: bool) -> bool:
    """Return whether all rows (N, n) have a configuration away from singular ones, where passive joints can be."""
    closed = close_drives(mechanism, drive)
    if not closed.found.all():
        return False
    used = mechanism.joint_use(closed.configuration)
    if used.size and (peaks(used)[1] if between else used.max(axis=0)).max() > 1:
        return False
    home = close_drives(mechanism, read(mechanism, "drives", mechanism.home))
    pivot = np.abs(closed.pivot)[:, None]
    nearest = (peaks(pivot)[0] if between else pivot.min(axis=0)).min()
    return bool(nearest >= _LEAST_PIVOT * abs(home.pivot[0]))
