# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The regressor: strut forces as a linear function of the parameters that are to be identified."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pkm_identification.mechanisms.friction import TERMS, friction_terms
from pkm_identification.mechanisms.threads import over_rows
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import invert6
from pkm_identification.numerics.vector3 import (
    add,
    add_scaled,
    at,
    cross,
    rotate,
    rotate_back,
    scale,
    three,
)

from ..kinematics.jacobian import fill_jacobian
from ..machine import Machine
from .basis import INERTIAL_COLUMNS, PLATFORM_COLUMNS, basis_columns
from .joint_friction import JOINT_COLUMNS, fill_joint_wrenches
from .records import MotionSample, hinge_of, packed_geometry, unpack_geometry
from .strut import (
    H_B,
    H_E,
    I_A,
    I_X,
    I_Z,
    M_E,
    M_M,
    STRUT_COLUMNS,
    compute_inertia_force,
    compute_rotation_motion,
    compute_strut_acceleration,
    compute_translation_forces,
    spin,
    strut_motion,
)


class MappingEntries(NamedTuple):
    """Which basis column enters which parameter's column how much: entries column by column, each of shape (E,)."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    weights: FloatArray


class RegressorScratch(NamedTuple):
    """Room for one sample; `jacobian` is the pose's after `fill_regressor`.

    Attributes
    ----------
    wrench : ndarray, shape (76, 6)
        On the platform, per unit of each inertial basis parameter and of each coefficient of the joints' friction.
    jacobian, inverse, work : ndarray, shape (6, 6)
    friction : ndarray, shape (6, TERMS)
        Terms of the friction law, per strut.
    length, rate : ndarray, shape (6,)
        Of the struts, m and m/s.
    """

    wrench: FloatArray
    jacobian: FloatArray
    inverse: FloatArray
    work: FloatArray
    friction: FloatArray
    length: FloatArray
    rate: FloatArray


@kernel
def regressor_scratch():
    """New room."""
    return RegressorScratch(
        np.empty((INERTIAL_COLUMNS + JOINT_COLUMNS, 6)),
        np.empty((6, 6)),
        np.empty((6, 6)),
        np.empty((6, 6)),
        np.empty((6, TERMS)),
        np.empty(6),
        np.empty(6),
    )


@kernel
def _put_block(wrench, column, force, moment):
    for k in range(3):
        wrench[column, k] = force[k]
        wrench[column, 3 + k] = moment[k]


@kernel
def _compute_platform_wrenches(rotation, a_g, w, al, wrench):
    """Columns 0 to 9: wrench at the platform origin per unit mass, first moment and inertia."""
    zero = (0.0, 0.0, 0.0)
    _put_block(wrench, 0, a_g, zero)
    for k in range(3):
        e = (rotation[0, k], rotation[1, k], rotation[2, k])
        _put_block(wrench, 1 + k, add(cross(al, e), cross(w, cross(w, e))), cross(e, a_g))
    w_p = rotate_back(rotation, w)
    al_p = rotate_back(rotation, al)
    for column in range(6):
        i = column if column < 3 else (0 if column < 5 else 1)
        j = column if column < 3 else (1 if column == 3 else 2)
        i_al = np.zeros(3)
        i_w = np.zeros(3)
        i_al[i] += al_p[j]
        i_w[i] += w_p[j]
        if i != j:
            i_al[j] += al_p[i]
            i_w[j] += w_p[i]
        moment = add((i_al[0], i_al[1], i_al[2]), cross(w_p, (i_w[0], i_w[1], i_w[2])))
        _put_block(wrench, 4 + column, zero, rotate(rotation, moment))


@kernel
def fill_regressor(geometry, entries, sample, regressor, scratch):
    """Write the (6, P) regressor of one sample; False when the pose is singular or a number is not finite.

    Takes a `KernelGeometry`, `MappingEntries`, a `MotionSample` and a `RegressorScratch`.
    """
    rows, columns, weights = entries
    inverse, work, wrench = scratch.inverse, scratch.work, scratch.wrench
    base, platform, rotation = geometry.base, geometry.platform, sample.rotation
    regressor[:, :] = 0.0
    fill_jacobian(base, platform, sample.position, rotation, scratch.jacobian, scratch.length)
    if not invert6(scratch.jacobian, inverse, work):
        return False
    x, v, w = three(sample.position, 0), three(sample.twist, 0), three(sample.twist, 3)
    a, al = three(sample.acceleration, 0), three(sample.acceleration, 3)
    g = geometry.gravity
    _compute_platform_wrenches(rotation, (a[0] - g[0], a[1] - g[1], a[2] - g[2]), w, al, wrench)
    for i in range(6):
        arm = rotate(rotation, at(platform, i))
        s, l, rate, s_dot, s_ddot, a_g = strut_motion(at(base, i), arm, x, v, w, a, al, g)
        scratch.rate[i] = rate
        f_m, f_he, f_hb = compute_translation_forces(s, l, s_ddot, a_g, g)
        x1 = hinge_of(geometry, rotation, i)
        sigma, sigma_dot, per_torque, share = spin(s, l, s_dot, s_ddot, x1, geometry.spin, w, al)
        omega, alpha = compute_rotation_motion(s, s_dot, s_ddot, sigma, sigma_dot)
        # principal axes of the rod: the hinge fixed in it, its own axis, and the third
        across = cross(x1, s)
        across = scale(1.0 / np.sqrt(across[0] ** 2 + across[1] ** 2 + across[2] ** 2), across)
        f_x, t_x = compute_inertia_force(across, s, l, omega, alpha, per_torque)
        f_a, t_a = compute_inertia_force(s, s, l, omega, alpha, per_torque)
        f_z, t_z = compute_inertia_force(cross(across, s), s, l, omega, alpha, per_torque)
        k = PLATFORM_COLUMNS + STRUT_COLUMNS * i
        _put_block(wrench, k + M_E, f_m, cross(arm, f_m))
        _put_block(wrench, k + H_E, f_he, cross(arm, f_he))
        _put_block(wrench, k + H_B, f_hb, cross(arm, f_hb))
        _put_block(wrench, k + I_X, f_x, add_scaled(cross(arm, f_x), t_x, share))
        _put_block(wrench, k + I_A, f_a, add_scaled(cross(arm, f_a), t_a, share))
        _put_block(wrench, k + I_Z, f_z, add_scaled(cross(arm, f_z), t_z, share))
        f_motor = scale(compute_strut_acceleration(s, l, s_dot, a_g, g), s)
        _put_block(wrench, k + M_M, f_motor, cross(arm, f_motor))
    for i in range(6):
        for k, term in enumerate(friction_terms(scratch.rate[i], geometry.law)):
            scratch.friction[i, k] = term
    if geometry.joint_transition > 0.0:
        joints = wrench[INERTIAL_COLUMNS:]
        fill_joint_wrenches(geometry, sample.position, rotation, sample.twist, joints)
    # sum the wrenches of a parameter first, then take J^-T once per parameter
    entry = 0
    for p in range(regressor.shape[1]):
        for k in range(6):
            work[k, 0] = 0.0
        spread = False
        while entry < rows.size and columns[entry] == p:
            row = rows[entry]
            if INERTIAL_COLUMNS <= row < geometry.joint_rows:
                term, i = divmod(row - INERTIAL_COLUMNS, 6)
                regressor[i, p] += weights[entry] * scratch.friction[i, term]
            else:
                spread = True
                if row >= geometry.joint_rows:
                    row -= geometry.joint_rows - INERTIAL_COLUMNS
                for k in range(6):
                    work[k, 0] += weights[entry] * wrench[row, k]
            entry += 1
        if spread:
            for i in range(6):
                for k in range(6):
                    regressor[i, p] += inverse[k, i] * work[k, 0]
    # a pose that is not finite, or a strut along the hinge fixed in the base, spoils single columns only
    total = 0.0
    for i in range(6):
        for p in range(regressor.shape[1]):
            total += regressor[i, p]
    return np.isfinite(total)


@kernel
def _compute_regressor_batch(
    packed, rows, columns, weights, position, rotation, twist, acceleration, regressor
):
    geometry, entries = unpack_geometry(packed), MappingEntries(rows, columns, weights)
    scratch = regressor_scratch()
    for n in range(position.shape[0]):
        sample = MotionSample(position[n], rotation[n], twist[n], acceleration[n])
        if not fill_regressor(geometry, entries, sample, regressor[n], scratch):
            regressor[n, :, :] = np.nan


@kernel
def write_regressor(packed, entries, row, written):
    """Write the regressor (6, P) at a row of `kinematics.tracker`; False as of `fill_regressor`."""
    sample = MotionSample(row[:3], row[3:12].reshape((3, 3)), row[12:18], row[18:24])
    return fill_regressor(
        unpack_geometry(packed), MappingEntries(*entries), sample, written, regressor_scratch()
    )


@dataclass(frozen=True)
class SparseMapping:
    """A mapping from parameters to the basis by its entries, column by column: made once, used many times."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    weights: FloatArray
    width: int

    @classmethod
    def of(cls, machine: Machine, mapping: FloatArray) -> SparseMapping:
        """From the matrix, shape (B, P); raises ValueError when it has not a row per basis parameter of the machine."""
        mapping = np.asarray(mapping, dtype=float)
        if mapping.ndim != 2 or mapping.shape[0] != basis_columns(machine):
            raise ValueError(f"mapping has shape {mapping.shape}, expected ({basis_columns(machine)}, P)")
        columns, rows = np.nonzero(mapping.T)
        return cls(rows.astype(np.int64), columns.astype(np.int64), mapping[rows, columns], mapping.shape[1])

    @property
    def entries(self) -> MappingEntries:
        """As the kernels take them."""
        return MappingEntries(self.rows, self.columns, self.weights)


