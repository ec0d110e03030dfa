# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The study of section 2.4: the source's model, and verdicts that follow the numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.reproduction.computed import MODULES, compute_study
from core.reproduction.oh2003.kane_equations import GROUPS, compute_groups, compute_shares

from pkm_identification.reproduction.number import AGREES, IN_KIND, IN_PART, NOT_REPRODUCED
from pkm_identification.reproduction.oh2003.chapter_2.data import (
    MACHINES,
    REACH,
    crossed,
    scaled_motions,
    study_machine,
)
from pkm_identification.reproduction.oh2003.chapter_2.runs import study_case
from pkm_identification.reproduction.oh2003.table_2_2_motions import SOURCE_MOTIONS
from pkm_identification.reproduction.study_file import assess_study

NAME = "oh2003-contributions"
pytestmark = pytest.mark.slow  # the study


@pytest.fixture(scope="module")
def study():
    return compute_study(NAME)


def with_norms(case, mean=(), variation=(), total=None):
    """The case with other norms; `mean` and `variation` are pairs of a group and its %."""
    shares = case.shares
    means, variations = shares.mean.copy(), shares.variation.copy()
    for name, value in mean:
        means[shares.names.index(name)] = value
    for name, value in variation:
        variations[shares.names.index(name)] = value
    whole = shares.total_variation if total is None else total
    return replace(case, shares=replace(shares, mean=means, variation=variations, total_variation=whole))


def everywhere(study, change, chosen=lambda *key: True, where=("cases", "crossed", "scaled")):
    """The study with every chosen case changed."""
    made = {
        name: {key: change(case) if chosen(*key) else case for key, case in getattr(study, name).items()}
        for name in where
    }
    return replace(study, **made)


def with_sensitivity(study, overall):
    """All machines and motions with the same over-all sensitivities along x, y, z."""
    changed = {
        key: replace(one, sensitivity=replace(one.sensitivity, overall=np.array([*overall, *[0.01] * 4])))
        for key, one in study.sensitivities.items()
    }
    return replace(study, sensitivities=changed)


def growing(study, order):
    """pm / sm by the bodies' machine: `order` its factor for each."""

    def changed(key, case):
        return with_norms(case, mean=(("sm", 1.0), ("pm", order[key[-2]])))

    return replace(
        study,
        **{
            name: {key: changed(key, case) for key, case in getattr(study, name).items()}
            for name in ("cases", "crossed", "scaled")
        },
    )


def hexel_aside(machine, motion):
    return machine == "hexel" and "offset" in motion


def slow(*key):
    return key[-1].endswith("low")


def fast(*key):
    return key[-1].endswith("high")


def means(**values):
    return lambda case: with_norms(case, mean=tuple(values.items()))


def variations(total=None, **values):
    return lambda case: with_norms(case, variation=tuple(values.items()), total=total)


