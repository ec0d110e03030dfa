# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Names of errors that can be estimated as well, and what they stand for on a machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.hexapod import description_of
from pkm_identification.machines.load import AnyMachine, as_machine
from pkm_identification.mechanisms.friction import Friction
from pkm_identification.mechanisms.hexapod.parameters.sets import with_free_center
from pkm_identification.parameters.parameter import Kind, Parameter
from pkm_identification.parameters.parameter_set import ParameterSet

from .. import bodies, forces, friction, geometry, gravity
from ..effect import Effect, name_drives, typical_force
from ..platform import bodies as platform_bodies
from . import kinds
from .effect import EstimatedEffect

COORDINATES = ("length", "angle", "coordinate")  # a wrong zero or pitch may be asked for by any of these
OFFSETS, SCALES = tuple(f"{one}_offset" for one in COORDINATES), tuple(f"{one}_scale" for one in COORDINATES)
ASYMMETRIC, STRIBECK = "friction_asymmetric", "friction_stribeck"
SQUARE, SIDES = "friction_square", "friction_sides"
OF_LOAD, OF_TRAVEL, OF_STIFFNESS = "friction_load", "friction_position", geometry.COMPLIANCE
OF_MOTORS = bodies.NAME
# Of a drive's own, with its name or number behind them
OF_DRIVES = (
    forces.DELAY, forces.GAIN, forces.OFFSET, *OFFSETS, *SCALES, ASYMMETRIC, OF_TRAVEL, STRIBECK, SQUARE, SIDES,
    OF_MOTORS,
)  # fmt: skip
IN_COMMON = (forces.DELAY, *SCALES)  # one value for all drives where no drive is named
OF_PLACE, OF_PRODUCTS = "center_of_mass", "products_of_inertia"  # the first has the second
OF_BODIES = (OF_MOTORS, OF_PRODUCTS, "unequal_struts")
OF_FRICTION = ("friction_transition", STRIBECK, "friction_presliding")
OF_JOINTS = "joint_friction"
OF_SCREWS = "efficiency"
OF_MACHINE = (
    gravity.NAME,
    "geometry",
    OF_STIFFNESS,
    OF_PLACE,
    *OF_BODIES,
    *OF_FRICTION,
    OF_LOAD,
    OF_JOINTS,
    OF_SCREWS,
)
FORMS = (*(f"{stem}[_DRIVE]" for stem in OF_DRIVES), *(name for name in OF_MACHINE if name not in OF_DRIVES))
ASYMMETRY = "asymmetry"  # the coefficient of the law `asymmetric`
JOINT_SHARE = 0.05  # of a typical force times the machine's size: large friction of a joint
STRIBECK_RATE = friction.STRIBECK_RATES[1]  # transition rates, where a search for it begins
LAW_OF: dict[str, tuple[str, dict[str, Any]]] = {
    ASYMMETRIC: ("asymmetric", {"asymmetry": 0.0}),
    STRIBECK: ("stribeck", {"static_ratio": 1.0, "stribeck_rate": 1.0}),
}


def parse_names(text: str) -> tuple[str, ...]:
    """Return names from a text with commas; an empty one has none.

    Raises
    ------
    SettingsError
        If one is unknown or given twice: with all that there are.
    """
    names = tuple(part.strip() for part in text.split(",")) if text.strip() else ()
    check_names(names)
    return names


def check_names(names: Sequence[str]) -> None:
    """Raise SettingsError unless every name is of a known kind, whatever the drives are called, and given once."""
    for index, name in enumerate(names):
        split_name(name)
        if name in names[:index]:
            raise SettingsError(f"also '{name}': is given twice")


def split_name(name: str) -> tuple[str, str]:
    """Return the kind of a name, and the drive that it names: empty where it names none.

    Raises
    ------
    SettingsError
        If there is no such kind.
    """
    if name in OF_DRIVES or name in OF_MACHINE:
        return name, ""
    stem = max((stem for stem in OF_DRIVES if name.startswith(f"{stem}_")), key=len, default="")
    drive = name[len(stem) + 1 :]
    if not stem or not drive:
        raise SettingsError(f"also '{name}': must be one of {', '.join(FORMS)}")
    return stem, drive


