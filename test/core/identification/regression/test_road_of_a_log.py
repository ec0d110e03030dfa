# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""From logs with faults to values: what is identified is what an exact log shows, for every friction law."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from core.identification.regression.drive_logs import (
    DURATION,
    LAWS,
    PERIOD,
    exact,
    five_bar,
    rows_of,
    sampled_at,
    with_noise,
)

from pkm_identification.cli import main
from pkm_identification.identification.identify import identify
from pkm_identification.identification.model_errors.log_rows import rows_of_samples
from pkm_identification.identification.rates.kinematic_cutoff import kinematic_cutoff
from pkm_identification.identification.regression.flicker import measure_flicker
from pkm_identification.identification.regression.friction import DriveFriction
from pkm_identification.identification.regression.validation import validate_logs
from pkm_identification.identification.samples import samples_of
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.friction import Friction, friction_force
from pkm_identification.mechanisms.multibody import dynamics
from pkm_identification.mechanisms.multibody.kinematics import motion_of_drives
from pkm_identification.records.mechanism_csv import write_named_csv
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.causal import FilterSettings


def identified(log, law="coulomb", estimator="ls"):
    return identify([log], five_bar(law).mechanism, Settings.of(estimator=estimator))


def deviations_off(found):
    """How far the values are from the file's, in deviations: a fit of exact physics has 1 on the average."""
    return (found.estimate.values - found.parameters.nominal) / np.sqrt(np.diag(found.estimate.covariance))


def assert_right(found):
    off = deviations_off(found)
    assert np.abs(off).max() < 4.5
    assert np.sqrt(np.mean(off**2)) < 1.7
    assert found.trusted


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
def test_every_friction_law_of_the_package_is_identified(law):
    found = identified(exact(law), law)
    assert_right(found)
    names = found.parameters.names
    law_names = five_bar(law).friction[0].law.names
    assert [name for name in names if name.endswith("_left")][-len(law_names) :] == [
        f"{one}_left" for one in law_names
    ]


@pytest.mark.parametrize("law", LAWS)
def test_friction_columns_are_the_laws_own(law):
    one = five_bar(law)
    rate = np.random.default_rng(0).normal(scale=0.1, size=(50, 2))
    columns = np.zeros((50, 2, len(one.basis)))
    DriveFriction.of(one, np.eye(len(one.basis))).add(rate, columns)
    shared = one.mechanism.description.friction
    np.testing.assert_allclose(columns @ one.basis.nominal, friction_force(rate, shared), atol=1e-12)


def test_each_drive_may_have_a_law_of_its_own():
    one = five_bar()
    laws = [Friction.of("asymmetric", viscous=[0.8], coulomb=[1.5], asymmetry=[0.2]), one.friction[1]]

    class Mixed(type(one)):
        friction = tuple(laws)
        friction_rows = np.array([[0, 1], [2, 3], [4, -1]])

    mixed = object.__new__(Mixed)
    rate = np.random.default_rng(0).normal(scale=0.1, size=(20, 2))
    columns = np.zeros((20, 2, 5))
    DriveFriction.of(mixed, np.eye(5)).add(rate, columns)
    values = np.array([0.8, 1.1, 1.5, 1.0, 0.2])
    expected = [friction_force(rate[:, i : i + 1], law)[:, 0] for i, law in enumerate(laws)]
    np.testing.assert_allclose(columns @ values, np.column_stack(expected), atol=1e-12)


