# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A fall with the drives off tells of the inertia; anything else is refused."""

from __future__ import annotations

import numpy as np
import pytest
from core.synthetic import nominal, truth

from benchmarks.field.parallel_machines import rss
from pkm_identification.errors import LogError
from pkm_identification.identification.procedures.free_fall import FreeFall
from pkm_identification.machines.falling import compute_fall
from pkm_identification.machines.hexapod import Hexapod
from pkm_identification.machines.load import read_machine
from pkm_identification.machines.motions import compute_rest
from pkm_identification.mechanisms.hexapod.dynamics.forward import integrate
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.parameters.parameter_set import ParameterSet

PERIOD = 1e-3
COUNT = 1.25e-6


def fallen(machine, seconds: float = 0.12, wait: float = 0.0) -> np.ndarray:
    """Lengths (N, 6) of a fall integrated by SciPy, released `wait` s after the first sample."""
    time = np.arange(round(seconds / PERIOD)) * PERIOD
    falling = time[time > wait] - wait
    motion = integrate(machine, np.concatenate([[0.0], falling]), friction=False)
    rest = np.repeat(
        strut_lengths(machine, motion.position[:1], motion.rotation[:1]), len(time) - len(falling), 0
    )
    return np.concatenate([rest, strut_lengths(machine, motion.position[1:], motion.rotation[1:])])


def true_values(parameters: ParameterSet) -> np.ndarray:
    return list_hexapod_parameters(truth(), parameters.name).nominal


@pytest.fixture(scope="module")
def parameters() -> ParameterSet:
    return list_hexapod_parameters(nominal(), "identifiable")


@pytest.mark.slow
@pytest.mark.parametrize("wait", [0.0, 0.0104])
def test_the_prediction_is_what_an_independent_integrator_gives(parameters, wait):
    length = fallen(truth(), wait=wait)
    fall = FreeFall(Hexapod(nominal()), parameters, length, PERIOD, "fall")
    fall.relations(true_values(parameters))
    assert np.abs(fall.lengths(true_values(parameters)) - length).max() < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("document", [rss(), rss(0.14, 0.08, 0.3, 0.08)], ids=["rss", "short_arms"])
def test_the_release_is_found_of_arms_whose_mass_changes_as_they_fall(document):
    """The root of their way is no line through the release: it looks 20 ms late at first, and home moved."""
    machine = read_machine(document)
    time = np.arange(150) * PERIOD
    start = compute_rest(machine, machine.home[None])
    coordinate = np.round(compute_fall(machine, machine.basis.nominal, start, time) / COUNT) * COUNT
    values = machine.build_parameter_set("base").nominal
    fall = FreeFall(machine, machine.build_parameter_set("base"), coordinate, PERIOD, "fall")
    fall.fit_start(values)
    assert np.abs(fall.lengths(values) - coordinate).max() < COUNT


def test_statements_hold_for_the_truth_and_exclude_the_nominal_machine(parameters):
    length = np.round(fallen(truth()) / COUNT) * COUNT
    fall = FreeFall(Hexapod(nominal()), parameters, length, PERIOD, "fall")
    said = fall.relations(true_values(parameters))
    shown = np.linalg.svd(said.rows * parameters.scale)[1]
    freedom = int(np.sum(shown > 1e-3))
    misfit = np.sum((said.rows @ true_values(parameters) - said.values) ** 2)
    # chi-square of the directions shown; 3 standard deviations
    assert misfit < freedom + 3 * np.sqrt(2 * freedom)
    wrong = np.sum((said.rows @ parameters.nominal - said.values) ** 2)
    assert wrong > 1e4


def test_the_common_scale_of_all_masses_is_not_shown(parameters):
    fall = FreeFall(Hexapod(nominal()), parameters, fallen(truth()), PERIOD, "fall")
    values = true_values(parameters)
    said = fall.relations(values)
    inertial = np.array([not n.startswith(("viscous", "coulomb")) for n in parameters.names])
    scaled = np.where(inertial, values, 0.0)
    along = np.linalg.norm(said.rows @ scaled)
    across = np.linalg.norm(said.rows @ (scaled * np.where(np.arange(len(values)) == 0, 1.0, 0.0)))
    assert along < 1e-3 * across


def test_a_driven_motion_is_refused(parameters):
    time = np.arange(120) * PERIOD
    motion = integrate(truth(), time, np.full(6, 30.0), friction=False)
    length = strut_lengths(truth(), motion.position, motion.rotation) + 1e-3 * np.sin(60 * time)[:, None]
    fall = FreeFall(Hexapod(nominal()), parameters, length, PERIOD, "push.csv")
    with pytest.raises(LogError, match=r"push\.csv: is no free fall"):
        fall.relations(parameters.nominal)


@pytest.mark.parametrize(
    ("length", "reason"),
    [
        (np.full((10, 6), 0.5), "too few"),
        (np.full((100, 6), 0.42), "that is no fall"),
    ],
)
def test_what_cannot_be_a_fall_is_refused_at_once(parameters, length, reason):
    with pytest.raises(LogError, match=reason):
        FreeFall(Hexapod(nominal()), parameters, length, PERIOD, "log")
