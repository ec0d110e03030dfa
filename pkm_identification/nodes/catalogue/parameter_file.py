# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""config/nodes.yaml from the declarations: `python -m pkm_identification.nodes.catalogue.parameter_file`."""

from __future__ import annotations

import sys

import yaml

from pkm_identification.ros.parameters.declarations import COMMON, ParameterSpec

from . import NODES, node_class

HEAD = """\
# Parameters of all nodes with their defaults; a copy is a good start for --params-file and params_file:=...
# Written by `python -m pkm_identification.nodes.catalogue.parameter_file`; each line says what is allowed.
# docs/parameters.md says which of them may change while a node runs.
"""


def parameter_file() -> str:
    """Text of the parameter file."""
    blocks = [HEAD]
    for name in NODES:
        lines = [f"/**/{name}:", "  ros__parameters:"]
        lines += [_write_line(spec) for spec in (*COMMON, *node_class(name).PARAMETERS)]
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def _write_line(spec: ParameterSpec) -> str:
    value = yaml.safe_dump(spec.default, default_flow_style=True, width=1000).removesuffix("...\n").strip()
    return f"    {spec.name}: {value}  # {spec.description}; {spec.allowed}"


def main() -> int:
    """Print the file."""
    print(parameter_file(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