def find_drives(machine: Machine, name: str) -> tuple[int, ...]:
    """Return the drives (from 0) that a name stands for: all unless it names one, by its name or number.

    Raises
    ------
    SettingsError
        If there is none of that name.
    """
    drive, drives = split_name(name)[1], machine.drives
    if not drive:
        return tuple(range(len(drives)))
    found = [i for i, one in enumerate(drives) if drive in (one.name, one.label)]
    if not found and drive.isdigit() and 1 <= int(drive) <= len(drives):
        found = [int(drive) - 1]
    if not found:
        known = ", ".join(dict.fromkeys(one.label for one in drives))
        raise SettingsError(
            f"also '{name}': there is no drive '{drive}'; expected one of {known}, or 1 to {len(drives)}"
        )
    return tuple(found)


def with_law(machine: AnyMachine, names: Sequence[str]) -> Machine:
    """Return the machine with friction that has what is asked for, and none of it yet.

    Raises
    ------
    SettingsError
        If its own has it already, or is none that can have it.
    """
    machine = as_machine(machine)
    if OF_JOINTS in names:
        rubbing = machine.with_joint_friction()
        if rubbing is None:
            raise SettingsError(f"also '{OF_JOINTS}': the file of machine '{machine.name}' has it already")
        machine = rubbing
    # the first name of each kind that needs a law
    asked = {kind: next((name for name in names if _find_law_kind(name) == kind), None) for kind in LAW_OF}
    needed = [(name, *LAW_OF[kind]) for kind, name in asked.items() if name is not None]
    own = Friction.join(machine.friction)
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
    rates = own.parameter("transition_rate")
    values = {"viscous": own.viscous, "coulomb": own.coulomb, "transition_rate": rates}
    for _, law, numbers in needed:
        if "stribeck_rate" in numbers:
            numbers = {**numbers, "stribeck_rate": STRIBECK_RATE * rates}
        machine = machine.with_friction(Friction.of(law, **values, **numbers))
    return machine


def _find_law_kind(name: str) -> str:
    """Return the kind of a name that a law of friction has: Stribeck's of all drives alike; empty of others."""
    kind, drive = split_name(name)
    return "" if kind == STRIBECK and drive else kind


def extended_set(
    machine: AnyMachine, name: str, names: Sequence[str]
) -> tuple[ParameterSet, tuple[EstimatedEffect, ...]]:
    """Return a named parameter set with what is estimated as well, and the errors behind it.

    Raises
    ------
    SettingsError
        As `with_law` and `list_effects_of_names`.
    """
    machine = with_law(machine, names)
    return extend_set(machine, machine.build_parameter_set(name), names)


def extend_set(
    machine: Machine, parameters: ParameterSet, names: Sequence[str]
) -> tuple[ParameterSet, tuple[EstimatedEffect, ...]]:
    """Return a set of a machine of `with_law` with what is estimated as well, and the errors behind it."""
    parameters = _keep_asked_drives(parameters, machine, names)
    description = description_of(machine)
    of_sets = [ASYMMETRIC]
    if description is not None:
        of_sets += [OF_JOINTS, *((OF_PLACE, OF_PRODUCTS) if OF_PLACE in names else ())]
        if OF_PLACE in names:
            parameters = with_free_center(parameters, description)
    besides = [one for one in names if split_name(one)[0] not in of_sets]
    effects = list_effects_of_names(machine, parameters, besides)
    for effect in effects:
        directions = effect.directions
        if directions is None:
            directions = np.zeros((len(parameters.known), len(effect.entries)))
        parameters = parameters.extend(effect.entries, directions)
    return parameters, effects


def list_effects_of_names(
    machine: Machine, parameters: ParameterSet, names: Sequence[str]
) -> tuple[EstimatedEffect, ...]:
    """Return what names stand for on a machine of `with_law`, in addition to a parameter set.

    Raises
    ------
    SettingsError
        If the machine has nothing of it or the set has it already; names the error.
    """
    effects = [_find(machine, parameters, name) for name in names]
    owner: dict[str, str] = {}
    for effect in effects:
        for entry in effect.entries:
            if entry.name in owner:
                raise SettingsError(f"also '{effect.name}': '{owner[entry.name]}' has {entry.name} already")
            owner[entry.name] = effect.name
    count = len(machine.drives)
    if count > 1 and forces.DELAY in owner and set(name_drives(forces.DELAY, machine)) <= set(owner):
        raise SettingsError(
            f"also '{forces.DELAY}': the delays of all drives have it already; leave one of them out"
        )
    return tuple(effects)


