# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How far the values of an answer are from those of the machine that the log is of."""

from __future__ import annotations

from typing import Any

import numpy as np

from pkm_identification.identification.full_model.posterior import build_views
from pkm_identification.identification.full_model.unknowns import FileModel
from pkm_identification.machines.contract import Machine

USABLE = ("identified", "known", "known, mostly from the file")


def find_errors(answer: dict[str, Any], file: Machine, truth: Machine) -> dict[str, float]:
    """Return the errors of the values that may be used, in their stated deviations, by name."""
    true = find_truth(file, truth)
    return {
        one["name"]: (one["value"] - true[one["name"]]) / one["std"]
        for one in answer["values"]
        if one["status"] in USABLE and one["std"]
    }


def find_truth(file: Machine, truth: Machine) -> dict[str, float]:
    """Return the values of a machine by the names that answers about its file have."""
    parameters, basis = file.build_parameter_set(file.sums_set), truth.basis.nominal
    factors, offsets = build_views(parameters, tuple(file.basis.names))
    model = FileModel.of_bodies(truth.knowledge, truth.rows_of_bodies, basis, len(basis))
    masses = model.compute_hidden_masses(np.zeros(model.width))
    return dict(zip(parameters.names, factors @ basis + offsets, strict=True)) | {
        name: value for name, value, _ in masses
    }
