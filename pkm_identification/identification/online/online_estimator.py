# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The online estimator: platform samples in, parameter estimates out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.errors import LogError, SettingsError
from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.filters.recursive import FILTERS, RecursiveEstimator
from pkm_identification.machines.contract import OK, Machine
from pkm_identification.machines.load import AnyMachine, as_machine
from pkm_identification.motion import TrackedSample
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.finite import finite
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior

from ..changes.drift import FrictionDrift, friction_walk
from ..changes.payload import Carrier, PayloadEstimate, PayloadEvent
from ..changes.payload_watch import PayloadWatch
from ..diagnosis.findings import Diagnosis
from ..elastic_drives.elastic_drive_stream import has_elastic_drive_model
from ..equations.equation_filter import Equation, EquationFilter
from ..equations.reversal import with_reversals
from ..equations.transition_correction import STRONGER
from ..full_model.stream_estimate import give_total_deviations
from ..rates.rate_noise import rate_noise
from ..rates.rounding_watch import RoundingWatch
from ..regression.scales import with_machine_scales
from ..settings import Settings
from .diagnosis.coordinate_steps import CoordinateSteps
from .diagnosis.plausibility import Plausibility
from .judge import Judge, Question, StreamVerdict
from .live_verdict import LiveVerdict
from .tolerated import follow_tolerances


@dataclass(frozen=True)
class EstimatorState:
    """What an estimation can go on from.

    Attributes
    ----------
    mean : ndarray, shape (P,)
        SI units; those of nuisance parameters, which come last, may be missing.
    covariance : ndarray, shape (P, P)
    count : int
        Equations behind it.
    time : float
        Stamp of the newest sample behind it in s.
    """

    mean: FloatArray
    covariance: FloatArray
    count: int
    time: float

    @property
    def usable(self) -> bool:
        """Whether everything is finite and all variances are positive."""
        return finite(self.mean, self.covariance) and float(self.covariance.diagonal().min()) > 0.0


REST_KEPT_S = 5.0  # s of a rest that are kept for the verdict: a machine that rests for long has moved before


