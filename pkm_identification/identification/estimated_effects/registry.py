# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Names of effects that can be estimated besides, and what they stand for on a machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.machines.hexapod import Hexapod
from pkm_identification.mechanisms.friction import Friction
from pkm_identification.mechanisms.hexapod.joint_friction import JointFriction
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import hexapod_parameters, with_free_center
from pkm_identification.motion import STRUTS
from pkm_identification.parameters.parameter import Parameter
from pkm_identification.parameters.parameter_set import ParameterSet

from ..model_errors import forces, friction, geometry, gravity
from ..model_errors.effect import Effect, numbered
from ..model_errors.platform import bodies as platform_bodies
from . import kinds
from .effect import EstimatedEffect

# Of a strut's own, with its number behind them.
OF_STRUTS = (
    "force_delay",
    "force_gain",
    "force_offset",
    "length_offset",
    "length_scale",
    "friction_asymmetric",
    "friction_position",
)
IN_COMMON = ("force_delay", "length_scale")  # one value for all struts where no strut is named
OF_PLACE, OF_PRODUCTS = "center_of_mass", "products_of_inertia"  # the first has the second
OF_BODIES = ("motor_inertia", OF_PRODUCTS, "unequal_struts")
OF_FRICTION = ("friction_transition", "friction_stribeck", "friction_presliding")
OF_JOINTS = "joint_friction"
OF_SCREWS = "efficiency"
OF_LOAD, OF_TRAVEL, OF_STIFFNESS = "friction_load", "friction_position", "compliance"
OF_MACHINE = (
    "gravity_direction",
    "geometry",
    OF_STIFFNESS,
    OF_PLACE,
    *OF_BODIES,
    *OF_FRICTION,
    OF_LOAD,
    OF_JOINTS,
    OF_SCREWS,
)
# What a list of names shows.
FORMS = (*(f"{stem}[_N]" for stem in OF_STRUTS), *OF_MACHINE)
# Every name, with the kind it is of and its struts (from 0).
_STRUTS: dict[str, tuple[str, tuple[int, ...]]] = {
    name: (stem, struts)
    for stem in OF_STRUTS
    for name, struts in (
        (stem, tuple(range(STRUTS))),
        *((numbered(stem)[i], (i,)) for i in range(STRUTS)),
    )
}
NAMES = (*_STRUTS, *OF_MACHINE)
# Those that a set has as soon as the machine does.
OF_SETS = ("friction_asymmetric", OF_JOINTS, OF_PLACE)
ASYMMETRY = "asymmetry"  # the coefficient of the law `asymmetric`
STRIBECK_RATE = friction.STRIBECK_RATES[1]  # transition rates, where a search for it begins
# The law that has a kind of effect, and the numbers with which it has none of it.
LAW_OF: dict[str, tuple[str, dict[str, Any]]] = {
    "friction_asymmetric": ("asymmetric", {"asymmetry": np.zeros(STRUTS)}),
    "friction_stribeck": ("stribeck", {"static_ratio": 1.0, "stribeck_rate": 1.0}),
}


def parse_names(text: str) -> tuple[str, ...]:
    """Names from a text with commas; an empty one has none.

    Raises
    ------
    SettingsError
        If one is unknown or given twice: with all that there are.
    """
    names = tuple(part.strip() for part in text.split(",")) if text.strip() else ()
    check_names(names)
    return names


def check_names(names: Sequence[str]) -> None:
    """Raise SettingsError unless every name is known and given once."""
    for place, name in enumerate(names):
        if name not in NAMES:
            raise SettingsError(f"also '{name}': must be one of {', '.join(FORMS)}")
        if name in names[:place]:
            raise SettingsError(f"also '{name}': is given twice")


def with_law(machine: Machine, names: Sequence[str]) -> Machine:
    """The machine with friction that has what is asked for, and none of it yet.

    Raises
    ------
    SettingsError
        If its own has it already, or is none that can have it.
    """
    if OF_JOINTS in names:
        if machine.joint_friction is not None:
            raise SettingsError(f"also '{OF_JOINTS}': the file of machine '{machine.name}' has it already")
        machine = replace(machine, joint_friction=JointFriction.alike(0.0))
    # the first name of each kind that needs a law
    asked = {kind: next((name for name in names if _kind(name) == kind), None) for kind in LAW_OF}
    needed = [(name, *LAW_OF[kind]) for kind, name in asked.items() if name is not None]
    own = machine.friction
    for name, law, _ in needed:
        if own.law.name == law:
            raise SettingsError(
                f"also '{name}': the friction law '{law}' of machine '{machine.name}' has it already"
            )
        if own.law.name != "coulomb":
            raise SettingsError(
                f"also '{name}': the friction law '{own.law.name}' of machine '{machine.name}' cannot have it, only "
                "'coulomb' can"
            )
    if len(needed) > 1:
        raise SettingsError(f"also '{needed[0][0]}': no friction law has it together with '{needed[1][0]}'")
    values = {"viscous": own.viscous, "coulomb": own.coulomb, "transition_rate": own.transition_rate}
    for _, law, numbers in needed:
        if "stribeck_rate" in numbers:
            numbers = {**numbers, "stribeck_rate": STRIBECK_RATE * own.transition_rate}
        machine = replace(machine, friction=Friction.of(law, **values, **numbers))
    return machine


