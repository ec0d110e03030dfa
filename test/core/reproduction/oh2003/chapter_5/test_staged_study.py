# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The source's staged procedure on simulated experiments, shortened."""

import json
from dataclasses import replace

import numpy as np
import pytest
from core.reproduction.computed import JUDGED, MODULES
from figure_layout import overlaps

from pkm_identification.estimation.identifiability import IDENTIFIABLE
from pkm_identification.identification.procedures.staged import MAX_PASSES
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.reproduction.number import AGREES, NOT_REPRODUCED, UNJUDGED
from pkm_identification.reproduction.oh2003.chapter_5.data import (
    NAMES,
    PRINTED,
    run_experiments,
    source_equations,
)
from pkm_identification.reproduction.oh2003.chapter_5.figures import draw_source_figures
from pkm_identification.reproduction.oh2003.chapter_5.friction import (
    FRICTION_PLACES,
    compute_friction_difference,
    compute_rms,
    stage_of,
    tabulate_friction,
)
from pkm_identification.reproduction.oh2003.chapter_5.joint_share import JUDGED as JUDGED_MOMENT
from pkm_identification.reproduction.oh2003.chapter_5.study import run_study
from pkm_identification.reproduction.study_file import assess_study

TABLE_5_1 = PRINTED["table_5_1"]
MODULE = MODULES["oh2003-staged"]
pytestmark = pytest.mark.slow

SHORT = {"x": 3.5, "z": 3.5, "xy": 3.5, "rich": 4.0, "slow": 7.0}


@pytest.fixture(scope="module")
def study():
    return run_study(run_experiments(SHORT))


def test_strut_tests_are_the_friction_to_expect(study):
    """Within five deviations, which a short slow log gives to some percent."""
    true = study.experiments.true_values[12:]
    tests = study.experiments.strut_tests.struts.values()
    std = np.array([t.viscous.std for t in tests] + [t.coulomb.std for t in tests])
    assert np.all(np.abs(study.experiments.expected - true) < 5 * std)
    assert np.all(std < 0.03 * true)


def test_friction_is_that_of_the_struts_however_the_signals_are_processed(study):
    """Positions filtered alone leave it within some per cent; nothing gives the source's two to four times as much."""
    assert np.median(np.abs(compute_friction_difference(study, study.ours, "xy", "3"))) < 2.0
    ends = np.array([result.values[FRICTION_PLACES] for result in study.ours.results.values()])
    assert np.median(100 * np.ptp(ends, axis=0) / study.experiments.expected) < 2.0
    coulomb = compute_friction_difference(study, study.as_source, "xy", "1-A")[6:]
    # the digest's simulated set: -9 to +11 %
    assert np.all(np.abs(coulomb) < 20.0)


def test_friction_of_the_joints_raises_that_of_the_struts_in_kind(study):
    """The digest's two calculations with 5 N m: X -36 to +225 %, Z -24 to +118 %, XY -2 to +293 %; twice at 10."""
    five, ten = (study.joints.coulomb[size] for size in (5.0, 10.0))
    for name, low, high in (("x", -36, 225), ("z", -24, 118), ("xy", -2, 293)):
        raised = -five[name][6:]
        assert low - 20 < raised.min() < 20
        assert high / 2 < raised.max() < 1.3 * high
        np.testing.assert_allclose(ten[name], 2 * five[name], rtol=1e-9, atol=1e-9)
    # viscous friction hardly, but of a strut that hardly slides
    for name in NAMES:
        assert np.sort(np.abs(five[name][:6]))[-2] < 20
        assert 0.0 < study.joints.left[name] < 0.9
    assert set(study.joints.at_platform) == {"radial", "tangential"}


def test_2a_is_1a_again_with_cad_held_and_not_with_the_previous(study):
    """The source's procedure (l.16409-12): same data, model and held values."""
    for staged in (study.ours, study.as_source):
        first, second = (stage_of(staged.results["xy"], name) for name in ("1-A", "2-A"))
        # passes end when none moves an estimate by a twentieth of its deviation
        assert second.residual_rms == pytest.approx(first.residual_rms, rel=5e-3)
        assert np.all(np.abs(second.values - first.values)[12:24] < 0.5 * first.std[12:24])
    assert stage_of(study.previous, "2-A").residual_rms < 0.3 * stage_of(study.previous, "1-A").residual_rms


