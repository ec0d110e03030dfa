# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A machine whose file has what a saved estimate says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.errors import MachineError, SettingsError
from pkm_identification.estimation.statuses import is_identified, is_known
from pkm_identification.identification.model_errors.estimated.corrections import Corrections
from pkm_identification.identification.model_errors.estimated.effect import EstimatedEffect
from pkm_identification.identification.model_errors.estimated.registry import STRIBECK, extended_set, with_law
from pkm_identification.identification.saved_estimate import SavedEstimate
from pkm_identification.identification.settings import EstimatorSettings
from pkm_identification.machines.capabilities import HexapodFile, has, require
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.knowledge.build import list_hexapod_bodies
from pkm_identification.machines.load import wrap_description
from pkm_identification.mechanisms.hexapod.machine import Machine as Hexapod
from pkm_identification.mechanisms.hexapod.parameters.sets import NAMES
from pkm_identification.mechanisms.known_statements import Width
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.assumptions import Assumptions
from pkm_identification.parameters.parameter_set import ParameterSet

from .corrected_effects import with_effects_known

_FOREIGN = 1e-3  # of a standard deviation: what parameters that are not identified may add to it
_ROUNDING = 1e-9  # relative: a number that an estimate leaves as it is


def state_widths(machine: Machine, widths: Mapping[str, float]) -> Machine:
    """Return the machine whose file states standard deviations of numbers, by their keys; all else stays stated."""
    added = {tuple(key.split(".")): Width(float(f"{width:.4g}")) for key, width in widths.items()}
    return machine.with_statements(added)


def find_hexapod_widths(build: Callable[[FloatArray], Machine], saved: SavedEstimate) -> dict[str, float]:
    """Return standard deviations of the numbers of a hexapod's file that an estimate identifies, by their keys.

    Parameters
    ----------
    build : callable
        The machine with values (P,) of the estimate's parameters.
    saved : SavedEstimate
    """
    own, deviations = build(saved.mean), np.sqrt(np.diag(saved.covariance))
    numbers = _list_numbers(own)
    slopes = np.zeros((len(numbers), len(deviations)))
    for k, deviation in enumerate(deviations):
        for sign in (1.0, -1.0):
            moved = saved.mean.copy()
            moved[k] += sign * deviation
            try:
                changed = np.array(list(_list_numbers(build(moved)).values()))
            except MachineError:
                continue  # no rigid body has this value
            slopes[:, k] = sign * (changed - np.array(list(numbers.values()))) / deviation
            break
    identified = np.array([is_identified(saved.status.get(name, "")) for name in saved.names])
    spread = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", slopes, saved.covariance, slopes), 0.0))
    foreign = np.abs(slopes * deviations)[:, ~identified].max(axis=1, initial=0.0)
    return {
        key: float(std)
        for (key, value), std, other in zip(numbers.items(), spread, foreign, strict=True)
        if std > _ROUNDING * abs(value) and other <= _FOREIGN * std
    }


def find_friction_widths(parameters: ParameterSet, saved: SavedEstimate) -> dict[str, float]:
    """Return standard deviations of identified coefficients of the drives' friction, by their keys.

    Forces know the bodies of a mechanism by sums alone, of which no key of its file is one.
    """
    return {
        f"friction.{entry.symbol}.{entry.limb}": float(saved.std[entry.name])
        for entry in parameters.entries
        if entry.kind.friction and entry.limb is not None and is_identified(saved.status.get(entry.name, ""))
    }


def _list_numbers(machine: Machine) -> dict[str, float]:
    """Return the numbers of bodies and friction of a hexapod's file, by their keys."""
    description = machine.loaded
    found: dict[str, float] = {}
    for body in list_hexapod_bodies(description):
        values = (body.mass, *body.center, *body.moments, *body.products)
        found |= {key: float(value) for key, value in zip(body.keys, values, strict=True)}
    friction = description.friction
    for coefficient, row in zip(friction.law.coefficients, friction.coefficients, strict=True):
        found |= {f"friction.{coefficient.name}.{i}": float(value) for i, value in enumerate(row)}
    return found


BASE = "base"  # set of machines that have no other
_SHIFTED = 0.01  # of a standard deviation: less is not worth telling


@dataclass(frozen=True)
class EstimatedMachine:
    """A machine with identified values.

    Attributes
    ----------
    machine : Machine
    left : tuple of str
        Parameters of what no key of a file knows.
    shift : tuple of str and float, or None
        The parameter that differs most from the estimate where no rigid bodies have its values, and by how many of its
        standard deviations.
    """

    machine: Machine
    left: tuple[str, ...] = ()
    shift: tuple[str, float] | None = None


