# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Commands that README and docs/ tell people to type are there: in the package, its Makefile or its launch files."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path

import pytest
import yaml
from documented_commands import ROOT, Documented, documented

from pkm_identification.cli import COMMANDS, parser_for
from pkm_identification.mechanisms.hexapod.machine import builtin_machines
from pkm_identification.mechanisms.multibody.mechanism import builtin_mechanisms

ALL = documented()
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
# What of ros2 is not ours to check
OF_ROS = {"lifecycle", "param", "security", "service", "topic"}


def of(program: str) -> list[Documented]:
    return [one for one in ALL if one.program == program]


def option_names(words: tuple[str, ...] | list[str]) -> list[str]:
    return [word.partition("=")[0].strip("[]") for word in words if re.match(r"\[?--[a-z]", word)]


def test_there_are_many_and_of_every_kind():
    assert len([one for one in of("pkm") if one.in_block]) > 60
    assert len([one for one in of("ros2") if one.in_block]) > 8
    assert {one.page for one in ALL} >= {"README.md", "docs/tutorial.md", "docs/walk.md", "docs/history.md"}


@pytest.mark.parametrize("command", of("pkm"), ids=str)
def test_pkm_has_the_command_and_its_options(command):
    if len(command.words) == 1 or command.words[1] == "COMMAND":
        return
    name, *arguments = command.words[1:]
    assert name in COMMANDS
    parser = parser_for(name)._command(name)
    for option in option_names(arguments):
        assert option in parser._option_string_actions
    if command.in_block and not command.open and "--list-faults" not in arguments:  # which prints and ends
        options = parser_for(name).parse_args([name, *arguments])
        machine = getattr(options, "machine", None)
        if machine is not None and not Path(str(machine)).suffix:
            assert str(machine) in {*builtin_machines(), *builtin_mechanisms()}


@pytest.mark.parametrize("command", of("make"), ids=str)
def test_make_has_the_target_and_what_it_is_given(command):
    targets = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[1].split()
    for word in command.words[1:]:
        variable, _, value = word.partition("=")
        if "=" not in word:
            assert word in targets
            continue
        assert re.search(rf"\$\({variable}\)|^{variable} \?=", MAKEFILE, re.MULTILINE)
        if variable == "DEMO_ARGS":
            parser_for("demo").parse_args(["demo", *shlex.split(value)])
        elif variable == "BENCH_ARGS":
            module_has_options("benchmarks", shlex.split(value))


@pytest.mark.parametrize("command", of("python"), ids=str)
def test_python_finds_the_module_or_script_and_its_options(command):
    first, *rest = command.words[1:]
    if first == "-m":
        if rest and rest[0] not in ("venv", "pip"):
            module_has_options(rest[0], rest[1:])
    else:
        script = next(folder / first for folder in (ROOT, ROOT / "examples") if (folder / first).is_file())
        source_has_options(script, rest)


def module_has_options(module: str, arguments: list[str]) -> None:
    path = ROOT / module.replace(".", "/")
    path = path / "__main__.py" if path.is_dir() else path.with_suffix(".py")
    assert path.is_file()
    own = (
        arguments.index("--ros-args") if "--ros-args" in arguments else len(arguments)
    )  # what follows is of ROS
    source_has_options(path, arguments[:own])
    if module == "benchmarks" and "--only" in arguments:
        parts = re.search(r"^PARTS = \{(.*?)^\}", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        for word in arguments[arguments.index("--only") + 1 :]:
            if word.startswith("--"):
                break
            assert f'"{word}":' in parts[1]


def source_has_options(path: Path, arguments: list[str]) -> None:
    """Without importing it: some need peers that are not installed everywhere."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    known = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    for option in option_names(arguments):
        assert option in known, f"{path.name} has no {option}"


@pytest.mark.parametrize("command", of("ros2"), ids=str)
def test_ros2_finds_launch_files_nodes_arguments_and_parameters(command):
    if len(command.words) == 1:
        return
    verb, *rest = command.words[1:]
    assert verb in {"launch", "run", *OF_ROS}
    if verb == "launch" and rest and rest[1] != "NAME.launch.py":
        assert rest[0] == "pkm_identification"
        launches(rest[1], rest[2:])
    elif verb == "run":
        assert rest[0] == "pkm_identification"
        runs(rest[1], rest[2:])
    elif verb == "service":
        service, kind, request = rest[1:]
        fields = (ROOT / kind.partition("/")[2]).with_suffix(".srv").read_text(encoding="utf-8")
        page = (ROOT / "docs" / "nodes" / f"{service.split('/')[1]}.md").read_text(encoding="utf-8")
        assert f"~/{service.split('/')[2]}" in page
        for name in yaml.safe_load(request):
            assert re.search(rf"^\S+ {name}\b", fields, re.MULTILINE)
    elif verb == "param" and len(rest) > 1:
        assert rest[0] in ("set", "get")
        assert rest[2] in parameters(rest[1].strip("/"))


def parameters(node: str) -> set[str]:
    """Parameters of a node, from the file that is written from its declarations."""
    document = yaml.safe_load((ROOT / "config" / "nodes.yaml").read_text(encoding="utf-8"))
    return set(document[f"/**/{node}"]["ros__parameters"])


def launches(name: str, arguments: list[str]) -> None:
    source = (ROOT / "launch" / name).read_text(encoding="utf-8")
    table = ROOT / "pkm_identification" / "ros" / "launching" / "arguments.py"
    for word in arguments:
        argument, assignment, value = word.partition(":=")
        assert assignment
        assert value
        declared = source + table.read_text(encoding="utf-8")
        assert re.search(rf"Argument\(\s*\"{argument}\"", declared), f"{name} has no {argument}"


def runs(node: str, arguments: list[str]) -> None:
    programs = re.search(r"foreach\(name (.*?)\)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    assert node in programs[1].split()
    own, _, of_ros = " ".join(arguments).partition("--ros-args")
    together = re.search(r"--nodes (\S+)", own)
    # bringup alone is a way to speak of it
    nodes = together[1].split(",") if together else [node] if node != "bringup" else []
    for name in nodes:
        assert parameters(name)
    for name in re.findall(r"-p (\w+):=", of_ros):
        assert any(name in parameters(one) for one in nodes)
    assert set(option_names(of_ros.split())) <= {"--params-file", "--enclave", "--log-level"}
