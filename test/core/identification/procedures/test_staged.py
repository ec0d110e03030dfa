# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The staged procedure: what each stage may move, where it ends, and what its cross-check can tell."""

import json
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from pkm_identification.cli import main
from pkm_identification.errors import LogError, PkmError
from pkm_identification.estimation.batch.least_squares import least_squares
from pkm_identification.estimation.filters.unscented import UnscentedSettings
from pkm_identification.estimation.identifiability import IDENTIFIABLE, UNIDENTIFIABLE
from pkm_identification.identification.equations.force_equations import force_equations
from pkm_identification.identification.procedures.cross_check import cross_check
from pkm_identification.identification.procedures.staged import (
    ALL,
    FRICTION,
    INERTIA,
    PREVIOUS,
    StageSettings,
    free_of,
    join_equations,
    joint,
    run_stage,
    staged,
)
from pkm_identification.identification.procedures.staged_experiment import (
    trajectories_of,
    trajectory_name,
)
from pkm_identification.identification.samples import Samples
from pkm_identification.machines.capabilities import motion_of_platform
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.motion import DriveLog
from pkm_identification.parameters.prior import Prior
from pkm_identification.records.log import write_log
from pkm_identification.signals.band import BandSettings
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.trajectories import trajectory

NAMES = ("x", "z", "rich")
BAND = BandSettings(0.001)
NOISE = 1.0  # N
SETTINGS = StageSettings(BAND.redundancy)


@cache
def model():
    """The source's: struts without spin."""
    return replace(Machine.load("uf"), base_joint="no_spin")


@cache
def parameters():
    return list_hexapod_parameters(model(), "oh24")


@cache
def truth():
    return list_hexapod_parameters(perturb_machine(model(), 4, 0.15), "oh24").nominal


@cache
def motion(name):
    return trajectory(name, model(), 6.0).motion(np.arange(0.0, 6.0, 0.001))


@cache
def forces(name):
    exact = strut_forces(perturb_machine(model(), 4, 0.15), motion(name))
    return exact + NOISE * np.random.default_rng(NAMES.index(name)).standard_normal(exact.shape)


@cache
def equations():
    """Exact motions, noisy forces; nothing but the staged procedure is under test."""
    segment = np.zeros(6000, dtype=np.int64)
    return {
        name: force_equations(
            as_machine(model()),
            parameters(),
            Samples(motion(name).time, motion_of_platform(model(), motion(name)), forces(name), segment),
            BAND,
        )
        for name in NAMES
    }


@cache
def start():
    rng = np.random.default_rng(8)
    return parameters().nominal * (1 + rng.uniform(-0.1, 0.1, len(parameters().names)))


@cache
def results():
    return {name: staged(part, parameters(), start(), SETTINGS) for name, part in equations().items()}


@pytest.mark.parametrize("name", NAMES)
def test_each_stage_moves_its_own_parameters(name):
    stages = results()[name].stages
    assert [stage.name for stage in stages] == ["1-A", "1-B", "2-A", "2-B", "3"]
    friction, inertia = (free_of(parameters(), group) for group in (FRICTION, INERTIA))
    assert friction.sum() == 12
    assert np.array_equal(friction, ~inertia)
    for stage, free in zip(stages, (friction, inertia, friction, inertia), strict=False):
        assert np.array_equal(stage.values[~free], stage.start[~free])
        assert np.array_equal(stage.std > 0, free)
        assert not np.any(stage.still & ~free)
    # friction is estimated with the machine file's inertia, both times; the rest starts where it last ended
    for k in (0, 2):
        assert np.array_equal(stages[k].values[inertia], parameters().nominal[inertia])
    assert np.array_equal(stages[1].start[inertia], start()[inertia])
    assert np.array_equal(stages[1].start[friction], stages[0].values[friction])
    assert np.array_equal(stages[2].start[friction], stages[1].values[friction])
    assert np.array_equal(stages[3].start[inertia], stages[1].values[inertia])
    assert np.array_equal(stages[3].start[friction], stages[2].values[friction])
    assert np.array_equal(stages[4].start, stages[3].values)