def test_the_residual_of_2a_is_that_of_1a_with_the_rest_before_the_motion_too(study):
    """What was 3.84 N with it and is 3.86 N without: the same equations but for those at rest, the same estimates."""
    used = study.ours.trajectories.equations["xy"]
    resting = ~np.isin(study.whole_xy.time, used.time)
    np.testing.assert_array_equal(study.whole_xy[~resting].regressor, used.regressor)
    np.testing.assert_array_equal(study.whole_xy[~resting].measured, used.measured)
    # before the motion and nowhere else
    assert 0 < np.count_nonzero(resting) < 10
    assert study.whole_xy.time[resting].max() < used.time.min()
    first, second = (stage_of(study.ours.results["xy"], name) for name in ("1-A", "2-A"))
    assert compute_rms(used, first) == pytest.approx(first.residual_rms, rel=1e-12)
    assert compute_rms(study.whole_xy, second) == pytest.approx(compute_rms(study.whole_xy, first), rel=5e-3)
    assert compute_rms(study.whole_xy[resting], first) < first.residual_rms


def test_forces_stay_raw_in_the_sources_processing(study):
    log, model = study.experiments.logs["x"], study.experiments.model
    equations = source_equations(log, model, list_hexapod_parameters(model, "oh24"))
    raw = log.force[np.searchsorted(log.time, equations.time)]
    np.testing.assert_array_equal(equations.force, raw)


def moved(stage, change, before):
    """The stage with friction that makes (before - values) / before what is given, in %."""
    values = stage.values.copy()
    values[FRICTION_PLACES] = before * (1 - np.asarray(change) / 100)
    return replace(stage, values=values)


def with_stage(study, name, stage, change):
    """2-A of a trajectory against its 1-A, by the source's processing."""
    result = study.as_source.results[name]
    before = stage_of(result, "1-A").values[FRICTION_PLACES]
    stages = tuple(moved(one, change, before) if one.name == stage else one for one in result.stages)
    results = {**study.as_source.results, name: replace(result, stages=stages)}
    return replace(study, as_source=replace(study.as_source, results=results))


def with_joints(study, name, change, moments=None):
    """What friction of the joints does to that of the struts on a trajectory, with each moment that was tried."""
    coulomb = dict(study.joints.coulomb)
    for moment in moments or coulomb:
        coulomb[moment] = {**coulomb[moment], name: np.array(change)}
    return replace(study, joints=replace(study.joints, coulomb=coulomb))


def with_third(study, **changes):
    """Stage 3 from X against its start, by trajectory."""
    before = study.as_source.results["x"].stages[-2].values[FRICTION_PLACES]
    third = {name: moved(study.third["x"][name], change, before) for name, change in changes.items()}
    return replace(study, third={**study.third, "x": {**study.third["x"], **third}})


def with_passes(study, start, passes):
    stages = {name: replace(stage, passes=passes) for name, stage in study.third[start].items()}
    return replace(study, third={**study.third, start: stages})


def table(entries):
    """A table's column as changes; what is lost is put in between."""
    return [-50.0 if one is None else one for kind in ("viscous", "Coulomb") for one in entries[kind]]


STILL = [0.0] * 12
FLAT = [7.0] * 12
BOTH_WAYS = {
    "5.4, XY: Coulomb above the test on every strut of Table 5.1": (
        lambda s: with_joints(s, "xy", STILL), lambda s: with_joints(s, "xy", table(TABLE_5_1))
    ),
    "5.4, XY: viscous above the test on every strut": (
        lambda s: with_joints(s, "xy", STILL), lambda s: with_joints(s, "xy", table(TABLE_5_1))
    ),
    "5.4: Coulomb on Z nearer to X than on XY": (
        lambda s: with_joints(with_joints(s, "xy", s.joints.coulomb[JUDGED_MOMENT]["x"]), "z", FLAT),
        lambda s: with_joints(s, "z", s.joints.coulomb[JUDGED_MOMENT]["x"]),
    ),
    "Figs. 5.2-5.16: XY farthest from the start, then Z, X nearest": (
        lambda s: with_third(s, x=[9.0] * 12, z=FLAT, xy=STILL), lambda s: with_third(s, x=STILL, z=FLAT, xy=[9.0] * 12)
    ),
    "3: no convergence from XY and Z": (
        lambda s: with_passes(with_passes(s, "xy", 3), "z", 3),
        lambda s: with_passes(with_passes(s, "xy", MAX_PASSES), "z", MAX_PASSES),
    ),
    "3: convergence from X": (lambda s: with_passes(s, "x", MAX_PASSES), lambda s: with_passes(s, "x", 3)),
}  # fmt: skip


