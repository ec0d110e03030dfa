"""Whether the model fits the stream: the last equations are asked, again and again, for a cause of a misfit.

An alarm is evidence and effect, as offline: a hypothesis that the last equations ask for decisively, and that moves a
parameter that is shown by more than two of its stated deviations; twice in a row, because the question is asked for
ever. One hypothesis is scored for each new equation, so that no sample waits for long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.identifiability import IDENTIFIABLE
from pkm_identification.estimation.lack_of_fit.evidence import Base, Score
from pkm_identification.estimation.lack_of_fit.saturated import saturated
from pkm_identification.estimation.lack_of_fit.selection import DECISIVE
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.prior import Prior

from .equation import Equation
from .recent_equations import Recent, RecentEquations
from .stream_hypotheses import UNITS, candidates

WINDOW = 1000  # equations, 40 s at 25 Hz
FEWEST = 250
EVERY = 125  # equations from one judgement to the next
LARGE_EFFECT = 2.0  # stated deviations
DONE = "done"
EXACT = 1e-4  # residual over force: below it, differences are rounding


@dataclass(frozen=True)
class StreamFit:
    """What the last judgement found.

    Attributes
    ----------
    adequate : bool
    ratio : float
        Residual of the model over pure error: what is left with everything that was looked for taken out.
    cause : str
        Name of the likeliest cause; empty where none is decisive.
    value, std : float
        Its size; of several coefficients, the largest change in deviations of the prior.
    unit : str
    evidence : float
        Logarithm of the odds.
    effect : float
        Stated deviations by which it moves the parameter that it moves most.
    moved : ndarray, shape (P,)
        What it changes about the parameters, SI units; without nuisance parameters.
    time : float
        Stamp of the newest equation judged, s.
    """

    adequate: bool
    ratio: float = 1.0
    cause: str = ""
    value: float = 0.0
    std: float = 0.0
    unit: str = ""
    evidence: float = 0.0
    effect: float = 0.0
    moved: FloatArray = field(default_factory=lambda: np.empty(0))
    time: float = float("nan")


class FitWatch:
    """Judges the fit of a stream of equations.

    Parameters
    ----------
    prior : Prior
        Of all unknowns, nuisance parameters included.
    outputs : int
    typical_force : float
        N.
    spacing : float
        s from one equation to the next.
    estimate : callable
        The present mean (P,) of all unknowns, and the present estimate.

    Attributes
    ----------
    fit : StreamFit or None
        The last judgement; None before the first.
    worst : StreamFit or None
        The misfit with the largest effect since the start: what the estimate has learned from and stays in doubt for.
    """

    def __init__(
        self,
        prior: Prior,
        outputs: int,
        typical_force: float,
        spacing: float,
        estimate: Callable[[], tuple[FloatArray, ParameterEstimate]],
    ) -> None:
        self._prior = prior
        self._typical_force = typical_force
        self._estimate = estimate
        self._recent = RecentEquations(WINDOW, len(prior.mean), outputs, spacing)
        self.reset()

    def reset(self) -> None:
        """As at the start."""
        self.fit: StreamFit | None = None
        self.worst: StreamFit | None = None
        self._suspected = False
        self.interrupt()

    def interrupt(self) -> None:
        """What comes does not belong to what was: another load, other friction."""
        self._recent.clear()
        self._since = 0
        self._judgement: Iterator[str] | None = None

    @property
    def lack_of_fit(self) -> bool:
        """Whether the last judgement found the model inadequate."""
        return self.fit is not None and not self.fit.adequate

    def step(self, equation: Equation) -> None:
        """Take one equation, and do the next part of the judgement that is under way."""
        self._recent.add(equation)
        self._since += 1
        if self._judgement is not None:
            if next(self._judgement, DONE) == DONE:
                self._judgement = None
        elif self._since >= EVERY and len(self._recent) >= FEWEST:
            self._since = 0
            self._judgement = self._judge()

    def _judge(self) -> Iterator[str]:
        """One judgement; it pauses after each hypothesis."""
        recent = self._recent.all()
        mean, estimate = self._estimate()
        yield "equations copied"
        base = self._base(recent)
        if base is None:
            self._conclude(StreamFit(True, time=float(recent.time[-1])))
            return
        best: tuple[str, str, Score] | None = None
        yield "base worked off"
        tried = candidates(recent, mean, self._prior, self._typical_force)
        everything = saturated(base, tried)
        noise = everything.pure_error
        yield "saturated"
        for candidate in tried:
            score = base.score(candidate.columns, candidate.scale, noise)
            if best is None or score.evidence > best[2].evidence:
                best = candidate.name, candidate.family, score
            yield candidate.name
        if best is not None:
            ratio = base.total_ratio / max(everything.total_ratio, 1e-300)
            self._conclude(self._fit(float(recent.time[-1]), ratio, estimate, *best))

    def _base(self, recent: Recent) -> Base | None:
        """The model, its rows divided by its own residual; None where that is rounding."""
        scaled = recent.regressor * self._prior.std
        target = recent.measured - recent.regressor @ self._prior.mean
        floor = np.full(target.shape[1], np.sqrt(np.mean(recent.force**2)) + 1e-300)
        base = Base.of(scaled, target, EXACT * floor, recent.segment)
        residual = EXACT * floor * base.ratio
        if np.all(residual < EXACT * floor):
            return None
        return Base.of(scaled, target, np.maximum(residual, EXACT * floor), recent.segment)

    def _fit(
        self, time: float, ratio: float, estimate: ParameterEstimate, name: str, family: str, score: Score
    ) -> StreamFit:
        moved = (self._prior.std * score.moved)[: len(estimate.names)]
        shown = [k for k, status in enumerate(estimate.status) if status == IDENTIFIABLE]
        effects = [abs(moved[k]) / estimate.std[k] for k in shown]
        effects += [abs(one.weights @ moved) / one.std for one in estimate.combinations]
        effect = float(max(effects, default=0.0))
        if score.evidence < DECISIVE:
            return StreamFit(True, ratio, time=time, evidence=score.evidence, effect=effect)
        place = int(np.argmax(np.abs(score.coefficients) / score.std))
        single = len(score.coefficients) == 1
        scale = 1.0 if single else self._prior.std[place]
        return StreamFit(
            adequate=effect < LARGE_EFFECT,
            ratio=ratio,
            cause=name,
            value=float(score.coefficients[place] / scale) + (1.0 if family == "force_gain" else 0.0),
            std=float(score.std[place] / scale),
            unit=UNITS.get(family, ""),
            evidence=score.evidence,
            effect=effect,
            moved=moved,
            time=time,
        )

    def _conclude(self, fit: StreamFit) -> None:
        confirmed, self._suspected = self._suspected, not fit.adequate
        if self._suspected and not confirmed:
            # once may be chance: the question is asked for ever
            return
        self.fit = fit
        if not fit.adequate and (self.worst is None or fit.effect > self.worst.effect):
            self.worst = fit
