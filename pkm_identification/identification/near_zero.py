# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction, and also estimated, that the data show to be small, but not to be there at all."""

from __future__ import annotations

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.identifiability import IDENTIFIABLE
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.parameter_set import ParameterSet

# Standard deviations up to which a value is not distinguished from zero: of a dozen coefficients without friction
# one lies beyond by chance in 3 % of the logs.
NEAR = 3.0


def near_zero(parameters: ParameterSet, estimate: ParameterEstimate) -> tuple[str, ...]:
    """Return names of what is identified and not distinguishable from zero: friction, and effects that zero is none of.

    A frictionless strut's estimate is as often negative as positive: that is no sign of a wrong model.

    Parameters
    ----------
    parameters : ParameterSet
        Those estimated.
    estimate : ParameterEstimate
        An estimate of other parameters has none.
    """
    if estimate.names != parameters.names:
        return ()
    return tuple(
        entry.name
        for entry, value, std, status in zip(
            parameters.entries, estimate.values, estimate.std, estimate.status, strict=True
        )
        if (entry.kind.friction or (entry.kind is Kind.EFFECT and entry.nominal == 0.0))
        and status == IDENTIFIABLE
        and abs(value) <= NEAR * std
    )
