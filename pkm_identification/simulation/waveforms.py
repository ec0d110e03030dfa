# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Scalar signals with exact derivatives: sums of sines, and the fade that starts and ends a motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

Derivatives = tuple[FloatArray, FloatArray, FloatArray]


@dataclass(frozen=True)
class MultiSine:
    """Six signals, each a sum of sines of common frequencies.

    Attributes
    ----------
    frequency : ndarray, shape (K,)
        Hz.
    sine, cosine : ndarray, shape (6, K)
        Amplitudes of sin(2 pi f t) and cos(2 pi f t), in the unit of each signal.
    """

    frequency: FloatArray
    sine: FloatArray
    cosine: FloatArray

    def scale(self, factor: float) -> MultiSine:
        """Return the same signals, every amplitude times `factor`."""
        return MultiSine(self.frequency, factor * self.sine, factor * self.cosine)

    def __add__(self, other: MultiSine) -> MultiSine:
        """Sum of two such signals."""
        frequency = np.union1d(self.frequency, other.frequency)
        sine, cosine = np.zeros((2, len(self.sine), len(frequency)))
        for part in (self, other):
            places = np.searchsorted(frequency, part.frequency)
            sine[:, places] += part.sine
            cosine[:, places] += part.cosine
        return MultiSine(frequency, sine, cosine)

    def evaluate(self, time: FloatArray) -> Derivatives:
        """Return values and first two derivatives at times (N,) in s, each (N, 6)."""
        return Waves.of(self.frequency, time).evaluate(self)


@dataclass(frozen=True)
class Waves:
    """Sines and cosines of some tones at some instants, for many signals of these tones.

    Attributes
    ----------
    omega : ndarray, shape (K,)
        rad/s.
    sine, cosine : ndarray, shape (N, K)
    """

    omega: FloatArray
    sine: FloatArray
    cosine: FloatArray

    @classmethod
    def of(cls, frequency: FloatArray, time: FloatArray) -> Waves:
        """Tones (K,) in Hz at times (N,) in s."""
        omega = 2 * np.pi * frequency
        angle = np.outer(time, omega)
        return cls(omega, np.sin(angle), np.cos(angle))

    def evaluate(self, signal: MultiSine) -> Derivatives:
        """Return values and first two derivatives of signals of these tones, each (N, 6)."""
        s, c, omega = self.sine, self.cosine, self.omega
        sine, cosine = signal.sine, signal.cosine
        value = s @ sine.T + c @ cosine.T
        first = c @ (omega * sine).T - s @ (omega * cosine).T
        second = -(s @ (omega**2 * sine).T) - c @ (omega**2 * cosine).T
        return value, first, second


@dataclass(frozen=True)
class Fade:
    """An envelope: 0 during `rest` s, up to 1 within `ramp` s, and the same backwards before `duration` s.

    Polynomial of degree 7: its first three derivatives are zero where it meets 0 and 1.
    """

    duration: float
    rest: float
    ramp: float

    def evaluate(self, time: FloatArray) -> Derivatives:
        """Return values and first two derivatives at times (N,) in s, each (N,)."""
        time = np.asarray(time, dtype=float)
        left = time < 0.5 * self.duration
        x = np.clip((np.where(left, time, self.duration - time) - self.rest) / self.ramp, 0.0, 1.0)
        sign = np.where(left, 1.0, -1.0)
        value = x**4 * (35 + x * (-84 + x * (70 - 20 * x)))
        first = 140 * x**3 * (1 - x) ** 3 * sign / self.ramp
        second = 420 * x**2 * (1 - x) ** 2 * (1 - 2 * x) / self.ramp**2
        return value, first, second


def fade_signals(signal: Derivatives, envelope: Derivatives) -> Derivatives:
    """Product of signals (N, 6) and an envelope (N,), with its derivatives."""
    y, y1, y2 = signal
    e, e1, e2 = (part[:, None] for part in envelope)
    return e * y, e1 * y + e * y1, e2 * y + 2 * e1 * y1 + e * y2


@dataclass(frozen=True)
class FadedWaves:
    """Signals of fixed tones at fixed instants with their fade, and back from what they do to what made them.

    Attributes
    ----------
    waves : Waves
    envelope : tuple of ndarray, shape (N,)
    """

    waves: Waves
    envelope: Derivatives

    @classmethod
    def of(cls, frequency: FloatArray, fade: Fade | None, time: FloatArray) -> FadedWaves:
        """Tones (K,) in Hz that begin with the fade, at times (N,) in s."""
        if fade is None:
            none = np.zeros_like(time)
            return cls(Waves.of(frequency, time), (none + 1, none, none))
        return cls(Waves.of(frequency, time - fade.rest), fade.evaluate(time))

    def evaluate(self, signal: MultiSine) -> Derivatives:
        """Return values and first two derivatives, (N, n) each."""
        return fade_signals(self.waves.evaluate(signal), self.envelope)

    def gradient(self, sensitivity: Derivatives) -> tuple[FloatArray, FloatArray]:
        """Derivatives (n, K) of a number by sines and cosines, from those by value and derivatives, (N, n) each."""
        g, g1, g2 = sensitivity
        e, e1, e2 = (part[:, None] for part in self.envelope)
        value, first, second = e * g + e1 * g1 + e2 * g2, e * g1 + 2 * e1 * g2, e * g2
        s, c, omega = self.waves.sine, self.waves.cosine, self.waves.omega
        sine = value.T @ s + omega * (first.T @ c) - omega**2 * (second.T @ s)
        cosine = value.T @ c - omega * (first.T @ s) - omega**2 * (second.T @ c)
        return sine, cosine
