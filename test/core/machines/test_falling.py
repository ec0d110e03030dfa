# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A fall of any machine: the same by compiled closed forms, by bodies and joints, and in the simulator."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.field.parallel_machines import delta, rrr, rss
from pkm_identification.machines.falling import compute_fall, compute_fall_slopes
from pkm_identification.machines.load import load_machine, read_machine
from pkm_identification.machines.motions import compute_rest
from pkm_identification.machines.multibody import Multibody
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import simulate

TIME = np.linspace(-0.01, 0.1, 23)


def _fall(machine, time=TIME):
    return compute_fall(machine, machine.basis.nominal, compute_rest(machine, machine.home[None]), time)


@pytest.mark.slow
def test_a_hexapod_falls_as_the_bodies_and_joints_that_it_is():
    hexapod = load_machine("uf")
    closed, general = _fall(hexapod), _fall(Multibody(hexapod.bodies))
    assert np.ptp(closed, axis=0).min() > 0.01
    np.testing.assert_allclose(general, closed, atol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mast", "four-bar"])
def test_it_falls_as_in_the_simulator(name):
    machine = load_machine(name)
    log = simulate(machine.loaded, "free", sensors=SensorSettings.perfect()).log()
    assert np.ptp(log.length, axis=0).max() > 1e-3
    np.testing.assert_allclose(_fall(machine, log.time), log.length, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    "document", [rss(), rss(0.14, 0.08, 0.3, 0.08), delta(), rrr()], ids=["rss", "small_arms", "delta", "rrr"]
)
def test_light_arms_that_swing_fast_fall_to_a_fifth_of_a_count(document):
    """Their mass changes twentyfold within 30 ms, at 28 rad/s."""
    machine = read_machine(document)
    log = simulate(machine.loaded, "free", sensors=SensorSettings.perfect()).log()
    assert np.ptp(log.coordinate, axis=0).max() > 0.1
    np.testing.assert_allclose(_fall(machine, log.time), log.coordinate, atol=2e-6)


def test_it_is_at_rest_before_its_release():
    machine = load_machine("four-bar")
    fallen = _fall(machine, np.array([-1.0, 0.0, 0.05]))
    np.testing.assert_array_equal(fallen[:2], np.repeat(machine.home[None], 2, axis=0))
    assert np.abs(fallen[2] - fallen[0]).max() > 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("name", ["uf", "four-bar", "rss"])
def test_slopes_are_those_of_falls_that_differ_a_little(name):
    """By a value, a coordinate of the start and the instant: rounding of a fall over the difference is left."""
    machine = read_machine(rss()) if name == "rss" else load_machine(name)
    parameters, count = machine.build_parameter_set(machine.sums_set), len(machine.drives)
    start, basis = compute_rest(machine, machine.home[None]), machine.basis.nominal
    found = compute_fall_slopes(machine, basis, parameters.mapping, start, TIME)

    def fall(along, shift, later):
        still = np.zeros((1, count))
        begun = machine.compute_motion(machine.home[None] + shift, still, still, start.state)
        return compute_fall(machine, basis + along, begun, TIME + later)

    felt = np.abs(found.values).max(axis=(0, 1))
    column = int(np.argmax(felt))
    step = 1e-5 / felt[column]  # so much, m or rad, at the end
    along, shift = step * parameters.mapping[:, column], 1e-6 * np.eye(count)[-1]
    for slope, size, change in (
        (found.values[:, :, column], step, (along, 0.0, 0.0)),
        (found.start[:, :, -1], 1e-6, (0.0 * along, shift, 0.0)),
        (found.time, 1e-6, (0.0 * along, 0.0, 1e-6)),
    ):
        expected = (fall(*change) - fall(*(-one for one in change))) / (2.0 * size)
        np.testing.assert_allclose(slope, expected, atol=2e-4 * np.abs(expected).max())
