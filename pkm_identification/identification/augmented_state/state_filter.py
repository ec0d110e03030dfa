# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Kalman filter and smoother of drives' states, with what their innovations say of parameters.

The state filter runs with the centre's values. How its state and innovations depend on others is a linear recursion,

    D- = A D + B ,   innovation(w) = innovation - H D- (w - centre) ,   D = (1 - K H) D- ,

by which the parameters are a filter of their own: Friedland's separation of a constant bias (IEEE Trans. AC-14, 1969),
equal to one filter of states and parameters together. Innovations add gradient and information of the likelihood.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel

# so many coordinates outside the gate in a row mean that the state is lost, not that samples are bad
MAX_GATED_RUN = 25


class Measured(NamedTuple):
    """Coordinates less the centre's (N, n), whether they count (N,), where segments begin (N,); readings (N, R)."""

    coordinate: FloatArray
    counts: Any
    begins: Any
    readings: FloatArray


class Levels(NamedTuple):
    """Standard deviations of coordinates, forces (n,), readings (R,), rates at a segment's start (n,); largest NIS."""

    coordinate: FloatArray
    force: FloatArray
    readings: FloatArray
    start: FloatArray
    start_rate: FloatArray
    gate: float


class Pass(NamedTuple):
    """What a filter writes down of N samples.

    Whether the state began afresh (N,) and coordinates were used (N,); predicted states (N, 2n) less the centre's and
    covariances (N, 2n, 2n); innovations (N, n) and NIS (N,); readings used (1,), squared NIS of them (1,); gradient
    (K, U) and information (K, U, U) that each `stride` samples add at the centre's values.
    """

    fresh: Any
    used: Any
    state: FloatArray
    covariance: FloatArray
    innovation: FloatArray
    nis: FloatArray
    counts: Any
    reading_nis: FloatArray
    gradient: FloatArray
    information: FloatArray
    stride: int


@kernel
def _write_transition(by_state, period, matrix):
    """Write the transition (2n, 2n) of a state over a period."""
    n = by_state.shape[0]
    for i in range(n):
        for j in range(2 * n):
            matrix[n + i, j] = by_state[i, j]
            matrix[i, j] = 0.5 * period * by_state[i, j]
        matrix[i, i] += 1.0
        matrix[i, n + i] += 0.5 * period


@kernel
def filter_states(steps, rows, measured, levels, rate, period, record):
    """Filter N samples around a centre whose rates are `rate` (N, n); `record` is written."""
    count, n = measured.coordinate.shape
    size, unknowns, readings = 2 * n, steps.by_values.shape[2], measured.readings.shape[1]
    state, covariance = np.zeros(size), np.zeros((size, size))
    matrix, pushed = np.zeros((size, size)), np.zeros((size, n))
    sensitivity, before = np.zeros((size, unknowns)), np.zeros((size, unknowns))
    run = 0
    for m in range(count):
        fresh = measured.begins[m] or run >= MAX_GATED_RUN
        record.fresh[m] = fresh
        if fresh:
            run = 0
            covariance[:, :] = 0.0
            sensitivity[:, :] = 0.0
            for i in range(n):
                state[i], state[n + i] = measured.coordinate[m, i], -rate[m, i]
                covariance[i, i] = levels.start[i] ** 2
                covariance[n + i, n + i] = levels.start_rate[i] ** 2
        else:
            step = m - 1
            _write_transition(steps.by_state[step], period, matrix)
            old_state, old_covariance = state.copy(), covariance.copy()
            before[:, :] = sensitivity
            for i in range(n):
                for j in range(n):
                    pushed[n + i, j] = steps.by_force[step, i, j] * levels.force[j]
                    pushed[i, j] = 0.5 * period * pushed[n + i, j]
            crossed = matrix @ covariance
            state = matrix @ state
            covariance = crossed @ matrix.T + pushed @ pushed.T
            sensitivity = matrix @ sensitivity
            for i in range(n):
                state[n + i] += steps.defect[step, i]
                state[i] += 0.5 * period * steps.defect[step, i] + steps.gap[step, i]
                for k in range(unknowns):
                    sensitivity[n + i, k] += steps.by_values[step, i, k]
                    sensitivity[i, k] += 0.5 * period * steps.by_values[step, i, k]
            block = m // record.stride
            for r in range(readings):
                reading = measured.readings[m, r]
                if not np.isfinite(reading):
                    continue
                first, last = rows.by_state[step, r], rows.by_rate[step, r]
                # covariances of the reading with the states at both ends
                with_old = old_covariance @ first
                with_new = crossed @ first
                for i in range(size):
                    for j in range(n):
                        with_new[i] += covariance[i, n + j] * last[j]
                        with_old[i] += crossed[n + j, i] * last[j]
                variance = levels.readings[r] ** 2
                innovation = reading - rows.expected[step, r]
                for i in range(size):
                    variance += first[i] * with_old[i]
                    innovation -= first[i] * old_state[i]
                for j in range(n):
                    variance += last[j] * with_new[n + j]
                    innovation -= last[j] * state[n + j]
                row = rows.by_values[step, r] + first @ before + last @ sensitivity[n:]
                old_gain, gain = with_old / variance, with_new / variance
                for k in range(unknowns):
                    record.gradient[block, k] += row[k] * innovation / variance
                    for l in range(k + 1):
                        record.information[block, k, l] += row[k] * row[l] / variance
                for i in range(size):
                    state[i] += gain[i] * innovation
                    old_state[i] += old_gain[i] * innovation
                    for j in range(size):
                        covariance[i, j] -= gain[i] * with_new[j]
                        old_covariance[i, j] -= old_gain[i] * with_old[j]
                        crossed[i, j] -= gain[i] * with_old[j]
                    for k in range(unknowns):
                        sensitivity[i, k] -= gain[i] * row[k]
                        before[i, k] -= old_gain[i] * row[k]
                record.reading_nis[0] += innovation**2 / variance
                record.counts[0] += 1
        record.state[m], record.covariance[m] = state, covariance
        record.used[m], record.nis[m] = False, np.nan
        if not measured.counts[m]:
            continue
        inverse = covariance[:n, :n].copy()
        for i in range(n):
            record.innovation[m, i] = measured.coordinate[m, i] - state[i]
            inverse[i, i] += levels.coordinate[i] ** 2
        inverse = np.linalg.inv(inverse)
        weighted = inverse @ record.innovation[m]
        nis = 0.0
        for i in range(n):
            nis += record.innovation[m, i] * weighted[i]
        record.nis[m] = nis
        if not nis <= levels.gate:
            run += 1
            continue
        run = 0
        record.used[m] = True
        across = np.ascontiguousarray(covariance[:, :n])
        gain = across @ inverse
        seen = np.ascontiguousarray(sensitivity[:n])
        heavy = inverse @ seen
        block = m // record.stride
        for k in range(unknowns):
            for i in range(n):
                record.gradient[block, k] += seen[i, k] * weighted[i]
                for l in range(k + 1):
                    record.information[block, k, l] += seen[i, k] * heavy[i, l]
        state = state + gain @ record.innovation[m]
        covariance = covariance - gain @ across.T
        covariance = 0.5 * (covariance + covariance.T)
        sensitivity = sensitivity - gain @ seen


