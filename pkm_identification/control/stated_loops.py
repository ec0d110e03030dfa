# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Bandwidth and damping that a machine file's computed torque states."""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.contract import Machine


def find_stated_loops(machine: Machine) -> dict[str, float]:
    """Return `bandwidth` in Hz and `damping` of the law e'' + k_v e' + k_p e = 0 of a file; empty without it."""
    control = machine.bodies.description.control
    if control is None or control.computed_torque is None:
        return {}
    w = float(np.sqrt(control.computed_torque.position_gain))
    return {"bandwidth": w / (2.0 * np.pi), "damping": control.computed_torque.rate_gain / (2.0 * w)}
