# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Every trajectory's result as the start on every other trajectory (Oh 2003, 5.3.1).

On a linear model this finds no better minimum. It shows which directions are not in a trajectory's data: there the end
is the start.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pkm_identification.estimation.equations import Equations
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet

from .staged import (
    ALL,
    StagedResult,
    StageSettings,
    free_of,
    run_stage,
)


@dataclass(frozen=True)
class CrossCheck:
    """Every trajectory's result tried on every trajectory; first index: whose result, second: on which data.

    Attributes
    ----------
    names : tuple of str, length T
    ends : ndarray, shape (T, T, R)
        Ends of a stage 3 from that start, without nuisance parameters.
    std : ndarray, shape (T, R)
        Standard deviations of the ends on a trajectory, whatever the start.
    predicted : ndarray, shape (T, T)
        Error of the forces predicted with the start, rms in % of the force's.
    fitted : ndarray, shape (T, T)
        The same with the end.
    """

    names: tuple[str, ...]
    ends: FloatArray
    std: FloatArray
    predicted: FloatArray
    fitted: FloatArray

    @property
    def spread(self) -> FloatArray:
        """Largest less smallest end on a trajectory over all starts, shape (T, R), SI units."""
        return np.ptp(self.ends, axis=0)


def cross_check(
    results: Mapping[str, StagedResult],
    equations: Mapping[str, Equations],
    parameters: ParameterSet,
    settings: StageSettings | None = None,
) -> CrossCheck:
    """Each trajectory's result as the start of a stage 3 on each trajectory.

    Parameters
    ----------
    results, equations : mapping of str to StagedResult and to Equations
        By trajectory, in the same order.
    parameters : ParameterSet
    settings : StageSettings, optional
    """
    names = tuple(results)
    size, width = len(names), len(parameters.names) - parameters.nuisance
    ends, std = np.empty((size, size, width)), np.empty((size, width))
    predicted, fitted = np.empty((2, size, size))
    free = free_of(parameters, ALL)
    for i, first in enumerate(names):
        for j, second in enumerate(names):
            start, data = results[first].end, equations[second]
            stage = run_stage("3", data, parameters, free, start, settings)
            ends[i, j], std[j] = stage.values[:width], stage.std[:width]
            predicted[i, j], fitted[i, j] = (force_error(data, w) for w in (start, stage.values))
    return CrossCheck(names, ends, std, predicted, fitted)


def force_error(equations: Equations, values: FloatArray) -> float:
    """Error of the forces predicted with parameters (P,), rms in % of that of the measured force."""
    error = equations.measured - equations.regressor @ values
    return float(100.0 * np.sqrt(np.mean(error**2) / np.mean(equations.force**2)))
