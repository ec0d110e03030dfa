# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The guard's judgement of samples, compiled: verdict, how each continues what was before, what it remembers."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.compiled import inlined, kernel

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

# What the guard remembers, as one record: structured arrays cost a kernel's caller less than tuples with names.
MEMORY = np.dtype(
    [
        ("stamp", float),  # s, of the last sample accepted
        ("segment", np.int64),  # -1 before the first
        ("begun", np.bool_),  # whether there is a last sample
        ("length", float, 6),  # m, last accepted
        ("slope", float, 6),  # m/s, between the last two accepted
        ("slope_known", np.bool_),
        ("suspect", float, 6),  # m, the newest suspect
        ("suspect_stamp", float),  # s
        ("suspects", np.int64),  # in a row, that agree with each other
        ("late", np.int64),  # samples in a row
        ("ahead", float),  # s, first stamp of a clock that has jumped far ahead; 0 without
        ("ahead_stamp", float),  # s, its newest
        ("former", float),  # s, last stamp of the clock that was left by a jump back; 0 without
        ("strut", np.int64),  # to which the last rejection is due
        (
            "stepped",
            np.bool_,
        ),  # whether the last sample accepted is a step away from the motion before, to stay
        ("stepping", np.int64),  # the strut whose length that is
        ("step", float),  # m, by which
    ]
)
# `GuardSettings` as the kernels take it
LIMITS = np.dtype(
    [
        ("period", float),  # s
        ("shortest", float),  # m
        ("longest", float),  # m
        ("rate", float),  # m/s
        ("force", float),  # N
        ("acceleration", float),  # m/s^2
        ("max_gap", float),  # s
        ("late_tolerance", float),  # s
    ]
)


@inlined
def note_step(memory, length, span):
    """Whether lengths agree with the suspects before them rather than with the motion, `span` s ago; notes where.

    Asked of the strut whose suspect was farthest from the motion: the others' were none.
    """
    before = memory.suspect_stamp - memory.stamp
    farthest = -1.0
    for i in range(6):
        rate = memory.slope[i] if memory.slope_known else 0.0
        way = abs(memory.suspect[i] - memory.length[i] - rate * before)
        if way > farthest:
            farthest = way
            memory.stepping = i
            memory.step = length[i] - memory.length[i] - rate * span
    i = memory.stepping
    memory.stepped = abs(length[i] - memory.suspect[i]) < STAYS * abs(memory.step)
    return memory.stepped


@kernel
def judge(time, length, force, has_force, memories, limit_rows):
    """Judge one sample: (verdict, how it continues, steps since the last sample).

    `memories` and `limit_rows` are arrays of one `MEMORY` and one `LIMITS`.
    """
    memory, limits = memories[0], limit_rows[0]
    last, slope, suspect = memory.length, memory.slope, memory.suspect
    period = limits.period
    if not np.isfinite(time):
        return NOT_FINITE, CONTINUES, 0
    for i in range(6):
        if not np.isfinite(length[i]) or (has_force and not np.isfinite(force[i])):
            memory.strut = i
            return NOT_FINITE, CONTINUES, 0
    begins = START
    if memory.begun:
        dt = time - memory.stamp
        if abs(dt) < 0.25 * period:
            return DUPLICATE, CONTINUES, 0
        begins = CONTINUES
        if dt < 0.0:
            memory.late += 1
            if dt >= -limits.late_tolerance and memory.late <= MAX_LATE_RUN:
                return LATE, CONTINUES, 0
            begins = CLOCK_JUMP
        elif dt > limits.max_gap + 0.5 * period:
            begins = GAP
        # one stamp far back, and the clock goes on where it was
        returns = memory.former > 0.0 and -limits.late_tolerance <= time - memory.former <= FAR_AHEAD
        if dt > FAR_AHEAD and not returns:
            if memory.ahead == 0.0 or not 0.0 < time - memory.ahead_stamp <= max(ONE_CLOCK, 5.0 * period):
                memory.ahead = time
            memory.ahead_stamp = time
            if time - memory.ahead < STAYED_AHEAD:
                return AHEAD, CONTINUES, 0
    for i in range(6):
        if length[i] < limits.shortest or length[i] > limits.longest:
            memory.strut = i
            return OUT_OF_LIMITS, CONTINUES, 0
    if has_force:
        for i in range(6):
            if abs(force[i]) > limits.force:
                memory.strut = i
                return SPIKE, CONTINUES, 0
    steps = 1
    if begins == CONTINUES:
        dt = time - memory.stamp
        steps = max(1, int(np.floor(dt / period + 0.5)))
        span = steps * period
        allowed = limits.acceleration * max(span * (span + period), SHORTEST_CHANGE)
        for i in range(6):
            change = length[i] - last[i]
            bad = abs(change) > limits.rate * span
            if memory.slope_known:
                # what inertia allows beyond the straight continuation
                bad = bad or abs(change - slope[i] * span) > allowed
            if bad:
                # A spike stands alone. Samples that agree with each other but not with the past mean that the past
                # is wrong or the encoder has moved its zero: start again instead of locking out for ever.
                near = memory.suspects > 0
                for j in range(6):
                    near = near and abs(length[j] - suspect[j]) <= limits.rate * max(
                        time - memory.suspect_stamp, period
                    )
                memory.suspects = memory.suspects + 1 if near else 1
                memory.suspect_stamp = time
                for j in range(6):
                    suspect[j] = length[j]
                if memory.suspects * period <= max(limits.max_gap, 3.0 * period):
                    memory.strut = i
                    return SPIKE, CONTINUES, 0
                begins = GAP
                break
    if memory.begun and memory.suspects > 0 and 0.0 < time - memory.suspect_stamp <= limits.max_gap:
        if not note_step(memory, length, time - memory.stamp):
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
        for i in range(6):
            slope[i] = (length[i] - last[i]) / (steps * period)
        memory.slope_known = True
    else:
        memory.segment += 1
        memory.slope_known = False
        steps = 1
    memory.stamp = time
    memory.begun = True
    for i in range(6):
        last[i] = length[i]
    return ACCEPTED, begins, steps


@kernel
def judge_log(time, length, force, has_force, memories, limit_rows, judged):
    """Judge a whole log: verdict and beginning of each sample; indices kept, fills before each, its segment."""
    kept, fills, segment, verdicts, beginnings = judged
    count = 0
    for n in range(time.shape[0]):
        verdict, begins, steps = judge(time[n], length[n], force[n], has_force, memories, limit_rows)
        verdicts[n] = verdict
        beginnings[n] = begins if verdict == ACCEPTED else CONTINUES
        if verdict == ACCEPTED:
            kept[count] = n
            fills[count] = steps - 1 if begins == CONTINUES else 0
            segment[count] = memories[0].segment
            count += 1
    return count
