# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Encoders that step, get stuck or count the wrong way while the machine moves: it stops before it has gone 2 mm."""

from __future__ import annotations

import numpy as np
import pytest
from core.control.moved import Run, waypoints
from core.mechanisms.hexapod.machine_variants import changed

from pkm_identification.control.controller import MachineController
from pkm_identification.control.motions import STOPPED, SUCCESSFUL, Motion
from pkm_identification.control.settings import ControllerSettings
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation.faults import parse_fault
from pkm_identification.simulation.simulator import Simulator

pytestmark = pytest.mark.slow

STATED = Machine.from_document(changed("uf", drive__following_error=5e-4, drive__force_jump=60.0))
INSTANT = 0.3  # s, of the faults
NEAR = 2e-3  # m


def stopped(machine: Machine, fault: str, way: float, time: float) -> tuple[Run, np.ndarray, Motion]:
    """A motion of so many m in so many s with a fault on its way; true lengths from the fault on, less the first."""
    run = Run(machine, machine)
    run.simulator = Simulator(machine, None, nominal=machine, faults=[parse_fault(fault)], seed=1)
    run.controller = MachineController(load_machine(machine), run.simulator.period, ControllerSettings())
    run.step()
    motion = Motion(waypoints(machine, [time], [[way, 0.0, -0.5 * way]]))
    run.controller.submit(motion)
    run.step(round((INSTANT + 0.5) / run.simulator.period))
    lengths = np.array(run.lengths)[round(INSTANT / run.simulator.period) :]
    return run, lengths - lengths[0], motion


@pytest.mark.parametrize(("way", "time"), [(0.01, 1.0), (0.05, 1.0)], ids=["slow", "fast"])
@pytest.mark.parametrize(
    "fault",
    ["lost_counts_2=0.001,0.3", "lost_counts_2=0.0002,0.3", "stuck_length_2=0.3", "reversed_length_2=0.3"],
)
def test_the_machine_stops_before_it_has_gone_two_millimetres(fault, way, time):
    run, moved, motion = stopped(STATED, fault, way, time)
    assert run.controller.state == "emergency"
    assert run.controller.stop.reason in ("length_step", "tracking", "force_jump")
    assert motion.outcome.code != SUCCESSFUL
    assert np.abs(moved).max() < NEAR
    # and rests there
    assert np.ptp(moved[-50:], axis=0).max() < 2e-5


def test_a_stuck_encoder_and_a_reversed_one_are_called_so():
    stuck, _, _ = stopped(STATED, "stuck_length_2=0.3", 0.01, 1.0)
    assert "strut 2" in stuck.controller.stop.text
    assert "does not move" in stuck.controller.stop.text
    turned, _, _ = stopped(STATED, "reversed_length_2=0", 0.01, 1.0)
    assert "strut 2" in turned.controller.stop.text
    assert "moves the other way" in turned.controller.stop.text or "moves away" in turned.controller.stop.text


def test_an_impossible_step_stops_any_machine_and_a_reset_goes_on():
    """Without limits in the file as well: one sample off and the next agreeing with it is no motion."""
    run, moved, motion = stopped(Machine.load("uf"), "lost_counts_2=0.001,0.3", 0.05, 1.0)
    assert run.controller.stop.reason == "length_step"
    assert run.controller.stop.text == "the length of strut 2 stepped by 1 mm"
    assert motion.outcome.code == STOPPED
    assert np.abs(moved).max() < 1e-3
    run.controller.release()
    run.step(50)
    assert run.controller.state == "holding"
    forces = np.array([command.force for command in run.commands[-40:]])
    assert np.ptp(forces, axis=0).max() < 20.0
