# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The family of friction laws: formulas, slopes, the machine file, and the same law wherever friction counts."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import changed, document, machine
from core.platform_motions import six_axes, states

from pkm_identification.errors import MachineError
from pkm_identification.identification.equations.energy_equations import energy_equations
from pkm_identification.machines.capabilities import motion_of_platform
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.friction import (
    LAWS,
    TERMS,
    Friction,
    friction_force,
    friction_slopes,
    friction_terms,
)
from pkm_identification.mechanisms.friction.law import LAW_NUMBERS, NOISE, TRANSITION
from pkm_identification.mechanisms.hexapod.dynamics import (
    basis_columns,
    basis_parameters,
    regressor,
    strut_forces,
)
from pkm_identification.mechanisms.hexapod.dynamics.basis import INERTIAL_COLUMNS
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.signals.band import BandSettings
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.plant import Plant

pytestmark = pytest.mark.slow

VISCOUS = np.array([1258.0, 1012.0, 1098.0, 3517.0, 962.0, 1309.0])
COULOMB = np.array([50.0, 49.0, 58.0, 99.0, 43.0, 63.0])
ASYMMETRY = 0.2 * COULOMB * [1, -1, 1, 1, -1, -1]
KEYS = {
    "coulomb": {},
    "source": {"law": "source"},
    "stribeck": {"law": "stribeck", "static_ratio": 1.6, "stribeck_rate": 0.012},
    "smooth": {"law": "smooth"},
    "asymmetric": {"law": "asymmetric", "asymmetry": ASYMMETRY.tolist()},
}
SYMMETRIC = tuple(law for law in KEYS if law != "asymmetric")
EVERY_LAW = pytest.mark.parametrize("law", KEYS)


def friction_of(law):
    return Friction.of(
        **({"law": law, "viscous": VISCOUS, "coulomb": COULOMB, "transition_rate": 0.004} | KEYS[law])
    )


def made(law):
    entry = {"viscous": VISCOUS.tolist(), "coulomb": COULOMB.tolist(), "transition_rate": 0.004}
    return machine(changed("uf", friction=entry | KEYS[law]))


def written_out(law, r):
    """Friction of strut rates (N, 6) by the formulas of the module's table."""
    bend = np.clip(r / 0.004, -1, 1)
    if law == "source":
        return np.where(np.abs(r) > 0.004, VISCOUS * r + COULOMB * np.sign(r), 2 * COULOMB / 0.008 * r)
    if law == "stribeck":
        return VISCOUS * r + COULOMB * bend * (1.0 + 0.6 * np.exp(-((r / 0.012) ** 2)))
    if law == "smooth":
        return VISCOUS * r + COULOMB * np.tanh(r / 0.004)
    if law == "asymmetric":
        return VISCOUS * r + np.where(r > 0, COULOMB + ASYMMETRY, COULOMB - ASYMMETRY) * bend
    return VISCOUS * r + COULOMB * bend


@EVERY_LAW
def test_formula(law):
    rates = np.linspace(-0.1, 0.1, 3001)[:, None] * np.linspace(0.5, 1.5, 6)
    force = friction_force(rates, friction_of(law))
    np.testing.assert_allclose(force, written_out(law, rates), rtol=1e-13, atol=1e-13)
    if law in SYMMETRIC:
        np.testing.assert_array_equal(friction_force(-rates, friction_of(law)), -force)
    assert np.all(force * rates >= 0.0)
    assert np.isnan(friction_force(np.full(6, np.nan), friction_of(law))).all()


