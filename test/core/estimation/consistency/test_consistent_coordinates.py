# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Free coordinates of every parameter set: any choice is a machine, and every machine has its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import BUILTIN, changed, machine, untidy
from hypothesis import given
from hypothesis import strategies as st

from pkm_identification.errors import PkmError
from pkm_identification.estimation.consistency.constraints import inequalities, is_physical, violations
from pkm_identification.estimation.consistency.coordinates import (
    BLOCK,
    FreeCoordinates,
    compute_slot_curvature,
)
from pkm_identification.estimation.consistency.layout import BOUNDED
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.physical_layout import physical_layout
from pkm_identification.mechanisms.hexapod.parameters.sets import NAMES, list_hexapod_parameters
from pkm_identification.parameters.parameter import Kind, Parameter

pytestmark = pytest.mark.slow

SETS = pytest.mark.parametrize("name", NAMES)
MACHINES = {
    (name, tidy): machine(name if tidy else untidy(name)) for name in BUILTIN for tidy in (True, False)
}
VARIANTS = pytest.mark.parametrize("variant", MACHINES, ids=str)


def coordinates(name: str, variant=("uf", False)) -> FreeCoordinates:
    made = MACHINES[variant]
    return FreeCoordinates.of(physical_layout(made, list_hexapod_parameters(made, name)))


def drawn(c: FreeCoordinates, seed: int, spread: float = 1.0) -> np.ndarray:
    return c.prior.mean + spread * c.prior.std * np.random.default_rng(seed).normal(size=len(c.prior.mean))


@SETS
@VARIANTS
def test_the_machine_file_is_where_the_prior_stands(name, variant):
    """Exactly, but for what lies closer to its bound than a hundredth of the prior's standard deviation."""
    c = coordinates(name, variant)
    away = (c.physical(c.prior.mean) - c.parameter_prior.mean) / c.parameter_prior.std
    assert np.abs(away).max() < 0.011
    assert np.all(c.prior.std > 0.01)
    assert np.all(np.isfinite(c.prior.std))


@SETS
@VARIANTS
def test_there_and_back(name, variant):
    c = coordinates(name, variant)
    for seed in range(5):
        theta = drawn(c, seed, 0.5)
        values = c.physical(theta)
        again = c.physical(c.free(values))
        assert np.all(np.abs(again - values) <= 1e-12 * (np.abs(values) + c.parameter_prior.std))


@SETS
@VARIANTS
def test_derivative_against_finite_differences(name, variant):
    c = coordinates(name, variant)
    theta, step = drawn(c, 7, 0.7), 1e-5
    differences = np.array(
        [
            (c.physical(theta + step * one) - c.physical(theta - step * one)) / (2 * step)
            for one in np.eye(len(theta))
        ]
    ).T
    slope = c.jacobian(theta)
    # third derivative times the step squared, and rounding over the step
    allowed = 1e-8 * np.abs(slope).max(axis=1, keepdims=True)
    assert np.all(np.abs(slope - differences) < allowed)


@pytest.mark.parametrize("name", NAMES)
@given(seed=st.integers(0, 10**6), spread=st.floats(0.1, 2.0))
def test_any_choice_is_a_machine_that_can_exist(name, seed, spread):
    c = coordinates(name)
    values = c.physical(drawn(c, seed, spread))
    assert np.all(np.isfinite(values))
    for condition in inequalities(c.layout):
        matrix = condition.matrix(values)
        size = np.sqrt(np.diag(matrix))
        # rounding may reach zero, never go below it
        assert np.linalg.eigvalsh(matrix / np.outer(size, size))[0] > -1e-12


