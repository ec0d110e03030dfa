# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The settings of an identification, the same for command line, nodes and programs; every field is declared once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from pkm_identification.declared import Declaration, check, declarations, declare
from pkm_identification.errors import SettingsError
from pkm_identification.estimation.data_order import ORDERS
from pkm_identification.estimation.estimators import ESTIMATORS as REGISTRY
from pkm_identification.estimation.estimators import MAX_PASSES, Estimator
from pkm_identification.estimation.filters.recursive import FILTERS
from pkm_identification.estimation.filters.unscented import UnscentedSettings
from pkm_identification.machines import contract
from pkm_identification.machines.capabilities import EnergyModel, require
from pkm_identification.machines.load import AnyMachine, as_machine
from pkm_identification.mechanisms.hexapod.parameters.sets import NAMES
from pkm_identification.parameters.assumptions import GROUPS, Assumptions, Fix, Tie, read_prior
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.reduced import ENDING
from pkm_identification.parameters.relations import STRUT_SPREAD, LinearRelations, alike_limbs
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.causal import FilterSettings
from pkm_identification.signals.input_validation import ValidationSettings

from .augmented_state import FORMS
from .model_errors.estimated.effect import EstimatedEffect
from .model_errors.estimated.registry import FORMS as EFFECTS
from .model_errors.estimated.registry import OF_PLACE, check_names, extended_set, with_law
from .models import MODELS
from .rates.kinematic_cutoff import kinematic_cutoff

FULL = "full"  # the full model: values are views of its posterior
ESTIMATORS = (*REGISTRY, *FORMS)
RECURSIVE = tuple(FILTERS)
DRIFTS = ("detected", "none")
HOLD_OUT, LARGEST_HOLD_OUT = 0.2, 0.5  # of each log's time
_TITLES = (
    {FULL: "every number of the file and every nuisance effect at once, with what is known of it"}
    | {name: estimator.title for name, estimator in REGISTRY.items()}
    | FORMS
)

# What is known of parameters beforehand, as texts.
FIX = Declaration(
    "fix",
    [""],
    "parameters that are known, each NAME (the file's value) or NAME=VALUE, or a group at the file's values: "
    f"{', '.join(GROUPS)}",
)
TIE = Declaration("tie", [""], "parameters that follow another, each NAME=OTHER or NAME=OTHER*FACTOR")
ALSO = Declaration(
    "also",
    "",
    f"also estimate these possible errors of the machine file, names with commas: {', '.join(EFFECTS)}; "
    "see docs/diagnosis.md",
)
PRIOR = Declaration("prior", "", "YAML file of what is known beforehand, NAME: {value: ..., std: ...}")


