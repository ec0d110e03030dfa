# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""HAL commands for genhexkins: its formula with these values gives our strut lengths."""

from __future__ import annotations

import re

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import changed, machine, untidy
from scipy.spatial.transform import Rotation

from pkm_identification.exporting.linuxcnc import linuxcnc_hal
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths

# Pins and parameters that genhexkins makes, of those used here.
PIN = re.compile(r"setp genhexkins\.(base|platform)\.([0-5])\.([xyz]) (-?[\d.e-]+)")
OTHER = {"setp genhexkins.screw-lead 0.0", "setp genhexkins.spindle-offset 0.0"}


def genhexkins(pins, x, y, z, a, b, c):
    """Lengths of its joints at a pose in mm and degrees: |position + RPY(a, b, c) platform - base|."""
    turned = Rotation.from_euler("xyz", [a, b, c], degrees=True).apply(pins["platform"])
    return np.linalg.norm(np.array([x, y, z]) + turned - pins["base"], axis=1)


@pytest.mark.parametrize("name", ["uf", "hexel", "ford", "untidy"])
def test_genhexkins_has_our_lengths(name):
    it = machine(untidy("uf", seed=3)) if name == "untidy" else machine(name)
    pins = {"base": np.full((6, 3), np.nan), "platform": np.full((6, 3), np.nan)}
    for line in linuxcnc_hal(it).splitlines():
        match = PIN.fullmatch(line)
        if match is None:
            assert line.startswith("#") or line in OTHER
            continue
        end, number, axis, value = match.groups()
        pins[end][int(number), "xyz".index(axis)] = float(value)
    rng = np.random.default_rng(2)
    for _ in range(20):
        turn = Rotation.from_euler("xyz", rng.uniform(-20, 20, 3), degrees=True)
        place = it.home_position + 0.1 * it.length_scale * rng.uniform(-1, 1, 3)
        ours = strut_lengths(it, place[None], turn.as_matrix()[None])[0]
        its = genhexkins(pins, *(1e3 * place), *turn.as_euler("xyz", degrees=True))
        # coordinates are written to a nanometre
        np.testing.assert_allclose(its, 1e3 * ours, atol=1e-5)


def test_a_name_cannot_end_the_comment():
    plain, odd = (
        linuxcnc_hal(machine(changed("uf", name=name))).splitlines()
        for name in ("uf", "uf\nloadusr halmeter # ")
    )
    assert odd[1:] == plain[1:]
    assert odd[0].startswith("# ")
