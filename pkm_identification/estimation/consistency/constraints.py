# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What physical parameters obey, as linear matrix inequalities, and in words where an estimate does not.

Every condition of `layout` is F(w) = C + sum_j w_j A_j positive definite: a pseudo-inertia (4 x 4), a rod (2 x 2) or
one number. The set of physical parameters is therefore convex (Wensing, Kim and Slotine 2018).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from ..identifiability import IDENTIFIABLE
from .layout import BOUNDED, Layout, Slots, build_body_matrix


@dataclass(frozen=True)
class Inequality:
    """C + sum_j w_j A_j must be positive definite.

    Attributes
    ----------
    body : str
        Name of the body, 'rod', or the name of the parameter that is bounded.
    constant : ndarray, shape (n, n)
    slopes : ndarray, shape (P, n, n)
        Derivatives by the parameters, SI units.
    """

    body: str
    constant: FloatArray
    slopes: FloatArray

    def matrix(self, values: FloatArray) -> FloatArray:
        """F(w), shape (n, n), of parameters (P,)."""
        return self.constant + np.tensordot(values, self.slopes, axes=1)

    @property
    def involved(self) -> FloatArray:
        """Which parameters it is about, shape (P,)."""
        return np.any(self.slopes != 0.0, axis=(1, 2))


def inequalities(layout: Layout) -> list[Inequality]:
    """Return all conditions of a parameter set."""
    width = len(layout.parameters.names)
    conditions = []
    if layout.body.size:
        slots = Slots.of(layout)
        constant = build_body_matrix(slots, np.zeros(width))
        moments = np.array([build_body_matrix(slots, row) - constant for row in np.eye(width)])
        conditions.append(
            Inequality(layout.body_name, constant, np.tensordot(layout.lowering.T, moments, axes=1))
        )
    for rod, differences in zip(layout.rods, layout.differences, strict=True):
        mass, first, second = layout.lowering[rod]
        slopes = np.array([[second, first], [first, mass]]).transpose(2, 0, 1)
        for dm, dh, dj in np.unique(differences, axis=0):
            conditions.append(Inequality("rod", np.array([[dj, dh], [dh, dm]]), slopes))
    for k in np.nonzero(layout.kind == BOUNDED)[0]:
        constant = np.full((1, 1), -layout.floor[k])
        conditions.append(
            Inequality(layout.parameters.names[k], constant, layout.lowering[k].reshape(width, 1, 1))
        )
    return conditions


def is_physical(conditions: list[Inequality], values: FloatArray) -> bool:
    """Return whether parameters (P,) obey all conditions, strictly."""
    return all(_is_positive_definite(condition.matrix(values)) for condition in conditions)


def violations(layout: Layout, values: FloatArray, status: tuple[str, ...]) -> list[str]:
    """Return what no machine can have, in words; only of what is identified.

    Parameters
    ----------
    layout : Layout
    values : ndarray, shape (P,)
    status : tuple of str, length P
        A condition is judged when all its parameters are identifiable.
    """
    shown = np.array([one == IDENTIFIABLE for one in status])
    texts = []
    for condition in inequalities(layout):
        if np.any(condition.involved & ~shown) or _is_positive_definite(condition.matrix(values)):
            continue
        texts.append(describe_violation(layout, condition, values))
    return texts


def describe_violation(layout: Layout, condition: Inequality, values: FloatArray) -> str:
    """In words, how parameters (P,) break one condition."""
    if condition.body == layout.body_name:
        return _constrain_body(layout.body_name, condition.matrix(values))
    if condition.body == "rod":
        return "masses and moments of a strut are not those of a rigid rod"
    return _constrain_bound(layout, condition, values)


def _constrain_body(name: str, pseudo: FloatArray) -> str:
    mass = pseudo[3, 3]
    if not mass > 0.0:
        return f"the {name}'s mass is {mass:.4g} kg"
    centre = pseudo[:3, 3] / mass
    second = pseudo[:3, :3] - mass * np.outer(centre, centre)
    principal = np.linalg.eigvalsh(np.trace(second) * np.eye(3) - second)
    text = ", ".join(f"{value:.4g}" for value in principal)
    return (
        f"the {name}'s inertia is not that of a rigid body (principal moments {text} kg m^2: each must be positive "
        "and less than the sum of the other two)"
    )


def _constrain_bound(layout: Layout, condition: Inequality, values: FloatArray) -> str:
    names, units = layout.parameters.names, layout.parameters.units
    places = np.nonzero(condition.involved)[0]
    if len(places) == 1:
        k = int(places[0])
        bound = -float(condition.constant[0, 0] / condition.slopes[k, 0, 0])
        return f"{names[k]} is {values[k]:.4g} {units[k]}, must be greater than {bound:.4g}"
    terms = ", ".join(f"{names[k]} {values[k]:.4g}" for k in places)
    return f"moments of a strut are not those of a rigid body ({terms} {units[places[0]]})"


def _is_positive_definite(matrix: FloatArray) -> bool:
    try:
        np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return False
    return bool(np.all(np.isfinite(matrix)))
