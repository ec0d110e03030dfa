# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Compliance of a machine's drives: what yields between their encoders and the mechanism."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .contract import Machine

_PERIOD = 1e-3  # s: compliance is the same at any


def find_compliance(machine: Machine) -> FloatArray:
    """Return what each drive yields (n,), m/N or rad/(N m); 0 of a rigid one."""
    transfers = machine.build_transfers(_PERIOD) or ()
    return np.array([one.compliance for one in transfers] or [0.0] * len(machine.drives))
