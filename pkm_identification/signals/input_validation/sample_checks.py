# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The checks of input validation, compiled: verdict, how each continues what was before, what it remembers."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.compiled import compile_inline, kernel

ACCEPTED, NOT_FINITE, DUPLICATE, LATE, SPIKE, OUT_OF_LIMITS, AHEAD = range(7)
REJECTIONS = {
    NOT_FINITE: "not_finite",
    DUPLICATE: "duplicate",
    LATE: "late",
    SPIKE: "spike",
    OUT_OF_LIMITS: "out_of_limits",
    AHEAD: "ahead",
}
CONTINUES, GAP, CLOCK_JUMP, START = range(4)
NEW_SEGMENT = {GAP: "gap", CLOCK_JUMP: "clock_jump", START: "start"}

# s^2: span (span + period) at 1 kHz. Below it, the change that inertia allows would be less than encoders' steps.
SHORTEST_CHANGE = 2e-6
STAYS = 0.3  # of a suspect's way from the motion before; who is that near to it has stepped, too
# A clock that jumps further ahead than this is set wrong, or was: nobody follows it before it has stayed so.
FAR_AHEAD, STAYED_AHEAD, ONE_CLOCK = 3600.0, 5.0, 2.0  # s; the last: between two samples of such a clock
MAX_LATE_RUN = 25  # so many late samples in a row are not stragglers: the clock was set back

# What input validation remembers of its stream and of time, as one record: structured arrays cost a kernel's caller
# less than tuples with names. It has scalars alone: fields of shape (n,) would make another type, and other kernels, of
# every n.
MEMORY = np.dtype(
    [
        ("stamp", float),  # s, of the last sample accepted
        ("segment", np.int64),  # -1 before the first
        ("started", np.bool_),  # whether there is a last sample
        ("slope_known", np.bool_),
        ("suspect_stamp", float),  # s
        ("suspects", np.int64),  # in a row, that agree with each other
        ("late", np.int64),  # samples in a row
        ("ahead", float),  # s, first stamp of a clock that has jumped far ahead; 0 without
        ("ahead_stamp", float),  # s, its newest
        ("former", float),  # s, last stamp of the clock that was left by a jump back; 0 without
        ("drive", np.int64),  # to which the last rejection is due
        (
            "stepped",
            np.bool_,
        ),  # whether the last sample accepted is a step away from the motion before, to stay
        ("stepping", np.int64),  # the drive whose coordinate that is
        ("step", float),  # by which, m or rad
    ]
)
# What it remembers of n coordinates, rows of an array (4, n): last accepted, slope between the last two accepted (by
# s), change of that slope between the last three (by s^2, 0 where there are fewer) and newest suspect; m or rad
LAST, SLOPE, CURVATURE, SUSPECT = range(4)
REMEMBERED = 4
# How its clock is taken
CLOCK = np.dtype([("period", float), ("max_gap", float), ("late_tolerance", float)])  # s
# What n drives may show, rows of an array (6, n): coordinate, rate, acceleration in m or rad and s; force in N or N m
# 1 in the last row where the file states the rate: a drive that is faster is no drive of this machine, while a rate
# that nobody has stated may be any, as long as each sample continues those before it
LOWEST, HIGHEST, RATE, ACCELERATION, FORCE, RATE_IS_STATED = range(6)
LIMITED = 6


@compile_inline
def note_step(memory, past, value, span):
    """Whether coordinates agree with the suspects before them rather than with the motion, `span` s ago; notes where.

    Asked of the drive whose suspect was farthest from the motion: the others' were none.
    """
    before = memory.suspect_stamp - memory.stamp
    farthest = -1.0
    for i in range(value.size):
        rate = past[SLOPE, i] if memory.slope_known else 0.0
        way = abs(past[SUSPECT, i] - past[LAST, i] - rate * before)
        if way > farthest:
            farthest = way
            memory.stepping = i
            memory.step = value[i] - past[LAST, i] - rate * span
    i = memory.stepping
    memory.stepped = abs(value[i] - past[SUSPECT, i]) < STAYS * abs(memory.step)
    return memory.stepped


