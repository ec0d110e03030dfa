# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Offline identification: logs in, a validated dynamic model out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from pkm_identification.errors import LogError, SettingsError
from pkm_identification.estimation.convergence import drift_share, nonconvergence
from pkm_identification.estimation.disagreement import disagreement
from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.estimators import ESTIMATORS
from pkm_identification.estimation.lack_of_fit.doubt import doubted
from pkm_identification.estimation.lack_of_fit.start_values import without_start_values
from pkm_identification.estimation.problem import Fit, Problem
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import StrutLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.large_arrays import is_large
from pkm_identification.numerics.memory import LONG, whole_beyond_memory
from pkm_identification.numerics.pipelined import begun, side_by_side
from pkm_identification.progress import announce

from .augmented_state import FORMS
from .diagnosis.diagnose import diagnose, stands_out
from .diagnosis.findings import Diagnosis
from .diagnosis.length_order import ExchangedLengths, possible_length_order
from .diagnosis.units import in_machine_units
from .equations.bend import LEFT, SHARE
from .experiment import Experiment
from .long_logs.excerpt import excerpt, excerpt_sentence
from .long_logs.whole_residual import whole_residual
from .model_errors.estimated.relinearise import relinearised
from .physical_verdict import find_contradiction
from .procedures.free_fall import add_falls
from .rates.kinematic_cutoff import error_weights
from .result import Identification, refuse_unidentifiable
from .settings import Settings
from .tolerance_covariance import ToleranceShare, tolerance_sentences, tolerance_shares
from .validation import FEWEST_EQUATIONS, held_out, predict_ends
from .yielding.rewinding import rewound

PARTS = 6  # of an identification, as `_reached` counts them


def identify(
    logs: Sequence[StrutLog],
    machine: Machine,
    settings: Settings | None = None,
    faults: dict[str, int] | None = None,
    falls: Sequence[StrutLog] = (),
) -> Identification:
    """Identify a machine from its logs.

    Parameters
    ----------
    logs : sequence of StrutLog
        Pieces of one experiment or several motions; nothing is differentiated or filtered across them.
    machine : Machine
        Geometry, nominal values and drives.
    settings : Settings, optional
    faults : dict of str to int, optional
        Samples that the readers left out already, by reason.
    falls : sequence of StrutLog
        Falls from rest with the drives off and no friction, of which only the lengths are used
        (`procedures.free_fall`).

    Returns
    -------
    Identification

    Raises
    ------
    PkmError
        If what is fixed, tied or known beforehand does not fit the parameter set.
    LogError
        If the logs hold no forces, run at a wrong rate, or are too short for the filters.
    Unidentifiable
        If the data show no parameter and no combination of them, so that nothing but the prior is left.
    """
    settings = settings or Settings()
    _refuse_beyond_memory(logs, settings)
    if settings.estimator.name in FORMS:
        if falls:
            raise SettingsError(
                f"a free fall is no use to the estimator '{settings.estimator.name}'; the others take it"
            )
        # here, because its kernels take longer to load than the others run
        from .augmented_state.identify import identify_states_and_parameters

        result = identify_states_and_parameters(logs, machine, settings, faults or {})
        batch = replace(settings, estimator=replace(settings.estimator, name="ls"))
        experiment = Experiment.of(logs, machine, batch, faults)
        problem = experiment.problem()
        # a log that is too short for the force equations cannot judge the model
        return result if _too_few(problem) else _judged(result, experiment, problem)
    if settings.estimator.also and falls:
        raise SettingsError("a free fall is no use where effects are estimated besides (--also)")
    try:
        experiment = Experiment.of(logs, machine, settings, faults)
    except LogError as error:
        units = "; ".join(cause.detail for cause in in_machine_units(logs, machine).causes)
        raise LogError(f"{error}; {units}" if units else str(error)) from None
    with _others_begun(experiment) as others:
        experiment, problem, unsettled = relinearised(experiment)
        experiment, problem = rewound(experiment, problem)
        if not experiment.settings.causal:  # a causal run finds what the online estimator would
            problem = without_start_values(problem)
        problem = add_falls(problem, falls, experiment)
        _refuse_too_few(experiment, problem)
        _reached(1)
        fit = experiment.estimator.fit(problem, experiment.tuning)
        middle = experiment.estimator.batch_mean(problem, fit)
        validation = predict_ends(
            experiment,
            problem,
            lambda part: experiment.estimator.fit(part, experiment.tuning).mean[: part.reported],
        )
        _reached(2)
        systematic = systematic_covariance(experiment, problem, middle, others)
    _reached(3)
    shares = tolerance_shares_of(experiment, problem, fit.noise)
    estimate = fit.estimate(problem, systematic + sum(share.covariance for share in shares))
    refuse_unidentifiable(estimate, experiment.sources[0])
    # judged by the deviations that the estimator states, which a misfit would widen
    reason = fit.nonconvergence or unsettled
    if not settings.causal and settings.estimator.forgetting == 1.0:
        reason = reason or disagreement(estimate, middle[: problem.reported])
    reason = reason or _nonconvergence(experiment, problem, fit, estimate)
    _reached(4)
    tolerances = tolerance_sentences(shares, fit.estimate(problem, systematic)) if shares else ()
    result = Identification(
        machine=as_machine(machine),
        settings=experiment.settings,
        parameters=experiment.settings.parameter_set(machine),
        estimate=estimate,
        samples=problem.samples,
        dropped=_dropped(experiment, problem, fit),
        trace=fit.trace,
        residual_rms=np.sqrt(np.mean(problem.equations.left(fit.mean) ** 2, axis=0)),
        converged=fit.converged and not reason,
        warnings=experiment.warnings,
        validation=validation,
        delay=experiment.delay,
        beside=(*_beside(experiment.settings, problem, falls), *tolerances),
        nonconvergence=reason,
        tolerance_changes=np.vstack([share.changes[:, : problem.reported] for share in shares])
        if shares
        else None,
        also=settings.estimator.also,
    )
    _reached(5)
    result = _judged(result, experiment, problem)
    if settings.estimator.consistent:
        # kept within what is possible: whether the data lead there is asked of the estimate without that
        result = _with_contradiction(result, replace(result.estimate, values=middle[: problem.reported]))
    _reached(PARTS)
    return result


