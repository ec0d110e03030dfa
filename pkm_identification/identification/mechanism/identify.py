# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Identify a mechanism that is no hexapod: base parameters and friction of its drives, from logs of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from pkm_identification.errors import LogError, SettingsError, Unidentifiable
from pkm_identification.estimation.batch.block_jackknife import with_block_jackknife
from pkm_identification.estimation.disagreement import disagreement
from pkm_identification.estimation.equations import Equations
from pkm_identification.estimation.estimators import ESTIMATORS, Tuning
from pkm_identification.estimation.identifiability import UNIDENTIFIABLE
from pkm_identification.estimation.lack_of_fit.doubt import doubted
from pkm_identification.estimation.problem import Problem
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.records.drive_log import DriveLog
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.guard.unusable import refuse_unsigned_forces

from ..settings import Settings
from ..validation import FEWEST_EQUATIONS
from .equations import MechanismModel, logged_drives, mechanism_equations
from .misfit import Cause, Exchange, causes_of
from .noise import noise_floor, noisier
from .result import MechanismIdentification, Prediction, fits
from .sizes import with_friction_sizes

WIDE = 10.0  # times what would make all of the force by itself: what a parameter may be off before the data


def identify_mechanism(
    mechanism: Mechanism,
    logs: Sequence[DriveLog],
    settings: Settings | None = None,
    validate: DriveLog | None = None,
) -> MechanismIdentification:
    """Estimate base parameters and friction of the drives.

    Parameters
    ----------
    mechanism : Mechanism
        In float64; its actuators, if any, say what lies between the logs and the mechanism.
    logs : sequence of DriveLog
        Pieces of one experiment or several motions, of one sample rate; nothing is filtered across them.
    settings : Settings, optional
        Of estimator, assumptions, band and what is held out; the rest is for hexapods.
    validate : DriveLog, optional
        Whose forces are predicted; else the end of each log is, by an estimate from the rest.

    Raises
    ------
    LogError
        If a log is too short or not regular, a drive's force is 0 throughout, or sample rates differ.
    SettingsError
        If the base parameters are in doubt, the friction law is not Coulomb's, drives report no force, or the
        estimator needs more than equations.
    Unidentifiable
        If the logs show no parameter and no combination of them.
    MotionRefused
        If a row is out of the mechanism's reach.
    """
    settings = settings or Settings()
    _refuse(mechanism, settings)
    for log in logs if validate is None else (*logs, validate):
        refuse_unsigned_forces(log.force, log.source, "N or N m")
    model = MechanismModel(mechanism)
    everything = model.parameter_set()
    assumptions = settings.estimator.assumptions
    unknown = len(assumptions.apply(everything))  # a wrong name is found before equations are made
    period = logs[0].period
    for log in logs if validate is None else (*logs, validate):
        if abs(log.period - period) > 1e-3 * period:
            raise LogError(
                f"{log.source}: {1 / log.period:g} samples a second, {1 / period:g} in the first log"
            )
    band = replace(settings.band, period=period)

    def equations_of(log: DriveLog) -> Equations:
        return mechanism_equations(model, everything, logged_drives(mechanism, model, log, band), band)

    logged = [logged_drives(mechanism, model, log, band, number) for number, log in enumerate(logs)]
    parts = [mechanism_equations(model, everything, one, band) for one in logged]
    whole = Equations.joined(parts)
    if len(whole) < FEWEST_EQUATIONS * unknown:
        raise LogError(
            f"{logs[0].source}: the log is too short: {len(whole)} equations for {unknown} parameters"
        )
    parameters = assumptions.apply(_scaled(everything, whole))
    own = [_reduced(part, parameters) for part in parts]
    problem = _problem(parameters, own, band, sum(len(log) for log in logs))
    estimator, tuning = ESTIMATORS[settings.estimator.name], _tuning(settings)
    fit = estimator.fit(problem, tuning)
    estimate = fit.estimate(problem)
    if set(estimate.status) == {UNIDENTIFIABLE}:
        raise Unidentifiable(f"{logs[0].source}: no parameter is identifiable from this motion")
    forgets = settings.estimator.forgetting != 1.0
    reason = fit.nonconvergence or ("" if forgets else disagreement(estimate, estimator.batch_mean(problem)))
    floor = _floor(logs, own, lambda log: _reduced(equations_of(log), parameters), fit.mean)
    left = problem.equations.measured - problem.equations.regressor @ fit.mean
    residual = np.sqrt(np.mean(left**2, axis=0))
    causes: tuple[Cause, ...] | Exchange = ()
    if floor is not None and not fits(residual / floor):
        causes = causes_of(problem, floor, logged, model, band)
        if not forgets and settings.estimator.name != "robust":  # whose equations count alike
            fit = with_block_jackknife(problem, fit)
        estimate = doubted(fit.estimate(problem), np.empty((0, len(parameters))), unexplained=True)
    if validate is None:
        prediction = _of_ends(problem, own, settings, lambda part: estimator.fit(part, tuning).mean)
    else:
        other = _reduced(equations_of(validate), parameters)
        prediction = _predicted(other, parameters, fit.mean, validate.source, part=False)
    return MechanismIdentification(
        mechanism, settings, model.base, problem, fit, estimate, prediction, floor, residual, reason, causes
    )


