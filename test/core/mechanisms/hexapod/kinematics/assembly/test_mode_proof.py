# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""No pose in another assembly mode is called joined to the start, and along motions every pose is."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.kinematics.assembly.test_continuation import same, spread
from core.mechanisms.hexapod.machine_variants import BUILTIN
from core.platform_motions import lengths, poses, six_axes

from pkm_identification.cli import main
from pkm_identification.mechanisms.hexapod.kinematics.assembly.continuation import follow_lengths
from pkm_identification.mechanisms.hexapod.kinematics.assembly.mode_proof import joined_to_start
from pkm_identification.mechanisms.hexapod.kinematics.assembly.modes import assembly_modes
from pkm_identification.mechanisms.hexapod.kinematics.forward import forward_kinematics
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.records.mechanism_csv import write_named_csv

MACHINES = pytest.mark.parametrize("name", BUILTIN)


@MACHINES
def test_every_pose_of_a_motion_is_joined(name):
    m = Machine.load(name)
    motion = six_axes(m, 1).at(np.arange(20_000) * 1e-3)
    assert forward_kinematics(m, lengths(m, motion.position, motion.rotation)).joined.all()


@MACHINES
def test_poses_in_random_order_are_joined(name):
    m = Machine.load(name)
    truth = poses(m, 5000, 2, reach=0.2, turn=0.2)
    result = forward_kinematics(m, lengths(m, *truth))
    assert result.joined.all()
    assert same((result.position, result.rotation), truth).all()


@pytest.mark.slow
@pytest.mark.parametrize("turn", [1.0, 3.0])
def test_newton_led_astray_by_large_jumps_is_reported(turn):
    """Warm from pose to pose far apart Newton slips to other modes; every such row says it is not joined."""
    m = Machine.load("uf")
    truth = spread(m, 3000, 3, turn)
    length = lengths(m, *truth)
    result = forward_kinematics(m, length)
    home = np.repeat(lengths(m, m.home_position[None], m.home_rotation[None]), len(length), axis=0)
    back = follow_lengths(m, home, start=truth)
    ours = back.found & same((back.position, back.rotation), (m.home_position[None], m.home_rotation[None]))
    wrong = ours & ~same((result.position, result.rotation), truth, 1e-6)
    assert wrong.sum() > 10
    assert not result.joined[wrong].any()
    # and the proof is not merely timid
    right = ours & ~wrong
    assert result.joined[right].mean() > 0.999


@MACHINES
def test_only_the_first_of_all_modes_is_joined_to_home(name):
    m = Machine.load(name)
    for length in lengths(m, *poses(m, 5, 4)):
        modes = assembly_modes(m, length)
        for k in range(len(modes)):
            joined = joined_to_start(m, length[None], modes.position[k : k + 1], modes.rotation[k : k + 1])
            assert joined[0] == (k == 0)
            # and each is joined to itself as the start
            start = modes.position[k], modes.rotation[k]
            assert joined_to_start(m, length[None], start[0][None], start[1][None], start)[0]


def test_row_after_a_failure_is_joined_to_home_again():
    m = Machine.load("uf")
    length = lengths(m, *poses(m, 6, 5))
    length[2, 0], length[4] = 5.0, np.nan
    np.testing.assert_array_equal(
        forward_kinematics(m, length).joined, [True, True, False, True, False, True]
    )


@pytest.mark.slow
def test_command_counts_what_is_not_proved(tmp_path, capsys):
    m = Machine.load("uf")
    length = lengths(m, *spread(m, 3000, 3, 1.0))
    doubtful = int(np.count_nonzero(~forward_kinematics(m, length).joined))
    assert doubtful > 0
    write_named_csv(
        tmp_path / "in.csv", {f"length_{i + 1}": column for i, column in enumerate(np.asarray(length).T)}
    )
    arguments = ["--in", str(tmp_path / "in.csv"), "--out", str(tmp_path / "out.csv")]
    assert main(["forward", "--machine", "uf", *arguments]) == 0
    assert f"{doubtful} not proved" in capsys.readouterr().err