@kernel
def smooth_states(steps, levels, period, record, state, variance, noise, noise_variance):
    """Write states (N, 2n) less the centre's, their variances, and force noise (N, n) by all samples.

    The recursion goes back over innovations (Durbin and Koopman, Time Series Analysis by State Space Methods, 4.4): it
    inverts no covariance of a state. Noise is that of the period that begins at each sample.
    """
    count, size = record.state.shape
    n = size // 2
    matrix, pushed = np.zeros((size, size)), np.zeros((size, n))
    back, weight = np.zeros(size), np.zeros((size, size))
    for m in range(count - 1, -1, -1):
        for j in range(n):
            noise[m, j], noise_variance[m, j] = 0.0, levels.force[j] ** 2
        if m + 1 < count and record.fresh[m + 1]:
            back[:] = 0.0
            weight[:, :] = 0.0
        elif m + 1 < count:
            for i in range(n):
                for j in range(n):
                    pushed[n + i, j] = steps.by_force[m, i, j] * levels.force[j]
                    pushed[i, j] = 0.5 * period * pushed[n + i, j]
            gained = pushed.T @ back
            known = pushed.T @ weight @ pushed
            for j in range(n):
                noise[m, j] = levels.force[j] * gained[j]
                noise_variance[m, j] = levels.force[j] ** 2 * (1.0 - known[j, j])
            _write_transition(steps.by_state[m], period, matrix)
            back = matrix.T @ back
            weight = matrix.T @ weight @ matrix
        covariance = record.covariance[m]
        if record.used[m]:
            inverse = covariance[:n, :n].copy()
            for i in range(n):
                inverse[i, i] += levels.coordinate[i] ** 2
            inverse = np.linalg.inv(inverse)
            gain = np.ascontiguousarray(covariance[:, :n]) @ inverse
            left = np.eye(size)
            left[:, :n] -= gain
            weighted = inverse @ record.innovation[m]
            back = left.T @ back
            weight = left.T @ weight @ left
            for i in range(n):
                back[i] += weighted[i]
                for j in range(n):
                    weight[i, j] += inverse[i, j]
        moved = covariance @ back
        shrunk = covariance @ weight @ covariance
        for i in range(size):
            state[m, i] = record.state[m, i] + moved[i]
            variance[m, i] = covariance[i, i] - shrunk[i, i]
