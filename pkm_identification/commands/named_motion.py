# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions by name for the commands that study one: those of `pkm simulate` and those of the source's Table 2.2."""

from __future__ import annotations

import argparse
from types import SimpleNamespace
from typing import Any

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.machines.capabilities import BodiesFile, PlatformPose, has, require
from pkm_identification.machines.contract import Machine, Motion
from pkm_identification.mechanisms.multibody.series import compute_series_motion
from pkm_identification.motion import TRAJECTORIES
from pkm_identification.reproduction.oh2003.table_2_2_motions import SOURCE_MOTIONS

from .arguments import add_json, add_machine

PERIOD = 0.005  # s, between samples of a trajectory; its fastest tones have 2 to 3 Hz
FALL = "free"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Machine, motion and where the results go."""
    own = [name for name in TRAJECTORIES if name != FALL]
    add_machine(parser)
    parser.add_argument(
        "--trajectory",
        metavar="T",
        help=f"{', '.join(own)} (as in pkm simulate), or one of Oh 2003, Table 2.2: {{x,z,rotation}}[-offset]-"
        "{low,medium,high}; of others: rich, rich2, slow, rest, or the description's own motion if none is named",
    )
    parser.add_argument(
        "--no-friction", action="store_true", help="leave out the friction of the machine file"
    )
    add_json(parser)
    parser.add_argument("--out", metavar="DIR", help="folder for a bar chart")


def compute_named_motion(name: str | None, machine: Machine) -> Motion:
    """Return a machine's motion by name, evenly sampled: one period of Table 2.2, or a whole one of `pkm simulate`.

    If none is named, it is the one that the machine's file states.

    Raises
    ------
    PkmError
        If there is no such motion or the machine has no room for it.
    """
    asker = f"--trajectory {name}"
    if name in SOURCE_MOTIONS:
        return _compute_source_motion(name, require(machine, PlatformPose, asker))
    if name == FALL:
        raise SettingsError(f"{asker}: a fall with the drives off has no forces of the drives")
    if name is None and has(machine, BodiesFile) and machine.mechanism.description.motion is not None:
        return machine.wrap_motion(compute_series_motion(machine.mechanism))
    # MuJoCo takes longer to load than the study to run
    from pkm_identification.simulation.physics.load import build_physics

    physics = build_physics(machine)
    try:
        path = physics.build_motion(name, None, 0)
    except SettingsError as error:
        more = (
            f"; or of a platform with a pose {', '.join(SOURCE_MOTIONS)}"
            if has(machine, PlatformPose)
            else ""
        )
        raise SettingsError(f"{error}{more}") from None
    return physics.compute_motion(path, np.arange(0.0, path.duration, PERIOD))


def _compute_source_motion(name: str, machine: PlatformPose) -> Motion:
    position, rotation = machine.home_pose
    states = SOURCE_MOTIONS[name].period(SimpleNamespace(home_position=position, home_rotation=rotation))
    motion = machine.compute_motion_of_pose(
        states.position, states.rotation, states.twist, states.acceleration
    )
    for i, drive in enumerate(machine.drives):
        low, high = motion.coordinate[:, i].min(), motion.coordinate[:, i].max()
        if not (drive.lowest <= low and high <= drive.highest):
            raise SettingsError(
                f"--trajectory {name}: needs {drive.title} from {low:.4f} to {high:.4f} {drive.unit}; "
                f"machine '{machine.name}' has {drive.lowest:g} to {drive.highest:g} {drive.unit}"
            )
    return motion


def build_motion_document(machine: str, trajectory: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return how a study's JSON begins: of which machine and motion, by name, with friction or without."""
    return {"schema": 1, "machine": machine, "trajectory": trajectory, "friction": not options.no_friction}