FAULTS = {
    "a row missing": lambda log: rows_of(log, np.delete(np.arange(len(log)), 700)),
    "a row twice": lambda log: rows_of(log, np.insert(np.arange(len(log)), 400, 400)),
    "a gap": lambda log: rows_of(log, np.r_[:2000, 2060 : len(log)]),
    "a force missing": lambda log: replace(
        log, force=np.where(np.arange(len(log))[:, None] == 900, np.nan, log.force)
    ),
    "stamps that jitter": lambda log: replace(
        log, time=log.time + 0.1 * PERIOD * np.random.default_rng(1).uniform(-1.0, 1.0, len(log))
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_of_a_log_change_no_value_beyond_its_deviation(fault):
    clean, found = identified(exact()), identified(FAULTS[fault](exact()))
    assert found.trusted
    shift = (found.estimate.values - clean.estimate.values) / np.sqrt(np.diag(clean.estimate.covariance))
    assert np.abs(shift).max() < 1.0


@pytest.mark.slow
def test_spikes_of_an_encoder_change_no_value_beyond_its_deviation():
    log = exact()
    drive = log.coordinate.copy()
    drive[np.arange(300, 5700, 271), 1] += 0.01 * np.ptp(drive)
    found = identified(replace(log, coordinate=drive))
    assert found.dropped["spike"] == 20
    assert_right(found)


@pytest.mark.slow
def test_samples_at_uneven_stamps_are_identified():
    even = np.arange(0.0, DURATION, PERIOD)
    stamps = even + 0.2 * PERIOD * np.random.default_rng(1).uniform(0.0, 1.0, len(even))
    found = identified(sampled_at(stamps))
    assert found.dropped["resampled"] > 5000
    assert_right(found)


def stand_alone(seed=0):
    """Drives' motion of which each stands alone for a while, and both at the end: coordinates, rates, accelerations."""
    time = np.arange(0.0, 16.0, PERIOD)
    home = np.array([2.1, 1.0])

    def swing(begin, end, omega, size):
        fade = np.clip((time - begin) / 0.5, 0.0, 1.0) * np.clip((end - time) / 0.5, 0.0, 1.0)
        fade = fade**3 * (10.0 - 15.0 * fade + 6.0 * fade**2)
        return size * fade * (np.sin(omega * time) + 0.5 * np.sin(2.3 * omega * time + seed))

    drive = home + np.column_stack([swing(0.0, 9.0, 5.0, 0.25), swing(3.0, 12.0, 6.5, 0.2)])
    rate = np.gradient(drive, PERIOD, axis=0)
    return time, drive, rate, np.gradient(rate, PERIOD, axis=0)


def held_log():
    """Forces at standstill are what friction happens to hold: here a drift to nearly all of it."""
    one = five_bar()
    time, drive, rate, second = stand_alone()
    force = dynamics.forces(one.mechanism, motion_of_drives(one.mechanism, drive, rate, second))
    still = np.abs(rate) < 1e-6
    coulomb = one.mechanism.description.friction.coulomb
    held = 0.9 * coulomb * np.array([1.0, -1.0]) * (1.0 - np.exp(-time[:, None] / 2.0))
    return with_noise(time, drive, np.where(still, force + held, force)), still


@pytest.mark.slow
def test_a_drive_that_stands_still_is_left_out_while_others_move():
    log, still = held_log()
    found = identified(log)
    assert_right(found)
    assert found.dropped["resting"] > 50
    assert found.dropped["standing"] > 50
    assert 0.1 < still[:, 0].mean() < still.mean() + 0.3


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["ukf", "rls", "robust"])
def test_every_estimator_leaves_standing_drives_out(estimator):
    log, _ = held_log()
    found, plain = identified(log, estimator=estimator), identified(log)
    assert found.converged
    assert found.fits
    shift = (found.estimate.values - plain.estimate.values) / np.sqrt(np.diag(plain.estimate.covariance))
    assert np.abs(shift).max() < 1.5


def test_without_friction_standstill_is_used():
    """It tells of gravity then."""
    one = five_bar()
    log = validate_logs([held_log()[0]], one, Settings()).logs[0]
    band, everything = BandSettings(PERIOD), one.build_parameter_set()
    free = replace(everything, mapping=everything.mapping.copy(), known=everything.known.copy())
    free.mapping[one.standstill_rows] = 0.0
    free.known[one.standstill_rows] = 0.0
    low_pass = FilterSettings(PERIOD, kinematic_cutoff(one, PERIOD))
    samples = samples_of(log, one, low_pass)
    flicker = measure_flicker(one, log.coordinate, PERIOD, low_pass.cutoff)
    with_friction, without = (
        rows_of_samples(one, chosen, samples, band, flicker) for chosen in (everything, free)
    )
    assert np.count_nonzero(~with_friction.kept) > 50
    assert without.kept.all()
    assert without.used.all()


@pytest.mark.slow
def test_a_file_with_all_faults_is_identified_by_the_command(tmp_path, capsys):
    one, log = five_bar(), exact()
    drive = log.coordinate.copy()
    drive[1234, 0] += 0.3
    faulty = rows_of(replace(log, coordinate=drive), np.r_[:700, 701:2000, 1999, 2000:3000, 3050 : len(log)])
    path, file = tmp_path / "log.csv", tmp_path / "five.yaml"
    names = [drive.name for drive in one.drives], [drive.force_name for drive in one.drives]
    columns = dict(zip(names[0], faulty.coordinate.T, strict=True)) | dict(
        zip(names[1], faulty.force.T, strict=True)
    )
    write_named_csv(path, columns, faulty.time)
    lines = path.read_text().splitlines()
    lines[500] = ",".join([*lines[500].split(",")[:-1], "nan"])
    path.write_text("\n".join(lines) + "\n")
    file.write_text(json.dumps(dict(one.document)))
    assert main(["identify", str(path), "--machine", str(file), "--json", str(tmp_path / "e.json")]) == 0
    text = capsys.readouterr().out
    assert "The model fits" in text
    document = json.loads((tmp_path / "e.json").read_text())
    assert {"spike": 1, "duplicate": 1, "not_finite": 1, "gap": 1}.items() <= document["dropped"].items()
    assert "spike" in text
