# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Identification: logs and a machine in, parameters with deviations and statuses out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pkm_identification.errors import DocumentError, SettingsError
from pkm_identification.estimation.estimate import ParameterEstimate, make_estimate
from pkm_identification.estimation.posterior.answer import Answer
from pkm_identification.estimation.statuses import is_identified, is_shown
from pkm_identification.exporting.corrected_effects import with_effects_known
from pkm_identification.identification.estimate_file import write_estimate_json
from pkm_identification.identification.identify import validate as validate_with
from pkm_identification.identification.of_logs import identify_logs
from pkm_identification.identification.result import Identification
from pkm_identification.identification.saved_estimate import SavedEstimate, read_saved_estimate
from pkm_identification.identification.settings import FULL, NAMED, Settings, assumptions_of, choose_estimator
from pkm_identification.identification.validation import Validation
from pkm_identification.machines.hexapod import Hexapod
from pkm_identification.machines.load import wrap_description
from pkm_identification.machines.multibody import Multibody
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.parameters.assumptions import Assumptions
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.report.listing import number
from pkm_identification.report.markup import build_list
from pkm_identification.report.sentences import verdicts
from pkm_identification.report.summary import summary
from pkm_identification.report.tables import estimate_table
from pkm_identification.report.total_deviations import answer_table

from .logs import LogSource, read_logs
from .machines import AnyMachine, load_machine

Columns = dict[str, np.ndarray]

if TYPE_CHECKING:
    from pkm_identification.report.folder import ReportFiles


@dataclass(frozen=True, repr=False)
class Result:
    """A finished identification of any machine, of logs or from a file.

    Attributes
    ----------
    identification : Identification
        All of it: machine, settings, estimate, validation, trace, what was dropped.
    logs : tuple of DriveLog
        Those it was made from, which a report shows; none of an estimate from a file.
    """

    identification: Identification
    logs: tuple[Any, ...] = ()

    @property
    def machine(self) -> Machine | Mechanism:
        """The machine file it is relative to."""
        loaded: Machine | Mechanism = self.identification.machine.loaded
        return loaded

    @property
    def mechanism(self) -> Machine | Mechanism:
        """An older name of `machine`."""
        return self.machine

    @property
    def fits(self) -> bool:
        """Whether what the model leaves is no more than noise leaves, as far as that is known."""
        return self.identification.fits

    @property
    def prediction(self) -> Validation | None:
        """An older name of `validation`."""
        return self.validation

    @property
    def estimate(self) -> ParameterEstimate:
        """Values, covariance, statuses and combinations."""
        return self.identification.estimate

    @property
    def converged(self) -> bool:
        """Whether the estimator converged; values of one that did not must not be used."""
        return self.identification.converged

    def table(self) -> Columns:
        """Return parameters as columns: name, unit, nominal, value, std, status.

        `pandas.DataFrame(result.table())` is a data frame. The value of a parameter that is not identifiable alone
        is NaN: a prior is no estimate. A value in doubt is there, with its status.
        """
        estimate = self.estimate
        shown = np.array([is_shown(status) for status in estimate.status])
        return {
            "name": np.array(estimate.names),
            "unit": np.array(estimate.units),
            "nominal": estimate.nominal,
            "value": np.where(shown, estimate.values, np.nan),
            "std": estimate.std,
            "status": np.array(estimate.status),
        }

    @property
    def answer(self) -> Answer | None:
        """Values of the full model with what each rests on, effects that were found, and the verdict."""
        return self.identification.answer

    def combinations(self) -> Columns:
        """Combinations of parameters that are identified although their terms are not, as columns."""
        combinations = self.estimate.combinations
        return {
            "name": np.array([one.name for one in combinations], dtype=str),
            "unit": np.array([one.unit for one in combinations], dtype=str),
            "nominal": np.array([one.nominal for one in combinations], dtype=float),
            "value": np.array([one.value for one in combinations], dtype=float),
            "std": np.array([one.std for one in combinations], dtype=float),
        }

    @property
    def validation(self) -> Validation | None:
        """Prediction of forces that were not used, where there is one."""
        return self.identification.validation

    def trace(self) -> Columns:
        """Estimates over time as columns: time (s), then every parameter; empty for batch estimators."""
        trace = self.identification.trace
        columns = {"time": trace.time}
        if len(trace):
            columns |= {name: trace.values[:, k] for k, name in enumerate(self.estimate.names)}
        return columns

    def predict(self, log: LogSource) -> Validation:
        """Predict the forces of a log that was not used; arrays time, measured and predicted, errors in %.

        Raises
        ------
        LogError
            If the log cannot be read, holds no forces or is too short.
        """
        (one,) = read_logs(log, self.machine)
        validation = validate_with(self.identification, one).validation
        assert validation is not None
        return validation

    def machine_identified(self) -> Machine | Mechanism:
        """Return the machine with identified instead of nominal parameters; raises MachineError if no body has them."""
        machine, values = self.identification.machine, self.estimate.values
        parameters = self.identification.parameters
        basis = parameters.mapping @ values + parameters.known
        if machine.states_reports and self.identification.also:
            description, estimator = machine.loaded, self.identification.settings.estimator
            machine = wrap_description(with_effects_known(description, estimator, values, bodies=True)[0])
        own = slice(0, len(machine.basis))  # behind it are effects that were estimated besides
        covariance = (parameters.mapping @ self.estimate.covariance @ parameters.mapping.T)[own, own]
        identified: Machine | Mechanism = machine.with_values(basis[own], covariance).loaded
        return identified

    def report(self, folder: str | Path) -> ReportFiles:
        """Write estimate.json, figures and report.html into a folder; raises OutputError if that is impossible."""
        # matplotlib takes longer to load than the identification
        from pkm_identification.report.folder import write_report

        return write_report(folder, self.identification, logs=self.logs)

    def save(self, path: str | Path) -> Path:
        """Write estimate.json, complete or not at all; `load` reads it again."""
        write_estimate_json(path, self.identification)
        return Path(path)

    @staticmethod
    def load(path: str | Path, machine: AnyMachine | Mechanism, **assumptions: Any) -> Result:
        """Read what `save` wrote; see `pkm_identification.load`."""
        return load(path, machine, **assumptions)

    def __str__(self) -> str:
        return summary(self.identification)

    def __repr__(self) -> str:
        estimate, validation = self.estimate, self.validation
        count = sum(map(is_identified, estimate.status))
        ending = "" if self.converged else ", not converged"
        if self.answer is not None:
            ending = f", {self.answer.verdict.grade}{ending}"
        if validation is not None:
            ending = f", held-out error {number(validation.rms_percent_total, 3)} %{ending}"
        return (
            f"<Result of '{self.machine.name}' by {estimate.estimator}: "
            f"{count} of {len(estimate.names)} parameters identified{ending}>"
        )

    def _repr_html_(self) -> str:
        """For notebooks: the table of parameters and what there is to say."""
        answer = self.answer
        table = estimate_table(self.estimate) if answer is None else answer_table(answer)
        return str(table.html() + build_list(text for _, text in verdicts(self.identification)))


