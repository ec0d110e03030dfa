# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""docs/parameters.md from the declarations: `python -m pkm_identification.nodes.catalogue.parameter_page`."""

from __future__ import annotations

import sys

import yaml

from pkm_identification.ros.parameters.declarations import COMMON, ParameterSpec

from . import NODES, node_class

HEAD = """\
# Parameters of the nodes

Written by `python -m pkm_identification.nodes.catalogue.parameter_page > docs/parameters.md`
from the declarations in the code.
`config/nodes.yaml` holds all of them with their defaults, for `--params-file`.

A value is refused with its name and what is allowed. *When* says when a new one is taken:

- **at start only**: the parameter is read-only afterwards.
- **when configured**: fixed while the node is configured; clean the node up (life cycle) to change it.
- **at any time**: taken over at once. Several set in one call of `set_parameters_atomically` are judged together: all
  are taken or none, and what they would make together (a filter above half the sample rate) is refused too.
"""


def parameter_docs() -> str:
    """Text of the document."""
    blocks = [HEAD, _write_section("All nodes", COMMON)]
    blocks += [_write_section(f"`{name}`", node_class(name).PARAMETERS, summary(name)) for name in NODES]
    return "\n".join(blocks)


def summary(name: str) -> str:
    """Return what a node does, in a sentence."""
    return " ".join((node_class(name).__doc__ or "").split("\n\n")[0].split())


def parameter_rows(specs: tuple[ParameterSpec, ...]) -> list[str]:
    """Lines of a table of parameters."""
    rows = ["| parameter | default | allowed | when | what |", "|---|---|---|---|---|"]
    rows += [
        f"| `{spec.name}` | `{_format_default(spec)}` | {_format_cell(spec.allowed)} | {spec.when} | "
        f"{_format_cell(spec.description)} |"
        for spec in specs
    ]
    return rows


def _write_section(title: str, specs: tuple[ParameterSpec, ...], about: str = "") -> str:
    return "\n".join([f"## {title}", *([about, ""] if about else [""]), *parameter_rows(specs), ""])


def _format_default(spec: ParameterSpec) -> str:
    return yaml.safe_dump(spec.default, default_flow_style=True, width=1000).removesuffix("...\n").strip()


def _format_cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> int:
    """Print the document."""
    print(parameter_docs(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
