# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm workspace: pictures and tables of where a machine reaches and how dexterous it is there."""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.machines.capabilities import HexapodFile, PlatformPose, has, require
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.load import load_machine
from pkm_identification.machines.reach import follow_lines
from pkm_identification.mechanisms.hexapod.analysis.effective_mass import effective_mass
from pkm_identification.mechanisms.hexapod.kinematics.workspace import (
    FINE,
    PLANES,
    WorkspaceSlice,
    workspace_slice,
)
from pkm_identification.mechanisms.hexapod.machine import Machine as Hexapod
from pkm_identification.numerics.rotation import matrix_from_vector
from pkm_identification.progress import steps
from pkm_identification.records.orientations import write_rotations
from pkm_identification.records.table import write_table

from .arguments import add_angles, add_machine
from .results import output_folder, write_figures


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "workspace",
        description="Where a machine reaches, coloured by dexterity (1 / condition number), as PNG and CSV. Of a "
        "hexapod: slices at constant orientation through home, where all strut lengths are within their limits. Of "
        "another machine with a platform's pose or named outputs: straight lines of its drives from home, each up to "
        "a limit or a singularity.",
    )
    add_machine(parser)
    parser.add_argument("--plane", choices=tuple(PLANES), help="of the base frame (default: all three)")
    parser.add_argument(
        "--rotation",
        nargs=3,
        type=float,
        default=(0.0, 0.0, 0.0),
        metavar=("RX", "RY", "RZ"),
        help="turn from home, degrees: a rotation vector in base axes (default: 0 0 0)",
    )
    parser.add_argument(
        "--through",
        nargs=3,
        type=float,
        metavar=("X", "Y", "Z"),
        help="m, a point of the slices (default: home)",
    )
    parser.add_argument(
        "--points",
        type=int,
        default=FINE,
        help=f"per side of a slice; or lines that are followed (default: {FINE})",
    )
    parser.add_argument(
        "--payload",
        metavar="MASS[,X,Y,Z]",
        help="effective masses with this load, too; kg, m in the platform frame",
    )
    parser.add_argument(
        "--out",
        required=True,
        metavar="DIR",
        help="folder for workspace_PLANE.png and .csv, or workspace.png and .csv",
    )
    add_angles(parser)
    parser.set_defaults(run=_run_workspace)


def _run_workspace(options: argparse.Namespace) -> int:
    if not 10 <= options.points <= 2000:
        raise SettingsError(f"--points {options.points}: must be from 10 to 2000")
    whole = load_machine(options.machine)
    if not has(whole, HexapodFile):
        return _reach(whole, options)
    machine = whole.description
    turn = np.array(options.rotation)
    if not np.all(np.isfinite(turn)) or np.linalg.norm(turn) > 360:
        raise SettingsError(f"--rotation {turn.tolist()}: must be finite angles, in all at most 360 degrees")
    if options.through is not None and not np.all(np.isfinite(options.through)):
        raise SettingsError(f"--through {options.through}: must be finite")
    rotation = matrix_from_vector(np.deg2rad(turn)) @ machine.home_rotation
    words = "turned {:g}, {:g}, {:g} deg from home".format(*turn) if np.any(turn) else ""
    # matplotlib takes longer to load than the slices to compute
    from pkm_identification.report.figures.reach import draw_workspace_figure

    machines = [("", machine)]
    if options.payload is not None:
        # MuJoCo, which comes along, takes longer to load than the slices to compute
        from pkm_identification.simulation.payload import Payload, load_platform

        load = Payload.carried(options.payload, "--payload")
        machines.append(
            (f"with {load.mass:g} kg: ", replace(machine, platform=load_platform(machine.platform, load)))
        )

    # last: what is refused leaves no folder behind
    folder = output_folder(options.out)
    empty = 0
    for plane in steps("slices", [options.plane] if options.plane else list(PLANES)):
        piece = workspace_slice(machine, plane, rotation, options.through, options.points)
        path = folder / f"workspace_{plane}"
        write_figures(folder, {path.name: draw_workspace_figure(machine, piece, words)})
        turned = np.broadcast_to(rotation, (piece.inside.size, 3, 3))
        orientation = write_rotations(turned, options.angles) if options.angles else {}
        write_table(path.with_suffix(".csv"), _list_columns(piece) | orientation)
        print(f"{plane}: {_summarise(piece)} -> {path}.png, .csv")
        for prefix, carrying in machines:
            if np.any(piece.inside):
                print(f"    {prefix}{_format_masses(carrying, piece)}")
        empty += not np.any(piece.inside)
    return 1 if empty else 0


