# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm sensitivity: what a wrong centre of mass of the platform, or of a body, does to the forces of a motion."""

from __future__ import annotations

import argparse

from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.multibody.analysis.body_sensitivity import body_sensitivity
from pkm_identification.mechanisms.multibody.kinematics import motion_of_drives
from pkm_identification.mechanisms.multibody.setpoints import find_output_body, find_payload_body
from pkm_identification.report.contribution_tables import build_sensitivity_document, build_sensitivity_table

from .named_motion import add_options, build_motion_document, compute_named_motion
from .results import output_folder, present, write_figures

PLATFORM = "platform"  # what moves the outputs, whatever the file calls it
OWN = "motion"  # what the file's own motion is called


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "sensitivity",
        description="Relative change of the drives' forces for an error of a body's centre of mass of 1 % of the "
        "motion's travel, along x, y, z and combinations (Oh 2003, 2.89): 5.5 means 5.5 % of force.",
    )
    add_options(parser)
    parser.add_argument(
        "--body",
        metavar="NAME",
        help="whose centre of mass (default: the platform, what the outputs are of, or the last link)",
    )
    parser.add_argument("--travel", type=float, metavar="M", help="m (default: that of the motion)")
    parser.set_defaults(run=_run_sensitivity)


def _run_sensitivity(options: argparse.Namespace) -> int:
    machine = load_machine(options.machine)
    mechanism = machine.bodies
    platform = find_output_body(mechanism.description)
    names = [one.name for one in mechanism.description.bodies]
    unnamed = options.body in {None, PLATFORM} - set(names)
    body = (platform or find_payload_body(mechanism.description)) if unnamed else options.body
    path = compute_named_motion(options.trajectory, machine)
    moved = motion_of_drives(mechanism, path.coordinate, path.rate, path.acceleration)
    sensitivity = body_sensitivity(mechanism, moved, body, options.travel, not options.no_friction)
    drives = tuple(drive.force_name for drive in machine.drives)
    name = options.trajectory or OWN
    document = {
        **build_motion_document(machine.name, name, options),
        **build_sensitivity_document(sensitivity),
        "body": body,
        "drives": list(drives),
    }
    # files first: nothing is printed when one cannot be written
    if options.out:
        from pkm_identification.report.figures.contributions import sensitivity_figure

        title = f"{machine.name}, {name}: centre of mass wrong by 1 % of the travel"
        write_figures(
            output_folder(options.out),
            {f"sensitivity_{name}": sensitivity_figure(sensitivity, title, drives)},
        )
    whose = "the platform's" if body == platform else f"{body}'s"
    text = (
        f"{build_sensitivity_table(sensitivity, drives)}\n\n% of mean |F| for an error of {whose} centre of mass of "
        f"1 % of the travel ({sensitivity.travel:.4g} m); axes of the body"
    )
    present(text, document, options.json)
    return 0