def identify(
    logs: LogSource | Sequence[LogSource],
    machine: AnyMachine | Mechanism,
    *,
    validate: LogSource | None = None,
    free_fall: LogSource | Sequence[LogSource] = (),
    fix: str | Sequence[str] = (),
    tie: str | Sequence[str] = (),
    prior: str | Path = "",
    also: str | Sequence[str] = (),
    **settings: Any,
) -> Result:
    """Identify a machine from its logs.

    Parameters
    ----------
    logs : path, DriveLog, Logs, or a sequence of them
        Pieces of one experiment or several motions; nothing is filtered or differentiated across them.
    machine : str, Path, Machine or Mechanism
        Geometry, nominal values and drives.
    validate : path or log, optional
        Another log, whose forces are predicted; by default an estimate without the end of each log predicts that end.
    free_fall : path or log, or a sequence of them
        Falls from rest with the drives off.
    fix, tie : str or sequence of str
        Parameters that are known (`NAME` or `NAME=VALUE`), or follow another (`NAME=OTHER*FACTOR`).
    prior : str or Path
        YAML file of what is known beforehand.
    also : str or sequence of str
        What the machine file may have wrong, estimated as well: `force_delay`, `gravity_direction` ...
    **settings
        As the options of `pkm identify`: `estimator`, `parameters`, `model`, `causal`, `cutoff`, `order`,
        `band_cutoff`, `band_order`, `consistent`, `forgetting`, `data_order`, `strut_spread` (a fraction).

    Returns
    -------
    Result

    Raises
    ------
    SettingsError
        If a setting is impossible.
    LogError
        If a log cannot be read or used.
    Unidentifiable
        If no parameter is identifiable from this motion, not even in a combination.
    NotConverged
        If an iteration diverges.
    TypeError
        If there is no such setting.

    Examples
    --------
    >>> import pkm_identification as pkm
    >>> logs = pkm.simulate("uf", "rich", duration=10.0, perturb=0.1, seed=1)
    >>> result = pkm.identify(logs, "uf", estimator="ls")
    >>> str(result.table()["name"][0])
    'm_p'
    >>> result.converged
    True
    """
    whole = wrap_description(load_machine(machine))
    assumed = assumptions_of(_list_names(fix), _list_names(tie), str(prior))
    asked = {"fix": fix, "tie": tie, "prior": prior, "also": also, "falls": _has_any(free_fall)}
    settings = {"estimator": choose_estimator(**settings, **asked), **settings}
    chosen = Settings.of(assumptions=assumed, also=_list_names(also), **settings)
    chosen.parameter_set(whole)  # a wrong name is found before long logs are read
    gathered = read_logs(logs, whole.loaded)
    falls = read_logs(free_fall, whole.loaded).logs if _has_any(free_fall) else ()
    other = None if validate is None else read_logs(validate, whole.loaded)[0]
    result = identify_logs(list(gathered), whole, chosen, falls=falls, validate=other)
    return Result(result, tuple(gathered))


