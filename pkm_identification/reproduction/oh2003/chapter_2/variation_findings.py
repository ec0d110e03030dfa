# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The source's findings on the variation norms (V1 to V7; Figs. 2.14 and 2.15)."""

from __future__ import annotations

from collections.abc import Sequence

from pkm_identification.reproduction.finding import Finding
from pkm_identification.reproduction.number import at_most, interval, statement

from ..table_2_2_motions import SOURCE_MOTIONS
from .data import AXES, GROUPS
from .runs import Case, Study


def span(values: Sequence[float], digits: int = 3) -> str:
    """Least to largest."""
    return f"{min(values):.{digits}g} to {max(values):.{digits}g}"


def cases_of(study: Study, machine: str, speed: str) -> list[Case]:
    """Return the six cases of Table 2.2 at one speed."""
    return [study.cases[machine, motion] for motion in SOURCE_MOTIONS if motion.endswith(speed)]


HEXEL_OFFSET = (20.0, 58.0)  # %


def variation_findings(study: Study) -> tuple[Finding, ...]:
    """V1 to V7."""
    return (
        _assess_slow_ones_vary_little(study),
        _assess_struts_vary_most(study),
        _assess_gravity_varies_little(study),
        _assess_platform_is_modest(study),
        _assess_roles_switch(study),
        _assess_offset(study),
        _assess_hexel(study),
    )


def _assess_largest(case: Case) -> float:
    return max(*(case.shares.varies(name) for name in GROUPS), case.shares.total_variation)


def _assess_gravity(case: Case) -> float:
    return max(case.shares.varies("grp"), case.shares.varies("grs"))


def _assess_slow_ones_vary_little(study: Study) -> Finding:
    slow, fast = (cases_of(study, "uf", speed) for speed in ("low", "high"))
    lower = [_assess_largest(a) < _assess_largest(b) for a, b in zip(slow, fast, strict=True)]
    return Finding(
        "V1: at low speed all variations are relatively low (Fig. 2.14).",
        f"UF, largest variation norm of F_a or a group: {span([_assess_largest(c) for c in slow], 2)} % at pi rad/s, "
        f"{span([_assess_largest(c) for c in fast], 2)} % at 4 pi rad/s.",
        "Low is compared with the same motion at high speed; the source gives no number.",
        (statement("V1: variations at low below those at high speed", "low", lower, "S", "3283-89"),),
    )


def _assess_struts_vary_most(study: Study) -> Finding:
    cases = cases_of(study, "uf", "high")
    first = [max(GROUPS, key=case.shares.varies) == "sm" for case in cases]
    total = [case.shares.varies("sm") > case.shares.total_variation for case in cases]
    highest = max(_assess_largest(case) for case in cases)
    return Finding(
        "V2: at high speed sm dominates the variations too (Fig. 2.15).",
        "UF, sm against F_a itself: "
        + "; ".join(
            f"{name} {case.shares.varies('sm'):.0f} and {case.shares.total_variation:.0f} %"
            for name, case in zip(
                ("X", "X offset", "Z", "Z offset", "rotation", "offset"), cases, strict=True
            )
        )
        + ".",
        "Among the groups sm is first; in Z the whole force varies more than any group, as sm, pm and gravity add with "
        "their signs. The surviving tick of the figure is 120.",
        (
            statement("V2: sm varies most of the groups", "sm dominates", first, "S", "3289-93"),
            statement("V2: sm varies more than F_a itself", "sm dominates", total, "S", "3289-93"),
            at_most("V2: largest bar against the axis of Fig. 2.15", AXES["2.15"], highest, "%", "S", "4917"),
        ),
    )


def _assess_gravity_varies_little(study: Study) -> Finding:
    slow, fast = (cases_of(study, "uf", speed) for speed in ("low", "high"))
    below = [_assess_gravity(case) < case.shares.varies("sm") for case in (*slow, *fast)]
    x = slow[0].shares
    return Finding(
        "V3: gravity varies little.",
        f"UF: grp and grs up to {max(_assess_gravity(c) for c in (*slow, *fast)):.2g} %; X at pi rad/s grs "
        f"{x.varies('grs'):.2g}, sm {x.varies('sm'):.2g} %.",
        "Little is compared with sm in the same motion. In slow Z motions nothing accelerates, and the weight's "
        "distribution over the struts is what changes.",
        (statement("V3: gravity varies less than sm", "little", below, "S", "3293-94"),),
    )


