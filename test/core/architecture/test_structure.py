# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The shape of the package, read from its sources: what may import what, no circles, rooms of a size one can survey."""

from __future__ import annotations

import ast
import re
import runpy
from functools import cache
from graphlib import CycleError, TopologicalSorter

import pytest
from core.architecture.test_imports import NAME, PACKAGE, dotted, imports, modules

ARCHITECTURE = PACKAGE.parent / "ARCHITECTURE.md"
# From the ground up: a room imports rooms below its own, never above or beside; see ARCHITECTURE.md.
FLOORS = (
    ("suggestion", "progress", "version"),
    ("numerics", "errors", "interruption"),
    ("document", "motion", "declared", "optional"),
    ("parameters",),
    ("estimation",),
    ("mechanisms",),
    ("machines",),
    ("signals",),
    ("records",),
    ("control",),
    ("simulation",),
    ("identification",),
    ("exporting", "browser"),
    ("report",),
    ("reproduction",),
    ("ros",),
    ("api",),
    ("nodes",),
    ("commands",),
    ("cli",),
    ("__main__",),
    ("",),  # the package root: its names are for users, no room imports them
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
GENERATED = ("msg", "srv", "action")
MOST_FILES = 15
MOST_POSITIONAL = 9


def room(name: str) -> str:
    """The top room of a dotted name, or the package itself."""
    return name.split(".")[1] if "." in name else ""


@cache
def arrows() -> list[tuple[str, str, str]]:
    """(module, imported module, place) of every import inside the package, wherever in the file it stands."""
    return [
        (dotted(path), target, f"{path.relative_to(PACKAGE)}:{line}")
        for path in modules()
        for target, line in imported_modules(
            path.read_text(encoding="utf-8"), dotted(path), path.name == "__init__.py"
        )
    ]


@cache
def known_modules() -> frozenset[str]:
    return frozenset(map(dotted, modules()))


def imported_modules(source: str, module: str, is_package: bool = False) -> list[tuple[str, int]]:
    """(imported module of this package, line) of a module's source; the package root counts like any other."""
    known = known_modules()
    names = imports(ast.parse(source), module, is_package)
    found = []
    for line, name in names:
        if room(name) in GENERATED:
            continue
        target = name if name in known else name.rpartition(".")[0]
        if target not in known or target == module:
            continue
        beside = [other for number, other in names if number == line and other.rpartition(".")[0] == name]
        if beside and all(other in known or room(other) in GENERATED for other in beside):
            continue  # `from package import module` needs the module, not what the package's page names
        found.append((target, line))
    return found


def is_upward(module: str, target: str) -> bool:
    """Whether a room imports from a floor that is not below its own."""
    return room(target) != room(module) and FLOOR[room(target)] >= FLOOR[room(module)]


def test_the_rooms_are_those_of_the_plan():
    """A new room needs a floor here and a line in ARCHITECTURE.md."""
    here = {room(dotted(path)) for path in modules()} - {"", *GENERATED}
    assert here <= set(FLOOR)
    text = ARCHITECTURE.read_text(encoding="utf-8")
    assert [name for name in here if not re.search(rf"\b{name}\b", text)] == []


@pytest.mark.slow
def test_nothing_imports_upward():
    wrong = [f"{place} imports {target}" for module, target, place in arrows() if is_upward(module, target)]
    assert sorted(set(wrong)) == []


@pytest.mark.parametrize(
    ("line", "module", "upward"),
    [
        ("from pkm_identification import Machine", "pkm_identification.estimation.injected", True),
        ("from pkm_identification import __version__", "pkm_identification.records.injected", True),
        ("from pkm_identification import motion, Machine", "pkm_identification.estimation.injected", True),
        ("from .. import Machine", "pkm_identification.estimation.injected", True),
        ("import pkm_identification as pkm", "pkm_identification.simulation.injected", True),
        (
            "def f():\n    from pkm_identification import identify",
            "pkm_identification.commands.injected",
            True,
        ),
        (
            "import importlib\nimportlib.import_module('pkm_identification')",
            "pkm_identification.signals.injected",
            True,
        ),
        ("import pkm_identification.numerics", "pkm_identification.estimation.injected", True),
        ("from pkm_identification import motion", "pkm_identification.estimation.injected", False),
        ("from .. import numerics", "pkm_identification.estimation.injected", False),
        ("from pkm_identification.version import __version__", "pkm_identification.records.injected", False),
        ("from pkm_identification import msg", "pkm_identification.ros.injected", False),
        ("from pkm_identification.msg import StrutStates", "pkm_identification.ros.injected", False),
        ("from .api.identification import identify", "pkm_identification", False),
    ],
)
def test_an_injected_import_of_the_root_is_upward(line, module, upward):
    found = imported_modules(line, module, is_package=module == NAME)
    assert any(is_upward(module, target) for target, _ in found) == upward


@pytest.mark.slow
def test_no_import_circle():
    """Between modules; imports inside functions and for annotations count too.

    A package's own page of names may import its modules, so what a module imports from its package is an arrow to
    nothing but what it names.
    """
    graph: dict[str, set[str]] = {}
    for module, target, _ in arrows():
        graph.setdefault(module, set()).add(target)
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as circle:
        pytest.fail(" -> ".join(circle.args[1]))


@pytest.mark.parametrize("pure", ["estimation", "parameters", "numerics"])
def test_what_every_mechanism_uses_knows_none(pure):
    wrong = [
        place for module, target, place in arrows() if room(module) == pure and room(target) == "mechanisms"
    ]
    assert wrong == []


def test_parameter_names_are_parsed_nowhere():
    """Meaning is in `Parameter.kind`, `.body` and `.limb`; a name is for people."""
    stems = "viscous|coulomb|reversal|asymmetry|m_[bepm]|[hIJ][a-z]*_[a-z0-9]"
    parsing = re.compile(
        rf"(startswith|endswith|partition|split|fullmatch|match)\(\(?[rf]*[\"'](?:_?(?:{stems}))"
    )
    wrong = []
    for path in modules():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if parsing.search(line):
                wrong.append(f"{path.relative_to(PACKAGE)}:{number}: {line.strip()}")
    assert wrong == []


# Who asks for a hexapod's file, and why: six alike struts have closed forms, files or pictures of their own there. All
# else asks the contract or a capability.
ABOUT_SIX_STRUTS = {
    "browser/machine_scene.py": "its solid picture in 3D",
    "commands/workspace.py": "slices of poses",
    "exporting/display.py": "its tree for displays",
    "exporting/estimated.py": "keys of its file",
    "exporting/formats.py": "its own formats",
    "identification/model_errors/estimated/registry.py": "what sets of struts leave out",
    "identification/model_errors/platform/bodies.py": "what sets of struts leave out",
    "identification/model_errors/platform/joints.py": "which hinge lets struts spin",
}


def test_what_is_no_matter_of_six_struts_asks_the_contract():
    asking = {
        path.relative_to(PACKAGE).as_posix()
        for path in modules()
        if re.search(r"\b(HexapodFile|description_of)\b", path.read_text(encoding="utf-8"))
    }
    asking = {name for name in asking if not name.startswith("machines/")}
    assert asking - set(ABOUT_SIX_STRUTS) == set(), "ask for a capability (`machines.capabilities`) instead"
    assert set(ABOUT_SIX_STRUTS) - asking == set(), "take these from the list"


def test_rooms_are_small_or_say_why():
    text = ARCHITECTURE.read_text(encoding="utf-8")
    wide = []
    for folder in sorted({path.parent for path in modules()}):
        count = len([path for path in folder.glob("*.py") if path.name != "__init__.py"])
        name = folder.relative_to(PACKAGE).as_posix()
        if count > MOST_FILES and f"`{name}/` ({count} files)" not in text:
            wide.append(f"{name}: {count} files")
    assert wide == []


@pytest.mark.slow
def test_what_is_told_by_its_place_is_little():
    """More than nine arguments by their order are mixed up: kernels take named records, all else keywords."""
    wide = []
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                count = len(node.args.posonlyargs) + len(node.args.args)
                if count > MOST_POSITIONAL:
                    wide.append(f"{path.relative_to(PACKAGE)}:{node.lineno}: {count}")
    assert wide == []


def test_no_file_of_leftovers():
    assert [path for path in modules() if path.stem in ("utils", "util", "helpers", "common", "misc")] == []


def test_the_longest_files_of_the_tests_are_there():
    """A file that was renamed would lose its place at the front."""
    tests = PACKAGE.parent / "test"
    order = runpy.run_path(str(tests / "conftest.py"))
    named = [order["FIRST"], *order["LONGEST"]]
    assert [name for name in named if not list(tests.rglob(name))] == []
