# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm control-design: laws of control compared on one machine with its drives."""

from __future__ import annotations

import argparse
from dataclasses import replace

from pkm_identification.errors import SettingsError
from pkm_identification.progress import steps
from pkm_identification.records.atomic import write_text

from .arguments import add_json, add_machine
from .results import check_file, present, say

AMPLITUDE, TURN = 0.004, 0.02  # m, rad, of a sum of sines
MOST_AXES = 3  # where none are named
PAYLOAD = 0.25  # of the mass of the body that carries it


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "control-design",
        description="Compare laws of control on one machine with its drives: position loops as tuned, gravity "
        "compensation, effective-mass gain scheduling, decoupling, computed torque, workspace control and, of "
        "valves, a force loop, by bandwidth, error, crosstalk, stiffness, margin and with a payload. --write puts "
        "the gains of one of them into a machine file, which simulator and controller use, and measures that file.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_machine(parser)
    parser.add_argument(
        "--axes", metavar="A,B", help="of the platform, outputs or drives (default: the first three)"
    )
    parser.add_argument(
        "--bandwidth",
        type=float,
        metavar="HZ",
        help="that laws with a model ask for (default: that of the file's position loops)",
    )
    parser.add_argument("--amplitude", type=float, metavar="A", help="m or rad (default: 0.004 m, 0.02 rad)")
    parser.add_argument(
        "--payload",
        type=float,
        metavar="KG",
        help="on the platform or the last body (default: a quarter of its mass)",
    )
    parser.add_argument(
        "--law", metavar="LAW", help="whose gains --write writes: position, computed torque or workspace"
    )
    parser.add_argument("--write", metavar="FILE", help="machine file with the gains of --law at --bandwidth")
    add_json(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    check_file(options.json, "--json")
    check_file(options.write, "--write")
    for name in ("bandwidth", "amplitude", "payload"):
        value = getattr(options, name)
        if value is not None and not 0.0 < value < float("inf"):
            raise SettingsError(f"--{name} {value:g}: must be positive")
    # MuJoCo takes longer to load than most commands run
    from pkm_identification.exporting.control_gains import choose_law, write_gains
    from pkm_identification.machines.load import load_machine
    from pkm_identification.report.control_designs import design_document, design_text
    from pkm_identification.simulation.actuated.control_design import (
        choose_bandwidth,
        compare_laws,
        find_carrier,
        name_laws,
    )
    from pkm_identification.simulation.actuated.subject import Subject

    machine = load_machine(options.machine)
    subject = Subject.of_forces(machine, options.machine)
    count = min(MOST_AXES, subject.mechanism.degrees_of_freedom)
    axes = options.axes.split(",") if options.axes else list(subject.axes[:count])
    if len(set(axes)) != len(axes):
        raise SettingsError(f"--axes {options.axes}: names an axis twice")
    for axis in axes:
        subject.direction(axis)
    bandwidth = choose_bandwidth(subject) if options.bandwidth is None else options.bandwidth
    law = options.law or choose_law(machine)
    text = write_gains(machine, law, bandwidth) if options.write or options.law else ""
    turning = subject.unit(axes[0]) == "rad"
    amplitude = (TURN if turning else AMPLITUDE) if options.amplitude is None else options.amplitude
    path, mass = find_carrier(subject)
    payload = PAYLOAD * mass if options.payload is None else options.payload
    change = {path: payload}
    loaded = Subject.of_forces(machine.with_changes(change), options.machine)
    results = [
        compare_laws(subject, loaded, axes, bandwidth, amplitude, (name,))[0]
        for name in steps("laws", name_laws(subject))
    ]
    if options.write:
        write_text(options.write, text)
        written = load_machine(options.write)
        plain, heavier = (
            Subject.of_forces(one, options.write) for one in (written, written.with_changes(change))
        )
        done = compare_laws(plain, heavier, axes, bandwidth, amplitude, name_laws(subject)[:1])[0]
        results.append(replace(done, name=f"as written: {law}"))
    told = (subject.mechanism.name, results, axes, bandwidth, f"{payload:.3g} kg")
    present(design_text(*told), design_document(*told), options.json)
    if options.write:
        say(f"pkm control-design: wrote {options.write}: '{law}' at {bandwidth:.3g} Hz")
    return 0