def _reach(machine: Machine, options: argparse.Namespace) -> int:
    """Write where lines of the drives lead; 1 if none leads anywhere."""
    for flag, value in (
        ("--plane", options.plane), ("--rotation", any(options.rotation)), ("--through", options.through),
        ("--payload", options.payload),
    ):  # fmt: skip
        if value:
            require(machine, HexapodFile, flag)
    platform = require(machine, PlatformPose, "--angles") if options.angles else None
    reach = follow_lines(machine, options.points, f"--machine {options.machine}")
    # matplotlib takes longer to load than lines to follow
    from pkm_identification.report.figures.reach import reach_figure

    folder = output_folder(options.out)
    path = folder / "workspace"
    write_figures(folder, {path.name: reach_figure(machine, reach)})
    columns = dict(zip((drive.name for drive in machine.drives), reach.coordinate.T, strict=True))
    if platform is None:
        columns |= dict(zip(reach.names, reach.value.T, strict=True))
    else:
        rotation = matrix_from_vector(reach.value[:, 3:]) @ platform.home_pose[1]
        columns |= dict(zip(reach.names[:3], reach.value[:, :3].T, strict=True))
        columns |= write_rotations(rotation, options.angles)
    write_table(path.with_suffix(".csv"), {"line": reach.line} | columns | {"dexterity": reach.dexterity})
    lowest, highest = reach.value.min(axis=0), reach.value.max(axis=0)
    rows = zip(reach.names, lowest, highest, reach.units, strict=True)
    ranges = ", ".join(f"{name} {low:.4g} to {high:.4g} {unit}" for name, low, high, unit in rows)
    ends = ", ".join(f"{count} at a {reason}" for reason, count in reach.count_ends().items())
    print(
        f"{ranges}; dexterity {reach.dexterity.min():.3f} to {reach.dexterity.max():.3f}; "
        f"of {len(reach.ends)} lines {ends.replace('at a end', 'at the end').replace('at a no', 'with no')} "
        f"-> {path}.png, .csv"
    )
    return 0 if len(reach.line) > len(reach.ends) else 1


def _list_columns(piece: WorkspaceSlice) -> dict[str, np.ndarray]:
    position = piece.positions().reshape(-1, 3)
    return {
        **dict(zip(("px", "py", "pz"), position.T, strict=True)),
        "inside": piece.inside.ravel().astype(int),
        "limiting_strut": piece.limiting.ravel().astype(int),
        "dexterity": piece.dexterity.ravel(),
        "sign": piece.sign.ravel().astype(int),
    }


def _format_masses(machine: Hexapod, piece: WorkspaceSlice) -> str:
    """Ranges of what drives feel in the part inside the limits."""
    position = piece.positions()[piece.inside]
    felt = effective_mass(machine, position, np.broadcast_to(piece.rotation, (len(position), 3, 3)))
    regular = np.all(np.isfinite(felt.mass), axis=1)
    low, high = felt.mass[regular].min(axis=0), felt.mass[regular].max(axis=0)
    ranges = ", ".join(f"{a:.3g}-{b:.3g}" for a, b in zip(low, high, strict=True))
    text = (
        f"effective mass of struts 1 to 6: {ranges} kg; coupling at most {felt.coupling[regular].max():.2f}"
    )
    if felt.lowest is not None:
        text += f"; lowest mode {felt.lowest[regular].min():.1f} to {felt.lowest[regular].max():.1f} Hz"
    return text


def _summarise(piece: WorkspaceSlice) -> str:
    if not np.any(piece.inside):
        return "no pose within the length limits"
    seen = piece.dexterity[piece.inside]
    singular = ", singular inside" if piece.singular else ""
    return f"{1e4 * piece.area:.1f} cm², dexterity {seen.min():.3f} to {seen.max():.3f}{singular}"
