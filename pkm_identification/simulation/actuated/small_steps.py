# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How long the small steps of a hexapod with actuators may be: by the fastest thing its drives do.

Two stages of second order are off by a share of the motion that goes with (w h)^2. At w h = 0.075 that is 7e-6 of
`uf_hydraulic`, 3e-6 of `uf_belt`, against steps of 2.5 us (`test_small_steps.py`): no more than the millisecond leaves
over which MuJoCo's dynamics are interpolated.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.control.drives.settings import drive_settings
from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.actuators import Bank
from pkm_identification.mechanisms.hexapod.dynamics.mass import strut_dynamics
from pkm_identification.mechanisms.hexapod.machine import Machine

from .drives import STEP
from .lines import lines_of

LONGEST = 50e-6  # s
SHARE = 0.075  # of a radian
_WHOLE = 1e-6


def divide_step(period: float, longest: float = STEP) -> float:
    """Return the longest step in s, at most `longest`, of which a control period is a whole number."""
    return period / int(np.ceil(period / longest - _WHOLE))


def small_step(machine: Machine, period: float) -> float:
    """Return the small step in s of a machine whose control period is `period` s."""
    usual = divide_step(period)
    if machine.actuators is None:
        return usual
    step = divide_step(period, float(np.clip(SHARE / fastest(machine), STEP, LONGEST)))
    bank = Bank(machine.actuators)
    try:
        # periods and delays that do not go with longer steps may go with the usual ones
        drive_settings(bank, () if machine.control is None else machine.control.drives, step)
        lines_of(bank, step)
    except SettingsError:
        return usual
    return step


def fastest(machine: Machine) -> float:
    """Angular frequency in rad/s above which drives and the platform between them do nothing by themselves, at home."""
    actuators = machine.actuators or ()
    own = max((actuator.fastest for actuator in actuators), default=0.0)
    behind = np.array([actuator.inertia_behind for actuator in actuators])
    stiffness = np.array([actuator.locked_stiffness for actuator in actuators])
    home = machine.home_position[None], machine.home_rotation[None]
    moving = strut_dynamics(machine, *home).mass[0] - np.diag(behind)
    swings = np.linalg.eigvals(np.linalg.solve(moving, np.diag(stiffness))).real.max()
    free = max((k / m for k, m in zip(stiffness, behind, strict=True) if m > 0.0), default=0.0)
    return float(max(own, np.sqrt(max(swings, 0.0) + free), 1e-9))
