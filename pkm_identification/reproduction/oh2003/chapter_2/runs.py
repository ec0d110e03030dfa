"""Three machines in the motions of Table 2.2: shares of the force groups, sensitivity to the centre of mass."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.mechanisms.hexapod.analysis.center_of_mass_sensitivity import (
    ERROR,
    Sensitivity,
    center_of_mass_sensitivity,
)
from pkm_identification.mechanisms.hexapod.analysis.contributions import Contributions, shares
from pkm_identification.mechanisms.hexapod.dynamics import ForceGroups, force_groups, strut_forces
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray

from ..table_2_2_motions import SOURCE_MOTIONS
from .data import MACHINES, study_machine


@dataclass(frozen=True)
class Case:
    """One machine in one motion.

    Attributes
    ----------
    shares : Contributions
    sensitivity : Sensitivity
        To the platform's centre of mass.
    pose_sensitivity : ndarray, shape (3,)
        Over-all S of the same kind, when instead the whole platform is displaced along base x, y, z.
    acceleration, gravity : float
        Mean share in % of pm + sm and of grp + grs, each as one group.
    """

    shares: Contributions
    sensitivity: Sensitivity
    pose_sensitivity: FloatArray
    acceleration: float
    gravity: float


Study = dict[tuple[str, str], Case]  # by machine and motion


def study_case(machine: Machine, name: str) -> Case:
    """A machine in a motion of Table 2.2, without friction."""
    motion = SOURCE_MOTIONS[name].period(machine)
    groups = force_groups(machine, motion, friction=False)
    sensitivity = center_of_mass_sensitivity(machine, motion, friction=False)
    return Case(
        shares=shares(groups),
        sensitivity=sensitivity,
        pose_sensitivity=_pose_sensitivity(machine, motion, ERROR * sensitivity.travel),
        acceleration=_joint_share(groups, "pm", "sm"),
        gravity=_joint_share(groups, "grp", "grs"),
    )


def run_study() -> Study:
    """All machines in all motions."""
    machines = {name: study_machine(name) for name in MACHINES}
    return {
        (name, motion): study_case(machine, motion)
        for name, machine in machines.items()
        for motion in SOURCE_MOTIONS
    }


def change_with_chapters_4_5(study: Study) -> float:
    """Largest change of a mean share, in points, when the UF machine has the inertias of chapters 4-5."""
    machine = study_machine("uf", chapters_4_5=True)
    return max(
        float(np.abs(study_case(machine, name).shares.mean_all - study["uf", name].shares.mean_all).max())
        for name in SOURCE_MOTIONS
    )


def _joint_share(groups: ForceGroups, *names: str) -> float:
    joined = sum(getattr(groups, name) for name in names)
    return float(100.0 * np.abs(joined).mean() / np.abs(groups.total).mean())


def _pose_sensitivity(machine: Machine, motion: PlatformMotion, error: float) -> FloatArray:
    force = strut_forces(machine, motion, friction=False)
    change = [
        strut_forces(machine, replace(motion, position=motion.position + error * axis), friction=False)
        - force
        for axis in np.eye(3)
    ]
    return np.abs(change).mean(axis=(1, 2)) / np.abs(force).mean() / ERROR
