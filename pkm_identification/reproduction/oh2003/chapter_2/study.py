# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Oh 2003, section 2.4: what the strut forces are made of, and what a wrong centre of mass does to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from pkm_identification.mechanisms.center_of_mass_sensitivity import SIGNIFICANT
from pkm_identification.report.contribution_tables import (
    build_contributions_document,
    build_sensitivity_document,
)
from pkm_identification.report.listing import Listing

from ..table_2_2_motions import AMPLITUDE, SOURCE_MOTIONS, SPEEDS
from .data import GROUPS, KINDS, MACHINES, study_machine
from .figures import draw_machine_figure, draw_sensitivity_figure, draw_source_figures
from .runs import Case, MachineRuns, run_machines

__all__ = ["ContributionStudy", "draw_sensitivity_figure", "draw_source_figures", "run_study"]

VARIED = ("uf", "hexel")  # whose bodies the figures put on one geometry
IDENTIFIED = ("pm", "sm", "grp", "grs")  # l. 3312-21
DYNAMIC = tuple(name for name in GROUPS if name not in ("grp", "grs"))
SHORT_NAMES = ("X", "X offset", "Z", "Z offset", "rotation", "offset")  # of the cases at one speed
draw_uf_figure, draw_hexel_figure, draw_ford_figure = (
    partial(draw_machine_figure, machine=name) for name in MACHINES
)


