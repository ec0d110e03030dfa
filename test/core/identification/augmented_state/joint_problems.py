# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Simulated logs for joint and dual estimation, with sets of few parameters so that tests are fast."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import cache

import numpy as np
from core.mechanisms.hexapod.machine_variants import document

from pkm_identification.identification.augmented_state.iterated import Rounds, iterate
from pkm_identification.identification.augmented_state.linearised import JointModel
from pkm_identification.identification.augmented_state.samples import JointSamples
from pkm_identification.identification.experiment import Experiment
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.simulation.recording import Recording
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import Simulator
from pkm_identification.simulation.trajectories import trajectory

PERIOD = 1e-3
LENGTH_NOISE, FORCE_NOISE = 0.36e-6, 0.8  # m and N, per sample
FEW = ("m_p", "viscous_1", "viscous_4", "coulomb_1", "coulomb_4")


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
    whole = list_hexapod_parameters(machine)
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
    return JointSamples.of(Experiment.of([record.log()], machine).logs[0], as_machine(machine))


def noisy(seed: int) -> JointSamples:
    """The run with white noise on lengths and forces."""
    samples, rng = samples_of(exact_run(), TRUTH), np.random.default_rng(seed)
    return replace(
        samples,
        coordinate=samples.coordinate + rng.normal(0, LENGTH_NOISE, samples.coordinate.shape),
        force=samples.force + rng.normal(0, FORCE_NOISE, samples.force.shape),
    )


def found(samples: JointSamples, machine: Machine = OWNER) -> tuple[JointModel, Rounds]:
    """Model with few unknowns, and states and parameters that agree."""
    parameters = few(machine)
    rounds = iterate(as_machine(machine), parameters, samples, PERIOD)
    assert not rounds.nonconvergence
    return JointModel.of(as_machine(machine), parameters, Prior.of(parameters), samples, PERIOD), rounds
