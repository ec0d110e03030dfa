# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Which estimates a controller takes over."""

from __future__ import annotations

import numpy as np

from pkm_identification.control.model import EstimateReader, EstimateRefused
from pkm_identification.msg import ParameterEstimate
from pkm_identification.numerics.arrays import FloatArray

from ..clock import seconds


def build_believed_basis(
    message: ParameterEstimate, reader: EstimateReader, now: float | None, age: float
) -> FloatArray:
    """Dynamic parameters (B,) of an estimate that a controller may use.

    Parameters
    ----------
    message : ParameterEstimate
    reader : EstimateReader
    now : float or None
        Stamp of the newest sample of the drives, s; None before there is one.
    age : float
        s that the newest sample behind an estimate may be older.

    Raises
    ------
    EstimateRefused
        If the estimate is in doubt, its fit is not assessed yet, it is stale, or `EstimateReader.basis` refuses it.
    """
    status = np.array(list(message.status))
    if not message.fit_judged:
        raise EstimateRefused("estimate: whether the model fits what it learned from is not assessed yet")
    if ParameterEstimate.IN_DOUBT in status:
        # the parameters belong together: those that are not in doubt are no model without the others
        why = f": {message.cause_text}" if message.cause_text else ""
        raise EstimateRefused(f"estimate: the model does not fit what it learned from{why}")
    old = None if now is None else now - seconds(message.header.stamp)
    # a stamp ahead of the drives' is as wrong: another clock
    if old is None or not abs(old) <= age:
        when = "unknown" if old is None else f"{old:.1f} s"
        raise EstimateRefused(
            f"estimate: is stale: its age by the drives' stamps is {when}, at most {age:g} s are allowed"
        )
    shown = status != ParameterEstimate.UNIDENTIFIABLE
    return reader.basis(message.machine_hash, message.names, message.values, message.std, shown)