def test_2a_repeats_1a_when_it_holds_the_machine_file_again():
    """Same data, model and held values (l.16409-12): what a converged 2-A changes is nothing."""
    for name in NAMES:
        first, second = (results()[name].stages[k] for k in (0, 2))
        assert second.residual_rms == pytest.approx(first.residual_rms, rel=1e-3)
        free = first.free
        assert np.all(np.abs(second.values - first.values)[free] < 0.05 * first.std[free])


def test_2a_may_hold_the_result_of_1b_instead():
    part = equations()["x"]
    stages = staged(part, parameters(), start(), replace(SETTINGS, hold=PREVIOUS)).stages
    for before, after in pairwise(stages[1:]):
        assert np.array_equal(after.start, before.values)
    assert stages[2].residual_rms < 0.9 * stages[0].residual_rms
    # the end is the same minimum
    shown = np.array([status == IDENTIFIABLE for status in results()["x"].estimate.status])
    apart = np.abs(stages[-1].values - results()["x"].stages[-1].values)
    assert np.all(apart[shown] < stages[-1].std[shown])


def test_friction_first_and_all_at_last():
    """With wrong masses friction comes out near, with both estimated within four deviations."""
    friction = free_of(parameters(), FRICTION)
    for name in NAMES:
        first, last = results()[name].stages[0], results()[name].stages[-1]
        shown = np.array([status == IDENTIFIABLE for status in results()[name].estimate.status])
        error = np.abs(last.values - truth())
        assert np.all(error[shown] < 4 * last.std[shown] + 1e-9)
        far = np.abs(first.values / truth() - 1)[friction]
        assert np.median(far) < 0.03
        assert last.residual_rms < first.residual_rms


def test_a_stage_is_least_squares_from_its_start():
    """Without process noise the filter on a linear model is least squares with the start as prior mean."""
    plain = StageSettings(BAND.redundancy, unscented=UnscentedSettings(adaptation="none"))
    for name, part in equations().items():
        stage = run_stage("3", part, parameters(), free_of(parameters(), ALL), start(), plain)
        fit = least_squares(part, Prior(start(), parameters().scale), BAND.redundancy)
        # passes end when no estimate moves by more than 0.05 deviations; what is left of the way is of that size
        assert np.max(np.abs(stage.values - fit.mean) / stage.std) < 0.1, name


def test_what_no_data_show_keeps_the_first_guess():
    """Struts without spin: their axial moments have no column at all, stand still, and are not called shown."""
    names = parameters().names
    for name in NAMES:
        result = results()[name]
        for parameter in ("Iyy_b", "Iyy_e"):
            i = names.index(parameter)
            assert result.values[i] == pytest.approx(start()[i], rel=1e-9)
            assert result.stages[-1].still[i]
            assert result.estimate.status[i] == UNIDENTIFIABLE


def test_the_end_depends_on_the_start_only_where_the_data_are_silent():
    cross = cross_check(results(), equations(), parameters(), SETTINGS)
    assert cross.ends.shape == (3, 3, 24)
    for j, name in enumerate(NAMES):
        shown = np.array([status == IDENTIFIABLE for status in results()[name].estimate.status])
        spread = cross.spread[j]
        # a prior of the parameters' own size moves what the data show by part of a deviation
        assert np.all(spread[shown] < cross.std[j][shown]), name
    # X cannot tell the platform's moments: another trajectory's are kept
    i = parameters().names.index("Izz_p")
    x, rich = NAMES.index("x"), NAMES.index("rich")
    assert cross.ends[rich, x, i] == pytest.approx(results()["rich"].values[i], rel=0.05)
    assert cross.spread[x, i] > 10 * cross.spread[rich, i]
    # the result of the rich motion predicts the others, not the other way round
    assert cross.predicted[rich, x] < 1.1 * cross.predicted[x, x]
    assert cross.predicted[x, rich] > 1.5 * cross.predicted[rich, rich]
    assert np.all(cross.fitted <= 1.05 * np.diag(cross.predicted)[None, :])


