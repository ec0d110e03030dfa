# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Every part of a controller run once, so that nothing is compiled while samples wait."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.hexapod.dynamics import basis_parameters
from pkm_identification.mechanisms.hexapod.kinematics import strut_lengths

from .controller import MachineController
from .motions import Motion
from .paths.path import Waypoints

SAMPLES = 30


def warm_up(controller: MachineController) -> None:
    """Run a controller that is then thrown away: hold, a motion, an estimate, another mode."""
    machine, period = controller.machine, controller.period
    home = (machine.home_position[None], machine.home_rotation[None])
    length = strut_lengths(machine, *home)[0]
    position, rotation = (np.repeat(part, 2, axis=0) for part in home)
    free = np.full((2, 6), np.nan)
    # two, because derivatives are solved for at the first alone
    motion = Motion(Waypoints(np.array([5.0, 10.0]) * period, position, rotation, free, free))
    controller.step(period, length)
    controller.submit(motion)
    for k in range(2, SAMPLES):
        controller.step(k * period, length)
    controller.take_estimate(basis_parameters(machine))
    controller.mode = "workspace"
    controller.step(SAMPLES * period, length)
