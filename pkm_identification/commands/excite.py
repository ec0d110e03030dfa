# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm excite: a motion that shows a machine's parameters well, within all its limits."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pkm_identification.document import YAML_ENDINGS
from pkm_identification.errors import SettingsError
from pkm_identification.identification.excitation.criteria import CRITERIA, Criterion
from pkm_identification.identification.settings import NAMED, Settings
from pkm_identification.interruption import stoppable
from pkm_identification.machines.capabilities import PostureMeasures, require
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.load import load_machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records.atomic import write_text
from pkm_identification.records.orientations import FORMS
from pkm_identification.report.listing import Listing

from .arguments import (
    add_angles,
    add_machine,
    add_reading,
    add_setting,
    check_seed,
    reading,
)
from .results import check_file, say

if TYPE_CHECKING:
    from pkm_identification.identification.excitation.subject import Subject

LONGEST_BUDGET = 3600.0  # s
LONGEST_MOTION = 600.0  # s
POSES_PERIOD = 0.01  # s
TABLE_ENDINGS = (".csv", ".csv.gz")


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "excite",
        description="Search a periodic motion that determines the parameters better than 'rich', within lengths, "
        "rates and "
        "forces and away from singular poses. Ctrl-C writes the best one so far.",
    )
    add_machine(parser)
    parser.add_argument("--out", required=True, metavar="FILE", help="motion file, .yaml")
    parser.add_argument(
        "--poses", metavar="CSV", help="also write the motion, every 0.01 s, as pkm forces reads it"
    )
    add_angles(parser)
    parser.add_argument(
        "--duration", type=float, default=20.0, metavar="S", help="of the motion (default: 20)"
    )
    add_setting(parser, NAMED["parameters"])
    parser.add_argument(
        "--criterion",
        choices=CRITERIA,
        default=CRITERIA[0],
        help="log-determinant of the covariance; mean logarithm of the variances; its largest eigenvalue; condition of "
        "the regressor without units (default: d)",
    )
    parser.add_argument(
        "--base",
        action="append",
        default=[],
        metavar="LOG",
        help="a log of before: the best motion to do next; repeatable",
    )
    parser.add_argument(
        "--weights",
        default="",
        metavar="NAME=W,...",
        help="of criterion a or e: how much a parameter counts (default: 1 each)",
    )
    parser.add_argument(
        "--joint-angles",
        default="",
        metavar="FIRST,SECOND,SWING",
        help="of a hexapod: how far universal joints may turn from home about their two hinges, and spherical joints "
        "swing, in degrees; empty: as far as the machine file says (default: all three)",
    )
    parser.add_argument(
        "--budget",
        type=float,
        default=120.0,
        metavar="S",
        help="of loading and searching; half of it is searched however long loading takes (default: 120)",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the changes that are tried")
    add_reading(parser)
    parser.set_defaults(run=_excite)


def _excite(options: argparse.Namespace) -> int:
    started = time.monotonic()
    _check(options)
    machine: Machine = load_machine(options.machine)
    if options.joint_angles:
        measured = require(machine, PostureMeasures, "--joint-angles")
        machine = measured.with_joint_limits(_read_joint_limits(options.joint_angles))
    # kernels and SciPy's search take longer to load than wrong options to be refused
    from pkm_identification.identification.excitation.search import search
    from pkm_identification.simulation.motion_file import format_motion_text

    subject, earlier = _build_subject(machine, options)
    weights = _read_weights(options.weights, subject.names)
    criterion = Criterion(options.criterion, subject.scale, subject.kinds, weights, earlier)
    with stoppable() as stopped:
        excitation = search(
            subject, criterion, options.budget, options.seed, say=say, stopped=stopped, started=started
        )
        if stopped():
            say("interrupted: the best motion so far is written")
    why = (
        f"pkm excite, criterion {options.criterion}, seed {options.seed}, {excitation.tried} motions tried: "
        f"{excitation.start:.6g} -> {excitation.value:.6g}"
    )
    write_text(options.out, format_motion_text(machine, excitation.signal, options.duration, why))
    if options.poses:
        instants = np.arange(0.0, options.duration + POSES_PERIOD / 2, POSES_PERIOD)
        subject.write(options.poses, excitation.signal, instants, options.angles or FORMS[0])
    heading = "std of 'rich' / std"
    rows = tuple((name, f"{gain:.2f}") for name, gain in zip(subject.names, excitation.gain, strict=True))
    print(Listing(("parameter", heading), rows, frozenset((heading,))))
    print(f"geometric mean {np.exp(np.mean(np.log(excitation.gain))):.3f}, equal time, forecast")
    if excitation.tried:
        say(f"{excitation.tried} motions tried, {excitation.kept} better ones -> {options.out}")
    else:
        say(f"no time to try a motion: 'rich', as large as the limits allow -> {options.out}")
    return 0


def _check(options: argparse.Namespace) -> None:
    """Refuse what needs no machine to be wrong, before anything is worked out."""
    check_seed(options.seed)
    if not 0 < options.budget <= LONGEST_BUDGET:
        raise SettingsError(
            f"--budget {options.budget:g}: must be more than 0 and at most {LONGEST_BUDGET:g} s"
        )
    if not 0 < options.duration <= LONGEST_MOTION:
        raise SettingsError(
            f"--duration {options.duration:g}: must be more than 0 and at most {LONGEST_MOTION:g} s"
        )
    if not options.out.endswith(YAML_ENDINGS):
        raise SettingsError(f"--out {options.out}: must end in .yaml")
    check_file(options.out, "--out")
    check_file(options.poses, "--poses")
    if options.poses and not options.poses.endswith(TABLE_ENDINGS):
        raise SettingsError(f"--poses {options.poses}: must end in {' or '.join(TABLE_ENDINGS)}")


def _build_subject(machine: Machine, options: argparse.Namespace) -> tuple[Subject, FloatArray | None]:
    """Return what the motion is to show, and what earlier logs did."""
    from pkm_identification.identification.excitation.log import read_responses
    from pkm_identification.identification.excitation.subject import Subject

    settings = Settings.of(estimator="ls", parameters=options.parameters, hold_out=0.0)
    subject = Subject.of(machine, settings.parameter_set(machine), options.duration)
    if not options.base:
        return subject, None
    earlier = read_responses(options.base, subject, settings, **reading(options, machine))
    return subject, np.concatenate([one.rows for one in earlier])


def _read_joint_limits(text: str) -> dict[str, float]:
    """Return those of three angles in degrees that are not empty, in rad by their names."""
    try:
        angles = [float(part) if part.strip() else None for part in text.split(",")]
    except ValueError:
        angles = []
    if len(angles) != 3 or not all(angle is None or 0 < angle <= 180 for angle in angles):
        raise SettingsError(
            f"--joint-angles {text}: must be three angles of more than 0 and at most 180 degrees, or empty, with commas"
        )
    given = zip(("first", "second", "swing"), angles, strict=True)
    return {name: float(np.radians(angle)) for name, angle in given if angle is not None}


def _read_weights(text: str, names: Sequence[str]) -> FloatArray | None:
    """Return how much each parameter counts, of NAME=W with commas."""
    if not text:
        return None
    weights = np.ones(len(names))
    for part in text.split(","):
        name, _, value = part.rpartition("=")
        if name not in names:
            raise SettingsError(f"--weights {part}: no such parameter; there are {', '.join(names)}")
        try:
            weight = float(value)
        except ValueError:
            weight = -1.0
        if not 0 <= weight <= 1e6:
            raise SettingsError(f"--weights {part}: must be a number from 0 to 1e6")
        weights[list(names).index(name)] = weight
    if not weights.any():
        raise SettingsError("--weights: one must be more than zero")
    return weights
