# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Base parameters: known counts, exact groupings, and a rank that says when it is in doubt."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import BUILTIN, machine, untidy, with_joint
from core.platform_motions import states

from pkm_identification.estimation.identifiability.base_parameters import (
    base_parameters,
)
from pkm_identification.mechanisms.hexapod.analysis.base_parameters import (
    list_machine_base_parameters,
    random_states,
)
from pkm_identification.mechanisms.hexapod.dynamics.thirteen_bodies import (
    BODY_NAMES,
    compute_body_regressor,
    list_body_parameters,
)
from pkm_identification.mechanisms.multibody.description.reader import parse_text
from pkm_identification.mechanisms.multibody.dynamics import regressor
from pkm_identification.mechanisms.multibody.mechanism import Mechanism, builtin_mechanisms
from pkm_identification.mechanisms.multibody.parameters import build_rigid_basis, build_rigid_columns
from pkm_identification.mechanisms.multibody.series import compute_series_motion

SKEW = (0.3, -0.8, 0.2)


def four_bar(name, **constants):
    """Columns and names of a built-in four-bar in its stated motion, with other constants."""
    document = parse_text(builtin_mechanisms()[name])
    document["constants"].update(constants)
    mechanism = Mechanism.from_document(document)
    columns = regressor(mechanism, compute_series_motion(mechanism))[..., build_rigid_columns(mechanism)]
    return columns, build_rigid_basis(mechanism).names


@pytest.mark.parametrize("name", BUILTIN)
@pytest.mark.parametrize(
    ("symmetry", "universal", "no_spin"),
    [("general", 82, 76), ("alike", 22, 21), ("axisymmetric", 34, 28), ("axisymmetric_alike", 14, 13)],
)
def test_counts_of_a_six_six_machine(name, symmetry, universal, no_spin):
    """130 - 6 (1 mass at a fixed point + 6 of a prismatic pair + 1 mass at a spherical joint) = 82, and so on.

    Struts that do not spin lose the column of the moment about their axis, six times or once.
    """
    for joint, expected in (("universal", universal), ("no_spin", no_spin)):
        base = list_machine_base_parameters(machine(with_joint(name, joint, SKEW)), symmetry)
        assert base.count == expected
        assert base.clear
        assert base.ridge > 1e10
        assert base.count + len(base.grouped) + len(base.invisible) == len(base.names)


def test_two_struts_that_share_a_joint_and_a_hinge_line_merge_three_more():
    """Hexel's struts 5 and 6 meet at the platform, their base joints on one line along the hinges: one plane."""
    m = machine(with_joint("hexel", "universal", (1.0, 0.0, 0.0)))
    np.testing.assert_allclose(m.platform_joints[4], m.platform_joints[5])
    np.testing.assert_allclose(
        np.cross(m.base_joints[4] - m.base_joints[5], m.first_axes[4]), 0.0, atol=1e-12
    )
    assert list_machine_base_parameters(m).count == 82 - 3
    # round struts have nothing across their axes to merge
    assert list_machine_base_parameters(m, "axisymmetric").count == 34


def test_known_groupings_of_equal_round_struts():
    """Point masses at the platform's joints and the tensors of a prismatic pair."""
    m = machine("uf")
    base = list_machine_base_parameters(m, "axisymmetric_alike")
    radius = np.sum(m.platform_joints**2, axis=0)
    text = {g.split()[0]: g for g in base.groupings}
    assert text["m_p"] == "m_p + 6 m_e"
    assert text["Izz_p"] == f"Izz_p + {radius[0] + radius[1]:.4g} m_e"
    assert "It_b + It_e" in base.groupings or "It_e + It_b" in base.groupings
    assert "Ia_b + Ia_e" in base.groupings or "Ia_e + Ia_b" in base.groupings
    assert [base.names[k] for k in base.invisible] == ["m_b"]


