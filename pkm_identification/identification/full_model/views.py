# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Values that are reported of a posterior."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.machines.knowledge import Knowledge
from pkm_identification.numerics.arrays import FloatArray

from .posterior import Posterior
from .sums import build_views


@dataclass(frozen=True)
class Views:
    """Values that are reported: r of them, with their slopes by the unknowns.

    Attributes
    ----------
    names, units : tuple of str
    values : ndarray, shape (r,)
    slopes : ndarray, shape (r, p)
    sizes : ndarray, shape (r,)
        What a value can be, where it can be 0; 0 of masses and moments of inertia, which cannot.
    factors : ndarray, shape (P, B)
        Of the basis in the first of them; the others are masses that it hides.
    nominal : ndarray, shape (r,)
        As the file has them.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    values: FloatArray
    slopes: FloatArray
    sizes: FloatArray
    factors: FloatArray
    nominal: FloatArray

    def find_gained(self, posterior: Posterior) -> FloatArray:
        """Return what a factor of all forces multiplies in each value, (r,)."""
        gained = self.values.copy()
        gained[: len(self.factors)] += self.factors @ posterior.inside
        return gained

    def view_at(
        self, posterior: Posterior, number: int, unknowns: FloatArray, values: FloatArray, slope: FloatArray
    ) -> tuple[float, FloatArray]:
        """Return one of the sums and its slope (p,) at other unknowns (p,), where the model has values and slope."""
        if number >= len(self.factors):
            return posterior.model.compute_hidden_masses(unknowns)[number - len(self.factors)][1:]
        basis, own = posterior.equations.basis, self.factors[number]
        return float(self.values[number] + own @ (values[:basis] - posterior.basis)), own @ slope[:basis]


def build_posterior_views(posterior: Posterior) -> Views:
    """Return the sums of the machine that its logs are asked for, and masses of bodies that are in none of them.

    Those are at the mode; `view_at` has one of them elsewhere.
    """
    full, mode = posterior.equations, posterior.mode
    machine = full.machine
    parameters = machine.build_parameter_set(machine.sums_set)
    factors, offsets = build_views(parameters, tuple(machine.basis.names))
    values = factors @ posterior.basis + offsets
    slopes = factors @ mode.slope[: full.basis]
    each, positive = find_basis_sizes(machine.knowledge, machine.rows_of_bodies)
    for k, entry in enumerate(full.problem.parameters.entries[: full.basis]):
        if entry.kind.friction and entry.size is not None:
            each[k] = entry.size
    named = {name: k for k, name in enumerate(machine.basis.names)}
    rows = [
        np.arange(len(each)) == named[name] if name in named else row
        for name, row in zip(parameters.names, factors, strict=True)
    ]
    sizes = [
        0.0
        if np.all(positive[row != 0.0]) and np.all(row >= 0.0)
        else float(np.max(each[row != 0.0], initial=0.0))
        for row in rows
    ]
    masses = posterior.model.compute_hidden_masses(mode.unknowns)
    of_file = posterior.model.compute_hidden_masses(np.zeros_like(mode.unknowns))
    return Views(
        (*parameters.names, *(name for name, _, _ in masses)),
        (*parameters.units, *["kg"] * len(masses)),
        np.concatenate([values, [value for _, value, _ in masses]]),
        np.vstack([slopes, *[slope for _, _, slope in masses]]),
        np.array([*sizes, *[0.0] * len(masses)]),
        factors,
        np.concatenate([factors @ machine.basis.nominal + offsets, [value for _, value, _ in of_file]]),
    )


def find_basis_sizes(
    knowledge: Knowledge, rows_of_bodies: tuple[FloatArray, ...]
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return what an entry of the basis (B,) can be, 0 of what is no body's, and which are positive of any body.

    That is mass, mass times radius of gyration and the moments of the bodies that it belongs to; positive are masses,
    moments about axes, and sums of them.
    """
    sizes = np.zeros(len(rows_of_bodies[0]))
    positive = np.any([np.any(rows, axis=1) for rows in rows_of_bodies], axis=0)
    for body, rows in zip(knowledge.bodies, rows_of_bodies, strict=True):
        mass = body.mass.value or body.mass.width
        moments = np.array([one.value or one.width for one in body.moments])
        moment = float(np.mean(moments))
        own = np.concatenate([[mass], np.full(3, np.sqrt(mass * moment)), np.full(6, moment)])
        sizes = np.maximum(sizes, np.abs(rows) @ own)
        positive &= ~np.any(rows[:, [1, 2, 3, 7, 8, 9]], axis=1) & np.all(rows >= 0.0, axis=1)
    return sizes, positive
