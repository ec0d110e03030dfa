# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Random joint graphs: trees of bodies closed by spherical joints at points that coincide at home."""

from __future__ import annotations

from typing import Any

import numpy as np

from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.multibody import kinematics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism

SCALAR = ("revolute", "prismatic")
FREEDOM = {"revolute": 1, "prismatic": 1, "universal": 2, "spherical": 3, "planar": 3, "fixed": 0}
WELL_HELD = 0.02  # smallest over largest pivot: far from dead points


def decimals(values: np.ndarray) -> list[str]:
    return [f"{value:.4f}" for value in values]


def random_inertia(rng: np.random.Generator) -> dict[str, Any]:
    """Of four point masses, so that some body has it."""
    masses, points = rng.uniform(0.2, 1.5, 4), rng.uniform(-0.2, 0.2, (4, 3))
    center = masses @ points / masses.sum()
    arms = points - center
    inertia = sum(m * (a @ a * np.eye(3) - np.outer(a, a)) for m, a in zip(masses, arms, strict=True))
    entries = [*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]]
    return {
        "mass": repr(float(masses.sum())),
        "center_of_mass": [repr(float(x)) for x in center],
        "inertia": [repr(float(x)) for x in entries],
    }


def random_direction(rng: np.random.Generator) -> np.ndarray:
    vector = rng.normal(size=3)
    return vector / np.linalg.norm(vector)


def random_joint(rng: np.random.Generator, kind: str, bodies: list[str]) -> dict[str, Any]:
    joint = {
        "type": kind,
        "bodies": bodies,
        "place": [decimals(rng.uniform(-0.4, 0.4, 3)), decimals(rng.uniform(-0.4, 0.4, 3))],
    }
    if kind in ("fixed", "revolute", "prismatic", "planar"):
        joint["axis"] = [decimals(random_direction(rng)), decimals(random_direction(rng))]
        joint["reference"] = [decimals(random_direction(rng)), decimals(random_direction(rng))]
    return joint


def open_document(rng: np.random.Generator, count: int) -> dict[str, Any]:
    """A tree of bodies, every scalar joint driven; other joints only where loops will hold them."""
    names = [f"b{i}" for i in range(count)]
    joints: dict[str, Any] = {}
    for i, name in enumerate(names):
        before = "ground" if i == 0 else str(rng.choice(["ground", *names[:i]]))
        kind = str(rng.choice([*["revolute"] * 4, "prismatic", "universal", "spherical", "fixed"]))
        pair = [before, name] if rng.random() < 0.7 else [name, before]
        joints[f"j{i}"] = random_joint(rng, kind, pair)
    return {
        "schema": "1",
        "kind": "mechanism",
        "name": "random",
        "gravity": decimals(rng.normal(0, 5, 3)),
        "bodies": {name: random_inertia(rng) for name in names},
        "joints": joints,
    }


def random_mechanism(seed: int, loops: int) -> Mechanism:
    """A mechanism of 2 to 8 bodies with so many loops.

    Raises
    ------
    MachineError
        If what was drawn has no freedom, or its drives do not decide its motion well.
    """
    rng = np.random.default_rng(seed)
    made = open_document(rng, int(rng.integers(2 + 2 * loops, 9)))
    kinds = {name: joint["type"] for name, joint in made["joints"].items()}
    scalar = [name for name, kind in kinds.items() if kind in SCALAR]
    freedom = sum(FREEDOM[kind] for kind in kinds.values()) - 3 * loops
    if not 1 <= freedom <= len(scalar):
        raise MachineError("too few joints with one coordinate")
    guess = {
        name: decimals(rng.uniform(-1.0, 1.0, FREEDOM[kind])) for name, kind in kinds.items() if FREEDOM[kind]
    }
    made["home"] = {"drives": {}, "guess": guess}
    found = _closed(made, rng, loops, scalar, freedom)
    home = kinematics.close_drives(found, kinematics.read(found, "drives", found.home[None]))
    if not (home.found[0] and abs(home.pivot[0]) > WELL_HELD):
        raise MachineError("close to a dead point")
    return found


def _closed(
    made: dict[str, Any], rng: np.random.Generator, loops: int, scalar: list[str], freedom: int
) -> Mechanism:
    """Close loops where the tree stands at its guess: all joints but scalar ones locked for a moment to see where."""
    locked = {
        **made,
        "joints": dict(made["joints"]),
        "home": {"drives": {}, "guess": dict(made["home"]["guess"])},
    }
    for name, joint in made["joints"].items():
        if joint["type"] in ("universal", "spherical"):
            locked["joints"][name] = {**joint, "type": "fixed", "axis": ["0", "0", "1"]}
            del locked["home"]["guess"][name], made["home"]["guess"][name]
            if joint["type"] == "spherical":
                made["home"]["guess"][name] = ["0", "0", "0"]
    locked["drives"] = {f"q{k}": {"joint": name} for k, name in enumerate(scalar)}
    locked["home"]["drives"] = {f"q{k}": made["home"]["guess"][name][0] for k, name in enumerate(scalar)}
    tree = Mechanism.from_document(locked)
    rotation, position = kinematics.body_poses(tree, tree.home[None])
    names = list(made["bodies"])
    for loop in range(loops):
        first, second = (int(i) for i in rng.choice(len(names), 2, replace=False))
        point = position[0, first] + rotation[0, first] @ rng.uniform(-0.3, 0.3, 3)
        places = [
            [repr(float(x)) for x in rotation[0, b].T @ (point - position[0, b])] for b in (first, second)
        ]
        made["joints"][f"loop_{loop}"] = {
            "type": "spherical",
            "bodies": [names[first], names[second]],
            "place": places,
        }
    chosen = [str(name) for name in rng.choice(scalar, freedom, replace=False)]
    made["drives"] = {f"q_{name}": {"joint": name} for name in chosen}
    made["home"]["drives"] = {f"q_{name}": made["home"]["guess"][name][0] for name in chosen}
    return Mechanism.from_document(made)
