# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The text's counts and statements beside ours, each verdict computed."""

from __future__ import annotations

from pkm_identification.mechanisms.multibody.analysis.routes import Routes
from pkm_identification.reproduction.finding import Finding
from pkm_identification.reproduction.number import Number, beyond, statement, value

from .runs import DIGITS, BaseParameterStudy

PARAMETERS, BASE, VANISH, TRANSFER = 70, 41, 13, 16
# Table 3 by body, table 4 by pair of bodies.
VANISHING = {1: 6, 2: 6, 6: 1}
TRANSFERS = {
    (1, 7): 1,
    (0, 1): 1,
    (0, 2): 1,
    (0, 4): 1,
    (1, 3): 1,
    (2, 3): 1,
    (3, 4): 1,
    (3, 5): 3,
    (6, 7): 6,
}
_WRONG = 0.1  # a coefficient off by that is another one
_EXACT = 0.5


def findings(study: BaseParameterStudy) -> tuple[Finding, ...]:
    """Finding by finding."""
    groups = [
        _assess_rules(study),
        _assess_routes(study),
        _assess_trap(study),
        _assess_spurious(study),
        _assess_same(study),
        _assess_known(study),
    ]
    return tuple(groups)


def _assess_rules(study: BaseParameterStudy) -> Finding:
    symbolic = study.suspension.symbolic
    assert symbolic is not None
    base = symbolic.base
    by_body, by_pair = study.vanishing, study.transferred
    bodies = sorted({*VANISHING, *by_body})
    pairs = sorted({*TRANSFERS, *by_pair})
    return Finding(
        "Of the suspension's 70 parameters 13 vanish (6, 6, 1 on bodies 1, 2, 6) and 16 are transferred "
        "(one each between "
        "1 and 7, 0 and 1, 0 and 2, 0 and 4, 1 and 3, 2 and 3, 4 and 3; three from 5 to 3; six from 7 to "
        "6): 41 are left (S).",
        f"{len(base.vanishing)} vanish ({', '.join(f'{n} on body {b}' for b, n in sorted(by_body.items()))}), "
        f"{len(base.transferred)} transferred "
        f"({', '.join(f'{a}-{b}: {n}' for (a, b), n in sorted(by_pair.items()))}); {base.rank} left.",
        f"The text's joint graph with lengths of ours, as its own are lost; the facts were decided "
        f"{base.how}, and the rules "
        "know no name of a joint. The ground lends masses to bodies 1, 2 and 4, as in the text, since "
        "these give theirs away.",
        (
            value("suspension: parameters", PARAMETERS, len(base.names), "", "S", "196-358", near=_EXACT),
            value("suspension: vanishing", VANISH, len(base.vanishing), "", "S", "196-358", near=_EXACT),
            value(
                "suspension: transferred", TRANSFER, len(base.transferred), "", "S", "196-358", near=_EXACT
            ),
            value("suspension: base, symbolic", BASE, base.rank, "", "S", "196-358", near=_EXACT),
            statement(
                "suspension: vanishing on each body",
                "6, 6, 1",
                [by_body.get(b) == VANISHING.get(b) for b in bodies],
                "S",
                "196-358",
            ),
            statement(
                "suspension: transferred between each pair",
                "as listed",
                [by_pair.get(pair) == TRANSFERS.get(pair) for pair in pairs],
                "S",
                "196-358",
            ),
        ),
    )


def _assess_routes(study: BaseParameterStudy) -> Finding:
    double, exact = study.suspension.double, study.suspension.exact
    assert double is not None
    assert exact is not None
    numbers: list[Number] = [
        statement("suspension: double has no clear ridge", "no gap at 41", [not double.sure], "S", "Fig. 5")
    ]
    digits = "left out of the short form"
    if study.precise is not None and study.precise.precise is not None:
        base = study.precise.precise.base
        numbers.append(
            value("suspension: base, precise", BASE, base.kept, "", "S", "Fig. 5", near=_EXACT),
        )
        digits = (
            f"{base.kept} kept, {base.null} null, {base.undecided} undecided at {DIGITS[0]} and {DIGITS[1]}"
        )
    numbers += [
        beyond("suspension: base, exact", float(exact.rank), ""),
        beyond("suspension: NumPy's rank", float(double.spectrum.rank), ""),
    ]
    return Finding(
        "In double precision the singular values fall without a gap; in many digits there is a ridge at 41 (S).",
        f"In double precision {double.rank} by QR of unit columns and {double.spectrum.rank} by NumPy's tolerance, "
        f"{'clear' if double.sure else 'in doubt and said so'}; in digits: {digits}; without rounding {exact.rank}.",
        "Where double precision ends depends on lengths and motion, which are ours; that it cannot tell does not.",
        tuple(numbers),
    )


