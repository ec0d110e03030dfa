# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What the two pages that we have state, and what our reconstruction of the rest gives."""

from __future__ import annotations

from pkm_identification.reproduction.finding import Finding
from pkm_identification.reproduction.number import beyond, statement

from .runs import UnitsStudy

BODIES, PARAMETERS = 13, (1, 3, 6)
_ROUNDING = 1e-10


def findings(study: UnitsStudy) -> tuple[Finding, ...]:
    """Finding by finding."""
    return (_assess_groups(study), _assess_units(study), _assess_ranks(study), _assess_toy(study))


def _assess_groups(study: UnitsStudy) -> Finding:
    wanted = tuple(BODIES * count for count in PARAMETERS)
    shown = ", ".join(f"{one.name} {', '.join(map(str, one.sizes))}" for one in study.machines)
    return Finding(
        "The regressor's r = 10 n columns are grouped into n, 3 n and 6 n of masses, first moments and inertias (S).",
        f"Thirteen bodies: {shown}.",
        "Bodies of the hexapods; the order of moments and products in a group does not matter.",
        (
            statement(
                "columns of the groups: n, 3 n, 6 n",
                "10 n in all",
                [one.sizes == wanted for one in study.machines],
                "S",
                "Eq. 3",
            ),
        ),
    )


def _assess_units(study: UnitsStudy) -> Finding:
    most = max(one.change for one in study.machines)
    return Finding(
        "Singular values of columns with different units change with the units; those of the groups' "
        "decomposition do not (S).",
        "From kg, m, N to g, mm, kN the columns' condition goes from "
        + ", ".join(f"{one.raw:.4g} to {one.raw_small:.3g} ({one.name})" for one in study.machines)
        + f"; D's singular values and the parameters' shares change by at most {most:.1e}.",
        "D = [U_m U_c U_J] follows from the text's Eq. 7; the text ends there, and the rest is a reconstruction.",
        (
            statement(
                "any change of units: D",
                "unchanged",
                [one.change < _ROUNDING for one in study.machines],
                "R",
                "Eq. 7",
            ),
            statement(
                "any change of units: the columns as they are",
                "changed",
                [abs(one.raw_small / one.raw - 1.0) > _ROUNDING for one in study.machines],
                "S",
                "-",
            ),
        ),
    )


def _assess_ranks(study: UnitsStudy) -> Finding:
    numbers = []
    for one in study.machines:
        ranks = ", ".join(str(group.rank) for group in one.found.groups)
        numbers += [
            beyond(f"`{one.name}`: compact ranks", ranks, ""),
            beyond(f"`{one.name}`: rank D", float(one.found.rank), ""),
            beyond(f"`{one.name}`: cond D", one.found.condition, ""),
            beyond(f"`{one.name}`: sum of shares", one.shares, ""),
        ]
    return Finding(
        "(The text's experiment and all its figures are missing from our copy.)",
        "; ".join(
            f"{one.name}: rank {one.found.rank}, condition {one.found.condition:.4g}"
            for one in study.machines
        )
        + ".",
        "Strut-force rows at 40 random states. No figure of ours is the source's.",
        tuple(numbers),
    )


def _assess_toy(study: UnitsStudy) -> Finding:
    high, low = study.toy.singular_values
    return Finding(
        "(The text has no example.)",
        f"C_m = (3, 4, 0, 0), C_J = (0, 5, 0, 12): singular values of D {high:.8f} and {low:.8f}, the "
        f"roots of 1 +- 4/13; "
        f"condition {study.toy.condition:.8f}, of the columns {study.toy_raw:.8f} and in kg mm^2 "
        f"{study.toy_raw_small:.2f}.",
        "By hand: U_m . U_J = 4/13.",
        (
            beyond("toy: singular values of D", f"{high:.8f}, {low:.8f}", ""),
            beyond("toy: condition of D", study.toy.condition, ""),
        ),
    )
