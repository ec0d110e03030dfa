# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a motion of a machine, or a log of one, shows of a set of parameters, and how well, by white noise alone.

Its drives report forces with white noise of a stated size, every millisecond; what least squares make of them is known
without drawing any. A base parameter is called by the parameter that stands for its sum (`pkm base-parameters`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.estimation.estimate import make_estimate
from pkm_identification.estimation.identifiability.contributions import parameter_contributions
from pkm_identification.estimation.identifiability.homogenized import (
    homogenize_regressor,
    scaled_rows,
)
from pkm_identification.machines.contract import Machine
from pkm_identification.mechanisms.multibody.base_set import BASE
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.prior import Prior
from pkm_identification.simulation.multibody.motions import DriveMotion

from ..excitation.log import LogResponse
from ..excitation.subject import PERIOD, Subject
from .forecast import Forecast, faint, in_words, weakest

SAMPLE_PERIOD = 1e-3  # s, of the drives' reports


def forecast_motions(
    subject: Subject, motions: Sequence[DriveMotion], noise: float, absolute: bool = False
) -> Forecast:
    """Return what motions show.

    Parameters
    ----------
    subject : Subject
    motions : sequence of DriveMotion
    noise : float
        Standard deviation of the forces' white noise: of each drive's rms force, or in their units if `absolute`.
    absolute : bool

    Raises
    ------
    SettingsError
        If a motion leaves the machine's reach, or rests: names how much gravity shows.
    """
    logs = []
    for motion in motions:
        moved = subject.space.move_along(motion, np.arange(0.0, motion.duration, PERIOD))
        if moved is None:
            raise SettingsError(f"trajectory '{motion.name}': leaves the reach of '{subject.machine.name}'")
        response = subject.of_motion(moved)
        if not (moved.rate.any() or moved.acceleration.any()):
            shown = np.linalg.matrix_rank(response.columns.reshape(-1, len(subject.names)))
            raise SettingsError(
                f"trajectory '{motion.name}': determines nothing but gravity: {shown} combinations"
            )
        deviation = np.full(response.force.shape[1], noise) if absolute else noise * response.rms
        samples = round(motion.duration / SAMPLE_PERIOD)
        logs.append(LogResponse(response, deviation, SAMPLE_PERIOD, samples))
    expected = forecast_logs(subject, logs)
    columns = np.concatenate([one.response.columns for one in logs]).reshape(-1, len(subject.names))
    return replace(expected, faint=faint(subject.names, expected.status, columns, expected.regressor.rank))


def forecast_logs(subject: Subject, logs: Sequence[LogResponse]) -> Forecast:
    """What logs show, with the noise that is in them; raises SettingsError if there are fewer equations than sums."""
    count = sum(one.samples * len(one.noise) for one in logs)
    if count < len(subject.names):
        raise SettingsError(f"{count} equations cannot determine {len(subject.names)} parameters")
    nominal = np.abs(subject.parameters.nominal)
    scale = np.where(nominal > 0, nominal, subject.scale)
    entries = tuple(
        replace(entry, scale=float(size))
        for entry, size in zip(subject.parameters.entries, scale, strict=True)
    )
    parameters = replace(subject.parameters, entries=entries)
    # a state stands for all samples until the next
    parts = [
        (one.response.columns / one.noise[:, None] * np.sqrt(PERIOD / one.period)).reshape(-1, len(entries))
        for one in logs
    ]
    weighted = np.concatenate(parts) * scale
    information = weighted.T @ weighted + np.eye(len(entries))
    estimate = make_estimate(
        parameters,
        Prior.of(parameters),
        parameters.nominal,
        np.linalg.inv(information) * np.outer(scale, scale),
        nis=1.0,
        nis_dof=1,
        count=count,
        time=0.0,
        estimator="ls",
        model="force",
    )
    rows = scaled_rows(
        np.concatenate([one.response.columns for one in logs]),
        [drive.unit for drive in subject.machine.drives],
        subject.row_scale([one.response for one in logs]),
    )
    return Forecast(
        parameters,
        estimate,
        tuple(in_words(status) for status in estimate.status),
        weakest(estimate, scale),
        homogenize_regressor(rows, subject.kinds),
        parameter_contributions(rows, parameters.nominal, subject.kinds),
        np.mean([one.noise for one in logs], axis=0),
        never=list_never(subject.machine),
    )


def list_never(machine: Machine) -> tuple[str, ...]:
    """Return the parameters of bodies that no motion of the drives feels: in none of the sums that it shows."""
    whole = machine.build_parameter_set(BASE)
    felt = {name for terms in whole.sums.values() for name in terms} | set(whole.names)
    rigid = (Kind.MASS, Kind.FIRST_MOMENT, Kind.INERTIA)
    return tuple(
        entry.name
        for entry in machine.basis
        if entry.kind in rigid and entry.symbol != "inertia" and entry.name not in felt
    )
