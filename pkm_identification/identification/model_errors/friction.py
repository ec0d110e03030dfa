# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction that the machine file's law leaves out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from pkm_identification.machines.contract import Drive, Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.rows import segment_slices
from pkm_identification.parameters.parameter_set import ParameterSet

from .effect import (
    Columns,
    Effect,
    group_drives,
    name_drives,
    name_units,
    repeat_prior,
    typical_force,
    units_of_drives,
)
from .situation import Situation, diagonal

TRANSITIONS = (0.2, 0.5, 2.0, 4.0, 8.0)  # of the law's transition rate
STRIBECK_RATES = (1.5, 5.0, 15.0)  # of the transition rate
BREAKAWAY_RATES = 0.05, 0.15, 0.45  # of a drive's rms rate in the motion
BREAKAWAY = 0.003  # of a typical force
PRESLIDING = (1.5e-3, 5e-3, 1.5e-2, 5e-2)  # s at the transition rate: the displacement of full sliding
ASYMMETRY = 0.1
BY_LOAD = 0.02  # N of friction per N of load
BY_POSITION = 0.1  # over a drive's travel
DRIVEN = {"m": "Struts", "rad": "Joints", "": "Drives"}  # by the unit of all
SQUARE, FAST = 0.1, 50.0  # of a typical force, at so many transition rates


def rates_of(machine: Machine) -> FloatArray:
    """Return the transition rates of the drives' friction, (n,)."""
    return np.array([one.transition_rate for one in machine.friction])


def _sum_columns(situation: Situation, shape: FloatArray) -> FloatArray:
    """Return one column: the shape (N, n) times each drive's Coulomb friction."""
    return situation.rows.in_band(shape * situation.coulomb)[:, :, None]


def _split_by_unit(columns: Columns, situation: Situation) -> FloatArray:
    """Return a column of the drives of each unit: rates of slides and of what turns are no one number."""
    return columns(situation) * group_drives(situation.machine)


def other_law(situation: Situation, **factors: float | FloatArray) -> FloatArray:
    """Return what other parameters of the friction laws would change, by their names: each by a factor, or (n,)."""
    changed = [
        one.changed(
            **{
                name: np.broadcast_to(factor, len(situation.friction))[i] * one.parameter(name)
                for name, factor in factors.items()
            }
        )
        for i, one in enumerate(situation.friction)
    ]
    return _sum_columns(situation, situation.transition_of(changed) - situation.transition)


def stribeck(situation: Situation, factor: float) -> FloatArray:
    """Return a breakaway above Coulomb friction by 100 %, of a Stribeck rate of so many transition rates."""
    relative = situation.rows.motion.rate / (factor * rates_of(situation.machine))
    return _sum_columns(situation, situation.transition * np.exp(-(relative**2)))


def breakaway(situation: Situation, share: float) -> FloatArray:
    """Return a unit of force at standstill, of a Stribeck rate that is a share of the rms rate; each drive's own."""
    rate = situation.rows.motion.rate
    relative = rate / (share * np.maximum(np.sqrt(np.mean(rate**2, axis=0)), 1e-300))
    return diagonal(situation.rows.in_band(situation.transition * np.exp(-(relative**2))))


def presliding(situation: Situation, time: float) -> FloatArray:
    """Return Dahl's bristles in place of the law's transition (Canudas de Wit 1995, without Stribeck)."""
    displacement = time * rates_of(situation.machine)
    return _sum_columns(situation, deflection(situation, displacement) - situation.transition)


def deflection(
    situation: Situation, displacement: FloatArray, damping: FloatArray | None = None
) -> FloatArray:
    """Return the force of bristles over that of full sliding, at every sample, (N, n): z + s1/s0 z'.

    Parameters
    ----------
    situation : Situation
    displacement : ndarray, shape (n,)
        Of full sliding, in the drives' units.
    damping : ndarray, shape (n,), optional
        The bristles' damping over their stiffness, s (s1/s0 of Canudas de Wit 1995).
    """
    motion = situation.rows.motion
    bent = np.zeros_like(motion.rate)
    for part in segment_slices(situation.rows.samples.segment):
        own = bent[part]
        _write_deflection(np.ascontiguousarray(motion.coordinate[part]), displacement, own)
        if damping is not None and len(own) > 1:
            own += damping / situation.rows.band.period * np.gradient(own, axis=0)
    return bent


