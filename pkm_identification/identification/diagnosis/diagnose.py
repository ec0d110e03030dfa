"""The diagnosis: does the model fit as well as the noise allows, and if not, why?

An alarm is evidence *and* effect: a hypothesis with decisive evidence that moves a parameter that is shown by more than
two of its standard deviations; or a residual that stands out of the noise floor by more than floors are uncertain, for
causes that nobody has thought of. Evidence without effect is a remark. Clipped forces are evidence by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.estimators import ESTIMATORS, Tuning
from pkm_identification.estimation.lack_of_fit.doubt import DOUBTFUL
from pkm_identification.estimation.lack_of_fit.effect import largest_effect
from pkm_identification.estimation.lack_of_fit.evidence import Base
from pkm_identification.estimation.problem import Problem
from pkm_identification.numerics.arrays import FloatArray

from ..experiment import Experiment
from .candidates import Choice
from .causes import causes_of, unit_scale
from .discrete import Discrete, suspects, undone
from .discrete_causes import enlarges
from .evidence_base import EvidenceBase
from .findings import Cause, Diagnosis, Residuals, Unseen
from .hypotheses import effects_of
from .noise_floor import NoiseFloor, noise_floor
from .saturation import saturation, without_clipped
from .search import Search, search

STANDS_OUT, STRUT_STANDS_OUT = 1.35, 1.6  # residual over floor: more than floors are uncertain
ROUNDING = 1.0 / 3.0  # of the least floor: below, there is nothing to find
ROUGH = 0.01  # of the rms force: noise of a first estimate
MOST_DISCRETE = 2
HARMLESS = 10.0  # times a large size: beyond, a motion does not show a cause at all
SEEN = 7.0  # standard deviations a cause's score needs to be found in 99 of 100 logs


def diagnose(experiment: Experiment, problem: Problem, estimate: ParameterEstimate) -> Diagnosis:
    """Judge the fit of a model to its logs.

    Parameters
    ----------
    experiment : Experiment
    problem : Problem
        Its own; where those are no zero-phase force equations, the force equations of the same samples are judged.
    estimate : ParameterEstimate
        Whose statuses and standard deviations the effects are compared with.
    """
    experiment, problem = _force_equations(experiment, problem)
    base, floor = _base_and_floor(experiment, problem)
    problem = base.problem
    first = base.base(floor.std)
    residuals = _residuals(base, first)
    force = problem.equations.force
    percent = 100.0 * float(np.sqrt(np.mean(floor.std**2) / max(np.mean(force**2), 1e-300)))
    if _size(first.ratio * floor.std) < ROUNDING * _size(floor.exact):
        return Diagnosis(True, floor, percent, first.total_ratio, first.ratio, first.total_ratio)
    causes: list[Cause] = []
    moved: list[FloatArray] = []
    before = base.parameters(first)
    corrected = floor
    while len(causes) < MOST_DISCRETE:
        tried = [_undone(experiment, one) for one in suspects(base, corrected.std)]
        if not tried:
            break
        best = min(tried, key=lambda one: one.ratio)
        causes.append(best.cause)
        experiment, base, corrected = best.experiment, best.base, best.floor
        problem = base.problem
        moved.append((base.parameters(base.base(corrected.std)) - before)[: problem.reported])
    if causes:
        # what is left is judged by the estimate that the corrected logs would give
        estimate = ESTIMATORS["ls"].fit(problem, Tuning()).estimate(problem)
    selection = search(base, effects_of(experiment.machine, problem.parameters, experiment.logs), corrected)
    remarks: list[Cause] = []
    fitted = base.basis(base.parameters(selection.last))
    explained = _squares(selection.first.residual) - _squares(selection.saturated.residual)
    for one in selection.found:
        effect, moves = largest_effect(estimate, one.moved)
        entries = causes_of(
            one.pick.choice,
            one.coefficients,
            one.covariance,
            evidence=one.evidence,
            explains=float(np.clip(one.left / max(explained, 1e-300), 0.0, 1.0)),
            effect=effect,
            moves=moves,
            rivals=one.pick.rivals,
            scale=unit_scale(one.pick.choice, experiment.machine, fitted),
        )
        (causes if effect > DOUBTFUL else remarks).extend(entries)
        if effect > DOUBTFUL:
            moved += [one.moved, *one.pick.alternatives]
    out = first.total_ratio > STANDS_OUT or bool(np.any(first.ratio > STRUT_STANDS_OUT))
    if out and not causes:
        causes, remarks = remarks, []
        moved = [one.moved for one in selection.found]
    clipped = saturation(experiment.logs, first.ratio)
    if clipped:
        reach = 1.0 / experiment.settings.band.cutoff
        change, clear = without_clipped(clipped, experiment.logs, base, floor.std, reach)
        effect, moves = largest_effect(estimate, change)
        clipped = [replace(one, effect=effect, moves=moves) for one in clipped]
        if out or causes:
            # a clipped force looks like whatever bends where it is large, but never larger than it is: forces that
            # come out too large reach the end of their range because of that
            enlarged = [one for one in causes if enlarges(one)]
            others = [one for one in causes if one not in enlarged]
            causes, moved = [*enlarged, *clipped, *others], [*moved, change]
        elif clear and effect > DOUBTFUL:
            causes, moved = [replace(one, explains=0.0) for one in clipped], [change]
    return Diagnosis(
        adequate=not causes and not out,
        floor=floor,
        floor_percent=percent,
        ratio=first.total_ratio,
        per_strut=first.ratio,
        left=selection.last.total_ratio,
        causes=tuple(causes),
        remarks=tuple(remarks),
        unseen=_unseen(selection),
        moved=np.reshape(moved, (-1, problem.reported)),
        residuals=(residuals, _residuals(base, selection.last)),
    )


@dataclass(frozen=True)
class _Undone:
    """An experiment without a discrete cause, and how well it then fits."""

    cause: Cause
    experiment: Experiment
    base: EvidenceBase
    floor: NoiseFloor
    ratio: float


def _undone(experiment: Experiment, discrete: Discrete) -> _Undone:
    changed = undone(experiment, discrete)
    base, floor = _base_and_floor(changed, changed.problem())
    return _Undone(discrete.cause, changed, base, floor, base.base(floor.std).total_ratio)


def _base_and_floor(experiment: Experiment, problem: Problem) -> tuple[EvidenceBase, NoiseFloor]:
    if experiment.point is not None:
        problem = experiment.point.expected(problem)
    base = EvidenceBase.of(experiment, problem)
    force = problem.equations.force
    # the size of encoder noise in the force needs a rough estimate only
    rough = base.base(ROUGH * np.sqrt(np.mean(force**2, axis=0)) + 1e-300)
    return base, noise_floor(experiment, base.basis(base.parameters(rough)), force)


def _residuals(evidence: EvidenceBase, model: Base) -> Residuals:
    log = evidence.problem.log[evidence.kept]
    own = log == np.bincount(log).argmax()
    return Residuals(evidence.problem.equations.time[evidence.kept][own], model.left[own])


def _size(values: FloatArray) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _force_equations(experiment: Experiment, problem: Problem) -> tuple[Experiment, Problem]:
    """The experiment with zero-phase equations of the force model, if its own are others."""
    settings = experiment.settings
    if not settings.causal and settings.estimator.model == "force":
        return experiment, problem
    estimator = replace(settings.estimator, model="force")
    changed = replace(experiment, settings=replace(settings, causal=False, estimator=estimator))
    return changed, changed.problem()


def _unseen(causes: Search) -> tuple[Unseen, ...]:
    """Above which size a single coefficient of each kind would have been seen, at the median of its members."""
    sizes: dict[str, list[float]] = {}
    units: dict[str, Choice] = {}
    for choice, candidate in zip(causes.choices, causes.candidates, strict=True):
        if choice.effect.reading is not None or not (choice.together or len(candidate.scale) == 1):
            continue
        name = choice.effect.name
        if choice.together != bool(choice.effect.common):
            name = choice.effect.name + "_N" if choice.effect.members else name
        weight = float(np.sum(causes.first.split(candidate.columns)[0] ** 2))
        size = SEEN * float(np.sqrt(causes.noise / weight)) if weight > 0.0 else np.inf
        if size < HARMLESS * candidate.scale[0]:
            sizes.setdefault(name, []).append(size)
            units[name] = choice
    return tuple(
        Unseen(name, float(np.median(size)), units[name].effect.unit) for name, size in sizes.items()
    )


def _squares(values: FloatArray) -> float:
    return float(values @ values)
