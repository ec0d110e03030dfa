# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Numbers of drives by the response they give: the log's residual over its noise, made least (Gauss-Newton).

The deviations are those of the response's own sensitivities: the same that, at the file's numbers and before any log is
fitted, forecast them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from pkm_identification.errors import NotConverged, SettingsError
from pkm_identification.estimation.batch.gauss_newton import gauss_newton
from pkm_identification.machines.capabilities import ActuatedDrives
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records.commanded_log import CommandedLog

from .numbers import DriveNumber, find_force_gains, list_numbers, with_factors
from .response_model import ResponseModel
from .thresholds import (
    MAX_LAST_STEP,
    MAX_RELATIVE_DEVIATION,
    MAX_RESIDUAL_RATIO,
    MIN_CORRELATION,
    MIN_NOISE_SHARE,
    PRIOR_WIDTH,
    RELATIVE_STEP,
)

LIMIT, FEW = 30, 3  # iterations, and of a fit with wider noise
NARROWING = 5.0  # from one such fit to the next
COARSE = 0.02  # of a number, relative: where such a fit may end
TOLERANCE = 1e-4  # of a number, relative
# Root sum of squares of the coefficients of third differences, and the median of a normal deviate's size
THIRD_DIFFERENCES, MEDIAN_SIZE = 20.0**0.5, 0.6745


@dataclass(frozen=True)
class DriveEstimate:
    """One number of a drive.

    Attributes
    ----------
    number : DriveNumber
    value, deviation : float
        In its unit.
    forecast : float
        Deviation that the response's sensitivities at the file's numbers promised.
    status : str
        'identified', 'combination' (of what is reported in `partner`) or 'not from this motion'.
    partner : str
        Name of the number with which it is known as a combination; empty without one.
    """

    number: DriveNumber
    value: float
    deviation: float
    forecast: float
    status: str
    partner: str = ""


@dataclass(frozen=True)
class DriveFit:
    """Numbers of drives that a log shows.

    Attributes
    ----------
    estimates : tuple of DriveEstimate
    correlation : ndarray, shape (P, P)
    ratio : float
        Residual over noise.
    noise : ndarray, shape (C, n)
        Standard deviations of what encoders show, and of forces where the log has them.
    iterations : int
    mass : ndarray, shape (n,)
        What each drive feels of the machine, kg or kg m^2.
    notes : tuple of str
    actuators : tuple of Actuator
        With the values estimated.
    """

    estimates: tuple[DriveEstimate, ...]
    correlation: FloatArray
    ratio: float
    noise: FloatArray
    iterations: int
    mass: FloatArray
    notes: tuple[str, ...]
    actuators: tuple

    @property
    def fits(self) -> bool:
        """Whether the residual is no more than noise."""
        return self.ratio <= MAX_RESIDUAL_RATIO


def identify_drives(
    log: CommandedLog, machine: ActuatedDrives, asked: Sequence[str] = (), with_gain: bool = False
) -> DriveFit:
    """Return the numbers of the drives that move in a log.

    Parameters
    ----------
    log : CommandedLog
    machine : ActuatedDrives
        Its masses are taken for right: mass and compliance are known by their product alone.
    asked : sequence of str
        Keys of the numbers to estimate; empty: all that are not known of themselves.
    with_gain : bool
        Whether forces in the log are off by a factor of each drive, which is estimated, too.

    Raises
    ------
    LogError, SettingsError
        If the log is of no use for this machine: see `ResponseModel`, `list_numbers`.
    NotConverged
        If the iteration finds no response like the log's.
    """
    if with_gain and log.force is None:
        raise SettingsError(f"{log.source}: --force-gain: the log has no forces")
    names = tuple(drive.name for drive in machine.drives)
    numbers = list_numbers(machine.actuators, names, log.moves.tolist(), asked, with_gain)
    model = ResponseModel(log, machine)
    moved = np.flatnonzero(
        log.moves
    )  # of the others the file's word is taken, and what coupling does to them left out
    told = [part[:, moved] for part in (log.coordinate, log.force) if part is not None]
    noise = measure_noise(told, [machine.drives[i].unit for i in moved])
    count = len(numbers)

    def response(logs: FloatArray) -> FloatArray:
        """Return the response over its noise, one row."""
        factors = np.exp(logs).tolist()
        shown, reported = model.simulate(with_factors(machine.actuators, numbers, factors))
        parts = shown, reported * find_force_gains(numbers, factors, len(machine.actuators))
        pairs = zip(parts[: len(told)], noise, strict=True)
        return np.concatenate([(part[:, moved] / width).ravel() for part, width in pairs])

    measured = np.concatenate([(part / width).ravel() for part, width in zip(told, noise, strict=True)])
    offsets = _offset_columns(len(log), len(moved), len(told))

    def residual(values: FloatArray, wide: float = 1.0) -> tuple[FloatArray, FloatArray]:
        """Return residual and Jacobian, noise taken for so many times as wide."""
        logs, shift = values[:count], values[count:]
        middle = response(logs)
        columns = np.empty((len(middle), count))
        for i in range(count):
            columns[:, i] = (response(logs + RELATIVE_STEP * np.eye(count)[i]) - middle) / RELATIVE_STEP
        error = np.concatenate([(middle + offsets @ shift - measured) / wide, logs / PRIOR_WIDTH])
        prior = np.hstack([np.eye(count) / PRIOR_WIDTH, np.zeros((count, offsets.shape[1]))])
        jacobian = np.vstack([np.hstack([columns, offsets]) / wide, prior])
        # at the edge of what can be simulated neighbours are beyond it
        return (error if np.all(np.isfinite(jacobian)) else np.full_like(error, np.nan)), jacobian

    start = np.zeros(count + offsets.shape[1])
    error, jacobian = residual(start)
    if not np.all(np.isfinite(error)):
        raise NotConverged(f"{log.source}: the drives of the file diverge with these commands")
    forecast = np.sqrt(np.diag(np.linalg.inv(jacobian.T @ jacobian)))[:count]
    # far from the log's numbers a response swings out of step, and noise alone would let the first step go anywhere
    wide = float(np.sqrt(error @ error / len(error)))
    while wide > NARROWING:
        start = gauss_newton(partial(residual, wide=wide), start, COARSE, FEW, np.ones_like(start)).values
        wide /= NARROWING
    fit = gauss_newton(residual, start, TOLERANCE, LIMIT, np.ones_like(start))
    logs = fit.values[:count]
    rows = len(measured)
    error, jacobian = residual(fit.values)
    if not _is_minimum(error, jacobian):
        raise NotConverged(
            f"{log.source}: no numbers of the drives near those of the file give this response after "
            f"{len(fit.iterates) - 1} steps; is it this machine's, with these loops and this load?"
        )
    ratio = float(np.sqrt(error[:rows] @ error[:rows] / max(rows - len(start), 1)))
    covariance = np.linalg.inv(jacobian.T @ jacobian)[:count, :count] * _find_inflation(
        error[:rows], len(told), log
    )
    deviations = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(deviations, deviations)
    values = [one.quantity.value * float(np.exp(change)) for one, change in zip(numbers, logs, strict=True)]
    return DriveFit(
        tuple(
            DriveEstimate(
                number, values[i], abs(values[i]) * float(deviations[i]),
                abs(number.quantity.value) * float(forecast[i]), *_find_status(i, numbers, deviations, correlation),
            )
            for i, number in enumerate(numbers)
        ),
        correlation,
        ratio,
        noise,
        len(fit.iterates) - 1,
        model.mass,
        model.notes,
        with_factors(machine.actuators, numbers, np.exp(logs).tolist()),
    )  # fmt: skip


