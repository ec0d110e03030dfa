# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Batches shared out among threads: the same numbers to the last digit, and what is no number of threads is refused."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import pkm_identification as pkm
from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms import threads as threads_module
from pkm_identification.mechanisms.hexapod.dynamics import forward_dynamics, regressor, strut_forces
from pkm_identification.mechanisms.hexapod.kinematics import forward as forward_module
from pkm_identification.mechanisms.hexapod.kinematics.forward import forward_kinematics, platform_motion
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths, strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.kinematics.nearby import inverse_jacobians, nearby_motion
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.motion import PlatformMotion, StrutMotion
from pkm_identification.numerics.rotation import matrix_from_vector

ROWS = 500


@pytest.fixture(scope="module")
def machine():
    return Machine.load("uf")


@pytest.fixture(scope="module")
def motion(machine):
    """A smooth motion of the platform; its derivatives are any numbers."""
    rng, time = np.random.default_rng(5), 1e-3 * np.arange(ROWS)
    waves = np.sin(2 * np.pi * rng.uniform(0.5, 3.0, 6) * time[:, None])
    position = machine.home_position + 0.02 * waves[:, :3]
    rotation = matrix_from_vector(0.1 * waves[:, 3:]) @ machine.home_rotation
    return PlatformMotion(time, position, rotation, rng.normal(size=(ROWS, 6)), rng.normal(size=(ROWS, 6)))


def assert_same(found: object, expected: object) -> None:
    """Arrays, records of arrays or tuples of them, to the last digit."""
    if isinstance(found, np.ndarray):
        np.testing.assert_array_equal(found, expected)
        return
    if not isinstance(found, tuple):
        found, expected = (
            tuple(part for part in vars(one).values() if isinstance(part, np.ndarray))
            for one in (found, expected)
        )
    assert found
    for one, other in zip(found, expected, strict=True):
        assert_same(one, other)


@pytest.mark.parametrize("threads", [2, 3, 1024])
def test_batches_on_threads_have_the_numbers_of_one_thread(machine, motion, threads):
    length, rate, second = strut_motion_from_platform(machine, motion)
    struts = StrutMotion(motion.time, length, rate, second, None, np.zeros(ROWS, dtype=np.int64))
    mapping = list_hexapod_parameters(machine, "identifiable").mapping
    state = motion.position, motion.rotation, motion.twist
    pushing = np.random.default_rng(6).normal(0.0, 100.0, (ROWS, 6))
    for batch in (
        lambda n: strut_lengths(machine, motion.position, motion.rotation, threads=n),
        lambda n: strut_motion_from_platform(machine, motion, threads=n),
        lambda n: forward_kinematics(machine, length, threads=n),
        lambda n: platform_motion(machine, struts, threads=n),
        lambda n: strut_forces(machine, motion, threads=n),
        lambda n: strut_forces(machine, motion, wrench=pushing, friction=False, threads=n),
        lambda n: regressor(machine, motion, mapping, threads=n),
        lambda n: forward_dynamics(machine, *state, pushing, threads=n),
        lambda n: forward_dynamics(machine, *state, pushing[0], wrench=pushing, threads=n),
        lambda n: inverse_jacobians(machine, motion, n),
        lambda n: nearby_motion(machine, struts, motion, inverse_jacobians(machine, motion), n),
        lambda n: pkm.inverse(machine, motion.position, threads=n),
        lambda n: pkm.forward(machine, length, threads=n),
        lambda n: pkm.forces(machine, motion, threads=n),
    ):
        assert_same(batch(threads), batch(1))


def test_fewer_rows_than_threads_and_none_at_all(machine, motion):
    length = strut_lengths(machine, motion.position, motion.rotation)
    for rows in (0, 1, 3):
        assert_same(strut_forces(machine, motion[:rows], threads=8), strut_forces(machine, motion[:rows]))
        assert_same(
            forward_kinematics(machine, length[:rows], threads=8), forward_kinematics(machine, length[:rows])
        )


def test_poses_that_are_not_found_or_jump_leave_the_same_numbers(machine, motion):
    """A part begins behind a row without a pose, behind a jump, and elsewhere than at home."""
    length = strut_lengths(machine, motion.position, motion.rotation)
    length[[100, 249, 374, 375]] = np.nan  # 250 and 375 begin parts
    length[200:300] = np.random.default_rng(7).permutation(length[200:300])
    start = motion.position[0], motion.rotation[0]
    for threads in (2, 4):
        found = forward_kinematics(machine, length, start, threads)
        assert_same(found, forward_kinematics(machine, length, start))
        assert np.sum(found.status == forward_module.FAILED) == 4


def test_a_part_that_began_elsewhere_is_searched_again(machine, motion, monkeypatch):
    """As in another assembly mode: the pose before a part is not the one that the part before it ends with."""
    length = strut_lengths(machine, motion.position, motion.rotation)
    expected = forward_kinematics(machine, length)
    behind, calls = forward_module._Beginning.behind, []

    def elsewhere(machine, position, rotation, status):
        calls.append(position)
        moved = 1e-6 if len(calls) == 1 else 0.0  # the first guess
        return behind(machine, position + moved, rotation, status)

    monkeypatch.setattr(forward_module._Beginning, "behind", elsewhere)
    assert_same(forward_kinematics(machine, length, threads=2), expected)
    assert len(calls) == 2


def test_rows_are_really_shared_out(machine, motion, monkeypatch):
    started = []

    class Counting(ThreadPoolExecutor):
        def submit(self, run, part):
            started.append(part)
            return super().submit(run, part)

    monkeypatch.setattr(threads_module, "ThreadPoolExecutor", Counting)
    strut_forces(machine, motion, threads=4)
    assert started == [slice(0, 125), slice(125, 250), slice(250, 375)]


@pytest.mark.parametrize("threads", [0, -1, 1.0, 1.5, 2.0, "2", None, True, 1025])
def test_what_is_no_number_of_threads_is_refused(machine, motion, threads):
    for batch in (
        lambda: strut_forces(machine, motion, threads=threads),
        lambda: forward_kinematics(machine, np.full((1, 6), 0.43), threads=threads),
        lambda: pkm.inverse(machine, motion.position, threads=threads),
    ):
        with pytest.raises(SettingsError, match="threads: must be a number from 1 to 1024, not"):
            batch()


def test_mechanisms_are_worked_through_in_one():
    with pytest.raises(SettingsError, match="threads 2: batches of hexapods alone"):
        pkm.inverse("mast", [0.4, 0.0, 0.0], threads=2)
    with pytest.raises(SettingsError, match="threads 0: batches of hexapods alone"):
        pkm.forward("mast", [0.1, 0.1, 0.1], threads=0)
