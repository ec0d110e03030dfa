# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The smallest set of parameters that predicts the forces of some motions within a stated bound.

Parameters with the smallest s_k = |C_k z_k| / |tau| are taken for zero as long as the sum of their s_k is within the
bound: the forces change by less than that sum, by the triangle inequality. Columns that depend on others cost nothing:
what they did is given to the others (Ebrahimi and Kövecses 2009 and base combinations together).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.estimation.identifiability import base_parameters
from pkm_identification.estimation.identifiability.contributions import parameter_contributions
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet

from ..excitation.advice import single_axis
from ..excitation.subject import Subject


@dataclass(frozen=True)
class Reduced:
    """What is left of a set.

    Attributes
    ----------
    values : dict of str to float
        The parameters that stay, SI units, with what others gave them.
    small : dict of str to float
        Taken for zero, with their s_k.
    given : tuple of str
        Dependent on others in these motions.
    below : float
        The bound that was asked for, a part of the forces' norm.
    bound, error : float
        What is proven of the motions, and what it is.
    held_bound, held_error : float or None
        The same of motions that were held out: sum of the s_k there, with what the dependent columns' part changes.
    elsewhere : tuple of (str, str, float)
        Of what left: a motion in which it would matter most, and its s_k there.
    """

    values: dict[str, float]
    small: dict[str, float]
    given: tuple[str, ...]
    below: float
    bound: float
    error: float
    held_bound: float | None
    held_error: float | None
    elsewhere: tuple[tuple[str, str, float], ...]


def reduce_set(
    parameters: ParameterSet,
    columns: FloatArray,
    below: float,
    held: FloatArray | None = None,
    subject: Subject | None = None,
    row_scale: FloatArray | None = None,
) -> Reduced:
    """Reduce a set for motions.

    Parameters
    ----------
    parameters : ParameterSet
    columns : ndarray, shape (N, n, P)
        Regressor of the motions.
    below : float
        Largest change of the forces, a part of their norm.
    held : ndarray, shape (M, n, P), optional
        Of motions to try it on.
    subject : Subject, optional
        To look for motions in which what left would matter.
    row_scale : ndarray, shape (n,), optional
        What each drive's rows are divided by, where forces and torques stand side by side.

    Raises
    ------
    SettingsError
        If nothing would stay.
    """
    per_drive = 1.0 if row_scale is None else row_scale[:, None]
    columns = columns / per_drive
    rows = columns.reshape(-1, len(parameters))
    kinds = [entry.kind for entry in parameters.entries]
    size = parameter_contributions(rows, parameters.nominal, kinds).size
    order = np.argsort(size, kind="stable")
    small = np.sort(order[np.cumsum(size[order]) <= below])
    rest = np.setdiff1d(np.arange(len(parameters)), small)
    if not rest.size:
        raise SettingsError(f"--drop-below {100 * below:g}: no parameter of the set would stay")
    base = base_parameters(columns[:, :, rest], tuple(parameters.names[k] for k in rest))
    kept, gone = rest[base.independent], rest[base.grouped]
    values = parameters.nominal[kept] + base.coefficients @ parameters.nominal[gone]

    def change(of: FloatArray) -> float:
        whole = of @ parameters.nominal
        return float(np.linalg.norm(of[:, kept] @ values - whole) / np.linalg.norm(whole))

    held_bound = held_error = None
    if held is not None:
        there = (held / per_drive).reshape(-1, len(parameters))
        sizes = parameter_contributions(there, parameters.nominal, kinds).size
        moved = there[:, gone] - there[:, kept] @ base.coefficients
        share = np.linalg.norm(moved * parameters.nominal[gone], axis=0) / np.linalg.norm(
            there @ parameters.nominal
        )
        held_bound, held_error = float(sizes[small].sum() + share.sum()), change(there)
    left = [int(k) for k in (*small, *gone)]
    return Reduced(
        {parameters.names[k]: float(value) for k, value in zip(kept, values, strict=True)},
        {parameters.names[k]: float(size[k]) for k in small},
        tuple(parameters.names[k] for k in gone),
        below,
        float(size[small].sum()),
        change(rows),
        held_bound,
        held_error,
        () if subject is None else _find_other_motion(parameters, subject, left, per_drive),
    )


def _find_other_motion(
    parameters: ParameterSet,
    subject: Subject,
    left: Sequence[int],
    per_drive: FloatArray | float,
) -> tuple[tuple[str, str, float], ...]:
    """For each parameter that left the single-axis motion in which its s_k is largest."""
    motions = []
    for text, response in single_axis(subject):
        rows = (response.columns / per_drive).reshape(-1, len(parameters))
        parts = np.linalg.norm(rows * parameters.nominal, axis=0)
        motions.append((text, parts / np.linalg.norm(rows @ parameters.nominal)))
    best_motions = []
    for k in left:
        if motions:
            text, sizes = max(motions, key=lambda one: float(one[1][k]))
            best_motions.append((parameters.names[k], text, float(sizes[k])))
    return tuple(best_motions)
