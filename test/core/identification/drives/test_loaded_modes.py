# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Oil, leakage and friction from modes under several loads, on the numbers of Machielsen (1983) and on drawn ones."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.cli import main
from pkm_identification.errors import LogError
from pkm_identification.identification.drives.loaded_modes import identify_loaded_modes

# Section 6.2: kg, Hz, damping ratio
LOADS = np.array([2.7, 4.1, 5.1, 7.5, 9.0])
MODES = np.array([79.9, 70.0, 63.0, 53.3, 50.9])
RATIOS = np.array([0.238, 0.198, 0.187, 0.196, 0.201])
OIL, LEAK, VISCOUS = 1.25e-6, 7.46e-5, 501.0  # what the text makes of them


def test_the_text_s_numbers_come_out_of_its_modes():
    found = identify_loaded_modes(LOADS, MODES, RATIOS)
    text = np.array([OIL, LEAK, VISCOUS])
    # its own mean over loads and its regression leave out what leakage and friction do to the frequency, 4 %
    assert np.all(np.abs(found.values / text - 1.0) < 0.08)
    assert np.all(np.abs(found.values - text) < 3.0 * found.deviations)
    assert 0.03 < found.scatter < 0.08


@pytest.mark.parametrize("seed", range(20))
def test_drawn_numbers_are_within_their_deviations(seed):
    random = np.random.default_rng(seed)
    truth = np.array([OIL, LEAK, VISCOUS]) * np.exp(0.3 * random.normal(size=3))
    oil, leak, viscous = truth
    load = np.linspace(2.0, 12.0, 8)
    natural = np.sqrt((1.0 + viscous * leak) / (oil * load))
    ratio = 0.5 * (leak / oil + viscous / load) / natural
    noisy = [one * np.exp(0.01 * random.normal(size=8)) for one in (natural / (2 * np.pi), ratio)]
    found = identify_loaded_modes(load, *noisy)
    assert np.max(np.abs((found.values - truth) / found.deviations)) < 4.0
    np.testing.assert_allclose(found.forecast, found.deviations * 0.01 / found.scatter)


@pytest.mark.parametrize(
    ("change", "words"),
    [(lambda rows: (rows[0] * 0 + 3.0, rows[1], rows[2]), "two different loads"),
     (lambda rows: (rows[0], -rows[1], rows[2]), "must be positive")],
)  # fmt: skip
def test_modes_that_show_nothing_are_refused(change, words):
    with pytest.raises(LogError, match=words):
        identify_loaded_modes(*change((LOADS, MODES, RATIOS)))


def test_the_command_reads_a_table_of_modes(tmp_path, capsys):
    table = tmp_path / "modes.csv"
    rows = zip(LOADS, MODES, RATIOS, strict=True)
    table.write_text("load,frequency,damping\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    assert main(["drive", str(table), "--machine", "uf_hydraulic"]) == 0
    out = capsys.readouterr().out
    assert "hydraulic_compliance" in out
    table.write_text("load,frequency,damping\n1,2,x\n")
    assert main(["drive", str(table), "--machine", "uf_hydraulic"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
