# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""C99 source of the inverse dynamics: compiles without a warning and gives our forces."""

from __future__ import annotations

import re

import numpy as np
import pytest
from core.exporting.compiled_c import COMPILER, compiled, pointer
from core.mechanisms.hexapod.machine_variants import changed, document, machine, untidy, with_joint

from pkm_identification.cli import main
from pkm_identification.exporting.c_code import c_code, c_name
from pkm_identification.mechanisms.hexapod.dynamics import basis_parameters, strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.rotation import matrix_from_quaternion, matrix_from_vector

STATES = 100
pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")

JOINTS = {
    "base": {"coulomb": [0.5] * 6, "viscous": [0.2, 0.3, 0.1, 0.2, 0.2, 0.4]},
    "platform": {"coulomb": [0.4] * 6, "viscous": [0.1] * 6},
    "transition_rate": 0.05,
}


def law(name: str, **numbers):
    made = untidy("uf", seed=5)
    made["friction"] = {**made["friction"], "law": name, **numbers}
    return made


MACHINES = {
    "uf": document("uf"),
    "hexel": document("hexel"),
    "ford": document("ford"),
    "untidy": untidy("uf", seed=3),
    "no spin": with_joint(untidy("uf", seed=3), "no_spin"),
    "hinges at the platform": with_joint(untidy("uf", seed=3), "platform", "radial"),
    "source": law("source"),
    "smooth": law("smooth"),
    "stribeck": law("stribeck", static_ratio=1.5, stribeck_rate=0.01),
    "asymmetric": law("asymmetric", asymmetry=[3.0, -2.0, 1.0, 0.0, 2.0, -1.0]),
    "joints rub": changed(untidy("uf", seed=3), friction__joints=JOINTS),
    "joints at the platform rub": changed(
        with_joint(untidy("uf", seed=3), "platform", "radial"), friction__joints=JOINTS
    ),
}


def compiled_functions(it: Machine, folder):
    library, prefix = compiled(c_code(it), folder), c_name(it.name)
    return getattr(library, f"{prefix}_forces"), getattr(library, f"{prefix}_rotation")


def states(it: Machine, seed: int) -> PlatformMotion:
    """Random poses about home, fast and slow motion: some struts within the transition of friction."""
    rng = np.random.default_rng(seed)
    size = 0.1 * it.length_scale
    turns = np.array([matrix_from_vector(0.15 * rng.normal(size=3)) for _ in range(STATES)])
    speed = 10.0 ** rng.uniform(-4, 0, (STATES, 1))
    scale = np.repeat([it.length_scale, 1.0], 3)
    return PlatformMotion(
        time=np.arange(STATES) * 1.0,
        position=it.home_position + size * rng.uniform(-1, 1, (STATES, 3)),
        rotation=turns @ it.home_rotation,
        twist=speed * scale * rng.normal(size=(STATES, 6)),
        acceleration=10 * scale * rng.normal(size=(STATES, 6)),
    )


@pytest.mark.parametrize("name", MACHINES)
def test_the_compiled_source_gives_our_forces(name, tmp_path):
    it = Machine.from_document(MACHINES[name])
    forces, _ = compiled_functions(it, tmp_path)
    motion = states(it, 1)
    payload = np.array([3.0, 0.1, -0.2, 0.3, 0.2, 0.3, 0.4, 0.01, -0.02, 0.03])
    phi = basis_parameters(it)
    phi[:10] += payload
    for load, ours in ((None, strut_forces(it, motion)), (payload, strut_forces(it, motion, parameters=phi))):
        assert np.isfinite(ours).all()
        lengths = strut_lengths(it, motion.position, motion.rotation)
        for n in range(STATES):
            force, length, rate = np.zeros(6), np.zeros(6), np.zeros(6)
            arguments = (
                np.ascontiguousarray(array[n])
                for array in (motion.position, motion.rotation, motion.twist, motion.acceleration)
            )
            assert forces(*map(pointer, (*arguments, load, force, length, rate))) == 0
            assert np.abs(force - ours[n]).max() <= 1e-12 * np.abs(ours[n]).max()
            np.testing.assert_allclose(length, lengths[n], rtol=1e-14)


def test_a_singular_pose_and_missing_numbers_are_refused(tmp_path):
    it = machine("uf")
    forces, rotation = compiled_functions(it, tmp_path)
    quaternion = np.array([0.1, -0.2, 0.3, 0.9]) / np.linalg.norm([0.1, -0.2, 0.3, 0.9])
    turned = np.zeros(9)
    rotation(pointer(quaternion), pointer(turned))
    np.testing.assert_allclose(turned.reshape(3, 3), matrix_from_quaternion(quaternion), atol=1e-15)
    rest, upright = np.zeros(6), np.eye(3).ravel()
    flat = np.zeros(3)  # both ends of the struts in one plane
    force = np.full(6, 7.0)
    assert forces(*map(pointer, (flat, upright, rest, rest, None, force, None, None))) == 1
    nowhere = np.array([0.0, np.nan, 0.5])
    assert forces(*map(pointer, (nowhere, upright, rest, rest, None, force, None, None))) == 1
    assert (force == 7.0).all()


@pytest.mark.parametrize(
    ("name", "prefix"), [("uf", "uf"), ("uf-2 left", "uf_2_left"), ("6x", "machine_6x"), ("Ä", "machine__")]
)
def test_names_become_names_of_c(name, prefix):
    assert c_name(name) == prefix
    assert re.fullmatch("[A-Za-z][A-Za-z0-9_]*", prefix)


def test_a_name_cannot_end_the_comment(tmp_path):
    it = Machine.from_document(changed("uf", name="a*/ int x; /*"))
    compiled_functions(it, tmp_path)


def test_the_source_allocates_nothing_and_calls_nothing_unsaid():
    text = re.sub(r"/\*.*?\*/", "", c_code(machine("uf")), flags=re.S)
    called = set(re.findall(r"\b([a-z_]+)\(", text)) - set(re.findall(r"static [\w ]+?\b(\w+)\(", text))
    assert called <= {"for", "if", "return", "sqrt", "fabs", "uf_forces", "uf_rotation"}


def test_the_command_writes_both(tmp_path, capsys):
    for name in ("uf.c", "uf.hal"):
        assert main(["export", "--machine", "uf", "--out", str(tmp_path / name)]) == 0
    assert "uf_forces" in (tmp_path / "uf.c").read_text()
    assert main(["export", "--machine", "mast", "--out", str(tmp_path / "mast.hal")]) == 2
    assert "linuxcnc: needs a hexapod" in capsys.readouterr().err
    assert not (tmp_path / "mast.hal").exists()
