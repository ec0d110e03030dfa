# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm init of machines that are no hexapods: what it writes loads, simulates and is identified at once."""

from __future__ import annotations

import numpy as np
import pytest
import yaml

from pkm_identification.cli import main
from pkm_identification.document import TextScalars
from pkm_identification.exporting.drafts.kinds import GUESSED, KINDS, units_of_kind, write_draft
from pkm_identification.machines.load import load_machine, read_machine

AXES = 5


def drawn(kind: str, seed: int) -> dict[str, float]:
    """Numbers of a kind up to 20 % off its guesses."""
    guesses = read_machine(yaml.load(write_draft(kind, kind, {}, AXES), Loader=TextScalars))
    rng = np.random.default_rng([seed, list(KINDS).index(kind)])
    constants = guesses.mechanism.description.document["constants"]
    return {
        name: round(float(constants[name]) * rng.uniform(0.8, 1.2), 4) for name in units_of_kind(kind, AXES)
    }


def options(kind: str, numbers: dict[str, float]) -> list[str]:
    axes = ["--axes", str(AXES)] if kind == "serial-arm" else []
    return ["--kind", kind, *axes, *(part for n, v in numbers.items() for part in ("--value", f"{n}={v}"))]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_drawn_sizes_make_a_machine_that_is_put_together_as_guessed(kind, seed):
    numbers = drawn(kind, seed)
    text = write_draft(kind, "made", numbers, AXES)
    one = read_machine(yaml.load(text, Loader=TextScalars))
    assert one.name == "made"
    assert max((distance.relative for distance in one.mechanism.guess_distances), default=0.0) < 1e-6
    constants = one.mechanism.description.document["constants"]
    assert {name: float(constants[name]) for name in numbers} == pytest.approx(numbers)
    lines = {line.split(":")[0].strip(): line for line in text.splitlines()}
    assert not any(GUESSED in lines[name] for name in numbers)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_init_simulate_identify(kind, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["init", "made.yaml", *options(kind, drawn(kind, 11))]) == 0
    assert (tmp_path / "made.png").read_bytes().startswith(b"\x89PNG")
    assert GUESSED in (tmp_path / "made.yaml").read_text(encoding="utf-8")
    log = ["--trajectory", "rich", "--duration", "6", "--seed", "3", "--out", "log.csv"]
    assert main(["simulate", "--machine", "made.yaml", *log]) == 0
    capsys.readouterr()
    assert main(["identify", "log.csv", "--machine", "made.yaml", "--estimator", "ls"]) == 0
    assert "The model fits" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--kind", "delta", "--value", "amr=0.2"], "did you mean 'arm'"),
        (["--kind", "delta", "--value", "arm"], "expected NAME=VALUE"),
        (["--kind", "delta", "--value", "rod=0.3"], "would have to reach"),
        (["--kind", "five-bar", "--value", "base=-1"], "greater than zero"),
        (["--kind", "five-bar", "--value", "rod=5", "--unit", "mm"], "too short"),
        (["--kind", "3-prs", "--value", "bar=0.05"], "do not rise"),
        (["--kind", "serial-arm", "--axes", "40"], "from 1 to 9"),
        (["--kind", "delta", "--axes", "4"], "belongs to --kind serial-arm"),
        (["--kind", "delta", "--radius-base", "0.4"], "belongs to --kind hexapod"),
        (["--value", "arm=0.2"], "belongs to --kind"),
    ],
)
def test_mistakes_are_one_line(arguments, says, tmp_path, capsys):
    assert main(["init", str(tmp_path / "made.yaml"), *arguments]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_lengths_are_in_the_unit_that_is_said(tmp_path):
    path = tmp_path / "made.yaml"
    values = ["--value", "rod=700", "--value", "rod_mass=0.2"]
    assert main(["init", str(path), "--kind", "delta", "--unit", "mm", *values]) == 0
    constants = load_machine(path).mechanism.description.document["constants"]
    assert [float(constants[name]) for name in ("rod", "rod_mass", "arm")] == [0.7, 0.2, 0.25]
