# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What motors add to base parameters: where a body resists like the motor that moves it, forces know their sum alone.

Khalil and Dombre (2002, 9.4.2.4) group the inertia of a robot's first motors with its first bodies; here the columns
say which, for any machine.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pkm_identification.mechanisms.multibody.analysis.states import compute_structure_motion
from pkm_identification.mechanisms.multibody.base_set import BaseSet
from pkm_identification.mechanisms.multibody.dynamics import regressor
from pkm_identification.mechanisms.multibody.mechanism import Mechanism

STATES = 60  # at least, and some more equations than parameters
SPARE_STATES = 4
DIGITS = 9  # of shares, most of which are 1
SAME = 1e-6  # of a motor's column: a rest that is less is rounding, of the file's geometry, too


def find_motor_shares(
    mechanism: Mechanism, base: BaseSet, motors: Mapping[int, str]
) -> dict[str, dict[str, float]]:
    """Return what inertia of motors adds to base parameters: factors by their names and the motors'.

    Parameters
    ----------
    mechanism : Mechanism
    base : BaseSet
    motors : mapping of int to str
        Drives whose motors are looked at, with what their inertia is called.

    Raises
    ------
    MotionRefused
        If a state is out of reach or singular.
    """
    if not motors:
        return {}
    count = max(STATES, -(-len(base.names) // mechanism.degrees_of_freedom) + SPARE_STATES)
    mechanism, motion = compute_structure_motion(mechanism, count)
    rows = regressor(mechanism, motion)[:, :, base.columns]
    columns = rows.reshape(-1, len(base.names))
    sizes = np.linalg.norm(columns, axis=0)
    felt = np.zeros((*rows.shape[:2], len(motors)))
    for k, drive in enumerate(motors):
        felt[:, drive, k] = motion.drive_acceleration[:, drive]
    felt = felt.reshape(len(columns), -1)
    shares = np.linalg.lstsq(columns / sizes, felt)[0] / sizes[:, None]
    whole = np.linalg.norm(felt, axis=0)
    left = np.linalg.norm(felt - columns @ shares, axis=0)
    shares[:, left > SAME * whole] = 0.0
    shares[np.abs(shares) * sizes[:, None] < SAME * whole] = 0.0
    names = list(motors.values())
    return {
        name: {names[k]: round(float(row[k]), DIGITS) for k in np.flatnonzero(row)}
        for name, row in zip(base.names, shares, strict=True)
        if row.any()
    }
