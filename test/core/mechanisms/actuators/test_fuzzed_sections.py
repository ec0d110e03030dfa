# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Sections `actuator`, `actuators` and `control` with whatever in them: a machine, or one line of what is wrong."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pkm_identification.cli import main
from pkm_identification.errors import PkmError
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.transfers import transfers_of
from pkm_identification.simulation.actuated.small_steps import small_step
from pkm_identification.simulation.plant import Plant

WINDING = {"resistance": 0.5, "inductance": 1e-3, "voltage_limit": 60.0, "current_bandwidth": 500.0}
SECTIONS = (
    {"actuator": {"type": "ideal", "force_limit": 3000.0, "coulomb": 5.0}},
    {"actuator": {"type": "first_order", "force_limit": 3000.0, "time_constant": 2e-3}},
    {
        "actuator": {
            "type": "screw", "torque_constant": 0.48, "lead": 0.02, "current_limit": 20.0, "inertia": 5e-5,
            "efficiency": 0.9, "back_efficiency": 0.85, "back_emf": 0.5, "winding": WINDING,
        },
        "control": {
            "position": {"gain": 20.0, "period": 2e-3, "cycles_late": 1},
            "velocity": {"gain": 0.06, "integral": 2.0, "period": 1e-3, "limit": 10.0},
        },
    },
)  # fmt: skip
ODD = (
    None, True, False, "", "x", "1", -1, 0, 1, 2.5, 1e-9, 1e9, 1e300, -1e-300, 5e-324, float("nan"), float("inf"),
    [], [1], [[0, 1]], [[-1, -1], [1, 1]], [[1, 1], [0, 2]], {}, {"a": 1}, {"gain": float("nan")}, 10**400,
    "two_inertia",
)  # fmt: skip


def documents():
    """Of machines with each kind of section."""
    plain = Machine.load("uf").document
    own = [Machine.load(name).document for name in ("uf_hydraulic", "uf_belt")]
    return [*own, *(plain | section for section in SECTIONS)]


DOCUMENTS = documents()


def places(node, path=()):
    """Every place in a section, by its keys."""
    yield path
    entries = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, entry in entries:
        yield from places(entry, (*path, key))


@st.composite
def fuzzed(draw):
    document = copy.deepcopy(draw(st.sampled_from(DOCUMENTS)))
    if draw(st.booleans()) and "actuator" in document:
        count = draw(st.sampled_from([0, 1, 5, 6, 6, 6, 7]))
        one = document.pop("actuator")
        document["actuators"] = [copy.deepcopy(one) for _ in range(count)]
    for _ in range(draw(st.integers(1, 3))):
        sections = {key: document[key] for key in ("actuator", "actuators", "control") if key in document}
        if not sections:
            break
        path = draw(st.sampled_from([path for path in places(sections) if path]))
        *parents, last = path
        place = document
        for key in parents:
            place = place[key]
        what = draw(st.sampled_from(["change", "change", "change", "remove", "add", "scale"]))
        if what == "change":
            place[last] = copy.deepcopy(draw(st.sampled_from(ODD)))
        elif what == "remove":
            del place[last]
        elif what == "add" and isinstance(place, dict):
            place[draw(st.sampled_from(["odd", "delay", "gain", "winding", "sensor"]))] = draw(
                st.sampled_from(ODD)
            )
        elif what == "scale" and isinstance(place[last], float):
            place[last] = place[last] * draw(st.sampled_from([-1.0, 1e-6, 1e-3, 1e3, 1e6]))
    return document


@pytest.mark.slow
@settings(max_examples=200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(fuzzed())
def test_a_section_is_a_machine_or_one_line(document):
    try:
        machine = Machine.from_document(document, "fuzzed.yaml")
        transfers_of(machine, 1e-3)
        step, said = small_step(machine, 1e-3), ""
    except PkmError as error:
        step, said = 20e-6, str(error)
    assert "\n" not in said
    assert 0 < step <= 50e-6


@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(fuzzed())
def test_a_machine_that_was_read_stands_or_is_refused(document):
    """What is read can be put under MuJoCo and held at rest, with finite forces."""
    try:
        plant = Plant(Machine.from_document(document, "fuzzed.yaml"))
        plant.set_force(plant.holding_force())
        force, said = plant.reported_force, ""
    except PkmError as error:
        force, said = np.zeros(6), str(error)
    assert "\n" not in said
    assert np.all(np.isfinite(force))


@pytest.mark.parametrize(
    ("key", "value"),
    [("actuator", {"type": "spring"}), ("actuators", [{"type": "ideal"}] * 5), ("control", {"velocity": {}})],
)
def test_a_command_says_it_in_one_line(key, value, tmp_path, capsys):
    document = copy.deepcopy(Machine.load("uf_belt").document)
    if key == "actuators":
        del document["actuator"], document["control"]
    document[key] = value
    path = tmp_path / "m.yaml"
    path.write_text(yaml.safe_dump(document))
    assert main(["modes", "--machine", str(path)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert key in error
