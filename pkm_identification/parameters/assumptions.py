# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Assumptions about parameters: fixed values, ties between them, priors with stated standard deviations.

A parameter that is fixed or tied is no unknown any more, so it leaves the set: its column of the mapping moves to what
is known, or to the parameter it is tied to. The set that results is one like any other, for every estimator, offline
and online.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pkm_identification.document import Node, read_yaml
from pkm_identification.errors import DocumentError, SettingsError

from .parameter import Kind, Parameter
from .parameter_set import ParameterSet


def _list_inertial(entry: Parameter) -> bool:
    return not entry.kind.friction and entry.kind not in (Kind.NUISANCE, Kind.EFFECT)


# What `fix` may name besides single parameters, and which parameters that is.
GROUPS: dict[str, Callable[[Parameter], bool]] = {
    "inertial": _list_inertial,
    "masses": lambda entry: entry.kind is Kind.MASS,
    "inertias": lambda entry: entry.kind is Kind.INERTIA,
    "friction": lambda entry: entry.kind.friction,
    "viscous": lambda entry: entry.kind is Kind.VISCOUS,
    "coulomb": lambda entry: entry.kind is Kind.COULOMB,
}


@dataclass(frozen=True)
class Fix:
    """A parameter that is not estimated, or a group of `GROUPS`; `value` None is the machine file's."""

    name: str
    value: float | None = None

    @classmethod
    def parse(cls, text: str) -> Fix:
        """Read NAME or NAME=VALUE.

        Raises
        ------
        SettingsError
            If there is no name or the value is not a finite number.
        """
        name, equals, value = text.partition("=")
        if not name or (equals and not value):
            raise SettingsError(f"fix {text}: expected NAME or NAME=VALUE")
        if equals and name in GROUPS:
            raise SettingsError(f"fix {text}: a group is held at the machine file's values, without '=VALUE'")
        return cls(name, _number(f"fix {text}", value) if equals else None)


@dataclass(frozen=True)
class Tie:
    """A parameter that is `factor` times another one."""

    name: str
    other: str
    factor: float = 1.0

    @classmethod
    def parse(cls, text: str) -> Tie:
        """Read NAME=OTHER or NAME=OTHER*FACTOR.

        Raises
        ------
        SettingsError
            If a name is missing or the factor is not a finite number.
        """
        name, _, rest = text.partition("=")
        other, times, factor = rest.partition("*")
        if not name or not other or (times and not factor):
            raise SettingsError(f"tie {text}: expected NAME=OTHER or NAME=OTHER*FACTOR")
        return cls(name, other, _number(f"tie {text}", factor) if times else 1.0)


@dataclass(frozen=True)
class PriorValue:
    """A prior: value (None: the machine file's) and standard deviation, SI units, and where it is written."""

    name: str
    value: float | None
    std: float
    place: str = "prior"


@dataclass(frozen=True)
class Assumptions:
    """All that is assumed of parameters before the data; empty unless given."""

    fixed: tuple[Fix, ...] = ()
    tied: tuple[Tie, ...] = ()
    prior_values: tuple[PriorValue, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.fixed or self.tied or self.prior_values)

    def apply(self, parameters: ParameterSet) -> ParameterSet:
        """The set of what is left to estimate: ties first, then fixed values, then priors.

        Parameters
        ----------
        parameters : ParameterSet

        Returns
        -------
        ParameterSet
            With w_name = factor w_other a tied parameter's column, times the factor, joins the other's; with
            w_name = value a fixed one's, times the value, joins `known`.

        Raises
        ------
        SettingsError
            If a name is not (or no longer) in the set, a tie joins different units, or nothing is left.
        """
        for tie in self.tied:
            parameters = _tie(parameters, tie)
        for fix in self.fixed:
            for name in _list_members(parameters, fix.name):
                parameters = _fix(parameters, Fix(name, fix.value))
        if not self.prior_values:
            return parameters
        mean, std = parameters.nominal.copy(), parameters.scale.copy()
        for entry in self.prior_values:
            k = _index(parameters, entry.name, entry.place)
            if entry.value is not None:
                mean[k] = entry.value
            std[k] = entry.std
        return replace(parameters, prior_mean=mean, prior_std=std)

    def described(self) -> str:
        """In a few words, for reports; empty when nothing is stated."""
        parts = [f"{f.name} = {'the file' if f.value is None else f'{f.value:g}'}" for f in self.fixed]
        parts += [f"{t.name} = {'' if t.factor == 1.0 else f'{t.factor:g} '}{t.other}" for t in self.tied]
        parts += [
            f"{s.name} ~ {'the file' if s.value is None else f'{s.value:g}'} ± {s.std:g}"
            for s in self.prior_values
        ]
        return ", ".join(parts)


def read_prior(path: str | Path) -> tuple[PriorValue, ...]:
    """Read stated priors from a YAML file: parameter name -> {value, std}; without a value the machine file's.

    Raises
    ------
    DocumentError
        If the file cannot be read or an entry is not as it should be: names the file, the key and the reason.
    """
    document = Node(read_yaml(Path(path), "prior file"), "", str(path))
    if not isinstance(document.value, dict) or not document.value:
        raise DocumentError(f"{path}: expected a mapping of parameter names to {{value, std}}")
    values = []
    for name in document.value:
        entry = document.take(name)
        value = entry.take("value", None)
        values.append(
            PriorValue(
                name=str(name),
                value=None if value.value is None else value.number(),
                std=entry.take("std").positive(),
                place=str(path),
            )
        )
        entry.close()
    return tuple(values)


def _tie(parameters: ParameterSet, tie: Tie) -> ParameterSet:
    where = f"tie {tie.name}={tie.other}"
    k, other = (_index(parameters, name, where) for name in (tie.name, tie.other))
    if k == other:
        raise SettingsError(f"{where}: a parameter cannot be tied to itself")
    if parameters.units[k] != parameters.units[other]:
        raise SettingsError(
            f"{where}: {tie.name} is in {parameters.units[k]}, {tie.other} in {parameters.units[other]}"
        )
    mapping = parameters.mapping.copy()
    mapping[:, other] += tie.factor * mapping[:, k]
    return _remove(replace(parameters, mapping=mapping), k, where)


def _list_members(parameters: ParameterSet, name: str) -> tuple[str, ...]:
    """The parameters of a group that are still in the set; the name itself where it is none."""
    if name not in GROUPS:
        return (name,)
    members = tuple(entry.name for entry in parameters.entries if GROUPS[name](entry))
    if not members:
        raise SettingsError(f"fix {name}: no parameter of the set '{parameters.name}' is of this group")
    return members


def _fix(parameters: ParameterSet, fix: Fix) -> ParameterSet:
    where = f"fix {fix.name}"
    k = _index(parameters, fix.name, where)
    value = parameters.nominal[k] if fix.value is None else fix.value
    return _remove(replace(parameters, known=parameters.known + parameters.mapping[:, k] * value), k, where)


def _remove(parameters: ParameterSet, k: int, where: str) -> ParameterSet:
    if len(parameters) == 1:
        raise SettingsError(f"{where}: no parameter remains to be estimated")
    return parameters.without(k)


def _index(parameters: ParameterSet, name: str, where: str) -> int:
    if name not in parameters.names:
        raise SettingsError(
            f"{where}: there is no parameter '{name}' to estimate in the set '{parameters.name}': "
            f"{', '.join(parameters.names)}"
        )
    return parameters.names.index(name)


def _number(where: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not np.isfinite(value):
        raise SettingsError(f"{where}: '{text}' is not a finite number")
    return value
