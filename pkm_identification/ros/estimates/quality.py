# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How good an estimate is, in one line for the diagnostics: what is usable, settled, worst known, lacking."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from pkm_identification.estimation.convergence import FALSE_ALARM
from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.identifiability.status import IDENTIFIABLE, IN_DOUBT
from pkm_identification.numerics.arrays import FloatArray

LITTLE = 0.02  # of the fastest motion in any axis: as good as none
FEWEST_NAMES = 3
SHRUNK = 0.9  # of a standard deviation, after which an estimate is remembered
MOST_REMEMBERED = 200


class EstimateQuality:
    """Follows estimates and the machine's motion, and says in words what they are worth.

    Settled means: since half of what is known of a parameter had come, it has moved by no more than chance lets it;
    by how much is that of `estimation.convergence`, parameter by parameter.

    Parameters
    ----------
    axes : sequence of str
        In which ways it moves (`MotionAxes`).
    scale : ndarray, shape (P,)
        Sizes of the parameters: what is zero is known by its share of them.
    """

    def __init__(self, axes: Sequence[str], scale: FloatArray) -> None:
        self._axes = tuple(axes)
        self._scale = scale
        self.begin()

    def begin(self) -> None:
        """Forget everything: estimation starts afresh."""
        self._fastest = np.zeros(len(self._axes))
        self._remembered: list[tuple[FloatArray, FloatArray]] = []
        self._latest: ParameterEstimate | None = None

    def note_motion(self, paces: FloatArray) -> None:
        """Note how fast the machine moves in each way, of one unit."""
        np.maximum(self._fastest, paces, out=self._fastest)

    def take(self, estimate: ParameterEstimate) -> None:
        """Note the latest estimate."""
        self._latest = estimate
        if not self._remembered or np.any(estimate.std < SHRUNK * self._remembered[-1][1]):
            self._remembered.append((estimate.values, estimate.std))
            if len(self._remembered) > MOST_REMEMBERED:
                # of an estimator that forgets, deviations fall and rise for ever
                del self._remembered[: MOST_REMEMBERED // 2]

    def settled(self, estimate: ParameterEstimate) -> bool:
        """Return whether no identified parameter still moves by more than chance makes it."""
        shown = [i for i, status in enumerate(estimate.status) if status == IDENTIFIABLE]
        limit = -NormalDist().inv_cdf(0.5 * FALSE_ALARM / max(len(shown), 1))
        for i in shown:
            known = estimate.std[i]
            halves = (
                values[i] for values, std in reversed(self._remembered) if std[i] ** 2 >= 2.0 * known**2
            )
            half = next(halves, None)
            if half is None or abs(estimate.values[i] - half) > limit * known:
                return False
        return True

    def summary(self, fit_ratio: float | None) -> str:
        """Return the line; `fit_ratio` is the residual over the noise, None before it was judged."""
        estimate = self._latest
        if estimate is None:
            return "waiting for motion: nothing learned yet"
        identified = np.array([status == IDENTIFIABLE for status in estimate.status])
        doubted = np.array([status == IN_DOUBT for status in estimate.status])
        shown = identified | doubted
        parts = [f"{np.count_nonzero(identified)} of {len(shown)} usable"]
        if doubted.any():
            why = "" if fit_ratio is not None else " until the fit is assessed"
            parts.append(f"{np.count_nonzero(doubted)} affected{why}")
        if identified.any():
            parts.append("settled" if self.settled(estimate) else "settling")
            size = np.maximum(np.abs(estimate.values), self._scale)
            share = np.where(identified, estimate.std / size, -np.inf)
            worst = int(np.argmax(share))
            parts.append(f"worst {estimate.names[worst]} {100.0 * share[worst]:.2g} %")
        if fit_ratio is not None:
            parts.append(f"fit {fit_ratio:.2g} x noise")
        if not shown.all():
            parts.append(self._lacking(estimate, shown))
        return ", ".join(parts)

    def _lacking(self, estimate: ParameterEstimate, shown: FloatArray) -> str:
        """Return what would have to move, or which parameters are not known where everything does."""
        pace = self._fastest
        still = [axis for axis, one in zip(self._axes, pace, strict=True) if one <= LITTLE * pace.max()]
        if still:
            return f"waiting for excitation: no {', no '.join(still)} yet"
        unknown = [name for name, is_shown in zip(estimate.names, shown, strict=True) if not is_shown]
        more = f" and {len(unknown) - FEWEST_NAMES} more" if len(unknown) > FEWEST_NAMES else ""
        return f"not yet: {', '.join(unknown[:FEWEST_NAMES])}{more}"
