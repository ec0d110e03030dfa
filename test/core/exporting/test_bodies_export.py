# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Files for other programs of machines of bodies and joints: C that computes our forces, URDF as pinocchio reads it."""

from __future__ import annotations

import copy
import json

import numpy as np
import pinocchio as pin
import pytest
from core.exporting.compiled_c import COMPILER, compiled, pointer
from core.machines.every_machine import AS_MULTIBODY, WRITTEN, machine, smooth_drives

from pkm_identification.cli import main
from pkm_identification.errors import SettingsError
from pkm_identification.exporting.formats import format_machine_text
from pkm_identification.machines.load import load_machine, read_machine
from pkm_identification.mechanisms.multibody.dynamics import forces, open_tree_forces
from pkm_identification.mechanisms.multibody.kinematics import motion_of_drives

RUBBING = {"friction": {"viscous": "0.02", "coulomb": "0.05"}}


def with_friction(name: str):
    """A machine whose drives and passive joints rub."""
    made = copy.deepcopy(WRITTEN[name]())
    count = len(made["drives"])
    made["friction"] = {"law": "stribeck", "viscous": [0.3] * count, "coulomb": [0.5] * count,
                        "static_ratio": 1.4, "stribeck_rate": [0.05 / (1 + k) for k in range(count)],
                        "joints": {"transition_rate": "0.01"}}  # fmt: skip
    for joint in made["joints"].values():
        if joint["type"] in ("universal", "spherical"):
            joint |= RUBBING
    return read_machine(made)


MACHINES = ("mast", "epaas", "four-bar", "suspension", AS_MULTIBODY, *WRITTEN)
CASES = {name: lambda name=name: machine(name) for name in MACHINES}
CASES |= {f"{name} with friction": lambda name=name: with_friction(name) for name in ("delta", "rss")}


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")
@pytest.mark.parametrize("name", CASES)
def test_forces_in_c_are_ours(name, tmp_path):
    mechanism = CASES[name]().mechanism
    library = compiled(format_machine_text(mechanism, "c"), tmp_path)
    prefix = "".join(letter if letter.isalnum() else "_" for letter in mechanism.name)
    run, home = getattr(library, f"{prefix}_forces"), getattr(library, f"{prefix}_home")
    state, force = np.zeros(mechanism.tree.coordinates), np.zeros(mechanism.degrees_of_freedom)
    home(pointer(state))
    np.testing.assert_array_equal(state, mechanism.home)
    drives = smooth_drives(CASES[name]())
    ours = forces(mechanism, motion_of_drives(mechanism, *drives))
    for row, expected in zip(zip(*drives, strict=True), ours, strict=True):
        assert (
            run(*(pointer(np.ascontiguousarray(part)) for part in row), pointer(state), pointer(force)) == 0
        )
        np.testing.assert_allclose(force, expected, atol=1e-9 * np.abs(ours).max())
    before = force.copy(), state.copy()
    far = np.full(len(force), 1e3 if mechanism.loops else np.nan)
    assert run(pointer(far), pointer(far), pointer(far), pointer(state), pointer(force)) == 1
    np.testing.assert_array_equal(force, before[0])
    np.testing.assert_array_equal(state, before[1])


@pytest.mark.parametrize("name", ["serial_arm", "epaas", "pendulum"])
def test_a_tree_as_urdf_has_our_forces_in_pinocchio(name):
    mechanism = machine(name).mechanism
    model = pin.buildModelFromXML(format_machine_text(mechanism, "urdf"))
    model.gravity.linear = np.asarray(mechanism.description.gravity, dtype=float)
    assert model.nv == mechanism.tree.velocities
    order = [model.names.tolist().index(joint) for joint in urdf_joints(mechanism)]
    rng = np.random.default_rng(1)
    for _ in range(5):
        q, v, a = rng.uniform(-0.8, 0.8, (3, model.nv))
        ours = open_tree_forces(mechanism, q[None], v[None], a[None])[0]
        theirs = [np.zeros(model.nv) for _ in range(3)]
        for part, values in zip(theirs, (q, v, a), strict=True):
            for k, joint in enumerate(order):
                part[model.joints[joint].idx_v] = values[k]
        found = pin.rnea(model, model.createData(), *theirs)
        found = [found[model.joints[joint].idx_v] for joint in order]
        np.testing.assert_allclose(found, ours, atol=1e-9 * np.abs(ours).max())


