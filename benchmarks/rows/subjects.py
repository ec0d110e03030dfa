# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The machines of the table: built-in ones, examples, the delta of docs/mechanisms.md, or any file."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pkm_identification.document import read_yaml
from pkm_identification.mechanisms.builtin import list_builtin_files

from ..field import parallel_machines
from ..surroundings import ROOT

Document = dict[str, Any]
EXAMPLES = ROOT / "examples" / "machines"


def _read(path: Path) -> Document:
    made = read_yaml(path, "machine file")
    return read_yaml(path, "machine file", numbers_as_text=True) if "bodies" in made else made


def _read_builtin(name: str) -> Document:
    files = {**list_builtin_files("machines"), **list_builtin_files("mechanisms")}
    return _read(files[name])


def _read_delta_of_docs() -> Document:
    page = (ROOT / "docs" / "mechanisms.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```yaml\n(.*?)```", page, flags=re.DOTALL)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "delta.yaml"
        path.write_text(next(one for one in blocks if "name: delta" in one), encoding="utf-8")
        return _read(path)


MACHINES: dict[str, Callable[[], Document]] = {
    "uf": lambda: _read_builtin("uf"),
    "uf_hydraulic": lambda: _read_builtin("uf_hydraulic"),
    "hexel": lambda: _read_builtin("hexel"),
    "mast": lambda: _read_builtin("mast"),
    "mast_belt": lambda: _read_builtin("mast_belt"),
    "epaas": lambda: _read_builtin("epaas"),
    "epaas, hydraulics": lambda: _read_builtin("epaas_hydraulic"),
    "four-bar": lambda: _read_builtin("four-bar"),
    "delta": _read_delta_of_docs,
    "five-bar": lambda: _read(EXAMPLES / "five_bar.yaml"),
    "6-RSS": parallel_machines.rss,
    "6-PUS": parallel_machines.pus,
    "ur10e": lambda: _read(EXAMPLES / "ur10e.yaml"),
    "panda": lambda: _read(EXAMPLES / "panda.yaml"),
}


def read_subject(name: str) -> Document:
    """Return the document of a machine of the table, or of a file."""
    return MACHINES[name]() if name in MACHINES else _read(Path(name))
