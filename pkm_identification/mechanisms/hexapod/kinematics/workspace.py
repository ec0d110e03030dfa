# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The workspace at constant orientation, in slices: where the lengths are inside their limits, and how dexterous."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label

from pkm_identification.errors import SettingsError
from pkm_identification.numerics.arrays import FloatArray

from ..machine import Machine
from .inverse import strut_lengths
from .jacobian import jacobian

PLANES = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
COARSE = 161  # points per side to find where the slice lies
FINE = 181
MARGIN = 0.08  # of the slice's size, left free around it


@dataclass(frozen=True)
class WorkspaceSlice:
    """A slice through a point at one orientation.

    Attributes
    ----------
    plane : str
        'xy', 'xz' or 'yz' of the base frame.
    center : ndarray, shape (3,)
        Point in the slice, m.
    rotation : ndarray, shape (3, 3)
    horizontal, vertical : ndarray, shapes (W,) and (H,)
        Coordinates along the plane's first and second axis, m, base frame.
    length_scale : float
        m; of the dexterity.
    inside : ndarray of bool, shape (H, W)
        Whether all six lengths are within the machine's limits.
    dexterity : ndarray, shape (H, W)
        1 / condition number of the scaled Jacobian, from 0 (singular) to 1 (isotropic); outside the limits too.
    sign : ndarray of int8, shape (H, W)
        Of the Jacobian's determinant: a change of sign is a singularity.
    limiting : ndarray of int8, shape (H, W)
        Strut (1 to 6) that is furthest outside, negative when too short; 0 inside.
    """

    plane: str
    center: FloatArray
    rotation: FloatArray
    horizontal: FloatArray
    vertical: FloatArray
    length_scale: float
    inside: NDArray[np.bool_]
    dexterity: FloatArray
    sign: NDArray[np.int8]
    limiting: NDArray[np.int8]

    @property
    def area(self) -> float:
        """Size of the part inside the limits, m^2."""
        if not np.any(self.inside):
            return 0.0
        return float(np.count_nonzero(self.inside) * np.ptp(self.horizontal) * np.ptp(self.vertical)
                     / ((len(self.horizontal) - 1) * (len(self.vertical) - 1)))  # fmt: skip

    @property
    def singular(self) -> bool:
        """Whether a singularity was seen inside the limits: poses of both signs."""
        signs = self.sign[self.inside]
        return bool(np.any(signs > 0) and np.any(signs < 0))

    def positions(self) -> FloatArray:
        """Platform positions of the grid in m, shape (H, W, 3)."""
        first, second = PLANES[self.plane]
        points = np.empty((len(self.vertical), len(self.horizontal), 3))
        points[:] = self.center
        points[..., first], points[..., second] = np.meshgrid(self.horizontal, self.vertical)
        return points