def _reached(part: int) -> None:
    """Equations, estimate and its test, other cutoffs, tolerances, the result and its diagnosis are done."""
    announce("identifying", part, PARTS)


def _judged(result: Identification, experiment: Experiment, problem: Problem) -> Identification:
    """Return an identification compared with its logs: what does not fit, or no body can have, is in doubt."""
    judged = excerpt(experiment)
    part = problem if judged is experiment else judged.problem()
    diagnosis = diagnose(judged, part, result.estimate)
    if judged is not experiment:
        diagnosis, sentences = _by_the_whole(diagnosis, part, experiment, problem)
        result = replace(result, beside=(*result.beside, *excerpt_sentence(experiment, judged), *sentences))
    if not diagnosis.adequate:
        estimate = doubted(result.estimate, diagnosis.moved, diagnosis.unexplained)
        result = replace(result, estimate=estimate)
    return _with_contradiction(replace(result, fit=diagnosis), result.estimate)


def _with_contradiction(result: Identification, estimate: ParameterEstimate) -> Identification:
    """Return the identification, all in doubt where no rigid body is near an estimate (`physical_verdict`)."""
    contradiction = find_contradiction(result.machine, result.parameters, estimate)
    if not contradiction:
        return result
    in_doubt = doubted(result.estimate, np.empty((0, len(estimate.names))), unexplained=True)
    return replace(result, contradiction=contradiction, estimate=in_doubt)


