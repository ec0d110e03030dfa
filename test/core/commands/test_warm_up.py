# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm warm-up: after it nothing is compiled."""

import os
import signal
import subprocess
import sys
import time

import pytest

from pkm_identification.cli import main


@pytest.mark.slow
def test_what_was_compiled_is_not_compiled_again(capsys):
    end = ""
    for _ in range(2):
        # once is enough where the kernels are there, as after `make kernels`
        if end != "All kernels were compiled already.":
            assert main(["warm-up", "--machine", "four-bar", "--jobs", "1"]) == 0
            *parts, end = capsys.readouterr().out.splitlines()
    # in the order in which they end
    assert sorted(parts) == [f"{part:10} compiled already" for part in ("control", "online", "simulation")]
    assert end == "All kernels were compiled already."


@pytest.mark.slow
def test_an_interrupt_ends_it_and_its_processes(tmp_path):
    def obey():
        # what runs in the background of a script is started to ignore interrupts
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    with subprocess.Popen(
        [sys.executable, "-m", "pkm_identification", "warm-up", "--machine", "four-bar"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=obey,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
    ) as process:  # fmt: skip
        end = time.monotonic() + 300.0
        while not any(tmp_path.rglob("*.nbc")):
            assert time.monotonic() < end, "nothing compiled within 300 s"
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        # what compiles has the same output: it is closed when the last of them has ended
        _, error = process.communicate(timeout=300.0)
    assert (process.returncode, error) == (130, "pkm warm-up: interrupted\n")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--machine", "nix"], "pkm warm-up: machine 'nix': is neither built in"),
        (["--jobs", "0"], "pkm warm-up: --jobs 0: must be at least 1"),
    ],
)
def test_bad_input_is_one_line(capsys, options, problem):
    assert main(["warm-up", *options]) == 2
    assert capsys.readouterr().err.startswith(problem)
