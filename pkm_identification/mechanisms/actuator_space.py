# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A machine as its actuators feel it: mass, coupling and modes in actuator coordinates, whatever the machine.

With rates L' = J x' of n actuators, a mass matrix M(x) becomes M_L = J^-T M J^-1: F = M_L L'' + ... Modes are those of
the mass on its actuators' compliances, commands held. An actuator gives way to its force F by c F (m/N or rad/(N m)),
creeps by g F (leakage, m/(N s)) and its friction b L' acts on the machine:

    c F' = -L' - g F,    M_L L'' = F - b L'.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.numerics.arrays import FloatArray

_STILL = 1e-9  # of the fastest eigenvalue: creep or rest, no mode


@dataclass(frozen=True)
class Modes:
    """Oscillating modes of a mass on its actuators, slowest first.

    Attributes
    ----------
    frequency : ndarray, shape (K,)
        |lambda| / 2 pi in Hz.
    damping : ndarray, shape (K,)
        -Re(lambda) / |lambda|; 0 without losses.
    shape : ndarray, shape (K, n)
        Motion of the actuators in their own units: the real part, turned so that the largest entry is 1.
    share : ndarray, shape (K, n)
        Each coordinate's part of the kinetic energy, by the diagonal of the mass alone; rows sum to 1.
    """

    frequency: FloatArray
    damping: FloatArray
    shape: FloatArray
    share: FloatArray

    def __len__(self) -> int:
        return len(self.frequency)

    @property
    def leading(self) -> np.ndarray:
        """The actuator with the largest share in each mode, from 0."""
        return np.argmax(self.share, axis=1)


def actuator_mass(mass: FloatArray, jacobian: FloatArray) -> FloatArray:
    """Mass J^-T M J^-1 (..., n, n) in actuator coordinates, from M and the Jacobian of L' = J x', (..., n, n) each.

    Raises
    ------
    SettingsError
        If a Jacobian is singular.
    """
    try:
        inverse = np.linalg.inv(jacobian)
    except np.linalg.LinAlgError:
        raise SettingsError("the Jacobian is singular: its actuators do not hold the machine") from None
    return np.swapaxes(inverse, -1, -2) @ mass @ inverse


def effective_mass(mass: FloatArray) -> FloatArray:
    """Return what each actuator moves while the others stand still, (..., n): the diagonal of M_L."""
    return np.einsum("...ii->...i", mass).copy()


def coupling_factors(mass: FloatArray) -> FloatArray:
    """Return how much of the others' acceleration each coordinate feels, (..., n): sqrt(sum_{j != i} M_ij^2) / M_ii.

    Above 1 an actuator's force is rather the others' affair than its own. Means something between coordinates of one
    unit only. Source: Machielsen 1983, 8.2.3.
    """
    own = effective_mass(mass)
    rest = np.sqrt(np.maximum(np.sum(np.asarray(mass) ** 2, axis=-1) - own**2, 0.0))
    return rest / own


def compute_single_frequency(
    mass: FloatArray,
    compliance: FloatArray,
    leakage: FloatArray | float = 0.0,
    viscous: FloatArray | float = 0.0,
) -> FloatArray:
    """Frequency in Hz of a mass alone on an actuator: sqrt((1 + b g) / (c m)) / 2 pi (Machielsen 1983, 5.3).

    Arguments in SI units, all of one shape or scalars; for actuator i of several, the mass is `effective_mass`.
    """
    square = (1.0 + np.asarray(viscous) * leakage) / (np.asarray(compliance) * mass)
    return np.sqrt(square) / (2.0 * np.pi)


def find_damped_modes(
    mass: FloatArray,
    compliance: FloatArray,
    leakage: FloatArray | float = 0.0,
    viscous: FloatArray | float = 0.0,
) -> Modes:
    """Oscillating modes of M_L (n, n) on compliances, with leakage and viscous friction, (n,) or scalars.

    Coordinates whose compliance is 0 stand still; motions that only creep or settle without oscillation are left out.

    Raises
    ------
    SettingsError
        If no actuator has a compliance, or the mass is not positive definite.
    """
    mass, compliance = _check(mass, compliance)
    count = len(mass)
    moving = np.flatnonzero(compliance)
    size = len(moving)
    spread = np.ones(count)
    inverse = np.linalg.inv(mass[np.ix_(moving, moving)])
    system = np.zeros((2 * size, 2 * size))
    system[:size, :size] = -inverse * (np.asarray(viscous) * spread)[moving]
    system[:size, size:] = inverse
    system[size:, :size] = -np.diag(1.0 / compliance[moving])
    system[size:, size:] = -np.diag((np.asarray(leakage) * spread)[moving] / compliance[moving])
    values, vectors = np.linalg.eig(system)
    chosen = np.flatnonzero(values.imag > _STILL * np.abs(values).max())
    chosen = chosen[np.argsort(np.abs(values[chosen]))]
    shape = np.zeros((len(chosen), count))
    for row, k in enumerate(chosen):
        rates = vectors[:size, k]
        rates = rates / rates[np.argmax(np.abs(rates))]
        shape[row, moving] = rates.real
    sizes = np.abs(values[chosen])
    energy = shape**2 * np.diag(mass)
    share = energy / energy.sum(axis=1, keepdims=True)
    return Modes(sizes / (2.0 * np.pi), -values[chosen].real / sizes, shape, share)


def _check(mass: FloatArray, compliance: FloatArray) -> tuple[FloatArray, FloatArray]:
    mass = np.array(mass, dtype=float)
    compliance = np.broadcast_to(np.asarray(compliance, dtype=float), mass.shape[:1])
    if not np.all(np.isfinite(mass)) or np.linalg.eigvalsh((mass + mass.T) / 2.0)[0] <= 0.0:
        raise SettingsError("the mass matrix is not positive definite: there are no modes")
    if not np.any(compliance) or np.any(compliance < 0.0) or not np.all(np.isfinite(compliance)):
        raise SettingsError("modes need actuators with a compliance, none of them negative")
    return mass, compliance
