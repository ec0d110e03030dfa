# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parameter sets: what each number of the machine file does to the basis, and the names the reports promise."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import BUILTIN, document, machine, untidy, with_joint

from pkm_identification.errors import PkmError
from pkm_identification.mechanisms.hexapod.dynamics import basis_parameters
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import NAMES, list_hexapod_parameters
from pkm_identification.parameters.prior import Prior

pytestmark = pytest.mark.slow

FRICTION = [f"{kind}_{i}" for kind in ("viscous", "coulomb") for i in range(1, 7)]
EXPECTED = {
    "identifiable": ["m_p", "m_b", "m_e", "Ixx_p", "Iyy_p", "Izz_p", "It_b+It_e", "Ia_b+Ia_e", *FRICTION],
    "oh12": [
        "m_e",
        "m_b",
        "m_p",
        "Ixx_b",
        "Iyy_b",
        "Izz_b",
        "Ixx_p",
        "Iyy_p",
        "Izz_p",
        "Ixx_e",
        "Iyy_e",
        "Izz_e",
    ],
}
EXPECTED["oh24"] = EXPECTED["oh12"] + FRICTION
EXPECTED["extended"] = [
    "m_p", "mx_p", "my_p", "mz_p", "Ixx_p", "Iyy_p", "Izz_p", "Ixy_p", "Ixz_p", "Iyz_p",
    *(f"{name}_{i}" for i in range(1, 7) for name in ("m_b", "m_e", "It_b+It_e", "Ia_b+Ia_e")), *FRICTION,
]  # fmt: skip
PLATFORM = EXPECTED["extended"][:10]
STRUT = ["m_e", "h_e", "h_b", "Jt", "Ja"]
EXPECTED["alike"] = [*PLATFORM, *STRUT, *FRICTION]
EXPECTED["alike_motor"] = [*PLATFORM, *STRUT, "m_m", *FRICTION]
EXPECTED["general"] = [*PLATFORM, *(f"{name}_{i}" for i in range(1, 7) for name in STRUT), *FRICTION]
EXPECTED["general_motor"] = [*EXPECTED["general"], *(f"m_m_{i}" for i in range(1, 7))]
SETS = pytest.mark.parametrize("which", NAMES)
MACHINES = pytest.mark.parametrize("name", BUILTIN)


@SETS
def test_names_and_units(which):
    parameters = list_hexapod_parameters(Machine.load("uf"), which)
    assert sorted(parameters.names) == sorted(EXPECTED[which])
    if which in ("oh12", "oh24"):
        assert list(parameters.names) == EXPECTED[which]  # the source's order
    assert len(set(parameters.names)) == len(parameters.names)
    for name, unit in zip(parameters.names, parameters.units, strict=True):
        kind = name.split("_")[0]
        expected = {
            "viscous": "N s/m",
            "coulomb": "N",
            "m": "kg",
            "mx": "kg m",
            "my": "kg m",
            "mz": "kg m",
        } | {"h": "kg m"}
        assert unit == expected.get(kind, "kg m^2"), name


def test_unknown_set_names_those_known():
    with pytest.raises(PkmError, match="identifiable, oh12, oh24, extended"):
        list_hexapod_parameters(Machine.load("uf"), "everything")


@SETS
@MACHINES
@pytest.mark.parametrize("tidy", [True, False])
@pytest.mark.parametrize("joint", ["universal", "no_spin"])
def test_nominal_values_and_the_known_rest_are_the_machine(which, name, tidy, joint):
    made = machine(with_joint(document(name) if tidy else untidy(name), joint))
    parameters = list_hexapod_parameters(made, which)
    whole = parameters.mapping @ parameters.nominal + parameters.known
    basis = basis_parameters(made)
    np.testing.assert_allclose(whole, basis, rtol=1e-12, atol=1e-12 * np.abs(basis).max())


@SETS
@MACHINES
def test_tidy_machine_leaves_nothing_over(which, name):
    """Struts alike, centre of mass at the origin, principal axes: the parameters alone are the machine."""
    made = Machine.load(name)
    parameters = list_hexapod_parameters(made, which)
    known = parameters.known.copy()
    if which == "oh12":
        known[-12:] = 0.0  # friction is not among them
    np.testing.assert_allclose(known, 0.0, atol=1e-12 * np.abs(basis_parameters(made)).max())


