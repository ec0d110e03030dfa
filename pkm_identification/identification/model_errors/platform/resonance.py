# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A part that swings: load on a spring, in a tank, on a cable, a frame that gives, or a drive's own load."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from pkm_identification.machines.capabilities import PlatformPose, has
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rows import segment_slices

from ..effect import Columns, Effect, name_drives
from ..situation import Situation
from . import outside_forces

NAME, OF_DRIVES = "platform_resonance", "drive_resonance"
LARGE = 0.02  # of a typical force
FINER = 4  # steps from one point of the thin grid to the next: straight between few points is another swing
FRAME = 10.0  # times what all bodies may weigh: what swings may be the frame or the floor below


def compute_resonances(situation: Situation, frequency: float, damping: float) -> FloatArray:
    """Return what a unit of inertia that swings adds to one that does not, (K, n, q).

    Along each of the coordinates of the platform, between two of them as of one way aslant, and along each drive's.

    Parameters
    ----------
    situation : Situation
    frequency : float
        Hz.
    damping : float
        Over the critical one.
    """
    of_drives = _compute_of_drives(situation, frequency, damping)
    if not outside_forces.list_axes(situation.machine)[0]:
        return of_drives
    return np.concatenate([_compute_of_platform(situation, frequency, damping), of_drives], axis=2)


def _compute_of_platform(situation: Situation, frequency: float, damping: float) -> FloatArray:
    levers = outside_forces.find_levers(situation)
    relative = _swing(situation, situation.keep(_compute_accelerations), frequency, damping)
    one, other = _pair_axes(outside_forces.list_axes(situation.machine)[1])
    aslant = levers[:, :, one] * relative[:, None, other] + levers[:, :, other] * relative[:, None, one]
    return situation.rows.thin_in_band(np.concatenate([levers * relative[:, None, :], aslant], axis=2))


def _pair_axes(turning: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first and the second of each pair of coordinates that both turn or both do not."""
    one, other = np.triu_indices(len(turning), 1)
    alike = turning[one] == turning[other]
    return one[alike], other[alike]


def _compute_of_drives(situation: Situation, frequency: float, damping: float) -> FloatArray:
    rows = situation.rows
    relative = _swing(situation, rows.thin_motion.acceleration, frequency, damping)
    return rows.thin_in_band(-relative[:, :, None] * np.eye(relative.shape[1]))


def _swing(situation: Situation, acceleration: FloatArray, frequency: float, damping: float) -> FloatArray:
    """Return how what swings is accelerated relative to where it hangs, (n, w), that having an acceleration (n, w)."""
    # loads scipy.stats, a second of each command: only what is wrong needs it
    from scipy.interpolate import CubicSpline
    from scipy.signal import cont2discrete, lfilter

    rows = situation.rows
    rate, period = 2.0 * np.pi * frequency, rows.step * rows.band.period / FINER
    swing = [1.0, 0.0, 0.0], [1.0, 2.0 * damping * rate, rate**2]
    above, below, _ = cont2discrete(swing, period, method="foh")  # type: ignore[call-overload]
    relative = np.zeros_like(acceleration)
    for part in segment_slices(rows.thin_segment):
        count = part.stop - part.start
        if count > 1:
            finer = CubicSpline(np.arange(count), acceleration[part])(
                np.arange(FINER * (count - 1) + 1) / FINER
            )
            relative[part] = lfilter(above.ravel(), below, finer, axis=0)[::FINER]
    return relative


def _compute_accelerations(situation: Situation) -> FloatArray:
    """Return accelerations along the platform's coordinates, its outputs or its end on the thin grid, (n, w)."""
    machine, rows = situation.machine, situation.rows
    if has(machine, PlatformPose):
        return machine.compute_twist(rows.thin_motion)[1]
    velocity = outside_forces.find_rates(situation)
    found = np.zeros_like(velocity)
    for part in segment_slices(rows.thin_segment):
        if part.stop - part.start > 1:
            found[part] = np.gradient(velocity[part], rows.step * rows.band.period, axis=0)
    return found


def _find_heaviest(machine: Machine) -> float:
    """Return what all bodies of a machine together may weigh by its file, kg."""
    masses = [body.mass for body in machine.knowledge.bodies]
    return sum(
        one.value + one.width if one.log_width is None else one.value * float(np.exp(one.log_width))
        for one in masses
    )


def build_effects(machine: Machine, frequency: float, damping: float) -> list[Effect]:
    """Return the effects of what swings with a frequency in Hz and a damping over the critical one."""
    axes, turning = outside_forces.list_axes(machine)
    drives = np.array([drive.unit == "rad" for drive in machine.drives])
    compute = partial(_compute_of_platform, frequency=frequency, damping=damping)
    compute_own = partial(_compute_of_drives, frequency=frequency, damping=damping)
    one, other = _pair_axes(turning)
    pairs = [f"{NAME}_{axes[j]}_{axes[k]}" for j, k in zip(one, other, strict=True)]
    straight = np.arange(len(axes) + len(pairs)) < len(axes)
    turns = np.concatenate([turning, turning[one]])
    kinds = [
        (NAME, compute, (*(f"{NAME}_{axis}" for axis in axes), *pairs), turns, straight),
        (OF_DRIVES, compute_own, name_drives(OF_DRIVES, machine), drives, np.ones(len(drives), dtype=bool)),
    ]
    heavy, made = FRAME * _find_heaviest(machine), []
    for name, columns, parts, turned, positive in kinds:
        for turn, signed in product((False, True), (False, True)):
            own = np.flatnonzero((turned == turn) & (positive != signed))
            unit, most = ("kg m^2", heavy * machine.size**2) if turn else ("kg", heavy)
            if len(own):
                effect = Effect(
                    name, "wrench", f"{unit} at {frequency:.2g} Hz", partial(_choose, columns, own), np.ones(len(own)),
                    f"Look for a part that swings at {frequency:.2g} Hz", linear=True,
                    parts=tuple(parts[k] for k in own), of_motion=LARGE, least=-most if signed else 0.0, largest=most,
                )  # fmt: skip
                made.append(effect)
    return made


def _choose(columns: Columns, own: NDArray[np.int64], situation: Situation) -> FloatArray:
    return columns(situation)[:, :, own]
