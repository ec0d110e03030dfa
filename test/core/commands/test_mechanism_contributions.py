# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm contributions of mechanisms: shares of the force groups, drive by drive."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

from pkm_identification.cli import main
from pkm_identification.commands.named_motion import compute_named_motion
from pkm_identification.errors import PkmError
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.contributions import drive_shares
from pkm_identification.mechanisms.hexapod.analysis.center_of_mass_sensitivity import (
    center_of_mass_sensitivity,
)
from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.groups import drive_groups
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.series import compute_series_motion
from pkm_identification.reproduction.oh2003.table_2_2_motions import SOURCE_MOTIONS


def shares_of(document: dict, kind: str) -> dict[str, dict[str, float]]:
    return {group["name"]: group[kind] for group in document["groups"]}


@pytest.mark.slow
def test_at_rest_gravity_is_all_there_is(capsys):
    assert main(["contributions", "--machine", "mast", "--trajectory", "rest", "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    mean = shares_of(document, "mean_percent")
    for name in ("force_1", "force_2", "force_3"):
        assert mean["gravity"][name] == pytest.approx(100)
        assert mean["friction"][name] == mean["coriolis"][name] == 0
    assert sum(force["value"] for force in document["mean_force"].values()) == pytest.approx(22.2687)
    assert {force["unit"] for force in document["mean_force"].values()} == {"N"}


def test_the_descriptions_own_motion_is_taken(capsys):
    assert main(["contributions", "--machine", "four-bar", "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["trajectory"] == "motion"
    assert document["mean_force"]["torque"]["unit"] == "N m"
    made = Mechanism.load("four-bar")
    motion = compute_series_motion(made)
    total = dynamics.forces(made, motion)[:, 0]
    assert document["mean_force"]["torque"]["value"] == pytest.approx(np.abs(total).mean())
    weight = dynamics.forces(made, kinematics.at_rest(made, motion.configuration))[:, 0]
    share = 100 * np.abs(weight).mean() / np.abs(total).mean()
    assert shares_of(document, "mean_percent")["gravity"]["torque"] == pytest.approx(share)
    spread = 100 * np.ptp(weight) / np.abs(total).mean()
    assert shares_of(document, "signed_range_percent")["gravity"]["torque"] == pytest.approx(spread)


@pytest.mark.slow
def test_tables_and_a_chart(capsys, tmp_path):
    assert main(["contributions", "--machine", "suspension", "--out", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "torque_arm" in text
    assert "centripetal" in text
    assert " N m" in text
    assert (tmp_path / "contributions_motion.png").read_bytes().startswith(b"\x89PNG")


def test_what_has_no_force_has_no_shares():
    made = Mechanism.load("pendulum")
    # upright links stand still without torque
    motion = kinematics.at_rest(made, np.zeros_like(made.home))
    with pytest.raises(PkmError, match="no drive carries any force"):
        drive_shares(drive_groups(made, motion))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--machine", "mast"], "has no 'motion'"),
        (["--machine", "mast", "--trajectory", "x"], "trajectory 'x'"),
        (["--machine", "uf"], "give one of x, z"),
    ],
)
def test_motions_that_are_not_there_are_refused(arguments, message, capsys):
    assert main(["contributions", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.slow
def test_sensitivity_of_a_body_is_that_of_the_moved_file(capsys):
    """Of a file whose platform has its centre of mass a little beside."""
    arguments = ["--machine", "mast", "--trajectory", "slow", "--no-friction", "--json", "-"]
    assert main(["sensitivity", *arguments]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["body"], document["drives"]) == ("platform", ["force_1", "force_2", "force_3"])
    made = Mechanism.load("mast")
    named = compute_named_motion("slow", load_machine("mast"))
    motion = kinematics.motion_of_drives(made, named.coordinate, named.rate, named.acceleration)
    shift = 1e-5
    changed = copy.deepcopy(dict(made.description.document))
    changed["bodies"]["platform"]["center_of_mass"] = [str(shift), "0", "0"]
    force = dynamics.forces(made, motion, friction=False)
    moved = dynamics.forces(Mechanism.from_document(changed), motion, friction=False)
    expected = np.abs(moved - force).mean(axis=0) / np.abs(force).mean(axis=0) / (shift / document["travel"])
    along_x = next(one for one in document["directions"] if one["direction"] == "x")
    np.testing.assert_allclose(along_x["per_strut"], expected, rtol=1e-4)
    assert main(["sensitivity", "--machine", "mast", "--trajectory", "slow", "--body", "rod"]) == 2
    assert "--body rod: 'mast' has slider_1" in capsys.readouterr().err


@pytest.mark.slow
def test_sensitivity_of_a_platform_on_struts_is_that_of_its_closed_form(capsys):
    machine = load_machine("uf")
    states = SOURCE_MOTIONS["rotation-offset-high"].period(machine.description)
    expected = center_of_mass_sensitivity(machine.description, states)
    assert (
        main(["sensitivity", "--machine", "uf", "--trajectory", "rotation-offset-high", "--json", "-"]) == 0
    )
    document = json.loads(capsys.readouterr().out)
    assert document["body"] == "p"
    assert document["travel"] == pytest.approx(expected.travel, rel=1e-9)
    found = [one["per_strut"] for one in document["directions"]]
    np.testing.assert_allclose(found, expected.per_strut, rtol=1e-7)


@pytest.mark.slow
def test_norms_over_drives_of_one_unit_are_told_for_any_machine(capsys):
    assert main(["contributions", "--machine", "mast", "--trajectory", "rest", "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert shares_of(document, "mean_norm_percent")["gravity"] == pytest.approx(100)
    made = Mechanism.load("mast")
    weight = dynamics.forces(made, kinematics.at_rest(made, made.home[None]))[0]
    assert document["mean_norm"] == {"value": pytest.approx(np.linalg.norm(weight)), "unit": "N"}


def test_a_table_of_setpoints_with_a_load(tmp_path, capsys):
    table = tmp_path / "setpoints.csv"
    rows = ["t,length_1,length_2,length_3,length_4,phi", "0,0.182,0.182,0.2576,0.1809,0",
            "1,0.19,0.185,0.25,0.19,0.5", "2,0.182,0.182,0.2576,0.1809,1.0"]  # fmt: skip
    table.write_text("\n".join(rows) + "\n")
    found = {}
    for load in ((), ("--payload", "4,0,0,0.198")):
        assert (
            main(["contributions", "--machine", "epaas", "--setpoints", str(table), "--json", "-", *load])
            == 0
        )
        found[bool(load)] = json.loads(capsys.readouterr().out)
    assert found[True]["trajectory"] == "setpoints"
    # 4 kg at the lower arm's end lie on L4: m g l / lever at each sample, l .248 m and at .198 m from the wrist
    more = found[True]["mean_force"]["force_4"]["value"] - found[False]["mean_force"]["force_4"]["value"]
    assert more == pytest.approx(4 * 9.81 * 0.248 / 0.0705, rel=0.1)
    assert (
        main(["contributions", "--machine", "epaas", "--setpoints", str(table), "--trajectory", "rich"]) == 2
    )
    table.write_text("\n".join([rows[0], rows[1], rows[1]]) + "\n")
    assert main(["contributions", "--machine", "epaas", "--setpoints", str(table)]) == 2
