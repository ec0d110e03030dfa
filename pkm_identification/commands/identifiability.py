"""pkm identifiability: what logs or a motion show of a machine's parameters, and how well."""

from __future__ import annotations

import argparse

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.identification.procedures.forecast import forecast, log_of_motion
from pkm_identification.identification.settings import NAMED, Settings
from pkm_identification.mechanisms.builtin import is_mechanism
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion
from pkm_identification.records import read_logs
from pkm_identification.report.identifiability.forecast import forecast_document, forecast_text

from .arguments import add_json, add_machine, add_setting, check_seed
from .results import present
from .simulate import TRAJECTORIES

FALL = "free"
NOISE = "1%"
SAMPLE_RATE = 1000.0  # Hz, of machines whose file states none


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "identifiability",
        description="What logs or a motion show of a hexapod's parameters: alone, only in a combination, not in this "
        "motion, never; with the standard deviation to expect of 'pkm identify --estimator ls' (its random part).",
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
        help=f"instead of logs, before the experiment: {', '.join(own)}, or a motion file of pkm excite; repeatable",
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
    add_json(parser)
    parser.set_defaults(run=_identifiability)


def _identifiability(options: argparse.Namespace) -> int:
    check_seed(options.seed)
    if bool(options.logs) == bool(options.trajectory):
        raise SettingsError("either logs or --trajectory is needed, and not both")
    if options.logs and (options.noise is not None or options.duration is not None):
        given = "--noise" if options.noise is not None else "--duration"
        raise SettingsError(f"{given}: of a trajectory; logs have their own")
    if is_mechanism(options.machine):
        raise SettingsError(
            f"machine '{options.machine}' is a mechanism; what its structure shows says pkm base-parameters"
        )
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
    present(
        forecast_text(found, machine.name, source, noise),
        forecast_document(found, machine.name, source, noise),
        options.json,
    )
    return 0


def _motion(machine: Machine, name: str, duration: float | None) -> PlatformMotion:
    """A motion by name, at the machine's sample rate."""
    if name == FALL or (name not in TRAJECTORIES and not name.endswith((".yaml", ".yml"))):
        raise SettingsError(
            f"--trajectory {name}: not one of {', '.join(one for one in TRAJECTORIES if one != FALL)}"
        )
    # MuJoCo takes longer to load than the forecast to make
    from pkm_identification.simulation import trajectory

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
