# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Which parameters of a set belong to one body: a capability that a machine may have."""

from __future__ import annotations

from pkm_identification.errors import PkmError
from pkm_identification.estimation.consistency.layout import Layout
from pkm_identification.parameters.parameter_set import ParameterSet

from .contract import Machine


def find_physical_layout(machine: Machine, parameters: ParameterSet) -> Layout | None:
    """Return what each parameter must be so that some body has them all.

    None where the machine cannot say (it has no `build_physical_layout`), or a part of a body is fixed or tied.
    """
    build = getattr(machine, "build_physical_layout", None)
    if build is None:
        return None
    try:
        layout: Layout = build(parameters)
    except PkmError:
        return None
    return layout
