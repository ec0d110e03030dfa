# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Sums of bodies that forces depend on, and the numbers of bodies behind them."""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet


def build_views(parameters: ParameterSet, names: tuple[str, ...]) -> tuple[FloatArray, FloatArray]:
    """Return what makes of the basis (B,) values of a set's parameters: factors (P, B) and offsets (P,).

    Parameters
    ----------
    parameters : ParameterSet
        Without nuisance, and with no number of the file in its mapping.
    names : tuple of str, length B
        Of the basis.
    """
    factors = np.asarray(np.linalg.pinv(parameters.mapping), dtype=float)
    offsets = -factors @ parameters.known
    index = {name: k for k, name in enumerate(names)}
    for row, name in enumerate(parameters.names):
        if name in parameters.sums:
            factors[row], offsets[row] = 0.0, 0.0
            for term, factor in parameters.sums[name].items():
                factors[row, index[term]] = factor
    return factors, offsets


def share_among_bodies(machine: Machine, values: FloatArray) -> FloatArray:
    """Return values (B,) of the basis with the sums of others, and all else of its bodies as the file has it.

    What a fit finds of sums it has given to one body of each, whose others have no mass: forces are the same, but no
    more where joints are elsewhere.
    """
    nominal, parameters = machine.basis.nominal, machine.build_parameter_set(machine.sums_set)
    factors, _ = build_views(parameters, tuple(machine.basis.names))
    shared = nominal + parameters.mapping @ (factors @ (values - nominal))
    of_bodies = np.any([np.any(rows, axis=1) for rows in machine.rows_of_bodies], axis=0)
    return np.where(of_bodies, shared, values)
