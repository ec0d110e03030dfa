# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A part of the platform's load that swings: on a spring, in a tank, on a cable."""

from __future__ import annotations

from functools import partial

import numpy as np

from pkm_identification.machines.capabilities import PlatformPose, has
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rows import segment_slices

from ..effect import Effect
from ..situation import Situation
from . import outside_forces

NAME = "platform_resonance"
LARGE = 0.02  # of a typical force


def compute_resonances(situation: Situation, frequency: float, damping: float) -> FloatArray:
    """Return what a kilogram that swings along each coordinate of the platform adds to one that does not, (K, n, w).

    Parameters
    ----------
    situation : Situation
    frequency : float
        Hz.
    damping : float
        Over the critical one.
    """
    # loads scipy.stats, a second of each command: only what is wrong needs it
    from scipy.signal import cont2discrete, lfilter

    rows = situation.rows
    levers = outside_forces.find_levers(situation)
    acceleration = situation.keep(_compute_accelerations)
    rate, period = 2.0 * np.pi * frequency, rows.step * rows.band.period
    swing = [1.0, 0.0, 0.0], [1.0, 2.0 * damping * rate, rate**2]
    above, below, _ = cont2discrete(swing, period, method="foh")  # type: ignore[call-overload]
    relative = np.zeros_like(acceleration)
    for part in segment_slices(rows.thin_segment):
        relative[part] = lfilter(above.ravel(), below, acceleration[part], axis=0)
    return rows.thin_in_band(levers[:, :, : relative.shape[1]] * relative[:, None, :])


def _compute_accelerations(situation: Situation) -> FloatArray:
    """Return accelerations along the translations of the platform, its outputs or its end on the thin grid, (n, w)."""
    machine, rows = situation.machine, situation.rows
    if has(machine, PlatformPose):
        return machine.compute_twist(rows.thin_motion)[1][:, :3]
    velocity = outside_forces.find_rates(situation)
    found = np.zeros_like(velocity)
    for part in segment_slices(rows.thin_segment):
        if part.stop - part.start > 1:
            found[part] = np.gradient(velocity[part], rows.step * rows.band.period, axis=0)
    return found


def _find_heaviest(machine: Machine) -> float:
    """Return what all bodies of a machine together may weigh by its file, kg: no part of them is heavier."""
    masses = [body.mass for body in machine.knowledge.bodies]
    return sum(
        one.value + one.width if one.log_width is None else one.value * float(np.exp(one.log_width))
        for one in masses
    )


def build_effect(machine: Machine, frequency: float, damping: float) -> Effect:
    """Return the effect of a load that swings with a frequency in Hz and a damping over the critical one."""
    axes, turning = outside_forces.list_axes(machine)
    if has(machine, PlatformPose):
        axes, turning = axes[:3], turning[:3]
    return Effect(
        NAME, "wrench", "", partial(compute_resonances, frequency=frequency, damping=damping), np.ones(len(axes)),
        f"Look for a part of the load that swings at {frequency:.2g} Hz", linear=True,
        parts=tuple(f"{NAME}_{axis}" for axis in axes),
        units=tuple(f"{'kg m^2' if one else 'kg'} at {frequency:.2g} Hz" for one in turning), of_motion=LARGE,
        least=0.0, largest=_find_heaviest(machine) * (machine.size**2 if any(turning) else 1.0),
    )  # fmt: skip
