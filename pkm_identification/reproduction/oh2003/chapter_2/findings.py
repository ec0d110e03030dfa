"""The source's findings of section 2.4 beside ours, each verdict computed from the study."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pkm_identification.mechanisms.hexapod.analysis.center_of_mass_sensitivity import SIGNIFICANT
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.reproduction.finding import Finding, agreement

from ..table_2_2_motions import AMPLITUDE, SPEEDS
from .data import GROUPS, MACHINES
from .runs import Case, Study

VERY_SMALL = 5.0  # %, what we take the source's "very small" to mean


def findings(study: Study) -> tuple[Finding, ...]:
    """The source's findings beside ours, each verdict computed from the study."""
    return (
        _struts_and_gravity_lead(study),
        _platform_takes_over(study),
        _coriolis_is_small(study),
        _slow_is_gravity(study),
        _vertical_is_gravity(study),
        _horizontal_shows_inertia(study),
        _x_and_z_matter(study),
        _significant_sensitivities(study),
    )


def _of(study: Study, machine: str) -> list[Case]:
    return [case for (name, _), case in study.items() if name == machine]


def _span(values: list[float], digits: int = 3) -> str:
    return f"{min(values):.{digits}g} to {max(values):.{digits}g}"


def _count(flags: list[bool]) -> str:
    return f"in {sum(flags)} of {len(flags)} motions"


def _struts_and_gravity_lead(study: Study) -> Finding:
    cases = _of(study, "uf")
    leads = []
    for case in cases:
        order = sorted(GROUPS, key=case.shares.share, reverse=True)
        leads.append(set(order[:3]) == {"sm", "grp", "grs"})
    at = {
        speed: _span(
            [c.shares.share("sm") for (m, name), c in study.items() if m == "uf" and name.endswith(speed)]
        )
        for speed in ("low", "high")
    }
    parts = {n: _span([case.shares.share(n) for case in cases]) for n in ("sm", "grp", "grs", "pm")}
    return Finding(
        "Strut acceleration (sm) and gravity dominate for the UF machine.",
        f"sm, grp and grs are the three largest groups {_count(leads)}: grs {parts['grs']} %, grp {parts['grp']} %, "
        f"sm {parts['sm']} % (pm {parts['pm']} %).",
        agreement(all(leads)),
        f"Compared by rank of the mean shares. sm is {at['low']} % at pi rad/s and {at['high']} % at 4 pi rad/s: how "
        "much it matters beside gravity is a question of speed.",
    )


def _platform_takes_over(study: Study) -> Finding:
    ratio = {
        name: [c.shares.share("pm") / c.shares.share("sm") for c in _of(study, name)] for name in MACHINES
    }
    grows = [bool(np.all(np.diff(row) > 0)) for row in zip(*ratio.values(), strict=True)]
    over = [value > 1 for value in ratio[MACHINES[-1]]]
    texts = ", ".join(f"{name} {_span(values)}" for name, values in ratio.items())
    return Finding(
        "As m_p / (6 m_e) grows from UF to Hexel to Ford, the platform's term takes over.",
        f"pm / sm: {texts}; it grows from machine to machine {_count(grows)}, and pm exceeds sm on the Ford machine "
        f"{_count(over)}.",
        agreement(all(grows) and all(over)),
        "Compared motion by motion. Sizes are scaled to the UF platform while inertias are the full machines'.",
    )


def _coriolis_is_small(study: Study) -> Finding:
    largest, value = {}, {}
    for name in ("cor", "cen"):
        share = {key: case.shares.share(name) for key, case in study.items()}
        largest[name] = max(share, key=share.__getitem__)
        value[name] = share[largest[name]]
    texts = ", ".join(f"{name} {value[name]:.2g} % ({' '.join(key)})" for name, key in largest.items())
    return Finding(
        "Coriolis and centripetal terms are very small.",
        f"Largest mean shares on any machine: {texts}.",
        agreement(max(value.values()) < VERY_SMALL),
        f"Very small is taken as less than {VERY_SMALL:g} % of mean |F_a|.",
    )


