# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The script that pkm completion prints makes bash complete what the commands have."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from pkm_identification.cli import COMMANDS, main


def test_without_its_library_one_line_names_the_extra(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == 2
    assert capsys.readouterr().err == (
        "pkm completion: needs shtab: pip install 'pkm_identification[completion]'\n"
    )


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes_commands_options_and_choices(capsys, tmp_path):
    pytest.importorskip("shtab")
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "pkm"
    script.write_text(capsys.readouterr().out)

    def completed(*words: str) -> set[str]:
        line = " ".join(f"'{word}'" for word in words)
        asked = (
            f"source {script}; function=$(complete -p pkm | sed 's/.*-F \\([^ ]*\\).*/\\1/'); "
            f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; $function; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        )
        done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True)
        return set(done.stdout.split())

    assert completed("pkm", "") == set(COMMANDS)
    assert completed("pkm", "identify", "--val") == {"--validate"}
    assert completed("pkm", "identify", "--estimator", "i") == {"iv"}
    assert completed("pkm", "completion", "z") == {"zsh"}
