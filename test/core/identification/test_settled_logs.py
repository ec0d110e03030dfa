# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Exit code 1: logs whose estimate has settled, and logs that are too short, drift or jump."""

from __future__ import annotations

import re

import numpy as np
import pytest
import yaml
from core import synthetic
from core.platform_motions import six_axes

from pkm_identification.cli import main
from pkm_identification.errors import LogError, NotConverged
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.motion import DriveLog
from pkm_identification.records.log import write_log

pytestmark = pytest.mark.slow

NOMINAL, TRUTH = synthetic.nominal(), synthetic.truth()


def drifting(seed: int, share: float, seconds: float = 12.0) -> DriveLog:
    """A log during which the first strut's friction grows by `share`."""
    log = synthetic.log(TRUTH, seconds, seed, real=True)
    motion = six_axes(TRUTH, seed).at(np.arange(len(log.time)) * synthetic.PERIOD)
    friction = strut_forces(TRUTH, motion) - strut_forces(TRUTH, motion, friction=False)
    force = log.force.copy()
    force[:, 0] += share * np.linspace(0, 1, len(force)) * friction[:, 0]
    return DriveLog(log.time, log.length, force, "synthetic")


def found(log: DriveLog, **settings):
    return identify([log], NOMINAL, Settings.of(hold_out=0.0, **settings))


@pytest.mark.parametrize(
    ("settings", "seed"),
    [({}, 1), ({"causal": True}, 1), ({"estimator": "ekf"}, 2), ({"estimator": "rls"}, 3)],
)
@pytest.mark.usefixtures("unjudged")
def test_a_good_log_settles(settings, seed):
    result = found(synthetic.log(TRUTH, 12.0, seed, real=True), **settings)
    assert result.nonconvergence == ""
    assert result.converged


def test_friction_that_drifts_by_a_fifth_does_not():
    result = found(drifting(3, 0.2), estimator="rls")
    assert not result.converged
    assert "had not converged" in result.nonconvergence
    assert "_1 " in result.nonconvergence
    assert not result.trusted


def resting_then_moving(moving: int) -> DriveLog:
    """5 s of which the last so many samples move; friction and inertia show themselves in these alone."""
    log = synthetic.log(TRUTH, 5.0, 1, real=True)
    length, force, last = log.length.copy(), log.force.copy(), len(log.length) - moving
    length[:last], force[:last] = length[last], force[last]
    return DriveLog(log.time, length, force, "synthetic")


def test_a_machine_that_stands_still_and_moves_for_a_second_has_too_few_equations():
    with pytest.raises(LogError, match=r"only \d+ equations remain .* \d+ more are at standstill") as refusal:
        found(resting_then_moving(1000))
    left, unknowns, resting = (
        int(number) for number in re.findall(r"(\d+) (?:eq|par|more)", str(refusal.value))
    )
    # 25 a second, of which the last has few at its end
    assert left < min(2 * unknowns, 25)
    assert 75 < resting < 4 * 25 + 1


@pytest.mark.usefixtures("unjudged")
def test_a_machine_that_moves_for_little_more_than_two_is_not_judged():
    result = found(resting_then_moving(2400))
    assert not result.converged
    assert "too short" in result.nonconvergence


@pytest.mark.usefixtures("unjudged")
def test_a_drive_constant_that_changes_within_a_log_is_told():
    log = synthetic.log(TRUTH, 12.0, 1, real=True)
    force = log.force.copy()
    force[6000:] *= 1.3
    assert not found(DriveLog(log.time, log.length, force, "synthetic")).converged


@pytest.mark.usefixtures("unjudged")
def test_two_motions_one_after_the_other_settle_although_each_shows_something_else():
    still = synthetic.log(TRUTH, 9.0, 4, real=True)
    whole = [still, synthetic.log(TRUTH, 12.0, 5, real=True, start=20.0)]
    assert identify(whole, NOMINAL, Settings.of(hold_out=0.0)).converged


def test_the_command_ends_with_1_and_one_line_that_says_what(tmp_path, capsys):
    write_log(tmp_path / "drift.csv", drifting(1, 0.3))
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump(dict(NOMINAL.document)))
    arguments = ["identify", str(tmp_path / "drift.csv"), "--machine", str(tmp_path / "machine.yaml")]
    # the full model knows drifts
    arguments += ["--estimator", "ukf"]
    assert main(arguments) == 1
    lines = [line for line in capsys.readouterr().out.splitlines() if "did not converge" in line]
    # the verdict, at the head and at the end, is of the values that are printed
    assert len(lines) == 2
    assert all("standard deviations" in line for line in lines)
    # programs read stdout, people the one line beside it
    assert main([*arguments, "--json", "-"]) == 1
    told = capsys.readouterr()
    assert told.out.startswith("{")
    assert "did not converge" in told.err


def test_an_estimate_that_diverges_ends_with_1_and_one_line(tmp_path, monkeypatch, capsys):
    def diverge(*_, **__):
        raise NotConverged("the estimate left what a machine can have")

    monkeypatch.setattr("pkm_identification.identification.identify.identify", diverge)
    write_log(tmp_path / "log.csv", synthetic.log(TRUTH, 1.0))
    assert main(["identify", str(tmp_path / "log.csv"), "--machine", "uf"]) == 1
    assert re.fullmatch("pkm identify: the estimate left .*", capsys.readouterr().err.strip())
