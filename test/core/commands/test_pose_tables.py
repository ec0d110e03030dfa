# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0


"""pkm inverse, forward, forces with tables of poses, of any platform with a pose."""

from __future__ import annotations

import numpy as np
import pytest
import yaml

from benchmarks.field import parallel_machines as documents
from pkm_identification.cli import main
from pkm_identification.machines.load import load_machine
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.rotation import matrix_from_vector
from pkm_identification.records.mechanism_csv import read_named_csv, write_named_csv
from pkm_identification.records.motion_csv import write_motion_csv


def run(command, machine, source, out, *more):
    return main([command, "--machine", str(machine), "--in", str(source), "--out", str(out), *more])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["rss", "pus"])
def test_poses_become_drives_and_poses_again_and_equal_those_of_the_outputs(tmp_path, kind):
    file = tmp_path / f"{kind}.yaml"
    file.write_text(yaml.safe_dump(getattr(documents, kind)(), sort_keys=False))
    machine = load_machine(file)
    rng = np.random.default_rng(1)
    home, turned = machine.home_pose
    position = home + rng.uniform(-0.01, 0.01, (5, 3))
    rotation = matrix_from_vector(rng.uniform(-0.05, 0.05, (5, 3))) @ turned
    twist, second = 0.1 * rng.normal(size=(5, 6)), rng.normal(size=(5, 6))
    poses, drives, back, forces, outputs, same = (tmp_path / f"{i}.csv" for i in range(6))
    write_motion_csv(poses, PlatformMotion(0.1 * np.arange(5), position, rotation, twist, second))
    assert run("inverse", file, poses, drives) == 0
    assert run("forward", file, drives, back, "--angles", "rpy") == 0
    assert run("forces", file, poses, forces) == 0
    found = read_named_csv(back, ["px", "py", "pz"]).values
    np.testing.assert_allclose(found, position, atol=1e-12)
    motion = machine.compute_motion_of_pose(position, rotation, twist, second)
    write_named_csv(
        outputs,
        {
            one.name: column
            for one, column in zip(machine.outputs, machine.compute_outputs(motion)[0].T, strict=True)
        },
    )
    assert run("inverse", file, outputs, same) == 0
    names = [drive.name for drive in machine.drives]
    np.testing.assert_allclose(
        read_named_csv(same, names).values, read_named_csv(drives, names).values, atol=1e-12
    )
    friction = [entry.kind.friction for entry in machine.basis]
    smooth = np.where(friction, 0.0, machine.basis.nominal)
    assert run("forces", file, poses, forces, "--no-friction") == 0
    found = read_named_csv(forces, [drive.force_name for drive in machine.drives]).values
    np.testing.assert_allclose(found, machine.compute_forces(motion, smooth), rtol=1e-9)


def test_a_pose_out_of_reach_is_refused_with_its_row(tmp_path, capsys):
    file = tmp_path / "rss.yaml"
    file.write_text(yaml.safe_dump(documents.rss(), sort_keys=False))
    source = tmp_path / "far.csv"
    source.write_text("px,py,pz,qx,qy,qz,qw\n5,5,5,0,0,0,1\n")
    assert run("inverse", file, source, tmp_path / "out.csv") == 2
    assert "row 1" in capsys.readouterr().err
    assert not (tmp_path / "out.csv").exists()
