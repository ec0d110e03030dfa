# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The noise floor where noise of the forces is not white: drives filter their torque channels.

Two estimates look at it from either side of the estimation band, and the smaller counts: the model's residual just
above the band, where there is little motion, and the force itself far above it, continued downwards as the noise that
a first-order low-pass leaves,

    S(f) = a / (1 + (f / f_c)^2) + w .

A model error is in the first, noise of the encoders in neither for long. No floor is below the white one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rows import segment_slices
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.butterworth import band_pass, zero_phase
from pkm_identification.signals.input_validation import ValidatedLog
from pkm_identification.signals.sections import response
from pkm_identification.signals.white_noise import LAGS, find_quantum, force_density

from ..experiment import Experiment
from ..model_errors.geometry import compute_friction
from ..model_errors.log_rows import LogRows
from ..model_errors.situation import Situation

ABOVE = (
    1.3,
    2.5,
)  # cutoffs of the estimation band: the residual there is noise, and of its density in the band
DERIVATIVES = 3  # of the model's force: with them a filter of an octave is as good as any delay of some ms
BANDS = 6
LOWEST, LOWEST_OF_RATE, HIGHEST_OF_RATE = 40.0, 0.03, 0.45  # Hz; of the sample rate: between, force is noise
LONGEST_S = 30.0  # of a log that are enough
CORNERS = 40  # of the low-pass that are tried, from half the lowest band to the highest
LEAST_OCTAVES = 2.0  # between the lowest and the highest band: less shows no shape


def measure_coloured_floor(experiment: Experiment, rows: Sequence[LogRows], basis: FloatArray) -> FloatArray:
    """Return the standard deviation (n,) of coloured noise of the forces in the estimation band.

    Parameters
    ----------
    experiment : Experiment
    rows : sequence of LogRows
        Of each log.
    basis : ndarray, shape (B,)
        Values of the model, which the residual is of.
    """
    band = experiment.settings.band
    squares, weights = [], []
    for log, own in zip(experiment.logs, rows, strict=True):
        above = _measure_above_band(own, basis, band)
        if above is None:
            continue
        # a stream's log holds none: far above the band its forces have been filtered
        far = np.inf if log.force is None else _continue_downwards(log, band)
        squares.append(np.minimum(above, far))
        weights.append(len(own.samples))
    if not squares:
        return np.zeros(len(experiment.machine.drives))
    return np.sqrt(np.average(squares, axis=0, weights=weights))


def _measure_above_band(rows: LogRows, basis: FloatArray, band: BandSettings) -> FloatArray | None:
    """Return the variance (n,) in the band by the residual's density just above it; None of logs too short.

    What a short linear filter makes of the model's force is no noise: delays, lags and gains of the forces, which the
    full model allows for in the band.
    """
    rate = 1.0 / band.period
    low, high = (min(factor * band.cutoff, HIGHEST_OF_RATE * rate) for factor in ABOVE)
    if high < 1.2 * low:
        return None
    situation = Situation.of_samples(rows, basis)
    motion = rows.motion
    model = rows.machine.compute_forces(motion, basis) + compute_friction(situation, motion.rate)
    residual = rows.force - model
    sections = band_pass(4, low, high, rate)
    settling = round(4.0 / (high - low) * rate)
    power, count = np.zeros(residual.shape[1]), 0
    drives = range(residual.shape[1])
    for part in segment_slices(rows.samples.segment):
        if part.stop - part.start > 4 * settling:
            passed = zero_phase(sections, residual[part])[settling:-settling]
            filtered = [zero_phase(sections, model[part])[settling:-settling]]
            for _ in range(DERIVATIVES):
                filtered.append(np.gradient(filtered[-1], axis=0))
            columns = np.stack(filtered, axis=2)
            power += [_separate(columns[:, k], passed[:, k]) for k in drives]
            count += len(passed)
    if not count:
        return None
    frequency, step = _list_frequencies(rate)
    width = float(np.sum(np.abs(response(sections, frequency, rate)) ** 4) * step)
    return power / count / width * _integrate(band, np.ones_like(frequency))


def _separate(columns: FloatArray, values: FloatArray) -> float:
    """Return the sum of squares of values (N,) that is in none of some columns (N, q)."""
    scaled = columns / np.maximum(np.sqrt(np.mean(columns**2, axis=0)), 1e-300)
    gram = scaled.T @ scaled + 1e-9 * len(values) * np.eye(scaled.shape[1])
    return float(np.sum((values - scaled @ np.linalg.solve(gram, scaled.T @ values)) ** 2))


def _continue_downwards(log: ValidatedLog, band: BandSettings) -> FloatArray:
    """Return the variance (n,) in the band by the force far above it; infinite where no shape can be seen."""
    rate = 1.0 / band.period
    part = max(segment_slices(log.segment), key=lambda one: one.stop - one.start)
    part = slice(part.start, min(part.stop, part.start + round(LONGEST_S * rate)))
    lowest, highest = max(LOWEST, LOWEST_OF_RATE * rate, ABOVE[1] * band.cutoff), HIGHEST_OF_RATE * rate
    nothing = np.full(log.force.shape[1] if log.force is not None else 0, np.inf)
    if log.force is None or highest < lowest * 2.0**LEAST_OCTAVES or part.stop - part.start < 64 * LAGS:
        return nothing
    edges = np.geomspace(lowest, highest, BANDS + 1)
    force, quantum = log.force[part], find_quantum(log.force[part])
    densities = np.array(
        [
            force_density(
                force, log.coordinate[part], band.period, quiet=(low / rate, high / rate), quantum=quantum
            )
            for low, high in pairwise(edges)
        ]
    )
    middle = np.sqrt(edges[:-1] * edges[1:])
    frequency, _ = _list_frequencies(rate)
    found = nothing.copy()
    for k, density in enumerate(densities.T):
        if not np.all(density > 0.0):
            continue
        best = np.inf
        for corner in np.geomspace(0.5 * lowest, highest, CORNERS):
            # relative errors are alike in all bands
            shape = np.column_stack([1.0 / (1.0 + (middle / corner) ** 2), np.ones(BANDS)]) / density[:, None]
            (a, w), error = _fit_positive(shape)
            if error < best:
                best = error
                found[k] = _integrate(band, a / (1.0 + (frequency / corner) ** 2) + w)
    return found


def _fit_positive(columns: FloatArray) -> tuple[FloatArray, float]:
    """Return two factors (2,), none negative, of columns (N, 2) whose sum is nearest to one, and the distance.

    Where one of the best two is negative, it is 0: the cost is convex.
    """
    ones = np.ones(len(columns))
    factors = np.asarray(np.linalg.lstsq(columns, ones, rcond=None)[0], dtype=float)
    if factors.min() < 0.0:
        alone = np.diag(np.maximum(ones @ columns, 0.0) / np.sum(columns**2, axis=0))
        factors = min(alone, key=lambda one: float(np.linalg.norm(columns @ one - ones)))
    return factors, float(np.linalg.norm(columns @ factors - ones))


def _list_frequencies(rate: float) -> tuple[FloatArray, float]:
    step = 0.5 * rate / 8192
    return np.asarray((np.arange(8192) + 0.5) * step, dtype=float), step


def _integrate(band: BandSettings, density: FloatArray) -> FloatArray:
    """Return the variance that noise of a density at `_list_frequencies` has in the band, both passes."""
    rate = 1.0 / band.period
    frequency, step = _list_frequencies(rate)
    return np.sum(np.abs(response(band.sections, frequency, rate)) ** 4 * density) * step
