# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction that changes while the machine runs: noticed on the innovations, then made uncertain again.

Masses do not change by themselves; friction does, with temperature, wear and lubrication, over minutes. A constant
random walk that can follow such a drift forgets all but the last seconds for ever. Here the friction parameters stand
still, as all others, until the last equations are explained significantly better by other friction; those that have
moved are then made as uncertain as they have moved, and the next equations place them anew. A steady drift repeats that
every second or two.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.estimation.change_detection import ChangeFit, ChangeTest
from pkm_identification.estimation.filters.recursive import RecursiveEstimator
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet

WINDOW = 100  # equations, four seconds
# Twice the log likelihood ratio taken for drift: chi-square of 12 exceeds it once in 1e11 windows.
DRIFTED = 80.0
MOVED = 4.0  # standard deviations by which a parameter must have moved to be made uncertain again
EVERY = 5  # equations from one look to the next


def _list_friction(parameters: ParameterSet) -> list[int]:
    return [k for k, entry in enumerate(parameters.entries) if entry.kind.friction]


def friction_walk(parameters: ParameterSet, share: float) -> FloatArray:
    """Return standard deviation (P,) per step of a random walk of friction alone, in shares of the nominal values."""
    std = np.zeros(len(parameters.names))
    which = _list_friction(parameters)
    std[which] = share * np.abs(parameters.nominal[which])
    return std


class FrictionDrift:
    """Watches the friction among a set's parameters.

    Parameters
    ----------
    parameters : ParameterSet
        Of the machine.
    std : ndarray, shape (P,)
        Standard deviations of the prior.
    outputs : int

    Attributes
    ----------
    which : ndarray of int64, shape (q,)
        Places of friction among the parameters.
    std : ndarray, shape (q,)
        Standard deviations of their prior.
    test : ChangeTest
        Of equations whitened by `whitened_innovation` with the columns of `which` per `std`.
    opened : int
        How often friction was made uncertain again.
    """

    def __init__(self, parameters: ParameterSet, std: FloatArray, outputs: int) -> None:
        self.which = np.array(_list_friction(parameters))
        self.std = std[self.which]
        self.test = ChangeTest(len(self.which), outputs, (WINDOW,), WINDOW)
        self.opened = 0

    @staticmethod
    def possible(parameters: ParameterSet) -> bool:
        """Return whether there is friction among the parameters."""
        return bool(_list_friction(parameters))

    def clear(self) -> None:
        """Forget the equations seen."""
        self.test.clear()

    def fit(self, count: int) -> ChangeFit:
        """Change of friction that explains the newest equations best."""
        return self.test.fit(count)

    def due(self) -> bool:
        """Return whether it is time to look."""
        return self.test.count % EVERY == 0

    def detected(self, rival: ChangeTest) -> bool:
        """Return whether friction has changed, and explains the newest equations better than a payload does."""
        if self.test.gains()[0] < DRIFTED:
            return False
        self._change = self.test.fit(WINDOW)
        return self._change.evidence > rival.fit(WINDOW).evidence

    def open_if_explained(self, estimator: RecursiveEstimator, rival: ChangeTest, count: int) -> None:
        """Make friction uncertain again if it explains the newest `count` equations better than a payload does."""
        self._change = self.test.fit(count)
        if self._change.gain > DRIFTED and self._change.evidence > rival.fit(count).evidence:
            self.open(estimator)

    def open(self, estimator: RecursiveEstimator) -> None:
        """Make the friction that has moved as uncertain as it has moved, and begin to watch anew."""
        moved = np.where(np.abs(self._change.change) > MOVED * self._change.std, self._change.change, 0.0)
        covariance = estimator.filter.covariance
        covariance[self.which, self.which] += (moved * self.std) ** 2
        estimator.filter.start_from(estimator.filter.mean, covariance)
        self.opened += 1
        self.clear()