@dataclass(frozen=True)
class EstimatorSettings:
    """What is estimated, by what; fields without a declaration of their own are no option.

    `assumptions` is what is fixed, tied or known of the parameters beforehand, `also` what is estimated as well
    (`model_errors`), `tuning` that of the recursive filters.
    `forgetting` is the factor of recursive least squares per equation. `data_order` is that in which a recursive
    estimator takes the equations of a log.
    `strut_spread` is how much struts of one design are taken to differ (standard deviation, relative), in sets with
    parameters of every strut; infinity assumes nothing. `consistent` allows only parameters that some machine could
    have (`estimation.consistency`). `gate`, `payload`, `drift` and `friction_walk` are for the online estimator, the
    last as the standard deviation that every friction coefficient gathers in an hour, relative to it.
    """

    name: str = declare(
        "ukf",
        "; ".join(f"{name}: {title}" for name, title in _TITLES.items()),
        choices=(FULL, *ESTIMATORS),
        name="estimator",
    )
    model: str = declare("force", "model equation", choices=tuple(MODELS))
    parameters: str = declare(
        "identifiable",
        f"parameter set; of hexapods {', '.join(NAMES)}, of others identifiable; or a reduced one ({ENDING})",
    )
    forgetting: float = declare(
        1.0, "of the estimator rls: what an equation leaves of older ones", "", 0.5, 1
    )
    data_order: str = declare(
        "sequential", "in which recursive estimators take the data offline", choices=ORDERS
    )
    passes: int = declare(
        MAX_PASSES,
        "most passes of a recursive estimator over a log, each with the noise that the last one estimated",
        "",
        1,
        100,
    )
    consistent: bool = declare(
        False, "only parameters that some machine could have: bodies with mass, friction that brakes"
    )
    strut_spread: float = declare(
        STRUT_SPREAD,
        "how much struts of one design differ, where each has parameters of its own; 'inf': nothing is known",
        percent=True,
    )
    gate: float = declare(
        1e-9, "probability with which a good equation is kept out as an outlier", "", 1e-15, 0.1
    )
    payload: bool = declare(True, "watch for a payload taken up or set down; see the topic ~/payload")
    drift: str = declare("detected", "widen the deviations of friction when it has changed", choices=DRIFTS)
    friction_walk: float = declare(0.0, "random walk of friction in an hour, relative to its size", "", 0, 10)
    assumptions: Assumptions = field(default_factory=Assumptions)
    also: tuple[str, ...] = ()
    tuning: UnscentedSettings = field(default_factory=UnscentedSettings)

    def __post_init__(self) -> None:
        check(self)
        if self.name == FULL:
            self._refuse_with_full()
            return
        if self.forgetting != 1.0 and self.name != "rls":
            raise SettingsError(f"forgetting is for the estimator 'rls', not for '{self.name}'")
        if self.friction_walk and self.name == "rls":
            raise SettingsError("friction_walk needs estimator 'ukf' or 'ekf'; 'rls' has forgetting")
        self._refuse_unused_tuning()
        self._refuse_effects()
        able = [name for name, one in REGISTRY.items() if one.consistent]
        if self.consistent and self.name not in able:
            raise SettingsError(
                f"estimator '{self.name}' cannot keep an estimate physical; {', '.join(able)} can"
            )
        if not self.strut_spread > 0:
            raise SettingsError(f"strut spread {100 * self.strut_spread:g} %: must be positive")
        if self.name in FORMS and self.strut_spread != STRUT_SPREAD:
            raise SettingsError(f"estimator '{self.name}' does not use a strut spread")
        if self.name in FORMS and self.model != "force":
            raise SettingsError(f"estimator '{self.name}' needs the force model, not '{self.model}'")

    @property
    def registered(self) -> Estimator:
        """What fits the equations: of the full model, what finds where it starts."""
        return REGISTRY["ls" if self.name == FULL else self.name]

    def _refuse_with_full(self) -> None:
        """Raise SettingsError for what the full model is not asked for: it has every number with its prior."""
        usual = EstimatorSettings()
        own = ("name", "gate", "payload", "drift", "friction_walk")
        asked = [
            one.name
            for one in fields(self)
            if one.name not in own and getattr(self, one.name) != getattr(usual, one.name)
        ]
        if asked:
            raise SettingsError(
                f"{asked[0].replace('_', ' ')}: works only with estimators of few parameters; choose one other than "
                f"'{FULL}'"
            )

    def _refuse_unused_tuning(self) -> None:
        """Raise SettingsError for tuning that the estimator would not use."""
        usual, users = UnscentedSettings(), {"alpha": ("ukf",), "beta": ("ukf",), "kappa": ("ukf",)}
        for entry, declaration in declarations(UnscentedSettings).items():
            able = users.get(entry, ("ukf", "ekf"))
            if getattr(self.tuning, entry) != getattr(usual, entry) and self.name not in able:
                setting = declaration.name.replace("_", " ")
                raise SettingsError(
                    f"{setting} is for the estimator {' or '.join(able)}, not for '{self.name}'"
                )
        if self.passes != MAX_PASSES and self.name not in FILTERS:
            raise SettingsError(
                f"passes are for a recursive estimator ({', '.join(FILTERS)}), not for '{self.name}'"
            )

    def _refuse_effects(self) -> None:
        """Raise SettingsError for effects that are unknown, or that this estimator cannot estimate."""
        check_names(self.also)
        able = [name for name, one in REGISTRY.items() if not one.instruments]
        if self.also and self.name not in able:
            raise SettingsError(
                f"estimator '{self.name}' cannot estimate effects (--also); {', '.join(able)} can"
            )
        if self.also and self.model != "force":
            raise SettingsError(
                f"the {self.model} model cannot estimate effects (--also), only the force model can"
            )

    @property
    def unscented(self) -> UnscentedSettings:
        """Tuning of the recursive filters, with the forgetting factor."""
        return replace(self.tuning, forgetting=self.forgetting)

    def parameter_set(self, machine: AnyMachine) -> ParameterSet:
        """Return the parameters to estimate; raises PkmError when set or assumptions do not fit."""
        return self.parameters_and_effects(machine)[0]

    def parameters_and_effects(self, machine: AnyMachine) -> tuple[ParameterSet, tuple[EstimatedEffect, ...]]:
        """Return the parameters to estimate, and the effects that some of them are of; raises as `parameter_set`."""
        machine = as_machine(machine)
        if self.model != "force":
            require(machine, EnergyModel, f"the {self.model} model")
        if self.strut_spread != STRUT_SPREAD and not machine.has_identical_limbs:
            raise SettingsError("strut spread: the machine has no struts of one design")
        parameters, effects = self.all_parameters(machine)
        effective = [entry.name for effect in effects for entry in effect.entries]
        parameters = self.assumptions.apply(parameters)
        gone = [name for name in effective if name not in parameters.names]
        if gone:
            raise SettingsError(
                f"fix or tie {gone[0]}: is estimated by --also; put its value into the machine file instead"
            )
        if OF_PLACE in self.also and not any(entry.kind is Kind.FIRST_MOMENT for entry in parameters.entries):
            raise SettingsError(f"fix or tie: fixes all first moments that --also {OF_PLACE} estimates")
        if self.consistent:
            self.prepare(machine).build_physical(parameters)  # refuses a part of a body
        return parameters, effects

    def prepare(self, machine: AnyMachine) -> contract.Machine:
        """The machine with a friction law that has what is estimated as well."""
        return with_law(machine, self.also)

    def all_parameters(self, machine: AnyMachine) -> tuple[ParameterSet, tuple[EstimatedEffect, ...]]:
        """Return the parameters before assumptions, and the effects that some of them are of."""
        return extended_set(machine, self.set_name(machine), self.also)

    def set_name(self, machine: AnyMachine) -> str:
        """Return the name of the parameter set: of the full model that of the machine's sums."""
        return as_machine(machine).sums_set if self.name == FULL else self.parameters

    @property
    def takes_full_values(self) -> bool:
        """Whether the full model may stand for a recursion: nothing is asked of its values that it ignores."""
        return not self.assumptions and not self.consistent

    def relations(self, parameters: ParameterSet) -> LinearRelations | None:
        """Return what is assumed of these parameters in addition to their prior, if anything."""
        if np.isinf(self.strut_spread):
            return None
        relations = alike_limbs(parameters, self.strut_spread)
        return relations if len(relations.values) else None