def _gravity_leads(study: Study, source: str, chosen: Callable[[str], bool], others: str) -> Finding:
    cases = {key: case for key, case in study.items() if chosen(key[1])}
    leads = [case.gravity > case.acceleration for case in cases.values()]
    ratio = {key: case.gravity / case.acceleration for key, case in cases.items()}
    least = min(ratio, key=ratio.__getitem__)
    rest = [case.gravity > case.acceleration for key, case in study.items() if not chosen(key[1])]
    return Finding(
        source,
        f"grp + grs exceeds pm + sm {_count(leads)}, least by a factor of {ratio[least]:.2g} ({' '.join(least)}).",
        agreement(all(leads)),
        f"Compared by the joint mean shares. Of the {others} it does so {_count(rest)} as well, as the fastest "
        f"translation reaches {100 * AMPLITUDE * SPEEDS['high'] ** 2 / 9.81:.0f} % of g.",
    )


def _slow_is_gravity(study: Study) -> Finding:
    return _gravity_leads(
        study, "Slow motions are gravity dominated.", lambda name: name.endswith("-low"), "faster ones"
    )


def _vertical_is_gravity(study: Study) -> Finding:
    return _gravity_leads(
        study, "Vertical motions are gravity dominated.", lambda name: name.startswith("z-"), "others"
    )


def _horizontal_shows_inertia(study: Study) -> Finding:
    pairs = [
        (case.acceleration, study[machine, name.replace("x-", "z-", 1)].acceleration)
        for (machine, name), case in study.items()
        if name.startswith("x-")
    ]
    more = [across > along for across, along in pairs]
    return Finding(
        "Horizontal motions suit the identification of pm and sm.",
        f"pm + sm has a larger mean share in X than in the same motion along Z {_count(more)}, "
        f"{_span([across / along for across, along in pairs])} times as large.",
        agreement(all(more)),
        "Compared machine by machine at equal speed and offset.",
    )


def _x_and_z_matter(study: Study) -> Finding:
    names = next(iter(study.values())).sensitivity.directions
    axes = [names.index(axis) for axis in "xyz"]
    center = np.array([case.sensitivity.overall[axes] for case in study.values()])
    pose = np.array([case.pose_sensitivity for case in study.values()])
    x, y, z = center.max(axis=0)
    agrees = bool(min(x, z) > y)
    why = "Compared by the largest over-all S of any machine and motion."
    if not agrees:
        why += (
            " At the home taken here the platform is level, and an error along the weight's direction has no moment:"
            " gravity, which leads, does not feel it, and x and y differ little. The source's z may be another axis"
            " (in its chapters 4-5 the platform's normal is y); the recovered text does not say."
        )
    return Finding(
        "Errors of the centre of mass along X and Z matter most.",
        f"Largest over-all S: {_axes(center)}; z is the least {_count((center.argmin(axis=1) == 2).tolist())}. With "
        f"the whole platform displaced instead: {_axes(pose)}; z is the least "
        f"{_count((pose.argmin(axis=1) == 2).tolist())}.",
        agreement(agrees),
        why,
    )


def _axes(sensitivities: FloatArray) -> str:
    return ", ".join(
        f"{axis} {value:.2g}" for axis, value in zip("xyz", sensitivities.max(axis=0), strict=True)
    )


def _significant_sensitivities(study: Study) -> Finding:
    per_strut = {key: float(np.nanmax(case.sensitivity.per_strut)) for key, case in study.items()}
    largest = max(per_strut, key=per_strut.__getitem__)
    above = [value > SIGNIFICANT for value in per_strut.values()]
    pointwise = [float(case.sensitivity.largest_quotient.max()) > SIGNIFICANT for case in study.values()]
    agrees = any(above)
    why = "Compared by the largest S of a single strut, averaged over the motion."
    if not agrees:
        why += (
            f" Taken sample by sample, dF / F exceeds 1 {_count(pointwise)}, those in which some strut's force comes"
            " near zero: values like the source's 5.5 arise there, and depend on the instant."
        )
    return Finding(
        "Some sensitivities are significant, above 1 (5.5 means 5.5 % of force for 1 % of the travel).",
        f"Largest S of a strut: {per_strut[largest]:.2g} ({' '.join(largest)}); above 1 {_count(above)}.",
        agreement(agrees),
        why,
    )
