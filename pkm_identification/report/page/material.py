# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""All that a page is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.identification.review.review import Review
from pkm_identification.numerics.arrays import FloatArray

if TYPE_CHECKING:
    from pkm_identification.identification.result import Identification


@dataclass(frozen=True)
class Material:
    """A finished identification, and what to show of it.

    Attributes
    ----------
    result : Identification
    images : mapping of str to bytes
        PNG files by the name of the figure.
    interactive : mapping of str to dict
        Figures for plotly by the same names; empty without plotly.
    script : str or None
        What draws them (`interactive.figures.packed_script`).
    review : Review or None
        Of the logs; None where they are not at hand.
    truth : mapping of str to float, or None
        True values by name, where they are known.
    origin : dict or None
        Provenance (`records.provenance`).
    """

    result: Identification
    images: Mapping[str, bytes]
    interactive: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    script: str | None = None
    review: Review | None = None
    truth: Mapping[str, float] | None = None
    origin: dict[str, Any] | None = None


def order_values(truth: Mapping[str, float] | None, estimate: ParameterEstimate) -> FloatArray | None:
    """Return true values in the order of an estimate's names, NaN of what is not known; None without any."""
    return None if truth is None else np.array([truth.get(name, np.nan) for name in estimate.names])