@dataclass(frozen=True)
class ContributionStudy(MachineRuns):
    """The runs of section 2.4, and by `values` what the text is compared with."""

    @property
    def values(self) -> dict[str, Any]:
        """Everything that the study's file names."""
        return {
            **self._list_tables(),
            **self._compare_means(),
            **self._compare_mass_ratios(),
            **self._compare_what_matters(),
            **self._compare_variations(),
            **self._compare_hexel(),
            **self._compare_sensitivities(),
            "special": self.modes["special"],
            "special_side": self.modes["special"].total / 2,
            "special_real": float(self.modes["special"].real),
            "general": float(self.modes["general"].total),
        }

    def _list_tables(self) -> dict[str, Any]:
        machines = {name: study_machine(name) for name in MACHINES}
        lost = {name: sum(one == name for one, _ in self.misfits) for name in MACHINES}
        return {
            "mass_ratios": ", ".join(
                f"{name} {one.platform.mass / sum(strut.body_e.mass for strut in one.struts):.2f}"
                for name, one in machines.items()
            ),
            "change": self.change,
            "misfits": ", ".join(f"{name} {count} of 18" for name, count in lost.items()),
            "mean_table": tabulate_means(self),
            "variation_table": tabulate_variations(self.cases),
            "scaled_table": tabulate_variations(self.scaled),
            "cases": [
                {
                    **_document_case(*key, case),
                    "sensitivity": build_sensitivity_document(self.sensitivities[key].sensitivity),
                }
                for key, case in self.cases.items()
            ],
            "crossed": [
                {"geometry": joints, **_document_case(bodies, motion, case)}
                for (joints, bodies, motion), case in self.crossed.items()
                if joints != bodies
            ],
            "scaled": [_document_case(*key, case) for key, case in self.scaled.items()],
            "scaled_misfits": [" ".join(key) for key in self.misfits],
        }

    def _list_cases(self, machine: str, speed: str) -> list[Case]:
        """Return the six cases of Table 2.2 at one speed."""
        return [self.cases[machine, motion] for motion in SOURCE_MOTIONS if motion.endswith(speed)]

    def _compare_means(self) -> dict[str, Any]:
        """What leads (M1), and what is very small (M4)."""
        uf = self._list_cases("uf", "high")
        every: dict[tuple[str, ...], Case] = {
            **dict(self.cases.items()),
            **{("scaled", *key): case for key, case in self.scaled.items()},
        }
        largest = {name: max(every, key=lambda key: every[key].shares.share(name)) for name in ("cor", "cen")}
        return {
            "slow_gravity": [
                one.gravity > one.acceleration for key, one in self.cases.items() if key[1].endswith("low")
            ],
            "fast_both": [_leads_together(one) for key, one in self.cases.items() if key[1].endswith("high")],
            "uf_parts": ", ".join(
                f"{name} {_span([one.shares.share(name) for one in uf])} %"
                for name in ("sm", "grs", "grp", "pm")
            ),
            "uf_motions": len(uf),
            "sm_leads": sum(max(GROUPS, key=one.shares.share) == "sm" for one in uf),
            "sm_dominant": [max(DYNAMIC, key=one.shares.share) == "sm" for one in uf],
            "sm_dominant_in": sum(max(DYNAMIC, key=one.shares.share) == "sm" for one in uf),
            "fastest": 100 * AMPLITUDE * SPEEDS["high"] ** 2 / 9.81,
            "coriolis_small": [
                max(map(one.shares.share, ("cor", "cen"))) < min(map(one.shares.share, IDENTIFIED))
                for one in every.values()
            ],
            "coriolis_largest": ", ".join(
                f"{name} {every[key].shares.share(name):.2g} % ({' '.join(key)})"
                for name, key in largest.items()
            ),
        }

    def _compare_mass_ratios(self) -> dict[str, Any]:
        """How pm stands to sm, by bodies, machine and motion (M2), and towards the 6-3 geometry (M3)."""
        fixed = {bodies: self.crossed["uf", bodies, "x-high"].shares for bodies in MACHINES}
        common = [one for one in SOURCE_MOTIONS if all((name, one) in self.scaled for name in MACHINES)]
        changes = {
            name: [
                self.crossed["hexel", "uf", one].shares.share(name)
                - self.crossed["uf", "uf", one].shares.share(name)
                for one in SOURCE_MOTIONS
                if one.endswith("high") and not one.startswith("z")
            ]
            for name in ("sm", "pm")
        }
        return {
            "x_by_bodies": ", ".join(
                f"{name} {one.share('pm'):.1f} / {one.share('sm'):.1f}" for name, one in fixed.items()
            ),
            "common": len(common),
            "by_bodies": _grow(
                [self.crossed[joints, bodies, motion] for bodies in VARIED]
                for joints in MACHINES
                for motion in SOURCE_MOTIONS
            ),
            "by_machine": _grow([self.cases[name, one] for name in MACHINES] for one in SOURCE_MOTIONS),
            "by_machine_scaled": _grow([self.scaled[name, one] for name in MACHINES] for one in common),
            "towards_6_3": ", ".join(f"{name} {_span(one, 2)} points" for name, one in changes.items()),
        }

    def _compare_what_matters(self) -> dict[str, Any]:
        """Spread of the groups when one thing changes and the rest is held (M5), and what suits which motion (M6)."""
        groups = np.array(
            [
                [
                    [
                        [
                            [self.crossed[g, b, f"{kind}-{speed}"].shares.share(n) for n in IDENTIFIED]
                            for speed in SPEEDS
                        ]
                        for kind in KINDS
                    ]
                    for b in MACHINES
                ]
                for g in MACHINES
            ]
        )
        geometry, ratio, kind, rate = (float(np.ptp(groups, axis=axis).mean()) for axis in range(4))

        def leads(chosen: Callable[[str], bool]) -> list[bool]:
            return [one.gravity > one.acceleration for key, one in self.cases.items() if chosen(key[1])]

        slow, vertical = leads(lambda name: name.endswith("-low")), leads(lambda name: name.startswith("z-"))
        pairs = [
            (one.acceleration, self.cases[machine, name.replace("x-", "z-", 1)].acceleration)
            for (machine, name), one in self.cases.items()
            if name.startswith("x-")
        ]
        return {
            "of_geometry": geometry,
            "of_ratio": ratio,
            "of_kind": kind,
            "of_rate": rate,
            "against_geometry": [other > geometry for other in (ratio, kind, rate)],
            "slow": slow,
            "slow_count": f"{sum(slow)} of {len(slow)}",
            "vertical": vertical,
            "vertical_count": f"{sum(vertical)} of {len(vertical)}",
            "horizontal": [across > along for across, along in pairs],
            "x_over_z": _span([a / b for a, b in pairs]),
        }

    def _compare_variations(self) -> dict[str, Any]:
        """V1 to V6."""
        slow, fast = (self._list_cases("uf", speed) for speed in ("low", "high"))
        switched, roles = [], []
        for motion in (one for one in SOURCE_MOTIONS if one.endswith("high")):
            light, heavy = (self.crossed["uf", bodies, motion].shares for bodies in VARIED)
            switched.append(
                light.varies("sm") > light.varies("pm") and heavy.varies("pm") > heavy.varies("sm")
            )
            roles.append(
                f"{motion.removesuffix('-high')} {light.varies('pm'):.0f} / {light.varies('sm'):.0f} to "
                f"{heavy.varies('pm'):.0f} / {heavy.varies('sm'):.0f}"
            )
        more, offsets = [], []
        for kind in KINDS:
            about, aside = (self.cases["uf", f"{kind}{suffix}-low"].shares for suffix in ("", "-offset"))
            for name in ("F_a", "grp", "grs"):
                before, after = (
                    one.total_variation if name == "F_a" else one.varies(name) for one in (about, aside)
                )
                more.append(after > before)
                offsets.append(f"{kind} {name} {before:.2f} to {after:.2f}")
        return {
            "slow_largest": _span([_compute_largest(one) for one in slow], 2),
            "fast_largest": _span([_compute_largest(one) for one in fast], 2),
            "slow_below_fast": [
                _compute_largest(a) < _compute_largest(b) for a, b in zip(slow, fast, strict=True)
            ],
            "sm_and_total": "; ".join(
                f"{name} {one.shares.varies('sm'):.0f} and {one.shares.total_variation:.0f} %"
                for name, one in zip(SHORT_NAMES, fast, strict=True)
            ),
            "sm_varies_most": [max(GROUPS, key=one.shares.varies) == "sm" for one in fast],
            "sm_above_total": [one.shares.varies("sm") > one.shares.total_variation for one in fast],
            "largest": max(_compute_largest(one) for one in fast),
            "gravity_largest": max(_compute_gravity(one) for one in (*slow, *fast)),
            "x_slow_grs": slow[0].shares.varies("grs"),
            "x_slow_sm": slow[0].shares.varies("sm"),
            "gravity_below_sm": [_compute_gravity(one) < one.shares.varies("sm") for one in (*slow, *fast)],
            "pm_varies": _span([one.shares.varies("pm") for one in fast], 2),
            "pm_between": [
                _compute_gravity(one) < one.shares.varies("pm") < one.shares.varies("sm") for one in fast
            ],
            "roles": "; ".join(roles),
            "roles_switched": switched,
            "offsets": ", ".join(offsets),
            "offset_raises": more,
        }

    def _compare_hexel(self) -> dict[str, Any]:
        """V7: Hexel's motions offset from its axis."""
        scaled, own = (
            [case for (name, motion), case in cases.items() if name == "hexel" and "offset" in motion]
            for cases in (self.scaled, self.cases)
        )
        lost = sum(name == "hexel" and "offset" in motion for name, motion in self.misfits)
        return {
            "hexel_total": [one.shares.total_variation for one in scaled],
            "hexel_gravity": [one.shares.varies("grp") for one in scaled],
            "hexel_scaled": _describe_hexel(scaled),
            "hexel_own": _describe_hexel(own),
            "hexel_shared": ", ".join(
                f"{share} gives {_describe_hexel(cases)}" for share, cases in self.shared.items()
            ),
            "hexel_lost": f"; {lost} of the motions do not fit and are left out" if lost else "",
        }

    def _compare_sensitivities(self) -> dict[str, Any]:
        cases = list(self.sensitivities.values())
        names = cases[0].sensitivity.directions
        center = np.array([[one.sensitivity.overall[names.index(axis)] for axis in "xyz"] for one in cases])
        # in {P} of the source: Xp = Xf, Yp = -Zf, Zp = Yf; least of its axes must be Yp
        least = center.argmin(axis=1) == 2
        per_strut = {
            key: float(np.nanmax(one.sensitivity.per_strut)) for key, one in self.sensitivities.items()
        }
        largest = max(per_strut, key=per_strut.__getitem__)
        return {
            "center": center.max(axis=0),
            "pose": np.array([one.pose for one in cases]).max(axis=0),
            "z_least": least,
            "z_least_count": f"{least.sum()} of {len(least)}",
            "y_least_count": f"{(center.argmin(axis=1) == 1).sum()} of {len(least)}",
            "largest_of_strut": f"{per_strut[largest]:.2g} ({' '.join(largest)})",
            "significant_count": f"{sum(one > SIGNIFICANT for one in per_strut.values())} of {len(per_strut)}",
            "significant_pointwise": sum(
                float(one.sensitivity.largest_quotient.max()) > SIGNIFICANT for one in cases
            ),
        }


