"""Failure table, row 38: Ctrl-C at any moment, and names that would forge lines."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from pkm_identification.cli import main
from pkm_identification.errors import one_line

READY = "import sys; from pkm_identification import cli; print('ready', flush=True); sys.exit(cli.main(sys.argv[1:]))"


@pytest.mark.slow
@pytest.mark.parametrize("after", [0.0, 0.4, 2.0], ids=["imports", "kernels", "work"])
def test_row_38_an_interrupt_is_one_line_and_130_at_any_moment(tmp_path, after):
    """During imports, while kernels are loaded and in the work: one line, exit 130, nothing half-written."""
    command = ["simulate", "--machine", "uf", "--trajectory", "rich", "--out", str(tmp_path / "a.csv.gz")]
    process = subprocess.Popen(
        [sys.executable, "-c", READY, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.02 + after)  # the moment itself: there is nothing to wait for
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=30.0)
    assert process.returncode == 130
    assert error == "pkm simulate: interrupted\n"
    assert list(tmp_path.iterdir()) == []


def test_row_38_control_characters_of_a_name_are_written_out(capsys):
    """A newline or an escape sequence in a name is shown, not obeyed."""
    assert main(["forces", "--machine", "a\n[ERROR] b\x1b[2J\u2028c", "--in", "x.csv", "--out", "y.csv"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "a\\n[ERROR] b\\x1b[2J\\u2028c" in error


def test_one_line_leaves_what_can_be_printed():
    assert one_line("Strebe Ä 5 µm – 3 × 10⁻⁶") == "Strebe Ä 5 µm – 3 × 10⁻⁶"
