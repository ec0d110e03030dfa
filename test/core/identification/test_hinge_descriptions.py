# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A machine whose universal joints are at the platform, identified with files that say so and that do not."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import machine, with_joint
from core.platform_motions import six_axes

from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.dynamics import regressor, strut_forces
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.parameters.parameter import Kind
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import simulate

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unjudged")]

FILE = Machine.load("uf")
HINGES = {"x": (1.0, 0.0, 0.0), "skew": (0.7, 0.7, 0.0), "radial": "radial", "tangential": "tangential"}


def hinged(name: str) -> Machine:
    return machine(with_joint("uf", "platform", HINGES[name]))


def errors(model: Machine, truth: Machine, seed: int) -> tuple[dict[str, float], float]:
    """Relative errors of what exact data of a six-axis motion give with a file, and the rms residual by that force."""
    parameters = list_hexapod_parameters(model, "identifiable")
    bodies = [k for k, entry in enumerate(parameters.entries) if entry.kind in (Kind.MASS, Kind.INERTIA)]
    motion = six_axes(FILE, seed).at(np.linspace(0.0, 10.0, 2000))
    columns = regressor(model, motion, parameters.mapping[:, bodies]).reshape(-1, len(bodies))
    force = strut_forces(truth, motion, friction=False).ravel()
    values, *_ = np.linalg.lstsq(columns, force, rcond=None)
    residual = force - columns @ values
    right = list_hexapod_parameters(truth, "identifiable").nominal[bodies]
    found = {parameters.names[k]: float(e) for k, e in zip(bodies, values / right - 1, strict=True)}
    return found, float(np.sqrt(np.mean(residual**2) / np.mean(force**2)))


@pytest.mark.parametrize("name", HINGES)
def test_hinges_described_at_the_wrong_end_spoil_the_platform_and_hardly_warn(name):
    """Reference 000, section 8: the platform's mass 25 to 90 % off and its Izz 40 to 330 %, by hinge and motion."""
    for seed in (1, 2):
        found, residual = errors(FILE, hinged(name), seed)
        assert abs(found["m_p"]) > 0.25, found
        assert max(abs(found[moment]) for moment in ("Ixx_p", "Iyy_p", "Izz_p")) > 0.4
        assert residual < 0.035
        right, none = errors(hinged(name), hinged(name), seed)
        assert max(map(abs, right.values())) < 1e-8
        assert none < 1e-12


def test_with_the_right_file_errors_are_within_the_deviations():
    """From a simulated log with friction and noise, hinges across the radius."""
    truth = hinged("tangential")
    log = simulate(truth, "rich", 7.0, sensors=SensorSettings(current_noise=0.01), seed=4).log()
    estimate = identify([log], truth, Settings.of(estimator="ls", hold_out=0.0)).estimate
    error = estimate.values - list_hexapod_parameters(truth, "identifiable").nominal
    assert np.abs(error / estimate.std).max() < 3.5
    # less than what the wrong file does: the test above is not of an estimate that knows nothing
    places = [estimate.names.index(name) for name in ("m_p", "Izz_p")]
    assert np.all(estimate.std[places] < 0.15 * estimate.values[places])
