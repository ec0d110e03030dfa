# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Unknowns of bodies make up the basis of any machine, with a slope that differences confirm."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.identification.full_model.equations import build_whole_set
from pkm_identification.identification.full_model.nuisance import list_nuisances, list_seldom
from pkm_identification.identification.full_model.sums import build_views
from pkm_identification.identification.full_model.unknowns import FileModel
from pkm_identification.identification.full_model.views import find_basis_sizes
from pkm_identification.identification.model_errors.effect import name_drives
from pkm_identification.machines.load import load_machine

MACHINES = ("uf", "hexel", "mast", "epaas", "four-bar", "pendulum")


@pytest.mark.parametrize("name", MACHINES)
def test_basis_of_unknowns(name):
    machine = load_machine(name)
    basis = np.asarray(machine.basis.nominal)
    model = FileModel.of_bodies(machine.knowledge, machine.rows_of_bodies, basis, len(basis) + 2)
    values, _ = model.compute(np.zeros(model.width))
    np.testing.assert_allclose(values[: len(basis)], basis, atol=1e-12 * np.max(np.abs(basis)))
    assert np.all(values[len(basis) :] == 0.0)
    away = 0.3 * np.random.default_rng(1).standard_normal(model.width)
    step = 1e-6 * np.eye(model.width)
    slope = model.compute(away)[1]
    differences = np.stack(
        [(model.compute(away + one)[0] - model.compute(away - one)[0]) / 2e-6 for one in step], axis=1
    )
    np.testing.assert_allclose(slope, differences, atol=1e-8 * np.max(np.abs(slope)))
    # every unknown does something to the basis, or the data could not speak of it
    assert np.all(np.any(slope != 0.0, axis=0))


@pytest.mark.parametrize("name", MACHINES)
def test_views_of_the_basis_are_the_sets_own_values(name):
    machine = load_machine(name)
    parameters = machine.build_parameter_set(machine.sums_set)
    factors, offsets = build_views(parameters, tuple(machine.basis.names))
    # of all numbers alike, as the file has them, sums are the set's nominal values
    np.testing.assert_allclose(
        factors @ machine.basis.nominal + offsets,
        parameters.nominal,
        atol=1e-9 * np.max(np.abs(parameters.nominal)),
    )


@pytest.mark.parametrize("name", MACHINES)
def test_every_effect_has_a_name_of_its_own(name):
    machine = load_machine(name)
    nuisances = list_nuisances(machine, build_whole_set(machine)) + list_seldom(machine)
    # a peak of one drive's friction is one cause, whichever of several widths it has
    peaks = [one for one in nuisances if one.effect.name == "friction_stribeck" and one.effect.members]
    assert {one.names for one in peaks} == {name_drives("friction_stribeck", machine)}
    names = [name for one in nuisances if one not in peaks[1:] for name in one.names]
    assert len(names) == len(set(names)) > len(machine.drives)


def test_a_zero_is_in_the_unit_of_its_drive():
    machine = load_machine("epaas")
    nuisances = list_nuisances(machine, build_whole_set(machine))
    found = [
        unit
        for one in nuisances
        for key, unit in zip(one.keys, one.units, strict=True)
        if "coordinate_offset" in key
    ]
    assert found == [drive.unit for drive in machine.drives]


def test_what_can_be_zero_is_no_mass_and_no_moment_of_inertia():
    machine = load_machine("uf")
    sizes, positive = find_basis_sizes(machine.knowledge, machine.rows_of_bodies)
    of = dict(zip(machine.basis.names, positive.tolist(), strict=True))
    assert [of[name] for name in ("m_p", "Ixx_p", "Ixy_p", "mx_p", "coulomb_1")] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert sizes[machine.basis.names.index("mx_p")] > 0.0


def test_a_mass_that_is_wrong_alone_leaves_the_moments_as_the_file_has_them():
    machine = load_machine("uf")
    basis = np.asarray(machine.basis.nominal)
    model = FileModel.of_bodies(machine.knowledge, machine.rows_of_bodies, basis, len(basis))
    heavy = np.array([3.0 * (one.key == "platform.mass") for one in model.unknowns])
    assert not model.hold_moments(heavy, ["platform.inertia"])
    (off,) = model.hold_moments(heavy, ["platform.mass"])
    names = list(machine.basis.names)
    mass, moments = names.index("m_p"), [names.index(f"I{axis}{axis}_p") for axis in "xyz"]
    followed, held = model.compute(heavy)[0], model.compute(heavy + off)[0]
    grown = followed[mass] / basis[mass]
    assert grown > 1.1
    np.testing.assert_allclose(followed[moments], grown * basis[moments])
    np.testing.assert_allclose(held[moments], basis[moments])
    assert held[mass] == pytest.approx(followed[mass])
