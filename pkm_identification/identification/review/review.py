# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""All that a report says of the logs themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.motion import DriveLog

from ..excitation.advice import ADVISED, RELATIVE, Advice, advice
from ..excitation.subject import PERIOD, Subject
from ..experiment import Experiment
from ..long_logs.excerpt import excerpt
from ..result import Identification
from .friction_curves import FrictionCurve, friction_curves
from .machine_path import MachinePath, machine_path
from .travel import Travel, travel

FEWEST_POSES = 2


@dataclass(frozen=True)
class Review:
    """Logs beside the model that was identified from them.

    Attributes
    ----------
    travel : Travel
    friction : tuple of FrictionCurve
    next_motions : tuple of Advice
        What would help most, the best first; empty where nothing does, or where effects are estimated besides.
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
