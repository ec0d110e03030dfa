# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Friction that the machine file's law leaves out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from pkm_identification.mechanisms.friction import friction_columns
from pkm_identification.mechanisms.hexapod.kinematics import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.segments import segment_slices
from pkm_identification.parameters.parameter_set import ParameterSet

from ..situation import Situation, own_strut
from .hypothesis import Effect, numbered, repeated

TRANSITIONS = (0.2, 0.5, 2.0, 4.0, 8.0)  # of the law's transition rate
LEAST_BEND, LEAST_WAY = 0.05, 1e-3  # of it, and of the way to another one
STRIBECK_RATES = (0.003, 0.01, 0.03)  # m/s
PRESLIDING = (3e-6, 1e-5, 3e-5, 1e-4)  # m
ASYMMETRY = 0.1
BY_LOAD = 0.02  # N of friction per N of load
BY_POSITION = 0.1  # over the strut's travel in the log


def bend(situation: Situation, **changes: float) -> FloatArray:
    """The law's reversing term at every sample, (N, 6), with some of its parameters changed."""
    if not changes:
        return situation.bend
    friction = situation.friction.changed(**changes)
    return friction_columns(situation.rows.struts.rate, friction)[friction.law.reversing_term]


def _together(situation: Situation, shape: FloatArray) -> FloatArray:
    """One column: the shape (N, 6) times each strut's Coulomb friction."""
    return situation.rows.in_band(shape * situation.coulomb)[:, :, None]


def other_law(situation: Situation, **changes: float) -> FloatArray:
    """What other parameters of the friction law would change, by their names."""
    return _together(situation, bend(situation, **changes) - bend(situation))


def bent_at(situation: Situation, value: float, factor: float) -> FloatArray:
    """What a bend somewhere on the way to a factor of the law's transition rate changes, over how far on it."""
    rate = situation.friction.transition_rate
    # of none of the way the change is none
    value = value if abs(value) > LEAST_WAY else LEAST_WAY
    on_the_way = rate * max(1.0 + value * (factor - 1.0), LEAST_BEND)
    part = (on_the_way / rate - 1.0) / (factor - 1.0)
    return other_law(situation, transition_rate=on_the_way) / part


def stribeck(situation: Situation, rate: float) -> FloatArray:
    """Breakaway above Coulomb friction by 100 %, with that Stribeck rate in m/s."""
    speed = situation.rows.struts.rate
    return _together(situation, bend(situation) * np.exp(-((speed / rate) ** 2)))


def presliding(situation: Situation, displacement: float) -> FloatArray:
    """Dahl's bristles of that displacement in m in place of the law's bend (Canudas de Wit 1995, without Stribeck)."""
    return _together(situation, deflection(situation, displacement) - bend(situation))


def deflection(situation: Situation, displacement: float, damping: FloatArray | None = None) -> FloatArray:
    """Force of bristles over that of full sliding, at every sample, (N, 6): z + s1/s0 z'.

    Parameters
    ----------
    situation : Situation
    displacement : float
        m, of full sliding.
    damping : ndarray, shape (6,), optional
        The bristles' damping over their stiffness, s (s1/s0 of Canudas de Wit 1995).
    """
    struts = situation.rows.struts
    bent = np.zeros_like(struts.rate)
    for part in segment_slices(struts.segment):
        own = bent[part]
        _deflect(struts.length[part], displacement, own)
        if damping is not None and len(own) > 1:
            own += damping / situation.rows.band.period * np.gradient(own, axis=0)
    return bent


def with_bristles(situation: Situation, displacement: float, damping: FloatArray) -> FloatArray:
    """What such bristles in place of the law's bend add at every sample, N, (N, 6)."""
    return (deflection(situation, displacement, damping) - bend(situation)) * situation.coulomb


def asymmetric(situation: Situation) -> FloatArray:
    """Coulomb friction that is larger by its whole size moving out, smaller moving in; each strut's own."""
    return own_strut(situation.rows.in_band(np.abs(bend(situation)) * situation.coulomb))


def with_load(situation: Situation) -> FloatArray:
    """Coulomb friction of one newton per newton of the strut's axial load, at every sample, N, (N, 6)."""
    return bend(situation) * np.abs(situation.at_all_samples(situation.rigid))


