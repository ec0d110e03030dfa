# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Nothing in the package runs what it reads: no eval, no pickle, no shell, only safe YAML."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import yaml

from pkm_identification.document import TextScalars, UniqueKeys

ROOT = Path(__file__).resolve().parents[3]
SOURCES = [*sorted((ROOT / "pkm_identification").rglob("*.py")), *sorted((ROOT / "launch").glob("*.py"))]
CALLS = {
    "eval",
    "exec",
    "__import__",
    "os.system",
    "os.popen",
    "yaml.unsafe_load",
    "yaml.full_load",
    "yaml.load_all",
}
MODULES = {"pickle", "cPickle", "marshal", "shelve", "dill", "joblib"}
SAFE_LOADERS = {"UniqueKeys", "TextScalars"}


def dangers(tree: ast.AST) -> list[str]:
    """What is forbidden, with lines."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names]
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found += [f"{node.lineno}: {name}" for name in names if name.split(".")[0] in MODULES]
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        given = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
        if (
            name in CALLS
            or given.get("shell", "False") != "False"
            or given.get("allow_pickle", "False") != "False"
        ):
            found.append(f"{node.lineno}: {ast.unparse(node)}")
        if name == "yaml.load" and given.get("Loader") not in SAFE_LOADERS:
            found.append(f"{node.lineno}: {ast.unparse(node)}")
    return found


@pytest.mark.slow
def test_nothing_dangerous():
    assert len(SOURCES) > 30
    found = {path: dangers(ast.parse(path.read_text(encoding="utf-8"))) for path in SOURCES}
    assert {str(path.relative_to(ROOT)): lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "text",
    [
        "eval('1')",
        "import pickle",
        "from pickle import loads",
        "yaml.load(text)",
        "yaml.load(text, Loader=yaml.Loader)",
        "subprocess.run(command, shell=True)",
        "np.load(path, allow_pickle=True)",
        "os.system(command)",
    ],
)
def test_the_search_finds_what_it_is_for(text):
    assert dangers(ast.parse(text))


@pytest.mark.parametrize("loader", [UniqueKeys, TextScalars])
def test_our_yaml_loaders_make_no_objects(loader):
    assert issubclass(loader, yaml.SafeLoader)
    with pytest.raises(yaml.YAMLError):
        yaml.load("!!python/object/apply:os.getcwd []", Loader=loader)