def run_study() -> ContributionStudy:
    """Return three machines in the motions of Table 2.2 and in motions scaled for each."""
    return ContributionStudy(**vars(run_machines()))


def tabulate_means(study: MachineRuns) -> Listing:
    """Return one machine and motion of Table 2.2 a row: mean norms and sensitivities."""
    header = ("machine", "motion", "mean |F_a|, N", *GROUPS, "pm+sm", "grp+grs", "S x", "S y", "S z")
    rows = []
    for (machine, motion), case in study.cases.items():
        sensitivity = study.sensitivities[machine, motion].sensitivity
        rows.append(
            (
                machine,
                motion,
                f"{case.shares.force:.1f}",
                *(f"{case.shares.share(name):.2f}" for name in GROUPS),
                f"{case.acceleration:.1f}",
                f"{case.gravity:.1f}",
                *(f"{sensitivity.overall[sensitivity.directions.index(axis)]:.3f}" for axis in "xyz"),
            )
        )
    return Listing(header, tuple(rows), frozenset(header[2:]))


def tabulate_variations(cases: dict[tuple[str, str], Case]) -> Listing:
    """Return one machine and motion a row: variation norms."""
    header = ("machine and motion", "F_a", *GROUPS)
    rows = tuple(
        (
            " ".join(key),
            f"{case.shares.total_variation:.2f}",
            *(f"{case.shares.varies(group):.2f}" for group in GROUPS),
        )
        for key, case in cases.items()
    )
    return Listing(header, rows, frozenset(header[1:]))