def with_bristles(situation: Situation, displacement: FloatArray, damping: FloatArray) -> FloatArray:
    """Return what such bristles in place of the law's transition add at every sample, (N, n)."""
    return (deflection(situation, displacement, damping) - situation.transition) * situation.coulomb


def asymmetric(situation: Situation) -> FloatArray:
    """Return Coulomb friction that is larger by its whole size moving out, smaller moving in; each drive's own."""
    return diagonal(situation.rows.in_band(np.abs(situation.transition) * situation.coulomb))


def with_load(situation: Situation) -> FloatArray:
    """Return Coulomb friction of one newton per newton of the drive's load, at every sample, (N, n)."""
    return situation.transition * np.abs(situation.at_all_samples(situation.rigid))


def with_position(situation: Situation, zero: FloatArray) -> FloatArray:
    """Return Coulomb friction that grows by its whole size per unit of way from coordinates (n,), at samples (N, n)."""
    way = situation.rows.motion.coordinate - zero
    return situation.transition * way * situation.coulomb


def by_load(situation: Situation) -> FloatArray:
    """Return Coulomb friction of one newton per newton of the drive's load."""
    return situation.rows.in_band(with_load(situation))[:, :, None]


def by_position(situation: Situation) -> FloatArray:
    """Return Coulomb friction that grows by its whole size per unit of coordinate; each drive's own.

    From the middle of the motion: what is constant stays the drive's friction there, wherever home is.
    """
    return diagonal(situation.rows.in_band(with_position(situation, situation.middle)))


def with_square(situation: Situation) -> FloatArray:
    """Return friction that grows with the square of the rate; each drive's own."""
    rate = situation.rows.motion.rate
    return diagonal(situation.rows.in_band(rate * np.abs(rate)))


def with_sides(situation: Situation) -> FloatArray:
    """Return viscous friction that is larger moving out, smaller moving in; each drive's own."""
    return diagonal(situation.rows.in_band(np.abs(situation.rows.motion.rate)))


