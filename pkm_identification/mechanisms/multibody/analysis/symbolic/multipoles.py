# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Multipoles as ten inertial parameters: m, first moments, and inertia xx, yy, zz, xy, xz, yz about the body's origin.

A monopole is a point mass; a dipole a pair of opposite ones close together, the derivative of a monopole along a
direction; a quadrupole the second derivative, half of it. Inertia is I = tr(Q) 1 - Q of a second moment Q (Iriarte et
al. 2017, on inertia transfers).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...numbers.exact import ONE, ZERO, Exact, ExactVector, dot_product

Ten = tuple[Exact, ...]
MONOPOLE, DIPOLE, QUADRUPOLE = "monopole", "dipole", "quadrupole"
_NONE: ExactVector = (ZERO, ZERO, ZERO)
_PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


def monopole(p: Sequence[Exact]) -> Ten:
    """Return a mass of one at a point."""
    return (ONE, *p, *_compute_inertia(p, p))


def dipole(p: Sequence[Exact], e: Sequence[Exact]) -> Ten:
    """Return a first moment of one along a direction, its pair of masses at a point."""
    once, again = _compute_inertia(p, e), _compute_inertia(e, p)
    return (ZERO, *e, *(a + b for a, b in zip(once, again, strict=True)))


def quadrupole(e: Sequence[Exact]) -> Ten:
    """Return a second moment of one along a direction."""
    return (ZERO, *_NONE, *_compute_inertia(e, e))


def inertia(e: Sequence[Exact], f: Sequence[Exact]) -> Ten:
    """Return the symmetric part of the tensor e f, as moments and products of inertia."""
    return (ZERO, *_NONE, *((e[i] * f[j] + f[i] * e[j]) / 2 for i, j in _PAIRS))


def _compute_inertia(p: Sequence[Exact], q: Sequence[Exact]) -> Ten:
    """Inertia of the second moment p q, symmetric part."""
    trace = dot_product(p, q)
    return tuple((trace if i == j else ZERO) - (p[i] * q[j] + q[i] * p[j]) / 2 for i, j in _PAIRS)
