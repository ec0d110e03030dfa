# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The motions of Table 2.2: their sizes, and derivatives that are those of their poses."""

from __future__ import annotations

import numpy as np
import pytest
from transforms3d.euler import euler2mat

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.reproduction.oh2003.table_2_2_motions import SOURCE_MOTIONS

UF = Machine.load("uf")


def test_there_are_eighteen_with_the_sources_sizes():
    assert len(SOURCE_MOTIONS) == 18
    fast = SOURCE_MOTIONS["x-high"].period(UF)
    assert np.ptp(fast.position[:, 0]) == pytest.approx(2 * 0.0254, rel=1e-12)
    assert np.abs(fast.acceleration[:, 0]).max() == pytest.approx(0.0254 * (4 * np.pi) ** 2, rel=1e-12)
    aside = SOURCE_MOTIONS["z-offset-low"].period(UF).position - UF.home_position
    np.testing.assert_allclose(np.hypot(aside[:, 0], aside[:, 1]), 0.0127, rtol=1e-12)


@pytest.mark.parametrize("name", [name for name in SOURCE_MOTIONS if "offset" in name])
def test_twist_and_acceleration_are_derivatives(name):
    motion = SOURCE_MOTIONS[name]
    time, step = np.linspace(0.0, 1.0, 37), 1e-5
    now, before, after = (motion.at(time + shift, UF) for shift in (0.0, -step, step))
    np.testing.assert_allclose(
        (after.position - before.position) / (2 * step), now.twist[:, :3], rtol=0, atol=1e-8
    )
    np.testing.assert_allclose((after.twist - before.twist) / (2 * step), now.acceleration, rtol=0, atol=1e-7)
    spin = (after.rotation - before.rotation) / (2 * step) @ np.swapaxes(now.rotation, 1, 2)
    omega = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
    np.testing.assert_allclose(omega, now.twist[:, 3:], rtol=0, atol=1e-8)


def test_rotation_is_the_sources_theta_and_psi():
    """From the source's home (0, -90 deg, 0), in its frame, whose x is ours, y is -z and z is y at home."""
    motion = SOURCE_MOTIONS["rotation-medium"].period(UF, 40)
    angle = np.deg2rad(5.0) * np.sin(2 * np.pi * motion.time)
    source = np.stack([euler2mat(*[0.0, -np.pi / 2 + turn, turn], axes="rzxz") for turn in angle])
    frame = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    np.testing.assert_allclose(motion.rotation, source @ frame.T, rtol=0, atol=1e-14)