def with_estimate(machine: Machine, saved: SavedEstimate, assumptions: Assumptions) -> EstimatedMachine:
    """Return the machine whose file has a saved estimate: all of it, also what it knows only in combinations.

    Together the values predict best. `assumptions` are those that the estimate was made with.

    Raises
    ------
    DocumentError
        If the estimate belongs to another machine or other assumptions.
    SettingsError
        If it has the parameters of no set.
    MachineError
        If no rigid bodies have these values.
    """
    saved.check_machine(machine)
    if has(machine, HexapodFile):
        description = require(machine, HexapodFile, "export").description
        estimator = build_saved_settings(description, saved, assumptions)
        parameters = estimator.parameter_set(description)
        known, left = with_effects_known(description, estimator, saved.mean, bodies=True)
        wrapped = wrap_description(known)

        def build(values: FloatArray) -> Machine:
            return wrapped.with_values(parameters.mapping @ values + parameters.known)

        found = build(saved.mean)
        return EstimatedMachine(state_widths(found, find_hexapod_widths(build, saved)), left)
    name = saved.parameter_set or BASE  # no choice of the settings
    whole, effects = extended_set(machine, name, saved.also)
    own = machine.build_parameter_set(name)
    parameters = assumptions.apply(own)
    saved_names = tuple(name for name in saved.names if name in own.names or name not in whole.names)
    if saved_names != parameters.names:
        raise SettingsError(
            f"{saved.source}: has other parameters than '{machine.name}'; give --fix, --tie and --prior as to pkm "
            "identify"
        )
    replace(saved, names=saved_names).check(machine, parameters, assumptions.described())
    rows = [saved.names.index(name) for name in parameters.names]
    return _insert_values(machine, parameters, saved, rows, effects)


def know_effects(machine: Machine, saved: SavedEstimate) -> tuple[Machine, tuple[str, ...]]:
    """Return the machine whose file knows what was estimated as well, and the parameters of what it cannot know.

    Bodies and friction stay the file's, as does what the data do not determine.
    """
    if has(machine, HexapodFile):
        description = machine.description
        known, left = with_effects_known(description, build_saved_settings(description, saved), saved.mean)
        return wrap_description(known), left
    whole, effects = extended_set(machine, saved.parameter_set or BASE, saved.also)
    shown = [
        all(is_known(saved.status.get(entry.name, "")) for entry in effect.entries) for effect in effects
    ]
    found = [effect for effect, known in zip(effects, shown, strict=True) if known]
    changed, names = apply_effects(machine, saved, found)
    own = machine.build_parameter_set(saved.parameter_set or BASE).names
    besides = [name for name in saved.names if name in whole.names and name not in own]
    return changed, tuple(name for name in besides if name not in names)


def apply_effects(
    machine: Machine, saved: SavedEstimate, effects: Sequence[EstimatedEffect]
) -> tuple[Machine, set[str]]:
    """Return the machine whose file's numbers are what effects found, and the parameters that are in them."""
    values = dict(zip(saved.names, saved.mean, strict=True))
    stribeck = [effect.name for effect in effects if effect.name == STRIBECK]
    corrections, known = Corrections.none(with_law(machine, stribeck)), set()
    for effect in effects:
        before = corrections.machine
        if effect.undo is not None and effect.name != "friction_transition":
            own = np.array([values[entry.name] for entry in effect.entries])
            corrections = effect.undo(corrections, own)
        if corrections.machine is not before:
            known |= {entry.name for entry in effect.entries if entry.limb is None}
    return corrections.machine, known


def _insert_values(
    machine: Machine,
    parameters: ParameterSet,
    saved: SavedEstimate,
    rows: list[int],
    effects: Sequence[EstimatedEffect],
) -> EstimatedMachine:
    changed, known = apply_effects(machine, saved, effects)
    left = [name for name in saved.names if name not in known | set(parameters.names)]
    basis = parameters.mapping @ saved.mean[rows] + parameters.known
    covariance = parameters.mapping @ saved.covariance[np.ix_(rows, rows)] @ parameters.mapping.T
    found = changed.with_values(basis, covariance)
    shift = _find_shift(found, parameters, saved, rows)
    return EstimatedMachine(state_widths(found, find_friction_widths(parameters, saved)), tuple(left), shift)


def _find_shift(
    found: Machine, parameters: ParameterSet, saved: SavedEstimate, rows: list[int]
) -> tuple[str, float] | None:
    """Return which base parameter differs most from the estimate, in its standard deviations."""
    now = found.build_parameter_set(BASE)
    if not set(parameters.names) <= set(now.names):
        return None  # another geometry has other base parameters
    values = now.nominal[[now.names.index(name) for name in parameters.names]]
    deviations = np.abs(values - saved.mean[rows]) / np.sqrt(np.diag(saved.covariance)[rows])
    deviations[[entry.kind.friction for entry in parameters.entries]] = (
        0.0  # below zero becomes zero, as it must
    )
    worst = int(np.argmax(deviations))
    return (parameters.names[worst], float(deviations[worst])) if deviations[worst] > _SHIFTED else None


def build_saved_settings(
    machine: Hexapod, saved: SavedEstimate, assumptions: Assumptions | None = None
) -> EstimatorSettings:
    """Return settings of a hexapod's saved estimate, as far as they decide what its parameters are."""
    assumptions = assumptions or Assumptions()
    for name in NAMES:
        if saved.parameter_set not in (None, name):
            continue
        estimator = EstimatorSettings(name="ls", parameters=name, also=saved.also, assumptions=assumptions)
        parameters = estimator.parameter_set(machine)
        if saved.names == parameters.names:
            saved.check(wrap_description(machine), parameters, assumptions.described())
            return estimator
    raise SettingsError(
        f"{saved.source}: has the parameters of no set ({', '.join(NAMES)}); give --fix, --tie and --prior as to pkm "
        "identify"
    )