def _refuse(mechanism: Mechanism, settings: Settings) -> None:
    description, name = mechanism.description, settings.estimator.name
    law = description.friction.law.name
    if law != "coulomb":
        raise SettingsError(f"friction law '{law}': 'coulomb' alone can be estimated")
    taken = [one for one, estimator in ESTIMATORS.items() if not estimator.twins]
    if name not in taken:
        raise SettingsError(f"estimator '{name}': of a mechanism one of {', '.join(taken)}")


def _scaled(everything: ParameterSet, equations: Equations) -> ParameterSet:
    """With a prior that pulls nothing: what each parameter would be to make all of the force by itself, and more."""
    width = np.sqrt(np.mean(equations.regressor**2, axis=(0, 1)))
    size = float(np.sqrt(np.mean(equations.force**2)))
    entries = tuple(
        replace(entry, scale=WIDE * size / max(one, 1e-12))
        for entry, one in zip(everything.entries, width, strict=True)
    )
    return with_friction_sizes(replace(everything, entries=entries), equations)


def _reduced(equations: Equations, parameters: ParameterSet) -> Equations:
    """Equations in all parameters as those of a set that leaves some out."""
    count = equations.regressor.shape[2]
    known = equations.regressor @ parameters.known[:count]
    return replace(
        equations,
        regressor=equations.regressor @ parameters.mapping[:count],
        measured=equations.measured - known,
    )


def _problem(
    parameters: ParameterSet, parts: Sequence[Equations], band: BandSettings, samples: int
) -> Problem:
    joined = Equations.joined(parts)
    return Problem(
        parameters=parameters,
        prior=Prior.of(parameters),
        equations=joined,
        typical_force=float(np.sqrt(np.mean(joined.force**2))),
        redundancy=band.redundancy,
        log=joined.segment,
        samples=samples,
    )


def _tuning(settings: Settings) -> Tuning:
    estimator = settings.estimator
    return Tuning(estimator.unscented, order=estimator.data_order, passes=estimator.passes)


def _floor(
    logs: Sequence[DriveLog],
    equations: Sequence[Equations],
    equations_of: Callable[[DriveLog], Equations],
    values: FloatArray,
) -> FloatArray | None:
    """Of all logs, by their equations' numbers."""
    squares, counts = [], []
    for log, own in zip(logs, equations, strict=True):
        again = noisier(log)
        if again is not None:
            squares.append(noise_floor(own, equations_of(again), values) ** 2)
            counts.append(len(own))
    return np.asarray(np.sqrt(np.average(squares, axis=0, weights=counts))) if squares else None


def _of_ends(
    problem: Problem, parts: Sequence[Equations], settings: Settings, mean: Callable[[Problem], FloatArray]
) -> Prediction | None:
    """The end of each log by an estimate from the rest."""
    share = settings.hold_out
    begins = [round((1.0 - share) * len(part)) for part in parts]
    rest = Equations.joined([part[:begin] for part, begin in zip(parts, begins, strict=True)])
    end = Equations.joined([part[begin:] for part, begin in zip(parts, begins, strict=True)])
    if len(rest) < FEWEST_EQUATIONS * len(problem.parameters) or not len(end):
        return None
    values = mean(replace(problem, equations=rest, log=rest.segment))
    what = f"last {100 * share:g} % of {'the log' if len(parts) == 1 else 'each log'}"
    return _predicted(end, problem.parameters, values, what, part=True)


def _predicted(
    equations: Equations, parameters: ParameterSet, values: FloatArray, what: str, part: bool
) -> Prediction:
    own, file = (
        equations.force - equations.measured + equations.regressor @ one
        for one in (values, parameters.nominal)
    )
    return Prediction(equations.time, equations.force, own, file, what, part)
