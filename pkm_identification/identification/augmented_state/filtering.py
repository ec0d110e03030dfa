# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""A log through the filter, sample by sample: one kernel for joint, state-only and re-centred passes."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.hexapod.dynamics.records import unpacked
from pkm_identification.mechanisms.hexapod.kinematics.forward import MAX_ITERATIONS, solve_pose
from pkm_identification.mechanisms.hexapod.kinematics.records import Joints, Pose, pose_matrices
from pkm_identification.numerics.compiled import kernel

from .correction import (
    GATED,
    close_prediction,
    use_lengths,
    use_readings,
)
from .prediction import READINGS, STATE, predict
from .records import Prediction, assign, point_at, state_at

GOOD, NO_POSE, NO_ACCELERATION = range(3)
# How the first sample's state is known: by forward kinematics, given before its lengths, or given after them.
FRESH, GIVEN, FILTERED = range(3)
MAX_GATED_RUN = (
    25  # so many lengths outside the gate in a row mean that the state is lost, not that samples are bad
)


@kernel
def spread_state(root, start_std):
    """Make the state's part of a root diagonal and independent of the parameters."""
    count = root.shape[0] - STATE
    root[count:, :] = 0.0
    for k in range(STATE):
        root[count + k, count + k] = start_std[k]


@kernel
def begin(model, home, length, start_std, estimate):
    """Start a segment: pose by forward kinematics, at rest, apart from the parameters; False without a pose."""
    geometry, state = unpacked(model.packed), estimate.state
    good, _, _ = solve_pose(
        Joints(geometry.base, geometry.platform), length, False, Pose(state.position, state.rotation), home,
        MAX_ITERATIONS, pose_matrices(),
    )  # fmt: skip
    state.twist[:] = 0.0
    spread_state(estimate.root, start_std)
    return good


@kernel
def row_norms(root, first, norms):
    """Standard deviations: norms of the rows of a lower triangular root, from row `first` on."""
    for k in range(norms.size):
        total = 0.0
        for j in range(first + k + 1):
            total += root[first + k, j] ** 2
        norms[k] = np.sqrt(total)


@kernel
def write_block(blocks, n, matrix, first):
    """Write a matrix from row and column `first` on to the nth of `blocks` (N, r, c)."""
    for i in range(blocks.shape[1]):
        for j in range(blocks.shape[2]):
            blocks[n, i, j] = matrix[first + i, first + j]


@kernel
def run_filter(machine, unknowns, noise, options, samples, centre, estimate, record):
    """Filter a stretch of a log: (status, sample); all as in `records`.

    `estimate` goes on in place; `record` is written, its `kept` when `options.keep`.
    """
    model, home = machine.model, machine.home
    filtered, path, tallies, kept = record.filtered, record.path, record.tallies, record.kept
    values, root, state = estimate.values, estimate.root, estimate.state
    length, force, readings, segment = samples.length, samples.force, samples.readings, samples.segment
    count = values.size
    size = count + STATE
    prediction = Prediction(
        np.empty((size, 2 * size + 13)), np.empty((READINGS, 2 * size + 13)), np.empty(READINGS)
    )
    wide, guess = prediction.wide, np.zeros(6)
    pushed = np.zeros((STATE, 6))
    run = 0
    begins_at = 1 if options.start == FILTERED else 0
    for n in range(begins_at, length.shape[0]):
        first = n == 0 or segment[n] != segment[n - 1] or run >= MAX_GATED_RUN
        pushed[:, :] = 0.0
        if options.keep:
            kept.fresh[n] = first
        if first:
            if run >= MAX_GATED_RUN:
                tallies.restarted[0] += 1
            run = 0
            guess[:] = 0.0
            given = n == 0 and options.start != FRESH
            if not given and not begin(model, home, length[n], options.start_std, estimate):
                return NO_POSE, n
        else:
            point = point_at(centre, n - 1 if options.centred else 0)
            if not predict(
                machine, unknowns, noise.force, force[n - 1 : n + 1], guess, estimate, options.centred, point,
                prediction):  # fmt: skip
                return NO_ACCELERATION, n
            if options.keep:
                assign(state_at(kept.prior, n), state)
                write_block(kept.columns, n, wide, count)
            for k in range(STATE):
                for c in range(6):
                    pushed[k, c] = wide[count + k, size + c]
            used, square = use_readings(
                prediction, 0.5 * (readings[n - 1] + readings[n]), noise.readings, estimate
            )
            tallies.reading_nis[0] += square
            tallies.readings[0] += used
            close_prediction(wide, root, count)
            if options.keep:
                write_block(kept.prior_root, n, root, count)
        filtered.nis[n] = np.nan
        if samples.measured[n]:
            filtered.nis[n], status = use_lengths(
                model, length[n], noise.length, options.gate, estimate, pushed, tallies.force
            )
            run = run + 1 if status == GATED else 0
            tallies.refused[0] += status == GATED
            if status > GATED:
                return NO_ACCELERATION, n
        assign(state_at(filtered.state, n), state)
        for k in range(6):
            filtered.acceleration[n, k] = guess[k]
        row_norms(root, count, filtered.std[n])
        if options.keep:
            write_block(kept.root, n, root, count)
        if n % path.stride == 0:
            for k in range(count):
                path.mean[n // path.stride, k] = values[k]
            row_norms(root, 0, path.std[n // path.stride])
    return GOOD, length.shape[0]
