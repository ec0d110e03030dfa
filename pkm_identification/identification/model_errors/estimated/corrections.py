# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A machine and its logs with effects undone: what is left has none of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.mechanisms.hexapod.drive import KnownForces
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.forces.known import correct_known_forces
from pkm_identification.signals.input_validation import ValidatedLog


@dataclass(frozen=True)
class Corrections:
    """What is taken for true instead of the machine file and the measurement.

    measured(t) = gain true(t - delay) + offset; of coordinates, from the encoder's zero, measured = scale true + zero.

    Attributes
    ----------
    machine : Machine
    delay, gain, offset, zero, scale : ndarray, shape (n,)
        s, without unit, N or N m, in the drives' units, without unit.
    """

    machine: Machine
    delay: FloatArray
    gain: FloatArray
    offset: FloatArray
    zero: FloatArray
    scale: FloatArray

    @classmethod
    def none(cls, machine: Machine) -> Corrections:
        """Return those that change nothing."""
        count = len(machine.drives)
        nothing, one = np.zeros(count), np.ones(count)
        return cls(machine, nothing, one, nothing, nothing, one)

    def _true_coordinate(self, coordinate: FloatArray) -> FloatArray:
        """Return coordinates (N, n) as they are, of those measured."""
        if not np.any(self.zero) and np.all(self.scale == 1.0):
            return coordinate
        start = np.array([drive.zero for drive in self.machine.drives])
        return (coordinate - self.zero - start) / self.scale + start

    def log(self, log: ValidatedLog) -> ValidatedLog:
        """Return a validated log with true lengths and forces; samples without a force in time are left out."""
        log = replace(log, coordinate=self._true_coordinate(log.length))
        if log.force is None:
            return log
        rows = np.arange(len(log.time), dtype=float)
        kept = np.ones(len(rows), dtype=bool)
        force = np.zeros_like(log.force)
        for delay in np.unique(self.delay):
            known = KnownForces(float(delay), tuple(self.gain), tuple(self.offset))
            # rows in place of stamps tell which of them are left
            moved = correct_known_forces(replace(log, time=rows, imu=None, sensor=None), known)
            own = moved.time.astype(np.int64)
            struts = self.delay == delay
            if moved.force is not None:
                force[np.ix_(own, struts)] = moved.force[:, struts]
            kept &= np.isin(np.arange(len(rows)), own)
        return replace(
            log,
            time=log.time[kept],
            coordinate=log.length[kept],
            force=force[kept],
            segment=log.segment[kept],
            filled=log.filled[kept],
            imu=None if log.imu is None else log.imu[kept],
            sensor=None if log.sensor is None else log.sensor[kept],
        )
