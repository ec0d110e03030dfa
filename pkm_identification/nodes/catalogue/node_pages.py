# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""docs/nodes from the declarations: `python -m pkm_identification.nodes.catalogue.node_pages docs/nodes`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from pkm_identification.ros.interfaces.declarations import COMMON, NODE_INTERFACES
from pkm_identification.ros.interfaces.interface import Interface
from pkm_identification.ros.parameters.declarations import COMMON as COMMON_PARAMETERS

from . import NODES, node_class
from .parameter_page import parameter_rows, summary

WRITTEN = """\
Written by `python -m pkm_identification.nodes.catalogue.node_pages docs/nodes` from the declarations in the code; a
test compares them with the running node. Quality of service, and what all of it is for:
[interfaces.md](../interfaces.md)."""


def build_node_page(name: str) -> str:
    """Text of a node's page."""
    own = NODE_INTERFACES[name]
    kinds = (
        ("Publishes", own.publishes, COMMON.publishes),
        ("Subscribes", own.subscribes, COMMON.subscribes),
        ("Services", own.services, COMMON.services),
        ("Actions", own.actions, ()),
    )
    blocks = [f"# {name}", summary(name), "", WRITTEN]
    for title, special, common in kinds:
        if special or common:
            blocks += ["", f"## {title}", *_write_table(special), *(_list_all_nodes(common, bool(special)))]
    tasks = (*own.diagnostics, *COMMON.diagnostics)
    rows = [f"| `{name}: {task}` | {what} |" for task, what in tasks]
    blocks += ["", "## Diagnostics", "| status | what it judges |", "|---|---|", *rows]
    specs = (*node_class(name).PARAMETERS, *COMMON_PARAMETERS)
    blocks += ["", "## Parameters", *parameter_rows(specs), ""]
    return "\n".join(blocks)


def node_pages() -> dict[str, str]:
    """Return all pages by their file's name."""
    return {f"{name}.md": build_node_page(name) for name in NODES}


def _write_table(interfaces: Sequence[Interface]) -> list[str]:
    if not interfaces:
        return []
    rows = [f"| `{one.name}` | {one.type} | {one.what} | {one.when or 'always'} |" for one in interfaces]
    return ["| name | type | what | when |", "|---|---|---|---|", *rows]


def _list_all_nodes(interfaces: Sequence[Interface], after: bool) -> list[str]:
    if not interfaces:
        return []
    listed = ", ".join(
        f"`{one.name}` ({one.type}{'; ' + one.when if one.when else ''})" for one in interfaces
    )
    return [*([""] if after else []), f"As every node: {listed}."]


def main(folder: str) -> int:
    """Write the pages into a folder."""
    for file, page in node_pages().items():
        (Path(folder) / file).write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
