# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Numbers of a hexapod's file in another unit: refused with key, range and the unit that fits; right ones load."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import document, edited, refused

from benchmarks.field.drawn_machines import draw_hexapod
from benchmarks.field.machine_files import HEXAPOD_KEYS, cases, in_unit, judge
from pkm_identification.cli import main
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.plausibility import compute_smallest_radius

INERTIA = [0.0907612, 0.0907612, 0.1812836, 0.0, 0.0, 0.0]  # of the uf's platform


@pytest.mark.parametrize(
    ("key", "value", "unit"),
    [
        ("strut.body_e.center_of_mass", 150, "mm?"),
        ("strut.body_b.center_of_mass", 10, "; cm?"),
        ("platform.center_of_mass", [0.0, 0.0, 35.0], "mm or cm?"),
        ("gravity", [0.0, 0.0, -9810], "mm/s^2?"),
        ("gravity", [0.0, 0.0, -1.0], "; g?"),
        ("platform.mass", 4820, "; g?"),
        ("strut.body_e.mass", 1790, "; g?"),
        ("platform.inertia", [1e6 * x for x in INERTIA], "kg mm^2"),
        ("platform.inertia", [1e4 * x for x in INERTIA], "kg cm^2"),
        ("strut.body_e.inertia", [18269.4, 54.2], "kg mm^2"),
        ("strut.body_e.inertia", [0.0182694, 54.2], "kg mm^2"),
        ("geometry.length_limits", [300, 550], "geometry.length_limits in mm?"),
        ("geometry.home.position", [0, 0, -35], "geometry.home.position in cm?"),
        ("geometry.rate_limit", 700, "mm/s"),
        ("friction.transition_rate", 2.0, "mm/s"),
        ("drive.motor.screw_lead", 5.0, "mm"),
        ("drive.encoder.counts_per_meter", 800.0, "counts/mm?"),
        ("drive.force_delay", 2.0, "ms?"),
    ],
)
def test_a_number_in_another_unit_is_refused_with_the_unit_that_fits(key, value, unit):
    message = refused(edited(key, value))
    assert key.rpartition(".")[0] in message
    assert unit in message
    assert "must" in message or "has" in message or "outside" in message or "cannot" in message


def test_what_no_unit_explains_is_refused_without_one():
    """.9 m in a strut of .55 m: outside, and neither mm nor cm."""
    message = refused(edited("strut.body_e.center_of_mass", 0.9))
    assert "must be between -0.275 m (behind its joint) and 0.55 m" in message
    assert "?" not in message
    assert "?" not in refused(edited("gravity", [0.0, 0.0, -40.0]))


def test_joint_limits_in_degrees_are_named():
    made = edited(
        "geometry.base_joint", {"type": "universal", "first_axis": [1, 0, 0], "angle_limits": {"first": 45}}
    )
    assert "degrees? In rad: 0.7854" in refused(made)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("strut.body_e.center_of_mass", 0.10),
        ("strut.body_e.center_of_mass", 0.20),
        ("strut.body_b.center_of_mass", -0.05),  # its motor hangs behind the joint
        ("strut.body_e", {"mass": 0.4, "center_of_mass": 0.15, "inertia": [0.0021, 3.14e-5]}),
        ("strut.body_e", {"mass": 0.4, "center_of_mass": 0.0, "inertia": [0.0, 0.0]}),  # not stated
        ("platform.inertia", [0.0, 0.0, 0.0]),
        ("platform.mass", 40.0),
        ("gravity", [0.0, 0.0, 0.0]),
        ("gravity", [0.0, 0.0, -1.62]),
        ("gravity", [0.0, 24.8, 0.0]),
    ],
)
def test_numbers_that_are_wrong_or_rare_but_possible_load(key, value):
    assert Machine.from_document(edited(key, value))


def test_a_right_file_all_in_millimetres_but_its_bodies_is_told_so():
    made = document()
    for key in ("base_joints", "platform_joints", "length_limits"):
        made["geometry"][key] = (1e3 * np.array(made["geometry"][key])).tolist()
    made["geometry"]["home"]["position"] = [0, 0, -350.0]
    made.pop("drive")
    assert "lengths of geometry in mm?" in refused(made)


def test_the_least_radius_of_gyration_is_that_of_a_ball_of_tungsten():
    mass, radius = 1000.0, (3 * 1000.0 / (4 * np.pi * 20_000.0)) ** (1 / 3)
    assert compute_smallest_radius(mass) == pytest.approx(np.sqrt(2 / 5) * radius)


def test_the_command_ends_with_exit_code_two(tmp_path, capsys):
    import yaml

    path = tmp_path / "machine.yaml"
    path.write_text(yaml.safe_dump(edited("platform.mass", 4820)))
    assert main(["mechanism", "--machine", str(path)]) == 2
    assert "platform.mass = 4820" in capsys.readouterr().err


def test_drawn_machines_of_a_decimetre_to_ten_metres_load():
    for seed in range(30):
        assert Machine.from_document(draw_hexapod(np.random.default_rng(seed)))


def test_no_unit_mistake_of_a_mass_or_an_inertia_passes_in_a_drawn_machine():
    made = draw_hexapod(np.random.default_rng(5))
    for key in ("platform.mass", "platform.inertia", "strut.body_b.mass", "strut.body_e.inertia", "gravity"):
        for factor in HEXAPOD_KEYS[key].values():
            message = refused(in_unit(made, key, factor))
            assert key.rpartition(".")[0] in message


@pytest.mark.slow
def test_right_files_load_and_unit_mistakes_are_named_in_drawn_machines():
    """At least nine in ten are refused with their unit: small offsets and coarse encoders are possible in any unit."""
    said = [(bool(case.unit), judge(case)[0]) for seed in range(4) for case in cases(seed)]
    assert all(one == "loads" for wrong, one in said if not wrong)
    named = [one == "unit" for wrong, one in said if wrong]
    assert np.mean(named) > 0.9
