# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm step, response and modes: a machine with actuators on the bench."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import numpy as np

from pkm_identification.errors import SettingsError

from .arguments import add_json, add_machine
from .results import check_file, output_folder, present, write_figures

if TYPE_CHECKING:
    from pkm_identification.simulation.actuated.step_test import Sensitivity
    from pkm_identification.simulation.actuated.subject import Subject

SIZE, TURN = 0.001, 0.01  # default step and amplitude, m and rad
FREQUENCIES = 8  # between --from and --to
MOST_PERCENT = 90.0


def add(commands: argparse._SubParsersAction) -> None:
    """Add the commands."""
    step = commands.add_parser(
        "step",
        description="The response of a machine with actuators to a step of its set position, from standstill at home: "
        "first "
        "peak, period, overshoot, settling and forces; with --vary how each number of the drives changes it.",
    )
    _add_common(step, "draw it into this folder, with its log, step.csv, as pkm drive takes it")
    which = step.add_mutually_exclusive_group()
    which.add_argument("--strut", type=int, metavar="N", help="step of one drive, from 1")
    which.add_argument(
        "--axis", help="step along an axis of the platform or an output, as z (default: drive 1)"
    )
    step.add_argument("--size", type=float, metavar="S", help="m or rad (default: 0.001 m, 0.01 rad)")
    step.add_argument("--duration", type=float, default=0.3, metavar="S", help="seconds (default: 0.3)")
    step.add_argument(
        "--vary",
        type=float,
        metavar="PERCENT",
        help="every number of the actuators less and more by this, ranked",
    )
    step.set_defaults(run=_step)

    response = commands.add_parser(
        "response",
        description="Frequency response of the whole sampled, nonlinear machine by the first harmonic, with the "
        "mechanism and of the drives alone, its bandwidths, and the error of position and force.",
    )
    _add_common(response)
    response.add_argument(
        "--axis", required=True, help="of the platform, an output or strut_N, as z or strut_1"
    )
    response.add_argument(
        "--from", dest="lowest", type=float, default=0.4, metavar="HZ", help="(default: 0.4)"
    )
    response.add_argument(
        "--to", dest="highest", type=float, default=20.0, metavar="HZ", help="(default: 20)"
    )
    response.add_argument(
        "--points", type=int, default=FREQUENCIES, help=f"frequencies (default: {FREQUENCIES})"
    )
    response.add_argument(
        "--amplitude", type=float, metavar="A", help="m or rad (default: 0.001 m, 0.01 rad)"
    )
    response.set_defaults(run=_run_response)

    modes = commands.add_parser(
        "modes",
        description="Modes of a machine on the compliance of its drives (oil, shafts, belts), undamped and damped: "
        "frequencies, which drives, which direction; and the mass each drive feels.",
    )
    _add_common(modes)
    modes.add_argument(
        "--pose",
        nargs=6,
        type=float,
        metavar=("X", "Y", "Z", "RX", "RY", "RZ"),
        help="of a hexapod: m and degrees (rotation vector) from home (default: home)",
    )
    modes.set_defaults(run=_run_modes)


def _add_common(parser: argparse.ArgumentParser, drawn: str = "draw it into this folder") -> None:
    add_machine(parser)
    parser.add_argument("--out", metavar="DIR", help=drawn)
    add_json(parser)


def _read_size(value: float | None, flag: str, subject: Subject, axis: str) -> float:
    size = (TURN if subject.unit(axis) == "rad" else SIZE) if value is None else value
    if not np.isfinite(size) or size == 0.0:
        raise SettingsError(f"{flag} {size:g}: must be a number other than zero")
    return size


def _show(options: argparse.Namespace, name: str, text: str, document: dict[str, Any], figure: Any) -> int:
    # files first: nothing is printed when one cannot be written
    if options.out:
        write_figures(output_folder(options.out), {name: figure()})
    present(text, document, options.json)
    return 0


def _step(options: argparse.Namespace) -> int:
    check_file(options.json, "--json")
    if not 0.01 <= options.duration <= 60:
        raise SettingsError(f"--duration {options.duration:g}: must be from 0.01 to 60 s")
    if options.vary is not None and not 0 < options.vary <= MOST_PERCENT:
        raise SettingsError(f"--vary {options.vary:g}: must be more than 0 and at most {MOST_PERCENT:g} %")
    # MuJoCo takes longer to load than most commands run
    from pkm_identification.machines.load import load_machine
    from pkm_identification.records.commanded_log import CommandedLog, write_commanded_log
    from pkm_identification.report.drive_responses import step_document, step_text
    from pkm_identification.simulation.actuated.step_test import step_answer, step_sensitivities
    from pkm_identification.simulation.actuated.subject import Subject

    subject = Subject.load(options.machine)
    count = subject.mechanism.degrees_of_freedom
    if options.strut is not None and not 1 <= options.strut <= count:
        raise SettingsError(f"--strut {options.strut}: must be from 1 to {count}")
    axis = options.axis or f"strut_{options.strut or 1}"
    size = _read_size(options.size, "--size", subject, axis)
    answer = step_answer(subject, axis, size, options.duration)
    varied: tuple[Sensitivity, ...] = ()
    if options.vary is not None:
        varied = step_sensitivities(subject, axis, size, options.vary, options.duration)

    def figure() -> Any:
        from pkm_identification.report.figures.bench import step_figure

        return step_figure(subject, axis, size, answer)

    if options.out:
        run = answer.run
        log = CommandedLog(run.time, answer.wanted, run.shown, run.reported)
        write_commanded_log(
            output_folder(options.out) / "step.csv", log, load_machine(options.machine).drives
        )
    text = step_text(subject, axis, size, answer, varied, options.vary)
    return _show(
        options, "step", text, step_document(subject, axis, size, answer, varied, options.vary), figure
    )


def _run_response(options: argparse.Namespace) -> int:
    check_file(options.json, "--json")
    if not 0 < options.lowest < options.highest:
        raise SettingsError(f"--from {options.lowest:g} --to {options.highest:g}: must be positive and rise")
    if not 2 <= options.points <= 200:
        raise SettingsError(f"--points {options.points}: must be from 2 to 200")
    from pkm_identification.report.drive_responses import build_response_document, format_response_text
    from pkm_identification.simulation.actuated.frequency_response import response
    from pkm_identification.simulation.actuated.subject import Subject

    subject = Subject.load(options.machine)
    subject.direction(options.axis)
    amplitude = _read_size(options.amplitude, "--amplitude", subject, options.axis)
    frequencies = np.geomspace(options.lowest, options.highest, options.points)
    answer = response(subject, options.axis, frequencies.tolist(), amplitude)

    def figure() -> Any:
        from pkm_identification.report.figures.bench import draw_response_figure

        return draw_response_figure(subject, options.axis, amplitude, answer)

    text = format_response_text(subject, options.axis, amplitude, answer)
    document = build_response_document(subject, options.axis, amplitude, answer)
    return _show(options, "response", text, document, figure)


def _run_modes(options: argparse.Namespace) -> int:
    check_file(options.json, "--json")
    from pkm_identification.report.drive_responses import modes_document, modes_text
    from pkm_identification.simulation.actuated.modes import modes
    from pkm_identification.simulation.actuated.subject import Subject

    subject = Subject.load(options.machine)
    if options.pose is not None:
        subject = subject.moved(np.array(options.pose))
    eigenmodes = modes(subject)

    def figure() -> Any:
        from pkm_identification.report.figures.bench import modes_figure

        return modes_figure(subject, eigenmodes)

    return _show(
        options, "modes", modes_text(subject, eigenmodes), modes_document(subject, eigenmodes), figure
    )
