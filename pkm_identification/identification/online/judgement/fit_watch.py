# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Whether the model fits the stream: the last equations are asked, again and again, for a cause of a misfit.

An alarm is, as offline, a residual that stands out of the noise floor, with or without a cause that has a name; or
evidence and effect: a hypothesis that the last equations ask for decisively, and that moves a parameter that is shown
by more than two of its stated deviations. Twice in a row, because the question is asked for ever. Sign, unit and
exchanged struts come first. A judgement is spread over the equations that arrive meanwhile, a part after each: it takes
milliseconds, and whoever wants the estimate of an equation need not wait for them.

The model is fitted anew to the last equations for it. Where friction changes and the estimate follows, only the newest
of them are judged, and friction may change among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.lack_of_fit.doubt import DOUBTFUL
from pkm_identification.estimation.lack_of_fit.effect import largest_effect
from pkm_identification.estimation.lack_of_fit.evidence import DECISIVE, Base, Remainder
from pkm_identification.estimation.lack_of_fit.thresholds import stands_out
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior

from ...diagnosis.findings import Cause
from ...equations.equation_filter import Equation
from .causes import causes_of
from .coordinate_zeros import missed_at_home
from .recent_equations import Recent, RecentEquations
from .stream_discrete import discrete_cause
from .stream_hypotheses import stream_hypotheses
from .stream_noise import StreamNoise

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
        Residual of the model over noise floor, all drives.
    cause : Cause or None
        The likeliest one, where there is decisive evidence for one.
    moved : ndarray, shape (P,)
        What it changes about the parameters, SI units; without nuisance parameters. Empty where it cannot be told: all
        of them are wrong.
    time : float
        Stamp of the newest equation judged, s.
    unexplained : bool
        Whether no cause explains the misfit.
    """

    adequate: bool
    ratio: float = 1.0
    cause: Cause | None = None
    moved: FloatArray = field(default_factory=lambda: np.empty(0))
    time: float = float("nan")
    unexplained: bool = False

    @property
    def affects_all(self) -> bool:
        """Whether every value may be wrong: no cause explains the misfit, or nobody can tell what it changes."""
        return not self.adequate and (self.unexplained or len(self.moved) == 0)


class FitWatch:
    """Judges the fit of a stream of equations.

    Parameters
    ----------
    machine : Machine
    parameters : ParameterSet
        The unknowns, nuisance parameters included.
    spacing : float
        s from one equation to the next.
    noise : StreamNoise
        Knows the noise floor of the equations.
    friction_walks : bool
        Whether the estimate follows friction at any time, not only when a change was noted.
    estimate : callable
        The present mean (P,) of all unknowns, and the present estimate.
    coordinate_step : callable, optional
        Stamp in s at which a coordinate may have stepped last, or None.

    Attributes
    ----------
    fit : StreamFit or None
        The last judgement; None before the first.
    learned_from : StreamFit or None
        The misfit with the largest effect since the start: an estimate that has learned from it stays in doubt.
    confirmed : bool
        Whether a judgement has found the model adequate since the start: nothing is identifiable before.
    """

    def __init__(
        self,
        machine: Machine,
        parameters: ParameterSet,
        spacing: float,
        estimate: Callable[[], tuple[FloatArray, ParameterEstimate]],
        coordinate_step: Callable[[], float | None] = lambda: None,
        *,
        noise: StreamNoise,
        friction_walks: bool = False,
    ) -> None:
        self._machine = machine
        self._parameters = parameters
        self._prior = Prior.of(parameters)
        self._estimate = estimate
        self._coordinate_step = coordinate_step
        self._noise = noise
        self._walks = friction_walks
        self._friction = np.array([entry.kind.friction for entry in parameters.entries])
        # here, because kernels may have to be compiled for it
        self._missed = missed_at_home(machine)
        outputs = len(machine.drives)
        self._recent = RecentEquations(WINDOW, len(parameters), outputs, spacing)
        self.reset()

    def reset(self) -> None:
        """As at the start."""
        self.fit: StreamFit | None = None
        self.learned_from: StreamFit | None = None
        self.confirmed = False
        self._suspected = False
        self._floor: FloatArray | None = None  # of forces and coordinates (n,), as known last
        self.interrupt()

    def interrupt(self) -> None:
        """Forget the past: what comes does not belong to what was, another load."""
        self._begin_anew()
        self._judgement: Iterator[str] | None = None

    def _begin_anew(self) -> None:
        self._recent.clear()
        self._taken: list[Equation] = []  # since the last part
        self._since = 0
        self._changed: int | None = None  # equations since the estimate followed friction last

    def follow_friction(self) -> None:
        """The estimate follows a change of friction; what was before does not count, unless it changes all the time."""
        if self._changed is None or self._changed >= FEWEST:
            self._begin_anew()
        self._changed = 0

    @property
    def floor(self) -> FloatArray | None:
        """Noise (n,) of the equations' forces and coordinates as known last; None before the first judgement."""
        return self._floor

    @property
    def lack_of_fit(self) -> bool:
        """Whether the last judgement found the model inadequate."""
        return self.fit is not None and not self.fit.adequate

    def step(self, equation: Equation) -> None:
        """Take one equation; the next part of the judgement that is under way becomes due."""
        self._taken.append(equation)
        if self._changed is not None:
            self._changed += 1

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

    def warm_up(self) -> None:
        """Compile the kernels that find the noise floor, by the samples taken so far."""
        for _ in self._measure_noise(self._estimate()[0]):
            pass

    def finish(self) -> None:
        """The stream is over: what is under way is judged to its end."""
        self.go_on()
        while self._judgement is not None:
            self._go_on()

    def _judge(self) -> Iterator[str]:
        """One judgement; it pauses after each of its parts."""
        recent = self._recent.all()
        follows = self._walks or (self._changed is not None and self._changed < len(recent.time))
        if follows:
            recent = recent.newest(FEWEST)
        mean, estimate = self._estimate()
        step = self._coordinate_step()
        time = float(recent.time[-1])
        yield STARTED
        yield from self._measure_noise(mean)
        if self._floor is None:
            return  # too many holes in the stream
        columns, target = self._model(recent, follows)
        residual = self._residual(columns, target, recent)
        yield "the residual"
        base = Base.of(columns, target, residual, recent.segment)
        floor = self._floor_of(recent)
        per_drive = base.ratio * base.floor / floor
        ratio = _compute_rms(per_drive)
        yield "the model alone"
        discrete = discrete_cause(self._machine, self._parameters, recent, base.floor, ratio)
        if discrete is not None:
            self._conclude(StreamFit(False, ratio, discrete, time=time))
            return
        if base.total_ratio < ROUNDING:
            self._conclude(StreamFit(True, time=time))
            return
        yield "discrete causes"
        too_large = stands_out(ratio, per_drive)
        candidates = stream_hypotheses(self._machine, self._parameters, recent, mean, self._missed, step)
        together = candidates.beside(base)
        everything = together.saturated
        yield "all hypotheses together"
        scores = list(candidates.scores(together, everything.pure_error))
        yield "each of them"
        best = int(np.argmax([score.evidence for score in scores]))
        score = scores[best]
        if score.evidence < DECISIVE:
            self._conclude(StreamFit(not too_large, ratio, time=time, unexplained=too_large))
            return
        moved = (self._prior.std * score.moved[: len(self._prior.std)])[: len(estimate.names)]
        effect = largest_effect(estimate, moved)
        before = float(base.residual @ base.residual)
        explained = before - float(everything.residual @ everything.residual)
        cause, *_ = causes_of(
            candidates.choices[best],
            score.coefficients,
            score.covariance,
            evidence=score.evidence,
            explains=float(np.clip((before - score.left) / max(explained, 1e-300), 0.0, 1.0)),
            effect=effect,
        )
        yield "the likeliest cause"
        alone = base.extend(candidates.columns(best), candidates.choices[best].scale)
        left = alone.ratio * base.floor / floor
        adequate = effect <= DOUBTFUL and not too_large
        unexplained = too_large and stands_out(_compute_rms(left), left)
        self._conclude(StreamFit(adequate, ratio, cause, moved, time, unexplained))

    def _measure_noise(self, mean: FloatArray) -> Iterator[str]:
        """Find the noise floor of forces and coordinates again, if there are samples enough."""
        if not self._noise.enough:
            return
        basis = self._parameters.mapping @ mean + self._parameters.known
        found: list[FloatArray] = []
        yield from self._noise.floor_parts(basis, found)
        self._floor = found[0]

    def _floor_of(self, recent: Recent) -> FloatArray:
        """Return the noise floor (n,) of equations: of forces, coordinates, smoothing and rounding."""
        assert self._floor is not None
        exact = EXACT**2 * np.mean(recent.force**2, axis=0) + 1e-300
        return np.sqrt(self._floor**2 + np.mean(recent.bend**2, axis=0) + exact)

    def _model(self, recent: Recent, follows: bool) -> tuple[FloatArray, FloatArray]:
        """Return columns (K, n, Q) for unknowns that are standard normal before the data, and what they have to give.

        Friction that the estimate follows may change steadily, faster and slower.
        """
        scaled = recent.regressor * self._prior.std
        if follows:
            place = np.linspace(-1.0, 1.0, len(recent.time))[:, None, None]
            rubbing = scaled[:, :, self._friction]
            scaled = np.concatenate([scaled, place * rubbing, (1.5 * place**2 - 0.5) * rubbing], axis=2)
        return scaled, recent.measured - recent.regressor @ self._prior.mean

    def _residual(self, columns: FloatArray, target: FloatArray, recent: Recent) -> FloatArray:
        """Return the residual (n,) of the model or, where that is less, what is rounding."""
        least = EXACT * np.sqrt(np.mean(recent.force**2)) + 1e-300
        rows = columns.reshape(-1, columns.shape[2]) / least
        measured = target.ravel() / least
        system = rows.T @ rows + np.eye(rows.shape[1])
        unknowns = np.linalg.solve(system, rows.T @ measured)
        # once more with what is left of the equations: squares have half of the digits
        unknowns += np.linalg.solve(system, rows.T @ (measured - rows @ unknowns) - unknowns)
        left = Remainder(
            measured - rows @ unknowns, np.full(target.shape[1], least), recent.segment, len(unknowns)
        )
        return np.asarray(least * np.maximum(left.ratio, 1.0))

    def _conclude(self, fit: StreamFit) -> None:
        confirmed, self._suspected = self._suspected, not fit.adequate
        if self._suspected and not confirmed:
            # once may be chance: the question is asked for ever
            return
        self.fit = fit
        self.confirmed |= fit.adequate
        worst = self.learned_from
        if not fit.adequate and (worst is None or _compute_severity(fit) >= _compute_severity(worst)):
            self.learned_from = fit


def _compute_severity(fit: StreamFit) -> tuple[bool, float]:
    return fit.affects_all, 0.0 if fit.cause is None else fit.cause.effect


def _compute_rms(values: FloatArray) -> float:
    return float(np.sqrt(np.mean(values**2)))