def test_a_machine_file_can_be_built_from_any_choice():
    """The validator of machine files, which knows nothing of coordinates, accepts every platform and strut."""
    base = MACHINES["uf", True]
    c = coordinates("oh12", ("uf", True))
    names = c.layout.parameters.names
    for seed in range(30):
        w = dict(zip(names, c.physical(drawn(c, seed)).tolist(), strict=True))
        made = changed(
            base.document,
            platform__mass=w["m_p"],
            platform__inertia=[w["Ixx_p"], w["Iyy_p"], w["Izz_p"], 0.0, 0.0, 0.0],
            strut__body_b__mass=w["m_b"],
            strut__body_e__mass=w["m_e"],
        )
        Machine.from_document(made)
        for body in "be":
            moments = np.sort([w[f"Ixx_{body}"], w[f"Iyy_{body}"], w[f"Izz_{body}"]])
            assert moments[0] > 0
            assert moments[2] < moments[0] + moments[1]


def test_bounds_of_struts_that_differ_hold_for_each():
    """'identifiable' has one m_b for six struts of 5 to 10 kg: it may not fall so far that the lightest has none."""
    made = MACHINES["uf", False]
    parameters = list_hexapod_parameters(made)
    layout = physical_layout(made, parameters)
    k = parameters.names.index("m_b")
    masses = np.array([strut.body_b.mass for strut in made.struts])
    assert layout.floor[k] == pytest.approx(masses.mean() - masses.min())
    w = parameters.nominal.copy()
    w[k] = 0.999 * layout.floor[k]
    told = violations(layout, w, ("identifiable",) * len(w))
    assert len(told) == 1
    assert told[0].startswith("m_b is")
    w[k] = 1.001 * layout.floor[k]
    assert is_physical(inequalities(layout), w)


def test_a_stated_prior_is_kept():
    """Assumptions of the platform's mass narrows its coordinate: 1 % of the mass is 0.005 of half its logarithm."""
    made = MACHINES["uf", True]
    plain = list_hexapod_parameters(made)
    k = plain.names.index("m_p")
    std = plain.scale.copy()
    std[k] = 0.01 * plain.nominal[k]
    stated = replace(plain, prior_mean=plain.nominal, prior_std=std)
    assert FreeCoordinates.of(physical_layout(made, stated)).prior.std[k] == pytest.approx(0.005, rel=0.01)


def test_a_set_that_holds_a_part_of_a_body_is_refused():
    made = MACHINES["uf", True]
    plain = list_hexapod_parameters(made)
    for kept, message in (
        (["m_p", "Ixx_p"], "only m_p, Ixx_p"),
        (["Ia_b+Ia_e"], "prior instead"),
        (["temperature"], "not known"),
    ):
        entries = [entry for entry in plain.entries if entry.name in kept] or [
            Parameter(kept[0], "K", Kind.INERTIA, "strut", 1.0, 1.0)
        ]
        parameters = replace(plain, entries=tuple(entries))
        with pytest.raises(PkmError, match=message):
            physical_layout(made, parameters)


@SETS
def test_curvature_of_bounds_against_differences(name):
    """Of each moment by its own coordinate; a residual that draws moments away from their bounds bends nothing."""
    c = coordinates(name)
    theta, step, width = drawn(c, 9, 0.3), 1e-4, len(c.prior.mean)
    slope = np.linalg.solve(c.layout.lifting, c.jacobian(theta))
    curvature = np.empty(width)
    compute_slot_curvature(c.slots, slope, np.ones(width), curvature)
    assert not curvature.any()
    compute_slot_curvature(c.slots, slope, -np.ones(width), curvature)
    moments = np.linalg.solve(c.layout.lifting, c.physical(theta))
    bounded = [k for k in range(width) if c.slots.kind[k] == BOUNDED] + c.slots.rods[:, 2].tolist()
    pivots = slice(4, 7) if len(c.slots.body) == BLOCK else slice(1, 4)
    for k in bounded + c.slots.body[pivots].tolist():
        here = step * np.eye(width)[k]
        around = sum(np.linalg.solve(c.layout.lifting, c.physical(theta + way)) for way in (here, -here))
        assert curvature[k] == pytest.approx((around - 2.0 * moments)[k] / step**2, rel=1e-4)
    assert bounded