def test_dependent_columns_follow_from_independent_ones_on_other_states():
    """W_2 = W_1 B, and forces do not change along the null space (Gautier), on states the analysis never saw."""
    m = machine(untidy(with_joint("uf", "universal", SKEW)))
    base = list_machine_base_parameters(m)
    columns = compute_body_regressor(m, states(m, 30, 9))
    size = np.abs(columns).max()
    grouped = columns[..., base.independent] @ base.coefficients
    np.testing.assert_allclose(columns[..., base.grouped], grouped, rtol=0, atol=1e-10 * size)
    np.testing.assert_allclose(columns[..., base.invisible], 0.0, atol=1e-12 * size)
    parameters = list_body_parameters(m)
    forces = columns @ parameters
    np.testing.assert_allclose(
        columns[..., base.independent] @ (base.mapping @ parameters),
        forces,
        rtol=0,
        atol=1e-10 * np.abs(forces).max(),
    )
    other = np.random.default_rng(0).normal(size=len(BODY_NAMES))
    other -= np.linalg.pinv(base.mapping) @ (base.mapping @ other)
    assert np.abs(columns @ other).max() < 1e-9 * size * np.abs(other).max()
    # least squares on the base set predicts the same, whichever of these parameters made the forces
    seen = compute_body_regressor(m, states(m, 30, 10))
    made = (seen @ (parameters + other)).ravel()
    fitted = np.linalg.lstsq(seen[..., base.independent].reshape(len(made), -1), made, rcond=None)[0]
    left = columns[..., base.independent] @ fitted - forces
    assert np.abs(left).max() < 1e-8 * np.abs(forces).max()


def test_toy_with_a_sum_a_copy_and_nothing():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 40))
    columns = np.column_stack([a, b, 2 * a - 1e3 * b, np.zeros(40), b])
    base = base_parameters(columns, ("a", "b", "c", "d", "e"), keep=("a", "b"))
    assert base.groupings == ("a + 2 c", "b - 1000 c + e")
    np.testing.assert_array_equal(base.invisible, [3])
    np.testing.assert_allclose(base.mapping, [[1, 0, 2, 0, 0], [0, 1, -1000, 0, 1]], atol=1e-9)
    # whatever is kept, the space is the same; units do not matter
    other = base_parameters(columns * [1e-9, 1e9, 1, 1, 1], ("a", "b", "c", "d", "e"), keep=("c", "e"))
    assert [other.names[k] for k in other.independent] == ["c", "e"]
    nothing = base_parameters(np.zeros((4, 2)), ("a", "b"))
    assert nothing.count == 0
    assert nothing.groupings == ()
    assert base_parameters(columns[:, :2], ("a", "b")).ridge == float("inf")


def test_small_motions_lose_the_ridge():
    """The weakest base parameters fade with the square of the motion's size: seen, or said to be in doubt."""
    m = machine(with_joint("uf", "universal", SKEW))
    found = [
        base_parameters(compute_body_regressor(m, random_states(m, 40, size=size)), BODY_NAMES)
        for size in (1e-2, 1e-4, 1e-5)
    ]
    assert [base.count for base in found[:2]] == [82, 82]
    assert found[0].clear
    share = [base.singular_values[81] / base.singular_values[0] for base in found]
    np.testing.assert_allclose(share[1] / share[0], 1e-4, rtol=0.05)
    assert found[2].count < 82
    assert not found[2].clear


@pytest.mark.parametrize(
    "constants",
    [{}, {"l2": "0.80001", "l3": "0.30001"}, {"A": "0.005"}],
    ids=["Iriarte et al.", "nearer to a parallelogram", "moved less"],
)
def test_a_wide_ridge_above_what_is_no_rounding_is_in_doubt(constants):
    """The low-mobility four-bar has 8; below the wide ridge at 6 lie values a thousand times rounding and more."""
    base = base_parameters(*four_bar("four-bar-low-mobility", **constants))
    assert base.count == 6
    assert base.ridge > 1e5
    assert base.singular_values[6] > 100 * base.rounding
    assert not base.clear


@pytest.mark.parametrize(("name", "count"), [("four-bar", 8), ("parallelogram", 3)])
def test_a_ridge_above_rounding_is_clear(name, count):
    base = base_parameters(*four_bar(name))
    assert base.count == count
    assert base.singular_values[count] < base.rounding
    assert base.clear


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="2 names for 3 columns"):
        base_parameters(np.ones((9, 3)), ("a", "b"))
    with pytest.raises(ValueError, match=r"2 equations .* 3 parameters"):
        base_parameters(np.ones((2, 3)), ("a", "b", "c"))
    with pytest.raises(ValueError, match="not finite"):
        base_parameters(np.full((4, 1), np.nan), ("a",))
