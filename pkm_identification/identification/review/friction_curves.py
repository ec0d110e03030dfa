# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of the drives over their rate: what is left of the measured force, next to the identified law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.input_validation import ValidatedLog

from ..regression.friction import DriveFriction
from ..samples import Samples

MOST = 20_000  # samples: bins of some hundreds each
BINS = 40  # finer towards standstill, where friction changes
FEWEST = 5  # samples of a bin


@dataclass(frozen=True)
class FrictionCurve:
    """Friction of one drive in bins of its rate, slowest first.

    Attributes
    ----------
    strut : int
        From 0.
    rate : ndarray, shape (K,)
        Mean of each bin, m/s or rad/s.
    measured, spread : ndarray, shape (K,)
        Mean and standard deviation of the measured force less what the estimate says of everything but the
        drive's friction, N or N m.
    law : ndarray, shape (K,)
        Mean of the identified friction over the same samples, N or N m.
    """

    strut: int
    rate: FloatArray
    measured: FloatArray
    spread: FloatArray
    law: FloatArray


def friction_curves(
    machine: Machine,
    parameters: ParameterSet,
    values: FloatArray,
    logs: Sequence[ValidatedLog],
    samples: Sequence[Samples],
) -> tuple[FrictionCurve, ...]:
    """One curve a drive; of a set without friction of the drives, none.

    Parameters
    ----------
    machine : Machine
    parameters : ParameterSet
    values : ndarray, shape (P,)
    logs, samples : sequences of equal length
        Guarded logs, and what is left of each behind the zero-phase filter.
    """
    if not any(entry.kind.friction and entry.limb is not None for entry in parameters.entries):
        return ()
    own = slice(0, len(machine.basis))  # behind it is what was estimated besides
    basis = (parameters.mapping @ values + parameters.known)[own, None]
    friction = DriveFriction.of(machine, basis)
    every = max(1, sum(map(len, samples)) // MOST)
    rates, left, laws = [], [], []
    for log, one in zip(logs, samples, strict=True):
        motion = one.motion[::every]
        if len(motion) == 0 or log.force is None:
            continue
        law = np.zeros((*motion.rate.shape, 1))
        friction.add(motion.rate, law)
        rates.append(motion.rate)
        rigid = machine.compute_regressor(motion, basis)[:, :, 0]
        left.append(log.force[np.searchsorted(log.time, one.time[::every])] - rigid)
        laws.append(law[:, :, 0])
    if not rates:
        return ()
    rate, force, law = (np.concatenate(part) for part in (rates, left, laws))
    return tuple(_compute_curve(i, rate[:, i], force[:, i], law[:, i]) for i in range(rate.shape[1]))


def _compute_curve(strut: int, rate: FloatArray, force: FloatArray, law: FloatArray) -> FrictionCurve:
    side = np.linspace(-1.0, 1.0, BINS + 1)
    edges = np.sign(side) * side**2 * float(np.abs(rate).max(initial=1e-9))
    index = np.clip(np.searchsorted(edges, rate, side="right") - 1, 0, BINS - 1)
    count = np.bincount(index, minlength=BINS)
    full = count >= FEWEST

    def mean(part: FloatArray) -> FloatArray:
        return np.bincount(index, part, BINS)[full] / count[full]

    middle = mean(force)
    spread = np.sqrt(np.maximum(mean(force**2) - middle**2, 0.0))
    return FrictionCurve(strut, mean(rate), middle, spread, mean(law))
