# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How well all numbers of a machine are known: its bodies, its drives, and what is the machine's as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from pkm_identification.document import parse_key
from pkm_identification.mechanisms.hexapod.bodies import StrutBody
from pkm_identification.mechanisms.hexapod.machine import Machine as Description
from pkm_identification.mechanisms.known_statements import Statements, Width
from pkm_identification.mechanisms.multibody.description.known_constants import spread_constants
from pkm_identification.mechanisms.multibody.description.parts import compute_central_moments
from pkm_identification.mechanisms.multibody.extents import compute_body_sizes
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.tolerances import AS_OF_HEXAPODS, DriveTolerances
from pkm_identification.numerics.arrays import FloatArray

from ..contract import Machine
from .bodies import SMALLEST, BodyValues, build_bodies, find_like_bodies
from .drives import list_drive_numbers
from .file import KnownFile
from .records import WIDTH, Knowledge, KnownNumber
from .whole import list_machine_numbers

NUMBERS = "numbers"
GUESSED_LENGTH = 0.2  # relative, of a constant that is guessed
NO_NAMES: Mapping[str, str] = {}
# Sections whose numbers decide how the machine moves, and keys in them that do not
GEOMETRY = frozenset({"geometry", "constants", "joints", "drives"})
NO_GEOMETRY = frozenset(
    {"limits", "joint_limits", "length_limits", "rate_limit", "home", "inertia", "friction"}
)


def build_knowledge(
    machine: Machine,
    bodies: Sequence[BodyValues],
    statements: Statements,
    tolerances: DriveTolerances,
    moved: FloatArray,
    keys: Mapping[str, str],
    shared: frozenset[str] = frozenset(),
    names: Mapping[str, str] = NO_NAMES,
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
        Where the file has the numbers `motor_inertia`, `coordinate_offset`, `force_gain`, `force_offset` of a drive,
        '*' for its index from 0, '@' for its name, and `force_delay`, `common_force_gain`. Of others the key is that
        of the section `tolerances`.
    shared : frozenset of str
        Keys whose widths are those of bodies, and count there.
    names : mapping of str to str
        See `KnownFile`.
    """
    by_path = {tuple(parse_key(path).split(".")): Width(width) for path, width in tolerances.numbers.items()}
    file = KnownFile(machine.document, Statements({**by_path, **statements.stated}), tolerances, names)
    known = build_bodies(bodies, file)
    numbers = (*list_drive_numbers(machine, file, moved, keys), *list_machine_numbers(machine, file, keys))
    taken = {one.key for one in (*(number for body in known for number in body.numbers), *numbers)}
    others = [
        KnownNumber(NUMBERS, key, file.find_number(key), width, "", WIDTH, None, (), {key: 1.0})
        for key, width in file.list_widths()
        if key not in taken | shared
        and key.split(".")[0] in GEOMETRY
        and not NO_GEOMETRY & set(key.split("."))
    ]
    others += [
        KnownNumber(NUMBERS, key, value, GUESSED_LENGTH * abs(value), "", "guessed", None, (), {key: 1.0})
        for key in file.list_guessed_constants()
        if key not in shared and (value := file.find_number(key))
    ]
    return Knowledge(known, find_like_bodies(bodies, file), (*numbers, *others))


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
    bodies = list(list_hexapod_bodies(description))
    return build_knowledge(machine, bodies, description.known, tolerances, moved, keys, names=AS_OF_HEXAPODS)


def list_hexapod_bodies(machine: Description) -> Iterator[BodyValues]:
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


# Entries of the key `parameters`, first moments and inertia about the frame's origin
_SPATIAL = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
_PLANAR = (0, 1, 2, 3)
STANDARD_GRAVITY = 9.80665  # m/s^2
BENT, STATES = 1.0, 16  # rad from home either way, of so many states of an open chain


def knowledge_of_mechanism(machine: Machine, mechanism: Mechanism) -> Knowledge:
    """Return how well the numbers of a mechanism's file are known."""
    description = mechanism.description
    still = machine.home[None]
    if mechanism.loops == 0:  # an arm's home is often stretched along an axis, about which little then turns
        turns = np.array([one.unit == "rad" for one in machine.drives])
        still = still + turns * np.random.default_rng(0).uniform(-BENT, BENT, (STATES, len(turns)))
    motion = machine.compute_motion(still, np.zeros_like(still), np.zeros_like(still))
    mass, _ = machine.compute_mass_and_bias(motion, machine.basis.nominal)
    moved = np.mean(np.abs(np.diagonal(mass, axis1=1, axis2=2)), axis=0)
    lever = np.array([1.0 if one.unit == "m" else 0.5 * machine.size for one in machine.drives])
    moved = np.where(moved > 0.0, moved, machine.force_size * lever / STANDARD_GRAVITY)
    keys = {"motor_inertia": "drives.@.inertia"}
    if "torque_constant" in (machine.document.get("actuator") or {}):
        keys["common_force_gain"] = "actuator.torque_constant"
    statements, shared = spread_constants(machine.document, description.known)
    bodies = list(list_mechanism_bodies(mechanism))
    return build_knowledge(machine, bodies, statements, description.tolerances, moved, keys, shared)


def list_mechanism_bodies(mechanism: Mechanism) -> Iterator[BodyValues]:
    """Yield the bodies in the order of the file."""
    description = mechanism.description
    sections = description.document.get("bodies", {})
    for body, size in zip(description.bodies, compute_body_sizes(mechanism)[1], strict=True):
        mass, first, inertia = compute_central_moments(body)
        center = first / mass if mass > 0.0 else np.zeros(3)
        moments, products = np.diagonal(inertia), inertia[[0, 0, 1], [1, 2, 2]]
        if body.planar:
            center, moments, products = center[:2], moments[2:], products[:0]
        section = f"bodies.{body.name}"
        given = "parameters" in sections.get(body.name, {})
        keys = [f"parameters.{k}" for k in (_PLANAR if body.planar else _SPATIAL)]
        if not given:
            keys = ["mass", *(f"center_of_mass.{k}" for k in range(len(center)))]
            keys += [f"inertia.{k}" for k in range(len(moments) + len(products))]
        yield BodyValues(
            body.name, section, float(size) or SMALLEST, mass, center, moments, products,
            tuple(f"{section}.{key}" for key in keys), given,
        )  # fmt: skip
