# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How well is known what is the machine's as a whole: gravity, places of joints, the forces' common gain, clocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import axes_across

from ..contract import Machine
from .file import KnownFile
from .records import DEFAULT, PLACES, WIDTH, KnownNumber

# rad, of each of the two angles of gravity: half a degree of a floor that nobody has measured
TILTS = {
    how: float(np.deg2rad(one))
    for how, one in (("measured", 0.1), ("cad", 0.5), (DEFAULT, 0.5), ("guessed", 2.0))
}
GRAVITY_SIZE = 0.001  # relative: what it differs between 40 and 60 degrees of latitude
# Relative, of the force over current of all drives: catalogues state 5 %, calibrated sensors .5 %
COMMON_GAINS = {"measured": 0.005, "cad": 0.02, DEFAULT: 0.02, "guessed": 0.1}
COMMON_DELAY_S = 1e-3  # one or two cycles of a drive
TIME_BASE = 1e-4  # relative: two quartz clocks
PASSIVE_FRICTION = (
    0.02  # of a typical force: bearings of a joint without a drive; guides, seals and air at the platform
)


def list_machine_numbers(machine: Machine, file: KnownFile, keys: Mapping[str, str]) -> Iterator[KnownNumber]:
    """Yield the numbers of the machine as a whole; see `build.build_knowledge`."""
    every, delay = tuple(range(len(machine.drives))), 0.0
    if machine.known_forces is not None:
        delay = machine.known_forces.delay
    gain = keys.get("common_force_gain", "")
    for kind, value, unit, usual in (
        ("common_force_gain", 1.0, "", COMMON_GAINS),
        ("force_delay", delay, "s", {DEFAULT: COMMON_DELAY_S}),
        ("time_base", 1.0, "", {DEFAULT: TIME_BASE}),
        ("passive_friction", 0.0, "", {DEFAULT: PASSIVE_FRICTION}),
    ):
        key = keys.get(kind, file.tolerance_key(kind))
        how, width = file.find_width(key, value, usual, of_file=False)
        if how == WIDTH and key == gain:  # that of the motor's constant
            constant = file.find_number(gain)
            width = file.find_width(key, constant, usual)[1] / abs(constant)
        if kind in file.tolerances.of_machine:
            key, how, width = file.tolerance_key(kind), WIDTH, file.tolerances.of_machine[kind]
        yield KnownNumber(kind, key, value, width, unit, how, None, every, {}, kind)
    yield from _list_gravity(machine, file)
    yield from _list_places(machine, file)


def _list_gravity(machine: Machine, file: KnownFile) -> Iterator[KnownNumber]:
    size = float(np.linalg.norm(machine.gravity))
    if size == 0.0:
        return
    along = {f"gravity.{k}": float(one) / size for k, one in enumerate(machine.gravity) if one}
    found = [file.find_width(key, size, {DEFAULT: GRAVITY_SIZE * size}) for key in along]
    how, width = max(found, key=lambda one: (one[0] == WIDTH, one[1]))
    yield KnownNumber("gravity_size", "gravity", size, width, "m/s^2", how, None, (), along, "gravity_size")
    key, tilt = "gravity", file.tolerances.of_machine.get("gravity_direction")
    word, _ = file.find_how(key)
    how, width = (word, TILTS[word]) if word in TILTS else (DEFAULT, TILTS[DEFAULT])
    if tilt is not None:
        key, how, width = "tolerances.gravity_direction", WIDTH, tilt
    for number, paths in enumerate(find_gravity_tilts(machine.gravity), 1):
        name = f"gravity_direction_{number}"
        yield KnownNumber("gravity_direction", key, 0.0, width, "rad", how, None, (), paths, name)


def _list_places(machine: Machine, file: KnownFile) -> Iterator[KnownNumber]:
    usual = {how: share * machine.size for how, share in PLACES.items()}
    tolerance = file.tolerances.of_machine.get("joint_places")
    for key in (key for keys in machine.joint_places.values() for key in keys):
        value = file.find_number(key)
        how, width = file.find_width(key, value, usual)
        if tolerance is not None and how != WIDTH:
            how, width = WIDTH, tolerance
        yield KnownNumber("joint_places", key, value, width, "m", how, None, (), {key: 1.0})


def find_gravity_tilts(gravity: FloatArray) -> list[dict[str, float]]:
    """Return what an angle of 1 rad about either axis across gravity adds to its numbers in the file, to first order.

    With gravity along -z these are the axes x and y; a machine without gravity has none.
    """
    if not np.any(gravity):
        return []
    turned = [np.cross(axis, gravity) for axis in axes_across(gravity)]
    return [{f"gravity.{k}": float(one[k]) for k in np.flatnonzero(one)} for one in turned]
