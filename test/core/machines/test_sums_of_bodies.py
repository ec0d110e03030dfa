# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Base parameters that are sums of bodies that can exist: nearest ones, against a search that knows no conditions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.identification.regression.drive_logs import DURATION, PERIOD, five_bar, with_noise
from core.machines.every_machine import MECHANISMS, machine
from scipy.optimize import minimize

from pkm_identification.errors import SettingsError
from pkm_identification.estimation.consistency.sums_of_bodies import PLANAR
from pkm_identification.estimation.estimate import make_estimate
from pkm_identification.identification.identify import identify
from pkm_identification.identification.physical_verdict import find_contradiction, verdict
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import read_machine
from pkm_identification.mechanisms.multibody import dynamics
from pkm_identification.parameters.assumptions import Assumptions, Fix
from pkm_identification.parameters.prior import Prior
from pkm_identification.simulation.multibody.motions import generate_motion


def build(name):
    one = machine(name)
    parameters = one.build_parameter_set("base")
    return parameters, one.build_physical(parameters)


def estimate_beside(parameters, sums, seed, off):
    """Return values of an estimate (P,), off from what bodies have by so many of its deviations, and their root."""
    rng = np.random.default_rng(seed)
    size = np.abs(sums.sums) @ sums.scale
    root = np.linalg.qr(rng.normal(size=(3 * len(size), len(size))), mode="r") / (0.3 * size)
    truth = sums.sums @ sums._begin()
    return truth, truth + np.linalg.solve(root, off * rng.normal(size=len(size))), root


QUICK = ("four-bar", "five_bar", "serial_arm")
SLOW = [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in MECHANISMS]


@pytest.mark.parametrize("name", SLOW)
def test_the_nearest_sums_are_no_further_from_any_bodies(name):
    """What is moved comes nearer to the truth in its own metric, as of every convex set; then nothing moves."""
    parameters, sums = build(name)
    for seed in range(8):
        truth, values, root = estimate_beside(parameters, sums, seed, 2.0)
        found = sums.project(values, root)
        if found.active:  # some estimates are of bodies as they are
            break
    before, after = (np.linalg.norm(root @ (one - truth)) for one in (values, found.values))
    assert found.active
    assert after < before
    again = sums.project(found.values, root)
    assert np.linalg.norm(root @ (again.values - found.values)) < 0.02 * before


@pytest.mark.slow
def test_the_nearest_sums_are_those_of_a_search_among_bodies():
    """Planar bodies by logarithms of mass and moment about the centre of mass: each choice is a body."""
    parameters, sums = build("five_bar")
    count = len(sums.bodies)
    _, values, root = estimate_beside(parameters, sums, 4, 3.0)
    found = sums.project(values, root)

    def numbers(free):
        phi = np.empty(sums.sums.shape[1])
        for k, place in enumerate(sums.bodies):
            assert place.stop - place.start == PLANAR
            log_mass, x, y, log_moment = free[PLANAR * k : PLANAR * (k + 1)]
            mass = np.exp(log_mass)
            phi[place] = mass, mass * x, mass * y, np.exp(log_moment) + mass * (x**2 + y**2)
        rest = free[PLANAR * count :].copy()
        for k in sums.positive:
            rest[k - PLANAR * count] = np.exp(rest[k - PLANAR * count])
        phi[PLANAR * count :] = rest
        return phi

    def cost(free):
        phi = numbers(free)
        pull = (phi - sums.start) / sums.scale
        return np.sum((root @ (sums.sums @ phi - values)) ** 2) + 1e-4 * np.sum(pull**2)

    start = []
    for place in sums.bodies:
        mass, x, y, moment = sums.start[place]
        start += [np.log(mass), x / mass, y / mass, np.log(moment - (x**2 + y**2) / mass)]
    rest = sums.start[PLANAR * count :].copy()
    for k in sums.positive:
        rest[k - PLANAR * count] = np.log(max(rest[k - PLANAR * count], 1e-3))
    best = minimize(
        cost, np.concatenate([start, rest]), method="BFGS", options={"maxiter": 5000, "gtol": 1e-7}
    )
    searched = sums.sums @ numbers(best.x)
    ours, theirs = (np.linalg.norm(root @ (one - values)) for one in (found.values, searched))
    assert ours > 0.5
    # the search ends a little off the bounds
    assert 0.99 * theirs < ours < theirs * (1.0 + 1e-6)
    np.testing.assert_allclose(root @ found.values, root @ searched, atol=0.1 * ours)


