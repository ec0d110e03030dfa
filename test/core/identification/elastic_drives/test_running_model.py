# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a stream's own model of the machine makes of a load that is taken up and set down."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pkm_identification.identification.elastic_drives.running_model import RunningModel
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.forward import OK
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import TrackedSample
from pkm_identification.signals.band import BandSettings
from pkm_identification.simulation.payload import Payload, load_platform
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.trajectories import trajectory

PERIOD, DURATION = 4e-3, 19.0  # s
LOAD = Payload(2.5, np.array([0.03, -0.02, 0.06]), np.diag([0.012, 0.015, 0.009]), 8.0, 16.0)
NOISE = 2.0  # N
KNOWN = 2.5  # s after a change


@pytest.mark.slow
def test_a_load_is_in_the_model_while_it_is_carried_and_out_of_it_afterwards():
    """A model that only averages would keep half of it: neither the loaded machine's nor the bare one's forces."""
    nominal = Machine.load("uf")
    truth = perturb_machine(nominal, 1)
    heavy = replace(truth, platform=load_platform(truth.platform, LOAD))
    motion = trajectory("rich", nominal, 2 * DURATION).motion(np.arange(round(DURATION / PERIOD)) * PERIOD)
    carried = (motion.time >= LOAD.taken_at) & (motion.time < LOAD.set_down_at)
    force = np.where(carried[:, None], strut_forces(heavy, motion), strut_forces(truth, motion))
    force += NOISE * np.random.default_rng(3).standard_normal(force.shape)
    machine = load_machine("uf")
    model = RunningModel(machine, BandSettings(PERIOD), 60.0)
    struts = strut_motion_from_platform(nominal, motion)
    rms, count = np.zeros(2), np.zeros(2)
    for k, time in enumerate(motion.time.tolist()):
        drives = [part[k] for part in struts]
        state = [motion.position[k], np.ravel(motion.rotation[k]), motion.twist[k], motion.acceleration[k]]
        model.step(TrackedSample(time, *drives, force[k], 0, np.concatenate(state), OK, 0.0))
        late = LOAD.set_down_at if time >= LOAD.set_down_at else LOAD.taken_at
        if time >= late + KNOWN and k % 25 == 0:
            true = heavy if carried[k] else truth
            error = strut_forces(nominal, motion[k : k + 1], parameters=model.basis) - strut_forces(
                true, motion[k : k + 1]
            )
            rms[int(carried[k])] += np.mean(error**2)
            count[int(carried[k])] += 1
    assert count.min() > 4
    # the load weighs 4 N a strut
    assert (np.sqrt(rms / count) < 0.2).all()
