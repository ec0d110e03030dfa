# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What joints that are elsewhere add to forces, without closing a changed machine: against machines closed there."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest
from core.machines.every_machine import MECHANISMS, machine, smooth_drives
from core.machines.test_oracles import DRIVEN, bodies_alone
from core.mechanisms.multibody.random_graphs import random_mechanism

from benchmarks.mechanism_peers import PinocchioMechanism
from pkm_identification.machines.load import load_machine, read_machine
from pkm_identification.machines.multibody import Multibody
from pkm_identification.machines.place_slopes import compute_place_slopes
from pkm_identification.mechanisms.multibody.description.reader import parse_text
from pkm_identification.mechanisms.multibody.mechanism import Mechanism, builtin_mechanisms

STEP = 1e-5  # of half the machine's size, to either side


def list_paths(one):
    return [path for places in one.joint_places.values() for path in places]


def differentiate(one, drives, values, path):
    """Return the slope (N, n) by a place, of machines that are closed on either side of it."""
    step = STEP * 0.5 * one.size
    sides = (one.with_changes({path: sign * step}) for sign in (1.0, -1.0))
    ahead, behind = (side.compute_forces(side.compute_motion(*drives), values) for side in sides)
    return (ahead - behind) / (2.0 * step)


def check_slopes(one, paths, share=1e-5, part=0.1):
    drives = smooth_drives(one, 6, part=part)
    values = one.basis.nominal
    found = compute_place_slopes(one, one.compute_motion(*drives), values, paths)
    expected = np.stack([differentiate(one, drives, values, path) for path in paths], axis=2)
    # of the first order in a hundred-thousandth of half the size
    np.testing.assert_allclose(found, expected, atol=share * np.abs(expected).max())


@pytest.mark.slow
@pytest.mark.parametrize("name", MECHANISMS)
def test_they_are_slopes_of_machines_that_are_closed_anew(name):
    one = machine(name)
    paths = list_paths(one)
    check_slopes(one, paths[:: 1 + len(paths) // 60])


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in DRIVEN if name in ("delta", "rss", "pus", "arm_7")])
def test_they_are_slopes_of_pinocchios_forces(name):
    one = machine(name)
    drives, values, step = smooth_drives(one, 3), bodies_alone(one), STEP * 0.5 * one.size
    paths = list_paths(one)[::7]
    found = compute_place_slopes(one, one.compute_motion(*drives), values, paths)

    def compute_theirs(changed):
        oracle, motion = PinocchioMechanism(changed.mechanism), changed.compute_motion(*drives)
        return np.array([oracle.driven_forces(*state) for state in zip(*motion.state, strict=True)])

    sides = [[compute_theirs(one.with_changes({path: sign * step})) for sign in (1, -1)] for path in paths]
    theirs = np.stack([(ahead - behind) / (2.0 * step) for ahead, behind in sides], axis=2)
    np.testing.assert_allclose(found, theirs, atol=1e-5 * np.abs(theirs).max())


def test_a_hexapod_has_them_by_differences():
    hexapod = load_machine("uf")
    check_slopes(hexapod, list_paths(hexapod)[:6], share=1e-4)  # one-sided, of a ten-thousandth


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "loops"), [(24, 1), (65, 2)])
def test_any_graph_of_joints_has_them(seed, loops):
    one = Multibody(random_mechanism(seed, loops))
    check_slopes(one, list_paths(one), share=2e-4, part=0.01)  # some are near dead points


@pytest.mark.slow
@pytest.mark.parametrize("backwards", [False, True])
def test_friction_of_joints_is_where_they_are(backwards):
    given = deepcopy(parse_text(builtin_mechanisms()["mast"]))
    for name in ("hinge_1", "ball_2", "ball_3"):
        given["joints"][name]["friction"] = {"viscous": "0.2", "coulomb": "0.7"}
    if backwards:
        given["joints"] = dict(reversed(given["joints"].items()))
        given.pop("closed_form", None)
    one = Multibody(Mechanism.from_document(given))
    # friction that reverses within a step of the joints is not linear in it
    check_slopes(one, list_paths(one)[::3], 2e-4)


def test_a_place_with_which_no_loop_closes_adds_nothing():
    """Four parallel hinges: one that is elsewhere along its axis is told by constraints that say nothing else."""
    given = deepcopy(parse_text(builtin_mechanisms()["four-bar"]))
    for body in given["bodies"].values():
        body.update(planar=False, inertia=["0.1", "0.1", "0.1", "0", "0", "0"])
    one = read_machine(given)
    assert one.mechanism.redundant_constraints
    paths = list_paths(one)
    motion = one.compute_motion(*smooth_drives(one, 4))
    slopes = np.abs(compute_place_slopes(one, motion, one.basis.nominal, paths)).max(axis=(0, 1))
    across = np.array([path.endswith(".2") for path in paths])
    assert slopes[across].max() == 0.0
    assert slopes[~across].max() > 0.0