@kernel
def check_sample(time, value, force, has_force, memories, past, rules):
    """Judge one sample of n drives: (verdict, how it continues, steps since the last sample).

    `memories` is an array of one `MEMORY`, `past` (REMEMBERED, n), `rules` an array of one `CLOCK` and the drives'
    limits (LIMITED, n).
    """
    clocks, limits = rules
    memory, clock = memories[0], clocks[0]
    last, slope, curvature, suspect = past[LAST], past[SLOPE], past[CURVATURE], past[SUSPECT]
    period = clock.period
    if not np.isfinite(time):
        return NOT_FINITE, CONTINUES, 0
    for i in range(value.size):
        if not np.isfinite(value[i]) or (has_force and not np.isfinite(force[i])):
            memory.drive = i
            return NOT_FINITE, CONTINUES, 0
    begins = START
    if memory.started:
        dt = time - memory.stamp
        if abs(dt) < 0.25 * period:
            return DUPLICATE, CONTINUES, 0
        begins = CONTINUES
        if dt < 0.0:
            memory.late += 1
            if dt >= -clock.late_tolerance and memory.late <= MAX_LATE_RUN:
                return LATE, CONTINUES, 0
            begins = CLOCK_JUMP
        elif dt > clock.max_gap + 0.5 * period:
            begins = GAP
        # one stamp far back, and the clock goes on where it was
        returns = memory.former > 0.0 and -clock.late_tolerance <= time - memory.former <= FAR_AHEAD
        if dt > FAR_AHEAD and not returns:
            if memory.ahead == 0.0 or not 0.0 < time - memory.ahead_stamp <= max(ONE_CLOCK, 5.0 * period):
                memory.ahead = time
            memory.ahead_stamp = time
            if time - memory.ahead < STAYED_AHEAD:
                return AHEAD, CONTINUES, 0
    for i in range(value.size):
        if value[i] < limits[LOWEST, i] or value[i] > limits[HIGHEST, i]:
            memory.drive = i
            return OUT_OF_LIMITS, CONTINUES, 0
    if has_force:
        for i in range(value.size):
            if abs(force[i]) > limits[FORCE, i]:
                memory.drive = i
                return SPIKE, CONTINUES, 0
    steps = 1
    if begins == CONTINUES:
        dt = time - memory.stamp
        steps = max(1, int(np.floor(dt / period + 0.5)))
        span = steps * period
        segment_length = max(span * (span + period), SHORTEST_CHANGE)
        for i in range(value.size):
            change = value[i] - last[i]
            bad = abs(change) > limits[RATE, i] * span
            if memory.slope_known:
                # what inertia allows beyond the continuation: straight, or with the acceleration of the samples before,
                # which goes on in a motion, however lively it is, and not in a spike or step
                beyond = change - slope[i] * span
                curved = beyond - 0.5 * curvature[i] * span * (span + period)
                jumps = min(abs(beyond), abs(curved)) > limits[ACCELERATION, i] * segment_length
                bad = jumps or (bad and limits[RATE_IS_STATED, i] > 0.0)
            if bad:
                # A spike stands alone. Samples that agree with each other but not with the past mean that the past
                # is wrong or the encoder has moved its zero: start again instead of locking out for ever.
                near = memory.suspects > 0
                for j in range(value.size):
                    near = near and abs(value[j] - suspect[j]) <= limits[RATE, j] * max(
                        time - memory.suspect_stamp, period
                    )
                memory.suspects = memory.suspects + 1 if near else 1
                memory.suspect_stamp = time
                for j in range(value.size):
                    suspect[j] = value[j]
                if memory.suspects * period <= max(clock.max_gap, 3.0 * period):
                    memory.drive = i
                    return SPIKE, CONTINUES, 0
                begins = GAP
                break
    if memory.started and memory.suspects > 0 and 0.0 < time - memory.suspect_stamp <= clock.max_gap:
        if not note_step(memory, past, value, time - memory.stamp):
            memory.stepped = False
        elif begins == CONTINUES:
            # no derivative across it
            begins = GAP
    else:
        memory.stepped = False
    if begins == CLOCK_JUMP:
        memory.former = memory.stamp
    elif begins == GAP and time >= memory.former:
        memory.former = 0.0
    memory.suspects = 0
    memory.late = 0
    memory.ahead = 0.0
    if begins == CONTINUES:
        for i in range(value.size):
            newest = (value[i] - last[i]) / (steps * period)
            # a hole is next to a straight line: of what bends there, nothing is carried on
            known = memory.slope_known and steps == 1
            curvature[i] = (newest - slope[i]) / period if known else 0.0
            slope[i] = newest
        memory.slope_known = True
    else:
        memory.segment += 1
        memory.slope_known = False
        steps = 1
    memory.stamp = time
    memory.started = True
    for i in range(value.size):
        last[i] = value[i]
    return ACCEPTED, begins, steps


@kernel
def check_samples(time, value, force, has_force, memories, past, rules, checked):
    """Judge a whole log: verdict and beginning of each sample; indices kept, fills before each, its segment."""
    kept, fills, segment, verdicts, beginnings = checked
    count = 0
    for n in range(time.shape[0]):
        verdict, begins, steps = check_sample(time[n], value[n], force[n], has_force, memories, past, rules)
        verdicts[n] = verdict
        beginnings[n] = begins if verdict == ACCEPTED else CONTINUES
        if verdict == ACCEPTED:
            kept[count] = n
            fills[count] = steps - 1 if begins == CONTINUES else 0
            segment[count] = memories[0].segment
            count += 1
    return count
