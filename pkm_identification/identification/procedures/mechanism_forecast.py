"""What a motion of a mechanism shows of its base parameters, and how well, before the experiment.

Its drives report forces with white noise of a stated size, every millisecond; what least squares make of them is known
without drawing any. A base parameter is called by the parameter that stands for its sum (`pkm base-parameters`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.estimation.estimate import make_estimate
from pkm_identification.estimation.identifiability.contributions import parameter_contributions
from pkm_identification.estimation.identifiability.homogenized import homogenized
from pkm_identification.parameters.parameter import Parameter
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.simulation.multibody.motions import DriveMotion

from ..excitation.mechanism import MechanismSubject
from ..excitation.subject import PERIOD
from .forecast import Forecast, in_words, weakest

SAMPLE_PERIOD = 1e-3  # s, of the drives' reports


def mechanism_forecast(
    subject: MechanismSubject, motions: Sequence[DriveMotion], noise: float, absolute: bool = False
) -> Forecast:
    """What motions show.

    Parameters
    ----------
    subject : MechanismSubject
    motions : sequence of DriveMotion
    noise : float
        Standard deviation of the forces' white noise: of each drive's rms force, or in their units if `absolute`.
    absolute : bool

    Raises
    ------
    SettingsError
        If a motion leaves the mechanism's reach, or rests: names how much gravity shows.
    """
    base = subject.base
    parts, deviations, count = [], [], 0
    for motion in motions:
        instants = np.arange(0.0, motion.duration, PERIOD)
        drives = motion.drives(instants)
        response = subject.of_drives(drives)
        if response is None:
            raise SettingsError(f"trajectory '{motion.name}': leaves the reach of '{subject.mechanism.name}'")
        rows = response.columns.reshape(-1, len(base.names))
        if not (drives[1].any() or drives[2].any()):
            shown = np.linalg.matrix_rank(rows)
            raise SettingsError(
                f"trajectory '{motion.name}': shows nothing but gravity: {shown} combinations"
            )
        deviation = np.full(response.force.shape[1], noise) if absolute else noise * response.rms
        parts.append((response.columns, deviation))
        deviations.append(deviation)
        count += round(motion.duration / SAMPLE_PERIOD) * len(deviation)
    if count < len(base.names):
        raise SettingsError(f"{count} equations cannot show {len(base.names)} parameters")
    scale = np.where(np.abs(base.nominal) > 0, np.abs(base.nominal), subject.scale)
    entries = tuple(
        Parameter(name, unit, kind, "", float(value), float(size))
        for name, unit, kind, value, size in zip(
            base.names, base.units, base.kinds, base.nominal, scale, strict=True
        )
    )
    parameters = ParameterSet("base", entries, np.eye(len(entries)), np.zeros(len(entries)))
    weighted = np.concatenate([(c / s[:, None]).reshape(-1, len(entries)) for c, s in parts]) * scale
    information = weighted.T @ weighted * (PERIOD / SAMPLE_PERIOD) + np.eye(len(entries))
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
    rows = np.concatenate([columns.reshape(-1, len(entries)) for columns, _ in parts])
    return Forecast(
        parameters,
        estimate,
        tuple(in_words(status) for status in estimate.status),
        weakest(estimate, scale),
        homogenized(rows, base.kinds),
        parameter_contributions(rows, parameters.nominal, base.kinds),
        np.mean(deviations, axis=0),
        never=base.never,
    )
