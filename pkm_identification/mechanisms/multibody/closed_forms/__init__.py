# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Closed forms of inverse kinematics.

A description may name one to start Newton's method exactly, and to name what is out of reach. Each is tested against
the general way; loops are always closed by the general way afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pkm_identification.errors import MachineError

from ..description.records import Description
from ..numbers.arithmetic import Arithmetic
from ..structure.model import Model
from ..structure.tree import Tree
from .prs_table import prs_table

# (arithmetic, model, home (Q,), outputs (N, n)) -> coordinates of the tree (N, Q), and what is out of reach in each row
# (empty text: nothing).
ClosedForm = Callable[[Arithmetic, Model, Any, Any], tuple[Any, list[str]]]
CLOSED_FORMS: dict[str, Callable[[Description, Tree], ClosedForm]] = {"prs_table": prs_table}


def closed_form(description: Description, tree: Tree) -> ClosedForm | None:
    """Return the closed form a description names, if any.

    Raises
    ------
    MachineError
        If there is none of that name, or the mechanism is not what it is for.
    """
    named = description.closed_form
    if named is None:
        return None
    if named.name not in CLOSED_FORMS:
        raise MachineError(
            f"{description.source}: closed_form.name = {named.name!r}: must be one of {', '.join(CLOSED_FORMS)}"
        )
    return CLOSED_FORMS[named.name](description, tree)
