"""pkm identifiability: what logs or a motion show of a machine's parameters, and how well."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.identification.excitation.advice import advice
from pkm_identification.identification.excitation.hexapod import HexapodSubject
from pkm_identification.identification.excitation.mechanism import MechanismSubject
from pkm_identification.identification.excitation.subject import PERIOD, Response
from pkm_identification.identification.procedures.forecast import forecast, log_of_motion
from pkm_identification.identification.procedures.mechanism_forecast import mechanism_forecast
from pkm_identification.identification.procedures.pruning import reduced
from pkm_identification.identification.settings import NAMED, Settings
from pkm_identification.mechanisms.builtin import is_mechanism
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.reduced import ENDING
from pkm_identification.mechanisms.hexapod.parameters.reduced import reduced_text as set_text
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.motion import STRUTS, PlatformMotion, StrutLog
from pkm_identification.records import read_logs
from pkm_identification.report.identifiability.forecast import forecast_document, forecast_text
from pkm_identification.report.identifiability.reduced import reduced_document, reduced_text
from pkm_identification.simulation.motion_file import is_motion_file
from pkm_identification.simulation.multibody.motions import generated
from pkm_identification.simulation.trajectories import trajectory

from .arguments import add_json, add_machine, add_setting, check_seed, percent, refuse_for_mechanism
from .results import check_file, present, write_text
from .simulate import TRAJECTORIES

FALL = "free"
NOISE = "1%"
ADVISED = 20.0  # s, of the motion that advice begins with
RELATIVE = 0.01  # of the rms force, noise that advice is given for
SHARE = 0.7  # of each motion, by which a set is reduced; the rest confirms it
LONGEST = 3600.0  # s, as of simulate
SAMPLE_RATE = 1000.0  # Hz, of machines whose file states none


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "identifiability",
        description="What logs or a motion show of a hexapod's parameters, or a motion of a mechanism's base "
        "parameters: alone, only in a combination, not in this motion, never; with the standard deviation to expect of "
        "'pkm identify --estimator ls' (its random part), and what motion would help.",
    )
    parser.add_argument("logs", nargs="*", metavar="LOG", help=".csv, .csv.gz or a bag folder")
    add_machine(parser)
    parser.add_argument("--topic", help="topic in a bag when it has several named strut_states")
    own = [name for name in TRAJECTORIES if name != FALL]
    parser.add_argument(
        "--trajectory",
        action="append",
        default=[],
        metavar="T",
        help=f"instead of logs, before the experiment: {', '.join(own)}, or a motion file of pkm excite; repeatable "
        "(of a mechanism rich, rich2, slow, or a file)",
    )
    parser.add_argument("--duration", type=float, metavar="S", help="of the trajectory (default: its own)")
    add_setting(parser, NAMED["parameters"])
    parser.add_argument(
        "--noise",
        metavar="N|P%",
        help=f"standard deviation of the forces' noise in a trajectory, in N or in %% of each drive's rms force "
        f"(default: {NOISE.replace('%', '%%')}); of logs it is learned",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the noise")
    parser.add_argument(
        "--drop-below",
        type=percent,
        metavar="PERCENT",
        help="of a hexapod: write the smallest set that predicts the forces of the first 70 %% of these motions to so "
        "many percent of their norm, for pkm identify --parameters",
    )
    parser.add_argument("--reduced", metavar="FILE", help="where that set goes, .yaml")
    add_json(parser)
    parser.set_defaults(run=_identifiability)


def _identifiability(options: argparse.Namespace) -> int:
    check_seed(options.seed)
    if bool(options.logs) == bool(options.trajectory):
        raise SettingsError("either logs or --trajectory is needed, and not both")
    if options.logs and (options.noise is not None or options.duration is not None):
        given = "--noise" if options.noise is not None else "--duration"
        raise SettingsError(f"{given}: of a trajectory; logs have their own")
    if options.duration is not None and not 0 < options.duration <= LONGEST:
        raise SettingsError(f"--duration {options.duration:g}: must be more than 0 and at most {LONGEST:g} s")
    _check_reduced(options)
    if is_mechanism(options.machine):
        refuse_for_mechanism(options, drop_below="--drop-below", parameters="--parameters")
        return _of_mechanism(options)
    machine = Machine.load(options.machine)
    settings = Settings.of(estimator="ls", parameters=options.parameters, hold_out=0.0)
    settings.parameter_set(machine)
    motions: list[PlatformMotion] = []
    if options.logs:
        logs, _ = read_logs(options.logs, machine, options.topic)
        source, noise = ", ".join(options.logs), "noise learned"
    else:
        size, absolute = _noise(options.noise or NOISE)
        motions = [_motion(machine, name, options.duration) for name in options.trajectory]
        logs = [log_of_motion(machine, motion, size, absolute, options.seed) for motion in motions]
        source, noise = ", ".join(options.trajectory), f"noise {options.noise or NOISE}"
    found = forecast(logs, machine, settings, motions)
    parameters = settings.parameter_set(machine)
    subject = HexapodSubject.of(machine, parameters, ADVISED)
    responses = _responses(subject, settings, logs, motions)
    known = np.concatenate([one.rows for one in responses])
    advised = advice(subject, known, len(known) / STRUTS * PERIOD, RELATIVE)
    text = forecast_text(found, machine.name, source, noise, advised)
    document = forecast_document(found, machine.name, source, noise, advised)
    if options.drop_below is not None:
        ends = [round(SHARE * len(one.columns)) for one in responses]
        columns = np.concatenate([one.columns[:end] for one, end in zip(responses, ends, strict=True)])
        held = np.concatenate([one.columns[end:] for one, end in zip(responses, ends, strict=True)])
        less = reduced(parameters, columns, options.drop_below, held, subject)
        why = f"pkm identifiability --drop-below {100 * options.drop_below:g}, {source}"
        write_text(options.reduced, set_text(machine, options.parameters, less.values, why))
        text += "\n\n" + reduced_text(less)
        document["reduced"] = reduced_document(less)
    present(text, document, options.json)
    return 0


def _check_reduced(options: argparse.Namespace) -> None:
    """Refuse a bound that is none, and a set without a place."""
    if options.drop_below is not None and not 0 < options.drop_below < 1:
        raise SettingsError(f"--drop-below {100 * options.drop_below:g}: must be between 0 and 100 %")
    if (options.drop_below is None) != (options.reduced is None):
        raise SettingsError("--drop-below and --reduced FILE go together")
    if options.reduced is not None and not options.reduced.endswith(ENDING):
        raise SettingsError(f"--reduced {options.reduced}: must end in {ENDING}")
    check_file(options.reduced, "--reduced")


def _responses(
    subject: HexapodSubject, settings: Settings, logs: Sequence[StrutLog], motions: Sequence[PlatformMotion]
) -> list[Response]:
    """What a machine does in logs, or in motions that are known exactly."""
    if not motions:
        return subject.earlier(logs, settings)
    return [subject.of_states(one[:: max(1, round(PERIOD * len(one) / np.ptp(one.time)))]) for one in motions]


def _of_mechanism(options: argparse.Namespace) -> int:
    """Base parameters of a mechanism, before the experiment."""
    if options.logs:
        raise SettingsError(
            f"machine '{options.machine}' is a mechanism: --trajectory, there is no log of one"
        )
    mechanism = Mechanism.load(options.machine)
    size, absolute = _noise(options.noise or NOISE)
    motions = [generated(name, mechanism, options.duration) for name in options.trajectory]
    subject = MechanismSubject.of(mechanism, ADVISED)
    found = mechanism_forecast(subject, motions, size, absolute)
    parts = [subject.of_drives(one.drives(np.arange(0.0, one.duration, PERIOD))) for one in motions]
    known = np.concatenate([part.rows for part in parts if part is not None])
    duration = sum(one.duration for one in motions)
    advised = advice(subject, known, duration, size if not absolute else RELATIVE)
    source, noise = ", ".join(options.trajectory), f"noise {options.noise or NOISE}"
    present(
        forecast_text(found, mechanism.name, source, noise, advised),
        forecast_document(found, mechanism.name, source, noise, advised),
        options.json,
    )
    return 0


def _motion(machine: Machine, name: str, duration: float | None) -> PlatformMotion:
    """A motion by name, at the machine's sample rate."""
    if name == FALL or (name not in TRAJECTORIES and not is_motion_file(name)):
        raise SettingsError(
            f"--trajectory {name}: not one of {', '.join(one for one in TRAJECTORIES if one != FALL)}, "
            "nor a motion file (.yaml)"
        )
    path = trajectory(name, machine, duration)
    rate = machine.drive.sample_rate if machine.drive is not None else SAMPLE_RATE
    return path.motion(np.arange(0.0, path.duration, 1.0 / rate))


def _noise(text: str) -> tuple[float, bool]:
    """Deviation of the forces' noise: of their rms, or in N."""
    relative = text.endswith("%")
    try:
        value = float(text.rstrip("%"))
    except ValueError:
        value = -1.0
    if not 0 < value <= 1e6:
        raise SettingsError(f"--noise {text}: must be a positive number of N, or in %")
    return (value / 100, False) if relative else (value, True)
