# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Sign, unit and order of the forces, as causes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.lack_of_fit.exchange import Order
from pkm_identification.estimation.posterior.verdict import CommonFactor
from pkm_identification.machines.contract import Drive

from .findings import FORCE_FACTOR, Cause

REVERSE = "Reverse the sign of the currents: a strut force is positive when it pushes the platform away"
BETTER = 0.5  # of the residual's squares, that a discrete change must leave at most to be believed


def build_factor_cause(common: CommonFactor) -> Cause:
    """Return the cause of a common factor of the forces.

    No residual shows it: it explains nothing of one.
    """
    if common.factor < 0.0:
        return Cause("force_sign", -1.0, 0.0, "", 0.0, REVERSE, FORCE_FACTOR)
    correction = f"Convert the forces: one recorded unit is {common.factor:.6g} N"
    if not common.is_unit:
        about = float(f"{common.factor:.2g}")
        correction = (
            f"If they are currents, or torques in front of a gear, multiply them by about {about:g}; if not, "
            "correct the masses of the file"
        )
    return Cause("force_unit", common.factor, 0.0, "N", 0.0, correction, FORCE_FACTOR, detail=common.text)


def build_unit_cause(drive: Drive, unit: str, factor: float) -> Cause:
    """Return the cause of one drive's force in another unit than the others."""
    si = drive.force_unit
    correction = f"Convert that force: one recorded unit is {factor:.6g} {si}"
    return Cause(
        f"force_unit_{drive.label}",
        factor,
        0.0,
        si,
        0.0,
        correction,
        FORCE_FACTOR,
        detail=f"{unit} taken for {si}",
    )


def find_cause_of_order(order: Order, drives: Sequence[Drive]) -> Cause | None:
    """Return forces in the columns of other drives, if another order leaves much less."""
    if not order.changed or order.left > BETTER * order.before:
        return None
    count = float(np.count_nonzero(order.column != np.arange(len(order.column))))
    detail = in_words(order.column, drives)
    explains = 1.0 - order.left / order.before
    correction = f"Set the force columns right: {detail}"
    return Cause("exchanged_struts", count, 0.0, "", explains, correction, "exchange", detail=detail)


def in_words(column: NDArray[np.int64], drives: Sequence[Drive]) -> str:
    """Return whose columns are in each other's places."""
    wrong = [k for k in range(len(column)) if column[k] != k]
    if len(wrong) == 2:
        return f"{drives[wrong[0]].label} and {drives[wrong[1]].label} are exchanged"
    return "; ".join(f"{drives[k].title} is in column {drives[column[k]].label}" for k in wrong)
