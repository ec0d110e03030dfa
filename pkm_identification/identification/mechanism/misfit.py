# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Why a mechanism's model does not fit: generic causes, which need no more of it than its drives' forces and motion.

Each is a few columns in the band of the equations, compared by their evidence (`estimation.lack_of_fit`) and chosen one
after the other; that outputs stand in each other's columns is tried by exchanging them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.estimation.lack_of_fit.evidence import Base, Score
from pkm_identification.estimation.lack_of_fit.exchange import best_order
from pkm_identification.estimation.lack_of_fit.saturated import saturated
from pkm_identification.estimation.lack_of_fit.selection import DECISIVE, Candidate, ranking, rivals
from pkm_identification.estimation.problem import Problem
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray

from ..model_errors.columns import OF_MOTION, compute_motion_column, differentiate
from ..regression.equations import LogEquations

DELAY, GAIN, OFFSET, SIZE = 5e-3, 1.0, 0.3, 0.3  # s, and of the rms force: how large causes may well be
MOST_CAUSES = 3
MOST_EXCHANGED = 6  # drives: all their orders are tried
EXCHANGED = 0.1  # of the squares left, or less, once columns are in their places
WRONG_SIGN = 0.3  # how near a factor is to -1
SIZED = 2.0  # deviations above which a cause has a size

COMMON, EACH = -1, -2  # in the place of a drive: all of them alike, and each by as much as it has
# What is estimated besides (`model_errors`) of a cause
_ALSO = {"delay": "force_delay", "gain": "force_gain", "offset": "force_offset", "inertia": "motor_inertia"}


@dataclass(frozen=True)
class Effect:
    """A cause without its size.

    Attributes
    ----------
    kind : str
        `delay`, `gain`, `offset`, `friction_asymmetric`, `friction_stribeck`, `friction_square`, `inertia`.
    drive : int
        From 0; COMMON: all alike; EACH: all, of different sizes.
    """

    kind: str
    drive: int

    @property
    def name(self) -> str:
        if self.drive == EACH:
            return f"{self.kind} of each"
        return self.kind if self.drive == COMMON else f"{self.kind} {self.drive + 1}"

    @property
    def error(self) -> str:
        """The kind of error (`model_errors`) that it is."""
        return _ALSO.get(self.kind, self.kind)

    def also(self, names: Sequence[str]) -> str:
        """Return the name in `--also` that estimates it, of drives of these names."""
        return self.error if self.drive < 0 else f"{self.error}_{names[self.drive]}"


@dataclass(frozen=True)
class Cause:
    """What was found.

    Attributes
    ----------
    effect : Effect
    values, stds : tuple of float
        In SI units of what the effect is: s, a share of the force, N (N m), kg (kg m^2); of EACH one a drive.
    evidence : float
        Logarithm of the odds against the model without it.
    left : float
        Residual over noise floor with it and those before it.
    explains : float
        Part of the residual's power above the noise that goes away when it alone is applied, 0 to 1.
    rivals : tuple of str
        Names of effects that the logs do not tell from it.
    """

    effect: Effect
    values: tuple[float, ...]
    stds: tuple[float, ...]
    evidence: float
    left: float
    explains: float
    rivals: tuple[str, ...]

    @property
    def value(self) -> float:
        """The first of the values."""
        return self.values[0]

    @property
    def std(self) -> float:
        """Its standard deviation."""
        return self.stds[0]


@dataclass(frozen=True)
class Exchange:
    """Outputs that stand in each other's columns: which measured column, from 0, belongs to each drive."""

    column: tuple[int, ...]


def effects_of(units: Sequence[str]) -> list[Effect]:
    """All effects on a mechanism whose drives measure in these units (m, rad); only like drives share an inertia."""
    count = len(units)
    shared = [Effect("delay", COMMON)]
    if count > 1:
        shared.append(Effect("inertia", EACH))
    if len(set(units)) == 1:
        shared.append(Effect("inertia", COMMON))
    kinds = (
        "delay",
        "gain",
        "offset",
        "friction_asymmetric",
        "friction_stribeck",
        "friction_square",
        "inertia",
    )
    return [*shared, *(Effect(kind, drive) for kind in kinds for drive in range(count))]