RISING = {"uf": 0.1, "hexel": 1.0, "ford": 10.0}
FALLING = {"uf": 10.0, "hexel": 1.0, "ford": 0.1}
# name of a statement: what makes it false, what makes it true, whatever the machines do
BOTH_WAYS = {
    "M1: gravity leads at low speed": (
        lambda s: everywhere(s, lambda c: replace(c, acceleration=300.0), slow, ("cases",)),
        lambda s: everywhere(s, lambda c: replace(c, gravity=1e4), slow, ("cases",)),
    ),
    "M1: gravity with sm or pm leads at high speed": (
        lambda s: everywhere(s, means(pm=1e-3, sm=1e-3, grp=50.0, grs=50.0, cor=1.0, cen=1.0), fast),
        lambda s: everywhere(s, means(grp=50.0, sm=60.0), fast),
    ),
    "M1: sm is a dominant dynamic term of Fig. 2.11": (
        lambda s: everywhere(s, means(pm=500.0)),
        lambda s: everywhere(s, means(sm=500.0)),
    ),
    "M2: pm / sm grows with the mass ratio": (
        lambda s: growing(s, FALLING), lambda s: growing(s, RISING)
    ),
    "M2: pm / sm from machine to machine": (lambda s: growing(s, FALLING), lambda s: growing(s, RISING)),
    "M2: the same, motions scaled per machine": (
        lambda s: growing(s, FALLING), lambda s: growing(s, RISING)
    ),
    "M4: cor and cen very small": (
        lambda s: everywhere(s, means(cor=6.0, cen=0.1, pm=20.0, sm=20.0, grp=20.0, grs=5.0)),
        lambda s: everywhere(s, means(cor=0.1, cen=4.9, pm=20.0, sm=20.0, grp=20.0, grs=5.0)),
    ),
    "M5: mass ratio, kind and rate against geometry": (
        lambda s: everywhere(
            everywhere(s, means(pm=1.0, sm=1.0, grp=1.0, grs=1.0)), means(sm=90.0), lambda *key: key[0] == "ford"
        ),
        lambda s: replace(
            s,
            crossed={
                key: means(pm=RISING[key[1]], sm=len(key[2]), grp=1.0, grs=1.0 + key[2].endswith("low"))(case)
                for key, case in s.crossed.items()
            },
        ),
    ),
    "M6: slow motions": (
        lambda s: everywhere(s, lambda c: replace(c, acceleration=300.0), slow),
        lambda s: everywhere(s, lambda c: replace(c, gravity=1e4)),
    ),
    "M6: vertical motions": (
        lambda s: everywhere(s, lambda c: replace(c, acceleration=300.0), lambda *key: key[-1][0] == "z"),
        lambda s: everywhere(s, lambda c: replace(c, gravity=1e4)),
    ),
    "M6: horizontal motions": (
        lambda s: everywhere(s, lambda c: replace(c, acceleration=0.01), lambda *key: key[-1][0] == "x"),
        lambda s: everywhere(s, lambda c: replace(c, acceleration=300.0), lambda *key: key[-1][0] == "x"),
    ),
    "V1: variations at low below those at high speed": (
        lambda s: everywhere(s, variations(grs=900.0), slow),
        lambda s: everywhere(s, variations(grs=900.0), fast),
    ),
    "V2: sm varies most of the groups": (
        lambda s: everywhere(s, variations(pm=900.0), fast),
        lambda s: everywhere(s, variations(sm=900.0), fast),
    ),
    "V2: sm varies more than F_a itself": (
        lambda s: everywhere(s, variations(total=900.0), fast),
        lambda s: everywhere(s, variations(total=0.1), fast),
    ),
    "V3: gravity varies less than sm": (
        lambda s: everywhere(s, variations(grs=900.0)),
        lambda s: everywhere(s, variations(sm=900.0)),
    ),
    "V4: pm between gravity and sm": (
        lambda s: everywhere(s, variations(pm=0.0)),
        lambda s: everywhere(s, variations(pm=500.0, sm=900.0)),
    ),
    "V5: sm above pm, then pm above sm": (
        lambda s: everywhere(s, variations(pm=1.0, sm=2.0)),
        lambda s: replace(
            s,
            crossed={
                key: variations(pm=RISING[key[1]], sm=0.5)(case) for key, case in s.crossed.items()
            },
        ),
    ),
    "V6: variations with offset above those without": (
        lambda s: everywhere(s, variations(total=1.0, grp=1.0, grs=1.0)),
        lambda s: everywhere(
            s, variations(total=900.0, grp=900.0, grs=900.0), lambda *key: "offset" in key[-1]
        ),
    ),
    "Centre of mass: Yp matters least of {P}": (
        lambda s: with_sensitivity(s, (2.0, 1.0, 3.0)),
        lambda s: with_sensitivity(s, (2.0, 3.0, 1.0)),
    ),
}  # fmt: skip


def verdicts(study):
    return {one["name"]: one["verdict"] for one in assess_study(MODULES[NAME], study).document["numbers"]}