def workspace_slice(
    machine: Machine,
    plane: str = "xy",
    rotation: FloatArray | None = None,
    center: FloatArray | None = None,
    points: int = FINE,
    length_scale: float | None = None,
) -> WorkspaceSlice:
    """Slice of the workspace at constant orientation.

    It is as large as the part within the length limits on the side of the base where `center` lies, found on a
    coarse grid first; if there is none, as large as the longest strut reaches.

    Parameters
    ----------
    machine : Machine
    plane : {'xy', 'xz', 'yz'}
    rotation : ndarray, shape (3, 3), optional
        Of the platform in the base frame; home's if not given.
    center : ndarray, shape (3,), optional
        Point the slice goes through, m; home if not given.
    points : int
        Per side.
    length_scale : float, optional
        m, of the dexterity; the machine's if not given.

    Returns
    -------
    WorkspaceSlice

    Raises
    ------
    ValueError
        If the plane is unknown, a shape is wrong, a number is not finite, there are fewer than 2 points, or the length
        scale is not positive.
    """
    if plane not in PLANES:
        raise SettingsError(f"plane '{plane}': must be one of {', '.join(PLANES)}")
    if points < 2:
        raise SettingsError(f"points = {points}: must be at least 2")
    rotation = np.asarray(machine.home_rotation if rotation is None else rotation, dtype=float)
    center = np.asarray(machine.home_position if center is None else center, dtype=float)
    if rotation.shape != (3, 3) or center.shape != (3,):
        raise ValueError(f"rotation {rotation.shape} and center {center.shape} must be (3, 3) and (3,)")
    if not (np.all(np.isfinite(rotation)) and np.all(np.isfinite(center))):
        raise ValueError("rotation and center must be finite")
    scale = machine.length_scale if length_scale is None else length_scale
    if not scale > 0.0:
        raise SettingsError(f"length_scale = {scale}: must be positive (m)")
    # no strut reaches further than this from its foot
    reach = machine.length_limits[1] + np.linalg.norm(machine.platform_joints, axis=1).max()
    foot = machine.base_joints.mean(axis=0)
    first, second = PLANES[plane]
    spans = [foot[k] + reach * np.array([-1.0, 1.0]) for k in (first, second)]
    grid = _evaluate_slice(
        machine, plane, rotation, center, [np.linspace(span[0], span[1], COARSE) for span in spans], scale
    )
    shown = _find_component(grid)
    axes = []
    for span, used, coarse in (
        (spans[0], shown.any(axis=0), grid.horizontal),
        (spans[1], shown.any(axis=1), grid.vertical),
    ):
        if np.any(used):
            cell = coarse[1] - coarse[0]
            low, high = coarse[used].min() - cell, coarse[used].max() + cell
            margin = MARGIN * (high - low)
            span = np.array([low - margin, high + margin])
        axes.append(np.linspace(span[0], span[1], points))
    return _evaluate_slice(machine, plane, rotation, center, axes, scale)


def _evaluate_slice(
    machine: Machine,
    plane: str,
    rotation: FloatArray,
    center: FloatArray,
    axes: list[FloatArray],
    scale: float,
) -> WorkspaceSlice:
    empty = np.zeros((len(axes[1]), len(axes[0])))
    blank = WorkspaceSlice(
        plane,
        center,
        rotation,
        axes[0],
        axes[1],
        scale,
        empty > 0,
        empty,
        empty.astype(np.int8),
        empty.astype(np.int8),
    )
    position = blank.positions().reshape(-1, 3)
    turned = np.broadcast_to(rotation, (len(position), 3, 3))
    length = strut_lengths(machine, position, turned)
    low, high = machine.length_limits
    excess = np.where(length > high, length - high, np.minimum(length - low, 0.0))
    worst = np.argmax(np.abs(excess), axis=1)
    inside = np.all(excess == 0.0, axis=1)
    limiting = np.where(inside, 0, (worst + 1) * np.sign(excess[np.arange(len(worst)), worst]))
    j = jacobian(machine, position, turned) / np.array([1.0, 1.0, 1.0, scale, scale, scale])
    # a joint on its foot has no direction
    j[~np.isfinite(j).all(axis=(1, 2))] = 0.0
    sigma = np.linalg.svd(j, compute_uv=False)
    dexterity = np.divide(sigma[:, 5], sigma[:, 0], out=np.zeros(len(sigma)), where=sigma[:, 0] > 0)
    shape = empty.shape
    return WorkspaceSlice(
        plane, center, rotation, axes[0], axes[1], scale, inside.reshape(shape), dexterity.reshape(shape),
        np.sign(np.linalg.det(j)).astype(np.int8).reshape(shape), limiting.astype(np.int8).reshape(shape),
    )  # fmt: skip


def _find_component(grid: WorkspaceSlice) -> NDArray[np.bool_]:
    """Return the connected part inside the limits nearest to the centre, shape (H, W)."""
    labels, count = label(grid.inside)
    if count == 0:
        return grid.inside
    away = np.linalg.norm(grid.positions() - grid.center, axis=2)
    return labels == labels.flat[np.argmin(np.where(grid.inside, away, np.inf))]