def causes_of(
    problem: Problem,
    floor: FloatArray,
    logs: Sequence[LogEquations],
    machine: Machine,
) -> tuple[Cause, ...] | Exchange:
    """What explains the residual of a model that does not fit; empty where none of the causes does.

    Parameters
    ----------
    problem : Problem
    floor : ndarray, shape (n,)
        Standard deviation of the residuals that noise alone would leave.
    logs : sequence of LogEquations
        Those of the problem's equations, in their order.
    machine : Machine
        Its drives' units, and the rates within which their friction bends.
    """
    equations, prior = problem.equations, problem.prior
    known = equations.regressor @ prior.mean
    columns = equations.regressor * prior.std
    used = np.concatenate([log.used for log in logs])
    whole = used.all(axis=1)
    stated = known + equations.force - equations.measured
    exchange = _exchanged(columns[whole], stated[whole], equations.force[whole])
    if exchange is not None:
        return exchange
    base = Base.of(columns, equations.measured - known, floor, equations.segment)
    expected = equations.force - equations.measured + equations.regressor @ problem.parameters.nominal
    expected = np.where(used, expected, 0.0)
    effects = effects_of([drive.unit for drive in machine.drives])
    candidates = _candidates(effects, equations.force, expected, logs, machine)
    everything = saturated(base, candidates)
    noise, first = everything.pure_error, base
    # the noise is the floor's, or what all causes together leave where that is less
    above = first.power - min(float(max(first.rows - first.unknowns, 1)), everything.power)
    causes: list[Cause] = []
    taken: set[str] = set()
    while len(causes) < MOST_CAUSES:
        ranked = [
            one
            for one in ranking(base, candidates, noise)
            if candidates[one.place].name not in taken and _has_size(one.score, effects[one.place])
        ]
        if not ranked or ranked[0].score.evidence < DECISIVE:
            break
        best = ranked[0]
        chosen = candidates[best.place]
        taken.add(chosen.name)
        base = base.extended(chosen.columns, chosen.scale)
        alone = first.power - first.score(chosen.columns, chosen.scale, noise).left
        sizes = slice(None) if effects[best.place].drive == EACH else slice(1)
        causes.append(
            Cause(
                effects[best.place], tuple(best.score.coefficients[sizes].tolist()),
                tuple(best.score.std[sizes].tolist()), best.score.evidence,
                base.total_ratio, float(np.clip(alone / max(above, 1e-300), 0.0, 1.0)), rivals(ranked, candidates),
            )
        )  # fmt: skip
    return tuple(causes)


def _has_size(score: Score, effect: Effect) -> bool:
    """Whether a coefficient that tells the size, the first unless each drive has one, stands out of its deviation."""
    sized = np.abs(score.coefficients) > SIZED * score.std
    return bool(sized.any() if effect.drive == EACH else sized[0])


def _exchanged(columns: FloatArray, known: FloatArray, force: FloatArray) -> Exchange | None:
    if not 2 <= force.shape[1] <= MOST_EXCHANGED or not len(force):
        return None
    order = best_order(columns, known, force)
    if order.changed and order.left < EXCHANGED * order.before:
        return Exchange(tuple(int(one) for one in order.column))
    return None


def _candidates(
    effects: Sequence[Effect],
    force: FloatArray,
    expected: FloatArray,
    logs: Sequence[LogEquations],
    machine: Machine,
) -> list[Candidate]:
    """Columns (K, n, q) of each effect, the first what its size is of, and how large coefficients may well be."""
    size = float(np.sqrt(np.mean(force**2)))
    parts: dict[str, FloatArray] = {
        "gain": expected[:, :, None],
        "offset": np.concatenate([log.used for log in logs]).astype(float)[:, :, None],
    }
    sampled = [_sampled(log, machine) for log in logs]
    parts |= {name: np.concatenate([part[name] for part in sampled]) for name in sampled[0]}
    scales = {"delay": [DELAY, DELAY**2], "gain": [GAIN], "offset": [OFFSET * size]}
    candidates = []
    for effect in effects:
        part = parts[effect.kind]
        if effect.drive == EACH:
            columns = part * np.eye(part.shape[1])
        else:
            own = (effect.drive == COMMON) | (np.arange(part.shape[1]) == effect.drive)[:, None]
            columns = np.where(own, part, 0.0)
        largest = float(np.sqrt(np.mean(columns**2, axis=0)).max())
        scale = scales.get(effect.kind, [SIZE * size / max(largest, 1e-300)] * columns.shape[2])
        candidates.append(Candidate(effect.name, effect.kind, columns, np.array(scale)))
    return candidates


def _sampled(log: LogEquations, machine: Machine) -> dict[str, FloatArray]:
    """Columns in the band, (K, n, q), of what hangs on the course of force and motion."""
    samples, period = log.samples, log.band.period
    slope = differentiate(samples.force, samples.segment, period)
    kinds = {error: kind for kind, error in _ALSO.items()}
    raw = {"delay": np.stack([-slope, 0.5 * differentiate(slope, samples.segment, period)], axis=2)}
    raw |= {
        kinds.get(one, one): compute_motion_column(one, samples, machine)[:, :, None] for one in OF_MOTION
    }
    return {name: log.in_band(values) for name, values in raw.items()}