@pytest.mark.parametrize("name", BOTH_WAYS)
def test_verdicts_follow_the_numbers(study, name):
    wrong, right = BOTH_WAYS[name]
    assert verdicts(wrong(study))[name] == NOT_REPRODUCED
    assert verdicts(right(study))[name] == AGREES


def test_hexels_range_hangs_on_no_share_of_amplitude_and_offset(study):
    """The text gives their sum alone: V7 is the same, or the same in kind, with each of three shares."""
    for label, cases in study.shared.items():
        assert len(cases) == 9, label
        taken = dict(zip([key for key in study.scaled if hexel_aside(*key)], cases, strict=True))
        found = verdicts(replace(study, scaled={**study.scaled, **taken}))
        for force in ("F_a", "gravity"):
            assert found[f"V7: Hexel, offset, variation of {force}"] in (AGREES, IN_KIND), label


@pytest.mark.parametrize(("of_b", "of_e"), [(0.0, 0.3), (0.3, 0.05)])
def test_what_leads_at_high_speed_hangs_on_no_place_of_the_struts_centres_of_mass(study, of_b, of_e):
    """Their places are not in the text; M1 and V2 are the same wherever they are."""
    machine = study_machine("uf")
    body_b, body_e = machine.struts[0].body_b, machine.struts[0].body_e
    moved = replace(machine.struts[0], body_b=replace(body_b, center_of_mass=of_b),
                    body_e=replace(body_e, center_of_mass=of_e))  # fmt: skip
    cases = dict(study.cases)
    for name in (one for one in SOURCE_MOTIONS if one.endswith("high")):
        cases["uf", name] = study_case(replace(machine, struts=(moved,) * 6), SOURCE_MOTIONS[name])
    before, after = verdicts(study), verdicts(replace(study, cases=cases))
    for name in ("M1: sm is a dominant dynamic term of Fig. 2.11", "V2: sm varies most of the groups"):
        assert after[name] == before[name]


def test_study_is_complete_and_the_sources_model(study):
    assert set(study.cases) == {(machine, motion) for machine in MACHINES for motion in SOURCE_MOTIONS}
    ratios = []
    for name in MACHINES:
        machine = study_machine(name)
        assert machine.base_joint == "no_spin"
        ratios.append(machine.platform.mass / sum(strut.body_e.mass for strut in machine.struts))
    # the table of section 2.4
    np.testing.assert_allclose(ratios, [0.45, 3.34, 22.9], rtol=5e-3)
    for case in study.cases.values():
        assert case.shares.share("frict") == 0.0


def test_uf_has_the_inertias_of_section_2_4(study):
    uf = study_machine("uf")
    np.testing.assert_array_equal(np.diag(uf.platform.inertia), [0.0908, 0.0908, 0.181])
    body_b, body_e = uf.struts[5].body_b, uf.struts[5].body_e
    assert (body_b.mass, body_b.transverse, body_b.axial) == (7.72, 0.552, 0.00751)
    assert (body_e.mass, body_e.transverse, body_e.axial) == (1.79, 0.0183, 0.0016)
    assert study_machine("uf", chapters_4_5=True).struts[0].body_b.transverse == 0.5635
    assert 0.0 < study.change < 1.0


def test_bodies_and_joints_are_of_the_machines_named():
    mixed, joints, bodies = crossed("hexel", "uf"), study_machine("hexel"), study_machine("uf")
    np.testing.assert_array_equal(mixed.base_joints, joints.base_joints)
    assert mixed.platform.mass == bodies.platform.mass
    assert mixed.struts[0].body_b.mass == bodies.struts[0].body_b.mass