def effects_of_names(
    machine: Machine, parameters: ParameterSet, names: Sequence[str]
) -> tuple[EstimatedEffect, ...]:
    """What names stand for on a machine of `with_law`, beside a parameter set.

    Raises
    ------
    SettingsError
        If the machine has nothing of it or the set has it already; names the effect.
    """
    effects = [_effect(machine, parameters, name) for name in names]
    owner: dict[str, str] = {}
    for effect in effects:
        for entry in effect.entries:
            if entry.name in owner:
                raise SettingsError(f"also '{effect.name}': '{owner[entry.name]}' has {entry.name} already")
            owner[entry.name] = effect.name
    return tuple(effects)


def extended_set(
    machine: Machine, name: str, names: Sequence[str]
) -> tuple[ParameterSet, tuple[EstimatedEffect, ...]]:
    """A named parameter set with what is estimated besides, and the effects behind it.

    Raises
    ------
    SettingsError
        As `with_law` and `effects_of_names`.
    """
    machine = with_law(machine, names)
    parameters = _only_asked(hexapod_parameters(machine, name), names)
    if OF_PLACE in names:
        parameters = with_free_center(parameters, machine)
    kinds_of_sets = (*OF_SETS, *((OF_PRODUCTS,) if OF_PLACE in names else ()))
    effects = effects_of_names(machine, parameters, [one for one in names if _kind(one) not in kinds_of_sets])
    for effect in effects:
        directions = effect.directions
        if directions is None:
            directions = np.zeros((len(parameters.known), len(effect.entries)))
        parameters = parameters.extended(effect.entries, directions)
    return parameters, effects


def _only_asked(parameters: ParameterSet, names: Sequence[str]) -> ParameterSet:
    """The set with the asymmetry of those struts only that are asked for, called as they are."""
    struts = {i for name in names if _kind(name) == "friction_asymmetric" for i in _STRUTS[name][1]}
    if not struts:
        return parameters
    called = numbered("friction_asymmetric")

    def renamed(entry: Parameter) -> Parameter:
        own = entry.symbol == ASYMMETRY and entry.limb is not None
        return replace(entry, name=called[entry.limb or 0]) if own else entry

    for k in reversed(range(len(parameters))):
        entry = parameters.entries[k]
        if entry.symbol == ASYMMETRY and entry.limb not in struts:
            parameters = parameters.without(k)
    return replace(parameters, entries=tuple(renamed(entry) for entry in parameters.entries))


def _effect(machine: Machine, parameters: ParameterSet, name: str) -> EstimatedEffect:
    kind, drives = _kind(name), Hexapod(machine)
    if kind in OF_BODIES:
        return kinds.of_basis(
            _one(platform_bodies.effects(drives, parameters), name, f"set '{parameters.name}' has it already")
        )
    if kind in OF_FRICTION:
        if machine.friction.law.reversing is None:
            raise SettingsError(f"also '{name}': the friction law of machine '{machine.name}' has no bend")
        if kind == "friction_presliding":
            return kinds.presliding(machine.friction.transition_rate)
        return kinds.transition(machine) if kind == "friction_transition" else kinds.stribeck(machine)
    if kind == OF_SCREWS:
        return kinds.efficiency(machine)
    if kind == "gravity_direction":
        hypothesis = _one(gravity.effects(drives), name, f"machine '{machine.name}' has no gravity")
        return kinds.gravity_direction(hypothesis, machine)
    others = [*forces.effects(drives), *geometry.effects(drives), *friction.effects(drives)]
    hypothesis = _one(others, kind, f"the friction law of machine '{machine.name}' has no bend")
    if kind == "geometry":
        return kinds.joint_places(hypothesis)
    if kind == OF_STIFFNESS:
        return kinds.compliance(hypothesis)
    if kind == OF_LOAD:
        return kinds.friction_by_load(hypothesis)
    if name == OF_TRAVEL:
        return kinds.friction_by_position(hypothesis)
    if name in IN_COMMON:
        return kinds.in_common(hypothesis)
    struts = _STRUTS[name][1]
    if kind == OF_TRAVEL:
        return kinds.friction_by_position(hypothesis, struts)
    return kinds.of_struts(hypothesis, struts, name, fixed=kind == "force_gain" and len(struts) == STRUTS)


def _one(effects: Sequence[Effect], name: str, otherwise: str) -> Effect:
    for effect in effects:
        if effect.name == name:
            return effect
    raise SettingsError(f"also '{name}': {otherwise}")


def _kind(name: str) -> str:
    return _STRUTS[name][0] if name in _STRUTS else name