def _by_the_whole(
    diagnosis: Diagnosis, part: Problem, experiment: Experiment, problem: Problem
) -> tuple[Diagnosis, tuple[str, ...]]:
    """The diagnosis of an excerpt (`part`) with the residual of all logs, and a sentence about it.

    Unchanged where other equations than these are judged; a robust estimator leaves some out, which it would have to
    weigh again.
    """
    settings = experiment.settings
    if settings.causal or settings.estimator.model != "force" or settings.estimator.name == "robust":
        return diagnosis, ()
    floor = diagnosis.floor.std
    whole = whole_residual(problem, floor).smoothed(whole_residual(part, floor), diagnosis.per_strut)
    hidden = diagnosis.adequate and stands_out(whole.total, whole.per_strut)
    diagnosis = replace(
        diagnosis,
        adequate=diagnosis.adequate and not hidden,
        ratio=whole.total,
        per_strut=whole.per_strut,
        left=whole.total if hidden else diagnosis.left,
        unexplained=hidden or diagnosis.unexplained,
        moved=diagnosis.moved if diagnosis.moved.size else np.empty((0, problem.reported)),
    )
    return diagnosis, (
        f"the residual of all logs is {whole.total:.3g} times the noise floor, at most {whole.worst:.3g} times "
        f"({experiment.sources[whole.log]}, {whole.since:.0f} to {whole.until:.0f} s)",
    )


def validate(result: Identification, log: StrutLog) -> Identification:
    """The identification of a hexapod with a prediction of a log that was not used; raises as `held_out`."""
    validation = held_out(result.machine, result.settings, result.estimate.values, log)
    return replace(result, validation=validation)


@contextmanager
def _others_begun(experiment: Experiment) -> Iterator[Iterable[Problem] | None]:
    """Problems at other kinematic cutoffs, made while the first is made and fitted; None where they have to wait.

    That is where the experiment is still to change, and where their samples are too large to be there together.
    """
    settings = experiment.settings
    changes = experiment.point is not None or settings.guard.transfers is not None
    if changes or _too_large(experiment) or _at_once(experiment):
        yield None
        return
    with begun(experiment.problem, experiment.other_cutoffs) as others:
        yield others


def systematic_covariance(
    experiment: Experiment, problem: Problem, middle: FloatArray, others: Iterable[Problem] | None = None
) -> FloatArray:
    """Covariance (P, P) of what other kinematic cutoffs tell of the error of the estimate `middle` (P,), SI units.

    `others` are the problems at these cutoffs, if somebody has made them.
    """
    batch = experiment.estimator.batch_mean
    if experiment.corrects_bend:
        # smoothing's own part is taken off: what may be left of it, as online
        plain = replace(experiment.problem(corrected=False), relations=problem.relations)
        error = LEFT / SHARE * (batch(plain) - middle)
        return np.outer(error, error)
    changes, factors = [], []
    cutoffs = experiment.other_cutoffs
    if others is None:
        # beside each other where their samples are small enough to be there together
        others = (map if _too_large(experiment) else side_by_side)(experiment.problem, cutoffs)
    for cutoff, other in zip(cutoffs, others, strict=True):
        if len(other.equations) == 0:
            continue
        changes.append(batch(replace(other, relations=problem.relations, prior=problem.prior)) - middle)
        factors.append(cutoff / experiment.settings.filter.cutoff)
    error = np.zeros(len(middle))
    for weight, change in zip(error_weights(tuple(factors)), changes, strict=True):
        error += weight * change
    return np.outer(error, error)


def _at_once(experiment: Experiment) -> bool:
    """Whether all samples of a log are worked on at once, not stretch after stretch."""
    return experiment.settings.causal or experiment.estimator.twins or experiment.point is not None


def _too_large(experiment: Experiment) -> bool:
    """Whether the samples of two problems are too large to be there together."""
    whole = _at_once(experiment)
    return any(len(log.time) > LONG if whole else is_large(log.length) for log in experiment.logs)


def tolerance_shares_of(
    experiment: Experiment, problem: Problem, noise: FloatArray
) -> tuple[ToleranceShare, ...]:
    """What the tolerances of the machine file add to the covariance of an estimate that took `noise` (m, m), N^2."""
    if not experiment.description.tolerances.known:
        return ()
    return tolerance_shares(
        experiment.description,
        experiment.settings,
        [experiment.samples(log) for log in excerpt(experiment).logs],
        (ESTIMATORS["ls"] if experiment.estimator.twins else experiment.estimator).batch_mean,
        noise,
        problem.relations,
        experiment.point,
    )


