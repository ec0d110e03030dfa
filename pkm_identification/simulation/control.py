"""The motion controller: six independent PID loops on encoder lengths with feed-forward, like a machine tool's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..motion import STRUTS, FloatArray


@dataclass(frozen=True)
class ControlSettings:
    """Tuning of the strut controllers.

    Attributes
    ----------
    bandwidth : float
        Hz, of each loop on the mass its drive feels at home.
    damping : float
        Damping ratio of that loop.
    integral_time : float
        s, in which the integral takes over a constant error.
    derivative_cutoff : float
        Hz, of the first-order low-pass on the derivative of the error.
    feed_forward : bool
        Whether the nominal machine's friction is added and, for trajectories, its inverse dynamics.
    """

    bandwidth: float = 16.0
    damping: float = 0.8
    integral_time: float = 0.5
    derivative_cutoff: float = 200.0
    feed_forward: bool = True

    def __post_init__(self) -> None:
        for name in ("bandwidth", "damping", "integral_time", "derivative_cutoff"):
            value = getattr(self, name)
            if not 0 < value < np.inf:
                raise ValueError(f"{name} = {value}: must be greater than zero")


class StrutController:
    """Six PID controllers from length errors to drive forces.

    Parameters
    ----------
    apparent_mass : ndarray, shape (6,)
        kg, what each drive feels at home.
    viscous : ndarray, shape (6,)
        Viscous friction in N s/m; it asks for more stiffness and gives the damping for it.
    period : float
        s between calls.
    settings : ControlSettings
    """

    def __init__(
        self, apparent_mass: FloatArray, viscous: FloatArray, period: float, settings: ControlSettings
    ) -> None:
        omega = 2 * np.pi * settings.bandwidth
        self._proportional = apparent_mass * omega**2 + viscous * omega
        self._derivative = apparent_mass * 2 * settings.damping * omega
        self._integral_gain = self._proportional * period / settings.integral_time
        self._smoothing = 1.0 - np.exp(-2 * np.pi * settings.derivative_cutoff * period)
        self._period = period
        self.reset(np.zeros(STRUTS))

    def reset(self, holding: FloatArray) -> None:
        """Forget the past; the integral starts at the force (6,) in N that holds the machine."""
        self._integral = np.array(holding, dtype=float)
        self._last: tuple[FloatArray, FloatArray] | None = None
        self._error_rate = np.zeros(STRUTS)
        self.rate = np.zeros(STRUTS)
        """Strut rates in m/s, from encoder differences."""

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
        error = wanted - length
        if self._last is None:
            self._last = (length, error)
        # one low-pass for both, so that its lag is not taken for an error
        self.rate += self._smoothing * ((length - self._last[0]) / self._period - self.rate)
        self._error_rate += self._smoothing * ((error - self._last[1]) / self._period - self._error_rate)
        self._last = (length, error)
        rise = self._integral_gain * error
        self._integral += np.where(saturated & (rise * self._integral > 0), 0.0, rise)
        return (
            self._integral + self._proportional * error + self._derivative * self._error_rate + feed_forward
        )