def test_all_together_show_more():
    together = joint(equations(), parameters(), start(), SETTINGS)
    counts = [result.estimate.status.count(IDENTIFIABLE) for result in results().values()]
    assert together.estimate.status.count(IDENTIFIABLE) >= max(counts)
    i = parameters().names.index("m_p")
    assert abs(together.values[i] - truth()[i]) < 4 * together.estimate.std[i]
    # deviations are estimates, too, from some hundred residuals
    assert together.estimate.std[i] < 1.2 * min(result.estimate.std[i] for result in results().values())
    whole = join_equations(equations())
    assert len(whole) == sum(map(len, equations().values()))
    assert len(np.unique(whole.segment)) == len(NAMES)


def test_another_low_pass_widens_the_deviations():
    part = equations()["rich"]
    other = replace(part, measured=1.01 * part.measured)
    widened = staged(part, parameters(), start(), SETTINGS, (other,)).estimate
    plain = results()["rich"].estimate
    i = parameters().names.index("m_b")
    # forces 1 % larger are masses 1 % larger
    assert widened.std[i] == pytest.approx(np.hypot(plain.std[i], 0.01 * truth()[i]), rel=0.1)


def test_nothing_to_estimate():
    with pytest.raises(PkmError, match="stage 1-A: needs parameters"):
        run_stage("1-A", equations()["x"], parameters(), np.zeros(24, dtype=bool), start())


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Logs of two trajectories in SI units, machine with the source's struts."""
    folder = tmp_path_factory.mktemp("logs")
    for name in ("x", "z"):
        path = motion(name)
        length = strut_lengths(model(), path.position, path.rotation)
        write_log(folder / f"{name}.csv", DriveLog(path.time, length, forces(name)))
    return folder


@pytest.mark.slow
def test_command(files, tmp_path, capsys):
    logs = [str(files / f"{name}.csv") for name in ("x", "z")]
    assert main(["staged", *logs, "--machine", "uf", "--out", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "stood still at the end, as if converged" in shown
    assert "end of stage 3 depends" in shown
    document = json.loads((tmp_path / "staged.json").read_text())
    assert [entry["name"] for entry in document["trajectories"]] == ["x", "z"]
    assert [stage["name"] for stage in document["trajectories"][0]["stages"]][-1] == "3"
    assert np.shape(document["cross_check"]["ends"]) == (2, 2, 24)
    i = document["parameters"].index("coulomb_1")
    assert document["joint"]["stages"][0]["values"][i] == pytest.approx(truth()[i], rel=0.02)
    for name in ("stages", "dependence"):
        assert (tmp_path / f"{name}.png").stat().st_size > 5000


def test_command_says_what_is_wrong(files, capsys):
    log = str(files / "x.csv")
    assert main(["staged", log, log, "--machine", "uf"]) == 2
    assert "two logs are called 'x'" in capsys.readouterr().err
    assert main(["staged", log, "--machine", "uf", "--parameters", "oh12"]) == 2
    assert "has no friction" in capsys.readouterr().err


@pytest.mark.slow
def test_passes_are_as_many_as_asked_for(files, capsys):
    logs = [str(files / f"{name}.csv") for name in ("x", "z")]
    assert main(["staged", *logs, "--machine", "uf", "--passes", "1", "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["most_passes"] == 1
    assert {stage["passes"] for one in document["trajectories"] for stage in one["stages"]} == {1}
    assert main(["staged", *logs, "--machine", "uf", "--passes", "0"]) == 2
    assert "passes 0: must be between 1 and 1000" in capsys.readouterr().err


def test_log_that_is_too_short():
    path = motion("x")[:700]
    log = DriveLog(
        path.time, strut_lengths(model(), path.position, path.rotation), forces("x")[:700], "short.csv"
    )
    with pytest.raises(LogError, match=r"short.csv: only \d+ equations remain after filtering"):
        trajectories_of([log], model())


def test_names_of_trajectories():
    assert trajectory_name("/some/where/xy.csv.gz") == "xy"
    assert trajectory_name("simulated uf: rich2") == "rich2"
