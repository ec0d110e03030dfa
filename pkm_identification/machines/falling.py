# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A fall of any machine from rest, with the drives off and without friction."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .contract import DEGRADED, Machine, Motion

ACCURACY = 1e-10  # of a step, relative: below a count of any encoder, so that differences of falls are smooth


def compute_fall(machine: Machine, values: FloatArray, start: Motion, time: FloatArray) -> FloatArray:
    """Return the drives' coordinates of a fall from rest with no force of the drives and no friction, (N, n).

    By the machine's own `compute_fall` where it has one that is quicker.

    Parameters
    ----------
    machine : Machine
    values : ndarray, shape (B,)
        Of the basis; only the ratios of inertial ones matter, friction is left out.
    start : Motion
        One row at rest: where it is released.
    time : ndarray, shape (N,)
        Increasing, in s since the release; at rest before 0.

    Returns
    -------
    ndarray, shape (N, n)
        m or rad; NaN from where the machine can go no further, or if no machine has such values.
    """
    from scipy.integrate import (
        solve_ivp,
    )  # here, because it would double the time of what needs no fall to start

    own = getattr(machine, "compute_fall", None)
    if own is not None:
        return own(values, start, time)
    count, near = len(machine.drives), start.state
    smooth = np.where([entry.kind.friction for entry in machine.basis], 0.0, values)

    def derive(_: float, state: FloatArray) -> FloatArray:
        nonlocal near
        coordinate, rate = state[None, :count], state[None, count:]
        motion = machine.compute_motion(coordinate, rate, np.zeros_like(rate), near)
        mass, bias = machine.compute_mass_and_bias(motion, smooth)
        if motion.status[0] > DEGRADED or not np.isfinite(mass).all() or not np.linalg.det(mass[0]):
            return np.full(2 * count, np.nan)
        near = motion.state
        return np.concatenate([rate[0], -np.linalg.solve(mass[0], bias[0])])

    fallen = np.repeat(start.coordinate, len(time), axis=0)
    falling = time > 0.0
    if falling.any():
        started = np.concatenate([start.coordinate[0], np.zeros(count)])
        after = time[falling]
        solved = solve_ivp(
            derive, (0.0, float(after[-1])), started, "DOP853", after, rtol=ACCURACY, atol=ACCURACY
        )
        reached = np.full((len(after), count), np.nan)
        reached[: solved.y.shape[1]] = solved.y[:count].T
        fallen[falling] = reached
    return fallen
