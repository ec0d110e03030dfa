# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Every machine keeps the contract: held against other kernels, other programs and differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.machines.every_machine import (
    AS_MULTIBODY,
    EVERY,
    HEXAPODS,
    machine,
    smooth_drives,
    smooth_motion,
)

from pkm_identification.errors import MachineError
from pkm_identification.machines.contract import DEGRADED, FAILED, OK
from pkm_identification.machines.file_numbers import change_document
from pkm_identification.machines.hexapod import Hexapod
from pkm_identification.machines.motions import compute_nearby_motion, mass_and_bias_of_regressors
from pkm_identification.mechanisms.multibody import dynamics
from pkm_identification.mechanisms.multibody.kinematics import MechanismMotion
from pkm_identification.mechanisms.multibody.mechanism import Mechanism

every_machine = pytest.mark.parametrize("name", EVERY)
# Base parameters of 13 spatial bodies take seconds
with_base = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in ("rss", "pus") else name for name in EVERY]
)
CHANGED = {  # numbers of files, and how far they are moved
    "uf": ("geometry.base_joints.2.2", 1e-4),
    "mast": ("constants.H", 1e-4),
    "epaas": ("gravity.2", 1e-2),
    "four-bar": ("constants.l2", 1e-4),
    "delta": ("joints.motor_2.place.0.1", 1e-4),
    "five_bar": ("joints.motor_r.place.0.0", 1e-4),
    "rss": ("joints.ball_3.place.1.2", 1e-4),
    "pus": ("joints.ball_1.place.1.0", 1e-4),
    "serial_arm": ("joints.joint_3.place.0.0", 1e-4),
}
# How far from home the first drive cannot be, m or rad
FURTHER = {
    "uf": 1.0,
    "hexel": 1.0,
    AS_MULTIBODY: 1.0,
    "mast": 1.0,
    "five_bar": 1.1,
    "rss": -2.0,
    "pus": 1.0,
}


def forces(one, motion, values=None):
    values = one.basis.nominal if values is None else values
    return one.compute_regressor(motion, values[:, None])[:, :, 0]


def size_of(force):
    return np.sqrt(np.mean(force**2))


@every_machine
def test_no_rows_have_a_motion_of_no_rows(name):
    one = machine(name)
    none = np.empty((0, len(one.drives)))
    nothing = one.compute_motion(none, none, none, smooth_motion(one)[:0].state)
    assert len(nothing) == 0
    assert one.compute_forces(nothing, one.basis.nominal).shape == none.shape


@every_machine
def test_forces_are_those_of_all_columns(name):
    one = machine(name)
    motion = smooth_motion(one)
    values = one.basis.nominal * (1.0 + 0.1 * np.random.default_rng(4).normal(size=len(one.basis)))
    expected = forces(one, motion, values)
    np.testing.assert_allclose(one.compute_forces(motion, values), expected, atol=1e-9 * np.ptp(expected))


@every_machine
def test_a_nearby_motion_is_closed_from_each_row(name):
    one = machine(name)
    motion = smooth_motion(one)
    size = np.array([drive.size for drive in one.drives])
    for moved in (0.0, 1e-4 * size):
        drives = motion.coordinate + moved, motion.rate + 0.1 * size, motion.acceleration - size
        near, whole = compute_nearby_motion(one, motion, *drives), one.compute_motion(*drives)
        for part, expected in zip(near.state, whole.state, strict=True):
            np.testing.assert_allclose(part, expected, atol=1e-8 * max(1.0, np.abs(expected).max()))
        for part, expected in zip((near.coordinate, near.rate, near.acceleration), drives, strict=True):
            np.testing.assert_array_equal(part, expected)


@every_machine
def test_a_smooth_motion_is_closed_row_by_row(name):
    one = machine(name)
    motion = smooth_motion(one)
    assert (motion.status <= DEGRADED).all()
    assert motion.residual.max() < 1e-9
    part = motion[5:9]
    assert len(part) == 4
    assert all(np.array_equal(a, b[5:9]) for a, b in zip(part.state, motion.state, strict=True))


