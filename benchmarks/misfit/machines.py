# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Machines of the benchmark: the built-in ones, and two drawn at random."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation.perturbation import perturb_machine

NAMES = ("uf", "hexel", "ford", "drawn_1", "drawn_2")
JOINTS = 0.04  # m, rms by which joints of drawn machines are elsewhere than those of `uf`
SPREAD = 0.15  # of the true parameters about those of the file


def nominal(name: str) -> Machine:
    """The machine as its file describes it."""
    if not name.startswith("drawn_"):
        return Machine.load(name)
    return _drawn(int(name.removeprefix("drawn_")))


def truth(name: str) -> Machine:
    """The machine as it is: masses, moments and friction differ from the file by up to 15 %."""
    return perturb_machine(nominal(name), seed=7, fraction=SPREAD)


def _drawn(seed: int) -> Machine:
    """Joints, masses and friction drawn about those of `uf`; limits are its lengths at home plus and minus 25 %."""
    rng = np.random.default_rng([seed, 41])
    base = Machine.load("uf")
    for _ in range(100):
        document: dict[str, Any] = copy.deepcopy(base.document)
        document["name"] = f"drawn_{seed}"
        document["description"] = "joints, masses and friction drawn at random"
        geometry = document["geometry"]
        for key, joints in (("base_joints", base.base_joints), ("platform_joints", base.platform_joints)):
            geometry[key] = (joints + JOINTS * rng.standard_normal(joints.shape)).tolist()
        factor = float(rng.uniform(2.0, 12.0))
        platform = document["platform"]
        platform["mass"] *= factor
        platform["inertia"] = [factor * value for value in platform["inertia"]]
        for body in document["strut"].values():
            factor = float(rng.uniform(0.5, 2.0))
            body["mass"] *= factor
            body["inertia"] = [factor * value for value in body["inertia"]]
        document["friction"] = {
            "viscous": rng.uniform(100.0, 1500.0, 6).tolist(),
            "coulomb": rng.uniform(10.0, 80.0, 6).tolist(),
            "transition_rate": 0.002,
        }
        geometry["length_limits"] = [0.2, 0.7]
        try:
            return Machine.from_document(document)
        except MachineError:
            continue
    raise MachineError(f"drawn_{seed}: no regular machine in a hundred draws")
