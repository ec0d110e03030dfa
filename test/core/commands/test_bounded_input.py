# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Failure table, row 34: what a small file can blow up to is refused within a bounded line and bounded memory."""

from __future__ import annotations

import gzip
import resource
import subprocess
import sys

import pytest

from pkm_identification.cli import main

MOST = 2_000  # characters of a complaint
MEMORY = 1_500_000_000  # bytes a refusal may address


def refused(arguments, capsys):
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert len(error) < MOST
    return error


def bomb():
    """A few hundred bytes that stand for 10^9 texts."""
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]" for k in range(1, 9)]
    return "\n".join([*lines, "schema: *a8", "name: *a8"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (bomb(), "aliases written out"),
        ("schema: 1\nname: &x [*x]", "alias"),
        (f"kind: hexapod\nschema: {'9' * 5000}", "whole number of 5000 digits"),
        (f"kind: hexapod\nschema: 1\nname: [{', '.join(['lol'] * 3_000)}]", "must be text"),
    ],
    ids=["aliases", "in itself", "digits", "long list"],
)
def test_row_34_yaml_that_blows_up_is_one_bounded_line(tmp_path, capsys, text, said):
    """Aliases, a list within itself, 5000 digits, a long list in place of a name: one line, exit 2."""
    path = tmp_path / "m.yaml"
    path.write_text(text)
    assert said in refused(["forces", "--machine", str(path), "--in", "x.csv", "--out", "y.csv"], capsys)


@pytest.mark.slow
def test_row_34_a_compressed_bomb_is_refused_without_its_memory(tmp_path):
    """Gigabytes of zeros in a few MB: one line, exit 2, and no memory for them."""
    path = tmp_path / "log.csv.gz"
    packed = gzip.compress(bytes(2**24), 1)
    with path.open("wb") as file:
        for _ in range(2 * MEMORY // 2**24):  # members one after the other are one file
            file.write(packed)
    code = "import sys; from pkm_identification.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", code, "check", str(path), "--machine", "uf"],
        capture_output=True, text=True, timeout=600.0, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "is not text" in done.stderr
    assert done.stderr.count("\n") == 1