@pytest.mark.parametrize("name", MACHINES)
def test_scaled_motions_keep_the_texts_limits_and_reach_its_ends(name):
    reach, machine = REACH[name], study_machine(name)
    fastest = []
    for motion in scaled_motions(name).values():
        if motion.kind == "rotation":
            assert motion.angle == pytest.approx(np.deg2rad(reach.angle))
            continue
        path = motion.period(machine)
        speed = np.abs(path.twist[:, :3]).max()
        pull = np.abs(path.acceleration[:, :3]).max()
        assert speed < reach.feed * (1 + 1e-9)
        assert pull < reach.acceleration * (1 + 1e-9)
        fastest.append(max(speed / reach.feed, pull / reach.acceleration))
        if motion.offset:
            assert motion.offset + motion.amplitude == pytest.approx(reach.end)
    # one of the two limits is reached
    assert max(fastest) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("machine", "motion"), [("uf", "rotation-offset-high"), ("hexel", "x-high"), ("ford", "x-offset-low")]
)
def test_norms_are_those_of_kanes_equations(study, machine, motion):
    """Verdicts follow from these norms by counting alone."""
    subject, shares = study_machine(machine), study.cases[machine, motion].shares
    mean, variation, total = compute_shares(subject, SOURCE_MOTIONS[motion].period(subject))
    for name in GROUPS:
        assert shares.share(name) == pytest.approx(mean[name], rel=1e-6, abs=1e-9), name
        assert shares.varies(name) == pytest.approx(variation[name], rel=1e-6, abs=1e-9), name
    assert shares.total_variation == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("motion", ["x-low", "rotation-high"])
def test_the_weights_direction_matters_least_by_kanes_equations(study, machine, motion):
    subject = study_machine(machine)
    path = SOURCE_MOTIONS[motion].period(subject)
    rows = list(zip(path.position, path.rotation, path.twist, path.acceleration, strict=True))[::40]

    def forces(center):
        return np.array([sum(compute_groups(subject, *one, center=center).values()) for one in rows])

    own = forces((0.0, 0.0, 0.0))
    change = [np.linalg.norm(forces(tuple(1e-4 * one)) - own) for one in np.eye(3)]
    overall = study.sensitivities[machine, motion].sensitivity
    ours = [overall.overall[overall.directions.index(axis)] for axis in "xyz"]
    assert np.argmin(change) == np.argmin(ours) == 2
    np.testing.assert_allclose(np.array(ours) / ours[0], np.array(change) / change[0], rtol=0.2)


def test_the_texts_own_numbers(study):
    """What the digest worked out by itself, for the source's norms: UF in X, shares and variations in %."""
    fast_x, slow_x = (study.cases["uf", name].shares for name in ("x-high", "x-low"))
    assert fast_x.varies("sm") == pytest.approx(97, abs=0.5)
    assert fast_x.total_variation == pytest.approx(56, abs=0.5)
    assert fast_x.varies("pm") == pytest.approx(18, abs=0.5)
    assert (fast_x.share("pm"), fast_x.share("sm")) == (
        pytest.approx(11.5, abs=0.05), pytest.approx(60.7, abs=0.05)
    )  # fmt: skip
    assert slow_x.varies("grs") == pytest.approx(1.0, abs=0.05)
    assert slow_x.varies("sm") == pytest.approx(8.4, abs=0.05)
    heavy = study.crossed["uf", "hexel", "x-high"].shares
    assert (heavy.share("pm"), heavy.share("sm")) == (
        pytest.approx(39.8, abs=0.05), pytest.approx(13.5, abs=0.05)
    )  # fmt: skip
    assert study.cases["ford", "x-high"].shares.share("grp") == pytest.approx(80.9, abs=0.05)


def test_what_the_study_shows_today(study):
    """A change here is a change of what the documentation says."""
    found = verdicts(study)
    assert NOT_REPRODUCED not in found.values()
    assert [name for name, verdict in found.items() if verdict in (IN_PART, IN_KIND)] == [
        "M2: pm / sm from machine to machine",
        "V2: sm varies more than F_a itself",
        "V3: gravity varies less than sm",
        "V6: variations with offset above those without",
        "V7: Hexel, offset, variation of F_a",
        "V7: Hexel, offset, variation of gravity",
    ]
