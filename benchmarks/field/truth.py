# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How far the values of an answer are from those of the machine that the log is of."""

from __future__ import annotations

from typing import Any

from pkm_identification.identification.full_model.true_values import compute_true_values
from pkm_identification.machines.contract import Machine

USABLE = ("identified", "known", "known, mostly from the file")


def find_errors(answer: dict[str, Any], file: Machine, truth: Machine) -> dict[str, float]:
    """Return the errors of the values that may be used, in their stated deviations, by name."""
    true = compute_true_values(file, truth)
    return {
        one["name"]: (one["value"] - true[one["name"]]) / one["std"]
        for one in answer["values"]
        if one["status"] in USABLE and one["std"]
    }
