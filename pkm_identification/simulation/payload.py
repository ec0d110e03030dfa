# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A load the simulated platform takes up and sets down while it runs."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.hexapod.bodies import Platform
from pkm_identification.mechanisms.rigid_bodies import parallel_axes
from pkm_identification.numerics.arrays import FloatArray


@dataclass(frozen=True)
class Payload:
    """A rigid body that is fixed to the platform for a while.

    Attributes
    ----------
    mass : float
        kg.
    center_of_mass : ndarray, shape (3,)
        m, in the platform frame.
    inertia : ndarray, shape (3, 3)
        kg m^2 about its own centre of mass, platform axes; zero for a point mass.
    taken_at : float
        s, when it is fixed to the platform; it moves along with it already.
    set_down_at : float
        s, when it is released; never by default.

    Raises
    ------
    ValueError
        If it is no body, or is set down before it is taken up.
    """

    mass: float
    center_of_mass: FloatArray = field(default_factory=lambda: np.zeros(3))
    inertia: FloatArray = field(default_factory=lambda: np.zeros((3, 3)))
    taken_at: float = 0.0
    set_down_at: float = np.inf

    def __post_init__(self) -> None:
        object.__setattr__(self, "center_of_mass", np.array(self.center_of_mass, dtype=float))
        object.__setattr__(self, "inertia", np.array(self.inertia, dtype=float))
        if not 0 < self.mass < np.inf:
            raise SettingsError(f"payload mass = {self.mass:g} kg: must be greater than 0 and finite")
        if self.center_of_mass.shape != (3,) or not np.all(np.isfinite(self.center_of_mass)):
            raise SettingsError("payload center_of_mass: needs three finite coordinates in m")
        moments = np.linalg.eigvalsh(self.inertia) if self.inertia.shape == (3, 3) else np.full(3, np.nan)
        possible = moments[0] >= -1e-12 and moments[0] + moments[1] >= moments[2] * (1 - 1e-9)
        if not (possible and np.allclose(self.inertia, self.inertia.T)):
            raise SettingsError(
                "payload inertia: must be the 3 x 3 inertia of a possible body about its centre of mass"
            )
        if not 0 <= self.taken_at < self.set_down_at:
            raise SettingsError(
                f"payload: taken up at {self.taken_at:g} s, set down at {self.set_down_at:g} s; "
                "must be 0 or later, and in this order"
            )

    @classmethod
    def parse(cls, text: str, set_down_at: float = np.inf) -> Payload:
        """Return a point mass from 'T,MASS' or 'T,MASS,X,Y,Z' (s, kg, m); raises ValueError when it is none."""
        numbers = _read_numbers(text)
        if len(numbers) not in (2, 5):
            raise SettingsError(f"payload '{text}': expected T,MASS or T,MASS,X,Y,Z, numbers in s, kg and m")
        taken_at, mass = numbers[:2]
        return cls(mass, np.array(numbers[2:] or [0.0] * 3), taken_at=taken_at, set_down_at=set_down_at)

    @classmethod
    def carried(cls, text: str, name: str = "payload") -> Payload:
        """A point mass that is there all the time, from 'MASS' or 'MASS,X,Y,Z' (kg, m).

        Raises
        ------
        SettingsError
            If it is none; calls it `name`.
        """
        numbers = _read_numbers(text)
        if len(numbers) not in (1, 4):
            raise SettingsError(f"{name} '{text}': expected MASS or MASS,X,Y,Z, numbers in kg and m")
        return cls(numbers[0], np.array(numbers[1:] or [0.0] * 3))

    def present(self, time: float) -> bool:
        """Return whether it is on the platform at a time in s."""
        return self.taken_at <= time < self.set_down_at


def _read_numbers(text: str) -> list[float]:
    """Return numbers with commas between them; none where one is no number."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        return []


def load_platform(platform: Platform, payload: Payload) -> Platform:
    """Platform and payload as one rigid body (parallel axes)."""
    mass = platform.mass + payload.mass
    center = (platform.mass * platform.center_of_mass + payload.mass * payload.center_of_mass) / mass
    inertia = np.zeros((3, 3))
    for body in (platform, payload):
        arm = body.center_of_mass - center
        inertia += body.inertia + parallel_axes(body.mass, arm)
    return Platform(mass, center, inertia)