@dataclass(frozen=True)
class Settings:
    """How to identify: the settings of every stage.

    What a machine and a log decide (sample period, limits, kinematic cutoff) may stand at 0; `resolved` fills it in.

    Attributes
    ----------
    validation : ValidationSettings
    filter : FilterSettings
        Kinematic low-pass; cutoff 0 lets the encoders decide (`kinematic_cutoff`).
    band : BandSettings
        Low-pass over both sides of the model equation.
    estimator : EstimatorSettings
    causal : bool
        Whether logs are filtered as online.
    hold_out : float
        Part of each log, at its end, that is predicted from the rest as a check; 0 leaves the check out.
    """

    validation: ValidationSettings = field(default_factory=ValidationSettings)
    filter: FilterSettings = field(default_factory=FilterSettings)
    band: BandSettings = field(default_factory=BandSettings)
    estimator: EstimatorSettings = field(default_factory=EstimatorSettings)
    causal: bool = declare(False, "filter as online: causal, with a constant delay")
    hold_out: float = HOLD_OUT

    def __post_init__(self) -> None:
        for part in (self.validation, self.filter, self.band):
            check(part)
        name = self.estimator.name
        if self.estimator.data_order != "sequential" and (
            self.causal or name not in FILTERS or self.estimator.forgetting != 1.0
        ):
            raise SettingsError(
                f"data order '{self.estimator.data_order}' is for a recursive estimator ({', '.join(FILTERS)}) that "
                "runs over a log as a whole and forgets nothing"
            )
        if not 0 <= self.hold_out <= LARGEST_HOLD_OUT:
            raise SettingsError(f"hold_out {self.hold_out:g}: must lie between 0 and {LARGEST_HOLD_OUT:g}")
        if self.causal and self.estimator.also:
            raise SettingsError(
                "a causal run cannot estimate effects (--also), which need the log as a whole"
            )
        if self.causal and (name in (FULL, *FORMS) or REGISTRY[name].instruments):
            raise SettingsError(f"estimator '{name}' needs the whole log and cannot run causally")

    @classmethod
    def of(cls, **values: Any) -> Settings:
        """Settings from values by the names of node parameters and options (`NAMED`), and of this class's own fields.

        Raises
        ------
        SettingsError
            If a value is impossible.
        TypeError
            If there is no such setting.
        """
        parts: dict[str, dict[str, Any]] = {part: {} for part in _PARTS}
        own: dict[str, Any] = {}
        tuning: dict[str, Any] = {}
        for name, value in values.items():
            if name in ("causal", "hold_out"):
                own[name] = value
            elif name in ("assumptions", "also", "tuning"):
                parts["estimator"][name] = value
            elif name in TUNING:
                tuning[TUNING[name]] = value
            elif name in _PLACES:
                part, entry = _PLACES[name]
                parts[part][entry] = value
            else:
                raise TypeError(f"there is no setting '{name}'")
        if tuning:
            given = parts["estimator"].get("tuning", UnscentedSettings())
            parts["estimator"]["tuning"] = replace(given, **tuning)
        return cls(**{part: _PARTS[part](**parts[part]) for part in _PARTS}, **own)

    @property
    def period(self) -> float:
        """Sample period in s; 0 when it is not known yet."""
        return self.validation.period

    def resolve(self, machine: AnyMachine, period: float | None = None) -> Settings:
        """Return the settings for a machine; the period is its drive's and the cutoff `kinematic_cutoff` unless given.

        Raises
        ------
        LogError
            If the sample period is unknown.
        SettingsError
            If a filter is impossible at that period.
        """
        machine = as_machine(machine)
        validation = self.validation.resolve(machine, period)
        cutoff = self.filter.cutoff or kinematic_cutoff(machine, validation.period)
        return replace(
            self,
            validation=validation,
            filter=replace(self.filter, period=validation.period, cutoff=cutoff),
            band=replace(self.band, period=validation.period),
        )

    def parameter_set(self, machine: AnyMachine) -> ParameterSet:
        """Return the parameters to estimate; raises PkmError when set or assumptions do not fit."""
        return self.estimator.parameter_set(machine)


