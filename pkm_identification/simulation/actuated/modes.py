# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Modes of a machine on the compliance of its drives: oil, shafts, belts.

The actuators' own equations are linearised at home under the load there, commands held and delays gone, and joined
to M_L x'' = F, M_L the mass matrix in driven coordinates (Machielsen 1983, 8.2: "CJA"). Damped modes are eigenvalues of
the whole; undamped ones those of M_L x'' = -K x, K the stiffness of the drives with motors locked and valves shut.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.actuator_space import coupling_factors
from pkm_identification.mechanisms.actuators.base import Actuator
from pkm_identification.mechanisms.multibody import dynamics
from pkm_identification.mechanisms.multibody.kinematics import at_rest
from pkm_identification.numerics.arrays import FloatArray

from .subject import Subject

_Linear = tuple[FloatArray, FloatArray, FloatArray, FloatArray, float]
_STEP = 1e-6
_SWINGING = 0.999  # damping ratio from which on a pair is no oscillation


@dataclass(frozen=True)
class Mode:
    """One mode.

    Attributes
    ----------
    frequency : float
        Hz, undamped.
    natural : float or None
        Natural frequency |lambda| / 2 pi of the mode of the whole linear system most like it in its shape, Hz.
    damping : float or None
        Its damping ratio.
    shape : ndarray, shape (n,)
        Driven coordinates, the largest 1.
    share : ndarray, shape (n,)
        Of the kinetic energy, by drive.
    motion : ndarray, shape (m,)
        Outputs or platform axes that go with the shape, per unit of it.
    """

    frequency: float
    natural: float | None
    damping: float | None
    shape: FloatArray
    share: FloatArray
    motion: FloatArray

    @property
    def damped(self) -> float | None:
        """Hz at which the damped mode swings: its natural frequency times sqrt(1 - damping^2)."""
        if self.natural is None or self.damping is None:
            return None
        return float(self.natural * np.sqrt(1.0 - self.damping**2))


@dataclass(frozen=True)
class Modes:
    """Modes at one place, and what they come from.

    Attributes
    ----------
    modes : tuple of Mode
        Lowest first.
    mass : ndarray, shape (n, n)
        M_L in kg (kg m^2).
    coupling : ndarray, shape (n,)
        Root sum square of a row's other entries over its diagonal one.
    stiffness : ndarray, shape (n,)
        Of the drives, N/m (N m/rad).
    eigenvalues : ndarray, shape (K,)
        All of the linear system, rad/s.
    axes : tuple of str
        What `Mode.motion` is along.
    """

    modes: tuple[Mode, ...]
    mass: FloatArray
    coupling: FloatArray
    stiffness: FloatArray
    eigenvalues: np.ndarray
    axes: tuple[str, ...]


def mass_of_drives(subject: Subject) -> FloatArray:
    """M_L (n, n) at home, what turns rigidly with the drives included."""
    mechanism = subject.mechanism
    return np.array(dynamics.mass_matrix(mechanism, mechanism.home)[0], dtype=float)


def modes(subject: Subject) -> Modes:
    """Undamped and damped modes at home.

    Raises
    ------
    SettingsError
        If no drive of the machine is elastic.
    """
    mass = mass_of_drives(subject)
    load = dynamics.forces(subject.mechanism, at_rest(subject.mechanism, subject.mechanism.home))[0]
    home = subject.home
    parts = [
        _linearise_drive(a.without_coulomb(), float(load[i]), float(home[i]))
        for i, a in enumerate(subject.actuators)
    ]
    stiffness = np.array([part[4] for part in parts])
    if not np.any(stiffness > 0):
        raise SettingsError(
            f"modes: no compliance in this file: the drives of '{subject.mechanism.name}' are rigid or sources of force"
        )
    system = _assemble_system(parts, mass)
    eigenvalues, vectors = np.linalg.eig(system)
    count = len(home)
    squares, shapes = _solve_generalised(np.diag(stiffness), mass)
    axes, along = _list_axes(subject)
    modes = []
    for k in np.argsort(squares):
        if squares[k] <= 0:
            continue
        shape = shapes[:, k] / shapes[np.argmax(np.abs(shapes[:, k])), k]
        natural, damping = _find_damped_mode(eigenvalues, vectors[:count], shape, mass)
        energy = shape * (mass @ shape)
        modes.append(
            Mode(
                float(np.sqrt(squares[k]) / (2 * np.pi)),
                natural,
                damping,
                shape,
                energy / energy.sum(),
                np.linalg.lstsq(along, shape, rcond=None)[0],
            )
        )
    return Modes(tuple(modes), mass, coupling_factors(mass), stiffness, eigenvalues, axes)


