# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Joint-space control: six independent PID loops on strut lengths, as on a machine tool and on the source's machine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.declared import declare
from pkm_identification.errors import SettingsError
from pkm_identification.numerics.arrays import FloatArray

PHASE_MARGIN = np.radians(
    30.0
)  # left at the longest delay; half of the loop's own where that is less than 60 degrees
SHARE = 2.0 / 3.0  # of what a changing delay allows


def fastest(delay: float, damping: float) -> float:
    """Largest bandwidth w0 in rad/s of a strut loop whose forces are up to `delay` s late; infinite without delay.

    Parameters
    ----------
    delay : float
        s, the longest time from a sample to the force that answers it.
    damping : float
        Damping ratio D.
    """
    if delay <= 0.0:
        return float("inf")
    crossover = np.sqrt(2 * damping**2 + np.sqrt(4 * damping**4 + 1))
    own = np.arctan(2 * damping * crossover)
    constant = (own - min(PHASE_MARGIN, 0.5 * own)) / crossover
    changing = SHARE * min(1.0, 1.0 / (2 * damping), own)
    return float(min(constant, changing)) / delay


@dataclass(frozen=True)
class ControlSettings:
    """Tuning of the strut loops.

    Attributes
    ----------
    bandwidth : float
        Hz, of each loop on the mass its drive feels at home.
    damping : float
        Damping ratio of that loop.
    integral_time : float
        s, in which the integral takes over a constant error.
    delay : float
        s, the longest time from a sample to the force that answers it; the bandwidth is lowered as far as it asks for.
    derivative_cutoff : float
        Hz, of the first-order low-pass on the derivative of the error.
    feed_forward : bool
        Whether the simulator's own controller adds the nominal machine's friction and, for trajectories, its inverse
        dynamics. (`ComputedTorque` always has its model, the PID mode of `MachineController` never.)
    """

    bandwidth: float = declare(16.0, "of the strut loops, as far as delay allows it", "Hz", 0.1, 1e3)
    damping: float = declare(0.8, "damping ratio of the strut loops", "", 0.1, 10.0)
    integral_time: float = declare(0.5, "in which the integral takes over a constant error", "s", 0.001, 1e3)
    delay: float = declare(
        0.0,
        "longest time from a sample to its force; the loops are made slow "
        "enough for it: 0.065 / delay Hz at damping 0.8",
        "s",
        0,
        1.0,
    )
    derivative_cutoff: float = 200.0
    feed_forward: bool = True

    def __post_init__(self) -> None:
        for name in ("bandwidth", "damping", "integral_time", "derivative_cutoff"):
            value = getattr(self, name)
            if not 0 < value < np.inf:
                raise SettingsError(f"{name} = {value}: must be greater than zero")
        if not 0 <= self.delay < np.inf:
            raise SettingsError(f"delay = {self.delay}: must be zero or more")

    @property
    def omega(self) -> float:
        """Bandwidth of the loops in rad/s, as far as the delay allows it."""
        return min(2 * np.pi * self.bandwidth, fastest(self.delay, self.damping))


class StrutController:
    """PID controllers from length errors to drive forces, one for each strut.

    Or for each drive of any mechanism, of which there may be more or fewer than six, in m and N or rad and N m.

    Parameters
    ----------
    apparent_mass : ndarray, shape (6,)
        kg, what each drive feels at home.
    viscous : ndarray, shape (6,)
        Viscous friction in N s/m; it asks for more stiffness and gives the damping for it.
    period : float
        s between calls.
    settings : ControlSettings

    Attributes
    ----------
    rate : ndarray, shape (6,)
        Strut rates in m/s, from encoder differences.
    error_rate : ndarray, shape (6,)
        Rate of the length error in m/s, through the same low-pass.
    position_gain : float
        1/s, of a position loop around velocity loops (`velocity`) with the same bandwidth and damping.
    integral : ndarray, shape (6,)
        Force in N of the integral part; whoever changes the other parts may change it, so that their sum does not jump.
    """

    def __init__(
        self, apparent_mass: FloatArray, viscous: FloatArray, period: float, settings: ControlSettings
    ) -> None:
        omega = settings.omega
        self._proportional = apparent_mass * omega**2 + viscous * omega
        self._derivative = apparent_mass * 2 * settings.damping * omega
        self._viscous = np.array(viscous, dtype=float)
        self.position_gain = omega / (2 * settings.damping)
        self._integral_gain = self._proportional / settings.integral_time
        self._cutoff = 2 * np.pi * settings.derivative_cutoff
        self._period = period
        self.reset(np.zeros_like(apparent_mass))

    def reset(self, holding: FloatArray) -> None:
        """Forget the past; the integral starts at the force (6,) in N that holds the machine."""
        self.integral = np.array(holding, dtype=float)
        self._last: tuple[FloatArray, FloatArray] | None = None
        self.error_rate = np.zeros_like(self.integral)
        self.rate = np.zeros_like(self.integral)

    def observe(self, length: FloatArray, wanted: FloatArray, span: float | None = None) -> FloatArray:
        """Error (6,) in m of measured lengths; follows the rates.

        Parameters
        ----------
        length, wanted : ndarray, shape (6,)
            Measured and reference at the same instant, m.
        span : float, optional
            How long ago the sample before was, s; one period by default.
        """
        error = wanted - length
        if self._last is None:
            self._last = (length, error)
        span = self._period if span is None else span
        smoothing = 1.0 - np.exp(-self._cutoff * span)
        # one low-pass for both, so that its lag is not taken for an error
        self.rate += smoothing * ((length - self._last[0]) / span - self.rate)
        self.error_rate += smoothing * ((error - self._last[1]) / span - self.error_rate)
        self._last = (length, error)
        return error

    def integrate(self, error: FloatArray, saturated: FloatArray, span: float | None = None) -> None:
        """Let the integral follow the error for `span` s; of drives at their limit it only moves back."""
        rise = self._integral_gain * (self._period if span is None else span) * error
        self.integral += np.where(saturated & (rise * self.integral > 0), 0.0, rise)

    def proportional_derivative(self, error: FloatArray) -> FloatArray:
        """Force (6,) in N of an error (6,) in m and of the present error rate, without the integral."""
        return self._proportional * error + self._derivative * self.error_rate

    def velocity(self, asked: FloatArray) -> FloatArray:
        """Force (6,) in N of velocity loops asked for rates (6,) in m/s in addition to the wanted motion's."""
        return self._derivative * (asked + self.error_rate) + self._viscous * asked

    def command(
        self,
        length: FloatArray,
        wanted: FloatArray,
        feed_forward: FloatArray | float,
        saturated: FloatArray,
    ) -> FloatArray:
        """Force command (6,) in N.

        Parameters
        ----------
        length : ndarray, shape (6,)
            Measured, m.
        wanted : ndarray, shape (6,)
            Reference at the same instant, m.
        feed_forward : ndarray, shape (6,)
            N, for the instant the command is reached.
        saturated : ndarray of bool, shape (6,)
            Drives at their limit: their integral only moves back.
        """
        error = self.observe(length, wanted)
        self.integrate(error, saturated)
        return self.integral + self._proportional * error + self._derivative * self.error_rate + feed_forward
