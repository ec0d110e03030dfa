# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The list of commands, and that none is loaded that is not asked for."""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from importlib import import_module

import pytest

from pkm_identification.cli import COMMANDS, main, parser_for


def test_every_module_adds_the_commands_the_list_says():
    for module in {command.module for command in COMMANDS.values()}:
        commands = argparse.ArgumentParser().add_subparsers()
        import_module(f"pkm_identification.commands.{module}").add(commands)
        assert set(commands.choices) == {name for name, one in COMMANDS.items() if one.module == module}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_its_own_options(name):
    options = {"inverse": "--in", "play": "--rate"}.get(name, "--help")
    commands = parser_for(name)._subparsers._group_actions[0].choices
    assert set(commands) == set(COMMANDS)
    assert options in commands[name].format_help()
    assert len(commands[name].format_help().splitlines()) > 5


def test_the_help_lists_all_and_loads_nothing():
    code = (
        "import sys; from pkm_identification.cli import parser_for; print(parser_for('').format_help());"
        "print([name for name in ('numpy', 'scipy', 'numba', 'mujoco', 'matplotlib') if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "[]"
    for name, command in COMMANDS.items():
        assert name in out
        assert command.summary in out


@pytest.mark.slow
def test_identify_of_a_right_log_loads_no_slow_part_of_scipy(tmp_path):
    log = tmp_path / "log.csv"
    main(["simulate", "--machine", "uf", "--trajectory", "rich", "--duration", "8", "--out", str(log)])
    code = (
        f"import sys; from pkm_identification.cli import main; main(['identify', {str(log)!r}, '--machine', 'uf']);"
        # scipy.optimize is there for what a joint elsewhere does to values (linprog)
        "slow = ('scipy.signal', 'scipy.stats', 'scipy.interpolate', 'matplotlib');"
        "print([name for name in slow if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "[]"


@pytest.mark.parametrize("arguments", [[], ["help"], ["help", "check"], ["--help"]])
def test_help_is_what_a_newcomer_gets(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 0
    out = capsys.readouterr().out
    assert "usage: pkm check" in out if "check" in arguments else "begin:" in out


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_of_a_command_can_be_typed(name):
    command = COMMANDS[name]
    words = shlex.split(command.example, comments=True)
    assert words[:2] == ["pkm", name]
    parser = parser_for(name)
    assert callable(parser.parse_args(words[1:]).run)
    assert command.example in parser._subparsers._group_actions[0].choices[name].format_help()


def test_rare_options_are_left_to_help_all(capsys):
    shown = {}
    for option in ("--help", "--help-all"):
        with pytest.raises(SystemExit):
            main(["identify", option])
        shown[option] = capsys.readouterr().out
    assert "--cutoff" not in shown["--help"]
    assert "--help-all" in shown["--help"]
    assert "--cutoff" in shown["--help-all"]
    assert "--also" in shown["--help"]
    for group in (
        "reading logs",
        "model and what is known",
        "estimator:",
        "other logs:",
        "filters:",
        "results:",
    ):
        assert f"\n{group}" in shown["--help-all"]


def test_a_name_that_is_none_is_refused_with_the_list(capsys):
    with pytest.raises(SystemExit) as end:
        main(["idenify"])
    assert end.value.code == 2
    err = capsys.readouterr().err
    assert "'idenify'" in err
    assert "'identify'" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["identify", "a.csv", "--machine", "uf", "--estimator", "rsl"],
            ["--estimator: 'rsl' is none of", "did you mean 'rls'"],
        ),
        (
            ["identify", "a.csv", "--machin", "uf", "--estimater", "ls"],
            ["pkm identify: --estimater: no such option", "'--estimator'"],
        ),
        (["identify", "a.csv"], ["pkm identify: --machine is missing", "pkm identify log.csv"]),
        (
            ["identify", "a.csv", "--machine", "uf", "--cutoff", "high"],
            ["--cutoff: 'high' is not a number"],
        ),
        (["idenify", "a.csv"], ["pkm: 'idenify' is no command", "did you mean 'identify'"]),
        (
            ["check", "a.csv", "--machine", "uf", "--xyzzy"],
            ["--xyzzy: no such option; pkm check --help lists all"],
        ),
        (
            ["import", "a.txt", "--out", "a.csv"],
            ["pkm import: --out: no such option; OUT is given without it\n"],
        ),
    ],
)
def test_what_is_wrong_is_answered_in_one_line(capsys, arguments, said):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    for part in said:
        assert part in err
