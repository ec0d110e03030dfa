# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Equations of the force model: a machine's regressor, its drives' friction, and what smoothing does to that."""

from __future__ import annotations

import numpy as np

from pkm_identification.estimation.equations import Equations
from pkm_identification.machines.contract import Machine, Motion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.band import BandSettings

from ..regression.friction import DriveFriction
from ..samples import Samples
from .band_rows import band_pieces, through_band
from .reversal import reversal_pulses, reversal_time
from .transition_correction import TransitionCorrection, filter_transitions, take_off_all


def force_equations(
    machine: Machine,
    parameters: ParameterSet,
    samples: Samples,
    band: BandSettings,
    online: bool = False,
    *,
    noise: FloatArray | None = None,
    corrected: bool = False,
    motion: Motion | None = None,
) -> Equations:
    """Return the equations of the force model, all that `band_pieces` takes from samples.

    Parameters
    ----------
    machine, parameters
        The model and its unknowns, with the factors of `reversal` as nuisance, if any.
    samples : Samples
    band : BandSettings
    online : bool
        Causal filters and their transient, as the online estimator has them; else zero-phase.
    noise : ndarray, shape (n,), optional
        Standard deviation of the rates after the samples' `rounded_after`, m/s or rad/s (`rates.rate_noise`).
    corrected : bool
        Whether friction's transition is corrected for the samples' low-pass as online (`transition`).
    motion : Motion, optional
        In place of the samples' own.
    """
    motion = samples.motion if motion is None else motion
    if samples.force is None:
        raise ValueError("samples without forces make no equations")
    mapping = np.column_stack([parameters.mapping, parameters.known])
    exact = DriveFriction.of(machine, mapping)
    rubbing = exact if noise is None or not noise.any() else DriveFriction.of(machine, mapping, noise)
    correction = None
    if corrected and samples.low_pass is not None:
        correction = TransitionCorrection(machine, parameters, band, samples.low_pass.cutoff)
    drives, time, parts = np.arange(len(machine.drives)), reversal_time(band.period), []
    for piece in band_pieces(samples.segment, band, online):
        moved, stamps = motion[piece.part], samples.time[piece.part]
        early = 0 if rubbing is exact else int(np.searchsorted(stamps, samples.rounded_after, side="right"))
        raw = machine.compute_regressor(moved, mapping)
        exact.add(moved.rate[:early], raw[:early])
        rubbing.add(moved.rate[early:], raw[early:])
        if parameters.nuisance:
            pulses = np.zeros((len(moved), len(drives), len(drives)))
            for rows, known in ((slice(0, early), None), (slice(early, None), noise)):
                own = reversal_pulses(machine, moved.rate[rows], moved.acceleration[rows], time, known)
                pulses[rows, drives, drives] = own
            raw[:, :, -1 - parameters.nuisance : -1] = pulses
        picked = through_band(raw, piece, band, online)
        output = through_band(samples.force[piece.part], piece, band, online)
        columns, measured = picked[:, :, :-1], output - picked[:, :, -1]
        if correction is not None and correction.gains is not None:
            assert samples.low_pass is not None
            early = int(np.searchsorted(stamps, samples.rounded_after, side="right"))
            transitions = filter_transitions(
                machine, samples.low_pass, correction, moved.rate, early, piece, band
            )
            columns = np.ascontiguousarray(columns)
            take_off_all(transitions, correction.entering, columns, measured)
        parts.append(
            Equations(
                time=stamps[piece.chosen],
                regressor=columns,
                measured=measured,
                force=output,
                segment=samples.segment[piece.part][piece.chosen],
            )
        )
    return Equations.concatenate(parts or [Equations.empty(len(drives), len(parameters))])