def effects(machine: Machine, parameters: ParameterSet | None = None) -> list[Effect]:
    """Laws that the file's leaves out; none without a term that reverses.

    Those whose one number a parameter set estimates are left out: their columns are made for few values of it, and
    what a column of another value adds to the slope at the estimated one is no evidence of that value.
    """
    laws = [one.law for one in machine.friction]
    if any(law.reversing is None for law in laws):
        return []
    count = len(machine.drives)
    # one rate in one unit can be told as such; else it is told in units of each drive's own
    rates, units = rates_of(machine), {drive.unit for drive in machine.drives}
    alike = len(units) == 1 and np.ptp(rates) == 0.0
    rate, unit = (float(rates[0]), units.pop()) if alike else (1.0, "")
    standstill = "friction near standstill"
    ends = [end for end, _ in name_units(machine)]
    effects: list[Effect] = []
    estimated = () if parameters is None else parameters.names

    def add(
        name: str, family: str, unit: str, columns: Callable, scale: FloatArray, correction: str, **more
    ) -> None:
        parts = tuple(f"{name}{end}" for end in ends) if len(scale) > 1 and "members" not in more else ()
        effects.append(Effect(name, family, unit, columns, scale, correction, parts=parts, **more))

    for factor in () if "friction_transition" in estimated else TRANSITIONS:
        add(
            "friction_transition",
            standstill,
            f"{unit}/s" if unit else "",
            partial(_split_by_unit, partial(other_law, transition_rate=factor)),
            repeat_prior(1.0, len(ends)),
            "Set friction.transition_rate to that, or estimate it with --also {name}",
            reading=partial(_interpolate_rate, rate, factor * rate),
        )
    if not any(parameter.name == "static_ratio" for law in laws for parameter in law.parameters):
        for factor in STRIBECK_RATES:
            add(
                "friction_stribeck",
                standstill,
                "",
                partial(_split_by_unit, partial(stribeck, factor=factor)),
                repeat_prior(0.5, len(ends)),
                f"Use friction.law: stribeck, with a stribeck_rate near {factor * rate:g} "
                + (f"{unit}/s" if unit else "transition rates")
                + ", or --also {name}",
            )
        # a peak as wide as the motion is fast, and of one drive: it would be taken for that drive's Coulomb friction
        for share in BREAKAWAY_RATES:
            effects.append(
                Effect(
                    name="friction_stribeck",
                    family=standstill,
                    columns=partial(breakaway, share=share),
                    scale=repeat_prior(1.0, count),
                    correction="Use friction.law: stribeck, or --also {name}",
                    members=name_drives("friction_stribeck", machine),
                    of_motion=BREAKAWAY,
                    **units_of_drives(machine, "{force}"),  # type: ignore[arg-type]
                )
            )
    for time in () if "friction_presliding" in estimated else PRESLIDING:
        displacement = time * rate
        size = f" by about {1e6 * displacement:.0f} um" if unit == "m" else ""
        add(
            "friction_presliding",
            standstill,
            unit or "s",
            partial(_split_by_unit, partial(presliding, time=time)),
            repeat_prior(1.0, len(ends)),
            f"{DRIVEN[unit]} give elastically{size} before they slide: move faster, leave out slow reversals, or "
            "estimate it with --also {name}",
            reading=partial(_compute_displacement, displacement),
            positive=True,
        )
    if not any(c.within for law in laws for c in law.coefficients):
        add(
            "friction_asymmetric",
            "offset",
            "",
            asymmetric,
            repeat_prior(ASYMMETRY, count),
            "Use friction.law: asymmetric, or --also {name}",
            members=name_drives("friction_asymmetric", machine),
            common="friction_asymmetric",
            largest=1.0,
        )
    add(
        "friction_load",
        "friction",
        "",
        by_load,
        repeat_prior(BY_LOAD, 1),
        "Friction grows with a drive's load: no law of the file has that; identify it from logs of one payload, or "
        "estimate it with --also {name}",
        largest=1.0,
    )
    travel = np.array([_find_travel(drive) for drive in machine.drives])
    effects.append(
        Effect(
            name="friction_position",
            family="friction",
            columns=by_position,
            scale=BY_POSITION / travel,
            correction="Friction changes along the travel: keep to the part of it that is used, or estimate it with "
            "--also {name}",
            members=name_drives("friction_position", machine),
            common="friction_position" if unit else "",
            **units_of_drives(machine, "1/{coordinate}"),  # type: ignore[arg-type]
        )
    )
    effects.append(
        Effect(
            name="friction_sides",
            family="friction",
            columns=with_sides,
            scale=SQUARE * typical_force(machine) / (FAST * rates),
            correction="Viscous friction depends on the direction, as of cylinders with a rod on one side: no law of "
            "the file has that; estimate it with --also {name}",
            members=name_drives("friction_sides", machine),
            linear=True,
            **units_of_drives(machine, "{force} s/{coordinate}"),  # type: ignore[arg-type]
        )
    )
    effects.append(
        Effect(
            name="friction_square",
            family="friction",
            columns=with_square,
            scale=SQUARE * typical_force(machine) / (FAST * rates) ** 2,
            correction="Friction grows with the square of the rate: no law of the file has that; estimate it with "
            "--also {name}",
            members=name_drives("friction_square", machine),
            linear=True,
            **units_of_drives(machine, "{force} s^2/{coordinate}^2"),  # type: ignore[arg-type]
        )
    )
    return effects


def _find_travel(drive: Drive) -> float:
    """Return how far a drive travels: between its limits, or a large change to either side where it has none."""
    travel = drive.highest - drive.lowest
    return travel if np.isfinite(travel) else 2.0 * drive.size


def _interpolate_rate(one: float, other: float, value: float, std: float) -> tuple[float, float]:
    """Return a rate between two, by how much of the change from the one to the other was found."""
    return one + value * (other - one), std * abs(other - one)


def _compute_displacement(displacement: float, value: float, std: float) -> tuple[float, float]:
    """Return the displacement of which the whole effect was found; its deviation is the grid's."""
    return displacement, 0.5 * displacement


@kernel
def _write_deflection(coordinate, displacement, deflection):
    """Write the deflection of the bristles over that of full sliding, (N, n): from rest, exact between samples."""
    for i in range(coordinate.shape[1]):
        for n in range(1, coordinate.shape[0]):
            step = coordinate[n, i] - coordinate[n - 1, i]
            direction = 1.0 if step > 0.0 else -1.0
            kept = np.exp(-abs(step) / displacement[i])
            deflection[n, i] = direction + (deflection[n - 1, i] - direction) * kept