@pytest.mark.parametrize("name", FURTHER)
def test_a_row_out_of_reach_is_a_status_and_others_stay(name):
    one = machine(name)
    coordinate, rate, acceleration = smooth_drives(one)
    before = one.compute_motion(coordinate, rate, acceleration)
    coordinate = coordinate.copy()
    coordinate[7, 0] += FURTHER[name]
    motion = one.compute_motion(coordinate, rate, acceleration)
    others = np.arange(len(motion)) != 7
    assert motion.status[7] >= FAILED
    assert (motion.status[others] == before.status[others]).all()
    for part, same in zip(motion.state, before.state, strict=True):
        np.testing.assert_allclose(part[others], same[others], atol=1e-9)
    assert np.isfinite(forces(one, motion[others])).all()


@pytest.mark.parametrize("name", HEXAPODS)
def test_a_hexapod_has_the_forces_of_its_bodies(name):
    one = machine(name)
    bodies = type(machine(AS_MULTIBODY))(Mechanism.from_machine(one.description))
    drives = smooth_drives(one)
    own, other = (forces(kind, kind.compute_motion(*drives)) for kind in (one, bodies))
    # 1e-12 of some hundred newtons; passive joints' friction is in both
    np.testing.assert_allclose(own, other, atol=2e-12 * np.abs(own).max())


@every_machine
def test_forces_are_affine_in_the_acceleration(name):
    """Mass and bias, which each machine has kernels for, against n + 1 regressors."""
    one = machine(name)
    motion, rng = smooth_motion(one, 12), np.random.default_rng(0)
    values = one.basis.nominal * rng.uniform(0.5, 1.5, len(one.basis))
    mass, bias = one.compute_mass_and_bias(motion, values)
    other, needed = mass_and_bias_of_regressors(one, motion, values)
    np.testing.assert_allclose(mass, other, atol=1e-10 * np.abs(other).max())
    np.testing.assert_allclose(bias, needed, atol=1e-10 * np.abs(needed).max())
    np.testing.assert_allclose(mass, np.swapaxes(mass, 1, 2), atol=1e-10 * np.abs(mass).max())


@every_machine
def test_the_regressor_leaves_the_drives_friction_to_the_road(name):
    one = machine(name)
    motion, whole = smooth_motion(one, 5), np.eye(len(one.basis))
    columns = one.compute_regressor(motion, whole)
    assert columns.shape == (5, len(one.drives), len(one.basis))
    assert not columns[:, :, one.friction_rows.ravel()].any()
    assert one.friction_rows.shape == (len(one.friction[0].law.names), len(one.drives))
    drives = [one.basis.entries[row].limb for row in one.friction_rows[0]]
    assert drives == list(range(len(one.drives)))
    assert set(one.friction_rows[1]) <= set(one.standstill_rows)


@pytest.mark.slow
@with_base
def test_a_parameter_set_makes_the_forces_of_the_whole_basis(name):
    one = machine(name)
    chosen = one.build_parameter_set("identifiable" if isinstance(one, Hexapod) else "base")
    motion = smooth_motion(one, 15)
    own = forces(one, motion, chosen.mapping @ chosen.nominal + chosen.known)
    whole = forces(one, motion)
    np.testing.assert_allclose(own, whole, atol=1e-9 * size_of(whole))
    assert one.force_size.shape == (len(one.drives),)
    assert (one.force_size > 0.0).all()


@with_base
def test_a_tracker_follows_as_the_batch_does(name):
    one = machine(name)
    chosen = one.build_parameter_set("identifiable" if isinstance(one, Hexapod) else "base").mapping
    motion = smooth_motion(one)
    columns = one.compute_regressor(motion, chosen)
    tracker, written = one.create_tracker(chosen), np.empty(columns.shape[1:])
    for n in range(len(motion)):
        status = tracker.step(motion.coordinate[n], motion.rate[n], motion.acceleration[n])
        assert status == motion.status[n]
        assert tracker.write_columns(written)
        for own, batch in zip(tracker.state, motion.state, strict=True):
            np.testing.assert_allclose(own[0], batch[n], atol=1e-9 * (1.0 + np.abs(batch[n]).max()))
        np.testing.assert_allclose(written, columns[n], atol=1e-8 * np.abs(columns[n]).max())
    tracker.reset()
    assert tracker.residual == 0.0


def test_a_tracker_keeps_the_last_good_state():
    one = machine("mast")
    tracker = one.create_tracker(np.eye(len(one.basis)))
    coordinate, rate, acceleration = (part[0] for part in smooth_drives(one))
    assert tracker.step(coordinate, rate, acceleration) == OK
    good = [part.copy() for part in tracker.state]
    assert tracker.step(coordinate + np.array([0.0, 0.0, 5.0]), rate, acceleration) >= FAILED
    assert all(np.array_equal(a, b) for a, b in zip(good, tracker.state, strict=True))