def regressor(
    machine: Machine, motion: PlatformMotion, mapping: FloatArray | SparseMapping, threads: int = 1
) -> FloatArray:
    """Regressor Y of a motion: strut forces are Y w.

    Parameters
    ----------
    machine : Machine
        Geometry, joints, gravity and the friction law are used; masses and coefficients are not.
    motion : PlatformMotion
    mapping : ndarray, shape (B, P), or SparseMapping
        How the parameters w build up the basis (`dynamics.basis`): basis = mapping w.
    threads : int
        How many share the rows, 1 to 1024; the numbers are those of one.

    Returns
    -------
    ndarray, shape (N, 6, P)
        SI units; NaN in rows whose pose is singular or not finite.

    Raises
    ------
    ValueError
        If `mapping` has not one row per basis parameter.
    SettingsError
        If `threads` is no such number.
    """
    sparse = mapping if isinstance(mapping, SparseMapping) else SparseMapping.of(machine, mapping)
    result = np.empty((len(motion), 6, sparse.width))
    rows = (
        contiguous(motion.position),
        contiguous(motion.rotation),
        contiguous(motion.twist),
        contiguous(motion.acceleration),
        result,
    )
    over_rows(_compute_regressor_batch, (packed_geometry(machine), *sparse.entries), rows, threads)
    return result
