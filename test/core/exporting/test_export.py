# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Descriptions of a machine for other programs: read back by those programs, they are the same machine."""

from __future__ import annotations

import json
import re

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from core.mechanisms.hexapod.machine_variants import machine, untidy, with_joint
from core.platform_motions import six_axes

from pkm_identification.cli import main
from pkm_identification.errors import MachineError
from pkm_identification.exporting.display import create_tree
from pkm_identification.exporting.formats import format_machine_text
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.hexapod.dynamics import basis_parameters, regressor, strut_forces
from pkm_identification.mechanisms.hexapod.identified import identified_machine
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters

MACHINES = ("uf", "hexel", "ford", "untidy", "platform")


def made(name: str) -> Machine:
    if name == "platform":
        return machine(with_joint(untidy("uf", seed=3), "platform", "radial"))
    return machine(untidy("uf", seed=3)) if name == "untidy" else machine(name)


def place_joints(it: Machine, position, rotation):
    """Values of the joints of the tree at a pose, by name."""
    tree = create_tree(load_machine(it), "test")
    state = np.concatenate([position, rotation.ravel(), np.zeros(12)])
    return dict(zip(tree.names, tree.compute(state).tolist(), strict=True))


def assert_shown(it, model, values, position, rotation):
    """With these values of the joints, a reader has platform and struts where they are at that pose."""
    data, q = model.createData(), np.zeros(model.nq)
    for joint, value in values.items():
        q[model.joints[model.getJointId(joint)].idx_q] = value
    pin.framesForwardKinematics(model, data, q)
    frame = data.oMf[model.getFrameId("platform")]
    np.testing.assert_allclose(frame.translation, position, atol=1e-12)
    np.testing.assert_allclose(frame.rotation, rotation, atol=1e-12)
    for i in range(6):
        tip = data.oMf[model.getFrameId(f"strut_{i + 1}_e")].translation
        np.testing.assert_allclose(tip, position + rotation @ it.platform_joints[i], atol=1e-12)
        foot = data.oMf[model.getFrameId(f"strut_{i + 1}_b")].translation
        np.testing.assert_allclose(foot, it.base_joints[i], atol=1e-12)


@pytest.mark.parametrize("name", MACHINES)
def test_a_urdf_reader_finds_the_struts_where_the_platform_is(name):
    it = made(name)
    model = pin.buildModelFromXML(format_machine_text(it, "urdf"))
    motion = six_axes(it, 2).at(np.linspace(0, 3, 7))
    for position, rotation in zip(motion.position, motion.rotation, strict=True):
        values = place_joints(it, position, rotation)
        assert_shown(it, model, values, position, rotation)
        lengths = np.linalg.norm(position + it.platform_joints @ rotation.T - it.base_joints, axis=1)
        np.testing.assert_allclose([values[joint] for joint in it.joint_names], lengths, atol=1e-12)


@pytest.mark.parametrize("name", MACHINES)
def test_joints_from_home_are_zero_there(name):
    """What a viewer shows that nobody tells positions; elsewhere the joints are those less home's."""
    it = made(name)
    model = pin.buildModelFromXML(format_machine_text(it, "urdf-home"))
    home = place_joints(it, it.home_position, it.home_rotation)
    assert_shown(it, model, dict.fromkeys(home, 0.0), it.home_position, it.home_rotation)
    motion = six_axes(it, 2).at(np.linspace(0.5, 3, 3))
    for position, rotation in zip(motion.position, motion.rotation, strict=True):
        values = place_joints(it, position, rotation)
        assert_shown(it, model, {name: values[name] - home[name] for name in home}, position, rotation)
    assert (model.lowerPositionLimit <= 0).all()
    assert (model.upperPositionLimit >= 0).all()


