# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Every part of a controller run once, so that nothing is compiled while samples wait."""

from __future__ import annotations

import numpy as np

from .controller import MachineController, has_workspace
from .motions import Motion
from .paths.joint_waypoints import joint_waypoints

SAMPLES = 30


def warm_up(controller: MachineController) -> None:
    """Run a controller that is then thrown away: hold, a motion, an estimate, another mode."""
    machine, period = controller.machine, controller.period
    home = machine.home
    free = np.full((2, len(home)), np.nan)
    # two, because derivatives are solved for at the first alone
    points = joint_waypoints(machine, np.array([5.0, 10.0]) * period, np.repeat(home[None], 2, axis=0), free)
    controller.step(period, home)
    controller.submit(Motion(points))
    for k in range(2, SAMPLES):
        controller.step(k * period, home)
    controller.take_estimate(np.array(machine.basis.nominal))
    if has_workspace(machine) and not machine.place_drives:
        controller.mode = "workspace"
    controller.step(SAMPLES * period, home)
