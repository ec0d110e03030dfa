# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Places of joints in exact numbers: frames, their products and inverses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from ..description.records import NO_VECTOR, Joint
from ..numbers.exact import ONE, ZERO, Exact, ExactVector, cross_product, dot_product, unit_vector

ExactMatrix = tuple[ExactVector, ExactVector, ExactVector]  # rows
IDENTITY: ExactMatrix = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


@dataclass(frozen=True)
class Placement:
    """A frame in another: its origin (m), and its axes as the columns of a rotation."""

    origin: ExactVector
    rotation: ExactMatrix

    def __matmul__(self, other: Placement) -> Placement:
        origin = tuple(
            x + dot_product(row, other.origin) for x, row in zip(self.origin, self.rotation, strict=True)
        )
        columns = build_transpose_columns(other.rotation)
        return Placement(
            origin,
            _build_matrix(
                tuple(tuple(dot_product(row, column) for column in columns) for row in self.rotation)
            ),
        )

    def inverse(self) -> Placement:
        """Return the other frame in this one."""
        back = build_transpose_columns(self.rotation)
        return Placement(tuple(-dot_product(row, self.origin) for row in back), back)

    @property
    def nothing(self) -> bool:
        """Whether the frames are the same."""
        return self.origin == NO_VECTOR and self.rotation == IDENTITY


HERE = Placement(NO_VECTOR, IDENTITY)


def build_transpose_columns(matrix: ExactMatrix) -> ExactMatrix:
    """Return columns as rows."""
    return _build_matrix(tuple(tuple(row[k] for row in matrix) for k in range(3)))


def joint_frames(joint: Joint) -> tuple[Placement, Placement]:
    """Return the joint's frame in the frames of its two bodies; they coincide where its coordinates are zero.

    A revolute, prismatic or planar joint has its axis along z and the reference along x; a universal joint its first
    axis along x and its second along y; a spherical one the axes of the bodies.
    """
    return _build_frame(joint, 0), _build_frame(joint, 1)


def _build_frame(joint: Joint, side: int) -> Placement:
    return Placement(
        joint.place[side], _build_rotation(joint.type, side, joint.axis[side], joint.reference[side])
    )


@lru_cache(maxsize=4096)  # hundreds of machines are made that differ in places alone
def _build_rotation(kind: str, side: int, axis: ExactVector, reference: ExactVector) -> ExactMatrix:
    if kind == "spherical":
        return IDENTITY
    if kind in ("universal", "no_spin"):
        x, y = (unit_vector(axis), unit_vector(reference))[:: 1 if side == 0 else -1]
        return _list_columns(x, y, cross_product(x, y))
    z = unit_vector(axis)
    along = dot_product(reference, z)
    x = unit_vector(tuple(r - along * a for r, a in zip(reference, z, strict=True)))
    return _list_columns(x, cross_product(z, x), z)


def _list_columns(x: ExactVector, y: ExactVector, z: ExactVector) -> ExactMatrix:
    return build_transpose_columns(_build_matrix((x, y, z)))


def _build_matrix(rows: tuple[tuple[Exact, ...], ...]) -> ExactMatrix:
    return rows[0], rows[1], rows[2]