def test_what_sets_the_laws_apart():
    one = np.ones(6)
    at = {law: friction_force(0.004 * one, friction_of(law)) for law in KEYS}
    inside = {law: friction_force(0.002 * one, friction_of(law)) for law in KEYS}
    # the source's Coulomb force alone, all of it at the end of the transition; then it jumps
    np.testing.assert_allclose(at["source"], COULOMB)
    np.testing.assert_allclose(inside["source"], COULOMB / 2)
    after = friction_force(0.00400001 * one, friction_of("source"))
    np.testing.assert_allclose(after - at["source"], VISCOUS * 0.004, rtol=1e-3)
    # Stribeck: breakaway above what follows
    assert np.all(at["stribeck"] > friction_force(0.02 * one, friction_of("stribeck")) - VISCOUS * 0.016)
    # out of the transition the asymmetric one feels more in one direction
    out, back = (friction_force(sign * 0.02 * one, friction_of("asymmetric")) for sign in (1, -1))
    np.testing.assert_allclose(0.5 * (out + back), ASYMMETRY, rtol=1e-12)
    # far from the transition all others are one
    for law in SYMMETRIC:
        np.testing.assert_allclose(
            friction_force(0.3 * one, friction_of(law)), VISCOUS * 0.3 + COULOMB, rtol=1e-12
        )


@EVERY_LAW
def test_slopes_are_the_derivatives(law):
    friction = friction_of(law)
    count, numbers, step = len(friction.coefficients), friction.law_parameters, 1e-8
    for rate in np.concatenate([np.linspace(-0.0039, 0.0039, 10), [-0.2, -0.011, 0.0045, 0.02, 0.3]]):
        after, before = (friction_terms(rate + change, numbers)[:count] for change in (step, -step))
        difference = np.subtract(after, before) / (2 * step)
        np.testing.assert_allclose(friction_slopes(rate, numbers)[:count], difference, rtol=1e-6, atol=1e-4)


@pytest.mark.parametrize("number", range(len(LAWS)))
def test_compiled_choice_is_the_registrys(number):
    """The branches of the two kernels and the places in LAWS belong together."""
    law = LAWS[number]
    count, numbers = len(law.coefficients), np.zeros(LAW_NUMBERS)
    numbers[:NOISE] = number, 0.004, 1.5, 0.01
    for rate in (-0.3, -0.001, 0.0, 0.002, 0.02):
        for choose, fill in ((friction_terms, law.terms), (friction_slopes, law.slopes)):
            own = fill(rate, numbers)
            assert len(own) == count
            assert choose(rate, numbers) == (*own, 0.0, 0.0)[:3]


@EVERY_LAW
def test_model_and_regressor_have_the_files_law(law):
    m = made(law)
    motion = slow_states(m)
    _, rate, _ = strut_motion_from_platform(m, motion)
    assert np.mean(np.abs(rate) < 0.004) > 0.2
    expected = written_out(law, rate)
    found = strut_forces(m, motion) - strut_forces(m, motion, friction=False)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * np.abs(expected).max())
    phi = basis_parameters(m)
    phi[:INERTIAL_COLUMNS] = 0.0
    columns = regressor(m, motion, np.eye(basis_columns(m)))
    np.testing.assert_allclose(columns @ phi, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def slow_states(m):
    motion = states(m, 200, 1)
    motion.twist[:] *= 0.03
    return motion


@EVERY_LAW
def test_simulator_has_the_files_law(law):
    m = made(law)
    plant = Plant(m, stops=False)
    for n, motion in enumerate(slow_states(m)[k : k + 1] for k in range(10)):
        plant.reset(motion.position[0], motion.rotation[0], motion.twist[0])
        state = plant.state
        np.testing.assert_allclose(
            state.resistance, written_out(law, state.rate), rtol=1e-12, atol=1e-12, err_msg=str(n)
        )
    assert perturb_machine(m, 1).friction.law_parameters.tolist() == m.friction.law_parameters.tolist()


@EVERY_LAW
def test_energy_equations_have_the_files_law(law):
    """Exact forces of a slow motion balance the energy model only with the law they were made with."""
    m = made(law)
    motion = six_axes(m, 2, scale=0.15).at(np.arange(0.0, 3.0, 1e-3))
    band = BandSettings(1e-3, cutoff=10.0)
    segment = np.zeros(len(motion), dtype=np.int64)
    residual = {}
    for other in KEYS:
        parameters = list_hexapod_parameters(made(other))
        equations = energy_equations(
            as_machine(made(other)),
            parameters,
            motion_of_platform(m, motion),
            motion.time,
            strut_forces(m, motion),
            segment,
            band,
        )
        size = np.abs(equations.force).max()
        residual[other] = np.abs(equations.measured - equations.regressor @ parameters.nominal).max() / size
    assert residual[law] < 2e-3
    assert all(value > 2 * residual[law] for other, value in residual.items() if other != law), residual


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            {"law": "karnopp"},
            r"friction\.law = 'karnopp': must be one of coulomb, source, stribeck, smooth, asym",
        ),
        ({"law": "stribeck"}, r"key 'friction\.static_ratio' is missing"),
        ({"law": "stribeck", "static_ratio": 1.2}, r"key 'friction\.stribeck_rate' is missing"),
        (
            {"law": "stribeck", "static_ratio": 0.9, "stribeck_rate": 0.01},
            r"friction\.static_ratio = 0\.9: must be at least 1",
        ),
        (
            {"law": "stribeck", "static_ratio": 1.2, "stribeck_rate": 0.0},
            r"friction\.stribeck_rate = 0: must be greater than zero",
        ),
        ({"law": "smooth", "static_ratio": 1.2}, r"unknown key 'static_ratio' in 'friction'"),
        ({"static_ratio": 1.2}, r"unknown key 'static_ratio' in 'friction'"),
        (
            {"asymmetry": [0.0] * 6},
            r"unknown key 'asymmetry' in 'friction'; allowed: coulomb, joints, law, transition_rate",
        ),
        ({"law": "asymmetric"}, r"key 'friction\.asymmetry' is missing"),
        ({"law": "asymmetric", "asymmetry": [1.0] * 5}, r"friction\.asymmetry must be 6 numbers, found 5"),
        (
            {"law": "asymmetric", "asymmetry": [0, 0, 0, 0, 0, -64.0]},
            r"friction\.asymmetry = .*: must not be larger than 'coulomb', or friction would drive",
        ),
    ],
)
def test_machine_file_says_what_is_wrong(entry, message):
    with pytest.raises(MachineError, match=message):
        machine(changed("uf", friction=document("uf")["friction"] | entry))