def with_position(situation: Situation) -> FloatArray:
    """Coulomb friction that grows by its whole size per metre of length from home, at every sample, N/(1/m), (N, 6)."""
    machine = situation.machine
    home = strut_lengths(machine, machine.home_position[None], machine.home_rotation[None])[0]
    return bend(situation) * (situation.rows.struts.length - home) * situation.coulomb


def by_load(situation: Situation) -> FloatArray:
    """Coulomb friction of one newton per newton of the strut's axial load."""
    return situation.rows.in_band(with_load(situation))[:, :, None]


def by_position(situation: Situation) -> FloatArray:
    """Coulomb friction that grows by its whole size per metre of length; each strut's own."""
    return own_strut(situation.rows.in_band(with_position(situation)))


def effects(machine: Machine, parameters: ParameterSet | None = None) -> list[Effect]:
    """Laws that the file's leaves out; none without a term that reverses.

    Those whose one number a parameter set estimates are left out: their columns are made for few values of it, and
    what a column of another value adds to the slope at the estimated one is no evidence of that value.
    """
    law = machine.friction.law
    if law.reversing is None:
        return []
    standstill = "friction near standstill"
    effects: list[Effect] = []
    estimated = () if parameters is None else parameters.names

    def add(
        name: str, family: str, unit: str, columns: Callable, scale: FloatArray, cure: str, **more
    ) -> None:
        effects.append(Effect(name, family, unit, columns, scale, cure, **more))

    rate = machine.friction.transition_rate
    for factor in () if "friction_transition" in estimated else TRANSITIONS:
        add(
            "friction_transition",
            standstill,
            "m/s",
            partial(other_law, transition_rate=factor * rate),
            repeated(1.0, 1),
            "Set friction.transition_rate to that, or estimate it with --also {name}",
            reading=partial(_between, rate, factor * rate),
            at=partial(bent_at, factor=factor),
        )
    if "static_ratio" not in (parameter.name for parameter in law.parameters):
        for stribeck_rate in STRIBECK_RATES:
            add(
                "friction_stribeck",
                standstill,
                "",
                partial(stribeck, rate=stribeck_rate),
                repeated(0.5, 1),
                f"Use friction.law: stribeck, with a stribeck_rate near {stribeck_rate:g} m/s, or --also {{name}}",
            )
    for displacement in () if "friction_presliding" in estimated else PRESLIDING:
        add(
            "friction_presliding",
            standstill,
            "m",
            partial(presliding, displacement=displacement),
            repeated(1.0, 1),
            f"Struts give elastically by about {1e6 * displacement:.0f} um before they slide: move faster, leave out "
            "slow reversals, or estimate it with --also {name}",
            reading=partial(_displacement, displacement),
            positive=True,
        )
    if not any(c.within for c in law.coefficients):
        add(
            "friction_asymmetric",
            "offset",
            "",
            asymmetric,
            repeated(ASYMMETRY),
            "Use friction.law: asymmetric, or --also {name}",
            members=numbered("friction_asymmetric"),
            common="friction_asymmetric",
        )
    add(
        "friction_load",
        "friction",
        "",
        by_load,
        repeated(BY_LOAD, 1),
        "Friction grows with the strut's load: no law of the file has that; identify it from logs of one payload, or "
        "estimate it with --also {name}",
    )
    add(
        "friction_position",
        "friction",
        "1/m",
        by_position,
        repeated(BY_POSITION / max(float(np.ptp(machine.length_limits)), 1e-9)),
        "Friction changes along the screw: keep to the part of the travel that is used, or estimate it with "
        "--also {name}",
        members=numbered("friction_position"),
        common="friction_position",
    )
    return effects


def _between(one: float, other: float, value: float, std: float) -> tuple[float, float]:
    """A rate between two, by how much of the change from the one to the other was found."""
    return one + value * (other - one), std * abs(other - one)


def _displacement(displacement: float, value: float, std: float) -> tuple[float, float]:
    """The displacement of which the whole effect was found; its deviation is the grid's."""
    return displacement, 0.5 * displacement


@kernel
def _deflect(length, displacement, deflection):
    """Deflection of the bristles over that of full sliding, (n, 6): from rest, exact between samples."""
    for i in range(length.shape[1]):
        for n in range(1, length.shape[0]):
            step = length[n, i] - length[n - 1, i]
            direction = 1.0 if step > 0.0 else -1.0
            kept = np.exp(-abs(step) / displacement)
            deflection[n, i] = direction + (deflection[n - 1, i] - direction) * kept
