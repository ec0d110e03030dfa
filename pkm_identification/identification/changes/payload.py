# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What the platform carries: ten parameters on top of the machine's own, and what they say of a body."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.estimation.identifiability.status import IDENTIFIABLE, RESOLVED, UNIDENTIFIABLE
from pkm_identification.machines.capabilities import HexapodFile, has, require
from pkm_identification.machines.contract import Machine
from pkm_identification.mechanisms.hexapod.dynamics.basis import (
    PLATFORM_COLUMNS,
    PLATFORM_NAMES,
)
from pkm_identification.mechanisms.rigid_bodies import parallel_axes
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind, Parameter
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior

PAYLOAD_UNITS = ("kg", "kg m", "kg m", "kg m", *("kg m^2",) * 6)
PAYLOAD_KINDS = (Kind.MASS, *(Kind.FIRST_MOMENT,) * 3, *(Kind.INERTIA,) * 6)
# Indices of Ixx, Iyy, Izz, Ixy, Ixz, Iyz in a matrix.
_ROWS, _COLUMNS = np.array([0, 1, 2, 0, 0, 1]), np.array([0, 1, 2, 1, 2, 2])


@dataclass(frozen=True)
class PayloadEstimate:
    """A body on the platform, as far as the data show it.

    Attributes
    ----------
    mass, mass_std : float
        kg.
    center_of_mass, center_of_mass_std : ndarray, shape (3,)
        m, platform frame.
    inertia, inertia_std : ndarray, shape (6,)
        kg m^2 about the payload's own centre of mass, platform axes: xx, yy, zz, xy, xz, yz.
    inertia_status : tuple of str, length 6
        'identifiable' where the standard deviation is below a twentieth of what a body of that mass and as large
        as the platform has; else 'unidentifiable': the value is then mostly first guess.
    taken_at, taken_at_std : float
        s, of the sample at which it appeared.
    count : int
        Equations it was estimated from.
    """

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
    kind : {'picked_up', 'changed', 'set_down'}
    time, time_std : float
        s, of the sample at which it happened.
    announced_at : float
        s, of the sample that decided.
    payload : PayloadEstimate or None
        What is carried since; None after it was set down.
    """

    kind: str
    time: float
    time_std: float
    announced_at: float
    payload: PayloadEstimate | None


def payload_prior(machine: Machine) -> Prior:
    """Return nothing, uncertain by the mass that the struts move, spread over the size of the machine.

    Of no parameter where the machine names no platform that could carry something.
    """
    if not has(machine, HexapodFile):
        return Prior(np.zeros(0), np.zeros(0))
    hexapod = require(machine, HexapodFile, "a payload").description
    mass = hexapod.platform.mass + sum(strut.body_e.mass for strut in hexapod.struts)
    size = hexapod.length_scale
    std = np.array([mass, *[mass * 0.5 * size] * 3, *[mass * (0.5 * size) ** 2] * 6])
    return Prior(np.zeros(PLATFORM_COLUMNS), std)


def payload_columns(parameters: ParameterSet, prior: Prior) -> FloatArray:
    """Return how a payload's parameters enter the basis, (B, L): those of a platform are its first."""
    return np.eye(len(parameters.known), len(prior.mean))


def with_payload(parameters: ParameterSet, prior: Prior) -> ParameterSet:
    """A machine's parameters followed by the ten of a payload; `prior` is the payload's."""
    count = len(prior.mean)
    entries = [
        Parameter(f"{name}_load", unit, kind, "payload", float(mean), float(std))
        for name, unit, kind, mean, std in zip(
            PLATFORM_NAMES[:count],
            PAYLOAD_UNITS[:count],
            PAYLOAD_KINDS[:count],
            prior.mean,
            prior.std,
            strict=True,
        )
    ]
    columns = payload_columns(parameters, prior)
    extended = parameters.extended(entries, columns, name=f"{parameters.name} and payload")
    # the nuisance parameters are no longer the last ones
    return replace(extended, nuisance=0)


def body_of(values: FloatArray) -> FloatArray:
    """Mass, centre of mass (3,) and inertia about it (6,) of the ten parameters, shape (10,); needs a mass."""
    mass = values[0]
    center = values[1:4] / mass
    shift = parallel_axes(mass, center)
    return np.concatenate([[mass], center, values[4:] - shift[_ROWS, _COLUMNS]])


def payload_estimate(
    values: FloatArray, covariance: FloatArray, size: float, taken_at: tuple[float, float], count: int
) -> PayloadEstimate:
    """The body of ten parameters and its uncertainty (first order).

    Parameters
    ----------
    values : ndarray, shape (10,)
        Mass, first moments, inertia about the platform's origin (xx, yy, zz, xy, xz, yz).
    covariance : ndarray, shape (10, 10)
    size : float
        m, of the machine (`length_scale`).
    taken_at : tuple of float
        When it appeared, and its standard deviation, s.
    count : int
    """
    body = body_of(values)
    derivative = np.empty((PLATFORM_COLUMNS, PLATFORM_COLUMNS))
    steps = 1e-6 * np.sqrt(np.diag(covariance))
    for k, step in enumerate(steps):
        moved = values.copy()
        moved[k] += step
        derivative[:, k] = (body_of(moved) - body) / step
    std = np.sqrt(np.diag(derivative @ covariance @ derivative.T))
    shown = std[4:] < RESOLVED * body[0] * size**2
    return PayloadEstimate(
        mass=float(body[0]),
        mass_std=float(std[0]),
        center_of_mass=body[1:4],
        center_of_mass_std=std[1:4],
        inertia=body[4:],
        inertia_std=std[4:],
        inertia_status=tuple(IDENTIFIABLE if one else UNIDENTIFIABLE for one in shown),
        taken_at=taken_at[0],
        taken_at_std=taken_at[1],
        count=count,
    )