def urdf_joints(mechanism) -> list[str]:
    """Names of the joints of the URDF in the order of the tree's velocities."""
    names = [""] * mechanism.tree.velocities
    for joint, frames in mechanism.tree.joint_frames.items():
        for number, f in enumerate(frames, 1):
            names[mechanism.tree.frames[f].velocity] = joint if len(frames) == 1 else f"{joint}_{number}"
    return names


@pytest.mark.parametrize(
    ("name", "form", "says"),
    [
        ("mast", "linuxcnc", "needs a hexapod; 'mast' is none"),
        ("mast", "stl", "must be one of"),
    ],
)
def test_what_a_machine_has_not_is_refused(name, form, says):
    with pytest.raises(SettingsError, match=says):
        format_machine_text(machine(name), form)


def test_keys_are_set_in_any_machine_file(tmp_path):
    path, mast = tmp_path / "made.yaml", machine("mast").mechanism
    keys = ["--set", f"bodies.{mast.description.bodies[0].name}.mass=3.5", "--set", "gravity=[0, 0, -1.62]"]
    assert main(["export", "--machine", "mast", *keys, "--out", str(path)]) == 0
    again = load_machine(path)
    assert again.mechanism.parameters[0][0] == 3.5
    np.testing.assert_allclose(again.gravity, [0.0, 0.0, -1.62])
    np.testing.assert_allclose(again.mechanism.parameters[1:], mast.parameters[1:])


def saved_of(one, values, std, path, **more) -> str:
    """An estimate.json of a machine's base parameters."""
    parameters = one.build_parameter_set("base")
    state = {"names": list(parameters.names), "mean": values.tolist(), "covariance": np.diag(std**2).tolist(),
             "count": 100, "time": 1.0}  # fmt: skip
    entries = [
        {
            "name": name,
            "value": value,
            "std": deviation,
            "unit": unit,
            "status": "identifiable",
            "nominal": 0.0,
        }
        for name, value, deviation, unit in zip(
            parameters.names, values.tolist(), std.tolist(), parameters.units, strict=True
        )
    ]
    document = {"schema": 1, "machine": one.name, "machine_hash": one.hash, "estimator": "ls", "converged": True,
                "parameter_set": "base", "stated": "", "state": state, "parameters": entries, **more}  # fmt: skip
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("name", ["five_bar", "delta", "mast"])
def test_an_estimate_goes_into_any_machine_file(name, tmp_path, capsys):
    """What is found is exact where rigid bodies have it, and near in its deviations where none has."""
    one = machine(name)
    source = tmp_path / "source.yaml"
    source.write_text(format_machine_text(one, "yaml"), encoding="utf-8")
    one = load_machine(source)
    parameters = one.build_parameter_set("base")
    std = 0.02 * np.maximum(np.abs(parameters.nominal), 1e-3 * np.abs(parameters.nominal).max())
    values = parameters.nominal + std * np.random.default_rng(4).standard_normal(len(std))
    estimate = saved_of(one, values, std, tmp_path / "estimate.json")
    out = str(tmp_path / "identified.yaml")
    assert main(["export", "--machine", str(source), "--estimate", estimate, "--out", out]) == 0
    found = load_machine(out).build_parameter_set("base")
    assert found.names == parameters.names
    shift = np.abs(found.nominal - values) / std
    said = "no rigid bodies have these values" in capsys.readouterr().err
    assert shift.max() < (3.0 if said else 1e-6)
    assert main(["export", "--machine", "four-bar", "--estimate", estimate, "--out", out]) == 2
    assert "belongs to machine" in capsys.readouterr().err
