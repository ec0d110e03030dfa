# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Machines for tests: the built-in ones, and the same made less tidy."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import numpy as np
import pytest

from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.hexapod.machine import Machine

BUILTIN = ("uf", "hexel", "ford")


def document(name: str = "uf") -> dict[str, Any]:
    """A built-in machine's description, free to be changed."""
    return copy.deepcopy(_document(name))


@cache
def _document(name: str) -> dict[str, Any]:
    return Machine.load(name).document


def changed(source: str | dict[str, Any], **values: Any) -> dict[str, Any]:
    """A description with values replaced; keys are paths joined by two underscores."""
    made = document(source) if isinstance(source, str) else copy.deepcopy(source)
    for path, value in values.items():
        *parents, last = path.split("__")
        place = made
        for parent in parents:
            place = place[parent]
        place[last] = value
    return made


def with_joint(name: str | dict[str, Any], joint: str, first_axis: Any = (1.0, 0.0, 0.0)) -> dict[str, Any]:
    """A description with other joints: of a kind at the base, or (`platform`) universal ones at the platform.

    Hinges are one vector, six, or a word.
    """
    hinges: dict[str, Any] = {"first_axes": first_axis}
    if not isinstance(first_axis, str):
        axes = np.array(first_axis, dtype=float)
        hinges = {"first_axis" if axes.ndim == 1 else "first_axes": axes.tolist()}
    if joint == "platform":
        platform = {"type": "universal", **hinges}
        return changed(name, geometry__base_joint={"type": "spherical"}, geometry__platform_joint=platform)
    return changed(name, geometry__base_joint={"type": joint, **(hinges if joint == "universal" else {})})


def untidy(name: str | dict[str, Any], seed: int = 0) -> dict[str, Any]:
    """A centre of mass off the platform's origin, products of inertia, six struts all different, friction."""
    rng = np.random.default_rng(seed)
    made = document(name) if isinstance(name, str) else copy.deepcopy(name)
    platform = made["platform"]
    platform["center_of_mass"] = rng.uniform(-0.05, 0.05, 3).tolist()
    xx, yy, zz = platform["inertia"][:3]
    products = 0.1 * min(xx, yy, zz) * rng.uniform(-1, 1, 3)
    platform["inertia"] = [xx, 1.05 * yy, 0.9 * zz, *products.tolist()]
    strut = made.pop("strut")
    made["struts"] = []
    for _ in range(6):
        one = copy.deepcopy(strut)
        for body in one.values():
            body["mass"] *= float(rng.uniform(0.7, 1.3))
            body["center_of_mass"] *= float(rng.uniform(0.7, 1.3))
            body["inertia"] = [value * float(rng.uniform(0.8, 1.2)) for value in body["inertia"]]
        made["struts"].append(one)
    made["friction"] = {
        "viscous": rng.uniform(50, 400, 6).tolist(),
        "coulomb": rng.uniform(5, 60, 6).tolist(),
        "transition_rate": 0.002,
    }
    return made


def rubbing(name: str | dict[str, Any], seed: int = 0) -> dict[str, Any]:
    """A description whose joints have friction, each its own."""
    rng = np.random.default_rng(seed)
    made = document(name) if isinstance(name, str) else copy.deepcopy(name)
    ends = {
        end: {"coulomb": rng.uniform(0.5, 3.0, 6).tolist(), "viscous": rng.uniform(0.1, 1.0, 6).tolist()}
        for end in ("base", "platform")
    }
    made.setdefault("friction", {})["joints"] = {**ends, "transition_rate": 0.03}
    return made


def machine(made: str | dict[str, Any]) -> Machine:
    """A machine of a name or a description."""
    return Machine.load(made) if isinstance(made, str) else Machine.from_document(made)


DELETED = object()


def edited(path: str, value: object, source: dict[str, Any] | None = None) -> dict:
    """A description (the uf's) or section with one place, keys joined by '.', replaced, added or deleted."""
    made = document("uf") if source is None else copy.deepcopy(source)
    *parents, last = path.split(".")
    place = made
    for key in parents:
        place = place[key]
    if value is DELETED:
        del place[last]
    else:
        place[last] = value
    return made


def refused(made: object) -> str:
    with pytest.raises(MachineError) as caught:
        Machine.from_document(made, source="file.yaml")
    text = str(caught.value)
    assert text.startswith("file.yaml: ")
    assert "\n" not in text
    return text
