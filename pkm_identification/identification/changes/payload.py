# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a machine carries: parameters of a rigid body on top of the machine's own, and what they say of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.identifiability.status import IDENTIFIABLE, RESOLVED, UNIDENTIFIABLE
from pkm_identification.machines.contract import Machine
from pkm_identification.mechanisms.rigid_bodies import (
    BODY_KINDS,
    BODY_PARAMETERS,
    BODY_UNITS,
    parallel_axes,
)
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Parameter
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior

# Indices of Ixx, Iyy, Izz, Ixy, Ixz, Iyz in a matrix.
_ROWS, _COLUMNS = np.array([0, 1, 2, 0, 0, 1]), np.array([0, 1, 2, 1, 2, 2])
_WIDTH, _MASS = len(BODY_PARAMETERS), BODY_PARAMETERS.index("m")
# Parameters about a point of the body that no body has below zero
_POSITIVE = tuple(BODY_PARAMETERS.index(name) for name in ("m", "Ixx", "Iyy", "Izz"))
WEIGHED = 0.3  # of its standard deviation beforehand: a parameter of a payload that the forces tell


@dataclass(frozen=True)
class PayloadEstimate:
    """A body that the machine carries, as far as the data determine it.

    Attributes
    ----------
    body : str
        What it is fixed to.
    mass, mass_std : float
        kg.
    center_of_mass, center_of_mass_std : ndarray, shape (3,)
        m, in the frame of that body.
    inertia, inertia_std : ndarray, shape (6,)
        kg m^2 about the payload's own centre of mass, axes of that body: xx, yy, zz, xy, xz, yz.
    inertia_status : tuple of str, length 6
        'identifiable' where the standard deviation is below a twentieth of what a body of that mass and as large
        as the machine has; else 'unidentifiable': the value is then mostly first guess.
    taken_at, taken_at_std : float
        s, of the sample at which it appeared.
    count : int
        Equations it was estimated from.
    """

    body: str
    mass: float
    mass_std: float
    center_of_mass: FloatArray
    center_of_mass_std: FloatArray
    inertia: FloatArray
    inertia_std: FloatArray
    inertia_status: tuple[str, ...]
    taken_at: float
    taken_at_std: float
    count: int


@dataclass(frozen=True)
class PayloadEvent:
    """Something was taken up or set down.

    Attributes
    ----------
    kind : {'picked_up', 'changed', 'set_down', 'withdrawn'}
    time, time_std : float
        s, of the sample at which it happened.
    announced_at : float
        s, of the sample that decided.
    payload : PayloadEstimate or None
        What is carried since; None after it was set down, or withdrawn: its total deviation was too large.
    """

    kind: str
    time: float
    time_std: float
    announced_at: float
    payload: PayloadEstimate | None


@dataclass(frozen=True)
class Carrier:
    """What a payload is fixed to, and what the drives may feel of it.

    Attributes
    ----------
    body : str
        Its name.
    size : float
        m, of the machine: half of its largest body.
    felt : ndarray of int64, shape (L,)
        Indices in `BODY_PARAMETERS` of a payload's parameters that enter the forces: of planar bodies four, else ten.
    columns : ndarray, shape (B, L)
        How they enter the basis.
    std : ndarray, shape (10,)
        Of all ten before anything is known of a payload, whose mean is nothing.
    """

    body: str
    size: float
    felt: NDArray[np.int64]
    columns: FloatArray
    std: FloatArray

    @classmethod
    def of(cls, machine: Machine) -> Carrier:
        """Return that of a machine: a payload may be as heavy as what the drives move, and as large as the machine."""
        rows, number, size = machine.rows_of_bodies, machine.payload_body, 0.5 * machine.size
        bodies = machine.knowledge.bodies
        moved = [one.mass for one, own in zip(bodies, rows, strict=True) if own[:, _MASS].any()]
        mass = sum(one.value for one in moved) or sum(one.width for one in moved)
        std = np.array([mass, *[mass * 0.5 * size] * 3, *[mass * (0.5 * size) ** 2] * 6])
        felt = np.flatnonzero(rows[number].any(axis=0))
        return cls(bodies[number].name, size, felt, np.ascontiguousarray(rows[number][:, felt]), std)

    @property
    def prior(self) -> Prior:
        """Of the parameters that enter the forces."""
        return Prior(np.zeros(len(self.felt)), self.std[self.felt])

    def extend(self, parameters: ParameterSet) -> ParameterSet:
        """Return a machine's parameters followed by those of a payload."""
        entries = [
            Parameter(
                f"{BODY_PARAMETERS[k]}_load", BODY_UNITS[k], BODY_KINDS[k], "payload", 0.0, float(self.std[k])
            )
            for k in self.felt
        ]
        extended = parameters.extend(entries, self.columns, name=f"{parameters.name} and payload")
        # the nuisance parameters are no longer the last ones
        return replace(extended, nuisance=0)

    def find_weight(self, std: FloatArray) -> int:
        """Return which of its parameters (L,) tells a load from none: no body has it below zero, and best known.

        That is the mass wherever the forces tell it. Of deviations (L,) in those of the prior.
        """
        positive = [n for n, k in enumerate(self.felt) if k in _POSITIVE]
        known = [n for n in positive if std[n] < WEIGHED] or positive
        return known[0]

    def estimate(
        self, values: FloatArray, covariance: FloatArray, taken_at: tuple[float, float], count: int
    ) -> PayloadEstimate:
        """Return the body that a payload's parameters (L,) and their covariance (L, L) tell, to first order.

        Parameters
        ----------
        values : ndarray, shape (L,)
        covariance : ndarray, shape (L, L)
        taken_at : tuple of float
            When it appeared, and its standard deviation, s.
        count : int
            Equations it was estimated from.
        """
        whole, spread = np.zeros(_WIDTH), np.diag(self.std**2)
        whole[self.felt] = values
        spread[np.ix_(self.felt, self.felt)] = covariance
        body = body_of(whole)
        derivative = np.empty((_WIDTH, _WIDTH))
        for k, step in enumerate(1e-6 * np.sqrt(np.diag(spread))):
            moved = whole.copy()
            moved[k] += step
            derivative[:, k] = (body_of(moved) - body) / step
        std = np.sqrt(np.diag(derivative @ spread @ derivative.T))
        identifiable = std[4:] < RESOLVED * body[_MASS] * self.size**2
        return PayloadEstimate(
            body=self.body,
            mass=float(body[_MASS]),
            mass_std=float(std[_MASS]),
            center_of_mass=body[1:4],
            center_of_mass_std=std[1:4],
            inertia=body[4:],
            inertia_std=std[4:],
            inertia_status=tuple(IDENTIFIABLE if one else UNIDENTIFIABLE for one in identifiable),
            taken_at=taken_at[0],
            taken_at_std=taken_at[1],
            count=count,
        )


def body_of(values: FloatArray) -> FloatArray:
    """Return mass, centre of mass (3,) and inertia about it (6,) of the ten parameters (10,); needs a mass."""
    mass = values[0]
    center = values[1:4] / mass
    shift = parallel_axes(mass, center)
    return np.concatenate([[mass], center, values[4:] - shift[_ROWS, _COLUMNS]])
