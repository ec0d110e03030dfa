# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm identify --payload: the drives' force gains by a known load."""

from __future__ import annotations

import argparse
from typing import Any

from pkm_identification.errors import SettingsError
from pkm_identification.identification.estimate_file import build_parameter_entries
from pkm_identification.identification.procedures.force_gains import ForceGains, KnownLoad, calibrate_gains
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.contract import Machine
from pkm_identification.records.log import read_logs
from pkm_identification.report.listing import paragraph
from pkm_identification.report.tables import estimate_table

from .arguments import reading
from .results import present

REFUSED = ("validate", "free_fall", "out", "report", "causal", "consistent", "fix", "tie", "prior", "also")


def calibrate(options: argparse.Namespace, machine: Machine, settings: Settings) -> int:
    """Read the logs, calibrate, print gains and parameters.

    Raises
    ------
    SettingsError
        If options do not go together, or it is not said which logs are with the load.
    """
    load = KnownLoad.parse(options.payload)
    wrong = [name for name in REFUSED if getattr(options, name) not in (None, False, "", [], [""])]
    if wrong:
        raise SettingsError(
            f"--payload calibrates the force gains; --{wrong[0].replace('_', '-')} has no part in that"
        )
    if options.unloaded:
        without, with_it = options.unloaded, options.logs
    elif len(options.logs) == 2:
        without, with_it = options.logs[:1], options.logs[1:]
    else:
        raise SettingsError(
            "--payload: give two logs, the second with the load, or --unloaded LOG for each without it"
        )
    how = reading(options, machine)
    unloaded = read_logs(without, machine, **how)
    loaded = read_logs(with_it, machine, **how)
    result = calibrate_gains(loaded, unloaded, load, machine, settings)
    present(_format_gains(result, machine), _build_document(result), options.json)
    return 0


def _format_gains(result: ForceGains, machine: Machine) -> str:
    load = result.load
    sentences = [
        f"Known load: {load.mass:g} kg at {', '.join(f'{x:g}' for x in load.center_of_mass)} m. "
        "A gain is measured over true force.",
    ]
    if machine.states_reports:
        gains = ", ".join(f"{gain:.5g}" for gain in result.build_file_gains(machine))
        sentences.append(f"The machine file knows them as drive.force_gain: [{gains}].")
    else:
        sentences.append("The machine file has no key for them: divide the forces of the logs by them.")
    words = "\n".join(paragraph(sentence, "") for sentence in sentences)
    return f"{estimate_table(result.gains)}\n\n{words}\n\n{estimate_table(result.parameters)}"


def _build_document(result: ForceGains) -> dict[str, Any]:
    return {
        "payload": {"mass": result.load.mass, "center_of_mass": result.load.center_of_mass.tolist()},
        "unloaded": list(result.unloaded),
        "loaded": list(result.loaded),
        "gains": build_parameter_entries(result.gains),
        "parameters": build_parameter_entries(result.parameters),
    }
