"""The study of section 2.4: the source's model, and verdicts that follow the numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pkm_identification.reproduction.finding import AGREES, DISAGREES
from pkm_identification.reproduction.oh2003.chapter_2.data import MACHINES, study_machine
from pkm_identification.reproduction.oh2003.chapter_2.findings import findings
from pkm_identification.reproduction.oh2003.chapter_2.runs import change_with_chapters_4_5, run_study
from pkm_identification.reproduction.oh2003.table_2_2_motions import SOURCE_MOTIONS


@pytest.fixture(scope="module")
def study():
    return run_study()


def with_shares(case, **values):
    mean = case.shares.mean_all.copy()
    for name, value in values.items():
        mean[case.shares.names.index(name)] = value
    return replace(case, shares=replace(case.shares, mean_all=mean))


def with_sensitivity(case, overall, per_strut):
    made = replace(
        case.sensitivity,
        overall=np.array([*overall, *[0.01] * 4]),
        per_strut=np.full((7, 6), per_strut),
    )
    return replace(case, sensitivity=made)


def everywhere(study, change, chosen=lambda machine, motion: True):
    return {key: change(case) if chosen(*key) else case for key, case in study.items()}


# What makes each finding false and true, whatever the machines do.
FALSE = [
    lambda study: everywhere(study, lambda c: with_shares(c, pm=90.0), lambda m, _: m == "uf"),
    lambda study: everywhere(study, lambda c: with_shares(c, pm=0.1), lambda m, _: m == "ford"),
    lambda study: everywhere(study, lambda c: with_shares(c, cor=6.0), lambda m, t: t == "z-low"),
    lambda study: everywhere(study, lambda c: replace(c, acceleration=200.0), lambda m, t: t == "x-low"),
    lambda study: everywhere(study, lambda c: replace(c, acceleration=200.0), lambda m, t: t == "z-high"),
    lambda study: everywhere(study, lambda c: replace(c, acceleration=0.01), lambda m, t: t == "x-high"),
    lambda study: everywhere(study, lambda c: with_sensitivity(c, (2.0, 3.0, 2.0), 0.1)),
    lambda study: everywhere(study, lambda c: with_sensitivity(c, (2.0, 3.0, 2.0), 0.9)),
]
TRUE = [
    lambda study: everywhere(study, lambda c: with_shares(c, sm=50.0, grp=40.0, grs=40.0, pm=1.0)),
    lambda study: {
        key: with_shares(case, sm=1.0, pm=0.5 + MACHINES.index(key[0])) for key, case in study.items()
    },
    lambda study: everywhere(study, lambda c: with_shares(c, cor=0.1, cen=4.9)),
    lambda study: everywhere(study, lambda c: replace(c, gravity=1e4)),
    lambda study: everywhere(study, lambda c: replace(c, gravity=1e4)),
    lambda study: everywhere(study, lambda c: replace(c, acceleration=300.0), lambda m, t: t[0] == "x"),
    lambda study: everywhere(study, lambda c: with_sensitivity(c, (2.0, 1.0, 3.0), 0.1)),
    lambda study: everywhere(study, lambda c: with_sensitivity(c, (1.0, 1.0, 1.0), 5.5)),
]


@pytest.mark.parametrize("number", range(8))
def test_verdicts_follow_the_numbers(study, number):
    assert len(findings(study)) == 8
    assert findings(FALSE[number](study))[number].verdict == DISAGREES
    assert findings(TRUE[number](study))[number].verdict == AGREES


def test_study_is_complete_and_the_sources_model(study):
    assert set(study) == {(machine, motion) for machine in MACHINES for motion in SOURCE_MOTIONS}
    ratios = []
    for name in MACHINES:
        machine = study_machine(name)
        assert machine.base_joint == "no_spin"
        ratios.append(machine.platform.mass / sum(strut.body_e.mass for strut in machine.struts))
    # the table of section 2.4
    np.testing.assert_allclose(ratios, [0.45, 3.34, 22.9], rtol=5e-3)
    for case in study.values():
        assert case.shares.share("frict") == 0.0


def test_uf_has_the_inertias_of_section_2_4(study):
    uf = study_machine("uf")
    np.testing.assert_array_equal(np.diag(uf.platform.inertia), [0.0908, 0.0908, 0.181])
    body_b, body_e = uf.struts[5].body_b, uf.struts[5].body_e
    assert (body_b.mass, body_b.transverse, body_b.axial) == (7.72, 0.552, 0.00751)
    assert (body_e.mass, body_e.transverse, body_e.axial) == (1.79, 0.0183, 0.0016)
    assert study_machine("uf", chapters_4_5=True).struts[0].body_b.transverse == 0.5635
    assert 0.0 < change_with_chapters_4_5(study) < 1.0


def test_what_the_study_shows_today(study):
    """A change here is a change of what the documentation says."""
    assert [finding.verdict for finding in findings(study)] == [AGREES] * 6 + [DISAGREES] * 2
