# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Benchmarks are run rarely; what they take from the package must be there all the same."""

from __future__ import annotations

import ast
import importlib
import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
NAME = "pkm_identification"
NEED_ROS = tuple(f"{NAME}.{part}" for part in ("action", "msg", "nodes", "ros", "srv"))


def taken(path: Path) -> list[tuple[int, str, str]]:
    """Line, module and name of all that a file imports from the package."""
    return [
        (node.lineno, node.module, alias.name)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == NAME
        for alias in node.names
    ]


def is_there(module: str, name: str) -> bool:
    try:
        if hasattr(importlib.import_module(module), name):
            return True
        importlib.import_module(f"{module}.{name}")
    except ModuleNotFoundError:
        return False
    return True


def test_what_benchmarks_import_exists():
    paths = sorted((ROOT / "benchmarks").rglob("*.py"))
    left_out = () if importlib.util.find_spec("rclpy") else NEED_ROS
    names = [(path, *one) for path in paths for one in taken(path) if not one[1].startswith(left_out)]
    assert len(names) > 50
    missing = [
        f"{path.relative_to(ROOT)}:{line} imports {name} from {module}"
        for path, line, module, name in names
        if not is_there(module, name)
    ]
    assert missing == []
    assert not is_there(f"{NAME}.motion", "no_such_name")