def _document_case(machine: str, motion: str, case: Case) -> dict[str, Any]:
    return {
        "machine": machine,
        "motion": motion,
        "acceleration_percent": case.acceleration,
        "gravity_percent": case.gravity,
        "contributions": build_contributions_document(case.shares),
    }


def _span(values: Sequence[float], digits: int = 3) -> str:
    return f"{min(values):.{digits}g} to {max(values):.{digits}g}"


def _leads_together(case: Case) -> bool:
    """Return whether gravity and acceleration are among the three largest groups."""
    first = set(sorted(GROUPS, key=case.shares.share, reverse=True)[:3])
    return bool(first & {"grp", "grs"}) and bool(first & {"pm", "sm"})


def _grow(rows: Iterable[Sequence[Case]]) -> list[bool]:
    """Return for each row of cases whether pm gains on sm along it."""
    ratios = [[one.shares.share("pm") / one.shares.share("sm") for one in row] for row in rows]
    return [bool(np.all(np.diff(row) > 0)) for row in ratios]


def _compute_largest(case: Case) -> float:
    return max(*map(case.shares.varies, GROUPS), case.shares.total_variation)


def _compute_gravity(case: Case) -> float:
    return max(map(case.shares.varies, ("grp", "grs")))


def _describe_hexel(cases: Sequence[Case]) -> str:
    total, gravity = (
        [one.shares.total_variation for one in cases],
        [one.shares.varies("grp") for one in cases],
    )
    return f"F_a {_span(total, 2)}, grp {_span(gravity, 2)} %"
