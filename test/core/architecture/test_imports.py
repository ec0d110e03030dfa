# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The core knows no ROS: read from the sources, so that not even an import inside a function escapes."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[3] / "pkm_identification"
NAME = PACKAGE.name
ROS_FOLDERS = ("ros", "nodes")
FORBIDDEN_ROOTS = ("rclpy", "launch", "launch_ros", "ament_index_python", "rosidl_runtime_py")
CLI = ("cli", "commands")


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if "__pycache__" not in path.parts)


def dotted(path: Path) -> str:
    parts = [NAME, *path.relative_to(PACKAGE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(tree: ast.AST, module: str, is_package: bool) -> list[tuple[int, str]]:
    """Line and absolute dotted name of everything imported, names taken from a module included."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
            # `import package.module` without `as` gives the name of the package
            found += [
                (node.lineno, f"{alias.name.split('.')[0]}.*")
                for alias in node.names
                if "." in alias.name and not alias.asname
            ]
        elif isinstance(node, ast.ImportFrom):
            parents = module.split(".")
            if node.level:
                parents = parents[: len(parents) - node.level + is_package]
                base = ".".join([*parents, *([node.module] if node.module else [])])
            else:
                base = node.module or ""
            found += [(node.lineno, base)] + [(node.lineno, f"{base}.{alias.name}") for alias in node.names]
        elif isinstance(node, ast.Call) and called(node).endswith(("import_module", "__import__")):
            found += [(node.lineno, a.value) for a in node.args if isinstance(a, ast.Constant) and a.value]
    return found


def called(node: ast.Call) -> str:
    """Last part of the name of what is called; empty where it has none."""
    return getattr(node.func, "attr", "") or getattr(node.func, "id", "")


def needs_ros(name: str) -> bool:
    """Whether a dotted name is rclpy, a message package, or this package's messages."""
    root = name.split(".")[0]
    own = name.split(".")[1:2] if root == NAME else []
    return (
        root in FORBIDDEN_ROOTS
        or root.endswith(("_msgs", "_interfaces", "_srvs"))
        or root.startswith("rosidl_")
        or own in (["msg"], ["srv"], ["action"])
    )


def is_ros_side(name: str) -> bool:
    return name.split(".")[0] == NAME and name.split(".")[1:2] in (["ros"], ["nodes"])


@cache
def imports_of(path: Path) -> list[tuple[int, str]]:
    """What a module of the package imports."""
    return imports(ast.parse(path.read_text(encoding="utf-8")), dotted(path), path.name == "__init__.py")


@pytest.mark.slow
def test_the_core_imports_neither_ros_nor_the_ros_side():
    core = [path for path in modules() if path.relative_to(PACKAGE).parts[0] not in ROS_FOLDERS]
    wrong = []
    for path in core:
        for line, name in imports_of(path):
            # the command line starts nodes on request; everything else is below them
            ros_side = is_ros_side(name) and dotted(path).split(".")[1:2] not in ([c] for c in CLI)
            if needs_ros(name) or ros_side:
                wrong.append(f"{path.relative_to(PACKAGE)}:{line} imports {name}")
    assert wrong == []
    # otherwise this would pass on an empty folder
    assert len(core) > 30
    assert any(needs_ros(name) for path in set(modules()) - set(core) for _, name in imports_of(path))


@pytest.mark.parametrize(
    ("line", "module", "expected"),
    [
        ("import rclpy", "pkm_identification.mechanisms.hexapod.machine", True),
        ("from rclpy.node import Node", "pkm_identification.mechanisms.hexapod.machine", True),
        ("from sensor_msgs.msg import JointState", "pkm_identification.mechanisms.hexapod.machine", True),
        ("from .msg import StrutStates", "pkm_identification.document", True),
        ("from . import srv", "pkm_identification.document", True),
        ("from ..msg import StrutStates", "pkm_identification.signals.input_validation", True),
        ("def f():\n    import std_srvs.srv", "pkm_identification.mechanisms.hexapod.machine", True),
        (
            "import importlib\nimportlib.import_module('rclpy.qos')",
            "pkm_identification.mechanisms.hexapod.machine",
            True,
        ),
        ("from .motion import DriveLog", "pkm_identification.document", False),
        ("import numpy, scipy.signal", "pkm_identification.mechanisms.hexapod.machine", False),
        ("from rosbags.typesys import Stores", "pkm_identification.records.bags.reader", False),
    ],
)
def test_what_counts_as_ros(line, module, expected):
    assert any(needs_ros(name) for _, name in imports(ast.parse(line), module, False)) == expected


def test_ros_side_is_recognised():
    tree = ast.parse("from ..ros import qos")
    assert any(
        is_ros_side(name) for _, name in imports(tree, "pkm_identification.signals.input_validation", False)
    )
    assert not is_ros_side("pkm_identification.numerics.rotation")
