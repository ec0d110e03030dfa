# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What `identifiability` works on: parameters of a machine, and what it does in logs or in motions to come."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.identification.excitation.advice import ADVISED, RELATIVE
from pkm_identification.identification.excitation.log import read_log_response, responses_of_logs
from pkm_identification.identification.excitation.subject import PERIOD, Response, Subject
from pkm_identification.identification.procedures.forecast import Forecast, forecast, log_of_motion, of_rest
from pkm_identification.identification.procedures.white_noise_forecast import (
    forecast_logs,
    forecast_motions,
)
from pkm_identification.identification.saved_estimate import compute_stated_deviations
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.contract import Machine as Contract
from pkm_identification.machines.hexapod import Hexapod
from pkm_identification.machines.multibody import Multibody
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.multibody.base_set import BASE
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.motion import STRUTS, TRAJECTORIES, PlatformMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.reduced import SetOwner
from pkm_identification.records.log import read_logs
from pkm_identification.report.total_deviations import listed
from pkm_identification.simulation.motion_file import is_motion_file
from pkm_identification.simulation.multibody.motions import DriveMotion, generate_motion
from pkm_identification.simulation.trajectories import Trajectory, trajectory

from .arguments import reading

FALL = "free"
SAMPLE_RATE = 1000.0  # Hz, of machines whose file states none
NOISE = "1%"


@dataclass(frozen=True)
class Study:
    """What is known before anything is judged.

    Attributes
    ----------
    owner : SetOwner
        Machine of a reduced set.
    subject : Subject
    parameters : ParameterSet
    set_name : str
    expected : Forecast
    responses : sequence of Response
        Of each log or motion, every PERIOD.
    source, noise : str
        In words.
    relative : float
        Noise of the forces over their rms.
    duration : float
        s, of all responses.
    row_scale : ndarray or None
        What forces of different units are over.
    smaller : callable or None
        Responses of the motions with amplitudes times a size.
    stated : mapping of str to float, or None
        Deviations of an estimate.
    """

    owner: SetOwner
    subject: Subject
    parameters: ParameterSet
    set_name: str
    expected: Forecast
    responses: Sequence[Response]
    source: str
    noise: str
    relative: float
    duration: float
    row_scale: FloatArray | None
    smaller: Callable[[float], list[Response | None]] | None
    stated: Mapping[str, float] | None


def force_noise(text: str) -> tuple[float, bool]:
    """Deviation of the forces' noise: of their rms, or in N."""
    relative = text.endswith("%")
    try:
        value = float(text.rstrip("%"))
    except ValueError:
        value = -1.0
    if not 0 < value <= 1e6:
        raise SettingsError(f"--noise {text}: must be a positive number of N, or in %")
    return (value / 100, False) if relative else (value, True)


def study_struts(machine: Machine, options: argparse.Namespace) -> Study:
    """Return the study of a hexapod's parameter set."""
    settings = Settings.of(estimator="ls", parameters=options.parameters, hold_out=0.0)
    parameters = settings.parameter_set(machine)
    stated = _read_deviations(options.estimate, Hexapod(machine), parameters)
    paths: list[Trajectory] = []
    motions: list[PlatformMotion] = []
    if options.logs:
        logs = read_logs(options.logs, machine, **reading(options, Hexapod(machine)))
        source, noise = ", ".join(options.logs), "noise learned"
    else:
        size, absolute = force_noise(options.noise or NOISE)
        paths = [_find_path(machine, name, options.duration) for name in options.trajectory]
        motions = [path.motion(np.arange(0.0, path.duration, 1.0 / _rate(machine))) for path in paths]
        _refuse_rest(machine, parameters, motions, options.trajectory)
        logs = [log_of_motion(machine, motion, size, absolute, options.seed) for motion in motions]
        source, noise = ", ".join(options.trajectory), f"noise {options.noise or NOISE}"
    expected = forecast(logs, machine, settings, motions)
    subject = Subject.of(machine, parameters, ADVISED)
    responses = (
        responses_of_logs(logs, subject, settings) if not paths else _sample_exact_motions(subject, paths)
    )
    rows = sum(len(one.rows) for one in responses)
    return Study(
        SetOwner(machine.name, machine.hash), subject, parameters, options.parameters, expected, responses, source,
        noise, RELATIVE, rows / STRUTS * PERIOD, None,
        None if not paths else lambda part: [subject.along(path, part) for path in paths],
        stated,
    )  # fmt: skip


