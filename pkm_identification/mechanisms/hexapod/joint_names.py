# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a machine's drivers call its struts: the machine file's `joint_names`."""

from __future__ import annotations

import re

from pkm_identification.document import Node
from pkm_identification.motion import STRUT_NAMES, STRUTS

# Names stand in lists with commas, in headers of columns and in XML, comments included.
NAME = re.compile(r"(?!.*--)[^\s,;|\"'<>&=]+")


def read_joint_names(node: Node) -> tuple[str, ...]:
    """Return names of struts 1 to 6; `strut_1` to `strut_6` where the file has none.

    Raises
    ------
    MachineError
        If they are not six different names without blanks and signs that divide lists.
    """
    given = node.value
    if given is None:
        return STRUT_NAMES
    if not isinstance(given, list) or len(given) != STRUTS:
        node.fail(f"= {given!r}: must be a list of six names, of struts 1 to 6")
    names = tuple(entry.text() for entry in node.entries())
    for name in names:
        if not NAME.fullmatch(name):
            node.fail(f"= {given!r}: '{name}' must be a name without blanks, commas, quotes and signs of XML")
    if len(set(names)) != STRUTS:
        repeated = next(name for name in names if names.count(name) > 1)
        node.fail(f"= {given!r}: '{repeated}' is there twice; each strut needs a different name")
    return names
