# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Named platform motions that fit a machine: the source's, exciting ones and slow ones."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths, strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian
from pkm_identification.mechanisms.hexapod.kinematics.passive import angle_use
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DEFAULT_DURATION, TRAJECTORIES, PlatformMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.suggestion import did_you_mean

from .motion_file import is_motion_file, read_motion
from .shapes import (
    PERIOD,
    no_signal,
    rich_signals,
    slow_signal,
    source_signal,
)
from .waveforms import (
    Derivatives,
    Fade,
    FadedWaves,
    MultiSine,
    fade_signals,
)

REST = 0.5  # s, at both ends
RAMP = 1.0  # s
SHORTEST = 1.5  # s, of a motion with rest and fades

# What a motion may use of the machine.
LENGTH_MARGIN = 0.06  # of the range between the length limits, kept at either end
RATE_SHARE = 0.7  # of the rate limit
FORCE_SHARE = 0.7  # of the drives' force limit
FAST_SHARE = 0.5  # of that, for the fast part of an exciting motion alone
CONDITION_SHARE = 0.3  # smallest singular value of J, relative to home
LARGEST_SCALE = 2.0  # of an exciting motion
BETWEEN = 1.25  # of what a second difference says of a peak between samples


@dataclass(frozen=True)
class Trajectory:
    """A platform motion: pose, twist and acceleration as exact functions of time.

    Displacements from home are three translations along the base axes (m) and three angles (rad) about base axes
    x, y, z: rotation = Rz Ry Rx R_home.

    Attributes
    ----------
    name : str
    duration : float
        s; the platform rests at home before 0 and after `duration`.
    drives : bool
        False when the motion is a fall with the drives switched off (and without friction, as in the source: with
        it the UF machine would not fall at all).
    signal : MultiSine
        The displacements without the fade.
    fade : Fade
        Rest and fade at both ends.
    """

    name: str
    duration: float
    drives: bool
    signal: MultiSine
    fade: Fade
    home_position: FloatArray
    home_rotation: FloatArray

    @property
    def powered(self) -> bool:
        """Whether the drives are on."""
        return self.drives

    def motion(self, time: FloatArray) -> PlatformMotion:
        """Platform motion at times (N,) in s."""
        time = np.atleast_1d(np.asarray(time, dtype=float))
        return self.displace(time, self._displacement(time))

    def waves(self, time: FloatArray) -> FadedWaves:
        """Return the signal's tones and fade at times (N,) in s, for many signals of them."""
        return FadedWaves.of(self.signal.frequency, self.fade, time)

    def _displacement(self, time: FloatArray) -> Derivatives:
        return fade_signals(self.signal.evaluate(time - self.fade.rest), self.fade.evaluate(time))

    def displace(self, time: FloatArray, displacement: Derivatives) -> PlatformMotion:
        """Platform motion of displacements from home and their derivatives, (N, 6) each."""
        y, y1, y2 = displacement
        rotation, omega, alpha = _compute_rotation(y[:, 3:], y1[:, 3:], y2[:, 3:])
        return PlatformMotion(
            time=time,
            position=self.home_position + y[:, :3],
            rotation=rotation @ self.home_rotation,
            twist=np.hstack([y1[:, :3], omega]),
            acceleration=np.hstack([y2[:, :3], alpha]),
        )

    def fit_amplitudes(
        self, machine: Machine, largest: float = 1.0, force_share: float = FORCE_SHARE
    ) -> Trajectory:
        """Return all amplitudes scaled alike, at most by `largest`, so that the machine can do the motion.

        Raises
        ------
        ValueError
            If the machine has no room around its home.
        """
        start = np.arange(0.0, min(self.duration, PERIOD + REST + RAMP), 0.005)
        time = np.append(start, self.duration - start[start < REST + RAMP])
        whole = self._displacement(time)

        def possible(scale: float) -> bool:
            motion = self.displace(time, (scale * whole[0], scale * whole[1], scale * whole[2]))
            return within_limits(machine, motion, force_share)

        low, high = 0.0, largest
        if possible(largest):
            low = largest
        while high - low > 1e-3 * largest:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if possible(middle) else (low, middle)
        if low == 0.0:
            raise SettingsError(
                f"trajectory '{self.name}': machine '{machine.name}' has no room for it around its home pose"
            )
        return replace(self, signal=self.signal.scale(low))


