# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of the drives as columns of a regressor: each drive's own law, of its own rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.machines.contract import Machine
from pkm_identification.mechanisms.friction import TERMS, friction_terms
from pkm_identification.mechanisms.friction.law import NOISE, law_tuple
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel


@dataclass(frozen=True)
class DriveFriction:
    """The laws of n drives, and how much each coefficient enters each column of a mapping.

    Attributes
    ----------
    laws : ndarray, shape (n, LAW_NUMBERS)
    entries : tuple of drive, term, column (E,) and weight (E,)
        What of the mapping is not zero.
    """

    laws: FloatArray
    entries: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], FloatArray]

    @classmethod
    def of(cls, machine: Machine, mapping: FloatArray, noise: FloatArray | None = None) -> DriveFriction:
        """Return that of a machine and a mapping (B, P), of rates with noise of standard deviations (n,)."""
        laws = build_laws(machine, noise)
        term, drive = np.nonzero(machine.friction_rows >= 0)
        rows = mapping[machine.friction_rows[term, drive]]
        # a strided view of one entry is contiguous, of more it is not: kernels would have two versions
        entry, column = (np.ascontiguousarray(one) for one in np.nonzero(rows))
        return cls(laws, (drive[entry], term[entry], column, rows[entry, column]))

    def add(self, rate: FloatArray, columns: FloatArray) -> None:
        """Add friction at rates (N, n) to columns (N, n, P), in place."""
        _add_friction(np.ascontiguousarray(rate), self.laws, self.entries, columns)


def build_laws(machine: Machine, noise: FloatArray | None = None) -> FloatArray:
    """Return the drives' laws for kernels, (n, LAW_NUMBERS), of rates with noise of standard deviations (n,)."""
    laws = np.array([one.law_parameters for one in machine.friction])
    if noise is not None:
        laws[:, NOISE] = noise
    return laws


def evaluate_reversing_terms(machine: Machine) -> NDArray[np.int64]:
    """Return the term of each drive's law that changes sign as it turns back, (n,); -1 where none does."""
    return np.array([one.law.reversing_term for one in machine.friction], dtype=np.int64)


@kernel
def _add_friction(rate, laws, entries, written):
    """Add each drive's terms to its rows of columns (N, n, P)."""
    drive, term, column, weight = entries
    terms = np.empty((rate.shape[1], TERMS))
    for m in range(rate.shape[0]):
        for i in range(rate.shape[1]):
            terms[i, 0], terms[i, 1], terms[i, 2] = friction_terms(rate[m, i], law_tuple(laws[i], 0))
        for e in range(drive.size):
            written[m, drive[e], column[e]] += weight[e] * terms[drive[e], term[e]]
