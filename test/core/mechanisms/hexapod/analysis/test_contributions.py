"""Contributions: motions whose shares are known, and the formulas."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import changed, machine, untidy, with_joint
from core.platform_motions import at_rest, states

from pkm_identification.errors import PkmError
from pkm_identification.mechanisms.hexapod.analysis.contributions import contributions
from pkm_identification.mechanisms.hexapod.dynamics import force_groups, strut_forces
from pkm_identification.reproduction.oh2003.table_2_2_motions import SOURCE_MOTIONS


def test_at_rest_there_is_only_gravity():
    m = machine("uf")
    motion = at_rest(m, 10, 3)
    motion.position[:], motion.rotation[:] = m.home_position, m.home_rotation
    shares = contributions(m, motion)
    for name in shares.names:
        assert (shares.share(name) > 1.0) == (name in ("grp", "grs")), name
    # at home both pull the same way in every strut of this machine
    np.testing.assert_allclose(shares.mean.sum(axis=0), 100.0, rtol=1e-12)
    np.testing.assert_array_equal(shares.range, 0.0)


def test_weightless_slide_at_constant_speed_has_no_acceleration_of_the_platform():
    m = machine(changed("uf", gravity=[0.0, 0.0, 0.0]))
    motion = at_rest(m, 20, 4)
    motion.twist[:, 0] = 0.3
    shares = contributions(m, motion, friction=False)
    for name in ("pm", "sm", "grp", "grs", "frict"):
        assert shares.share(name) == 0.0, name
    assert shares.share("cor") > 0.0
    assert shares.share("cen") > 0.0


def test_numbers_are_the_formulas():
    m = machine(with_joint(untidy("uf"), "universal"))
    motion = states(m, 60, 5)
    groups, force = force_groups(m, motion), strut_forces(m, motion)
    shares = contributions(m, motion)
    average = np.array([np.mean(np.abs(force[:, i])) for i in range(6)])
    np.testing.assert_allclose(shares.force, average, rtol=1e-10)
    for g, name in enumerate(shares.names):
        part = getattr(groups, name)
        for i in range(6):
            mean = 100 * np.mean(np.abs(part[:, i])) / average[i]
            spread = 100 * (part[:, i].max() - part[:, i].min()) / average[i]
            assert shares.mean[g, i] == pytest.approx(mean, rel=1e-9)
            assert shares.range[g, i] == pytest.approx(spread, rel=1e-9)
        assert shares.share(name) == pytest.approx(
            100 * np.mean(np.abs(part)) / np.mean(np.abs(force)), rel=1e-9
        )


def test_acceleration_grows_with_the_square_of_the_speed():
    """Same poses, twice the speed: four times the inertial forces, the same weights."""
    m = machine(with_joint("uf", "no_spin"))
    slow, fast = (
        contributions(m, SOURCE_MOTIONS[f"rotation-{s}"].period(m), False) for s in ("low", "medium")
    )
    newton = [c.mean * c.force / 100 for c in (slow, fast)]
    for name, factor in {"pm": 4, "sm": 4, "cor": 4, "cen": 4, "grp": 1, "grs": 1}.items():
        g = slow.names.index(name)
        np.testing.assert_allclose(newton[1][g], factor * newton[0][g], rtol=1e-9, atol=1e-12, err_msg=name)


def test_what_has_no_share_is_refused():
    m = machine("uf")
    with pytest.raises(PkmError, match="no samples"):
        contributions(m, at_rest(m, 2, 1)[:0])
    broken = at_rest(m, 3, 1)
    broken.position[1] = np.nan
    with pytest.raises(PkmError, match="at sample 2: singular or missing pose"):
        contributions(m, broken)
    weightless = replace(m, gravity=np.zeros(3))
    with pytest.raises(PkmError, match="no strut carries any force"):
        contributions(weightless, at_rest(m, 3, 1))
