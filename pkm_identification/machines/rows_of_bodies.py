# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What each rigid body of a machine does to its basis, and what sums of bodies its parameters are.

A body has the ten parameters `BODY_PARAMETERS` about its frame's origin; those of a strut's body are along z. Only
sums of bodies that can exist are physical.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.estimation.consistency.sums_of_bodies import PLANAR, SPATIAL, SumsOfBodies
from pkm_identification.mechanisms.hexapod.dynamics.basis import basis_columns, strut_column
from pkm_identification.mechanisms.hexapod.dynamics.strut import H_B, H_E, I_A, I_X, I_Z, M_E
from pkm_identification.mechanisms.hexapod.machine import Machine as HexapodDescription
from pkm_identification.mechanisms.multibody.analysis.basis import compute_structure_rows
from pkm_identification.mechanisms.multibody.base_set import BaseSet
from pkm_identification.mechanisms.multibody.extents import compute_body_sizes
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.parameters import build_rigid_basis, build_rigid_columns
from pkm_identification.mechanisms.rigid_bodies import BODY_PARAMETERS
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.parameter_set import ParameterSet

from .knowledge.bodies import SMALLEST, guess_mass

WIDTH = len(BODY_PARAMETERS)
DIGITS = 9  # of shares, most of which are 1
SAME = 1e-6  # of a motor's column: a rest that is less is rounding, of the file's geometry, too
_M, _MZ, _IXX, _IYY, _IZZ = (BODY_PARAMETERS.index(name) for name in ("m", "mz", "Ixx", "Iyy", "Izz"))
_ROD = ((I_X, _IXX), (I_Z, _IYY), (I_A, _IZZ))


def list_rows_of_hexapod(machine: HexapodDescription) -> tuple[FloatArray, ...]:
    """Return rows (B, 10) of the platform, then of bodies B and E of each strut."""
    count = basis_columns(machine)
    platform = np.zeros((count, WIDTH))
    platform[:WIDTH] = np.eye(WIDTH)
    found = [platform]
    for i in range(STRUTS):
        for kinds in (((H_B, _MZ), *_ROD), ((H_E, _MZ), (M_E, _M), *_ROD)):
            rows = np.zeros((count, WIDTH))
            for kind, parameter in kinds:
                rows[strut_column(i, kind), parameter] = 1.0
            found.append(rows)
    return tuple(found)


def list_rows_of_mechanism(mechanism: Mechanism, count: int) -> tuple[FloatArray, ...]:
    """Return rows (B, 10) of each body; the basis has `count` entries and begins with the bodies'."""
    kept = build_rigid_columns(mechanism)
    found = []
    for number in range(len(mechanism.description.bodies)):
        own = np.flatnonzero(kept // WIDTH == number)
        rows = np.zeros((count, WIDTH))
        rows[own, kept[own] % WIDTH] = 1.0
        found.append(rows)
    return tuple(found)


_FREE = (Kind.EFFECT, Kind.NUISANCE, Kind.GAIN)


def find_sums(mechanism: Mechanism, base: BaseSet, parameters: ParameterSet) -> SumsOfBodies:
    """Return what bodies and coefficients the base parameters of a set are sums of.

    Raises
    ------
    SettingsError
        If a base parameter is fixed or tied, so that whether its body can exist cannot be determined.
    """
    names = {name: k for k, name in enumerate(parameters.names)}
    lost = [name for name in base.names if name not in names]
    if lost:
        raise SettingsError(
            f"--consistent: of the bodies' parameters {lost[0]} is fixed or tied: whether the others are those of "
            "bodies cannot be decided (state it in a prior instead)"
        )
    rest = [entry for entry in parameters.entries if entry.name not in base.names]
    count = base.sums.shape[1]
    sums = np.zeros((len(names), count + len(rest)))
    for name, row in zip(base.names, base.sums, strict=True):
        sums[names[name], :count] = row
    for k, entry in enumerate(rest, count):
        sums[names[entry.name], k] = 1.0
    law = mechanism.description.friction.law
    signed = {one.name for one in law.coefficients if one.within is not None}
    positive = [
        count + k for k, entry in enumerate(rest) if entry.kind not in _FREE and entry.symbol not in signed
    ]
    bodies, begin, scale = [], 0, []
    masses, sizes = compute_body_sizes(mechanism)
    sizes = np.where(sizes > 0.0, sizes, SMALLEST)
    masses = np.where(masses > 0.0, masses, guess_mass(sizes))  # of a file without any
    for body, m, r in zip(mechanism.description.bodies, masses, sizes, strict=True):
        wide = PLANAR if body.planar else SPATIAL
        bodies.append(slice(begin, begin + wide))
        scale += [m, m * r, m * r, m * r**2] if body.planar else [m, *[m * r] * 3, *[m * r**2] * 6]
        begin += wide
    start = np.concatenate([build_rigid_basis(mechanism).nominal, [entry.nominal for entry in rest]])
    for entry in rest:
        known = max(entry.size or 0.0, abs(entry.nominal))
        scale.append(known or (entry.scale if np.isfinite(entry.scale) else 1.0))
    return SumsOfBodies(sums, start, np.array(scale), tuple(bodies), tuple(positive))


def find_motor_shares(
    mechanism: Mechanism, base: BaseSet, motors: Mapping[int, str]
) -> dict[str, dict[str, float]]:
    """Return what inertia of motors adds to base parameters: factors by their names and the motors'.

    Where a body resists like the motor that moves it, forces know their sum alone, as of the first links of an arm
    (Khalil and Dombre 2002, 9.4.2.4); the columns say which.

    Parameters
    ----------
    mechanism : Mechanism
    base : BaseSet
    motors : mapping of int to str
        Drives whose motors are looked at, with what their inertia is called.

    Raises
    ------
    MotionRefused
        If a state is out of reach or singular.
    """
    if not motors:
        return {}
    every, motion = compute_structure_rows(mechanism)
    rows = every[:, :, np.searchsorted(build_rigid_columns(mechanism), base.columns)]
    columns = rows.reshape(-1, len(base.names))
    sizes = np.linalg.norm(columns, axis=0)
    felt = np.zeros((*rows.shape[:2], len(motors)))
    for k, drive in enumerate(motors):
        felt[:, drive, k] = motion.drive_acceleration[:, drive]
    felt = felt.reshape(len(columns), -1)
    shares = np.linalg.lstsq(columns / sizes, felt)[0] / sizes[:, None]
    whole = np.linalg.norm(felt, axis=0)
    left = np.linalg.norm(felt - columns @ shares, axis=0)
    shares[:, left > SAME * whole] = 0.0
    shares[np.abs(shares) * sizes[:, None] < SAME * whole] = 0.0
    names = list(motors.values())
    return {
        name: {names[k]: round(float(row[k]), DIGITS) for k in np.flatnonzero(row)}
        for name, row in zip(base.names, shares, strict=True)
        if row.any()
    }
