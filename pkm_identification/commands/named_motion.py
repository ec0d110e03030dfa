# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Motions by name for the commands that study one: those of `pkm simulate` and those of the source's Table 2.2."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.hexapod.kinematics import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.multibody.kinematics import MechanismMotion
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.series import compute_series_motion
from pkm_identification.motion import TRAJECTORIES, PlatformMotion
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


def named_motion(name: str | None, machine: Machine) -> PlatformMotion:
    """Return a motion by name, evenly sampled: one period of Table 2.2, or a whole trajectory of `pkm simulate`.

    Raises
    ------
    PkmError
        If there is no such motion or the machine has no room for it.
    """
    if name in SOURCE_MOTIONS:
        motion = SOURCE_MOTIONS[name].period(machine)
        length = strut_lengths(machine, motion.position, motion.rotation)
        low, high = machine.length_limits
        if length.min() < low or length.max() > high:
            raise SettingsError(
                f"--trajectory {name}: needs struts from {length.min():.4f} to {length.max():.4f} m; "
                f"machine '{machine.name}' has {low:g} to {high:g} m"
            )
        return motion
    if name == FALL:
        raise SettingsError(f"--trajectory {name}: a fall with the drives off has no strut forces")
    if name is None or name not in TRAJECTORIES:
        known = [*(n for n in TRAJECTORIES if n != FALL), *SOURCE_MOTIONS]
        asked = "is needed:" if name is None else f"{name}: not one of"
        raise SettingsError(f"--trajectory {asked} {', '.join(known)}")
    # MuJoCo takes longer to load than the study to run
    from pkm_identification.simulation import trajectory

    path = trajectory(name, machine)
    return path.motion(np.arange(0.0, path.duration, PERIOD))


def compute_named_drive_motion(name: str | None, mechanism: Mechanism) -> MechanismMotion:
    """Return a generated motion by name, the file's own where none is named; raises PkmError as `named_motion`."""
    if name is None and mechanism.description.motion is not None:
        return compute_series_motion(mechanism)
    # MuJoCo takes longer to load than the study to run
    from pkm_identification.simulation.multibody.motions import compute_own_motion, generate_motion

    path = generate_motion(name, mechanism) if name else compute_own_motion(mechanism)
    return path.motion(mechanism, np.arange(0.0, path.duration, PERIOD))


def build_motion_document(machine: str, trajectory: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return how a study's JSON begins: of which machine and motion, by name, with friction or without."""
    return {"schema": 1, "machine": machine, "trajectory": trajectory, "friction": not options.no_friction}
