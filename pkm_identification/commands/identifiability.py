# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""pkm identifiability: what logs or a motion show of a machine's parameters, and how well."""

from __future__ import annotations

import argparse
<<<<<<< HEAD
=======
from collections.abc import Sequence
>>>>>>> 6c32c318 (One subject of excitation for every machine: its set with the drives' friction, reduced sets of any machine; forecasts by white noise for any)

import numpy as np

from pkm_identification.errors import SettingsError
<<<<<<< HEAD
from pkm_identification.identification.excitation.advice import advice
from pkm_identification.identification.excitation.shown import shown
from pkm_identification.identification.settings import NAMED
from pkm_identification.machines.capabilities import BodiesFile, HexapodFile, has, require
from pkm_identification.machines.load import load_machine
from pkm_identification.motion import TRAJECTORIES
=======
from pkm_identification.identification.excitation.advice import ADVISED, RELATIVE, advice
from pkm_identification.identification.excitation.log import responses_of_logs
from pkm_identification.identification.excitation.shown import shown
from pkm_identification.identification.excitation.subject import PERIOD, Response, Subject
from pkm_identification.identification.procedures.forecast import forecast, log_of_motion, of_rest
from pkm_identification.identification.saved_estimate import SavedEstimate, read_saved_estimate
from pkm_identification.identification.settings import NAMED, Settings
from pkm_identification.mechanisms.builtin import is_mechanism
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS, TRAJECTORIES, PlatformMotion, StrutLog
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.records import read_logs
>>>>>>> 6c32c318 (One subject of excitation for every machine: its set with the drives' friction, reduced sets of any machine; forecasts by white noise for any)
from pkm_identification.report.identifiability.forecast import forecast_document, forecast_text
from pkm_identification.report.identifiability.reduced import reduced_document, reduced_text

<<<<<<< HEAD
from .arguments import add_json, add_machine, add_reading, add_setting, check_seed, percent
from .identifiability_results import check_reduced, write_reduced, write_shown
from .identifiability_study import FALL, NOISE, study_drives, study_struts
=======
from .arguments import (
    add_json,
    add_machine,
    add_reading,
    add_setting,
    check_seed,
    percent,
    reading,
)
from .identifiability_results import (
    NOISE,
    check_reduced,
    force_noise,
    write_reduced,
    write_shown,
)
from .mechanism_identifiability import identifiability_of_mechanism
>>>>>>> 6c32c318 (One subject of excitation for every machine: its set with the drives' friction, reduced sets of any machine; forecasts by white noise for any)
from .results import present

LONGEST = 3600.0  # s, as of simulate


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "identifiability",
        description="What logs or a motion show of a machine's parameters (of bodies and joints the base parameters): "
        "alone, only in a combination, not in this motion, never; with the standard deviation to expect of 'pkm "
        "identify --estimator ls' (its random part), and what motion would help.",
    )
    parser.add_argument(
        "logs",
        nargs="*",
        metavar="LOG",
        help="text of columns (also .gz), .mat, .parquet, .h5 or, of a hexapod, a bag",
    )
    add_machine(parser)
    add_reading(parser)
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
        help="write the smallest set that predicts the forces of the first 70 %% of these motions to so many percent "
        "of their norm, for --parameters of pkm identify, or of a mechanism of this command and pkm excite",
    )
    parser.add_argument("--reduced", metavar="FILE", help="where that set goes, .yaml")
    parser.add_argument(
        "--estimate",
        metavar="FILE",
        help="with --out: an estimate.json of pkm identify, whose deviations are drawn beside those to expect",
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        help="write tables (JSON, CSV) and figures here: parameters against singular directions, how the weakest "
        "direction grows with time and amplitude, deviations",
    )
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
    if options.estimate is not None and options.out is None:
        raise SettingsError(f"--estimate {options.estimate}: needs --out, for the figure it is drawn in")
    check_reduced(options)
<<<<<<< HEAD
    machine = load_machine(options.machine)
    if has(machine, HexapodFile):
        study = study_struts(require(machine, HexapodFile, "identifiability").description, options)
    else:
        study = study_drives(require(machine, BodiesFile, "identifiability").mechanism, options)
    known = np.concatenate([one.rows for one in study.responses])
    advised = advice(study.subject, known, study.duration, study.relative)
    text = forecast_text(study.expected, machine.name, study.source, study.noise, advised)
    document = forecast_document(study.expected, machine.name, study.source, study.noise, advised)
=======
    if is_mechanism(options.machine):
        return identifiability_of_mechanism(options)
    machine = Machine.load(options.machine)
    settings = Settings.of(estimator="ls", parameters=options.parameters, hold_out=0.0)
    parameters = settings.parameter_set(machine)
    saved = _estimate(options.estimate, machine, parameters)
    paths: list[Trajectory] = []
    motions: list[PlatformMotion] = []
    if options.logs:
        logs, _ = read_logs(options.logs, machine, **reading(options))
        source, noise = ", ".join(options.logs), "noise learned"
    else:
        size, absolute = force_noise(options.noise or NOISE)
        paths = [_path(machine, name, options.duration) for name in options.trajectory]
        motions = [path.motion(np.arange(0.0, path.duration, 1.0 / _rate(machine))) for path in paths]
        _refuse_rest(machine, parameters, motions, options.trajectory)
        logs = [log_of_motion(machine, motion, size, absolute, options.seed) for motion in motions]
        source, noise = ", ".join(options.trajectory), f"noise {options.noise or NOISE}"
    expected = forecast(logs, machine, settings, motions)
    subject = Subject.of(machine, parameters, ADVISED)
    responses = _responses(subject, settings, logs, paths)
    known = np.concatenate([one.rows for one in responses])
    advised = advice(subject, known, len(known) / STRUTS * PERIOD, RELATIVE)
    text = forecast_text(expected, machine.name, source, noise, advised)
    document = forecast_document(expected, machine.name, source, noise, advised)
>>>>>>> 6c32c318 (One subject of excitation for every machine: its set with the drives' friction, reduced sets of any machine; forecasts by white noise for any)
    if options.drop_below is not None:
        less = write_reduced(options, study)
        text += "\n\n" + reduced_text(less)
        document["reduced"] = reduced_document(less)
    if options.out is not None:
<<<<<<< HEAD
        seen = shown(study.responses, study.subject.kinds, study.smaller)
        title, scale = f"{machine.name}, {study.source}", study.parameters.scale
        write_shown(options.out, study.expected, seen, document, title, scale, study.stated)
    present(text, document, options.json)
    return 0
=======
        seen = shown(
            responses,
            subject.kinds,
            None if not paths else lambda size: [subject.along(path, size) for path in paths],
        )
        stated = None if saved is None else saved.std
        write_shown(
            options.out, expected, seen, document, f"{machine.name}, {source}", parameters.scale, stated
        )
    present(text, document, options.json)
    return 0


def _refuse_rest(
    machine: Machine, parameters: ParameterSet, motions: Sequence[PlatformMotion], names: Sequence[str]
) -> None:
    """Refuse motions that all rest: how many combinations gravity shows by itself."""
    if any(motion.twist.any() or motion.acceleration.any() for motion in motions):
        return
    raise SettingsError(f"trajectory '{', '.join(names)}': {of_rest(machine, parameters, motions)}")


def _estimate(name: str | None, machine: Machine, parameters: ParameterSet) -> SavedEstimate | None:
    """An estimate of the same parameters of the same machine."""
    if name is None:
        return None
    saved = read_saved_estimate(name)
    saved.check(machine, parameters)
    return saved


def _responses(
    subject: Subject, settings: Settings, logs: Sequence[StrutLog], paths: Sequence[Trajectory]
) -> list[Response]:
    """What a machine does in logs, or in motions that are known exactly."""
    if not paths:
        return responses_of_logs(logs, subject, settings)
    parts = [subject.along(path) for path in paths]
    return [part for part in parts if part is not None]


def _path(machine: Machine, name: str, duration: float | None) -> Trajectory:
    """A motion by name."""
    if name == FALL or (name not in TRAJECTORIES and not is_motion_file(name)):
        raise SettingsError(
            f"--trajectory {name}: not one of {', '.join(one for one in TRAJECTORIES if one != FALL)}, "
            "nor a motion file (.yaml)"
        )
    return trajectory(name, machine, duration)


def _rate(machine: Machine) -> float:
    """Of a machine's drives, Hz."""
    return machine.drive.sample_rate if machine.drive is not None else SAMPLE_RATE
>>>>>>> 6c32c318 (One subject of excitation for every machine: its set with the drives' friction, reduced sets of any machine; forecasts by white noise for any)
