# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm identifiability: what logs or a motion show of a machine's parameters, and how well."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.identification.excitation.advice import advice
from pkm_identification.identification.excitation.shown import Shown, decompose_motion
from pkm_identification.identification.procedures.forecast import Forecast
from pkm_identification.identification.procedures.pruning import Reduced, reduce_set
from pkm_identification.identification.settings import NAMED
from pkm_identification.machines.capabilities import BodiesFile, has
from pkm_identification.machines.load import load_machine
from pkm_identification.motion import TRAJECTORIES
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.reduced import ENDING
from pkm_identification.parameters.reduced import reduced_text as set_text
from pkm_identification.records.atomic import write_text
from pkm_identification.report.identifiability.base_parameters import build_reduced_document, reduced_text
from pkm_identification.report.identifiability.forecast import build_forecast_document, format_forecast_text

from .arguments import add_json, add_machine, add_reading, add_setting, check_seed, percent
from .identifiability_study import FALL, NOISE, Study, study_drives, study_struts
from .results import check_file, output_folder, present, say, write_figures, write_json

LONGEST = 3600.0  # s, as of simulate


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "identifiability",
        description="List which parameters of a machine logs or a motion determine (of bodies and joints the base "
        "parameters): "
        "identifiable, only as a combination, not from this motion, never; with the standard deviation to expect of "
        "'pkm "
        "identify --estimator ls' (its random part), and what motion would help.",
    )
    parser.add_argument(
        "logs",
        nargs="*",
        metavar="LOG",
        help="text of columns (also .gz), .mat, .parquet, .h5 or a bag",
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
        "(of bodies with joints rich, rich2, slow, or a file)",
    )
    parser.add_argument("--duration", type=float, metavar="S", help="of the trajectory (default: its length)")
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
        "of their norm, for --parameters of pkm identify, of this command and of pkm excite",
    )
    parser.add_argument("--reduced", metavar="FILE", help="where that set goes, .yaml")
    parser.add_argument(
        "--estimate",
        metavar="FILE",
        help="with --out: an estimate.json of pkm identify, whose deviations are compared with those to expect",
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        help="write tables (JSON, CSV) and figures here: parameters against singular directions, how the weakest "
        "direction grows with time and amplitude, deviations",
    )
    add_json(parser)
    parser.set_defaults(run=_run_identifiability)


def _run_identifiability(options: argparse.Namespace) -> int:
    check_seed(options.seed)
    if bool(options.logs) == bool(options.trajectory):
        raise SettingsError("either logs or --trajectory is needed, and not both")
    if options.logs and (options.noise is not None or options.duration is not None):
        given = "--noise" if options.noise is not None else "--duration"
        raise SettingsError(f"{given}: only with --trajectory; logs have a duration and noise already")
    if options.duration is not None and not 0 < options.duration <= LONGEST:
        raise SettingsError(f"--duration {options.duration:g}: must be more than 0 and at most {LONGEST:g} s")
    if options.estimate is not None and options.out is None:
        raise SettingsError(f"--estimate {options.estimate}: needs --out, for the figure it is drawn in")
    check_reduced(options)
    machine = load_machine(options.machine)
    loaded: Any = machine.loaded
    study = (study_drives if has(machine, BodiesFile) else study_struts)(loaded, options)
    known = np.concatenate([one.rows for one in study.responses])
    advised = advice(study.subject, known, study.duration, study.relative)
    text = format_forecast_text(study.expected, machine.name, study.source, study.noise, advised)
    document = build_forecast_document(study.expected, machine.name, study.source, study.noise, advised)
    if options.drop_below is not None:
        less = write_reduced(options, study)
        text += "\n\n" + reduced_text(less)
        document["reduced"] = build_reduced_document(less)
    if options.out is not None:
        seen = decompose_motion(study.responses, study.subject.kinds, study.smaller)
        title, scale = f"{machine.name}, {study.source}", study.parameters.scale
        write_shown(options.out, study.expected, seen, document, title, scale, study.stated)
    present(text, document, options.json)
    return 0


SHARE = 0.7  # of each motion, by which a set is reduced; the rest confirms it


def check_reduced(options: argparse.Namespace) -> None:
    """Refuse a bound that is none, and a set without a place."""
    if options.drop_below is not None and not 0 < options.drop_below < 1:
        raise SettingsError(f"--drop-below {100 * options.drop_below:g}: must be between 0 and 100 %")
    if (options.drop_below is None) != (options.reduced is None):
        raise SettingsError("--drop-below and --reduced FILE go together")
    if options.reduced is not None and not options.reduced.endswith(ENDING):
        raise SettingsError(f"--reduced {options.reduced}: must end in {ENDING}")
    check_file(options.reduced, "--reduced")


def write_reduced(options: argparse.Namespace, study: Study) -> Reduced:
    """The set of --drop-below, found in the first part of every motion and tried on the rest, as the file --reduced."""
    ends = [round(SHARE * len(one.columns)) for one in study.responses]
    pairs = list(zip(study.responses, ends, strict=True))
    columns = np.concatenate([one.columns[:end] for one, end in pairs])
    held = np.concatenate([one.columns[end:] for one, end in pairs])
    less = reduce_set(study.parameters, columns, options.drop_below, held, study.subject, study.row_scale)
    why = f"pkm identifiability --drop-below {100 * options.drop_below:g}, {study.source}"
    write_text(options.reduced, set_text(study.owner, study.set_name, less.values, why))
    return less


def write_shown(
    name: str,
    forecast: Forecast,
    seen: Shown,
    document: dict[str, Any],
    title: str,
    scale: FloatArray,
    saved: Mapping[str, float] | None = None,
) -> None:
    """The folder of --out."""
    # matplotlib takes longer to load than a motion to be judged
    from pkm_identification.report.identifiability.folder import figures, write_tables

    folder: Path = output_folder(name)
    drawn = figures(forecast, seen, title, scale, saved)
    write_json(folder / "identifiability.json", document)
    write_tables(folder, forecast, seen)
    write_figures(folder, drawn)
    say(f"tables and figures -> {folder}")
