# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Whether a part of the load swings: the frequency and the damping that explain most of what a model leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from ..model_errors.platform.resonance import compute_resonances
from ..model_errors.situation import Situation

SLOWEST, FASTEST = 0.4, 1.5  # Hz; cutoffs of the band: what swings slower is a spring, faster a mass
STEP = 1.15  # from one frequency to the next: less than a resonance of DAMPING is wide
DAMPING = 0.07  # over the critical one, of the search
LARGEST_DAMPING = 0.7
WORTH = 0.2  # of the residual's power: what explains less is not what is wrong
SEARCHES = 40  # computations of a better frequency and damping


def find_resonance(
    situations: Sequence[Situation], columns: FloatArray, residual: FloatArray, noise: FloatArray
) -> tuple[float, float] | None:
    """Return frequency in Hz and damping of a load that swings; None where none explains much of a residual.

    Parameters
    ----------
    situations : sequence of Situation
        Of each log.
    columns : ndarray, shape (K, n, T)
        Of all that is in the model.
    residual : ndarray, shape (K, n)
    noise : ndarray, shape (n,)
        Standard deviations of the forces: one drive alone may swing.
    """
    from scipy.optimize import minimize  # slow to load, and seldom needed

    measure_share = _build_measure(situations, columns / noise[:, None], residual / noise, noise)
    cutoff = situations[0].rows.band.cutoff
    grid = np.geomspace(SLOWEST, FASTEST * cutoff, round(np.log(FASTEST * cutoff / SLOWEST) / np.log(STEP)))
    shares = [measure_share(one, DAMPING) for one in grid]
    if max(shares) < WORTH:
        return None
    best = float(grid[int(np.argmax(shares))])
    begin = [[best, DAMPING], [best * STEP, DAMPING], [best, 2.0 * DAMPING]]
    most = np.log([FASTEST * cutoff, LARGEST_DAMPING])
    found = minimize(  # type: ignore[call-overload]
        lambda at: -measure_share(*np.exp(np.minimum(at, most))),
        np.log([best, DAMPING]), method="Nelder-Mead",
        options={"maxfev": SEARCHES, "initial_simplex": np.log(begin)},
    )  # fmt: skip
    frequency, damping = np.exp(np.minimum(found.x, most)).tolist()
    return frequency, damping


def _build_measure(
    situations: Sequence[Situation], columns: FloatArray, residual: FloatArray, noise: FloatArray
) -> Callable[[float, float], float]:
    """Return what measures the share of a whitened residual that a frequency and a damping explain beside columns."""
    basis, _ = np.linalg.qr(columns.reshape(residual.size, -1))
    left = residual.ravel()
    left = left - basis @ (basis.T @ left)

    def measure_share(frequency: float, damping: float) -> float:
        made = np.concatenate([compute_resonances(one, frequency, damping) for one in situations])
        own = (made / noise[:, None]).reshape(len(left), -1)
        own = own - basis @ (basis.T @ own)
        fitted = own @ np.linalg.lstsq(own, left, rcond=1e-9)[0]
        return float(fitted @ fitted / max(float(left @ left), 1e-300))

    return measure_share
