# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What happens during a log: an encoder that loses counts, a machine that changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.butterworth import zero_phase
from pkm_identification.signals.guard import GuardedLog

from ..situation import Situation
from .hypothesis import Columns, Effect, repeated

CHANGE = 0.1  # of each parameter
STEP = 1e-3  # m, a large step
JUMP = 8.0  # of the usual third difference: what a jump in a length is
MOST_JUMPS = 3


def jumps(log: GuardedLog) -> list[tuple[int, float]]:
    """Struts (from 0) and instants in s at which a length jumps within one sample, the largest first.

    In the third difference smooth motion vanishes and a step stays three times its size; compared with what is usual
    for the same strut.
    """
    jumps = []
    if len(log.time) < 8:
        return []
    third = np.diff(log.length, 3, axis=0)
    third[np.diff(log.segment[2:]) != 0] = 0.0
    usual = np.maximum(1.4826 * np.median(np.abs(third), axis=0), 1e-9 + 2.0 * _step_of(log.length))
    scaled = np.abs(third) / usual
    for k in range(third.shape[1]):
        place = int(np.argmax(scaled[:, k]))
        if scaled[place, k] > JUMP:
            jumps.append((float(scaled[place, k]), k, float(log.time[place + 2])))
    return [(k, time) for _, k, time in sorted(jumps, reverse=True)[:MOST_JUMPS]]


def _step_of(length: FloatArray) -> FloatArray:
    """Smallest change of each length: a count, where counts are seen."""
    change = np.abs(np.diff(length[:2000], axis=0))
    return np.array([np.min(c[c > 0.0], initial=0.0, where=True) if np.any(c > 0) else 0.0 for c in change.T])


def changed(situation: Situation) -> FloatArray:
    """What parameters larger by their whole size in the second half would add, N, (K, 6, P)."""
    return situation.terms * situation.later[:, None, None]


def effects(logs: Sequence[GuardedLog], parameters: ParameterSet) -> list[Effect]:
    """A machine that changes, and a step in a length wherever one jumps."""
    effects = [
        Effect(
            "changed_during_log",
            "events",
            "",
            changed,
            repeated(CHANGE, len(parameters) - parameters.nuisance),
            "Identify the halves apart: a payload, warming friction or a loose joint changed the machine in between",
        )
    ]
    for number, log in enumerate(logs):
        for strut, time in jumps(log):

            def columns(
                situation: Situation, strut: int = strut, time: float = time, log: GuardedLog = log
            ) -> FloatArray:
                return _stepped(situation, strut, time, log)

            when = f"at {time:.3f} s" + (f" of log {number + 1}" if len(logs) > 1 else "")
            effects.append(lost_counts(strut, when, columns))
    return effects


def lost_counts(strut: int, when: str, columns: Columns) -> Effect:
    """A step in the length of a strut (from 0), at a time in words."""
    return Effect(
        f"lost_counts_{strut + 1}",
        "events",
        "m",
        columns,
        repeated(STEP, 1),
        f"The encoder of strut {strut + 1} loses counts {when}: check its cable and shield, and leave out what follows",
    )


def _stepped(situation: Situation, strut: int, time: float, log: GuardedLog) -> FloatArray:
    """What a metre more of a length from an instant on would add, N/m, (K, 6, 1); nothing in another log."""
    rows = situation.rows
    struts = rows.struts
    inside = len(struts) and log.time[0] <= struts.time[0] and struts.time[-1] <= log.time[-1]
    if not inside or not struts.time[0] < time < struts.time[-1]:
        return np.zeros((*situation.predicted.shape, 1))
    step = np.zeros(len(struts))
    for piece in rows.pieces:
        step[piece.part] = zero_phase(rows.smoothing, (struts.time[piece.part] >= time).astype(float))
    first = np.gradient(step, rows.band.period)
    second = np.gradient(first, rows.band.period)
    thin, size = rows.thin, 1e-5
    own = rows.thin_struts
    only = np.eye(own.length.shape[1])[strut]
    changed = replace(
        own,
        length=own.length - size * step[thin, None] * only,
        rate=own.rate - size * first[thin, None] * only,
        acceleration=own.acceleration - size * second[thin, None] * only,
    )
    return situation.of_lengths(changed)[:, :, None] / size
