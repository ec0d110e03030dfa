# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Sign, unit and order of the forces, as causes: what a factor against the machine file, or another order, means."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.lack_of_fit.exchange import Order
from pkm_identification.machines.contract import Drive
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.parameter_set import ParameterSet

from .findings import Cause

FACTOR = 2.0  # by which the machine file's values are surely not wrong
RESOLVED = 0.1  # of the factor: standard deviation at which it is known
# N of one recorded unit; the drive's own N per A besides.
FORCE_UNITS = {"kN": 1000.0, "kgf": 9.80665, "lbf": 4.4482216, "mN": 1e-3}
FORCE_FACTOR = "force factor"  # the family of sign and unit
LEAST_SPREAD = 0.35  # of the logarithm: a file's masses are wrong by up to a third, one beside the other
SPREAD = 1.0 / 3.0  # of the factor's logarithm: how unlike one common factor may be in the file's masses
LEAST_DETERMINED = 2  # masses and moments that say whether a factor is common to all
BETTER = 0.5  # of the residual's squares, that a discrete change must leave at most to be believed


def list_causes_of_factor(factor: float, std: float, drives: Sequence[Drive]) -> list[Cause]:
    """Return what it means that the measured force is `factor` times that of the machine file's bodies.

    Parameters
    ----------
    factor, std : float
        And its standard deviation (`compute_output_factor`).
    drives : sequence of Drive
        Who say what an ampere is, if it is the same for all.

    Returns
    -------
    list of Cause
        `force_sign`, and `force_unit` or, for a factor that is no unit, `force_gain`; empty for a factor near 1.
    """
    if std > RESOLVED * abs(factor) or factor == 0.0:
        return []
    causes = []
    if factor < 0.0:
        causes.append(
            _build_cause(
                "force_sign",
                -1.0,
                "",
                "Reverse the sign of the currents: a strut force is positive when it pushes the platform away",
            )
        )
    size = 1.0 / abs(factor)
    if 1.0 / FACTOR < size < FACTOR:
        return causes
    units = dict(FORCE_UNITS)
    ampere = {drive.reported.per_ampere for drive in drives}
    if len(ampere) == 1 and (size_of_ampere := ampere.pop()) > 0.0:
        units["A"] = size_of_ampere
    units |= {f"1/{name}": 1.0 / unit for name, unit in list(units.items())}
    name, unit = min(units.items(), key=lambda item: abs(math.log(item[1] / size)))
    if abs(math.log(unit / size)) > math.log(FACTOR):
        cure = "Check the drive's constants: the forces are not those of these masses by a factor that is no unit"
        return [*causes, _build_cause("force_gain", 1.0 / size, "", cure, std=std)]
    where = (
        f"forces are recorded in {name}"
        if "/" not in name
        else f"forces were converted from {name[2:]} twice"
    )
    cure = f"Convert the forces: one recorded unit is {unit:.6g} N"
    return [*causes, _build_cause("force_unit", unit, "N", cure, detail=where)]


def is_common_factor(
    cause: Cause, factor: float, parameters: ParameterSet, values: FloatArray, std: FloatArray
) -> bool:
    """Return whether each value that the data determine is as many times the machine file's as the forces are.

    A wrong sign or unit of the forces multiplies all masses, moments and friction alike. Values of the file that are
    guesses are wrong one by one, and a mean of them is no unit.

    Parameters
    ----------
    cause : Cause
        Of `list_causes_of_factor`.
    factor : float
        Measured forces over those of the file's bodies.
    parameters : ParameterSet
        With the file's values.
    values, std : ndarray, shape (n,)
        Estimates of its first n parameters, and their standard deviations, SI units.
    """
    entries = parameters.entries[: len(values)]
    nominal = parameters.nominal[: len(values)]
    determined = (nominal > 0.0) & (std < RESOLVED * np.abs(values))
    ratio = values / np.where(nominal > 0.0, nominal, 1.0)
    mass, body, friction = (
        determined & np.array([entry.kind in kinds for entry in entries], dtype=bool)
        for kinds in ((Kind.MASS,), (Kind.MASS, Kind.INERTIA), (Kind.VISCOUS, Kind.COULOMB))
    )
    if cause.name == "force_sign":
        return bool(np.any(mass) and np.all(ratio[mass] < 0.0))
    if np.count_nonzero(body) < LEAST_DETERMINED or np.any(ratio[body] * factor <= 0.0):
        return False
    size = abs(math.log(abs(factor)))
    if not all(are_alike(float(one), factor) for one in ratio[body]):
        return False
    # friction is known worse than masses: it speaks against a factor only where it is nearer to the file as it is
    signed = ratio[friction] / factor
    rubbing = np.log(signed[signed > 0.0])
    return not len(rubbing) or bool(abs(np.median(rubbing)) < 0.5 * size)


def are_alike(one: float, factor: float) -> bool:
    """Return whether a factor of some bodies is that of all, as far as a file's values are right beside each other."""
    if one * factor <= 0.0:
        return False
    return abs(math.log(one / factor)) <= max(LEAST_SPREAD, SPREAD * abs(math.log(abs(factor))))


def enlarges(cause: Cause) -> bool:
    """Return whether forces are recorded larger than they are, all by one factor."""
    if cause.family != FORCE_FACTOR:
        return False
    # a gain is what is recorded over what is, a unit the opposite
    return cause.value > 1.0 if cause.name == "force_gain" else cause.name == "force_unit" and cause.value < 1


def _build_cause(name: str, value: float, unit: str, cure: str, std: float = 0.0, detail: str = "") -> Cause:
    # no residual shows it: it explains nothing of one
    return Cause(name, value, std, unit, 0.0, cure, FORCE_FACTOR, detail=detail)


def find_cause_of_order(order: Order) -> Cause | None:
    """Return forces in the columns of other struts, if another order leaves much less."""
    if not order.changed or order.left > BETTER * order.before:
        return None
    count = float(np.count_nonzero(order.column != np.arange(len(order.column))))
    detail = in_words(order.column)
    explains = 1.0 - order.left / order.before
    cure = f"Set the force columns right: {detail}"
    return Cause("exchanged_struts", count, 0.0, "", explains, cure, "exchange", detail=detail)


def in_words(column: NDArray[np.int64]) -> str:
    """Return which columns are in each other's places."""
    wrong = [k for k in range(len(column)) if column[k] != k]
    if len(wrong) == 2:
        return f"{wrong[0] + 1} and {wrong[1] + 1} are exchanged"
    return "; ".join(f"strut {k + 1} is in column {column[k] + 1}" for k in wrong)
