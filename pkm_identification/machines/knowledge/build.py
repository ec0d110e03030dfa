# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""How well all numbers of a machine are known: its bodies, its drives, and what is the machine's as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from pkm_identification.mechanisms.known_statements import Statements
from pkm_identification.mechanisms.tolerances import DriveTolerances
from pkm_identification.numerics.arrays import FloatArray

from ..contract import Drive, Machine
from ..tolerances import find_unit, gravity_tilts
from .bodies import BodyValues, build_bodies, find_alike, find_how
from .records import DEFAULT, WIDTH, Knowledge, KnownNumber

# Of the machine's size: places of joints are known to .1 mm in a machine of .7 m
PLACES = {"measured": 0.5e-4, "cad": 1.5e-4, DEFAULT: 1.5e-4, "guessed": 1.5e-3}
TILTS = {  # rad, of each of the two angles of gravity: half a degree of a floor that nobody has measured
    "measured": np.deg2rad(0.1), "cad": np.deg2rad(0.5), DEFAULT: np.deg2rad(0.5), "guessed": np.deg2rad(2.0),
}  # fmt: skip
GRAVITY_SIZE = 0.001  # relative: twice what it differs between 40 and 60 degrees of latitude
COMMON_GAIN = 0.02  # relative: constants of motors are stated to some per cent
COMMON_DELAY = 1e-3  # s: one or two cycles of a drive
TIME_BASE = 1e-4  # relative: two quartz clocks
# Of each drive: relative, of its weight, s, and of its friction
GAIN_RATIO, OFFSET, DELAY, ASYMMETRY = 0.01, 0.1, 0.2e-3, 0.1
MOST_FRICTION = 3.0  # times the weight on a drive
MOTOR = 0.3  # of the mass that a drive moves: inertia of a motor of which the file says nothing
MEASURED_FRICTION = 0.1  # relative, of friction that is stated to be measured


def build_knowledge(
    machine: Machine,
    bodies: Sequence[BodyValues],
    statements: Statements,
    tolerances: DriveTolerances,
    moved: FloatArray,
    keys: Mapping[str, str],
) -> Knowledge:
    """Return how well all numbers of a machine are known.

    Parameters
    ----------
    machine : Machine
    bodies : sequence of BodyValues
    statements : Statements
        Of its file.
    tolerances : DriveTolerances
        Of its file: they state widths, too.
    moved : ndarray, shape (n,)
        Mass in kg, or inertia in kg m^2, that each drive moves.
    keys : mapping of str to str
        Where the file has numbers of each drive: `motor_inertia`, `coordinate_offset`, `force_gain`, `force_offset`,
        `force_delay`; '*' stands for the drive's index from 0, '@' for its name. Where it has none, the key is that of
        the section `tolerances`.
    """
    numbers = (
        *_of_drives(machine, statements, tolerances, moved, keys),
        *_of_friction(machine, statements),
        *_of_machine(machine, statements, tolerances, keys),
    )
    return Knowledge(build_bodies(bodies, statements), find_alike(bodies, statements), numbers)


def _of_drives(
    machine: Machine,
    statements: Statements,
    tolerances: DriveTolerances,
    moved: FloatArray,
    keys: Mapping[str, str],
) -> Iterator[KnownNumber]:
    inertia = {one.limb: one.nominal for one in machine.basis if one.symbol == "inertia"}
    for i, drive in enumerate(machine.drives):
        weight = float(machine.force_size[i])
        place = PLACES[DEFAULT] * machine.size
        motor = float(inertia.get(i, 0.0))
        usual = {
            "motor_inertia": (motor, MOTOR * max(motor, float(moved[i]))),
            "force_gain": (1.0, GAIN_RATIO),
            "force_offset": (0.0, OFFSET * weight),
            "drive_delay": (0.0, DELAY),
            "asymmetry": (0.0, ASYMMETRY),
            "coordinate_offset": (drive.zero, place if drive.unit == "m" else 2.0 * PLACES[DEFAULT]),
        }
        for kind, (value, width) in usual.items():
            key = keys.get(kind, f"tolerances.{kind}").replace("*", str(i)).replace("@", drive.name)
            yield _state(kind, key, value, width, find_unit(kind, drive), statements, tolerances, (i,), drive)
    for i, size in enumerate(tolerances.of_drives.get("coordinate_scale", ())):
        if size > 0.0:
            kind, drive = "coordinate_scale", machine.drives[i]
            yield KnownNumber(
                kind, f"tolerances.{kind}", 1.0, size, "", WIDTH, None, (i,), {}, f"{kind}_{drive.name}"
            )