def _assess_platform_is_modest(study: Study) -> Finding:
    cases = cases_of(study, "uf", "high")
    between = [_assess_gravity(c) < c.shares.varies("pm") < c.shares.varies("sm") for c in cases]
    return Finding(
        "V4: at high speed one group, its name garbled and read as pm (R), varies modestly.",
        f"UF: pm {span([c.shares.varies('pm') for c in cases], 2)} %.",
        "Modest is read as between gravity and sm.",
        (statement("V4: pm between gravity and sm", "modest", between, "R", "3294-96"),),
    )


def _assess_roles_switch(study: Study) -> Finding:
    switched, texts = [], []
    for motion in (m for m in SOURCE_MOTIONS if m.endswith("high")):
        light, heavy = (study.crossed["uf", bodies, motion].shares for bodies in ("uf", "hexel"))
        switched.append(light.varies("sm") > light.varies("pm") and heavy.varies("pm") > heavy.varies("sm"))
        texts.append(
            f"{motion.removesuffix('-high')} {light.varies('pm'):.0f} / {light.varies('sm'):.0f} to "
            f"{heavy.varies('pm'):.0f} / {heavy.varies('sm'):.0f}"
        )
    return Finding(
        "V5: with growing platform mass sm and pm switch roles.",
        f"pm / sm variation in % on the joints of UF, from its bodies to Hexel's: {'; '.join(texts)}.",
        "Bodies alone are changed (m_p / (6 m_e) from 0.45 to 3.34), at 4 pi rad/s.",
        (statement("V5: sm above pm, then pm above sm", "they switch", switched, "S", "3296-99"),),
    )


def _assess_offset(study: Study) -> Finding:
    names = ("F_a", "grp", "grs")
    more, texts = [], []
    for kind in ("x", "z", "rotation"):
        about, aside = (study.cases["uf", f"{kind}{suffix}-low"].shares for suffix in ("", "-offset"))
        for name in names:
            before, after = (s.total_variation if name == "F_a" else s.varies(name) for s in (about, aside))
            more.append(after > before)
            texts.append(f"{kind} {name} {before:.2f} to {after:.2f}")
    return Finding(
        "V6: an offset raises the variations of gravity and of F_a, very modestly (Fig. 2.14).",
        f"UF at pi rad/s, in %: {', '.join(texts)}.",
        "In X and rotation; along Z the distance from the machine's axis hardly matters at 12.7 mm.",
        (statement("V6: variations with offset above those without", "raised", more, "S", "3301-02"),),
    )


def _assess_hexel_range(cases: Sequence[Case]) -> str:
    total, gravity = ([c.shares.total_variation for c in cases], [c.shares.varies("grp") for c in cases])
    return f"F_a {span(total, 2)}, grp {span(gravity, 2)} %"


def _assess_hexel(study: Study) -> Finding:
    aside = [
        case.shares for (name, motion), case in study.scaled.items() if name == "hexel" and "offset" in motion
    ]
    table = [
        case.shares for (name, motion), case in study.cases.items() if name == "hexel" and "offset" in motion
    ]
    lost = [motion for name, motion in study.misfits if name == "hexel" and "offset" in motion]
    gravity = [one.varies("grp") for one in aside]
    total = [one.total_variation for one in aside]
    return Finding(
        "V7: Hexel, contrary to the others: variation norms of F_a and of gravity (R) from 20 to 58 in all motions "
        "offset from its centre axis, blamed on its small platform.",
        f"Motions scaled for Hexel: F_a {span(total, 2)}, grp {span(gravity, 2)} %. In Table 2.2's own F_a "
        f"{span([one.total_variation for one in table], 2)}, grp {span([one.varies('grp') for one in table], 2)} %.",
        "Only with motions of the scaled size (l.2971-79). How amplitude and offset share the .3 m of the text is our "
        "reading (2 : 1, as in Table 2.2; "
        + ", ".join(f"{share} gives {_assess_hexel_range(cases)}" for share, cases in study.shared.items())
        + "), and .3 m hardly fits a machine scaled to a .61 m platform"
        + (f"; {len(lost)} of the motions do not fit and are left out." if lost else "."),
        (
            interval("V7: Hexel, offset, variation of F_a", HEXEL_OFFSET, total, "%", "S", "3304-10"),
            interval("V7: Hexel, offset, variation of gravity", HEXEL_OFFSET, gravity, "%", "R", "3304-10"),
        ),
    )