def measure_noise(parts: Sequence[FloatArray], units: Sequence[str]) -> FloatArray:
    """Return standard deviations (C, n) of white noise of channels (N, n) each: what encoders show, and forces.

    By third differences, whose median no single step of a motion moves. It is no less than a small part of the largest
    motion among drives of one unit.
    """
    alike = np.array([[one == other for other in units] for one in units])
    noise = []
    for part in parts:
        size = np.median(np.abs(np.diff(part, 3, axis=0)), axis=0) / (MEDIAN_SIZE * THIRD_DIFFERENCES)
        span = np.max(np.where(alike, np.ptp(part, axis=0), np.finfo(float).tiny), axis=1)
        noise.append(np.maximum(size, MIN_NOISE_SHARE * span))
    return np.array(noise)


def _is_minimum(error: FloatArray, jacobian: FloatArray) -> bool:
    """Return whether the next step would be small next to the deviations, these taken with the residual's own size."""
    if not np.all(np.isfinite(error)):
        return False
    information = jacobian.T @ jacobian
    step = np.linalg.solve(information, jacobian.T @ error)
    size = max(float(np.sqrt(error @ error / len(error))), 1.0)
    return bool(np.all(np.abs(step) <= MAX_LAST_STEP * size * np.sqrt(np.diag(np.linalg.inv(information)))))


def _offset_columns(count: int, drives: int, channels: int) -> FloatArray:
    """Return a column of ones for each channel of each drive, which has an unknown offset, (rows, channels)."""
    one = np.tile(np.eye(drives), (count, 1))
    return np.asarray(np.kron(np.eye(channels), one), dtype=np.float64)


def _find_inflation(error: FloatArray, channels: int, log: CommandedLog) -> float:
    """Return by how much the covariance is larger than of white noise of the size measured; at least 1.

    By the residual's own size, and by how long it remembers itself.
    """
    parts = error.reshape(channels, len(log), -1)
    size = float(np.mean(parts**2))
    centred = parts - parts.mean(axis=1, keepdims=True)
    power = float(np.sum(centred**2))
    total = 1.0
    for lag in range(1, len(log) // 4):
        alike = float(np.sum(centred[:, lag:] * centred[:, :-lag])) / power if power > 0 else 0.0
        # what is left of white noise is not counted
        if alike < 2.0 / np.sqrt(centred.size):
            break
        total += 2.0 * alike
    return max(size * total, 1.0)


def _find_status(
    index: int, numbers: Sequence[DriveNumber], deviations: FloatArray, correlation: FloatArray
) -> tuple[str, str]:
    if deviations[index] <= MAX_RELATIVE_DEVIATION:
        return "identified", ""
    others = np.abs(correlation[index]).copy()
    others[index] = 0.0
    partner = int(np.argmax(others))
    if others[partner] >= MIN_CORRELATION:
        return "combination", numbers[partner].name
    return "not from this motion", ""
