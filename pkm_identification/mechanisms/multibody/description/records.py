# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a description of a mechanism says, in exact numbers: bodies, joints, drives, outputs, home."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...actuators.base import Actuator
from ...actuators.control_section import MachineControl
from ...friction import Friction
from ...known_statements import NO_STATEMENTS, Statements, write_statements
from ...reported import NOTHING_REPORTED, Reported
from ...tolerances import NO_TOLERANCES, DriveTolerances
from ..numbers.exact import ZERO, Exact, ExactVector

GROUND = "ground"
# Relative velocities a joint leaves free.
FREEDOM = {
    "fixed": 0,
    "revolute": 1,
    "prismatic": 1,
    "universal": 2,
    "no_spin": 2,
    "spherical": 3,
    "planar": 3,
}
JOINT_TRANSITION_RATE = 0.002  # rad/s, or m/s of what slides
JOINT_TYPES = tuple(FREEDOM)
NO_VECTOR: ExactVector = (ZERO, ZERO, ZERO)


@dataclass(frozen=True)
class Body:
    """A rigid body.

    Attributes
    ----------
    name : str
    parameters : tuple of Exact, length 10
        m, mx, my, mz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz about the origin of its frame, in its axes; SI units.
    planar : bool
        Whether it moves in the x-y plane of its own frame alone and has four parameters: m, mx, my, Izz.
    """

    name: str
    parameters: ExactVector
    planar: bool = False


@dataclass(frozen=True)
class Joint:
    """What connects two bodies.

    Attributes
    ----------
    name : str
    type : str
        One of JOINT_TYPES. `no_spin` is a universal joint whose second body, along the third direction, does not spin:
        the hexapod source's idealisation.
    bodies : tuple of str
        First and second body; GROUND is one.
    place : tuple of two vectors
        The joint's point in the frame of either body, m.
    axis : tuple of two vectors
        Of a revolute, prismatic or planar joint: its axis (normal) in either frame. Of a universal one: its first
        axis in the first body's frame, its second axis in the second body's.
    reference : tuple of two vectors
        Directions in either frame that coincide where the joint's coordinate is zero. Of a universal joint: its second
        axis in the first frame there, its first axis in the second frame.
    viscous, coulomb : Exact
        Friction of each of its coordinates as a passive joint: N s/m and N, or N m s/rad and N m. That of a spherical
        joint, and of one without spin, is against the direction in which it turns.
    limits : tuple of pairs of Exact
        Least and greatest of each of its coordinates, m or rad; of a spherical joint zero and how far its axis in the
        second body may lean away from where it is at home, as seen from the first. Empty: none.
    """

    name: str
    type: str
    bodies: tuple[str, str]
    place: tuple[ExactVector, ExactVector]
    axis: tuple[ExactVector, ExactVector]
    reference: tuple[ExactVector, ExactVector]
    viscous: Exact = ZERO
    coulomb: Exact = ZERO
    limits: tuple[tuple[Exact, Exact], ...] = ()

    @property
    def rubs(self) -> bool:
        """Whether it has friction."""
        return self.viscous != ZERO or self.coulomb != ZERO


@dataclass(frozen=True)
class Measure:
    """A number that the configuration decides: a drive's coordinate or an output.

    Attributes
    ----------
    name : str
    kind : str
        `combination` of joint coordinates, `lever` (the cosine rule, L^2 = square + twice cos(x), x a combination),
        `length` between two points, `position` of a point along a direction of the ground, `angle` of an intrinsic
        sequence of turns that makes the body's axes of the ground's.
    unit : str
    joints : mapping of str to Exact
        Factors of joint coordinates, of a combination or lever.
    offset : Exact
        Added to the combination.
    numbers : tuple of Exact
        Of a lever: square, twice (m^2).
    bodies : tuple of str
        Of a length: the bodies of the two points; of a position or angle: ground, the body.
    points : tuple of two vectors
        In the frames of those bodies, m.
    direction : vector
        Of a position, in the ground frame.
    sequence : tuple of int
        Axes (0 to 2) of an angle's turns, then which of the three it is.
    """

    name: str
    kind: str
    unit: str
    joints: Mapping[str, Exact] = field(default_factory=dict)
    offset: Exact = ZERO
    numbers: tuple[Exact, ...] = ()
    bodies: tuple[str, str] = (GROUND, GROUND)
    points: tuple[ExactVector, ExactVector] = (NO_VECTOR, NO_VECTOR)
    direction: ExactVector = NO_VECTOR
    sequence: tuple[int, ...] = ()


DRIVE_LIMITS = ("rate_limit", "force_limit", "following_error", "force_jump")  # keys of a file, none needed