def _linearise_drive(actuator: Actuator, load: float, position: float) -> _Linear:
    """Return a (s, s), B (s, 2) by x and v, C (s,) and D (2,) of the force; and its stiffness with the drive locked."""
    state, command = actuator.equilibrium(load, position)
    signal = actuator.signal(command, position)
    count = len(state)

    def both(z: FloatArray) -> FloatArray:
        s, x, v = z[:count], float(z[count]), float(z[count + 1])
        return np.append(actuator.derivative(s, signal, x, v), actuator.force(s, signal, x, v))

    at = np.concatenate([state, [position, 0.0]])
    size = _STEP * np.concatenate([np.maximum(np.abs(state), 1e-3), [1e-3, 1e-3]])
    columns = [(both(at + step) - both(at - step)) / (2 * step[k]) for k, step in enumerate(np.diag(size))]
    matrix = np.array(columns).T
    a, b, c, d = matrix[:count, :count], matrix[:count, count:], matrix[count, :count], matrix[count, count:]
    return a, b, c, d, actuator.locked_stiffness


def _assemble_system(parts: list[_Linear], mass: FloatArray) -> FloatArray:
    """Return the matrix of the linear system of x, v and all states."""
    count = len(parts)
    states = sum(len(part[2]) for part in parts)
    size = 2 * count + states
    system, force = np.zeros((size, size)), np.zeros((count, size))
    system[:count, count : 2 * count] = np.eye(count)
    first = 2 * count
    for i, (a, b, c, d, _) in enumerate(parts):
        rows = slice(first, first + len(c))
        system[rows, rows] = a
        system[rows, i], system[rows, count + i] = b[:, 0], b[:, 1]
        force[i, rows], force[i, i], force[i, count + i] = c, d[0], d[1]
        first += len(c)
    system[count : 2 * count] = np.linalg.solve(mass, force)
    return system


def _solve_generalised(stiffness: FloatArray, mass: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Squares of angular frequency and mass-normalised shapes of M x'' = -K x."""
    root = np.linalg.cholesky(mass)
    inverse = np.linalg.inv(root)
    squares, inner = np.linalg.eigh(inverse @ stiffness @ inverse.T)
    return squares, inverse.T @ inner


def _find_damped_mode(
    eigenvalues: np.ndarray, shapes: np.ndarray, shape: FloatArray, mass: FloatArray
) -> tuple[float | None, float | None]:
    """|lambda| / 2 pi and damping of the swinging eigenvalue whose shape is nearest, by their masses."""
    best, nearest = 0.0, None
    for value, other in zip(eigenvalues, shapes.T, strict=True):
        if value.imag <= 0 or -value.real > _SWINGING * abs(value):
            continue
        size = np.sqrt(abs(np.conj(other) @ mass @ other) * (shape @ mass @ shape))
        likeness = abs(other @ mass @ shape) / size if size > 0 else 0.0
        if likeness > best:
            best, nearest = likeness, value
    if nearest is None:
        return None, None
    return float(abs(nearest) / (2 * np.pi)), float(-nearest.real / abs(nearest))


def _list_axes(subject: Subject) -> tuple[tuple[str, ...], FloatArray]:
    """Return names of platform axes or outputs, and driven coordinates (n, m) per unit of each."""
    count = subject.mechanism.degrees_of_freedom
    names = subject.axes[: 6 if subject.position is not None else count]
    return names, np.array([subject.direction(name) for name in names]).T