def _state(
    kind: str, key: str, value: float, width: float, unit: str, statements: Statements, tolerances: DriveTolerances,
    drives: tuple[int, ...], drive: Drive,
) -> KnownNumber:  # fmt: skip
    """Return a number of a drive with the width that the file states of it, else with the usual one."""
    how, stated = find_how(statements, key)
    size = tolerances.of_drives.get(kind, ())
    if size and size[drives[0]] > 0.0:
        how, width, key = WIDTH, size[drives[0]], f"tolerances.{kind}"
    elif stated is not None:
        width = (
            stated.size * abs(value)
            if stated.relative and value
            else stated.size
            if not stated.relative
            else width
        )
    else:
        how = DEFAULT
    return KnownNumber(kind, key, value, width, unit, how, None, drives, {}, f"{kind}_{drive.name}")


def _of_friction(machine: Machine, statements: Statements) -> Iterator[KnownNumber]:
    for i, (drive, friction) in enumerate(zip(machine.drives, machine.friction, strict=True)):
        large = MOST_FRICTION * float(machine.force_size[i])
        for coefficient, value in zip(friction.law.coefficients, friction.coefficients[:, 0], strict=True):
            key = f"friction.{coefficient.name}.{i}"
            where, _ = statements.find_nearest(key)
            how, stated = find_how(statements, key)
            width = coefficient.scale(float(value), large)
            if stated is not None:
                width = stated.size * (abs(float(value)) or width) if stated.relative else stated.size
            elif (
                how == "measured" and where and value
            ):  # what CAD knows, and a whole file, says nothing of friction
                width = MEASURED_FRICTION * abs(float(value))
            else:
                how = DEFAULT
            yield KnownNumber(
                coefficient.name, key, float(value), width, coefficient.unit, how, None, (i,), {key: 1.0},
                f"{coefficient.name}_{drive.label}",
            )  # fmt: skip


def _of_machine(
    machine: Machine, statements: Statements, tolerances: DriveTolerances, keys: Mapping[str, str]
) -> Iterator[KnownNumber]:
    stated = tolerances.of_machine
    every = tuple(range(len(machine.drives)))
    yield KnownNumber(
        "common_force_gain", "tolerances.common_force_gain", 1.0, COMMON_GAIN, "", DEFAULT, None, every
    )
    delay = machine.known_forces.delay if machine.known_forces is not None else 0.0
    key, how, width = keys.get("force_delay", "tolerances.force_delay"), DEFAULT, COMMON_DELAY
    if "force_delay" in stated:
        key, how, width = "tolerances.force_delay", WIDTH, stated["force_delay"]
    yield KnownNumber("force_delay", key, delay, width, "s", how, None, every, {}, "force_delay")
    yield KnownNumber("time_base", "tolerances.time_base", 1.0, TIME_BASE, "", DEFAULT, None, every)
    yield from _of_gravity(machine, statements, stated.get("gravity_direction"))
    for path in (path for paths in machine.joint_places.values() for path in paths):
        how, own = find_how(statements, path)
        width = PLACES.get(how, PLACES[DEFAULT]) * machine.size
        if own is not None and not own.relative:
            width = own.size
        elif own is not None:
            width = own.size * machine.size
        elif "joint_places" in stated:
            how, width = WIDTH, stated["joint_places"]
        yield KnownNumber("joint_places", path, 0.0, width, "m", how, None, (), {path: 1.0})
    for path, width in tolerances.numbers.items():
        yield KnownNumber("numbers", path, 0.0, width, "", WIDTH, None, (), {path: 1.0})


def _of_gravity(machine: Machine, statements: Statements, tilt: float | None) -> Iterator[KnownNumber]:
    size = float(np.linalg.norm(machine.gravity))
    if size == 0.0:
        return
    how, own = find_how(statements, "gravity")
    along = {f"gravity.{k}": float(one) / size for k, one in enumerate(machine.gravity) if one}
    width = GRAVITY_SIZE * size
    if own is not None:
        width = own.size * size if own.relative else own.size
    yield KnownNumber("gravity_size", "gravity", size, width, "m/s^2", how, None, (), along)
    if tilt is not None:
        how, angle = WIDTH, tilt
    else:
        how = DEFAULT if how == WIDTH else how
        angle = TILTS[how]
    for number, paths in enumerate(gravity_tilts(machine.gravity), 1):
        name = f"gravity_direction_{number}"
        key = "gravity" if tilt is None else "tolerances.gravity_direction"
        yield KnownNumber("gravity_direction", key, 0.0, angle, "rad", how, None, (), paths, name)
