# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Files appear whole or not at all; pipes and devices are written through; what is no file is never replaced."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from pkm_identification.cli import main
from pkm_identification.errors import OutputError
from pkm_identification.records.atomic import replacing


def write(path, text="new"):
    with replacing(path) as temporary:
        temporary.write_text(text)


def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.json"
    write(path, "old")

    def fail():
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.json"]


def test_row_33_a_pipe_is_written_through(tmp_path):
    """A named pipe stays one; its reader gets the whole document."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()), daemon=True)
    reader.start()
    write(pipe, "through")
    reader.join(10.0)
    assert got == ["through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert [entry.name for entry in tmp_path.iterdir()] == ["pipe"]


def test_row_33_a_device_is_written_through_and_stays():
    """As root, /dev/null used to become a file."""
    write("/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.slow
def test_row_33_what_a_process_has_open_is_written_through(tmp_path):
    """Behind what was there: /dev/stdout of a shell's `>` is a file."""
    code = (
        "import sys; sys.stdout.write('before '); sys.stdout.flush();"
        "from pkm_identification.records.atomic import replacing\n"
        "with replacing('/dev/stdout') as temporary: temporary.write_text('document')"
    )
    with (tmp_path / "out").open("w") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    assert (tmp_path / "out").read_text() == "before document"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_a_file_in_memory_is_a_file():
    """Below /dev, but none: the second document replaces the first."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = Path(folder) / "a.json"
        write(path, "old")
        write(path, "new")
        assert path.read_text() == "new"


def test_row_33_a_link_stays_and_never_leads_out_of_its_folder(tmp_path):
    """What a link names in its own folder is written; elsewhere, it is refused."""
    (tmp_path / "in").mkdir()
    real, link = tmp_path / "in" / "real.json", tmp_path / "in" / "link.json"
    real.write_text("old")
    link.symlink_to("real.json")
    write(link)
    assert link.is_symlink()
    assert real.read_text() == "new"
    outside = tmp_path / "outside.json"
    outside.write_text("old")
    out = tmp_path / "in" / "out.json"
    out.symlink_to(outside)
    with pytest.raises(OutputError, match="out of its folder"):
        write(out)
    assert outside.read_text() == "old"


@pytest.mark.parametrize("kind", ["link", "socket"])
def test_row_33_commands_refuse_it_before_they_work(kind, tmp_path, capsys):
    """One line, exit 2, before anything is worked out."""
    if kind == "link":
        (tmp_path / "folder").mkdir()
        target = tmp_path / "folder" / "a.json"
        target.symlink_to(tmp_path / "b.json")
    else:
        target = tmp_path / "s"
        subprocess.run(
            [sys.executable, "-c", f"import socket; socket.socket(socket.AF_UNIX).bind({str(target)!r})"],
            check=True,
        )
    assert main(["identify", "none.csv", "--machine", "uf", "--json", str(target)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert str(target) in error
    assert not (tmp_path / "b.json").exists()