@dataclass(frozen=True)
class Drive:
    """A driven coordinate.

    Attributes
    ----------
    measure : Measure
        The coordinate; its name is the drive's.
    force : str
        What its force (N) or torque (N m) is called.
    limits : tuple of Exact or None
        Least and greatest coordinate.
    inertia : Exact
        Mass (kg) or moment of inertia (kg m^2) along the coordinate that resists like a turning motor's.
    reported : Reported
        How reports that are no coordinate or force become one.
    rate_limit, force_limit : float
        What it may be asked for, m/s or rad/s and N or N m; infinite where the file says nothing.
    following_error, force_jump : float
        What it may be off under control, m or rad, and by how much its force may step from sample to sample.
    """

    measure: Measure
    force: str
    limits: tuple[Exact, Exact] | None = None
    inertia: Exact = ZERO
    reported: Reported = NOTHING_REPORTED
    rate_limit: float = math.inf
    force_limit: float = math.inf
    following_error: float = math.inf
    force_jump: float = math.inf

    @property
    def name(self) -> str:
        return self.measure.name

    @property
    def force_unit(self) -> str:
        """Unit of its force or torque."""
        return "N m" if self.measure.unit == "rad" else "N"


@dataclass(frozen=True)
class Series:
    """A Fourier series of one driven coordinate: mean + sum of c_k cos(2 pi k t / T) + s_k sin(2 pi k t / T)."""

    mean: Exact
    cosine: tuple[Exact, ...]
    sine: tuple[Exact, ...]


@dataclass(frozen=True)
class SeriesMotion:
    """A motion of all driven coordinates with one period (s), sampled at equal steps that leave the last end out."""

    period: Exact
    samples: int
    series: tuple[Series, ...]


@dataclass(frozen=True)
class Home:
    """Where the mechanism stands when nothing else is said.

    Attributes
    ----------
    by_outputs : bool
        Whether `values` are those of the outputs; else of the drives.
    values : tuple of Exact
    guess : mapping of str to tuple of Exact
        Coordinates of joints near home, which decide how the loops are assembled; zero where not given.
    """

    by_outputs: bool
    values: tuple[Exact, ...]
    guess: Mapping[str, tuple[Exact, ...]]


@dataclass(frozen=True)
class ClosedForm:
    """A registered closed form of the inverse kinematics and its numbers by name."""

    name: str
    numbers: Mapping[str, Exact]


@dataclass(frozen=True)
class Description:
    """A mechanism as its file describes it.

    Attributes
    ----------
    source : str
        Where it was read, for messages.
    gravity : vector
        m/s^2, ground frame.
    outputs : tuple of Measure
        As many as degrees of freedom; the drives' own where the file names none.
    readings : tuple of Measure
        Further numbers with names, read off a configuration.
    couplings : tuple of Measure
        Combinations of joint coordinates that a gear, a belt or a cable keeps at zero.
    friction : Friction
        Of the drives, in their order.
    joint_transition_rate : float
        rad/s (m/s of joints that slide), below which Coulomb friction of passive joints reverses.
    tolerances : DriveTolerances
    pose : str or None
        A body whose six coordinates may be given instead of the outputs.
    payload_body : str or None
        The body that loads are fixed to, where the file names it; see `setpoints.find_payload_body`.
    document, full_document : mapping
        The file without what it says of how well it is known, and the same with all defaults written out.
    known : Statements
        How well the file's numbers are known, by what it says.
    actuators : tuple of Actuator or None
        Of the drives; what turns rigidly with them is in `Drive.inertia`.
    control : MachineControl or None
        Controllers in the drives.
    """

    name: str
    description: str
    source: str
    gravity: ExactVector
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    drives: tuple[Drive, ...]
    outputs: tuple[Measure, ...]
    readings: tuple[Measure, ...]
    home: Home
    friction: Friction
    motion: SeriesMotion | None = None
    closed_form: ClosedForm | None = None
    pose: str | None = None
    payload_body: str | None = None
    document: Mapping[str, Any] = field(default_factory=dict)
    full_document: Mapping[str, Any] = field(default_factory=dict)
    actuators: tuple[Actuator, ...] | None = None
    control: MachineControl | None = None
    joint_transition_rate: float = JOINT_TRANSITION_RATE
    tolerances: DriveTolerances = NO_TOLERANCES
    known: Statements = NO_STATEMENTS
    couplings: tuple[Measure, ...] = ()

    @property
    def file(self) -> dict[str, Any]:
        """The file with what it says of how well its numbers are known."""
        return write_statements(self.document, self.known)