def test_the_file_says_where_joints_are_at_home():
    it = made("untidy")
    text = format_machine_text(it, "urdf")
    remark = next(line for line in text.splitlines() if line.startswith("<!-- Joints at home"))
    said = {name: float(value) for name, value in re.findall(r"(\w+) (-?[\d.e-]+)[, ]", remark)}
    home = place_joints(it, it.home_position, it.home_rotation)
    assert said.keys() == home.keys()
    np.testing.assert_allclose([said[name] for name in home], [*home.values()], rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("name", MACHINES)
def test_a_urdf_reader_finds_the_masses(name):
    it = made(name)
    model = pin.buildModelFromXML(format_machine_text(it, "urdf"))
    links = {"platform": it.platform}
    for i, strut in enumerate(it.struts, 1):
        links |= {f"strut_{i}_b": strut.body_b, f"strut_{i}_e": strut.body_e}
    for name, body in links.items():
        found = model.inertias[model.frames[model.getFrameId(name)].parentJoint]
        np.testing.assert_allclose(found.mass, body.mass, rtol=1e-12)
    np.testing.assert_allclose(
        sum(body.mass for body in model.inertias), sum(body.mass for body in links.values()), rtol=1e-12
    )


def test_identified_values_give_the_forces_of_the_regressor():
    nominal = made("untidy")
    parameters = list_hexapod_parameters(nominal, "extended")
    rng = np.random.default_rng(4)
    values = parameters.nominal * (1 + 0.1 * rng.uniform(-1, 1, len(parameters.names)))
    identified = identified_machine(nominal, parameters.mapping @ values + parameters.known)
    motion = six_axes(nominal, 5).at(np.linspace(0, 3, 50))
    mapping = np.column_stack([parameters.mapping, parameters.known])
    predicted = regressor(nominal, motion, mapping) @ np.append(values, 1.0)
    np.testing.assert_allclose(strut_forces(identified, motion), predicted, rtol=1e-9, atol=1e-9)


def test_impossible_values_are_refused_by_name():
    it = made("uf")
    basis = basis_parameters(it)
    basis[4] = -0.1
    with pytest.raises(MachineError, match=r"not consistent.*platform"):
        identified_machine(it, basis)


@pytest.fixture
def estimate_file(tmp_path):
    it = machine("uf")
    parameters = list_hexapod_parameters(it, "identifiable")
    path = tmp_path / "estimate.json"
    state = {
        "names": parameters.names,
        "mean": (1.1 * parameters.nominal).tolist(),
        "covariance": np.diag(parameters.scale**2 * 1e-6).tolist(),
        "count": 100,
        "time": 1.0,
    }
    path.write_text(json.dumps({"schema": 1, "machine": "uf", "machine_hash": it.hash, "state": state}))
    return path


def test_the_command_writes_what_it_is_asked_for(tmp_path, estimate_file):
    common = ["export", "--machine", "uf", "--estimate", str(estimate_file), "--out"]
    for name in ("uf.urdf", "uf.xml", "uf.yaml"):
        assert main([*common, str(tmp_path / name)]) == 0
    again = Machine.load(str(tmp_path / "uf.yaml"))
    np.testing.assert_allclose(again.platform.mass, 1.1 * machine("uf").platform.mass, rtol=1e-12)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "uf.xml"))
    np.testing.assert_allclose(model.body("platform").mass, again.platform.mass, rtol=1e-12)
    assert pin.buildModelFromUrdf(str(tmp_path / "uf.urdf")).nq == 21


def test_an_estimate_in_doubt_is_written_and_told(tmp_path, estimate_file, capsys):
    document = json.loads(estimate_file.read_text())
    document["parameters"] = [
        {"name": "m_p", "status": "in_doubt"},
        {"name": "m_b", "status": "identifiable"},
    ]
    estimate_file.write_text(json.dumps(document))
    out = tmp_path / "uf.yaml"
    assert main(["export", "--machine", "uf", "--estimate", str(estimate_file), "--out", str(out)]) == 1
    assert out.exists()
    assert re.search(r"affected .*: m_p\n$", capsys.readouterr().err)


def test_another_machines_estimate_is_refused(tmp_path, estimate_file, capsys):
    out = tmp_path / "hexel.urdf"
    code = main(["export", "--machine", "hexel", "--estimate", str(estimate_file), "--out", str(out)])
    assert code == 2
    assert "belongs to machine 'uf'" in capsys.readouterr().err
    assert not out.exists()


def test_a_name_that_tells_no_format_is_refused(tmp_path, capsys):
    assert main(["export", "--machine", "uf", "--out", str(tmp_path / "machine.txt")]) == 2
    assert "give --format" in capsys.readouterr().err