def load(path: str | Path, machine: AnyMachine | Mechanism, **assumptions: Any) -> Result:
    """Read an estimate that was saved: the table, predictions and the identified machine, without its logs.

    Parameters
    ----------
    path : str or Path
        estimate.json, of `Result.save`, `pkm identify --json` or a node.
    machine : str, Path or Machine
        The one it was identified with; another description is refused.
    **assumptions
        `fix`, `tie` and `prior` as they were given to `identify`, if any were.

    Raises
    ------
    DocumentError
        If the file cannot be read, holds no estimate, or belongs to another machine or other assumptions.

    Examples
    --------
    >>> import pkm_identification as pkm
    >>> result = pkm.identify(pkm.simulate("uf", "rich", duration=10.0), "uf", estimator="ls")
    >>> again = pkm.load(result.save("estimate.json"), "uf")
    >>> bool((again.estimate.values == result.estimate.values).all())
    True
    """
    whole = wrap_description(load_machine(machine))
    saved = read_saved_estimate(path)
    if saved.parameter_set is None and len(whole.parameter_sets) > 1:  # others have had one set
        raise DocumentError(f"{path}: does not say which parameter set it holds")
    unknown = set(assumptions) - {"fix", "tie", "prior"}
    if unknown:
        raise SettingsError(
            f"{', '.join(sorted(unknown))}: only fix, tie and prior can be stated of a saved estimate"
        )
    given = assumptions_of(
        _list_names(assumptions.get("fix", ())),
        _list_names(assumptions.get("tie", ())),
        str(assumptions.get("prior", "")),
    )
    settings, parameters = _restore_settings(whole, saved, given)
    saved.check(whole, parameters, given.described())
    estimate = make_estimate(
        parameters,
        Prior.of(parameters),
        saved.mean,
        saved.covariance,
        nis=float("nan"),
        nis_dof=0,
        count=saved.count,
        time=saved.time,
        estimator=saved.estimator,
        model=saved.model,
        assumed=settings.estimator.relations(parameters),
    )
    # a misfit is in what the file states, not in the covariance
    names = estimate.names
    estimate = replace(
        estimate,
        status=tuple(saved.status.get(name, one) for name, one in zip(names, estimate.status, strict=True)),
        std=np.array([saved.std.get(name, one) for name, one in zip(names, estimate.std, strict=True)]),
        combinations=saved.combinations or estimate.combinations,
    )
    return Result(
        Identification(
            machine=whole,
            settings=settings,
            parameters=parameters,
            estimate=estimate,
            samples=saved.samples,
            dropped=saved.dropped,
            residual_rms=np.empty(0),
            converged=saved.converged,
            nonconvergence="" if saved.converged else f"{path} does not say that the estimator converged",
            also=saved.also,
            answer=saved.answer,
        )
    )


def _restore_settings(
    machine: Hexapod | Multibody, saved: SavedEstimate, assumptions: Assumptions
) -> tuple[Settings, ParameterSet]:
    """Return the settings and parameters of a saved estimate of a machine."""
    usual = NAMED["parameters"].default
    settings = Settings.of(
        estimator=saved.estimator, model=saved.model, consistent=saved.consistent, assumptions=assumptions,
        parameters=usual if saved.estimator == FULL else saved.parameter_set or usual, also=saved.also,
    )  # fmt: skip
    return settings, settings.parameter_set(machine)


def _list_names(names: str | Sequence[str]) -> tuple[str, ...]:
    """One name is no sequence of letters."""
    return (names,) if isinstance(names, str) else tuple(names)


def _has_any(logs: LogSource | Sequence[LogSource]) -> bool:
    return isinstance(logs, (str, Path)) or len(logs) > 0
