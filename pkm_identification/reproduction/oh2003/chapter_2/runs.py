# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Section 2.4: norms of the force groups, sensitivity to the centre of mass; machines, bodies and joints apart.

Every machine in the motions of Table 2.2, the same with bodies and joints of different machines, and every machine in
motions scaled for it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.mechanisms.center_of_mass_sensitivity import ERROR, Sensitivity
from pkm_identification.mechanisms.contributions import (
    Contributions,
    compute_joined_share,
    shares,
)
from pkm_identification.mechanisms.hexapod.analysis.center_of_mass_sensitivity import (
    center_of_mass_sensitivity,
)
from pkm_identification.mechanisms.hexapod.dynamics import force_groups, strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.assembly.complex_modes import (
    ComplexModes,
    count_complex_modes,
)
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray

from ..table_2_2_motions import SOURCE_MOTIONS, SourceMotion
from .data import MACHINES, OTHER_SHARES, crossed, scaled_motions, study_machine

OUT_OF_PLACE = 0.1  # m, by which joints of a general platform are off the special one's
LEVER = 0.3  # m, that makes lengths of angles in the singular values
WORST = 0.5  # of the singular value ratio at home: a motion that goes lower does not fit


@dataclass(frozen=True)
class Case:
    """One machine in one motion.

    Attributes
    ----------
    shares : Contributions
    acceleration, gravity : float
        Mean norm in % of pm + sm and of grp + grs, each as one group.
    """

    shares: Contributions
    acceleration: float
    gravity: float


@dataclass(frozen=True)
class SensitivityCase:
    """Sensitivity to the platform's centre of mass, and to the platform's place along base x, y, z, shape (3,)."""

    sensitivity: Sensitivity
    pose: FloatArray


Cases = dict[tuple[str, str], Case]  # by machine and motion


@dataclass(frozen=True)
class MachineRuns:
    """Everything of section 2.4.

    Attributes
    ----------
    cases : dict
        By machine and motion of Table 2.2.
    crossed : dict
        By geometry, masses and motion of Table 2.2.
    scaled : dict
        By machine and motion; only those that fit the machine.
    shared : dict of str to tuple of Case
        Hexel's offset motions scaled with other shares of amplitude and offset, those that fit.
    misfits : tuple of (str, str)
        Scaled motions that do not.
    sensitivities : dict
        By machine and motion of Table 2.2.
    modes : dict of str to ComplexModes
        Assembly modes of the special 6-6 and of a general platform.
    change : float
        Largest change of a mean norm, in points, when the UF machine has the inertias of chapters 4 and 5.
    """

    cases: Cases
    crossed: dict[tuple[str, str, str], Case]
    scaled: Cases
    shared: dict[str, tuple[Case, ...]]
    misfits: tuple[tuple[str, str], ...]
    sensitivities: dict[tuple[str, str], SensitivityCase]
    modes: dict[str, ComplexModes]
    change: float


def study_case(machine: Machine, motion: SourceMotion) -> Case:
    """Norms of a machine in a motion, without friction."""
    groups = force_groups(machine, motion.period(machine), friction=False)
    return Case(
        shares(groups), compute_joined_share(groups, "pm", "sm"), compute_joined_share(groups, "grp", "grs")
    )


def run_machines() -> MachineRuns:
    """Return all machines in all motions."""
    machines = {name: study_machine(name) for name in MACHINES}
    each = [(name, motion) for name in MACHINES for motion in SOURCE_MOTIONS]
    cases = {(name, motion): study_case(machines[name], SOURCE_MOTIONS[motion]) for name, motion in each}
    mixed = {
        (joints, bodies, motion): (
            cases[joints, motion]
            if joints == bodies
            else study_case(crossed(joints, bodies), SOURCE_MOTIONS[motion])
        )
        for joints in MACHINES
        for bodies in MACHINES
        for motion in SOURCE_MOTIONS
    }
    scaled, misfits = {}, []
    for name, machine in machines.items():
        for label, motion in scaled_motions(name).items():
            if fits(machine, motion):
                scaled[name, label] = study_case(machine, motion)
            else:
                misfits.append((name, label))
    return MachineRuns(
        cases,
        mixed,
        scaled,
        {
            label: tuple(
                study_case(machines["hexel"], motion)
                for motion in scaled_motions("hexel", share).values()
                if motion.offset and fits(machines["hexel"], motion)
            )
            for label, share in OTHER_SHARES.items()
        },
        tuple(misfits),
        {(name, motion): _compute_sensitivity(machines[name], motion) for name, motion in each},
        _count_modes(machines["uf"]),
        change_with_chapters_4_5(cases),
    )


def _count_modes(machine: Machine) -> dict[str, ComplexModes]:
    """Return the assembly modes of the special 6-6 at home, and of the same with its joints moved out of place."""
    lengths = strut_lengths(machine, machine.home_position[None], machine.home_rotation[None])[0]
    base, platform = np.asarray(machine.base_joints), np.asarray(machine.platform_joints)
    moved = OUT_OF_PLACE * np.random.default_rng(0).standard_normal((2, 6, 3))
    return {
        "special": count_complex_modes(base, platform, lengths),
        "general": count_complex_modes(base + moved[0], platform + moved[1], lengths),
    }


def fits(machine: Machine, motion: SourceMotion) -> bool:
    """Return whether the struts hold the platform over a motion: no pose is half as near to singular as home is far."""
    period = motion.period(machine)
    ratios = _compute_singular_ratio(machine, period.position, period.rotation)
    home = _compute_singular_ratio(machine, machine.home_position[None], machine.home_rotation[None])
    return bool(ratios.min() > WORST * home[0])


def _compute_singular_ratio(machine: Machine, position: FloatArray, rotation: FloatArray) -> FloatArray:
    rows = jacobian(machine, position, rotation) / np.array([1.0] * 3 + [LEVER] * 3)
    values = np.linalg.svd(rows, compute_uv=False)
    return values[:, -1] / values[:, 0]


def change_with_chapters_4_5(cases: Cases) -> float:
    """Return largest change of a mean norm, in points, when the UF machine has the inertias of chapters 4-5."""
    machine = study_machine("uf", chapters_4_5=True)
    return max(
        float(np.abs(study_case(machine, motion).shares.mean - cases["uf", name].shares.mean).max())
        for name, motion in SOURCE_MOTIONS.items()
    )


def _compute_sensitivity(machine: Machine, name: str) -> SensitivityCase:
    motion = SOURCE_MOTIONS[name].period(machine)
    sensitivity = center_of_mass_sensitivity(machine, motion, friction=False)
    return SensitivityCase(
        sensitivity, _compute_pose_sensitivity(machine, motion, ERROR * sensitivity.travel)
    )


def _compute_pose_sensitivity(machine: Machine, motion: PlatformMotion, error: float) -> FloatArray:
    force = strut_forces(machine, motion, friction=False)
    change = [
        strut_forces(machine, replace(motion, position=motion.position + error * axis), friction=False)
        - force
        for axis in np.eye(3)
    ]
    return np.abs(change).mean(axis=(1, 2)) / np.abs(force).mean() / ERROR
