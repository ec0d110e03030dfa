# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The benchmark of real machines: its readers, on files of the same form with known truth, and its peers."""

from __future__ import annotations

import importlib.util
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.real_machines.logs import SUBJECTS, UR10E_GAINS_NM_PER_A, Log
from benchmarks.real_machines.page import Answer, Result, read_sections, write_page, write_section
from benchmarks.real_machines.peers import PEERS, held_out_errors, prepare
from pkm_identification.errors import DocumentError
from pkm_identification.machines.load import load_machine

BY_NAME = {one.name: one for one in SUBJECTS}


def motion(name: str, seed: int, seconds: float = 20.0, rate: float = 500.0) -> Log:
    """Return sines of all drives around home, with the forces that the machine file has for them."""
    machine = load_machine(BY_NAME[name].machine)
    rng = np.random.default_rng(seed)
    count = len(machine.drives)
    time = np.arange(0.0, seconds, 1.0 / rate)
    coordinate = np.tile(machine.home, (len(time), 1))
    speed, second = np.zeros_like(coordinate), np.zeros_like(coordinate)
    for _ in range(4):
        omega, phase, size = (
            rng.uniform(1.0, 6.0, count),
            rng.uniform(0.0, 6.0, count),
            rng.uniform(0.1, 0.3, count),
        )
        angle = omega * time[:, None] + phase
        coordinate, speed = coordinate + size * np.sin(angle), speed + size * omega * np.cos(angle)
        second -= size * omega**2 * np.sin(angle)
    motion = machine.compute_motion(coordinate, speed, second)
    return Log(time, coordinate, machine.compute_forces(motion, machine.basis.nominal))


@pytest.mark.parametrize("name", ["double_pendulum", "tx40"])  # the drives of the latter are coupled
@pytest.mark.parametrize("peer", PEERS)
def test_plain_least_squares_predict_what_the_machine_file_makes(peer, name):
    if importlib.util.find_spec(PEERS[peer][0]) is None:
        pytest.skip(f"{peer} is not installed")
    mechanism = load_machine(BY_NAME[name].machine).mechanism
    training, held_out = (prepare(motion(name, seed), 20.0) for seed in (1, 2))
    errors = held_out_errors(peer, mechanism, [training], held_out)
    assert errors.shape == (len(mechanism.description.drives) + 1,)
    assert errors.max() < 3.0  # what the low-pass leaves of Coulomb friction's steps
    wrong = replace(training, force=training.force[:, ::-1].copy())
    assert held_out_errors(peer, mechanism, [wrong], held_out)[-1] > 20.0


def test_a_ur10e_log_is_read_by_its_columns(tmp_path):
    folder = tmp_path / "dataset_ur10e"
    for part, name, rows in (
        ("identification_data", "ur-20_02_10-30sec_12harm.csv", 634 + 2876),
        ("validation_data", "ur-20_01_17-ptp_10_points.csv", 699 + 3501),
    ):
        (folder / part).mkdir(parents=True)
        table = np.arange(rows)[:, None] + np.arange(31) / 100
        np.savetxt(folder / part / name, table, delimiter=",", fmt="%.2f")
    (training,), held_out = BY_NAME["ur10e"].read(tmp_path)
    assert len(training.time) == 2876
    assert training.time[0] == 0.0
    np.testing.assert_allclose(training.coordinate[0], 634 + np.arange(1, 7) / 100)
    np.testing.assert_allclose(training.force[0], (634 + np.arange(13, 19) / 100) * UR10E_GAINS_NM_PER_A)
    np.testing.assert_allclose(held_out.coordinate[-1], 699 + 3500 + np.arange(1, 7) / 100)


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda one: one.name)
def test_a_clone_that_is_not_there_is_one_line(subject, tmp_path):
    with pytest.raises(DocumentError, match="cannot be read") as error:
        subject.read(tmp_path)
    assert "\n" not in str(error.value)


def test_the_page_says_no_where_a_log_is_refused_and_keeps_other_sections(tmp_path):
    refused = Answer(2, 1.0, 1.0, "pkm identify: /x/a.csv: forces are unsigned")
    section = write_section(Result(BY_NAME["unal_hexapod"], refused))
    assert '**Refused.** Exit code 2 after 1 s of processor time: "forces are unsigned"' in section
    titles = BY_NAME["unal_hexapod"].title, BY_NAME["panda"].title
    page = tmp_path / "page.md"
    page.write_text(
        write_page({titles[0]: section, titles[1]: f"\n## {titles[1]}\nkept\n"}, {}), encoding="utf-8"
    )
    again = read_sections(page)
    assert set(again) == set(titles)
    assert again[titles[0]] == section
    text = write_page(again, {})
    assert text == page.read_text(encoding="utf-8")
    assert "left out: pinocchio, figaroh, mujoco_sysid" in text
