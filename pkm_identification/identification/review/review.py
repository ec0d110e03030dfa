# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""All that a report says of the logs themselves: where the machine was, how much of its travel was used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.machines.capabilities import PlatformPose, has, require
from pkm_identification.machines.contract import Machine, Motion
from pkm_identification.machines.motions import join_states
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import build_vector_from_matrix
from pkm_identification.signals.input_validation import ValidatedLog

from ..excitation.advice import ADVISED, RELATIVE, Advice, advice
from ..excitation.subject import PERIOD, Subject
from ..experiment import Experiment
from ..long_logs.excerpt import excerpt
from ..result import Identification
from ..samples import Samples
from .friction_curves import FrictionCurve, friction_curves

MOST = 900  # instants: 20 a second of a log of 45 s


@dataclass(frozen=True)
class MachinePath:
    """States of a machine.

    Attributes
    ----------
    time : ndarray, shape (K,)
        s, from the first one.
    state : ndarray, shape (K, S)
        As a tracker's rows.
    """

    time: FloatArray
    state: FloatArray


def machine_path(time: FloatArray, motion: Motion) -> MachinePath:
    """Return at most MOST states of a motion at stamps (N,), evenly spread."""
    chosen = np.unique(np.linspace(0, len(time) - 1, min(MOST, len(time))).round().astype(int))
    return MachinePath(time[chosen] - time[chosen[0]], join_states(motion[chosen]))


@dataclass(frozen=True)
class Travel:
    """What was used, in addition to what is allowed.

    Attributes
    ----------
    length : ndarray, shape (n, 2)
        Least and largest coordinate of each drive, m or rad.
    length_limits : ndarray, shape (2,) or (n, 2)
        Infinite where the file states none.
    rate, force : ndarray, shape (n,)
        Largest magnitudes, m/s and N or rad/s and N m.
    rate_limit, force_limit : ndarray, shape (n,)
        None where the machine file states none.
    position : ndarray, shape (3, 2), or None
        Least and largest of the platform frame's origin in the base frame, m.
    turning : ndarray, shape (3, 2), or None
        Least and largest of the rotation vector from home, in base axes, rad; None, both, without a platform's pose.
    """

    length: FloatArray
    length_limits: FloatArray
    rate: FloatArray
    force: FloatArray
    rate_limit: FloatArray
    force_limit: FloatArray
    position: FloatArray | None = None
    turning: FloatArray | None = None

    @property
    def stroke_used(self) -> FloatArray:
        """Part of each drive's stroke that was travelled, (n,); 0 where none is stated."""
        limits = np.broadcast_to(self.length_limits, self.length.shape)
        return (self.length[:, 1] - self.length[:, 0]) / (limits[:, 1] - limits[:, 0])


def travel(machine: Machine, logs: Sequence[ValidatedLog], samples: Sequence[Samples]) -> Travel:
    """Return what logs and their filtered samples used of a machine's limits; samples without a motion are left out."""
    coordinate = np.concatenate([one.motion.coordinate for one in samples])
    rate = np.concatenate([one.motion.rate for one in samples])
    force = np.concatenate([log.force for log in logs if log.force is not None])
    position = turning = None
    if has(machine, PlatformPose):
        platform = require(machine, PlatformPose, "travel")
        poses = [platform.compute_pose(one.motion) for one in samples]
        position = _compute_range(np.concatenate([one for one, _ in poses]))
        rotation = np.concatenate([one for _, one in poses])
        turning = _compute_range(build_vector_from_matrix(rotation @ platform.home_pose[1].T))
    return Travel(
        length=_compute_range(coordinate),
        length_limits=np.array([[drive.lowest, drive.highest] for drive in machine.drives]),
        rate=np.abs(rate).max(axis=0),
        force=np.nanmax(np.abs(force), axis=0),
        rate_limit=np.array([drive.rated_rate for drive in machine.drives]),
        force_limit=np.array([drive.rated_force for drive in machine.drives]),
        position=position,
        turning=turning,
    )


def _compute_range(values: FloatArray) -> FloatArray:
    return np.stack([values.min(axis=0), values.max(axis=0)], axis=1)


FEWEST_POSES = 2


@dataclass(frozen=True)
class Review:
    """Logs next to the model that was identified from them.

    Attributes
    ----------
    travel : Travel
    friction : tuple of FrictionCurve
    next_motions : tuple of Advice
        What would help most, the best first; empty where nothing does, or where effects are estimated as well.
    path : MachinePath
        Of the log with most samples.
    """

    travel: Travel
    friction: tuple[FrictionCurve, ...]
    next_motions: tuple[Advice, ...]
    path: MachinePath


def review(result: Identification, logs: Sequence[DriveLog]) -> Review | None:
    """Review the logs of an identification; of long ones the excerpt by which the fit is judged.

    Parameters
    ----------
    result : Identification
    logs : sequence of DriveLog
        Those it was made from.

    Returns
    -------
    Review or None
        None where no sample has a pose.
    """
    values = result.estimate.values
    experiment = excerpt(Experiment.of(logs, result.machine, result.settings).at(values))
    machine, samples = experiment.machine, experiment.smooth_samples
    longest = max(samples, key=len)
    if len(longest) < FEWEST_POSES:
        return None
    parameters = result.parameters if experiment.point is None else experiment.parameters
    return Review(
        travel(machine, experiment.logs, samples),
        friction_curves(machine, parameters, values, experiment.logs, samples),
        _suggest_motions(result, experiment),
        machine_path(longest.time, longest.motion),
    )


def _suggest_motions(result: Identification, experiment: Experiment) -> tuple[Advice, ...]:
    if result.also:
        return ()
    subject = Subject.of(result.machine, result.parameters, ADVISED)
    every = max(1, round(PERIOD / experiment.period))
    known = np.concatenate([subject.of_motion(one.motion[::every]).rows for one in experiment.smooth_samples])
    return advice(subject, known, len(known) / len(subject.machine.drives) * PERIOD, RELATIVE)