def _refuse_beyond_memory(logs: Sequence[StrutLog], settings: Settings) -> None:
    """Refuse logs of hours where all samples are worked on at once; the others are taken in stretches."""
    estimator = settings.estimator
    of_all = {
        f"--also {','.join(estimator.also)}": bool(estimator.also),
        f"--estimator {estimator.name}": estimator.name in FORMS,
    }
    # these take one log after the other
    of_each = {
        "--causal": settings.causal,
        f"--estimator {estimator.name}": estimator.name not in FORMS and ESTIMATORS[estimator.name].twins,
    }
    for asked, measure in ((of_all, sum), (of_each, max)):
        option = next((name for name, given in asked.items() if given), "")
        problem = whole_beyond_memory(measure(map(len, logs))) if option else ""
        if problem:
            raise LogError(f"{max(logs, key=len).source}: {option}: {problem}")


def _too_few(problem: Problem) -> bool:
    return len(problem.equations) < FEWEST_EQUATIONS * len(problem.parameters)


def _refuse_too_few(experiment: Experiment, problem: Problem) -> None:
    if not _too_few(problem):
        return
    order = possible_length_order(experiment)
    if order is not None:
        raise ExchangedLengths(experiment.sources[0], order)
    equations, unknowns = len(problem.equations), len(problem.parameters)
    resting = f", {problem.resting} more are at rest" if problem.resting else ""
    dropped = ", ".join(f"{name} {number}" for name, number in experiment.dropped.items() if number)
    dropped = f" (faults of the log: {dropped})" if dropped else ""
    least = (FEWEST_EQUATIONS * unknowns + 20) / (2.5 * experiment.settings.band.cutoff)
    raise LogError(
        f"{experiment.sources[0]}: only {equations} equations are left after filtering for {unknowns} "
        f"parameters{resting}{dropped}; a longer uninterrupted log is needed (at least {least:.0f} s)"
    )


def _dropped(experiment: Experiment, problem: Problem, fit: Fit) -> dict[str, int]:
    """Samples and equations left out, by reason."""
    left_out = {"no_pose": problem.failed, "wrong_rate": problem.wrong_rate, "resting": problem.resting}
    counts = experiment.dropped | left_out | fit.dropped
    return {name: number for name, number in counts.items() if number}


def _nonconvergence(experiment: Experiment, problem: Problem, fit: Fit, estimate: ParameterEstimate) -> str:
    """What of a recursive estimator's estimate has not converged; a batch fit has no trace to judge it by."""
    if not len(fit.trace):
        return ""
    forgetting = experiment.settings.estimator.forgetting
    own = slice(0, len(estimate.names))
    share = drift_share(problem.equations, fit.mean, fit.noise, problem.prior, problem.redundancy)[own]
    # what else the estimate may be off by stays as it is stated
    narrowed = estimate.covariance - fit.covariance[own, own] * (1.0 - np.outer(share, share))
    return nonconvergence(
        fit.trace,
        estimate,
        narrowed,
        problem.prior.std,
        # either half must hold half of what an identification needs at all (`identify`)
        fewest=FEWEST_EQUATIONS * len(problem.parameters.names) // 2,
        entry=float(np.median(np.abs(np.diff(problem.equations.time)))),
        memory=1.0 / (1.0 - forgetting) if forgetting < 1.0 else np.inf,
    )


def _beside(settings: Settings, problem: Problem, falls: Sequence[StrutLog]) -> tuple[str, ...]:
    """What else the estimate rests on, in words."""
    sentences = [f"free fall with the drives off: the lengths of {log.source}" for log in falls]
    estimator = settings.estimator
    if not settings.causal and estimator.relations(problem.parameters) is not None:
        sentences.append(
            f"struts are taken as alike within {100 * estimator.strut_spread:g} % (standard deviation)"
        )
    return tuple(sentences)