@pytest.mark.parametrize("name", CHANGED)
def test_a_changed_number_moves_forces_in_proportion(name):
    """Half of a small change makes half of the forces: the path leads to the number, and to it alone."""
    one, (path, step) = machine(name), CHANGED[name]
    drives = smooth_drives(one, 8)
    values = one.basis.nominal
    same = one.with_changes({path: 0.0})
    assert same.basis.names == one.basis.names

    def moved(by):
        other = one.with_changes({path: by})
        return forces(other, other.compute_motion(*drives), values)

    before = forces(one, one.compute_motion(*drives), values)
    np.testing.assert_allclose(moved(0.0), before, atol=1e-9 * size_of(before))
    whole, half = moved(step) - before, moved(0.5 * step) - before
    assert size_of(whole) > 1e-6 * size_of(before)
    np.testing.assert_allclose(2.0 * half, whole, atol=0.02 * np.abs(whole).max())


def test_a_changed_mass_is_the_basis_moved():
    one = machine("delta")
    other = one.with_changes({"bodies.rod_2.mass": 0.05})
    motion = smooth_motion(one)
    row = one.basis.names.index("m_rod_2")
    assert other.basis.nominal[row] == pytest.approx(one.basis.nominal[row] + 0.05)
    moved = other.basis.nominal - one.basis.nominal
    difference = forces(other, motion) - forces(one, motion)
    np.testing.assert_allclose(difference, forces(one, motion, moved), atol=1e-10)


@pytest.mark.parametrize(
    ("path", "word"),
    [("gravity.7", "index"), ("bodies.hat.mass", "hat"), ("name.x", "'x'"), ("joints", "number")],
)
def test_a_path_that_leads_nowhere_is_named(path, word):
    with pytest.raises(MachineError, match=word):
        change_document(machine("delta").document, {path: 1.0})


def test_passive_joints_friction_is_part_of_the_basis():
    """Against the forces that the bodies' own dynamics state with friction."""
    plain = machine("delta").document
    joints = {name: dict(joint) for name, joint in plain["joints"].items()}
    joints["elbow_2"]["friction"] = {"viscous": "0.02", "coulomb": "0.05"}
    one = type(machine("delta"))(Mechanism.from_document({**plain, "joints": joints}))
    motion = smooth_motion(one)
    whole = MechanismMotion(*motion.state, motion.coordinate, motion.rate, motion.acceleration)
    expected = dynamics.forces(one.mechanism, whole)
    np.testing.assert_allclose(forces(one, motion), expected, atol=1e-11 * np.abs(expected).max())
    assert [one.basis.names[row] for row in one.standstill_rows][-1] == "coulomb_elbow_2"


def test_drives_of_one_machine_may_have_units_of_their_own():
    one = machine("serial_arm")
    assert [drive.unit for drive in one.drives] == ["rad", "m", "rad"]
    units = [one.basis.entries[row].unit for row in one.friction_rows[0]]
    assert units == ["N m s/rad", "N s/m", "N m s/rad"]
    assert replace(one.drives[1], name="x").force_unit == "N"


@every_machine
def test_a_file_with_its_defaults_written_out_is_the_same_machine(name):
    one = machine(name)
    if name == AS_MULTIBODY:
        return  # its file is the hexapod's
    assert set(
        one.description.document if isinstance(one, Hexapod) else one.mechanism.description.document
    ) <= (set(one.document))
    again = one.with_changes({f"gravity.{k}": 0.0 for k in range(3)})
    assert again.basis.names == one.basis.names
    np.testing.assert_array_equal(again.basis.nominal, one.basis.nominal)
    paths = [path for places in one.joint_places.values() for path in places]
    moved = one.with_changes(dict.fromkeys(paths, 0.0))
    motion = smooth_motion(one, 3)
    np.testing.assert_allclose(
        forces(moved, motion), forces(one, motion), atol=1e-9 * size_of(forces(one, motion))
    )


def with_tolerances(name, **section):
    one = machine(name)
    return type(one)(Mechanism.from_document(one.mechanism.description.document | {"tolerances": section}))


