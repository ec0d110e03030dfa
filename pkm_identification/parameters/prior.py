# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is known of the parameters before any data: the machine file's values, very uncertain, or what is stated."""

from __future__ import annotations

from dataclasses import dataclass

from pkm_identification.numerics.arrays import FloatArray

from .parameter_set import ParameterSet


@dataclass(frozen=True)
class Prior:
    """Independent normal prior: mean and standard deviation, shape (P,)."""

    mean: FloatArray
    std: FloatArray

    @classmethod
    def of(cls, parameters: ParameterSet) -> Prior:
        """What is stated of the parameters; else the machine file's values, uncertain by about their own size."""
        if parameters.prior_mean is None or parameters.prior_std is None:
            return cls(parameters.nominal, parameters.scale)
        return cls(parameters.prior_mean, parameters.prior_std)
