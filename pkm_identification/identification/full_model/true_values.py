# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The values that a machine has, by the names that answers about another file of it use: to compare in simulation."""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.contract import Machine

from .sums import build_views
from .unknowns import FileModel


def compute_true_values(file: Machine, truth: Machine) -> dict[str, float]:
    """Return the values of `truth`, SI units, by the names of an answer of the full model about `file`."""
    parameters, basis = file.build_parameter_set(file.sums_set), truth.basis.nominal
    factors, offsets = build_views(parameters, tuple(file.basis.names))
    model = FileModel.of_bodies(truth.knowledge, truth.rows_of_bodies, basis, len(basis))
    masses = model.compute_hidden_masses(np.zeros(model.width))
    return dict(zip(parameters.names, factors @ basis + offsets, strict=True)) | {
        name: value for name, value, _ in masses
    }
