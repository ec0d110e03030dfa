# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Whether the model fits the stream: the last equations are asked, again and again, for a cause of a misfit.

An alarm is evidence and effect, as offline: a hypothesis that the last equations ask for decisively, and that moves a
parameter that is shown by more than two of its stated deviations; twice in a row, because the question is asked for
ever. Sign, unit and exchanged struts come first. A judgement is spread over the equations that arrive meanwhile, a part
after each: it takes milliseconds, and whoever wants the estimate of an equation need not wait for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.lack_of_fit.doubt import DOUBTFUL
from pkm_identification.estimation.lack_of_fit.effect import largest_effect
from pkm_identification.estimation.lack_of_fit.evidence import Base
from pkm_identification.estimation.lack_of_fit.saturated import saturated
from pkm_identification.estimation.lack_of_fit.selection import DECISIVE
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior

from ...diagnosis.causes import causes_of
from ...diagnosis.findings import Cause
from ...equations.equation_filter import Equation
from .length_zeros import missed_at_home
from .recent_equations import Recent, RecentEquations
from .stream_discrete import discrete_cause
from .stream_hypotheses import stream_hypotheses

WINDOW = 1000  # equations, 40 s at 25 Hz
FEWEST = 250
EVERY = 125  # equations from one judgement to the next
EXACT = 1e-4  # residual over force: below it, differences are rounding
ROUNDING = 0.5  # residual over that: below, there is nothing to find
STARTED, DONE = "started", "done"


@dataclass(frozen=True)
class StreamFit:
    """What a judgement found.

    Attributes
    ----------
    adequate : bool
    ratio : float
        Residual of the model over pure error: what is left with everything that was looked for taken out.
    cause : Cause or None
        The likeliest one, where there is decisive evidence for one.
    moved : ndarray, shape (P,)
        What it changes about the parameters, SI units; without nuisance parameters. Empty where it cannot be told: all
        of them are wrong.
    time : float
        Stamp of the newest equation judged, s.
    """

    adequate: bool
    ratio: float = 1.0
    cause: Cause | None = None
    moved: FloatArray = field(default_factory=lambda: np.empty(0))
    time: float = float("nan")


class FitWatch:
    """Judges the fit of a stream of equations.

    Parameters
    ----------
    machine : Machine
    parameters : ParameterSet
        The unknowns, nuisance parameters included.
    spacing : float
        s from one equation to the next.
    estimate : callable
        The present mean (P,) of all unknowns, and the present estimate.
    length_step : callable, optional
        Stamp in s at which a length may have stepped last, or None.

    Attributes
    ----------
    fit : StreamFit or None
        The last judgement; None before the first.
    learned_from : StreamFit or None
        The misfit with the largest effect since the start: an estimate that has learned from it stays in doubt.
    """

    def __init__(
        self,
        machine: Machine,
        parameters: ParameterSet,
        spacing: float,
        estimate: Callable[[], tuple[FloatArray, ParameterEstimate]],
        length_step: Callable[[], float | None] = lambda: None,
    ) -> None:
        self._machine = machine
        self._parameters = parameters
        self._prior = Prior.of(parameters)
        self._estimate = estimate
        self._length_step = length_step
        # here, because kernels may have to be compiled for it
        self._missed = missed_at_home(machine)
        outputs = len(machine.base_joints)
        self._recent = RecentEquations(WINDOW, len(parameters), outputs, spacing)
        self.reset()

    def reset(self) -> None:
        """As at the start."""
        self.fit: StreamFit | None = None
        self.learned_from: StreamFit | None = None
        self._suspected = False
        self.interrupt()

    def interrupt(self) -> None:
        """What comes does not belong to what was: another load, other friction."""
        self._recent.clear()
        self._taken: list[Equation] = []  # since the last part
        self._since = 0
        self._judgement: Iterator[str] | None = None

    @property
    def lack_of_fit(self) -> bool:
        """Whether the last judgement found the model inadequate."""
        return self.fit is not None and not self.fit.adequate

    def step(self, equation: Equation) -> None:
        """Take one equation; the next part of the judgement that is under way becomes due."""
        self._taken.append(equation)

    def go_on(self) -> None:
        """Keep what was taken and do the part of the judgement that is due: at leisure, before the next equation."""
        if not self._taken:
            return
        for equation in self._taken:
            self._recent.add(equation)
        self._since += len(self._taken)
        self._taken.clear()
        self._go_on()

    def _go_on(self) -> None:
        """The next part of the judgement that is under way, or of one that is due."""
        if self._judgement is not None:
            if next(self._judgement, DONE) == DONE:
                self._judgement = None
        elif self._since >= EVERY and len(self._recent) >= FEWEST:
            self._since = 0
            self._judgement = self._judge()

    def finish(self) -> None:
        """The stream is over: what is under way is judged to its end."""
        self.go_on()
        while self._judgement is not None:
            self._go_on()

    def _judge(self) -> Iterator[str]:
        """One judgement; it pauses after each of its parts."""
        recent = self._recent.all()
        mean, estimate = self._estimate()
        step = self._length_step()
        time = float(recent.time[-1])
        yield STARTED
        base = self._base(recent)
        yield "the model alone"
        discrete = discrete_cause(self._machine, self._parameters, recent, base.floor)
        if discrete is not None:
            self._conclude(StreamFit(False, base.total_ratio, discrete, time=time))
            return
        if base.total_ratio < ROUNDING:
            self._conclude(StreamFit(True, time=time))
            return
        yield "discrete causes"
        choices, tried = stream_hypotheses(self._machine, self._parameters, recent, mean, self._missed, step)
        everything = saturated(
            base, [one for one, choice in zip(tried, choices, strict=True) if choice.whole]
        )
        noise = everything.pure_error
        ratio = base.total_ratio / max(everything.total_ratio, 1e-300)
        yield "all hypotheses together"
        scores = []
        for one in tried:
            scores.append(base.score(one.columns, one.scale, noise))
            yield one.name
        best = int(np.argmax([score.evidence for score in scores]))
        score = scores[best]
        if score.evidence < DECISIVE:
            self._conclude(StreamFit(True, ratio, time=time))
            return
        moved = (self._prior.std * score.moved)[: len(estimate.names)]
        effect, moves = largest_effect(estimate, moved)
        before = float(base.residual @ base.residual)
        explained = before - float(everything.residual @ everything.residual)
        cause, *_ = causes_of(
            choices[best],
            score.coefficients,
            score.covariance,
            evidence=score.evidence,
            explains=float(np.clip((before - score.left) / max(explained, 1e-300), 0.0, 1.0)),
            effect=effect,
            moves=moves,
        )
        self._conclude(StreamFit(effect <= DOUBTFUL, ratio, cause, moved, time))

    def _base(self, recent: Recent) -> Base:
        """The model, its rows divided by its own residual or, where that is less, by what is rounding."""
        scaled = recent.regressor * self._prior.std
        target = recent.measured - recent.regressor @ self._prior.mean
        least = np.full(target.shape[1], EXACT * np.sqrt(np.mean(recent.force**2)) + 1e-300)
        residual = least * Base.of(scaled, target, least, recent.segment).ratio
        return Base.of(scaled, target, np.maximum(residual, least), recent.segment)

    def _conclude(self, fit: StreamFit) -> None:
        confirmed, self._suspected = self._suspected, not fit.adequate
        if self._suspected and not confirmed:
            # once may be chance: the question is asked for ever
            return
        self.fit = fit
        if fit.adequate or fit.cause is None:
            return
        worst = self.learned_from
        if worst is None or worst.cause is None or fit.cause.effect >= worst.cause.effect:
            self.learned_from = fit
