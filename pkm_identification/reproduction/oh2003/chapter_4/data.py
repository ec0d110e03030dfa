# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The simulated data of Oh 2003, chapter 4: motions, forces, noise, and the equations an estimator gets.

Data come from the model itself, as in the source: struts without spin, friction of Table 4.1 by its law (4.5). What
the source leaves open is read as follows: each motion is two periods of amplitude x sin(4 pi t) about home; the free
fall ends before a strut's limit; measured are position, velocity, acceleration and strut forces.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from pkm_identification.mechanisms.friction import Friction, friction_columns
from pkm_identification.mechanisms.hexapod.dynamics import integrate, strut_forces
from pkm_identification.mechanisms.hexapod.dynamics.basis import INERTIAL_COLUMNS
from pkm_identification.mechanisms.hexapod.dynamics.energy import compute_energy_regressor
from pkm_identification.mechanisms.hexapod.dynamics.regressor import regressor
from pkm_identification.mechanisms.hexapod.kinematics.inverse import (
    strut_lengths,
    strut_motion_from_platform,
)
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import matrix_from_vector
from pkm_identification.parameters.parameter_set import ParameterSet

from ..table_2_2_motions import SourceMotion

MOTIONS = ("X", "Z", "XY", "fall")
PERIOD = 1e-3  # s
DURATION = 1.0  # s, two periods
FALL_DURATION = 0.15  # s, at most


@dataclass(frozen=True)
class Record:
    """Measured platform motion (N), strut forces (N, 6) in N, strut lengths (N, 6) in m.

    The lengths are a data set of their own: the source's energy model takes its steps from there (l.6325-29).
    """

    motion: PlatformMotion
    force: FloatArray
    length: FloatArray


@cache
def study_machine(friction: bool) -> Machine:
    """Return the UF machine of chapter 4: struts without spin; the source's law of friction, or none."""
    machine = Machine.load("uf")
    nominal = machine.friction
    source = Friction.of(
        "source", viscous=nominal.viscous, coulomb=nominal.coulomb, transition_rate=nominal.transition_rate
    )
    return replace(machine, base_joint="no_spin", friction=source if friction else source.without())


def parameter_set(friction: bool) -> ParameterSet:
    """Return the source's 12 parameters, 24 with friction."""
    return list_hexapod_parameters(study_machine(friction), "oh24" if friction else "oh12")


@cache
def exact_record(motion: str, friction: bool, duration: float = DURATION) -> Record:
    """One of `MOTIONS` without noise."""
    machine = study_machine(friction)
    if motion == "fall":
        return _compute_fall(machine)
    time = np.arange(round(duration / PERIOD), dtype=float) * PERIOD
    platform = SourceMotion(motion.lower(), 0.0, "high").at(time, machine)
    length = strut_lengths(machine, platform.position, platform.rotation)
    return Record(platform, strut_forces(machine, platform), length)


def _compute_fall(machine: Machine) -> Record:
    time = np.arange(round(FALL_DURATION / PERIOD) + 1, dtype=float) * PERIOD
    platform = integrate(machine, time)
    length = strut_lengths(machine, platform.position, platform.rotation)
    low, high = machine.length_limits
    inside = np.all((length >= low) & (length <= high), axis=1)
    end = len(time) if inside.all() else int(np.argmin(inside))
    return Record(platform[:end], np.zeros((end, 6)), length[:end])


def measure_record(record: Record, noise: float, seed: int = 0) -> Record:
    """The record with uniform noise on its states, of at most `noise` times each signal's range (Oh 2003, section 4.8).

    Position, velocity and acceleration have noise; forces and strut lengths are exact (l.6582-90, l.6325-29). A signal
    that stays at rest has no range and gets no noise.
    """
    if noise == 0:
        return record
    rng = np.random.default_rng(seed)

    def disturbed(values: FloatArray, still: float = 1e-9) -> FloatArray:
        span = np.ptp(values, axis=0)
        span[span < still] = 0.0
        return values + noise * span * rng.uniform(-1, 1, values.shape)

    motion = record.motion
    turned = motion.rotation @ motion.rotation[0].T
    # small rotations from the first as vectors
    angle = 0.5 * np.stack(
        [turned[:, 2, 1] - turned[:, 1, 2], turned[:, 0, 2] - turned[:, 2, 0], turned[:, 1, 0] - turned[:, 0, 1]], 1
    )  # fmt: skip
    error = disturbed(angle) - angle
    return Record(
        replace(
            motion,
            position=disturbed(motion.position),
            rotation=matrix_from_vector(error) @ motion.rotation,
            twist=disturbed(motion.twist),
            acceleration=disturbed(motion.acceleration),
        ),
        record.force,
        record.length,
    )


def build_force_model(record: Record, friction: bool) -> tuple[FloatArray, FloatArray]:
    """Return columns (N, 6, P) and forces (N, 6), sample by sample."""
    columns = regressor(study_machine(friction), record.motion, parameter_set(friction).mapping)
    return columns, record.force


def build_energy_model(record: Record, friction: bool) -> tuple[FloatArray, FloatArray]:
    """Return columns (N - 1, 1, P) and work (N - 1, 1) in J, step by step (Oh 2003, 2.57).

    h_{k+1} - h_k = F_k (L_{k+1} - L_k); friction takes its share of the work by the same rule.
    """
    machine, mapping = study_machine(friction), parameter_set(friction).mapping
    _, rate, _ = strut_motion_from_platform(machine, record.motion)
    step = np.diff(record.length, axis=0)
    columns = np.diff(compute_energy_regressor(machine, record.motion, mapping), axis=0)
    friction_work = friction_columns(rate[:-1], machine.friction) * step
    columns += np.hstack(list(friction_work)) @ mapping[INERTIAL_COLUMNS:]
    return columns[:, None, :], np.sum(record.force[:-1] * step, axis=1)[:, None]
