# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the machine reports: encoder counts and motor currents, quantised, noisy and stamped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.declared import declare
from pkm_identification.errors import SettingsError
from pkm_identification.numerics.arrays import FloatArray

from .actuators import DriveConstants


@dataclass(frozen=True)
class SensorSettings:
    """How good the sensors are.

    Attributes
    ----------
    current_noise : float
        Standard deviation of the normal noise on each current, relative to that drive's rms current over the motion (to
        its holding current at home where there is no motion).
    current_bits : int or None
        Resolution of the current measurement over its range of plus and minus the force limit; None = exact.
    quantised_encoders : bool
        Whether lengths come in whole counts.
    additional : float
        Noise and biases of additional sensors, in those the machine file states.
    stamp_jitter : float
        Standard deviation of the stamps in s; sampling itself is regular. Cut off at 0.4 periods, so stamps never swap.
    """

    current_noise: float = declare(
        0.01, "noise of the currents, relative to their rms", "", 0, 10.0, option="noise", percent=True
    )
    current_bits: int | None = declare(12, "resolution of the currents; 0: exact", low=0, high=32)
    quantised_encoders: bool = declare(True, "lengths in whole encoder counts")
    stamp_jitter: float = declare(0.0, "standard deviation of the stamps", "s", 0, 0.01)
    additional: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.current_noise < np.inf:
            raise SettingsError(f"current_noise = {self.current_noise}: must be 0 or more")
        if not 0 <= self.additional < np.inf:
            raise SettingsError(f"additional = {self.additional}: must be 0 or more")
        if not 0 <= self.stamp_jitter < np.inf:
            raise SettingsError(f"stamp_jitter = {self.stamp_jitter}: must be 0 s or more")
        if self.current_bits is not None and not 4 <= self.current_bits <= 32:
            raise SettingsError(f"current_bits = {self.current_bits}: must be between 4 and 32, or none")

    @classmethod
    def perfect(cls) -> SensorSettings:
        """No noise, no quantisation, exact stamps."""
        return cls(current_noise=0.0, current_bits=None, quantised_encoders=False, additional=0.0)


@dataclass(frozen=True)
class Sample:
    """What the drives report at one instant.

    Attributes
    ----------
    time : float
        Stamp in s.
    counts, current : ndarray, shape (6,)
        Encoder counts and motor currents in A.
    length, force : ndarray, shape (6,)
        The same in m and N.
    imu, sensor : ndarray, shape (6,), or None
        Specific force and angular rate of the IMU, and the struts' force sensors, where the machine has them.
    motor_length : ndarray, shape (6,), or None
        Of the motors' encoders in m, of drives with an encoder on either side.
    """

    time: float
    counts: FloatArray
    current: FloatArray
    length: FloatArray
    force: FloatArray
    imu: FloatArray | None = None
    sensor: FloatArray | None = None
    motor_length: FloatArray | None = None


class Sensors:
    """Encoders, current sensors and the clock that stamps them.

    Parameters
    ----------
    drive : DriveConstants
    settings : SensorSettings
    typical_force : ndarray, shape (n,)
        What relative noise refers to, N (N m).
    seed : int
        Same seed, same noise.
    source : numpy.random.Generator, optional
        Of the forces' noise, in place of the seed's.
    """

    def __init__(
        self,
        drive: DriveConstants,
        settings: SensorSettings,
        typical_force: FloatArray,
        seed: int,
        source: np.random.Generator | None = None,
    ) -> None:
        self._drive = drive
        self._settings = settings
        noise, stamps = np.random.SeedSequence(seed).spawn(2)
        self._noise = np.random.default_rng(noise) if source is None else source
        self._stamps = np.random.default_rng(stamps)
        self.set_typical_force(typical_force)
        self.set_noise(settings.current_noise)
        self._largest = drive.force_limit / drive.force_per_ampere
        self._step = 0.0
        # a coordinate whose counts no file states is exact
        self._quantised = settings.quantised_encoders and drive.counted
        if settings.current_bits is not None and np.isfinite(self._largest):
            self._step = 2 * self._largest / 2**settings.current_bits

    def set_typical_force(self, force: FloatArray) -> None:
        """Let relative noise refer to forces (n,), N (N m), from the next call of `set_noise` on."""
        self._typical = np.abs(force) / self._drive.force_per_ampere

    def set_noise(self, share: float) -> None:
        """Noise of the currents from now on, relative to their rms."""
        self.noise = share
        self._deviation = share * self._typical
        self._noisy = share > 0

    def counts(self, length: FloatArray) -> FloatArray:
        """Encoder counts of true lengths (..., 6) in m."""
        counts = (length - self._drive.length_at_zero) * self._drive.counts_per_meter
        return np.rint(counts) if self._quantised else counts

    def length(self, counts: FloatArray) -> FloatArray:
        """Lengths in m that counts stand for."""
        return self._drive.length_at_zero + counts / self._drive.counts_per_meter

    def current(self, force: FloatArray) -> FloatArray:
        """Measured currents in A of true drive forces (..., 6) in N; rows are samples one after the other."""
        current = force / self._drive.force_per_ampere
        if self._noisy:
            current = current + self._deviation * self._noise.standard_normal(np.shape(force))
        if self._step > 0:
            current = self._step * np.rint(current / self._step)
            current = np.minimum(np.maximum(current, -self._largest), self._largest)
        return current

    def stamp(self, time: float, period: float) -> float:
        """Stamp of a sample taken at `time`, both in s."""
        jitter = self._settings.stamp_jitter
        if jitter == 0:
            return time
        return time + float(np.clip(jitter * self._stamps.standard_normal(), -0.4 * period, 0.4 * period))

    def sample(
        self,
        time: float,
        period: float,
        counts: FloatArray,
        force: FloatArray,
        imu: FloatArray | None = None,
        sensor: FloatArray | None = None,
    ) -> Sample:
        """Everything the drives report at `time`, with encoders and additional sensors already read."""
        current = self.current(force)
        return Sample(
            time=self.stamp(time, period),
            counts=counts,
            current=current,
            length=self.length(counts),
            force=current * self._drive.force_per_ampere,
            imu=imu,
            sensor=sensor,
        )