def trajectory(name: str, machine: Machine, duration: float | None = None, seed: int = 0) -> Trajectory:
    """Return a named motion, made to fit a machine.

    `x`, `z`, `xy` are the source's (25.4 mm, 4 pi rad/s; Oh 2003, table 4.3), made smaller where the machine cannot do
    them. `rich` moves all six axes at many frequencies, as far as lengths, rates and forces allow; `rich2` is another
    such motion, for validation; `slow` moves at nearly constant rates in both directions (friction); `free` is a fall
    from home with the drives off; `rest` stays at home. `rich`, `rich2` and `slow` repeat every 20 s.

    Parameters
    ----------
    name : str
        One of `TRAJECTORIES`, or a motion file.
    machine : Machine
        Its limits are respected as far as they are given; forces by its own inverse dynamics.
    duration : float, optional
        s, with 0.5 s of rest and a fade at both ends.
    seed : int
        Of the tones and phases of `rich` and `rich2`.

    Raises
    ------
    ValueError
        Unknown name, too short a duration, or a machine without room around its home.
    """
    signal = None
    if is_motion_file(name):
        signal, own = read_motion(name, machine)
        duration = own if duration is None else duration
    elif name not in TRAJECTORIES:
        raise SettingsError(
            f"trajectory '{name}': not one of {', '.join(TRAJECTORIES)}, nor a motion file (.yaml)"
            f"{did_you_mean(name, TRAJECTORIES)}"
        )
    if duration is None:
        duration = _compute_fall_time(machine) if name == "free" else DEFAULT_DURATION[name]
    still = name in ("free", "rest")
    shortest = 0.0 if still else SHORTEST
    if not shortest < duration < np.inf:
        raise SettingsError(f"trajectory '{name}': duration {duration:g} s: must be more than {shortest:g} s")
    path = Trajectory(
        name=name,
        duration=float(duration),
        drives=name != "free",
        signal=no_signal(),
        fade=Fade(duration, REST, min(RAMP, 0.25 * max(duration - 2 * REST, 0.1))),
        home_position=machine.home_position,
        home_rotation=machine.home_rotation,
    )
    if still:
        return path
    if signal is not None:
        path = replace(path, signal=signal)
        if not within_limits(machine, path.motion(np.arange(0.0, path.duration, 0.005))):
            raise SettingsError(f"motion file '{name}': does not keep the limits of machine '{machine.name}'")
        return path
    if name in ("x", "z", "xy"):
        return replace(path, signal=source_signal(name)).fit_amplitudes(machine)
    if name == "slow":
        return replace(path, signal=slow_signal(machine)).fit_amplitudes(machine)
    slow, fast = rich_signals(machine, np.random.default_rng([("rich", "rich2").index(name), seed]))
    # a heavy machine must give up fast tones before it gives up reach
    fast = replace(path, signal=fast).fit_amplitudes(machine, force_share=FAST_SHARE * FORCE_SHARE).signal
    return replace(path, signal=slow + fast).fit_amplitudes(machine, LARGEST_SCALE)