def verdicts(study):
    return {one["name"]: one["verdict"] for one in assess_study(MODULE, study).document["numbers"]}


@pytest.mark.parametrize("name", BOTH_WAYS)
def test_verdicts_follow_the_numbers(study, name):
    wrong, right = BOTH_WAYS[name]
    assert verdicts(wrong(study))[name] == NOT_REPRODUCED
    assert verdicts(right(study))[name] == AGREES


def test_what_the_joints_moment_decides_is_not_judged(study):
    changed = with_joints(study, "xy", table(TABLE_5_1), moments=[JUDGED_MOMENT])
    for found in (verdicts(study), verdicts(changed)):
        of_joints = {name: one for name, one in found.items() if name.startswith(("1-A: ", "Table 5.1"))}
        assert len(of_joints) > 7
        assert set(of_joints.values()) == {UNJUDGED}
    assert verdicts(changed)["5.4, XY: viscous above the test on every strut"] == UNJUDGED


def test_that_friction_is_independent_of_inertias_does_not_follow_from_2a(study):
    name = "2-A: friction independent of the inertias"
    for changed in (study, with_stage(study, "xy", "2-A", [40.0] * 12)):
        assert verdicts(changed)[name] == UNJUDGED


def test_masses_are_judged_only_if_the_data_identify_them(study):
    name = "1-B: masses against CAD"
    assert verdicts(study)[name] == UNJUDGED
    shown = {
        key: replace(one, estimate=replace(one.estimate, status=(IDENTIFIABLE,) * len(one.estimate.status)))
        for key, one in study.ours.results.items()
    }
    assert verdicts(replace(study, ours=replace(study.ours, results=shown)))[name] in JUDGED


def test_ranks_of_the_motions(study):
    assert study.ranks == {"x": 4, "z": 5, "xy": 5, "rich": 8}


def test_no_single_trajectory_shows_all_masses(study):
    for name in NAMES:
        status = study.ours.results[name].estimate.status
        assert any(value != IDENTIFIABLE for value in status[:3]), name


def test_all_at_once_converges_to_scale_and_not_without(study):
    for name in NAMES:
        staged = study.ours.results[name].stages[-1].residual_rms
        assert study.scaled[name].residual_rms < 1.1 * staged
        assert study.raw[name].residual_rms > 1.2 * staged
        assert study.scaled[name].moving < study.raw[name].moving


def test_text_document_and_figures(study):
    made = assess_study(MODULE, study)
    document = json.loads(json.dumps(made.document, allow_nan=False))
    assert made.text.count("verdict:") == len(document["findings"]) == 10
    assert str(tabulate_friction(study)) in made.text
    assert "-290.59 (S)" in made.text
    assert document["ours"]["held_in_2_a"] == "cad"
    assert set(document["all_at_once"]) == {"scaled", "raw", "raw_in_stages"}
    assert list(made.figures()) == document["figures"]


def test_a_panel_is_a_figure_of_the_source(study):
    figure = draw_source_figures(study)
    titles = [panel.get_title(loc="left") for panel in figure.axes]
    assert [title.split(":")[0] for title in titles] == [f"Fig. 5.{k}" for k in range(2, 17)]
    # the one figure whose parameter is legible
    assert titles[10] == "Fig. 5.12: coulomb_4 (N)"
    stage = study.third["x"]["xy"]
    drawn = next(line for line in figure.axes[10].lines if line.get_label() == "FA_XY").get_ydata()
    place = study.as_source.trajectories.parameters.names.index("coulomb_4")
    np.testing.assert_array_equal(drawn, [stage.start[place], *stage.trace[:60, place]])
    # a pass ends where the stage does
    np.testing.assert_array_equal(stage.trace[-1], stage.values)
    assert overlaps(figure) == []
