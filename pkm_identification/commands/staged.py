# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm staged: the source's staged procedure on several trajectories, with its cross-check."""

from __future__ import annotations

import argparse

from pkm_identification.declared import declarations
from pkm_identification.identification.procedures.staged import StageSettings
from pkm_identification.identification.procedures.staged_experiment import (
    identify_staged,
    trajectories_of,
    with_prediction,
)
from pkm_identification.identification.settings import NAMED, TUNING, Settings
from pkm_identification.records.log import read_logs
from pkm_identification.report.listing import paragraph
from pkm_identification.report.staged_tables import (
    build_cross_table,
    build_dependence_table,
    build_parameters_table,
    build_staged_document,
    build_stages_table,
    format_staged_sentences,
)
from pkm_identification.report.tables import dropped_table

from .arguments import add_json, add_logs, add_setting, machine_of_logs, reading
from .results import (
    output_folder,
    present,
    write_figures,
    write_json,
)

STAGE_OPTIONS = tuple(declarations(StageSettings).values())
OF_SOURCE = "oh24"  # the set of the source
FIGURE_NAMES = ("m_p", "m_b", "m_e", "coulomb_1")


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "staged",
        description="The staged procedure of Oh 2003, 5.3.1: on each log by itself friction, inertial "
        "parameters, both again (friction with the inertial parameters that --hold says), then all together (UKF); "
        "each result as the start on every other log; and all logs in one estimation. Each log is one trajectory.",
    )
    add_logs(parser)
    parser.add_argument(
        "--parameters",
        metavar="SET",
        help=f"as of pkm identify (default: {OF_SOURCE} of a hexapod, else base parameters)",
    )
    parser.add_argument(
        "--cutoff", type=float, metavar="HZ", help="kinematic low-pass (default: as of pkm identify)"
    )
    for declaration in STAGE_OPTIONS:
        add_setting(parser, declaration)
    for name in TUNING:
        add_setting(parser, NAMED[name])
    parser.add_argument("--out", metavar="DIR", help="folder for staged.json and figures")
    add_json(parser)
    parser.set_defaults(run=_run_staged)


def _run_staged(options: argparse.Namespace) -> int:
    machine = machine_of_logs(options)
    logs = read_logs(options.logs, machine, **reading(options, machine))
    chosen = options.parameters or (OF_SOURCE if OF_SOURCE in machine.parameter_sets else machine.sums_set)
    folder = output_folder(options.out) if options.out else None
    tuning = Settings.of(**{name: getattr(options, name) for name in TUNING}).estimator.tuning
    settings = StageSettings(
        unscented=tuning, **{one.name: getattr(options, one.name) for one in STAGE_OPTIONS}
    )
    trajectories = trajectories_of(logs, machine, chosen, options.cutoff)
    staged = with_prediction(identify_staged(machine, trajectories, settings=settings))
    document = build_staged_document(staged)
    # files first: nothing is printed when one cannot be written
    if folder:
        from pkm_identification.report.figures.staged import draw_dependence_figure, draw_stages_figure

        names = trajectories.parameters.names
        named = tuple(name for name in FIGURE_NAMES if name in names) or names[: len(FIGURE_NAMES)]
        write_json(folder / "staged.json", document)
        write_figures(
            folder,
            {
                "stages": draw_stages_figure(staged, named),
                "dependence": draw_dependence_figure(staged),
            },
        )
    estimates = {name: result.estimate for name, result in staged.results.items()}
    parts = [
        build_stages_table(staged.results),
        build_parameters_table({**estimates, "all": staged.joint.estimate}, staged.start),
        "error of the forces in %, with the result as it is / after stage 3 from it:\n"
        f"{build_cross_table(staged.cross)}",
        "how far the end of stage 3 depends on where it starts:\n"
        f"{build_dependence_table(staged.cross, staged.results, trajectories.parameters.scale)}",
        "\n".join(paragraph(line) for line in format_staged_sentences(staged)),
    ]
    if trajectories.dropped:
        parts.append(dropped_table(trajectories.dropped))
    present("\n\n".join(str(part) for part in parts), document, options.json)
    return 0