def test_values_that_bodies_have_stay():
    parameters, sums = build("delta")
    truth, _, root = estimate_beside(parameters, sums, 2, 0.0)
    found = sums.project(truth, root)
    assert not found.active
    np.testing.assert_array_equal(found.values, truth)


def test_a_part_of_a_sum_cannot_be_told():
    one = machine("delta")
    parameters = one.build_parameter_set("base")
    fixed = Assumptions(fixed=(Fix(parameters.names[0], None),)).apply(parameters)
    with pytest.raises(SettingsError, match=f"{parameters.names[0]} is fixed or tied"):
        one.build_physical(fixed)


@pytest.mark.usefixtures("unjudged")
@pytest.mark.slow
def test_a_log_that_shows_little_is_identified_as_bodies_that_can_exist():
    one, time = five_bar(), np.arange(0.0, DURATION, PERIOD)
    motion = generate_motion("slow", one.mechanism, DURATION)
    forces = dynamics.forces(one.mechanism, motion.motion(one.mechanism, time))
    log = with_noise(time, motion.drives(time)[0], forces, seed=0)
    away = []
    for consistent in (False, True):
        settings = Settings.of(estimator="ls", consistent=consistent)
        result = identify([log], one.mechanism, settings)
        values, root = result.estimate.values, np.diag(np.diag(result.estimate.covariance) ** -0.5)
        nearest = one.build_physical(result.parameters).project(values, root)
        away.append(np.linalg.norm(root @ (nearest.values - values)))
    assert away[0] > 1.0
    assert away[1] < 0.1


def test_sums_of_a_file_without_masses_are_those_of_bodies_that_can_exist():
    """Bodies of which the file says nothing begin as large as what is known of none."""
    whole = machine("four-bar").document
    one = read_machine({**whole, "constants": {**whole["constants"], "density": "0"}})
    parameters = one.build_parameter_set("base")
    sums = one.build_physical(parameters)
    assert np.all(sums.scale > 0.0)
    truth = machine("four-bar").build_parameter_set("base").nominal
    root = np.diag(1.0 / (0.01 * np.abs(truth) + 1e-3))
    np.testing.assert_allclose(sums.project(truth, root).values, truth, atol=2e-2)
    impossible = truth * np.where([entry.symbol.startswith("J") for entry in parameters.entries], -1.0, 1.0)
    found = sums.project(impossible, root)
    assert found.active
    assert np.all(np.isfinite(found.values))


def estimate_of(parameters, values, std):
    """Return an estimate of values (P,), each known to its deviation (P,)."""
    return make_estimate(
        parameters, Prior(values, 1e4 * std), values, np.diag(std**2), nis=1.0, nis_dof=1, count=1000, time=1.0,
        estimator="ls", model="force",
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_an_estimate_that_no_bodies_have_is_told_of_every_machine(name):
    """Those of bodies that can be are not; those of bodies with all masses and moments negative are, by how far."""
    known, (parameters, sums) = machine(name), build(name)
    size = np.abs(sums.sums) @ sums.scale
    # friction has no size before there are forces
    entries = zip(parameters.entries, size.tolist(), strict=True)
    parameters = replace(parameters, entries=tuple(replace(entry, scale=s, size=s) for entry, s in entries))
    std, values = 1e-2 * size, sums.sums @ sums._begin()
    good, bad = (estimate_of(parameters, one, std) for one in (values, -values))
    assert find_contradiction(known, parameters, good) == ""
    wanted = True, "The identified values are consistent with rigid bodies."
    assert verdict(known, parameters, good, kept=False) == wanted
    away = np.linalg.norm((sums.project(-values, np.diag(1.0 / std)).values + values) / std)
    told = find_contradiction(known, parameters, bad)
    assert float(told.split(": ")[-1].split()[0]) == pytest.approx(away, rel=0.06)  # two digits
    judged = verdict(known, parameters, bad, kept=False)
    assert judged is not None
    assert not judged[0]
