# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Contributions: motions whose shares are known, and the formulas."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.mechanisms.hexapod.analysis.norms_of_the_text import GROUPS, group_forces, norms
from core.mechanisms.hexapod.machine_variants import changed, machine, untidy, with_joint
from core.platform_motions import at_rest, states

from pkm_identification.errors import PkmError
from pkm_identification.mechanisms.contributions import shares as shares_of
from pkm_identification.mechanisms.hexapod.dynamics import force_groups, strut_forces
from pkm_identification.reproduction.oh2003.table_2_2_motions import SOURCE_MOTIONS


def test_at_rest_there_is_only_gravity():
    m = machine("uf")
    motion = at_rest(m, 10, 3)
    motion.position[:], motion.rotation[:] = m.home_position, m.home_rotation
    shares = shares_of(force_groups(m, motion))
    for name in shares.names:
        assert (shares.share(name) > 1.0) == (name in ("grp", "grs")), name
    # at home both pull the same way in every strut of this machine
    np.testing.assert_allclose(shares.struts.mean.sum(axis=0), 100.0, rtol=1e-12)
    np.testing.assert_array_equal(shares.struts.signed_range, 0.0)
    np.testing.assert_array_equal(shares.variation, 0.0)
    assert shares.total_variation == 0.0


def test_weightless_slide_at_constant_speed_has_no_acceleration_of_the_platform():
    m = machine(changed("uf", gravity=[0.0, 0.0, 0.0]))
    motion = at_rest(m, 20, 4)
    motion.twist[:, 0] = 0.3
    shares = shares_of(force_groups(m, motion, friction=False))
    for name in ("pm", "sm", "grp", "grs", "frict"):
        assert shares.share(name) == 0.0, name
    assert shares.share("cor") > 0.0
    assert shares.share("cen") > 0.0


def test_numbers_are_the_formulas():
    m = machine(with_joint(untidy("uf"), "universal"))
    motion = states(m, 60, 5)
    groups, force = force_groups(m, motion), strut_forces(m, motion)
    shares = shares_of(force_groups(m, motion))
    total = np.array([np.sqrt(np.sum(row**2)) for row in force])
    assert shares.force == pytest.approx(total.mean(), rel=1e-9)
    assert shares.total_variation == pytest.approx(100 * (total.max() - total.min()) / total.mean(), rel=1e-9)
    average = np.array([np.mean(np.abs(force[:, i])) for i in range(6)])
    np.testing.assert_allclose(shares.struts.force, average, rtol=1e-10)
    for g, name in enumerate(shares.names):
        part = getattr(groups, name)
        size = np.array([np.sqrt(np.sum(row**2)) for row in part])
        assert shares.share(name) == pytest.approx(100 * size.mean() / total.mean(), rel=1e-9)
        assert shares.varies(name) == pytest.approx(100 * (size.max() - size.min()) / total.mean(), rel=1e-9)
        for i in range(6):
            mean = 100 * np.mean(np.abs(part[:, i])) / average[i]
            spread = 100 * (part[:, i].max() - part[:, i].min()) / average[i]
            assert shares.struts.mean[g, i] == pytest.approx(mean, rel=1e-9)
            assert shares.struts.signed_range[g, i] == pytest.approx(spread, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["x-high", "z-medium", "rotation-offset-high"])
def test_norms_are_those_of_an_independent_derivation(name):
    """(2.76-2.88) in plain numpy from the equations of motion, body by body."""
    m = machine(with_joint("uf", "no_spin"))
    motion = SOURCE_MOTIONS[name].period(m, 40)
    strut = m.struts[0]
    bodies = {
        "m_p": m.platform.mass,
        "I_p": m.platform.inertia,
        "m_b": strut.body_b.mass,
        "m_e": strut.body_e.mass,
        "L_B": strut.body_b.center_of_mass,
        "d_E": strut.body_e.center_of_mass,
        "I_b": strut.body_b.transverse,
        "A_b": strut.body_b.axial,
        "I_e": strut.body_e.transverse,
        "A_e": strut.body_e.axial,
    }
    mean, variation, total = norms(
        [
            group_forces(
                m.base_joints,
                m.platform_joints,
                bodies,
                np.array([0.0, 0.0, -9.81]),
                motion.position[k],
                motion.rotation[k],
                motion.twist[k],
                motion.acceleration[k],
            )
            for k in range(len(motion))
        ]
    )
    shares = shares_of(force_groups(m, motion, friction=False))
    assert shares.total_variation == pytest.approx(total, rel=1e-9)
    for group in GROUPS:
        assert shares.share(group) == pytest.approx(mean[group], rel=1e-8, abs=1e-10), group
        assert shares.varies(group) == pytest.approx(variation[group], rel=1e-7, abs=1e-9), group


def test_a_force_that_turns_round_and_keeps_its_size_does_not_vary():
    """What the norm of the text says and the range of signed forces does not."""
    m = machine("uf")
    groups = force_groups(m, at_rest(m, 2, 3))
    turned = replace(groups, ext=np.array([[30.0] * 6, [-30.0] * 6]))
    made = shares_of(turned)
    assert made.varies("ext") == 0.0
    assert made.struts.signed_range[made.names.index("ext")].min() > 0.0


def test_acceleration_grows_with_the_square_of_the_speed():
    """Same poses, twice the speed: four times the inertial forces, the same weights."""
    m = machine(with_joint("uf", "no_spin"))
    slow, fast = (
        shares_of(force_groups(m, SOURCE_MOTIONS[f"rotation-{s}"].period(m), False))
        for s in ("low", "medium")
    )
    newton = [c.struts.mean * c.struts.force / 100 for c in (slow, fast)]
    norm = [c.mean * c.force / 100 for c in (slow, fast)]
    for name, factor in {"pm": 4, "sm": 4, "cor": 4, "cen": 4, "grp": 1, "grs": 1}.items():
        g = slow.names.index(name)
        np.testing.assert_allclose(newton[1][g], factor * newton[0][g], rtol=1e-9, atol=1e-12, err_msg=name)
        assert norm[1][g] == pytest.approx(factor * norm[0][g], rel=1e-9)


def test_what_has_no_share_is_refused():
    m = machine("uf")
    with pytest.raises(PkmError, match="no samples"):
        shares_of(force_groups(m, at_rest(m, 2, 1)[:0]))
    broken = at_rest(m, 3, 1)
    broken.position[1] = np.nan
    with pytest.raises(PkmError, match="at sample 2: singular or missing pose"):
        shares_of(force_groups(m, broken))
    weightless = replace(m, gravity=np.zeros(3))
    with pytest.raises(PkmError, match="no drive carries any force"):
        shares_of(force_groups(weightless, at_rest(m, 3, 1)))