def test_default_is_coulomb_and_files_without_the_key_are_what_they_were():
    plain = machine("uf")
    named = machine(changed("uf", friction__law="coulomb"))
    assert plain.friction.law.name == "coulomb"
    assert "law" not in plain.document["friction"]
    motion = slow_states(plain)
    np.testing.assert_array_equal(strut_forces(plain, motion), strut_forces(named, motion))


def test_friction_by_names():
    friction = friction_of("asymmetric")
    assert friction.law.names == ("viscous", "coulomb", "asymmetry")
    np.testing.assert_array_equal(friction.coefficient("asymmetry"), ASYMMETRY)
    np.testing.assert_array_equal(friction_of("coulomb").coefficient("asymmetry"), np.zeros(6))
    more = friction.changed(coulomb=2 * COULOMB, transition_rate=0.01)
    np.testing.assert_array_equal(more.coefficients, [VISCOUS, 2 * COULOMB, ASYMMETRY])
    assert more.transition_rate == 0.01
    assert friction.acts
    assert not friction.without().acts
    for values in ({"asymmetry": ASYMMETRY, "static_ratio": 1.5}, {"viscous": VISCOUS}):
        with pytest.raises(
            ValueError, match="friction law 'asymmetric' has viscous, coulomb, asymmetry, transition_"
        ):
            Friction.of("asymmetric", **values)
    with pytest.raises(ValueError, match="friction law 'karnopp': must be one of"):
        Friction.of("karnopp")


def test_nearest_possible_friction_resists_every_motion():
    law = friction_of("asymmetric").law
    nearest = law.possible(np.array([[-1.0, 2.0, 3.0], [4.0, -5.0, 6.0], [-7.0, 1.0, 2.0]]))
    np.testing.assert_array_equal(nearest, [[0.0, 2.0, 3.0], [4.0, 0.0, 6.0], [-4.0, 0.0, 2.0]])


def test_every_law_fits_the_kernels_numbers():
    """A law with more terms or parameters has to widen what the kernels hand on."""
    for law in LAWS:
        assert len(law.coefficients) <= TERMS
        assert TRANSITION + len(law.parameters) <= NOISE
        assert law.parameters[0].name == "transition_rate"