def test_tolerances_of_a_mechanism_are_independent_numbers_by_drive_and_path():
    one = with_tolerances(
        "five_bar", force_offset=["0.1", "0.2"], force_gain="0.01", force_delay="1e-3", joint_places="1e-4",
        gravity_direction="0.02", numbers={"bodies.near.mass": "0.05"},
    )  # fmt: skip
    stated = [each for each in one.knowledge.numbers if each.how == "width"]
    found = {each.name: each for each in stated}
    assert len(found) == len(stated) == 2 + 2 + 1 + 2 + 6 * 5
    assert (found["force_offset_right"].width, found["force_offset_right"].drives) == (0.2, (1,))
    assert found["force_gain_left"].unit == ""
    assert found["force_delay"].drives == (0, 1)
    tilt = found["gravity_direction_1"]
    moved = one.with_changes({path: tilt.width * share for path, share in tilt.paths.items()})
    assert moved.gravity @ one.gravity / 9.81**2 == pytest.approx(1.0, abs=1e-9)
    assert np.linalg.norm(moved.gravity - one.gravity) == pytest.approx(0.02 * 9.81)
    (near,) = (body for body in one.knowledge.bodies if body.name == "near")
    assert (near.mass.how, near.mass.key) == ("width", "bodies.near.mass")


def test_tolerances_of_a_hexapod_are_those_of_its_file():
    one = machine("uf")
    document = {**one.description.document, "tolerances": {"joint_places": 3e-4, "length_scale": 1e-3}}
    found = Hexapod(type(one.description).from_document(document)).knowledge.numbers
    assert [each.width for each in found if each.kind == "joint_places"] == [3e-4] * 36
    scales = [each for each in found if each.kind == "coordinate_scale"]
    assert [(each.drives, each.how) for each in scales] == [((i,), "width") for i in range(6)]
    assert {each.how for each in one.knowledge.of_kind("coordinate_scale")} == {"default"}


@pytest.mark.parametrize(
    ("section", "word"),
    [
        ({"force_gain": "0.9"}, "force_gain"), ({"force_offset": ["1", "2", "3"]}, "2 numbers"),
        ({"numbers": {"constants.L": "-1"}}, "greater"), ({"length_offset": "1"}, "unknown key"),
    ],
)  # fmt: skip
def test_a_wrong_tolerance_is_named(section, word):
    with pytest.raises(MachineError, match=word):
        with_tolerances("five_bar", **section)


@with_base
def test_values_go_into_a_file_whose_forces_are_theirs(name):
    """Also where the values stand for sums that the file's bodies have not."""
    if name == AS_MULTIBODY:
        return  # its file is the hexapod's
    one = machine(name)
    rng, basis = np.random.default_rng(3), np.array(one.basis.nominal)
    bodies = [entry.body for entry in one.basis]
    for body in sorted(set(bodies)):
        basis[[other == body for other in bodies]] *= rng.uniform(0.95, 1.05)
    if one.build_transfers(1e-3) is not None:  # whose motors' inertia stands among the actuators' numbers
        turning = [entry.symbol in ("inertia", "m_m") for entry in one.basis]
        basis[turning] = one.basis.nominal[turning]
    found = one.with_values(basis)
    assert found.name == f"{one.name}_identified"
    motion, again = smooth_motion(one), smooth_motion(found)
    np.testing.assert_allclose(
        forces(found, again), forces(one, motion, basis), atol=1e-9 * np.max(one.force_size)
    )


def test_joints_at_zero_move_a_little_together():
    """What stays at zero is no measure of the others: 0.3 m is no mistake beside a micrometre."""
    one = machine("epaas")
    paths = [path for joint in one.joint_places.values() for path in joint]
    moved = one.with_changes(dict.fromkeys(paths, 1e-6) | {"gravity.0": 1e-9})
    motion = smooth_motion(one)
    change = np.abs(forces(moved, smooth_motion(moved)) - forces(one, motion)).max()
    assert 0.0 < change < 1e-3 * size_of(forces(one, motion))


@pytest.mark.parametrize("name", ["mast", "delta", "five_bar", "four-bar", "epaas", "rss", "serial_arm"])
def test_a_moment_far_too_large_does_not_make_a_machine_larger(name):
    one = machine(name)
    bodies = [body for body in one.knowledge.bodies if all(number.value > 0.0 for number in body.moments)]
    numbers = [*bodies[-1].moments, *bodies[-1].products]
    wrong = one.with_changes({path: 1e9 * number.value for number in numbers for path in number.paths})
    assert wrong.size == pytest.approx(one.size, rel=1.0)
