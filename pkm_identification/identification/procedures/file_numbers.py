# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Numbers of a machine file on which accelerations do not depend linearly, such as lengths (Oh 2003, chapter 3).

Given the drives' coordinates, rates and forces, the machine of the file says how they accelerate, as a function of the
file's numbers w: M(w) q'' = F - friction - h(w, q, q'). An unscented filter takes the samples in their order; a second
pass begins where the first ended, with the noise that it left. In a fall F is zero: a common factor of all masses then
changes nothing, which the deviations say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pkm_identification.document import parse_key
from pkm_identification.errors import LogError, MachineError, NotConverged, SettingsError
from pkm_identification.estimation.filters.unscented import UnscentedFilter, UnscentedSettings
from pkm_identification.machines.contract import DEGRADED, Machine, Motion
from pkm_identification.mechanisms.friction import friction_force
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.prior import Prior
from pkm_identification.signals.causal import FilterSettings

from ..rates.recorded_rows import prepare_log
from ..rates.sample_rate import compute_estimated_period
from ..regression.limits import apply_validation
from ..samples import Samples, samples_of
from ..settings import Settings

CONSTANTS = "constants"  # section of a machine file in which a name alone is looked up
GUESS = 0.5  # of a number of the file, its deviation as a first guess (the text: ones for .5 to 1.5)
SAMPLES = 500  # that are taken of all logs
ALONE, AT_ONCE = (
    60,
    10,
)  # of them an update each, far from what is true; then together: a machine made for all
BLOCKS = 20  # stretches of time whose scatter says how far what is left repeats
FIRST_NOISE = 0.01  # of the rms acceleration, until a pass has shown what is left (Oh 2003: 1 %)
LEAST_NOISE = 1e-6  # of the rms: rounding, and the low-pass
STEP = 1e-4  # of a number's first deviation, for differences
SHOWN = 0.1  # of the first deviation, below which a number is known by the data
EXPLAINED = 0.1  # of the rms acceleration: what an estimate that can be used leaves at most


@dataclass(frozen=True)
class NumbersFit:
    """Numbers of a machine file, estimated.

    Attributes
    ----------
    paths : tuple of str
    guess, values : ndarray, shape (P,)
        Of the file, and found; in the file's units.
    guess_std, std : ndarray, shape (P,)
    unseen : tuple of ndarray, shape (P,)
        Relative changes of all numbers that the data do not show: its largest entry is 1.
    residual : float
        rms of what is left of the accelerations over their rms, the worst drive.
    samples : int
    """

    paths: tuple[str, ...]
    guess: FloatArray
    values: FloatArray
    guess_std: FloatArray
    std: FloatArray
    unseen: tuple[FloatArray, ...]
    residual: float
    samples: int

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which numbers the data show each by itself, (P,) of bool."""
        return np.asarray(self.std < SHOWN * self.guess_std)

    @property
    def usable(self) -> bool:
        """Whether the machine explains the accelerations with these numbers."""
        return bool(self.residual < EXPLAINED)


def fit_numbers(
    machine: Machine, logs: Sequence[DriveLog], names: Sequence[str], settings: Settings | None = None
) -> NumbersFit:
    """Estimate numbers of a machine's file from logs by the unscented Kalman filter.

    Parameters
    ----------
    machine : Machine
        Its file's numbers are the first guess.
    logs : sequence of DriveLog
        Driven motions, or falls: where the forces are all zero, the drives are off.
    names : sequence of str
        Paths, as 'joints.second.place[1][2]' or 'joints.second.place.0.1', or names of the file's section 'constants'.
    settings : Settings, optional
        Cutoff and order of the low-pass, and alpha, beta, kappa.

    Raises
    ------
    SettingsError
        If a number is not in the file, or is given twice.
    LogError
        If a log has no usable samples.
    """
    settings = settings or Settings()
    paths = tuple(parse_key(name) if "." in name else f"{CONSTANTS}.{name}" for name in names)
    if not paths or len(set(paths)) < len(paths):
        raise SettingsError(f"--unknown {','.join(names)}: expected names, each once")
    guess = np.array([_read_number(machine, path) for path in paths])
    guess_std = GUESS * np.where(guess == 0.0, machine.size, np.abs(guess))
    model = _Accelerations(machine, paths, guess)
    rows = [_take_samples(log, machine, settings, SAMPLES // len(logs)) for log in logs]
    motion = Motion.concatenate([one for one, _ in rows])
    force = np.concatenate([one for _, one in rows])
    size = np.sqrt(np.mean(motion.acceleration**2, axis=0))
    size = np.where(size > 0.0, size, np.max(size))
    noise, mean = FIRST_NOISE * size, guess
    for alone in (ALONE, 0):
        prior = Prior(mean, guess_std)
        mean = _run_filter(model, motion, force, prior, noise, settings.estimator.unscented, alone)
        error = motion.acceleration - model.compute(mean, motion, force)
        left = np.sqrt(np.mean(error**2, axis=0))
        if not np.isfinite(left).all():
            raise NotConverged(
                "--unknown: the filter ends at numbers that no machine has; begin with better ones in the file"
            )
        noise = np.maximum(left, LEAST_NOISE * size)
    steps = STEP * guess_std
    slopes = [
        (model.compute(mean + step, motion, force) - model.compute(mean - step, motion, force)) / (2.0 * STEP)
        for step in np.diag(steps)
    ]
    # by first deviations and noise
    jacobian = np.stack([(one / noise).ravel() for one in slopes], axis=1)
    information = jacobian.T @ jacobian + np.eye(len(mean))
    sizes, directions = np.linalg.eigh(information)
    scores = [
        one.T @ part
        for one, part in zip(
            np.array_split(jacobian, BLOCKS), np.array_split((error / noise).ravel(), BLOCKS), strict=True
        )
    ]
    moves = np.linalg.solve(information, np.transpose(scores))
    std = guess_std * np.sqrt(np.maximum(np.sum(directions**2 / sizes, axis=1), np.sum(moves**2, axis=1)))
    unseen = [
        guess_std * direction / np.abs(mean)
        for size_of, direction in zip(sizes, directions.T, strict=True)
        if size_of < 1.0 / SHOWN**2
    ]
    return NumbersFit(
        paths, guess, mean, guess_std, std, tuple(one / one[np.argmax(np.abs(one))] for one in unseen),
        float(np.max(left / size)), len(motion),
    )  # fmt: skip


class _Accelerations:
    """Accelerations of the drives as a function of numbers of the file."""

    def __init__(self, machine: Machine, paths: Sequence[str], guess: FloatArray) -> None:
        self._machine, self._paths, self._guess = machine, paths, guess

    def compute(self, values: FloatArray, motion: Motion, force: FloatArray) -> FloatArray:
        """Return accelerations (N, n) at a motion's places and rates under forces (N, n); NaN where it has none."""
        changes = {path: float(v) for path, v in zip(self._paths, values - self._guess, strict=True) if v}
        try:
            machine = self._machine.with_changes(changes) if changes else self._machine
        except MachineError:
            return np.full(motion.coordinate.shape, np.nan)
        moved = machine.compute_motion(
            motion.coordinate, motion.rate, np.zeros_like(motion.rate), motion.state
        )
        mass, bias = machine.compute_mass_and_bias(moved, np.asarray(machine.basis.nominal))
        if moved.status.max() > DEGRADED or not np.isfinite(mass).all():
            return np.full(motion.coordinate.shape, np.nan)
        rubbing = [friction_force(motion.rate[:, [i]], law)[:, 0] for i, law in enumerate(machine.friction)]
        acting = force - bias - np.stack(rubbing, axis=1)
        return np.asarray(np.linalg.solve(mass, acting[:, :, None])[:, :, 0])