def within_limits(
    machine: Machine, motion: PlatformMotion, force_share: float = FORCE_SHARE, between: bool = False
) -> bool:
    """Return whether a motion keeps this module's margins to length, rate and force limits and to singular poses.

    Passive joints keep to the angles of the machine's file, if it states some.

    With `between`, evenly spaced samples answer for what is between them too (see `peaks`).
    """
    low, high = machine.length_limits
    margin = LENGTH_MARGIN * (high - low)
    length, rate, _ = strut_motion_from_platform(machine, motion)
    home_pose = (machine.home_position[None], machine.home_rotation[None])
    home = strut_lengths(machine, *home_pose)
    extremes = peaks if between else _find_extremes
    shortest, longest = extremes(length)
    # a home inside the margin must not forbid every motion
    if np.any(shortest < np.minimum(low + margin, home)) or np.any(longest > np.maximum(high - margin, home)):
        return False
    if machine.rate_limit is not None and np.abs(extremes(rate)).max() > RATE_SHARE * machine.rate_limit:
        return False
    turned = angle_use(machine, motion.position, motion.rotation)
    # also where one has no angle
    if turned.size and not extremes(turned)[1].max() <= 1:
        return False
    every = 1 if between else 10
    nearness = _find_least_singular(machine, motion.position[::every], motion.rotation[::every])
    if extremes(nearness[:, None])[0].min() < CONDITION_SHARE * _find_least_singular(machine, *home_pose)[0]:
        return False
    if machine.drive is None:
        return True
    force = strut_forces(machine, motion)
    return bool(np.abs(extremes(force)).max() <= force_share * machine.drive.force_limit)


def peaks(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Least and greatest values (n,) of evenly sampled signals (N, n), between the samples too.

    Half a step from a sample a signal is off the straight line by an eighth of its second difference at most; a quarter
    more is for how that difference changes within a step.
    """
    if len(values) < 3:
        return _find_extremes(values)
    excess = np.zeros_like(values)
    excess[1:-1] = BETWEEN / 8 * np.abs(np.diff(values, 2, axis=0))
    beside = excess.copy()
    beside[1:] = np.maximum(beside[1:], excess[:-1])
    beside[:-1] = np.maximum(beside[:-1], excess[1:])
    return (values - beside).min(axis=0), (values + beside).max(axis=0)


def _find_extremes(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    return values.min(axis=0), values.max(axis=0)


def _find_least_singular(machine: Machine, position: FloatArray, rotation: FloatArray) -> FloatArray:
    unit = np.array([1.0] * 3 + [machine.length_scale] * 3)
    return np.linalg.svd(jacobian(machine, position, rotation) / unit, compute_uv=False)[:, -1]


def _compute_fall_time(machine: Machine) -> float:
    """Return how long the platform may fall freely from home before a strut comes near a limit, at most 0.15 s."""
    time = np.linspace(0.0, DEFAULT_DURATION["free"], 31)
    position = machine.home_position + 0.5 * time[:, None] ** 2 * machine.gravity
    length = strut_lengths(machine, position, np.broadcast_to(machine.home_rotation, (31, 3, 3)))
    low, high = machine.length_limits
    inside = np.all((length >= low) & (length <= high), axis=1)
    return float(time[-1] if inside.all() else time[max(1, np.argmin(inside) - 1)])


def _compute_rotation(
    angle: FloatArray, rate: FloatArray, second: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Rotation Rz Ry Rx of angles (N, 3) about base x, y, z, its angular velocity and acceleration in base axes."""
    cx, cy, cz = np.cos(angle).T
    sx, sy, sz = np.sin(angle).T
    zero = np.zeros_like(cx)
    # the axes the three angles turn about: x after Rz Ry, y after Rz, z
    x = np.stack([cz * cy, sz * cy, -sy], axis=1)
    y = np.stack([-sz, cz, zero], axis=1)
    z = np.stack([zero, zero, zero + 1], axis=1)
    second_column = np.stack([cz * sy * sx - sz * cx, sz * sy * sx + cz * cx, cy * sx], axis=1)
    rotation = np.stack([x, second_column, _cross(x, second_column)], axis=2)
    by_z, by_y, by_x = rate[:, 2:] * z, rate[:, 1:2] * y, rate[:, :1] * x
    omega = by_z + by_y + by_x
    alpha = second[:, 2:] * z + second[:, 1:2] * y + second[:, :1] * x
    alpha += _cross(by_z, by_y) + _cross(by_z + by_y, by_x)
    return rotation, omega, alpha


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the products of rows (N, 3): numpy's own takes three times as long for the one row of a sample."""
    product = np.empty_like(a)
    for k, (i, j) in enumerate(((1, 2), (2, 0), (0, 1))):
        product[:, k] = a[:, i] * b[:, j] - a[:, j] * b[:, i]
    return product