class OnlineEstimator:
    """Builds equations from tracked samples and feeds them to the filter.

    Parameters
    ----------
    machine : Machine
    settings : Settings
        Resolved; the kinematic cutoff says how much of the transition of the friction law the samples' filter may
        have rounded.

    Raises
    ------
    SettingsError
        If the settings name an estimator that is not recursive.

    Attributes
    ----------
    counts : dict of str to int
        Samples `used`, skipped because of the motion (`skipped_status`) or a missing force (`no_force`),
        spent on filters that settle (`settling`) or while a coordinate steps (`stepping`); equations rejected
        (`gated`), and left out because the machine stood still (`resting`); resets because time ran
        backwards (`clock_jump`).
    resting : bool
        Whether the newest equation was at rest.
    newest : float
        Stamp of the newest sample, s; minus infinity before the first.
    verdict : StreamVerdict or None
        The last one of this stream, of whoever worked it out (`ask_judge`, `take_verdict`); None before the first.
    learned_from : StreamVerdict or None
        The last of two refused ones in a row: an estimate that has learned from such samples stays in doubt.
    rounding : RoundingWatch
        Whether the samples' coordinates were rounded, so that their friction is corrected for  the noise of rates.
    """

    def __init__(self, machine: AnyMachine, settings: Settings) -> None:
        estimator, band = settings.estimator, settings.band
        if estimator.name not in FILTERS:
            raise SettingsError(
                f"estimator is '{estimator.name}', must be one of {', '.join(FILTERS)} online"
            )
        self.machine: Machine = as_machine(machine)
        machine = self.machine
        self.settings = settings
        chosen = machine.build_parameter_set(estimator.parameters)
        self.parameters = with_machine_scales(estimator.assumptions.apply(chosen), machine)
        # what smoothing does to friction is estimated besides, and stays inside
        self._unknowns = with_machine_scales(with_reversals(self.parameters, machine), machine)
        carrier = Carrier.of(machine)
        band = settings.band
        self._stride, self._settling = band.stride, band.settling
        self._filter = EquationFilter(
            machine, self._unknowns, band, settings.filter.cutoff,
            carrier.columns if estimator.payload else None,
        )  # fmt: skip
        self.rounding = RoundingWatch(machine, settings.filter)
        smoother = replace(settings.filter, cutoff=settings.filter.cutoff / STRONGER)
        self._smoothed_noise = (
            rate_noise(machine, smoother) if self.rounding.open else np.zeros(len(machine.drives))
        )
        self.recursive = self._estimator(self._unknowns)
        drift = None
        if estimator.drift == "detected" and FrictionDrift.possible(self._unknowns):
            drift = FrictionDrift(self._unknowns, self.recursive.prior.std, self.recursive.outputs)
        self.watch = (
            PayloadWatch(
                self.recursive,
                carrier,
                band,
                self._estimator,
                drift,
                elastic=has_elastic_drive_model(machine, settings.validation),
            )
            if estimator.payload
            else None
        )
        if estimator.friction_walk:
            steps = 3600.0 / (self._stride * settings.period)
            walk = friction_walk(self._unknowns, estimator.friction_walk / np.sqrt(steps))
            self.recursive.add_process_noise(walk)
            if self.watch is not None:
                still = np.zeros(len(carrier.felt))
                self.watch.loaded.add_process_noise(np.concatenate([walk, still]))
        self._most_rested = round(REST_KEPT_S / (self._stride * settings.period))
        self._live = LiveVerdict(machine, settings, self._filter.shapes)
        self._steps = CoordinateSteps(machine, settings.period, settings.filter.cutoff)
        self.tolerated = follow_tolerances(machine, self._unknowns, band)
        self._plausibility = Plausibility(machine, self.parameters)
        self.reset()

    def _estimator(self, parameters: ParameterSet) -> RecursiveEstimator:
        chosen = self.settings.estimator
        return RecursiveEstimator(
            parameters,
            chosen.name,
            chosen.unscented,
            redundancy=self.settings.band.redundancy,
            force_scale=float(np.mean(self.machine.force_size)),
            outputs=len(self.machine.drives),
            gate=chosen.gate,
        )

    def reset(self) -> None:
        """Forget everything learned."""
        self.recursive.reset()
        self.recursive.systematic_covariance = None
        if self.watch is not None:
            self.watch.reset()
        self._steps.reset()
        if self.tolerated is not None:
            self.tolerated.reset()
        self.rounding.reset()
        none = np.zeros(len(self.machine.drives))
        self._filter.note_noise(none, none)
        self.counts = dict.fromkeys(
            ("used", "skipped_status", "no_force", "settling", "stepping", "resting", "gated", "clock_jump"),
            0,
        )
        self._live.clear()
        self.verdict: StreamVerdict | None = None
        self.learned_from: StreamVerdict | None = None
        self._rounded = False
        self.newest = -np.inf
        self.resting = False
        self._rested = 0  # equations at rest in a row
        self._work_left = False
        self._interrupt()

    def _interrupt(self) -> None:
        self._segment: int | None = None
        self._live.skip()

    def resume(self, state: EstimatorState | None) -> None:
        """Go on from a state got before, or from the prior without one; the noise is learned anew, the counts go on.

        Raises
        ------
        numpy.linalg.LinAlgError
            If the covariance is not positive definite.
        """
        if state is None:
            self.recursive.reset()
        else:
            self.recursive.resume(state.mean, state.covariance, state.count, state.time)

    @property
    def state(self) -> EstimatorState:
        """What `resume` goes on from, nuisance parameters included."""
        recursive = self.recursive
        return EstimatorState(
            recursive.filter.mean, recursive.filter.covariance, recursive.filter.count, recursive.time
        )

    @property
    def count(self) -> int:
        """Equations behind the estimate."""
        return self.recursive.filter.count

    @property
    def prior(self) -> Prior:
        """Of all that is estimated, nuisance parameters included."""
        return self.recursive.prior

    @property
    def nis(self) -> float:
        """Mean normalised innovation squared; near `outputs` when the noise is as assumed."""
        return self.recursive.nis

    @property
    def outputs(self) -> int:
        """Outputs of the model: the degrees of freedom of `nis`."""
        return self.recursive.outputs

    @property
    def estimate(self) -> ParameterEstimate:
        """Latest estimate, or the prior; worked out when asked for, which costs as much as taking an equation."""
        return self.assess()[0]

    def assess(self) -> tuple[ParameterEstimate, str]:
        """Return the latest estimate, and what of it no machine can have; empty if everything is possible.

        Deviations are total. Nothing is identifiable before the fit was judged and found good, nor of an estimate that
        has learned from samples that the model does not fit, nor by data that lead to an impossible machine.
        """
        estimate = self.recursive.estimate()
        if self.verdict is not None:
            estimate = give_total_deviations(estimate, self.verdict.answer, self.verdict.recursion)
        impossible = self._plausibility.judge(estimate, total=self.verdict is not None)
        if impossible or self.verdict is None or self.learned_from is not None:
            estimate = estimate.mark_doubtful()
        return estimate, impossible

    @property
    def unjudged(self) -> bool:
        """Whether there is motion newer than that of the last verdict."""
        return self._live.newest > (-np.inf if self.verdict is None else self.verdict.time)

    @property
    def judgeable(self) -> bool:
        """Whether there is, and enough for a verdict while the stream goes on: what is left at its end may be less."""
        return self.judgeable_share >= 1.0 and self.unjudged

    @property
    def judgeable_share(self) -> float:
        """How much of the motion that a verdict needs there is; from 1 on it is enough."""
        return self._live.share

    @property
    def judge(self) -> Judge:
        """Who answers questions (`ask_judge`) by what `pkm identify` says of the same samples, in a second or two."""
        return self._live.judge

    def ask_judge(self) -> Question:
        """Return what `judge` is to be asked of the newest minute, in any thread or process."""
        basis = self._unknowns.mapping @ self.recursive.filter.mean + self._unknowns.known
        noise = self.rounding.noise.copy() if self._rounded else None
        return self._live.ask(basis, noise, self.recursive.estimate())

    def take_verdict(self, verdict: StreamVerdict) -> None:
        """Take over what was worked out: estimates have its deviations and statuses from now on."""
        before, self.verdict = self.verdict, verdict
        # one alone may be chance: the question is asked for ever
        if before is not None and not before.good and not verdict.good:
            self.learned_from = verdict

    @property
    def payload(self) -> PayloadEstimate | None:
        """What is carried in addition to the machine itself, None while nothing is known of."""
        return self.watch.payload if self.watch is not None else None

    @property
    def payload_events(self) -> tuple[PayloadEvent, ...]:
        """The last few things taken up or set down, oldest first."""
        return tuple(self.watch.events) if self.watch is not None else ()

    @property
    def suspicions(self) -> int:
        """How often something seemed to have changed, payload or not."""
        return 0 if self.watch is None else self.watch.suspicions

    @property
    def friction_changes(self) -> int:
        """How often friction had changed and was made uncertain again."""
        drift = None if self.watch is None else self.watch.drift
        return 0 if drift is None else drift.opened

    @property
    def fit(self) -> Diagnosis | None:
        """Whether the model fits the newest minute, and why not; None before that was judged."""
        return None if self.verdict is None else self.verdict.fit

    @property
    def model_suspect(self) -> bool:
        """Whether so many equations were rejected in a row that model or units must be wrong."""
        return self.recursive.reopened > 0

    def step(self, sample: TrackedSample) -> bool:
        """Take one sample; True when it completes an equation, so that there is a new `estimate`."""
        if self._work_left:
            # what the equation before left to do waits for a sample that is not waited for
            self._work_left = False
            (self.recursive if self.watch is None else self.watch.active).settle()
        if sample.time < self.newest:
            # the clock was set back or a bag began again: the same data must not be learned twice
            jumps = self.counts["clock_jump"] + 1
            self.reset()
            self.counts["clock_jump"] = jumps
        self.newest = sample.time
        if sample.status != OK or sample.force is None:
            self.counts["skipped_status" if sample.status != OK else "no_force"] += 1
            self._interrupt()
            return False
        starting = sample.segment != self._segment
        if not self._filter.step(sample, starting, self._live.row):
            self.counts["skipped_status"] += 1
            self._interrupt()
            return False
        if self.rounding.open and self.rounding.step(sample.rate, sample.acceleration, starting):
            self._filter.note_noise(self.rounding.noise, self._smoothed_noise)
            self._rounded = True
        if self._steps.step(sample.time, sample.acceleration, starting):
            # a burst that no body made; what follows begins anew
            self.counts["stepping"] += 1
            self._interrupt()
            return False
        if starting:
            self._segment = sample.segment
            self._since = 0
        if (self.watch is None or not self.watch.carrying) and self._rested < self._most_rested:
            self._live.note(sample)
        else:
            self._live.skip()
        if self.tolerated is not None:
            self.tolerated.note(sample)
        index = self._since
        self._since += 1
        if index < self._settling:
            self.counts["settling"] += 1
            return False
        self.counts["used"] += 1
        if (index - self._settling) % self._stride:
            return False
        return self.take(self._filter.equation(sample.time, self.recursive.believed))

    def finish(self) -> None:
        """The stream is over: judge what there is of it, as short as it may be. Takes a second or two."""
        if not self.unjudged:
            return
        try:
            verdict = self.judge.answer(self.ask_judge())
        except LogError:  # too little motion for a verdict
            return
        if verdict is not None:
            self.take_verdict(verdict)

    def take(self, equation: Equation) -> bool:
        """Take one equation, by way of the watch for payloads if there is one; False when it was not used (yet).

        What it leaves to do is done by the next `step`.
        """
        self._work_left = True
        self.resting = equation.resting
        if equation.resting:
            # nor does the watch judge by it: what friction holds looks like a payload
            self.counts["resting"] += 1
            self._rested += 1
            if self.watch is not None:
                self.watch.rest()
            return False
        self._rested = 0
        gated = self.recursive.gated
        if self.watch is None:
            accepted = self.recursive.step(
                equation.time, equation.regressor, equation.measured, equation.transition, equation.late
            )
        else:
            changes, carried = self.friction_changes, self.watch.carrying
            accepted = self.watch.step(equation)
            if carried or self.watch.carrying:
                # a load is no misfit
                self._live.clear()
                return self._count_sample(gated, accepted)
            if self.friction_changes != changes:
                # nor is other friction, which is followed
                self._live.begin_anew()
                return self._count_sample(gated, accepted)
            if self.watch.suspecting:
                return self._count_sample(gated, accepted)
        if accepted and self.tolerated is not None:
            self.tolerated.step(
                equation.regressor, self.recursive.effective_noise, self.recursive.filter.mean
            )
            self.recursive.systematic_covariance = self.tolerated.covariance()
        return self._count_sample(gated, accepted)

    def _count_sample(self, gated: int, accepted: bool) -> bool:
        self.counts["gated"] += max(0, self.recursive.gated - gated)
        return accepted
