# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Faults of sensors and log, measured on what the log says against what was true in the machine."""

from __future__ import annotations

import numpy as np
import pytest
from core.simulation.faults.faulty_runs import faulty_run
from scipy.interpolate import CubicSpline

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation.faults import parse_fault
from pkm_identification.simulation.simulator import Simulator

pytestmark = pytest.mark.slow

INNER = slice(200, -200)


def delay_of(late: np.ndarray, right: np.ndarray, period: float) -> float:
    """The delay in s at which two signals agree best, by their correlation at trial delays."""
    time = period * np.arange(len(right))
    spline = CubicSpline(time, right)

    def miss(delay: float) -> float:
        return float(np.sum((late - spline(time - delay))[INNER] ** 2))

    trial = np.linspace(-0.006, 0.006, 241)
    best = trial[np.argmin([miss(delay) for delay in trial])]
    fine = best + np.linspace(-1e-4, 1e-4, 201)
    return float(fine[np.argmin([miss(delay) for delay in fine])])


FORCES = (
    "force_delay_1=0.0023",
    "force_delay_2=0.001",
    "force_gain_3=1.1",
    "force_offset_4=25",
    "saturation_5=30",
)


def test_forces_come_late_scaled_shifted_and_clipped():
    run = faulty_run(*FORCES)
    assert delay_of(run.force[:, 0], run.truth.force[:, 0], 1e-3) == pytest.approx(0.0023, abs=3e-6)
    assert delay_of(run.force[:, 1], run.truth.force[:, 1], 1e-3) == pytest.approx(0.001, abs=3e-6)
    np.testing.assert_allclose(run.force[:, 2], 1.1 * run.truth.force[:, 2], rtol=1e-9)
    np.testing.assert_allclose(run.force[:, 3], run.truth.force[:, 3] + 25.0, rtol=1e-9, atol=1e-9)
    assert np.abs(run.truth.force[:, 4]).max() > 60  # the true force is not clipped
    np.testing.assert_allclose(run.force[:, 4], np.clip(run.truth.force[:, 4], -30, 30), rtol=1e-9)
    np.testing.assert_allclose(run.force[:, 5], run.truth.force[:, 5], rtol=1e-9)
    np.testing.assert_allclose(run.length, run.truth.length, rtol=1e-12)


def test_an_early_force_is_one_whose_lengths_are_late():
    run = faulty_run("force_delay=-0.0017")
    for strut in (0, 3):
        assert delay_of(run.length[:, strut], run.truth.length[:, strut], 1e-3) == pytest.approx(
            0.0017, abs=3e-6
        )
        assert delay_of(run.force[:, strut], run.truth.force[:, strut], 1e-3) == pytest.approx(0.0, abs=3e-6)


def test_the_machine_follows_its_trajectory_whatever_its_currents_show():
    # the loops are closed on lengths: a wrong torque constant changes the force the loops ask for, not the motion much
    right, wrong = faulty_run(), faulty_run("force_gain=1.3")
    assert np.abs(right.truth.length - wrong.truth.length)[INNER].max() < 2e-3
    np.testing.assert_allclose(wrong.force, 1.3 * wrong.truth.force, rtol=1e-12)


LENGTHS = (
    "length_offset_1=0.002",
    "length_scale_2=1.02",
    "lost_counts_3=0.0001,1.2",
    "lost_counts_4=-0.0002",
)


def test_encoders_err_and_the_machine_goes_where_they_lead_it():
    run = faulty_run(*LENGTHS)
    machine = Machine.load("uf")
    zero = machine.drive.length_at_zero
    np.testing.assert_allclose(run.length[:, 0], run.truth.length[:, 0] + 0.002, rtol=1e-12)
    np.testing.assert_allclose(
        run.length[:, 1], zero[1] + 1.02 * (run.truth.length[:, 1] - zero[1]), rtol=1e-12
    )
    for strut, size, instant in ((2, 1e-4, 1.2), (3, -2e-4, 1.0)):
        step = run.length[:, strut] - run.truth.length[:, strut]
        np.testing.assert_allclose(step, np.where(run.time > instant - 1e-9, size, 0.0), atol=1e-12)
    # homed by its encoders, it starts where they show home, which is not home
    home = strut_lengths(machine, machine.home_position[None], machine.home_rotation[None])[0]
    np.testing.assert_allclose(run.length[0], home, atol=1e-9)
    assert np.abs(run.truth.length[0] - home).max() > 1e-3


def test_logs_in_other_units_columns_and_signs():
    right = faulty_run()
    run = faulty_run("force_unit=kN", "length_unit=mm", "time_unit=ms", "exchanged_struts=1-3", "force_sign")
    np.testing.assert_allclose(run.time, 1000 * right.time, rtol=1e-12)
    np.testing.assert_allclose(run.length, 1000 * right.length, rtol=1e-12)
    np.testing.assert_allclose(run.force, -0.001 * right.force[:, [2, 1, 0, 3, 4, 5]], rtol=1e-12)
    np.testing.assert_array_equal(run.truth.length, right.truth.length)
    drive = Machine.load("uf").drive
    # raw columns say the same as those in SI units
    np.testing.assert_allclose(run.current * drive.force_per_ampere, run.force, rtol=1e-12)
    np.testing.assert_allclose(
        drive.length_at_zero + run.counts / drive.counts_per_meter, run.length, rtol=1e-12
    )
    other = faulty_run("exchanged_lengths=213456", "force_unit=A")
    np.testing.assert_array_equal(other.length, right.length[:, [1, 0, 2, 3, 4, 5]])
    np.testing.assert_allclose(other.force, right.current, rtol=1e-12)


def test_half_time_needs_a_trajectory():
    for text in ("lost_counts=0.0001", "changed_during_log=0.1"):
        with pytest.raises(SettingsError, match="half time"):
            Simulator(Machine.load("uf"), faults=[parse_fault(text)])
    Simulator(Machine.load("uf"), faults=[parse_fault("lost_counts=0.0001,3")])
