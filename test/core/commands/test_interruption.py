# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Failure table, row 38: Ctrl-C at any moment, and names that would forge lines."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from pkm_identification.cli import main
from pkm_identification.errors import one_line

# Says so when the command's module is about to be imported.
READY = """
import sys
from pkm_identification import cli
class Ready:
    def find_spec(self, name, *_):
        if name == "pkm_identification.commands.simulate":
            print("ready", flush=True)
sys.meta_path.insert(0, Ready())
sys.exit(cli.main(sys.argv[1:]))
"""

INTERRUPTS_ITSELF = """
import os, signal, sys
from pathlib import Path
from pkm_identification.interruption import interruptible, remove_unfinished
impossible = Path("/dev/null/cannot be removed")
with interruptible("pkm test"), remove_unfinished(Path(sys.argv[1])), remove_unfinished(impossible):
    Path(sys.argv[1]).touch()
    os.kill(os.getpid(), signal.SIGINT)
    print("goes on")
"""


def obey():
    """Tests that run in the background of a script are started to ignore interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def ignore():
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@pytest.mark.slow
@pytest.mark.parametrize("after", [0.0, 0.4, 2.0], ids=["imports", "kernels", "work"])
def test_row_38_an_interrupt_is_one_line_and_130_at_any_moment(tmp_path, after):
    """During imports, while kernels are loaded and in the work: one line, exit 130, nothing half-written."""
    motion = ["--machine", "uf", "--trajectory", "rich", "--duration", "600"]  # much longer than the test
    command = ["simulate", *motion, "--out", str(tmp_path / "a.csv.gz")]
    process = subprocess.Popen(
        [sys.executable, "-c", READY, *command],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=obey,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(after)  # the moment itself: there is nothing to wait for
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=300.0)
    assert process.returncode == 130
    assert error == "pkm simulate: interrupted\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("started", [obey, ignore])
def test_an_interrupt_removes_what_it_can_and_is_ignored_where_asked(tmp_path, started):
    path = tmp_path / "half"
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTS_ITSELF, str(path)],
        capture_output=True, text=True, preexec_fn=started, check=False,
    )  # fmt: skip
    expected = (130, "", "pkm test: interrupted\n") if started is obey else (0, "goes on\n", "")
    assert (done.returncode, done.stdout, done.stderr) == expected
    assert path.exists() == (started is ignore)


def test_row_38_control_characters_of_a_name_are_written_out(capsys):
    """A newline or an escape sequence in a name is shown, not obeyed."""
    assert main(["forces", "--machine", "a\n[ERROR] b\x1b[2J\u2028c", "--in", "x.csv", "--out", "y.csv"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "a\\n[ERROR] b\\x1b[2J\\u2028c" in error


def test_one_line_leaves_what_can_be_printed():
    assert one_line("Strebe Ä 5 µm – 3 × 10⁻⁶") == "Strebe Ä 5 µm – 3 × 10⁻⁶"
