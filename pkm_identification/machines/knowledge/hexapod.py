# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How well the numbers of a hexapod's file are known."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pkm_identification.mechanisms.hexapod.bodies import StrutBody
from pkm_identification.mechanisms.hexapod.machine import Machine as Description
from pkm_identification.mechanisms.tolerances import AS_OF_HEXAPODS, DriveTolerances

from ..contract import Machine
from .bodies import BodyValues
from .build import build_knowledge
from .records import Knowledge


def knowledge_of_hexapod(machine: Machine, description: Description) -> Knowledge:
    """Return how well the numbers of a hexapod's file are known."""
    drive = description.drive
    keys = {} if drive is None else {"force_delay": "drive.force_delay"}
    if drive is not None and drive.has_encoder:
        keys["coordinate_offset"] = "drive.encoder.length_at_zero.*"
    if drive is not None and drive.has_motor:
        keys |= {"motor_inertia": "drive.motor.inertia", "common_force_gain": "drive.motor.torque_constant"}
    for key in ("force_gain", "force_offset"):
        if key in description.document.get("drive", {}):
            keys[key] = f"drive.{key}.*"
    moved = np.array([strut.body_b.mass + strut.body_e.mass for strut in description.struts])
    tolerances = DriveTolerances.of_hexapod(description.tolerances, len(machine.drives))
    bodies = list(list_body_values(description))
    return build_knowledge(machine, bodies, description.known, tolerances, moved, keys, names=AS_OF_HEXAPODS)


def list_body_values(machine: Description) -> Iterator[BodyValues]:
    """Yield the platform, then bodies B and E of each strut."""
    own = machine.platform
    keys = ("mass", *(f"center_of_mass.{k}" for k in range(3)), *(f"inertia.{k}" for k in range(6)))
    yield BodyValues(
        "platform", "platform", machine.length_scale, own.mass, own.center_of_mass, np.diagonal(own.inertia),
        own.inertia[[0, 0, 1], [1, 2, 2]], tuple(f"platform.{key}" for key in keys),
    )  # fmt: skip
    for i, strut in enumerate(machine.struts):
        section = "strut" if "strut" in machine.document else f"struts.{i}"
        yield _describe_strut_body(f"body_b_{i + 1}", f"{section}.body_b", strut.body_b, machine)
        yield _describe_strut_body(f"body_e_{i + 1}", f"{section}.body_e", strut.body_e, machine)


def _describe_strut_body(name: str, section: str, body: StrutBody, machine: Description) -> BodyValues:
    keys = ("mass", "center_of_mass", "inertia.0", "inertia.1")
    return BodyValues(
        name, section, float(machine.length_limits[0]), body.mass, np.array([body.center_of_mass]),
        np.array([body.transverse, body.axial]), np.zeros(0), tuple(f"{section}.{key}" for key in keys),
    )  # fmt: skip