def _keep_asked_drives(parameters: ParameterSet, machine: Machine, names: Sequence[str]) -> ParameterSet:
    """Return the set with the asymmetry of those drives only that are asked for, called as they are."""
    drives = {i for name in names if split_name(name)[0] == ASYMMETRIC for i in find_drives(machine, name)}
    if not drives:
        return parameters
    called = name_drives(ASYMMETRIC, machine)

    def renamed(entry: Parameter) -> Parameter:
        own = entry.symbol == ASYMMETRY and entry.limb is not None
        return replace(entry, name=called[entry.limb or 0]) if own else entry

    for k in reversed(range(len(parameters))):
        entry = parameters.entries[k]
        if entry.symbol == ASYMMETRY and entry.limb not in drives:
            parameters = parameters.without(k)
    return replace(parameters, entries=tuple(renamed(entry) for entry in parameters.entries))


def _find(machine: Machine, parameters: ParameterSet, name: str) -> EstimatedEffect:
    kind, drive = split_name(name)
    drives = find_drives(machine, name)
    if kind in OF_BODIES or kind == OF_PLACE:
        of_bodies = [*platform_bodies.effects(machine, parameters), *bodies.effects(machine, parameters)]
        hypothesis = _build_one(of_bodies, kind, name, f"set '{parameters.name}' has it already")
        if drive and not hypothesis.members:
            raise SettingsError(
                f"also '{name}': all drives of machine '{machine.name}' share it: write '{kind}'"
            )
        return kinds.of_basis(hypothesis, drives if hypothesis.members else None)
    if kind == OF_JOINTS:
        return _find_joint_friction(machine)
    if kind in OF_FRICTION and any(one.law.reversing is None for one in machine.friction):
        raise SettingsError(
            f"also '{name}': the friction law of machine '{machine.name}' has no transition at standstill"
        )
    if kind == STRIBECK and drive:
        return kinds.near_standstill(machine, drives, name)
    if kind in OF_FRICTION:
        made = {"friction_transition": kinds.transition, STRIBECK: kinds.stribeck}
        return made.get(kind, kinds.presliding)(machine)
    if kind == OF_SCREWS:
        return kinds.efficiency(machine)
    if kind == gravity.NAME:
        hypothesis = _build_one(
            gravity.effects(machine), kind, name, f"machine '{machine.name}' has no gravity"
        )
        return kinds.gravity_direction(hypothesis, machine)
    own = geometry.name_offset(machine) if kind in OFFSETS else kind
    own = geometry.name_scale(machine) if kind in SCALES else own
    others = [*forces.effects(machine), *geometry.effects(machine), *friction.effects(machine)]
    missing = {"geometry": "names no joints with places"}
    otherwise = f"machine '{machine.name}' {missing.get(kind, 'has a friction law without a transition at standstill')}"
    if kind == OF_STIFFNESS:
        return kinds.compliance([one for one in others if one.family == OF_STIFFNESS])
    hypothesis = _build_one(others, own, name, otherwise)
    if kind == "geometry":
        return kinds.joint_places(hypothesis, machine)
    if kind == OF_LOAD:
        return kinds.friction_by_load(hypothesis)
    if kind == OF_TRAVEL:
        return kinds.friction_by_position(hypothesis, drives if drive or not hypothesis.common else None)
    if kind in (SQUARE, SIDES):
        return kinds.linear(hypothesis, drives, name)
    if kind in IN_COMMON and not drive and hypothesis.common:
        return kinds.in_common(hypothesis)
    every = len(drives) == len(machine.drives) and (len(drives) > 1)
    return kinds.of_drives(hypothesis, drives, name, fixed=kind == forces.GAIN and every)


def _find_joint_friction(machine: Machine) -> EstimatedEffect:
    """Return friction of the passive joints, which the basis has and no set of the machine."""
    drives = set(machine.friction_rows.ravel().tolist())
    rows = [k for k, entry in enumerate(machine.basis) if entry.kind.friction and k not in drives]
    scale = JOINT_SHARE * float(np.mean(typical_force(machine))) * max(machine.size, 1e-3)
    entries = tuple(
        replace(machine.basis.entries[k], kind=Kind.EFFECT, nominal=0.0, scale=scale, size=None) for k in rows
    )
    return EstimatedEffect(OF_JOINTS, entries, directions=np.eye(len(machine.basis))[:, rows])


def _build_one(effects: Sequence[Effect], kind: str, name: str, otherwise: str) -> Effect:
    for effect in effects:
        if effect.name == kind:
            return effect
    raise SettingsError(f"also '{name}': {otherwise}")
