# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Simulated logs for joint and dual estimation, with sets of few parameters so that tests are fast."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import cache

import numpy as np
from core.mechanisms.hexapod.machine_variants import document

from pkm_identification.identification.augmented_state.augmented_filter import JointFilter
from pkm_identification.identification.augmented_state.model import (
    JointModel,
    JointNoise,
    JointSamples,
)
from pkm_identification.identification.augmented_state.results import Centre
from pkm_identification.identification.experiment import Experiment
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import hexapod_parameters
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.simulation import (
    Recording,
    SensorSettings,
    Simulator,
    trajectory,
)

PERIOD = 1e-3
FEW = ("m_p", "viscous_1", "viscous_4", "coulomb_1", "coulomb_4")
LENGTH_NOISE, FORCE_NOISE = 0.36e-6, 0.8  # m and N, per sample


def made(platform_mass: float, friction_1: float, sensors: dict | None = None) -> Machine:
    """The uf with moderate friction; mass of the platform and friction of struts 1 and 4 times a factor."""
    description = copy.deepcopy(document("uf"))
    description["platform"]["mass"] *= platform_mass
    viscous, coulomb = [260.0, 300.0, 210.0, 400.0, 350.0, 180.0], [30.0, 24.0, 41.0, 36.0, 20.0, 28.0]
    for i in (0, 3):
        viscous[i] *= friction_1
        coulomb[i] *= friction_1
    description["friction"] |= {"viscous": viscous, "coulomb": coulomb}
    if sensors:
        description["sensors"] = sensors
    return Machine.from_document(description)


def few(machine: Machine, names: tuple[str, ...] = FEW) -> ParameterSet:
    """Some of the identifiable parameters; the machine file says the others."""
    whole = hexapod_parameters(machine)
    chosen = [whole.names.index(name) for name in names]
    mapping, nominal = whole.mapping[:, chosen], whole.nominal[chosen]
    basis = whole.known + whole.mapping @ whole.nominal
    return replace(
        whole,
        entries=tuple(whole.entries[k] for k in chosen),
        mapping=mapping,
        known=basis - mapping @ nominal,
    )


OWNER, TRUTH = made(0.8, 0.5), made(1.0, 1.0)


@cache
def exact_run(seconds: float = 2.5) -> Recording:
    """The true machine under control, reported without error."""
    simulator = Simulator(
        TRUTH, trajectory("rich", OWNER, seconds), nominal=OWNER, sensors=SensorSettings.perfect()
    )
    return simulator.run()


def samples_of(record: Recording, machine: Machine) -> JointSamples:
    return JointSamples.of(Experiment.of([record.log()], machine).logs[0], machine)


def noisy(samples: JointSamples, seed: int) -> JointSamples:
    """White noise on lengths and forces."""
    rng = np.random.default_rng(seed)
    return replace(
        samples,
        length=samples.length + rng.normal(0, LENGTH_NOISE, samples.length.shape),
        force=samples.force + rng.normal(0, FORCE_NOISE, samples.force.shape),
    )


def problem(samples: JointSamples, machine: Machine = OWNER) -> tuple[JointModel, JointNoise]:
    """Model with few unknowns, and the noise `noisy` makes."""
    parameters = few(machine)
    model = JointModel.of(machine, parameters, Prior.of(parameters), samples, PERIOD)
    return model, JointNoise(LENGTH_NOISE, np.full(6, FORCE_NOISE), machine.sensors.noise)


def truth_of(model: JointModel) -> np.ndarray:
    """True values of the model's parameters."""
    return few(TRUTH, model.parameters.names).nominal


def centred(model: JointModel, noise: JointNoise, samples: JointSamples, rounds: int = 2) -> Centre:
    """States and parameters to make the model linear around, found as `dual_estimate` does."""
    wide = replace(noise, force=noise.force + 5.0)
    mean = JointFilter(model, wide).run(samples).mean
    for after in reversed(range(rounds)):
        states = JointFilter(model.fixed(mean), noise).smoothed(samples)
        centre = Centre(mean, states.motion, states.force_noise)
        if after:
            mean = JointFilter(model, noise).run(samples, centre).mean
    return centre


def nees(error: np.ndarray, covariance: np.ndarray) -> float:
    return float(error @ np.linalg.solve(covariance, error))
