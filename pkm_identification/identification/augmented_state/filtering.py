"""A log through the filter, sample by sample: one kernel for joint, state-only and re-centred passes."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.hexapod.kinematics.forward import solve_pose
from pkm_identification.numerics.compiled import kernel

from .correction import (
    GATED,
    close_prediction,
    use_lengths,
    use_readings,
)
from .prediction import READINGS, STATE, predict

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
def begin(base, platform, home_position, home_rotation, length, start_std, root, position, rotation, twist):
    """Start a segment: pose by forward kinematics, at rest, apart from the parameters; False without a pose."""
    jac, inverse, work, found = np.empty((6, 6)), np.empty((6, 6)), np.empty((6, 6)), np.empty(6)
    good, _, _ = solve_pose(
        base, platform, length, False, position, rotation, home_position, home_rotation, jac, inverse, work, found, 50
    )  # fmt: skip
    twist[:] = 0.0
    spread_state(root, start_std)
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
def run_filter(model, sensors, home, unknowns, noise, start_std, gate, samples, known_start, estimate, centred,
               centre, out, history, tallies, keep, kept):  # fmt: skip
    """Filter a stretch of a log: (status, sample).

    Tuples of arrays: `home` (position, rotation); `unknowns` (known, mapping, offset), as `predict` takes them; `noise`
    (length, force (6,), readings (12,)); `samples` (length, force, readings, measured, segment); `estimate` (values,
    root, position, rotation, twist), in place; `centre` (values, then per sample position, rotation, twist and force
    noise) around which the model is made linear when `centred`; `out` (position, rotation, twist, acceleration, std,
    nis); `history` (stride, means, standard deviations); `tallies` (force noise seen and expected (2, 6), refused and
    restarted (2,), NIS of readings and their number (2,)); `kept` what `smoother.smooth` needs, when `keep`.
    """
    base, platform = model[0], model[1]
    length, force, readings, measured, segment = samples
    values, root, position, rotation, twist = estimate
    positions, rotations, twists, accelerations, std, nis = out
    stride, means, deviations = history
    told, counts, reading_nis = tallies
    fresh, prior_x, prior_r, prior_u, prior_root, columns, roots = kept
    count = values.size
    size = count + STATE
    wide, rows = np.empty((size, 2 * size + 13)), np.empty((READINGS, 2 * size + 13))
    expected, guess = np.empty(READINGS), np.zeros(6)
    pushed = np.zeros((STATE, 6))
    run = 0
    begins_at = 1 if known_start == FILTERED else 0
    for n in range(begins_at, length.shape[0]):
        first = n == 0 or segment[n] != segment[n - 1] or run >= MAX_GATED_RUN
        pushed[:, :] = 0.0
        if keep:
            fresh[n] = first
        if first:
            if run >= MAX_GATED_RUN:
                counts[1] += 1
            run = 0
            guess[:] = 0.0
            if not (n == 0 and known_start != FRESH) and not begin(
                base, platform, home[0], home[1], length[n], start_std, root, position, rotation, twist
            ):  # fmt: skip
                return NO_POSE, n
        else:
            k = n - 1 if centred else 0
            point = (centre[0], centre[1][k], centre[2][k], centre[3][k], centre[4][k])
            if not predict(
                model, sensors, unknowns[0], unknowns[1], unknowns[2], noise[1], force[n - 1 : n + 1], guess, values,
                root, position, rotation, twist, centred, point, wide, rows, expected):  # fmt: skip
                return NO_ACCELERATION, n
            if keep:
                prior_x[n], prior_r[n], prior_u[n] = position, rotation, twist
                columns[n] = wide[count:, count : count + 18]
            for k in range(STATE):
                for c in range(6):
                    pushed[k, c] = wide[count + k, size + c]
            used, square = use_readings(
                wide, rows, expected, 0.5 * (readings[n - 1] + readings[n]), noise[2], values, position, rotation, twist
            )  # fmt: skip
            reading_nis[0] += square
            reading_nis[1] += used
            close_prediction(wide, root, count)
            if keep:
                prior_root[n] = root[count:, count:]
        nis[n] = np.nan
        if measured[n]:
            value, status = use_lengths(
                base, platform, length[n], noise[0], gate, values, root, position, rotation, twist, pushed, told
            )  # fmt: skip
            nis[n] = value
            run = run + 1 if status == GATED else 0
            counts[0] += status == GATED
            if status > GATED:
                return NO_ACCELERATION, n
        positions[n], rotations[n], twists[n], accelerations[n] = position, rotation, twist, guess
        row_norms(root, count, std[n])
        if keep:
            roots[n] = root[count:, count:]
        if n % stride == 0:
            means[n // stride] = values
            row_norms(root, 0, deviations[n // stride])
    return GOOD, length.shape[0]
