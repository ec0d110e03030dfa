# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Each kind of effect that can be estimated as well: its parameters, its columns, and what undoes it.

Columns and priors are those of the hypotheses about a misfit (`model_errors`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.machines.contract import Machine
from pkm_identification.mechanisms.actuators import Screw
from pkm_identification.mechanisms.friction import Friction
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import axes_across
from pkm_identification.parameters.parameter import Kind, Parameter

from .. import friction, geometry, gravity
from ..effect import Effect, group_drives, name_drives, name_units, typical_force
from ..situation import Situation, diagonal
from .corrections import Corrections
from .effect import EstimatedEffect

STEP = 0.05  # of a rate of the friction law, or of Coulomb friction, for differences
EXCESS = 0.5  # of Coulomb friction: a large breakaway
BRISTLE_TIME = 1e-2  # s: much damping of the bristles over their stiffness
LOSS = 0.2  # of the force, a large one
# Which correction an effect of drives is, and how it joins those there are, by the end of its name.
_JOINED: dict[str, tuple[str, np.ufunc]] = {
    "force_delay": ("delay", np.add),
    "force_gain": ("gain", np.multiply),
    "force_offset": ("offset", np.add),
    "_offset": ("zero", np.add),
    "_scale": ("scale", np.multiply),
}


def _find_correction(hypothesis: Effect) -> tuple[str, np.ufunc]:
    return next(joined for end, joined in _JOINED.items() if hypothesis.name.endswith(end))


def _divide(hypothesis: Effect, columns: FloatArray, values: FloatArray) -> FloatArray:
    """Return columns less a factor: so is what a change of the factor does."""
    return columns / values if _find_correction(hypothesis)[1] is np.multiply else columns


def of_drives(hypothesis: Effect, drives: Sequence[int], name: str, fixed: bool = False) -> EstimatedEffect:
    """Return an error with a coefficient for each drive (from 0), of some of them."""
    chosen = list(drives)
    entries = tuple(
        _build_parameter(hypothesis, hypothesis.members[k], float(hypothesis.scale[k]), limb=k)
        for k in chosen
    )

    def columns(situation: Situation, values: FloatArray) -> FloatArray:
        return _divide(hypothesis, hypothesis.columns(situation)[:, :, chosen], values)

    undo = partial(_undo, hypothesis=hypothesis, drives=chosen)
    return EstimatedEffect(name, entries, columns=columns, undo=undo, factor_fixed=fixed)


def in_common(hypothesis: Effect) -> EstimatedEffect:
    """Return the same of all drives: a delay, a pitch."""
    entry = _build_parameter(hypothesis, hypothesis.common, float(hypothesis.scale[0]))

    def columns(situation: Situation, values: FloatArray) -> FloatArray:
        return _divide(hypothesis, hypothesis.columns(situation).sum(axis=2, keepdims=True), values)

    undo = partial(_undo, hypothesis=hypothesis, drives=list(range(len(hypothesis.members))))
    return EstimatedEffect(hypothesis.common, (entry,), columns=columns, undo=undo)


def gravity_direction(hypothesis: Effect, machine: Machine) -> EstimatedEffect:
    """Two angles about axes across gravity as the machine file has it: with gravity along -z, about x and y."""
    axes = axes_across(machine.gravity)

    def columns(situation: Situation, values: FloatArray) -> FloatArray:
        return gravity.compute_tilted(situation, axes)

    def undo(corrections: Corrections, values: FloatArray) -> Corrections:
        return replace(corrections, machine=gravity.tilt_gravity(corrections.machine, values @ axes))

    return EstimatedEffect(hypothesis.name, _split_parts(hypothesis), columns=columns, undo=undo)


def joint_places(hypothesis: Effect, machine: Machine) -> EstimatedEffect:
    """Return coordinates of all joints and zeros of the drives, as the error has them."""
    paths, count = list(geometry.name_places(machine).values()), len(machine.drives)

    def undo(corrections: Corrections, values: FloatArray) -> Corrections:
        changes = {path: float(value) for path, value in zip(paths, values, strict=False) if value}
        moved = corrections.machine.with_changes(changes) if changes else corrections.machine
        return replace(corrections, machine=moved, zero=corrections.zero + values[len(paths) :])

    def columns(situation: Situation, values: FloatArray) -> FloatArray:
        return geometry.compute_places(situation)

    entries = _split_parts(hypothesis)
    zeros = (
        replace(entries[len(paths) + i], symbol=geometry.name_offset(machine), limb=i, unit=drive.unit)
        for i, drive in enumerate(machine.drives)
    )
    return EstimatedEffect(
        hypothesis.name, (*entries[: len(entries) - count], *zeros), columns=columns, undo=undo
    )


def friction_by_position(hypothesis: Effect, struts: Sequence[int] | None = None) -> EstimatedEffect:
    """Return Coulomb friction along the travel: of some drives (from 0) each its own, of all in common unless named.

    From home, where the file's law holds.
    """
    scale, count = hypothesis.scale, len(hypothesis.members)
    entries = (
        (_build_parameter(hypothesis, hypothesis.common, float(scale[0])),)
        if struts is None
        else tuple(
            _build_parameter(hypothesis, hypothesis.members[k], float(scale[k]), limb=k) for k in struts
        )
    )
    # which parameter is whose, (n, q)
    share = np.ones((count, 1)) if struts is None else np.eye(count)[:, list(struts)]

    def columns(situation: Situation, values: FloatArray) -> FloatArray:
        own = friction.with_position(situation, situation.machine.home)
        return diagonal(situation.rows.in_band(own)) @ share

    def added(situation: Situation, values: FloatArray) -> FloatArray:
        return friction.with_position(situation, situation.machine.home) * (share @ values)

    return EstimatedEffect(entries[0].name, entries, columns=columns, added=added)


def friction_by_load(hypothesis: Effect) -> EstimatedEffect:
    """Coulomb friction per axial load of the bodies as they are estimated."""

    def columns(situation: Situation, values: FloatArray) -> FloatArray:
        return hypothesis.columns(situation)

    def added(situation: Situation, values: FloatArray) -> FloatArray:
        return friction.with_load(situation) * values[0]

    entry = _build_parameter(hypothesis, hypothesis.name, float(hypothesis.scale[0]))
    return EstimatedEffect(entry.name, (entry,), columns=columns, added=added)


def compliance(hypotheses: Sequence[Effect]) -> EstimatedEffect:
    """Of all drives of a unit, between encoder and platform, under the bodies' force as they are estimated."""
    entries = tuple(_build_parameter(one, one.name, float(one.scale[0])) for one in hypotheses)

    def differentiated(situation: Situation, values: FloatArray) -> FloatArray:
        return geometry.differentiate_compliance(situation, group_drives(situation.machine) @ values)

    def columns(situation: Situation, values: FloatArray) -> FloatArray:
        each = geometry.compute_compliance_columns_at
        groups = group_drives(situation.machine)
        return np.concatenate([each(situation, groups @ values, group) for group in groups.T], axis=2)

    def known(situation: Situation, values: FloatArray) -> FloatArray:
        return situation.rows.thin_in_band(differentiated(situation, values))

    def added(situation: Situation, values: FloatArray) -> FloatArray:
        return situation.at_all_samples(differentiated(situation, values))

    return EstimatedEffect(geometry.COMPLIANCE, entries, columns=columns, known=known, added=added)


def of_basis(hypothesis: Effect, drives: Sequence[int] | None = None) -> EstimatedEffect:
    """Return what the model's basis has; of some drives (from 0) where each has its own."""
    if drives is None:
        return EstimatedEffect(hypothesis.name, _split_parts(hypothesis), directions=hypothesis.directions)
    entries = tuple(
        _build_parameter(hypothesis, hypothesis.members[k], float(hypothesis.scale[k]), limb=k)
        for k in drives
    )
    directions = np.asarray(hypothesis.directions)[:, list(drives)]
    return EstimatedEffect(hypothesis.name, entries, directions=directions)


def linear(hypothesis: Effect, drives: Sequence[int], name: str) -> EstimatedEffect:
    """Return an error of some drives (from 0), of which columns are the same at any estimate."""
    chosen = list(drives)
    entries = tuple(
        _build_parameter(hypothesis, hypothesis.members[k], float(hypothesis.scale[k]), limb=k)
        for k in chosen
    )

    def columns(situation: Situation, values: FloatArray) -> FloatArray:
        return hypothesis.columns(situation)[:, :, chosen]

    return EstimatedEffect(name, entries, columns=columns)


def near_standstill(machine: Machine, drives: Sequence[int], name: str) -> EstimatedEffect:
    """Return breakaway above Coulomb friction of some drives (from 0), of a Stribeck rate as the search begins with."""
    sizes, rates = typical_force(machine), friction.STRIBECK_RATES[1] * friction.rates_of(machine)
    entries = tuple(
        Parameter(
            f"friction_stribeck_{machine.drives[k].label}", machine.drives[k].force_unit, Kind.EFFECT, "strut", 0.0,
            LOSS * float(sizes[k]), symbol="friction_stribeck", limb=k,
        )
        for k in drives
    )  # fmt: skip

    def columns(situation: Situation, values: FloatArray) -> FloatArray:
        shape = situation.transition * np.exp(-((situation.rows.motion.rate / rates) ** 2))
        return diagonal(situation.rows.in_band(shape))[:, :, list(drives)]

    return EstimatedEffect(name, entries, columns=columns)


def transition(machine: Machine) -> EstimatedEffect:
    """Return the rate at which friction has its transition, which the law of drives of one unit has in common."""
    shares = _share_rates(machine, "transition_rate")
    entries = _list_rates(machine, "friction_transition", "transition_rate")

    def undo(corrections: Corrections, values: FloatArray) -> Corrections:
        return _replace_law(corrections, transition_rate=shares @ values)

    def columns(situation: Situation, values: FloatArray) -> FloatArray:
        return _differentiate_rates(situation, "transition_rate", shares, values)

    return EstimatedEffect("friction_transition", entries, columns=columns, undo=undo, positive=entries)


def efficiency(machine: Machine) -> EstimatedEffect:
    """Of the screws, in both directions of power alike; of a machine whose screws have one efficiency.

    With eta_0 the file's, the screw loses (eta_0 - eta) |F| more, against the motion: linear in eta. A factor that both
    directions had in common would be one of the forces, which no motion shows.

    Raises
    ------
    SettingsError
        If the drives are no such screws.
    """
    screws = [actuator for actuator in machine.actuators or () if isinstance(actuator, Screw)]
    efficiencies = {screw.efficiency for screw in screws}
    if not screws or len(screws) < len(machine.drives) or len(efficiencies) > 1:
        raise SettingsError(
            f"also 'efficiency': machine '{machine.name}' has no drives of type 'screw' with one efficiency"
        )
    entry = _number("efficiency", "", efficiencies.pop(), LOSS)
    transition_rate, viscous, coulomb, forward, back = np.array(
        [
            (
                screw.friction.transition_rate,
                screw.friction.viscous,
                screw.friction.coulomb,
                screw.efficiency - 1.0,
                1.0 / screw.back_efficiency - 1.0,
            )
            for screw in screws
        ]
    ).T

    def lost(situation: Situation) -> FloatArray:
        rows = situation.rows
        rate = rows.motion.rate
        side = np.clip(rate / transition_rate, -1.0, 1.0)
        # what was measured, before the file's losses were taken from it
        before = rows.force + viscous * rate + coulomb * side
        driving = side * np.sign(before)
        before = before / (1.0 + np.where(driving >= 0.0, forward, -back) * driving)
        return -side * np.abs(before)

    def columns(situation: Situation, values: FloatArray) -> FloatArray:
        return situation.rows.in_band(lost(situation))[:, :, None]

    def added(situation: Situation, values: FloatArray) -> FloatArray:
        return lost(situation) * (values[0] - entry.nominal)

    return EstimatedEffect(entry.name, (entry,), columns=columns, added=added)


def presliding(machine: Machine) -> EstimatedEffect:
    """Return bristles for the friction transition: displacement, each strut's damping over stiffness, and a share.

    Drives of one unit have the displacement in common. The share is how much of the transition they replace: 1 where
    struts give elastically, 0 where the law is right, which no displacement is. Without it a right log could not be
    fitted.
    """
    damping, count = name_drives("friction_presliding_damping", machine), len(machine.drives)
    shares = _share_rates(machine, "transition_rate")
    displacements = tuple(
        replace(
            entry,
            unit=entry.unit.removesuffix("/s"),
            nominal=friction.PRESLIDING[1] * entry.nominal,
            scale=friction.PRESLIDING[-1] * entry.nominal,
        )
        for entry in _list_rates(machine, "friction_presliding", "transition_rate")
    )
    groups = len(displacements)
    entries = (
        *displacements,
        *(
            Parameter(
                name,
                "s",
                Kind.EFFECT,
                "strut",
                0.0,
                BRISTLE_TIME,
                symbol="friction_presliding_damping",
                limb=i,
            )
            for i, name in enumerate(damping)
        ),
        _number("friction_presliding_share", "", 0.0, 1.0),
    )

    def bristles(situation: Situation, displacement: FloatArray, damping: FloatArray) -> FloatArray:
        return friction.with_bristles(situation, shares @ displacement, damping)

    def of_all(situation: Situation, values: FloatArray) -> FloatArray:
        return bristles(situation, values[:groups], values[groups:-1])

    def added(situation: Situation, values: FloatArray) -> FloatArray:
        return values[-1] * of_all(situation, values)

    def known(situation: Situation, values: FloatArray) -> FloatArray:
        return situation.rows.in_band(added(situation, values))

    def columns(situation: Situation, values: FloatArray) -> FloatArray:
        by_displacement = []
        for step in STEP * values[:groups] * np.eye(len(values))[:groups, :groups]:
            whole = np.concatenate([step, np.zeros(len(values) - groups)])
            change = added(situation, values + whole) - added(situation, values - whole)
            by_displacement.append(change / (2.0 * step.sum()))
        by_damping = bristles(situation, values[:groups], np.ones(count))
        by_damping -= bristles(situation, values[:groups], np.zeros(count))
        in_band = situation.rows.in_band
        return np.concatenate(
            [
                *(in_band(each)[:, :, None] for each in by_displacement),
                diagonal(in_band(values[-1] * by_damping)),
                in_band(of_all(situation, values))[:, :, None],
            ],
            axis=2,
        )

    return EstimatedEffect(
        "friction_presliding", entries, columns=columns, known=known, added=added, positive=displacements
    )


def stribeck(machine: Machine) -> EstimatedEffect:
    """Return breakaway less Coulomb friction, relative, and the rate at which it has fallen; the law has both."""
    shares = _share_rates(machine, "stribeck_rate")
    rates = _list_rates(machine, "friction_stribeck_rate", "stribeck_rate")
    entries = (_number("friction_stribeck", "", 0.0, EXCESS), *rates)

    def undo(corrections: Corrections, values: FloatArray) -> Corrections:
        return _replace_law(
            corrections, static_ratio=1.0 + float(values[0]), stribeck_rate=shares @ values[1:]
        )

    def columns(situation: Situation, values: FloatArray) -> FloatArray:
        ratio = 1.0 + float(values[0])
        by_ratio = friction.other_law(situation, static_ratio=(ratio + STEP) / ratio) / STEP
        by_rates = _differentiate_rates(situation, "stribeck_rate", shares, values[1:])
        return np.concatenate([by_ratio, by_rates], axis=2)

    return EstimatedEffect(entries[0].name, entries, columns=columns, undo=undo, positive=rates)


def _share_rates(machine: Machine, number: str) -> FloatArray:
    """Return a rate of the friction law of each drive per rate of the first drive of its unit, (n, units)."""
    rates = np.array([one.parameter(number)[0] for one in machine.friction])
    first = rates[[drive for _, drive in name_units(machine)]]
    return group_drives(machine) * rates[:, None] / first


def _list_rates(machine: Machine, name: str, number: str) -> tuple[Parameter, ...]:
    """Return a rate of the friction law as a parameter: of the first drive of each unit."""
    found = []
    for ending, first in name_units(machine):
        rate = float(machine.friction[first].parameter(number)[0])
        found.append(_number(name + ending, f"{machine.drives[first].unit}/s", rate, rate))
    return tuple(found)


def _differentiate_rates(
    situation: Situation, number: str, shares: FloatArray, values: FloatArray
) -> FloatArray:
    """Return what a unit of each unit's rate of the friction law adds, by differences, (K, n, units)."""
    return np.concatenate(
        [
            friction.other_law(situation, **{number: np.where(share > 0.0, 1.0 + STEP, 1.0)}) / (STEP * value)
            for share, value in zip(shares.T, values, strict=True)
        ],
        axis=2,
    )


def _replace_law(corrections: Corrections, **values: float | FloatArray) -> Corrections:
    machine = corrections.machine
    return replace(
        corrections, machine=machine.with_friction(Friction.join(machine.friction).changed(**values))
    )


def _undo(corrections: Corrections, values: FloatArray, hypothesis: Effect, drives: list[int]) -> Corrections:
    attribute, joined = _find_correction(hypothesis)
    corrected = getattr(corrections, attribute).copy()
    corrected[drives] = joined(corrected[drives], values)
    changed: dict[str, Any] = {attribute: corrected}
    return replace(corrections, **changed)


def _build_parameter(hypothesis: Effect, name: str, scale: float, limb: int | None = None) -> Parameter:
    body = "machine" if limb is None else "strut"
    return Parameter(
        name,
        hypothesis.unit_of(limb or 0),
        Kind.EFFECT,
        body,
        hypothesis.offset,
        scale,
        symbol=hypothesis.name,
        limb=limb,
    )


def _split_parts(hypothesis: Effect) -> tuple[Parameter, ...]:
    return tuple(
        _build_parameter(hypothesis, part, float(scale))
        for part, scale in zip(hypothesis.parts, hypothesis.scale, strict=True)
    )


def _number(name: str, unit: str, nominal: float, scale: float) -> Parameter:
    return Parameter(name, unit, Kind.EFFECT, "machine", nominal, scale)
