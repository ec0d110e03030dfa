# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""True forces and lengths of a validated log: every correction that its machine file asks for, in order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rows import segment_slices

from ..input_validation import ValidatedLog, ValidationSettings
from ..input_validation.samples import rows_of
from .correction import Correction, corrected_log
from .drive_transfer import DriveTransfer
from .known import ForceAlignment


def corrections_of(validation: ValidationSettings, period: float) -> list[Correction]:
    """Return what the measurement is known to be wrong by first, then what lies between drive and strut."""
    corrections: list[Correction] = []
    if validation.known is not None:
        corrections.append(ForceAlignment.of(validation.known, period))
    if validation.transfers is not None:
        corrections.append(DriveTransfer(validation.transfers, period))
    return corrections


def noise_passed(validation: ValidationSettings, period: float, low: float, high: float) -> FloatArray:
    """Power of white noise of the forces (n,) that is left between two frequencies, relative to what is left at rest.

    Interpolation between samples is a low-pass: above all motion it leaves less than in the estimation band.

    Parameters
    ----------
    validation : ValidationSettings
    period : float
        s.
    low, high : float
        In parts of the sample rate.
    """
    frequency = np.linspace(low, high, 64)
    passed = np.ones((len(frequency), len(validation.drives)))
    for correction in corrections_of(validation, period):
        weights = correction.force_weights
        waves = np.exp(-2j * np.pi * np.outer(frequency, np.arange(len(weights))))
        passed *= np.abs(waves @ weights) ** 2 / np.sum(weights, axis=0) ** 2
    return np.asarray(passed.mean(axis=0))


def compute_motor_side_compliance(validation: ValidationSettings) -> FloatArray:
    """Return what a newton takes from the coordinate that an encoder shows, m/N or rad/(N m), shape (n,)."""
    if validation.transfers is None:
        return np.zeros(len(validation.drives))
    return np.array([one.compliance if one.on_motor else 0.0 for one in validation.transfers])


def acting(log: ValidatedLog, validation: ValidationSettings) -> ValidatedLog:
    """Return a validated log with the forces that act at the struts, and the struts' lengths."""
    for correction in corrections_of(validation, log.period):
        log = corrected_log(log, correction)
    return log


def average_ends(log: ValidatedLog) -> FloatArray:
    """Return the mean force (N, n) of each sample and the next, at a segment's end its last."""
    assert log.force is not None
    follows = np.append(np.diff(log.segment) == 0, False)[:, None]
    return np.where(follows, 0.5 * (log.force + np.roll(log.force, -1, axis=0)), log.force)


def acting_within_periods(
    log: ValidatedLog, acted: ValidatedLog, validation: ValidationSettings
) -> FloatArray:
    """Return the forces in the middle of the period that begins at each sample of a log as `acting` has it, (N, n).

    A command that is held is the force of all its period. Its staircase has lines far above the motion, of which the
    mean of both ends is a third. Where the file says what lies between drive and machine, forces are those reported as
    much later; else, and where neighbours are missing, that mean.
    """
    middle = average_ends(acted)
    if validation.transfers is None:
        return middle
    from scipy.interpolate import CubicSpline  # slow to import, and asked for by few estimators

    half = 0.5 * log.period
    later = tuple(replace(one, late=one.late + half) for one in validation.transfers)
    between = np.array(log.coordinate)
    for part in segment_slices(log.segment):
        if part.stop - part.start > 1:
            between[part] = CubicSpline(log.time[part], log.coordinate[part])(log.time[part] + half)
    moved = acting(replace(log, coordinate=between), replace(validation, transfers=later))
    _, here, there = np.intersect1d(acted.time[:-1], moved.time, return_indices=True)
    inner = acted.segment[here] == acted.segment[here + 1]
    assert moved.force is not None
    middle[here[inner]] = moved.force[there[inner]]
    return middle


def at_motors(log: ValidatedLog, validation: ValidationSettings) -> ValidatedLog:
    """Return a validated log with forces and lengths in front of what yields, as `apply_known_deflections` takes it."""
    return (
        log
        if validation.known is None
        else corrected_log(log, ForceAlignment.of(validation.known, log.period))
    )


def apply_known_deflections(
    log: ValidatedLog, validation: ValidationSettings, deflection: FloatArray
) -> ValidatedLog:
    """Return a log of `at_motors` as `acting` has it, where it is known how far each drive is deflected.

    Parameters
    ----------
    log : ValidatedLog
    validation : ValidationSettings
        With drives.
    deflection : ndarray, shape (N, n)
        m or rad; NaN in rows where it is not known, which are left out.
    """
    if validation.transfers is None:
        raise ValueError("there is nothing between these drives and the struts")
    through = DriveTransfer(validation.transfers, log.period)
    known = np.asarray(np.isfinite(deflection).all(axis=1))
    begins = np.ones(len(known), dtype=bool)
    begins[1:] = (np.diff(log.segment) != 0) | (known[1:] != known[:-1])
    runs = np.cumsum(begins)
    none = np.empty((0, deflection.shape[1]))
    rows, lengths, forces = [np.zeros(0, dtype=np.int64)], [none], [none]
    for part in segment_slices(runs):
        inner = np.arange(part.start + through.before, part.stop - through.after)
        if len(inner) and known[part.start] and log.force is not None:
            length, force = through.correct(log.length[part], log.force[part], deflection[part])
            rows.append(inner)
            lengths.append(length)
            forces.append(force)
    chosen = np.concatenate(rows)
    left = replace(rows_of(log, chosen), segment=runs[chosen])
    return replace(left, coordinate=np.concatenate(lengths), force=np.concatenate(forces))