def _run_filter(
    model: _Accelerations,
    motion: Motion,
    force: FloatArray,
    prior: Prior,
    noise: FloatArray,
    tuning: UnscentedSettings,
    alone: int,
) -> FloatArray:
    """Return the mean (P,) after all samples in their order: `alone` of them one by one, then AT_ONCE together."""
    state = UnscentedFilter(prior, len(noise), replace(tuning, adaptation="none"))
    ends = [*range(alone), *range(alone, len(motion), AT_ONCE), len(motion)]
    for first, last in pairwise(ends):
        rows = slice(first, last)
        weights = np.diag(np.tile(noise**2, last - first))
        some, acting = motion[rows], force[rows]
        state.step(
            partial(_compute_flat, model, some, acting),
            some.acceleration.ravel(),
            weights,
        )
    return np.asarray(state.mean)


def _compute_flat(model: _Accelerations, motion: Motion, force: FloatArray, values: FloatArray) -> FloatArray:
    return model.compute(values, motion, force).ravel()


def _take_samples(
    log: DriveLog, machine: Machine, settings: Settings, count: int
) -> tuple[Motion, FloatArray]:
    """Return the motion behind the low-pass at `count` samples that are spread over a log, and the forces (N, n)."""
    prepared, validation = prepare_log(log, machine), settings.validation
    period, _ = compute_estimated_period(prepared.log, machine, validation, prepared.hold)
    resolved = settings.resolve(machine, period)
    validated = apply_validation(prepared.log, machine, resolved.validation)
    low_pass: FilterSettings = resolved.filter
    samples: Samples = samples_of(validated, machine, low_pass)
    if len(samples) < count // 10:
        raise LogError(f"{log.source}: {len(samples)} samples are too few for numbers that are not linear")
    chosen = np.unique(np.linspace(0, len(samples) - 1, min(count, len(samples))).astype(int))
    motion = samples.motion[chosen]
    return motion, np.zeros_like(motion.rate) if samples.force is None else samples.force[chosen]


def _read_number(machine: Machine, path: str) -> float:
    """Return a number of the machine's file with all defaults written out."""
    node: Any = machine.document
    for key in path.split("."):
        try:
            node = node[int(key)] if isinstance(node, (list, tuple)) else node[key]
        except (KeyError, IndexError, TypeError, ValueError):
            raise SettingsError(f"--unknown {path}: is not in the file of machine '{machine.name}'") from None
    try:
        return float(node)
    except (TypeError, ValueError):
        raise SettingsError(f"--unknown {path}: is no number but {node!r}; name what it is made of") from None
