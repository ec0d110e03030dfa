# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Integrating a closed machine over one period, of any number of drives with states or without.

Two time scales live in a machine with friction. Configuration, inertia and gravity change over tens of milliseconds;
friction reverses within 2 mm/s, which makes strut rates decay in 0.05 ms (50 000 N s/m on a few kilograms). Hence: what
MuJoCo evaluates is taken at both ends of the period and interpolated linearly in between (predictor, then corrector:
the trapezoidal rule), while friction, end stops and drives are integrated with it in many small implicit steps of two
stages, stable for any friction. The usual law is piecewise linear in the rates, so Newton's method ends after one or
two solutions; where a law jumps (the source's, by its viscous part), the step ends on either side.

Velocities are u (U), those of a free body or of the drives; forces act along axes with rates J u (R), of which the
first n are driven. A drive without states gives a force that goes linearly over the period. A state of a drive is
eliminated in each stage: `actuator_stage` gives its force for a rate and the slope. What can be stiff (oil, a shaft)
may thus be as stiff as it likes. Controllers in the drives act at the start of the small steps that are theirs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pkm_identification.control.drives.cascade import POSITION_STEPS, cascade_output
from pkm_identification.mechanisms.actuators.registry import actuator_stage
from pkm_identification.mechanisms.actuators.row import (
    COULOMB,
    CURRENT,
    MOST_STATES,
    ON_MOTOR,
    ROW,
    TRANSITION,
)
from pkm_identification.mechanisms.friction.law import TRANSITION as LAW_TRANSITION
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.borrowed import borrowed
from pkm_identification.numerics.compiled import compile_inline, kernel
from pkm_identification.numerics.linear_systems import solve_square

from ..resistance import couple_triples, resist, stop_at_transition, stopped_triple
from .lines import Lags, Lines, note_lags, note_present, stage_signal

NEWTON_ITERATIONS = 40
# Of the rates, relative: rounding; with actuators that of their own iterations.
_CLOSE, _CLOSE_WITH_STATES = 1e-13, 1e-11
GAMMA = 1.0 - np.sqrt(0.5)  # both stages' implicit share: the value that makes the method L-stable
SHARES = np.array([GAMMA, 1.0])  # of a small step, at the end of each stage


class Dynamics(NamedTuple):
    """u' = free + compliance (drive - resistance(jacobian u)), at one instant or at both of a period.

    Attributes
    ----------
    free : ndarray, shape (..., U)
    compliance : ndarray, shape (..., U, R)
        Acceleration per force along an axis.
    jacobian : ndarray, shape (..., R, U)
        Rates of the axes per velocity.
    """

    free: FloatArray
    compliance: FloatArray
    jacobian: FloatArray


class Motion(NamedTuple):
    """What moves, in place.

    Attributes
    ----------
    pose : ndarray, shape (7,) or (0,)
        Of a free body whose twist the velocities are: position, quaternion (w, x, y, z). Without one, empty.
    coordinate : ndarray, shape (n,)
        Driven coordinates.
    speed : ndarray, shape (U,)
    states : ndarray, shape (n, MOST_STATES) or (0, MOST_STATES)
        Of the actuators.
    """

    pose: FloatArray
    coordinate: FloatArray
    speed: FloatArray
    states: FloatArray


class Drives(NamedTuple):
    """What drives, with its past.

    Attributes
    ----------
    rows : ndarray, shape (n, ROW) or (0, ROW)
        Of the actuators; none where drives have no states.
    lines : Lines
    settings, memory : ndarray, shapes (n, SETTINGS) and (n, MEMORY)
        Of the controllers in the drives; without POSITION_STEPS a drive's command comes from outside.
    command : ndarray, shape (n,)
        The present ones.
    reference : ndarray, shape (2, n)
        Wanted coordinates at the period's start and end, for controllers in the drives; forces where there are no
        actuators.
    enabled : ndarray, shape (n,)
        0 of those that are switched off.
    force : ndarray, shape (n,)
        Written: at the end of the last small step.
    """

    rows: FloatArray
    lines: Lines
    settings: FloatArray
    memory: FloatArray
    command: FloatArray
    reference: FloatArray
    enabled: FloatArray
    force: FloatArray

    @classmethod
    def without_states(cls, count: int) -> Drives:
        """Return n drives that give the forces they are asked for."""
        none, zeros = np.zeros((0, count)), np.zeros(count)
        lines = Lines(none, none, np.zeros(1))
        return cls(np.zeros((0, ROW)), lines, none, none, zeros, np.zeros((2, count)), zeros, zeros.copy())


class Known(NamedTuple):
    """What is known of a stage's end: velocities (U,), coordinates (n,), the actuators' states (n, MOST_STATES)."""

    speed: FloatArray
    coordinate: FloatArray
    states: FloatArray


class Found(NamedTuple):
    """What a stage finds: axis rates (R,), u' (U,), the actuators' states (n, MOST_STATES) and forces (n,)."""

    rate: FloatArray
    change: FloatArray
    states: FloatArray
    force: FloatArray


class StageWork(NamedTuple):
    """Room for Newton's method: vectors (R,), coordinates that are reached (n,) and a matrix (R, R)."""

    net: FloatArray
    slope: FloatArray
    stiffness: FloatArray
    start: FloatArray
    residual: FloatArray
    reached: FloatArray
    matrix: FloatArray


class Room(NamedTuple):
    """Room for a period: velocities (5, U), coordinates (2, n), states (3, n, MOST_STATES), rates (2, R).

    `mobilities` (3, R, R) are the present one and those at both ends; `now` are the present dynamics, `lags` those at
    both stages.
    """

    velocities: FloatArray
    coordinates: FloatArray
    states: FloatArray
    rates: FloatArray
    mobilities: FloatArray
    now: Dynamics
    work: StageWork
    lags: Lags


@compile_inline
def control_drives(drives, motion, rate, share):
    """Let the controllers in the drives act at the start of a small step, `share` of the period from its start.

    `rate` (R,) are the axes' rates then, of which the first are the drives'.
    """
    step = int(drives.lines.started[0])
    for i in range(drives.rows.shape[0]):
        settings = drives.settings[i]
        if settings[POSITION_STEPS] > 0.0:
            begin, end = drives.reference[0, i], drives.reference[1, i]
            on_motor = drives.rows[i, ON_MOTOR] != 0.0
            shown = motion.states[i, 0] if on_motor else motion.coordinate[i]
            speed = motion.states[i, 1] if on_motor else rate[i]
            at = int(drives.rows[i, CURRENT])
            current = motion.states[i, at] if at >= 0 else 0.0
            drives.command[i] = cascade_output(
                settings, drives.memory[i], step, begin + share * (end - begin), shown, speed, current
            )


@compile_inline
def _solve_stage(known, h, now, mobility, resistance, rows, signal, ends, work):
    """Solve u = known + h u'(u) and the actuators' states for one stage.

    `mobility` (R, R) is jacobian compliance. What is `Found` is written; its rates hold the first guess, its forces
    those of drives without states.
    """
    coordinate, states = known.coordinate, known.states
    rate, change, new_states, force = ends.rate, ends.change, ends.states, ends.force
    axes, size = now.jacobian.shape
    drives, driven = coordinate.shape[0], rows.shape[0]
    close = _CLOSE_WITH_STATES if driven > 0 else _CLOSE
    free, compliance, jacobian = now.free, now.compliance, now.jacobian
    net, slope, stiffness, start, residual, reached = (
        work.net,
        work.slope,
        work.stiffness,
        work.start,
        work.residual,
        work.reached,
    )
    matrix = work.matrix
    for i in range(axes):
        start[i] = 0.0
        for k in range(size):
            start[i] += jacobian[i, k] * (known.speed[k] + h * free[k])
    for _ in range(NEWTON_ITERATIONS):
        for i in range(drives):
            reached[i] = coordinate[i] + h * rate[i]
        resist(rate, reached, resistance, net, slope, stiffness)
        for i in range(axes):
            net[i] = -net[i]
            slope[i] += h * stiffness[i]
            if i < driven:
                force[i], by_rate = actuator_stage(
                    rows[i], states[i], new_states[i], h, signal[i], reached[i], rate[i]
                )
                slope[i] -= by_rate
            if i < drives:
                net[i] += force[i]
        largest, scale = 0.0, 1e-12
        for i in range(axes):
            residual[i] = start[i] - rate[i]
            total = abs(start[i])
            for k in range(axes):
                part = h * mobility[i, k] * net[k]
                residual[i] += part
                total += abs(part)
            largest = max(largest, abs(residual[i]))
            scale = max(scale, total)
        if not largest > close * scale:
            break
        for i in range(axes):
            for k in range(axes):
                matrix[i, k] = h * mobility[i, k] * slope[k]
            matrix[i, i] += 1.0
        couple_triples(rate, h, mobility, resistance, matrix)
        solve_square(matrix, residual)
        for i in range(axes):
            transition_rate = resistance.laws[min(i, drives), LAW_TRANSITION]
            if resistance.triple[i] >= 0:
                if resistance.triple[i] == i:
                    stopped_triple(rate, residual, i, transition_rate)
                continue
            if i < driven and rows[i, COULOMB] > 0.0:
                transition_rate = max(transition_rate, rows[i, TRANSITION])
            rate[i] = stop_at_transition(rate[i], rate[i] + residual[i], transition_rate)
    for i in range(size):
        change[i] = free[i]
        for k in range(axes):
            change[i] += compliance[i, k] * net[k]


@kernel
def advance(motion, ends, resistance, drives, h, steps):
    """Move a `Motion` on, in place, by `steps` small steps of h s; its `Drives` move on, too.

    `ends` (`Dynamics`, 2 of each) are the dynamics at the period's start and end, `resistance` a `Resistance`.
    """
    axes, size = ends.jacobian.shape[1:]
    count, driven = motion.coordinate.shape[0], drives.rows.shape[0]
    room = Room(
        np.empty((5, size)), np.empty((2, count)), np.empty((3, driven, MOST_STATES)), np.zeros((2, axes)),
        np.zeros((3, axes, axes)), Dynamics(np.empty(size), np.empty((size, axes)), np.empty((axes, size))),
        StageWork(
            np.empty(axes), np.empty(axes), np.empty(axes), np.empty(axes), np.empty(axes), np.empty(count),
            np.empty((axes, axes)),
        ),
        Lags(
            np.empty(driven, dtype=np.int64), np.empty(driven), np.empty((2, driven), dtype=np.int64),
            np.empty((2, driven)),
        ),
    )  # fmt: skip
    _advance(motion, ends, resistance, drives, h, steps, room)


@kernel
def _advance(motion, ends, resistance, drives, h, steps, room):
    """See `advance`, which keeps the arrays while they are borrowed here."""
    motion, ends, resistance = borrowed(motion), borrowed(ends), borrowed(resistance)
    drives, room = borrowed(drives), borrowed(room)
    axes, size = ends.jacobian.shape[1:]
    count, driven = motion.coordinate.shape[0], drives.rows.shape[0]
    known, change, first_change, stage, first = room.velocities
    reached, signal = room.coordinates
    states, new_states, first_states = room.states
    rate, first_rate = room.rates
    now, work, lines = room.now, room.work, drives.lines
    mobility, mobilities = room.mobilities[0], room.mobilities[1:]
    started, written = Known(known, reached, states), Found(rate, change, new_states, drives.force)
    for i in range(axes if driven else 0):
        for k in range(axes):
            for m in range(size):
                for end in range(2):
                    mobilities[end, i, k] += ends.jacobian[end, i, m] * ends.compliance[end, m, k]
    for i in range(axes):
        for k in range(size):
            rate[i] += ends.jacobian[0, i, k] * motion.speed[k]
    note_lags(drives.rows, h, SHARES, room.lags)
    for n in range(steps):
        control_drives(drives, motion, rate, n / steps)
        index = note_present(lines, drives.command, motion.coordinate) if driven else 0
        for s in range(2):
            t = (n + SHARES[s]) / steps
            for i in range(size):
                now.free[i] = ends.free[0, i] + t * (ends.free[1, i] - ends.free[0, i])
                for k in range(axes):
                    begin, end = ends.compliance[0, i, k], ends.compliance[1, i, k]
                    now.compliance[i, k] = begin + t * (end - begin)
                    begin, end = ends.jacobian[0, k, i], ends.jacobian[1, k, i]
                    now.jacobian[k, i] = begin + t * (end - begin)
                known[i] = motion.speed[i]
                if s == 1:
                    known[i] += (1.0 - GAMMA) * h * first_change[i]
            for i in range(axes):
                for k in range(axes):
                    if driven:  # their small steps are many: interpolated
                        mobility[i, k] = mobilities[0, i, k] + t * (mobilities[1, i, k] - mobilities[0, i, k])
                        continue
                    mobility[i, k] = 0.0
                    for m in range(size):
                        mobility[i, k] += now.jacobian[i, m] * now.compliance[m, k]
            for i in range(count):
                reached[i] = motion.coordinate[i]
                if s == 1:
                    reached[i] += (1.0 - GAMMA) * h * first_rate[i]
                if not driven:
                    begin, end = drives.reference[0, i], drives.reference[1, i]
                    drives.force[i] = begin + t * (end - begin)
                    continue
                for k in range(MOST_STATES):
                    states[i, k] = motion.states[i, k]
                    if s == 1:
                        states[i, k] += (1.0 - GAMMA) / GAMMA * (first_states[i, k] - motion.states[i, k])
                    else:
                        new_states[i, k] = motion.states[i, k]
                signal[i] = stage_signal(
                    drives.rows[i],
                    lines,
                    room.lags,
                    i,
                    s,
                    index,
                    reached[i] + GAMMA * h * rate[i],
                    drives.enabled[i],
                )
            _solve_stage(started, GAMMA * h, now, mobility, resistance, drives.rows, signal, written, work)
            for i in range(size):
                stage[i] = known[i] + GAMMA * h * change[i]
                if s == 0:
                    first[i] = stage[i]
                    first_change[i] = change[i]
            if s == 0:
                for i in range(count):
                    first_rate[i] = rate[i]
                    for k in range(MOST_STATES if driven else 0):
                        first_states[i, k] = new_states[i, k]
        if motion.pose.shape[0] == 7:
            for k in range(3):
                motion.pose[k] += h * ((1.0 - GAMMA) * first[k] + GAMMA * stage[k])
            turn_pose(
                motion.pose,
                (1.0 - GAMMA) * first[3] + GAMMA * stage[3],
                (1.0 - GAMMA) * first[4] + GAMMA * stage[4],
                (1.0 - GAMMA) * first[5] + GAMMA * stage[5],
                h,
            )
        for i in range(size):
            motion.speed[i] = stage[i]
        for i in range(count):
            motion.coordinate[i] = reached[i] + GAMMA * h * rate[i]
            for k in range(MOST_STATES if driven else 0):
                motion.states[i, k] = new_states[i, k]
        lines.started[0] += 1.0


@kernel
def turn_pose(pose, wx, wy, wz, h):
    """Turn the pose's quaternion (w, x, y, z) by the rotation of a constant angular velocity in base axes."""
    speed = np.sqrt(wx * wx + wy * wy + wz * wz)
    half = 0.5 * h * speed
    c = np.cos(half)
    k = 0.5 * h if speed == 0.0 else np.sin(half) / speed
    x, y, z = k * wx, k * wy, k * wz
    a, b, d, e = pose[3], pose[4], pose[5], pose[6]
    pose[3] = c * a - x * b - y * d - z * e
    pose[4] = c * b + x * a + y * e - z * d
    pose[5] = c * d + y * a + z * b - x * e
    pose[6] = c * e + z * a + x * d - y * b
    norm = np.sqrt(pose[3] ** 2 + pose[4] ** 2 + pose[5] ** 2 + pose[6] ** 2)
    for i in range(3, 7):
        pose[i] /= norm