def _assess_trap(study: BaseParameterStudy) -> Finding:
    numbers = []
    parts = []
    for name, routes in (("low mobility", study.low), ("nearer to a parallelogram", study.nearer)):
        assert routes.double is not None
        assert routes.precise is not None
        assert routes.exact is not None
        numbers += [
            statement(
                f"four-bar, {name}: double is in doubt", "it fails", [not routes.double.sure], "S", "-"
            ),
            beyond(f"four-bar, {name}: NumPy's rank", float(routes.double.spectrum.rank), ""),
            beyond(f"four-bar, {name}: base, precise", float(routes.precise.rank), ""),
            beyond(f"four-bar, {name}: base, exact", float(routes.exact.rank), ""),
        ]
        parts.append(
            f"{name}: NumPy {routes.double.spectrum.rank}, precise {routes.precise.rank}, exact {routes.exact.rank}"
        )
    return Finding(
        "For mechanisms of low mobility the rank in double precision is wrong (S).",
        f"Four-bars of .30, .8001 (.80001), .3001 (.30001), .80 m that move by .02 rad: {'; '.join(parts)}.",
        "The four-bars are ours: the smallest mechanism in which it happens. Their 8 is known by hand.",
        tuple(numbers),
    )


def _assess_spurious(study: BaseParameterStudy) -> Finding:
    low, nearer = _assess_forced(study.low), _assess_forced(study.nearer)
    return Finding(
        "With the right rank forced, coefficients in double precision are still wrong: one out of range, "
        "and almost all of "
        "those that should be zero are not (S).",
        f"Largest error {low[0]:.2g} and {nearer[0]:.2g}; {low[1]} of {low[2]} and {nearer[1]} of "
        f"{nearer[2]} that should be "
        "zero are not.",
        f"A coefficient counts as out of range when it is off by more than {_WRONG:g}.",
        (
            statement(
                "forced rank: zeros that are not",
                "almost all",
                [2 * spurious > zeros for _, spurious, zeros in (low, nearer)],
                "S",
                "121",
            ),
            statement(
                "forced rank: a coefficient out of range", "one", [nearer[0] > _WRONG], "S", "Tables 1, 2"
            ),
            beyond("forced rank: largest error, low mobility", low[0], ""),
            beyond("forced rank: largest error, nearer to a parallelogram", nearer[0], ""),
        ),
    )


def _assess_forced(routes: Routes) -> tuple[float, int, int]:
    forced = routes.forced
    assert forced is not None
    return forced.error, forced.spurious, forced.zeros


def _assess_same(study: BaseParameterStudy) -> Finding:
    held = study.same_as_rules
    return Finding(
        "The symbolic expressions evaluated are those of many digits to all digits (S).",
        f"Of the four-bar's {len(held)} coefficients {sum(held)} are the same to 1e-30 at 60 digits.",
        "The text's own tables 2 and 5 are lost.",
        (
            statement(
                "four-bar: rules and many digits have one result", "to all digits", held, "S", "Tables 2, 5"
            ),
        ),
    )


def _assess_known(study: BaseParameterStudy) -> Finding:
    precise = study.four_bar.precise
    assert precise is not None
    base = precise.base
    return Finding(
        "(The text has no four-bar.)",
        f"Known-answer four-bar: {base.kept} kept, {base.null} null; eliminating the coupler's m and J its "
        f"coefficients are "
        "3/10, 9/100, -30/49, -9/49, -10/7, 50/49, 25/49.",
        "By hand: the coupler's mass goes to the crank's tip, its J to point masses at both ends.",
        (beyond("four-bar: base", float(base.kept), ""),),
    )