@MACHINES
def test_unlike_struts_keep_their_differences(name):
    made = machine(untidy(name))
    parameters = list_hexapod_parameters(made, "identifiable")
    # one m_b for all is their mean, the rest is known
    assert parameters.nominal[parameters.names.index("m_b")] == pytest.approx(
        np.mean([s.body_b.mass for s in made.struts])
    )
    assert np.abs(parameters.known).max() > 1e-3
    # strut by strut nothing of the struts is left over
    extended = list_hexapod_parameters(made, "extended")
    np.testing.assert_allclose(extended.known, 0.0, atol=1e-12 * np.abs(basis_parameters(made)).max())


def struts_of(made: dict) -> list[dict]:
    return made["struts"] if "struts" in made else [made["strut"]]


def moments_kept(made: dict, change) -> dict:
    """Change a platform's mass with its moments about the platform frame's origin kept (DESIGN section 6)."""
    platform = made["platform"]
    c = np.array(platform["center_of_mass"])
    shift = c @ c * np.eye(3) - np.outer(c, c)
    entries = np.array([shift[0, 0], shift[1, 1], shift[2, 2], shift[0, 1], shift[0, 2], shift[1, 2]])
    platform["mass"] += change
    platform["inertia"] = (np.array(platform["inertia"]) - change * entries).tolist()
    return made


def add_to(made: dict, name: str, change: float) -> dict:
    """The description with one parameter of a set made larger, the way its name says."""
    made = copy.deepcopy(made)
    if name == "m_p":
        return moments_kept(made, change)
    kind, _, index = name.partition("_")
    if kind in ("viscous", "coulomb"):
        made["friction"][kind][int(index) - 1] += change
        return made
    if name.endswith("_p"):
        place = ["Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"].index(kind)
        made["platform"]["inertia"][place] += change
        return made
    number = name.rsplit("_", 1)[1]
    struts = [struts_of(made)[int(number) - 1]] if number.isdigit() else struts_of(made)
    for strut in struts:
        if name.startswith("m_"):
            strut[f"body_{name[2]}"]["mass"] += change
        else:
            strut["body_b"]["inertia"][0 if name.startswith("It") else 1] += change
    return made


@pytest.mark.parametrize("which", ["identifiable", "extended"])
@pytest.mark.parametrize("source", ["uf", "hexel", "untidy"])
def test_each_parameter_is_the_number_of_the_file_its_name_says(which, source):
    """The column of a parameter is what the basis of the machine gains when that number of its file does."""
    made = untidy("uf", 5) if source == "untidy" else document(source)
    xx = made["platform"]["inertia"][0]
    made["platform"]["inertia"][1:3] = [1.1 * xx, 1.4 * xx]  # room for a little more of each
    before = machine(made)
    parameters = list_hexapod_parameters(before, which)
    for p, name in enumerate(parameters.names):
        if name in ("mx_p", "my_p", "mz_p"):
            continue
        if which == "extended" and name == "m_p" and np.any(before.platform.center_of_mass):
            continue  # there its first moments do not follow it
        if which == "extended" and "struts" not in made and name[-1].isdigit() and name not in FRICTION:
            continue  # the file has one strut for all
        change = 0.01 * parameters.scale[p]
        gained = basis_parameters(machine(add_to(made, name, change))) - basis_parameters(before)
        expected = parameters.mapping[:, p] * change
        scale = np.abs(basis_parameters(before)).max()
        np.testing.assert_allclose(gained, expected, rtol=1e-9, atol=1e-12 * scale, err_msg=name)


def test_first_moments_are_mass_times_centre_of_mass():
    made = machine(untidy("uf"))
    parameters = list_hexapod_parameters(made, "extended")
    for k, axis in enumerate("xyz"):
        value = parameters.nominal[parameters.names.index(f"m{axis}_p")]
        assert value == pytest.approx(made.platform.mass * made.platform.center_of_mass[k])


@SETS
@MACHINES
@pytest.mark.parametrize("tidy", [True, False])
def test_prior_is_wide_and_never_zero(which, name, tidy):
    """Zero in the file (products of inertia, friction) must not mean that it is known to be zero."""
    made = machine(document(name) if tidy else untidy(name))
    parameters = list_hexapod_parameters(made, which)
    prior = Prior.of(parameters)
    assert np.all(prior.std > 0)
    signed = ("mx", "my", "mz", "Ixy", "Ixz", "Iyz")
    own_size = np.array([not name.startswith(signed) for name in parameters.names])
    assert np.all((prior.std >= np.abs(prior.mean) * (1 - 1e-12))[own_size])
    np.testing.assert_array_equal(prior.mean, parameters.nominal)
