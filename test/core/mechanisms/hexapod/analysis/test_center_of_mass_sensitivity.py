# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Sensitivity to the centre of mass against machines whose centre of mass is elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import machine, untidy
from core.platform_motions import at_rest, six_axes

from pkm_identification.errors import PkmError
from pkm_identification.mechanisms.center_of_mass_sensitivity import DIRECTIONS
from pkm_identification.mechanisms.hexapod.analysis.center_of_mass_sensitivity import (
    center_of_mass_sensitivity,
)
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.reproduction.oh2003.table_2_2_motions import SOURCE_MOTIONS


def travel_of(m, motion):
    return center_of_mass_sensitivity(m, motion).travel


def shifted(m, shift):
    return replace(m, platform=replace(m.platform, center_of_mass=m.platform.center_of_mass + shift))


@pytest.mark.parametrize("name", ["uf", "hexel", "ford"])
@pytest.mark.parametrize("kind", ["untidy six axes", "rotation"])
def test_equals_finite_differences(name, kind):
    m = machine(untidy(name) if kind.startswith("untidy") else name)
    motion = (
        six_axes(m).at(np.linspace(0.0, 2.0, 150))
        if kind.startswith("untidy")
        else SOURCE_MOTIONS["rotation-high"].period(m)
    )
    found = center_of_mass_sensitivity(m, motion)
    force = strut_forces(m, motion)
    size = np.abs(force).mean(axis=0)
    for d, direction in enumerate(DIRECTIONS.values()):
        step = 0.01 * found.travel * direction
        change = (strut_forces(shifted(m, step), motion) - strut_forces(shifted(m, -step), motion)) / 2
        np.testing.assert_allclose(found.per_strut[d], np.abs(change).mean(axis=0) / size / 0.01, rtol=1e-6)
        assert found.overall[d] == pytest.approx(
            np.abs(change).mean() / np.abs(force).mean() / 0.01, rel=1e-6
        )
        assert found.largest_quotient[d] == pytest.approx(np.abs(change / force).max() / 0.01, rel=1e-5)


def test_level_platform_at_rest_does_not_feel_its_height():
    m = machine("uf")
    motion = at_rest(m, 5, 1)
    motion.rotation[:] = m.home_rotation
    found = center_of_mass_sensitivity(m, motion, reach=0.1)
    z = found.directions.index("z")
    assert np.all(found.per_strut[z] < 1e-12)
    # xz is then x alone, at 45 degrees
    x, xz = (found.per_strut[found.directions.index(name)] for name in ("x", "xz"))
    np.testing.assert_allclose(xz, x / np.sqrt(2), rtol=1e-10)


def test_does_not_depend_on_the_amount_but_on_the_travel():
    m = machine("uf")
    motion = SOURCE_MOTIONS["x-high"].period(m)
    one, two = (center_of_mass_sensitivity(m, motion, reach) for reach in (0.02, 0.04))
    np.testing.assert_allclose(two.per_strut, 2 * one.per_strut, rtol=1e-12)


def test_travel():
    m = machine("uf")
    assert travel_of(m, SOURCE_MOTIONS["z-offset-low"].period(m)) == pytest.approx(0.0254, rel=1e-12)
    # two small turns about x and y move a joint by angle |z-free lever| in all
    lever = np.sqrt(np.mean(np.sum((m.platform_joints @ np.diag([1.0, 1.0, 0.0])) ** 2, axis=1)))
    assert travel_of(m, SOURCE_MOTIONS["rotation-low"].period(m)) == pytest.approx(
        np.deg2rad(5) * lever, rel=0.02
    )


def test_what_has_no_sensitivity_is_refused():
    m = machine("uf")
    motion = SOURCE_MOTIONS["x-low"].period(m)
    with pytest.raises(PkmError, match="no samples"):
        center_of_mass_sensitivity(m, motion[:0])
    with pytest.raises(PkmError, match="travel 0 m: must be positive"):
        center_of_mass_sensitivity(m, motion[np.zeros(3, dtype=int)])
    for reach in (-1.0, np.nan, np.inf):
        with pytest.raises(PkmError, match="travel"):
            center_of_mass_sensitivity(m, motion, reach)
    motion.position[2] = np.nan
    with pytest.raises(PkmError, match="at sample 3"):
        center_of_mass_sensitivity(m, motion, 0.1)
    with pytest.raises(PkmError, match="no drive carries"):
        center_of_mass_sensitivity(replace(m, gravity=np.zeros(3)), at_rest(m, 2, 1), 0.1)
