# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Coordinates in the columns of other drives: every order is tried on a few samples."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import LogError
from pkm_identification.estimation.lack_of_fit.evidence import Base
from pkm_identification.machines.contract import DEGRADED, Drive, Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.signals.zero_phase import filter_log

from ..experiment import Experiment
from ..model_errors.log_rows import DriveMotion
from ..regression.friction import DriveFriction
from .discrete_causes import BETTER, in_words
from .findings import Cause

MOST_EXCHANGED = 6  # drives: all their orders are tried
SPARSE = 60  # samples that tell which lengths are exchanged
IMPOSSIBLE = 0.1  # part of the samples without a pose: more is no order of this motion
MOST_FAILED = 0.5  # part of all samples without a pose: up to it, some others have one
ROUGH = 0.01  # of the rms force


@dataclass(frozen=True)
class LengthOrder:
    """Which recorded column holds the coordinate of each drive, and the part of the misfit that it explains."""

    drives: tuple[Drive, ...]
    column: tuple[int, ...]
    explains: float

    @property
    def cause(self) -> Cause:
        """As a cause."""
        words = in_words(np.array(self.column), self.drives)
        count = float(np.count_nonzero(np.array(self.column) != np.arange(len(self.column))))
        return Cause(
            "exchanged_lengths", count, 0.0, "", self.explains, f"Set the columns of coordinates right: {words}",
            "exchange", detail=words,
        )  # fmt: skip


class ExchangedLengths(LogError):
    """A log whose coordinates stand in the columns of other drives, in an order that has no poses.

    Attributes
    ----------
    order : LengthOrder
        Which is the right one.
    """

    def __init__(self, source: str, order: LengthOrder) -> None:
        super().__init__(f"{source}: coordinates stand in the columns of other drives: {order.cause.detail}")
        self.order = order


def find_best_length_order(
    machine: Machine, drives: DriveMotion, force: FloatArray, parameters: ParameterSet, prior: Prior
) -> LengthOrder | None:
    """Return the order of coordinates that leaves much less of the forces than the recorded one; None: there is none.

    Parameters
    ----------
    machine : Machine
    drives : DriveMotion
        A few samples of it are used, without friction's help.
    force : ndarray, shape (N, n)
    parameters : ParameterSet
        Nuisance parameters are left out.
    prior : Prior
        Of the parameters.
    """
    orders = find_orders(machine)
    reported = len(parameters) - parameters.nuisance
    mapping = np.column_stack([parameters.mapping[:, :reported], parameters.known])[: len(machine.basis)]
    rows = np.unique(np.linspace(0, len(force) - 1, SPARSE).astype(int))
    if not len(force) or len(orders) == 1:
        return None
    few, force, friction = [part[rows] for part in drives], force[rows], DriveFriction.of(machine, mapping)
    unit = np.full(force.shape[1], ROUGH * np.sqrt(np.mean(force**2)))
    squares = np.full(len(orders), np.inf)
    for index, order in enumerate(orders):
        coordinate, rate, acceleration = (np.ascontiguousarray(part[:, order]) for part in few)
        motion = machine.compute_motion(coordinate, rate, acceleration)
        good = motion.status <= DEGRADED
        if np.mean(~good) > IMPOSSIBLE:
            continue
        motion = motion[good]
        full = machine.compute_regressor(motion, mapping)
        friction.add(motion.rate, full)
        target = force[good] - full[:, :, -1] - full[:, :, :-1] @ prior.mean[:reported]
        scaled = full[:, :, :-1] * prior.std[:reported]
        fit = Base.of(scaled, target, unit)
        squares[index] = fit.power / len(target)
    best = int(np.argmin(squares))
    if best == 0 or not np.isfinite(squares[best]) or squares[best] > BETTER**2 * squares[0]:
        return None
    share = 1.0 - squares[best] / squares[0] if np.isfinite(squares[0]) else 1.0
    return LengthOrder(tuple(machine.drives), tuple(int(k) for k in orders[best]), float(share))


def find_orders(machine: Machine) -> NDArray[np.int64]:
    """Return all orders (M, n) of a machine's drives in which columns of one unit change places, its own first."""
    units = [drive.unit for drive in machine.drives]
    if len(units) > MOST_EXCHANGED:
        return np.arange(len(units))[None]
    orders = permutations(range(len(units)))
    return np.array([order for order in orders if [units[k] for k in order] == units])


def find_possible_length_order(experiment: Experiment) -> LengthOrder | None:
    """The order of lengths in which a log has poses at all; None if it has them as recorded, or in none."""
    settings, machine, parameters = experiment.settings, experiment.machine, experiment.parameters
    for log in experiment.logs:
        struts = filter_log(log, settings.filter.cutoff, settings.filter.order)
        samples = experiment.samples(log)
        if len(struts) == 0 or samples.failed <= MOST_FAILED * len(struts):
            continue
        if struts.force is None:
            return None
        drives = DriveMotion(struts.length, struts.rate, struts.acceleration)
        return find_best_length_order(machine, drives, struts.force, parameters, Prior.of(parameters))
    return None