_PARTS: dict[str, Any] = {
    "validation": ValidationSettings,
    "filter": FilterSettings,
    "band": BandSettings,
    "estimator": EstimatorSettings,
}
_PLACES = {
    declaration.name: (part, entry)
    for part, settings in _PARTS.items()
    for entry, declaration in declarations(settings).items()
}
# Tuning of the recursive filters: fields of `UnscentedSettings` by the names of their settings.
TUNING = {declaration.name: entry for entry, declaration in declarations(UnscentedSettings).items()}
_FIT = "ukf"  # where a fit of few parameters is asked for and no estimator named
_BATCH = "ls"  # where a fall is given
# Every declared setting by the name of its node parameter.
NAMED: dict[str, Declaration] = {
    declaration.name: declaration
    for settings in (*_PARTS.values(), UnscentedSettings, Settings)
    for declaration in declarations(settings).values()
}


def choose_estimator(**asked: Any) -> str:
    """Return the estimator of settings that name none: the full model, or UKF where a fit of few parameters is asked.

    With a fall alone least squares: what a fall fixes is too sharp for a recursion to end at.

    Parameters
    ----------
    **asked
        As `Settings.of` takes them, with what is fixed, tied or stated, and what else a fit alone can use.
    """
    of_fits = {*TUNING, *(one.name for one in declarations(EstimatorSettings).values()), "causal"}
    of_fit = {
        name
        for name, value in asked.items()
        if (name in of_fits and value != NAMED[name].default if name in NAMED else value)
    }
    if of_fit == {"falls"}:
        return _BATCH
    return _FIT if of_fit else FULL


def assumptions_of(fix: Sequence[str], tie: Sequence[str], prior: str) -> Assumptions:
    """Assumptions from texts, as options and node parameters give them; empty texts say nothing.

    Raises
    ------
    PkmError
        If a text cannot be understood, or the file of the prior cannot be used.
    """
    return Assumptions(
        fixed=tuple(Fix.parse(text) for text in fix if text),
        tied=tuple(Tie.parse(text) for text in tie if text),
        prior_values=read_prior(prior) if prior else (),
    )
