# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Homogeneous units of the regressor, in m, kg, N and in mm, g, kN (Ebrahimi and Kövecses 2009)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.estimation.identifiability.contributions import parameter_contributions
from pkm_identification.estimation.identifiability.homogenized import (
    Homogenized,
    homogenize_regressor,
    raw_condition,
)
from pkm_identification.mechanisms.multibody.analysis.subject import Subject
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind
from pkm_identification.report.figures.style import STRUT_COLORS, apply_style

MACHINES = ("uf", "ford", "hexel")
# What a kind's number is in the other units: g, g mm, g mm^2; forces in kN.
_SMALL = {Kind.MASS: 1e3, Kind.FIRST_MOMENT: 1e6, Kind.INERTIA: 1e9}
_FORCE = 1e-3
BODIES = 13
ROUNDING = 1e-10


@dataclass(frozen=True)
class MachineUnits:
    """One machine.

    Attributes
    ----------
    name : str
    found : Homogenized
    raw, raw_small : float
        Condition of the columns as they are, in kg, m, N and in g, mm, kN.
    change : float
        Largest relative change of D's singular values and of the shares between the units.
    shares : float
        Sum of all shares.
    sizes : tuple of int
        Columns of the groups.
    """

    name: str
    found: Homogenized
    raw: float
    raw_small: float
    change: float
    shares: float
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class UnitsStudy:
    """What was computed.

    Attributes
    ----------
    machines : tuple of MachineUnits
    toy : Homogenized
        Of one column of masses, (3, 4, 0, 0), and one of inertias, (0, 5, 0, 12).
    toy_raw, toy_raw_small : float
        Condition of the two columns as they are, and with J in kg mm^2.
    """

    machines: tuple[MachineUnits, ...]
    toy: Homogenized
    toy_raw: float
    toy_raw_small: float

    @property
    def values(self) -> dict[str, Any]:
        """What is compared, by its name in the study's file."""
        machines, (high, low) = self.machines, self.toy.singular_values
        wanted = (BODIES, 3 * BODIES, 6 * BODIES)
        found: dict[str, Any] = {
            "sizes": [one.sizes == wanted for one in machines],
            "sizes_listed": ", ".join(f"{one.name} {', '.join(map(str, one.sizes))}" for one in machines),
            "unchanged": [one.change < ROUNDING for one in machines],
            "changed": [abs(one.raw_small / one.raw - 1.0) > ROUNDING for one in machines],
            "change": max(one.change for one in machines),
            "conditions_listed": ", ".join(
                f"{one.raw:.4g} to {one.raw_small:.3g} ({one.name})" for one in machines
            ),
            "ranks_listed": "; ".join(
                f"{one.name}: rank {one.found.rank}, condition {one.found.condition:.4g}" for one in machines
            ),
            "toy_high": high,
            "toy_low": low,
            "toy_values": [float(high), float(low)],
            "toy_condition": self.toy.condition,
            "toy_raw": self.toy_raw,
            "toy_small": self.toy_raw_small,
        }
        for one in machines:
            found[f"`{one.name}`: compact ranks"] = [float(group.rank) for group in one.found.groups]
            found[f"`{one.name}`: rank D"] = float(one.found.rank)
            found[f"`{one.name}`: cond D"] = one.found.condition
            found[f"`{one.name}`: sum of shares"] = one.shares
        return found


def run_study() -> UnitsStudy:
    """Return the study."""
    columns = np.array([[3.0, 0.0], [4.0, 5.0], [0.0, 0.0], [0.0, 12.0]])
    toy = homogenize_regressor(columns, (Kind.MASS, Kind.INERTIA))
    machines = tuple(_compute_machine(name) for name in MACHINES)
    small = columns * [1.0, 1e-6]
    return UnitsStudy(machines, toy, raw_condition(columns, 2), raw_condition(small, 2))


def _compute_machine(name: str) -> MachineUnits:
    subject = Subject.load(name)
    rows = subject.columns().reshape(-1, len(subject.names))
    scale = np.array([_SMALL[kind] for kind in subject.kinds])
    small, nominal = _FORCE * rows / scale, subject.nominal * scale
    one, other = (homogenize_regressor(part, subject.kinds) for part in (rows, small))
    shares, again = (
        parameter_contributions(part, values, subject.kinds)
        for part, values in ((rows, subject.nominal), (small, nominal))
    )
    # what is rounding stays rounding and is not compared
    values = one.singular_values[: one.rank]
    change = max(
        _compute_most(other.singular_values[: one.rank] / values - 1.0) if other.rank == one.rank else np.inf,
        _compute_most(again.size - shares.size),
        _compute_most(again.share - shares.share),
    )
    return MachineUnits(
        name,
        one,
        raw_condition(rows, one.rank),
        raw_condition(small, one.rank),
        float(change),
        float(np.sum(shares.share)),
        tuple(len(group.columns) for group in one.groups),
    )


def _compute_most(values: FloatArray) -> float:
    return float(np.abs(values).max())


@apply_style
def draw_values_figure(study: UnitsStudy) -> Figure:
    """D's singular values of the rank, machine by machine."""
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    for one, color in zip(study.machines, STRUT_COLORS, strict=False):
        values = one.found.singular_values[: one.found.rank]
        axes.semilogy(range(1, len(values) + 1), values, color=color, label=f"{one.name}: {len(values)}")
    axes.set_xlabel("number")
    axes.set_ylabel("singular value of D")
    axes.legend()
    return figure
