# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The way down: a criterion's derivatives by all amplitudes of a motion, and steps along them.

The information of a motion is a sum over its samples, and a sample's part depends on three derivatives of each of n
displacements alone. So 3 n more evaluations of the regressor, each with one of these changed everywhere, give the
derivatives by every sample, and the tones lead from there to those by amplitudes: not one evaluation by amplitude. Out
of the limits a square of the excess is added; steps are SciPy's L-BFGS.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.simulation.waveforms import MultiSine

from .criteria import Criterion
from .subject import Response, Subject

_DIFFERENCE = 1e-6  # of a displacement's largest value
_ROOM = 0.99  # of the limits, from where on their use costs
_ITERATIONS = 40


class Ended(Exception):
    """The time is over."""


class Penalised:
    """A criterion and what it costs to leave the limits, with derivatives.

    Parameters
    ----------
    subject : Subject
    criterion : Criterion
        A smooth one.
    weight : float
        Of the mean square of what is above the limits.
    ended : callable
        Whether the time is over, asked between evaluations of the model: of some mechanisms they take long.
    """

    def __init__(
        self,
        subject: Subject,
        criterion: Criterion,
        weight: float,
        ended: Callable[[], bool] = lambda: False,
    ) -> None:
        self._subject, self._criterion, self._weight = subject, criterion, weight
        self._ended = ended

    def __call__(self, signal: MultiSine) -> tuple[float, FloatArray, FloatArray] | None:
        """The cost and its derivatives by sines and cosines, (n, K) each; None where the machine cannot be there.

        Raises
        ------
        Ended
            If the time is over.
        """
        subject = self._subject
        displacement = subject.waves.evaluate(signal)
        response = subject.response(displacement)
        if response is None:
            return None
        excess = np.maximum(response.use - _ROOM, 0.0)
        cost = self._criterion(response.rows) + self._weight * float(np.sum(excess**2)) / len(excess)
        by_columns, by_force = self._by_response(response)
        by_use = 2 * self._weight * excess / len(excess)
        sensitivity = tuple(np.zeros_like(part) for part in displacement)
        for order, part in enumerate(displacement):
            for i in range(part.shape[1]):
                if self._ended():
                    raise Ended
                step = _DIFFERENCE * max(float(np.abs(part[:, i]).max()), 1e-3)
                moved = [other.copy() for other in displacement]
                moved[order][:, i] += step
                there = subject.response((moved[0], moved[1], moved[2]))
                if there is None:
                    return None
                change = np.einsum("kip,kip->k", by_columns, there.columns - response.columns)
                change += np.einsum("ki,ki->k", by_force, there.force - response.force)
                change += np.einsum("ku,ku->k", by_use, there.use - response.use)
                sensitivity[order][:, i] = change / step
        return cost, *subject.waves.gradient((sensitivity[0], sensitivity[1], sensitivity[2]))

    def _by_response(self, response: Response) -> tuple[FloatArray, FloatArray]:
        """Derivatives of the criterion by the regressor (N, n, P), and by forces (N, n) through the weights."""
        slope, weight = self._criterion.slope(response.rows), 1.0 / response.rms**2
        by_columns = 2 * weight[:, None] * (response.columns @ slope)
        # the information that a drive's weight multiplies, times the slope
        share = 0.5 * np.einsum("kip,kip->i", by_columns, response.columns)
        by_force = -2 * share * weight * response.force / len(response.force)
        return by_columns, by_force


def descend(
    subject: Subject,
    criterion: Criterion,
    weight: float,
    start: MultiSine,
    seen: Callable[[MultiSine], None],
    ended: Callable[[], bool],
) -> MultiSine:
    """Return where so many steps from a motion lead.

    Parameters
    ----------
    subject, criterion, weight
        Of `Penalised`.
    start : MultiSine
    seen : callable
        Shown every step's motion, which may be out of the limits.
    ended : callable
        Whether the time is over.

    Raises
    ------
    Ended
        If it is, anywhere on the way.
    """
    cost = Penalised(subject, criterion, weight, ended)
    # reach falls with the frequency
    reach = np.sqrt(np.mean(start.sine**2 + start.cosine**2, axis=1))
    unit = reach[:, None] / np.maximum(start.frequency, 0.3)
    unit = np.where(unit > 0, unit, unit[unit > 0].min())
    shape = start.sine.shape

    def signal(x: FloatArray) -> MultiSine:
        sine, cosine = x.reshape(2, *shape) * unit
        return MultiSine(start.frequency, sine, cosine)

    def value(x: FloatArray) -> tuple[float, FloatArray]:
        if ended():
            raise Ended
        value = cost(signal(x))
        if value is None:
            # further than any machine can go: a wall, for the line search to turn at
            return 1e6, np.zeros_like(x)
        return value[0], (np.array(value[1:]) * unit).ravel()

    x = (np.array([start.sine, start.cosine]) / unit).ravel()
    optimum = minimize(
        value,
        x,
        jac=True,
        method="L-BFGS-B",
        callback=lambda x: seen(signal(x)),
        options={"maxiter": _ITERATIONS, "maxcor": 20},
    )
    return signal(optimum.x)
