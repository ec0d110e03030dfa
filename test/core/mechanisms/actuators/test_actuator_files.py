# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Sections `actuator`, `actuators` and `control` of machine files: what they become, and what is refused, and how."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import yaml
from core.mechanisms.hexapod.machine_variants import DELETED, edited

from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.actuators import TYPE_NAMES
from pkm_identification.mechanisms.hexapod.machine import Machine, builtin_machines
from pkm_identification.mechanisms.multibody.mechanism import Mechanism

HYDRAULIC = yaml.safe_load(builtin_machines()["uf_hydraulic"].read_text())["actuator"]
BELT = yaml.safe_load(builtin_machines()["uf_belt"].read_text())
REDUCED = {key: value for key, value in HYDRAULIC.items() if key != "valve"} | {
    "type": "hydraulic_reduced",
    "valve": {"delay": 0.0021},
}
SCREW = {
    "type": "screw",
    "torque_constant": 0.12,
    "lead": 0.005,
    "inertia": 3e-6,
    "efficiency": 0.9,
    "current_limit": 25.0,
    "winding": {"resistance": 0.5, "inductance": 1e-3, "voltage_limit": 60.0, "current_bandwidth": 500.0},
}
SECTIONS = {
    "ideal": {"type": "ideal"},
    "first_order": {"type": "first_order", "time_constant": 0.002},
    "screw": SCREW,
    "two_inertia": BELT["actuator"],
    "hydraulic": HYDRAULIC,
    "hydraulic_reduced": REDUCED,
}


def machine(**sections):
    document = yaml.safe_load(builtin_machines()["uf"].read_text())
    return Machine.from_document(document | copy.deepcopy(sections))


@pytest.mark.parametrize("name", SECTIONS)
def test_every_type_is_read_and_holds_a_load(name):
    made = machine(actuators=[SECTIONS[name]] * 6)
    assert len(made.actuators) == 6
    actuator = made.actuators[0]
    assert actuator.type == name
    state, command = actuator.equilibrium(100.0, 0.4)
    assert len(state) == len(actuator.state_names)
    signal = actuator.signal(command, 0.4)
    np.testing.assert_allclose(actuator.derivative(state, signal, 0.4, 0.0), 0.0, atol=1e-9)
    np.testing.assert_allclose(actuator.force(state, signal, 0.4, 0.0), 100.0, rtol=1e-9)
    assert all((quantity.unit is not None and np.isfinite(quantity.value)) or quantity.value > 0
               for quantity in actuator.parameters)  # fmt: skip


def test_a_vane_drives_what_turns_and_nothing_else():
    document = {
        "schema": 1,
        "kind": "mechanism",
        "name": "arm",
        "bodies": {
            "arm": {"mass": 2.0, "center_of_mass": [0.2, 0, 0], "inertia": [0.001, 0.05, 0.05, 0, 0, 0]}
        },
        "joints": {"axis": {"type": "revolute", "bodies": ["ground", "arm"], "axis": [0, 0, 1]}},
        "drives": {"phi": {"joint": "axis"}},
    }
    vane = HYDRAULIC | {"type": "vane", "sensor": {"gain": 3.9}}
    arm = Mechanism.from_document(document | {"actuator": vane})
    assert arm.description.actuators[0].command_unit == "V"
    with pytest.raises(MachineError, match="is a vane, which turns"):
        machine(actuator=vane)


REFUSED = [
    (
        {"actuator": {"type": "pneumatic"}},
        "actuator.type = 'pneumatic': must be one of " + ", ".join(TYPE_NAMES),
    ),
    (
        {"actuator": edited("oil_compliance", -1e-7, HYDRAULIC)},
        "oil_compliance = -1e-07: must be greater than zero",
    ),
    ({"actuator": edited("valve", DELETED, HYDRAULIC)}, "key 'actuator.valve' is missing"),
    ({"actuator": edited("no_load", [[0.3, 0.7], [-0.3, -0.7]], HYDRAULIC)}, "openings must rise"),
    ({"actuator": edited("no_load", [[-0.3, 0.7], [0.3, -0.7]], HYDRAULIC)}, "a valve that opens further"),
    ({"actuator": edited("no_load", [[0.0, 0.1], [0.3, 0.7]], HYDRAULIC)}, "speeds of both signs"),
    ({"actuator": edited("sensor.gain", -50.0, HYDRAULIC)}, "or the loop runs away"),
    ({"actuator": edited("efficiency", 1.2, SCREW)}, "efficiency = 1.2: must be at most 1"),
    ({"actuator": SCREW | {"back_emf": 0.1}}, "would give more power than it takes"),
    ({"actuator": SCREW | {"stiffness": 3.0}}, "unknown key 'stiffness' in 'actuator'"),
    ({"actuators": [SCREW] * 5}, "must be a list of 6 actuators, one for each drive; found 5 entries"),
    ({"actuators": [SCREW] * 6, "actuator": SCREW}, "give one for all or a list, not both"),
    ({"control": BELT["control"]}, "belongs to drives with an 'actuator'"),
    (
        {"actuator": BELT["actuator"], "control": edited("position.period", 0.0025, BELT["control"])},
        "no multiple of the velocity loop's 0.001 s",
    ),
    (
        {"actuator": BELT["actuator"], "control": edited("velocity", DELETED, BELT["control"])},
        "has a motor, which a position loop alone cannot hold|takes A|valve current",
    ),
    (
        {"actuator": BELT["actuator"], "control": edited("position.cycles_late", 1.5, BELT["control"])},
        "must be a whole number of periods",
    ),
]


@pytest.mark.parametrize(("sections", "message"), REFUSED)
def test_what_no_drive_can_be_is_refused_with_the_reason(sections, message):
    with pytest.raises(MachineError, match=message) as caught:
        machine(**sections)
    assert "\n" not in str(caught.value)


def test_what_is_wrong_with_a_section_for_all_is_said_once():
    with pytest.raises(MachineError) as caught:
        machine(actuator=edited("oil_compliance", -1e-7, HYDRAULIC))
    assert str(caught.value).count("oil_compliance") == 1
