# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Widths of priors and physical scales that a machine's file does not state: from the data.

The prior of such a parameter pulls nothing: its width is what it would be to make all of the force by itself, and more.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.estimation.equations import Equations
from pkm_identification.machines.contract import OK, Machine, Motion
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.parameter_set import ParameterSet

from .friction import DriveFriction

WIDE = 10.0  # times what would make all of the force by itself: what a parameter may be off before the data
STATES, NEAR, PACE, SEED = 30, 0.3, 6.0, 0  # states around home: of a large change, and how fast by s
FRICTION_SHARE = 0.1  # of a drive's typical force: friction below a tenth of it is small


def with_machine_scales(parameters: ParameterSet, machine: Machine) -> ParameterSet:
    """Return a set whose entries without a finite scale have one of the machine near home; itself where all have.

    That of a stream, whose data are still to come: as `with_data_scales`, of smooth motions around home.
    """
    if all(np.isfinite(entry.scale) for entry in parameters.entries):
        return parameters
    mapping = parameters.mapping
    motion = sample_motion(machine)
    columns = machine.compute_regressor(motion, mapping)
    DriveFriction.of(machine, mapping).add(motion.rate, columns)
    force = np.broadcast_to(machine.force_size, columns.shape[:2])
    nothing = np.zeros(len(columns))
    segment = nothing.astype(np.int64)
    return with_data_scales(
        parameters, Equations(nothing, columns, np.array(force), np.array(force), segment)
    )


def sample_motion(machine: Machine) -> Motion:
    """Return states in which the machine moves around home: drives by a share of a large change, at a usual pace."""
    size = np.array([drive.size for drive in machine.drives])
    position, rate, second = np.random.default_rng(SEED).normal(size=(3, STATES, len(size))) * size
    motion = machine.compute_motion(machine.home + NEAR * position, PACE * rate, PACE**2 * second)
    return motion[motion.status == OK]


def with_data_scales(parameters: ParameterSet, equations: Equations) -> ParameterSet:
    """Return a set whose entries without a finite scale have one of the data; itself where all have.

    Physical sizes of the friction of such drives are its value in the file, or what makes FRICTION_SHARE of the drive's
    rms force at its rms rate.
    """
    if all(np.isfinite(entry.scale) for entry in parameters.entries) or not len(equations):
        return parameters
    width = np.sqrt(np.mean(equations.regressor**2, axis=(0, 1)))
    force = np.sqrt(np.mean(equations.force**2, axis=0))
    size = float(np.sqrt(np.mean(equations.force**2)))
    entries = list(parameters.entries)
    for k, entry in enumerate(entries):
        if np.isfinite(entry.scale):
            continue
        scale = WIDE * size / max(width[k], 1e-12)
        small = entry.size
        if (entry.kind.friction or entry.kind is Kind.NUISANCE) and entry.limb is not None:
            row = entry.limb if len(force) > 1 else 0  # equations of energy have one for all drives
            felt = np.sqrt(np.mean(equations.regressor[:, row, k] ** 2))
            share = FRICTION_SHARE * force[row] / felt if felt > 0.0 else 0.0
            small = max(abs(entry.nominal), float(share))
        entries[k] = replace(entry, scale=scale, size=small)
    std = parameters.prior_std
    if std is not None:  # some are stated: the others are as wide as the data say
        std = np.where(np.isfinite(std), std, [entry.scale for entry in entries])
    return replace(parameters, entries=tuple(entries), prior_std=std)