def study_drives(mechanism: Mechanism, options: argparse.Namespace) -> Study:
    """Return the study of the base parameters of bodies and joints."""
    machine = Multibody(mechanism)
    settings = Settings.of(estimator="ls", parameters=options.parameters, hold_out=0.0)
    subject = Subject.of(machine, settings.parameter_set(machine), ADVISED)
    stated = _read_deviations(options.estimate, machine, subject.parameters)
    motions: list[DriveMotion] = []
    if options.logs:
        how = reading(options, machine)
        logs = [read_log_response(path, subject, **how) for path in options.logs]
        expected = forecast_logs(subject, logs)
        responses = [one.response for one in logs]
        source, noise = ", ".join(options.logs), "noise learned"
        relative = float(np.mean([np.mean(one.noise / one.response.rms) for one in logs]))
    else:
        size, absolute = force_noise(options.noise or NOISE)
        motions = [generate_motion(name, mechanism, options.duration) for name in options.trajectory]
        expected = forecast_motions(subject, motions, size, absolute)
        responses = _sample_exact_motions(subject, motions)
        source, noise = ", ".join(options.trajectory), f"noise {options.noise or NOISE}"
        relative = size if not absolute else RELATIVE
    return Study(
        SetOwner(mechanism.name, mechanism.hash), subject, expected.parameters, BASE, expected, responses, source,
        noise, relative, PERIOD * sum(len(part.force) for part in responses), subject.row_scale(responses),
        None if not motions else lambda part: [subject.along(one, part) for one in motions],
        stated,
    )  # fmt: skip


def _sample_exact_motions(subject: Subject, paths: Sequence[Trajectory | DriveMotion]) -> list[Response]:
    """Return what a machine does in motions that are known exactly, every PERIOD."""
    parts = [subject.along(path) for path in paths]
    return [part for part in parts if part is not None]


def _refuse_rest(
    machine: Machine, parameters: ParameterSet, motions: Sequence[PlatformMotion], names: Sequence[str]
) -> None:
    """Refuse motions that all rest: how many combinations gravity shows by itself."""
    if any(motion.twist.any() or motion.acceleration.any() for motion in motions):
        return
    raise SettingsError(f"trajectory '{', '.join(names)}': {of_rest(machine, parameters, motions)}")


def _read_deviations(
    path: str | None, machine: Contract, parameters: ParameterSet
) -> Mapping[str, float] | None:
    """Return the deviations of an estimate of the machine, of whatever parameters; None without an estimate."""
    if path is None:
        return None
    stated = compute_stated_deviations(path, machine)
    if not set(stated) & set(parameters.names):
        raise SettingsError(
            f"--estimate {path}: has none of the parameters {listed(list(parameters.names))}: use an estimate "
            "of pkm identify of the same set"
        )
    return stated


def _find_path(machine: Machine, name: str, duration: float | None) -> Trajectory:
    """Return a motion by name."""
    if name == FALL or (name not in TRAJECTORIES and not is_motion_file(name)):
        raise SettingsError(
            f"--trajectory {name}: not one of {', '.join(one for one in TRAJECTORIES if one != FALL)}, "
            "nor a motion file (.yaml)"
        )
    return trajectory(name, machine, duration)


def _rate(machine: Machine) -> float:
    """Return the rate of a machine's drives, Hz."""
    return machine.drive.sample_rate if machine.drive is not None else SAMPLE_RATE
