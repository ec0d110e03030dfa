# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The signals behind the named motions: six displacements from home, three translations (m) and three angles (rad)."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray

from .waveforms import MultiSine

PERIOD = 20.0  # s, after which the exciting and slow motions repeat
SOURCE_AMPLITUDE = 0.0254  # m
SOURCE_FREQUENCY = 2.0  # Hz: 4 pi rad/s

# Wide slow tones change the geometry, without which platform and strut masses look alike; faster ones show inertias.
# Not faster: friction bends whenever a strut turns around, and every sharp bend costs accuracy. The numbers were chosen
# by the errors they leave on the built-in machines. Translations are parts of the length scale.
SLOW_BAND = (0.1, 0.7)  # Hz
SLOW_TRANSLATION, SLOW_ANGLE = 0.10, 0.06
FAST_BAND = (1.2, 3.0)  # Hz
FAST_ACCELERATION, FAST_ANGULAR = 1.0, 4.0  # m/s^2 and rad/s^2, rms
FAST_TONES = 3  # per axis
DRAWS = 64


def no_signal() -> MultiSine:
    """Rest at home."""
    return MultiSine(np.ones(1), np.zeros((6, 1)), np.zeros((6, 1)))


def source_signal(axes: str) -> MultiSine:
    """Return the source's motions (Oh 2003, table 4.3): one sine, alike on each of the named axes."""
    sine = np.zeros((6, 1))
    sine[["xyz".index(axis) for axis in axes], 0] = SOURCE_AMPLITUDE
    return MultiSine(np.array([SOURCE_FREQUENCY]), sine, np.zeros((6, 1)))


def rich_signals(machine: Machine, rng: np.random.Generator) -> tuple[MultiSine, MultiSine]:
    """Slow and fast part of an exciting motion: multi-sines on six axes that share no frequency.

    Of several random choices of tones and phases the one is taken whose strut lengths and rates peak least against
    their limits, since it can be made largest.
    """
    frequency = np.arange(round(SLOW_BAND[0] * PERIOD), round(FAST_BAND[1] * PERIOD) + 1) / PERIOD
    slow_band = np.flatnonzero(frequency <= SLOW_BAND[1])
    fast_band = np.flatnonzero(frequency >= FAST_BAND[0])
    slow_size = np.array([SLOW_TRANSLATION * machine.length_scale] * 3 + [SLOW_ANGLE] * 3)
    fast_size = np.array([FAST_ACCELERATION] * 3 + [FAST_ANGULAR] * 3) * np.sqrt(2 / FAST_TONES)
    peak = _PeakMeter(machine, frequency)
    least, chosen = np.inf, np.zeros((2, 6, len(frequency)), dtype=complex)
    for _ in range(DRAWS):
        slow_tones, fast_tones = rng.permutation(slow_band), rng.permutation(fast_band)[: 6 * FAST_TONES]
        slow, fast = np.zeros((2, 6, len(frequency)))
        for axis in range(6):
            tones = slow_tones[axis::6]
            slow[axis, tones] = slow_size[axis] / np.sqrt(len(tones))
            tones = fast_tones[axis::6]
            fast[axis, tones] = fast_size[axis] / (2 * np.pi * frequency[tones]) ** 2
        turn = np.exp(1j * rng.uniform(0, 2 * np.pi, slow.shape))
        height = peak((slow + fast) * turn)
        if height < least:
            least, chosen = height, np.array([slow * turn, fast * turn])
    return _remove_unused_frequencies(frequency, chosen[0]), _remove_unused_frequencies(frequency, chosen[1])


def _remove_unused_frequencies(frequency: FloatArray, amplitude: FloatArray) -> MultiSine:
    """Return the signals without the frequencies nobody uses."""
    used = np.any(amplitude != 0, axis=0)
    return MultiSine(frequency[used], amplitude[:, used].real, amplitude[:, used].imag)


class _PeakMeter:
    """How near to the length and rate limits a small periodic motion comes, by the Jacobian at home; 1 = there."""

    def __init__(self, machine: Machine, frequency: FloatArray) -> None:
        home = (machine.home_position[None], machine.home_rotation[None])
        self._jacobian = jacobian(machine, *home)[0]
        length = strut_lengths(machine, *home)[0]
        room = 0.1 * (machine.length_limits[1] - machine.length_limits[0])
        self._down = np.maximum(length - machine.length_limits[0], room)
        self._up = np.maximum(machine.length_limits[1] - length, room)
        self._rate = np.inf if machine.rate_limit is None else machine.rate_limit
        self._omega = 2j * np.pi * frequency
        self._waves = np.exp(np.outer(np.arange(0.0, PERIOD, 0.025), self._omega))

    def __call__(self, amplitude: FloatArray) -> float:
        length = (self._waves @ amplitude.T).imag @ self._jacobian.T
        rate = (self._waves @ (amplitude * self._omega).T).imag @ self._jacobian.T
        return max((length / self._up).max(), (-length / self._down).max(), np.abs(rate).max() / self._rate)


def slow_signal(machine: Machine) -> MultiSine:
    """Triangles of different periods on every axis: strut rates stay on plateaus and change sign often."""
    reach = machine.length_scale
    cycles = np.array([7, 8, 5, 3, 4, 6])  # per PERIOD, axis by axis
    amplitude = np.array([0.012 * reach, 0.012 * reach, 0.035 * reach, 0.010, 0.010, 0.010])
    return triangles(cycles, amplitude)


def triangles(cycles: np.ndarray, amplitude: FloatArray) -> MultiSine:
    """Triangles (n,) of so many cycles per PERIOD, their corners rounded by Lanczos factors."""
    orders = np.arange(1, 16, 2)
    series = 8 / np.pi**2 * (-1.0) ** ((orders - 1) // 2) / orders**2 * np.sinc(orders / (orders[-1] + 2))
    harmonics = np.unique(np.outer(cycles, orders))
    sine = np.zeros((len(cycles), len(harmonics)))
    for axis in range(len(cycles)):
        sine[axis, np.searchsorted(harmonics, cycles[axis] * orders)] = amplitude[axis] * series
    return MultiSine(harmonics / PERIOD, sine, np.zeros_like(sine))
