# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mechanisms that simulations are tried on."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import Any

from core.mechanisms.hexapod.machine_variants import machine, with_joint
from core.mechanisms.hexapod.machine_variants import rubbing as rubbing_joints

from pkm_identification.mechanisms.multibody.description.reader import parse_text
from pkm_identification.mechanisms.multibody.mechanism import Mechanism, builtin_mechanisms

HEXAPODS = {
    "no spin": machine(with_joint("hexel", "no_spin")),
    "slanted hinge": machine(with_joint("ford", "universal", (1.0, 0.3, -0.2))),
}
RUBBING_JOINTS = {
    "no spin": machine(rubbing_joints(with_joint("hexel", "no_spin"))),
    "slanted hinge": machine(rubbing_joints(with_joint("ford", "universal", (1.0, 0.3, -0.2)))),
}
NAMES = ("four-bar", "mast", "suspension", "epaas", *HEXAPODS)


@cache
def mechanism(name: str) -> Mechanism:
    """A built-in mechanism, or a hexapod as one."""
    return Mechanism.from_machine(HEXAPODS[name]) if name in HEXAPODS else Mechanism.load(name)


def document(name: str) -> dict[str, Any]:
    """What the file of a built-in mechanism says, to be changed."""
    return deepcopy(parse_text(builtin_mechanisms()[name]))


@cache
def rocker_driven() -> Mechanism:
    """The four-bar driven at its rocker, which has dead points where crank and coupler are in line."""
    given = document("four-bar")
    given["drives"] = {"r": {"joint": "rocker_pivot", "force": "torque"}}
    given["home"]["drives"] = {"r": 2}
    del given["motion"]
    return Mechanism.from_document(given)


@cache
def coupled() -> Mechanism:
    """The four-bar with a weight on a slide of its crank, which the rocker moves by a rack."""
    given = document("four-bar")
    joints, driven = given["joints"], given["drives"]
    (crank,) = (one["joint"] for one in driven.values())
    body = next(name for name in joints[crank]["bodies"] if name != "ground")
    given["bodies"]["weight"] = {
        "mass": "0.7",
        "center_of_mass": ["0.02", "0.01", "0"],
        "inertia": ["1e-3"] * 3 + ["0"] * 3,
    }
    joints["rack"] = {"type": "prismatic", "bodies": [body, "weight"], "axis": ["1", "0", "0"]}
    given["couplings"] = {"pinion": {"sum": {"rack": "1", "rocker_pivot": "-0.05"}, "offset": "0.02"}}
    return Mechanism.from_document(given)


@cache
def rubbing() -> Mechanism:
    """The mast with friction in drives, hinges and balls, two of which close its loops."""
    given = document("mast")
    given["friction"] = {"viscous": ["3", "4", "5"], "coulomb": ["2", "1", "1.5"]}
    for i in (1, 2, 3):
        given["joints"][f"hinge_{i}"]["friction"] = {"viscous": "0.05"}
        given["joints"][f"ball_{i}"]["friction"] = {"viscous": "0.04"}
    return Mechanism.from_document(given)


def closed_by_planar_joints() -> Mechanism:
    """A block on a plane, pushed by a slide: the loop is closed by a planar, a universal and a prismatic joint."""
    return Mechanism.from_document(
        {
            "schema": "1",
            "kind": "mechanism",
            "name": "block",
            "bodies": {
                "rod": {
                    "mass": "0.5",
                    "center_of_mass": ["0", "0", "0.1"],
                    "inertia": ["0.01"] * 3 + ["0"] * 3,
                },
                "block": {
                    "mass": "2",
                    "center_of_mass": ["0", "0.1", "0.2"],
                    "inertia": ["0.02"] * 3 + ["0"] * 3,
                },
            },
            "joints": {
                "slide": {"type": "prismatic", "bodies": ["ground", "rod"], "axis": ["1", "0", "0"]},
                "pair": {
                    "type": "universal",
                    "bodies": ["rod", "block"],
                    "axis": [["0", "0", "1"], ["0", "1", "0"]],
                },
                "table": {"type": "planar", "bodies": ["ground", "block"]},
            },
            "drives": {
                "x": {"joint": "slide", "inertia": "0.3"},
                "turn": {"position": "x", "body": "block", "point": ["0", "1", "0"]},
            },
        }
    )
