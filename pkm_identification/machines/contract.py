# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The machine contract: n driven coordinates whose forces are linear in a basis. It imports no implementation.

The road of a log asks nothing else of a machine, and so serves hexapods and bodies with joints and loops alike.
Friction of the drives is the road's: a machine's regressor leaves it out, and the road adds each drive's own law.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from pkm_identification.mechanisms.actuators.base import Actuator
from pkm_identification.mechanisms.actuators.transfer import Transfer
from pkm_identification.mechanisms.contributions import ForceGroups
from pkm_identification.mechanisms.friction.friction import Friction
from pkm_identification.mechanisms.known_statements import Width
from pkm_identification.mechanisms.reported import NOTHING_REPORTED, Reported
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Basis
from pkm_identification.parameters.parameter_set import ParameterSet

from .knowledge import Knowledge

# Status of a row of motion: a row is never an exception
OK, DEGRADED, FAILED, OTHER_MODE = range(4)
# Twice the stated rate, 1.5 times the stated force: a limit is what a drive may do, not what noise may show
RATE_ROOM, FORCE_ROOM = 2.0, 1.5
STATUS_NAMES = ("ok", "degraded", "failed", "other assembly mode")


@dataclass(frozen=True)
class Drive:
    """One driven coordinate.

    Attributes
    ----------
    name : str
        Its column in logs, its label in reports, the end of its parameters' names.
    joint : str
        What drivers call it, in messages.
    unit : str
        m or rad; all other numbers are in it, in s, and in N or N m.
    force_name : str
        The column of its force.
    lowest, highest : float
        Of the coordinate; infinite where the file says nothing.
    rate_limit, acceleration_limit, force_limit : float
        What a sample may show; infinite where the file says nothing: then the log itself is asked, never the unit.
    resolution : float
        Of a count of its encoder; 0 where the file says nothing.
    force_noise : float
        Standard deviation of the noise of its force, N or N m; 0 where the file says nothing: measured from the log.
    size : float
        A large change of the coordinate: scales thresholds that would else be a number of metres.
    zero : float
        The coordinate where its encoder's count is zero: what a wrong scale of the encoder leaves as it is.
    suffix : str
        End of the names of what is the drive's own, where that is not its name.
    part : str
        What it is in reports: a drive or a strut.
    rated_rate, rated_force : float
        What it may be asked for; infinite where the file says nothing.
    following_error, force_jump : float
        Largest error of its coordinate, and largest step of its force from sample to sample, that it allows by its
        file; infinite where that says nothing.
    reported : Reported
        How reports that are no coordinate or force become one.
    valve : str
        Its type where its current opens a valve and is no measure of its force; else empty.
    """

    name: str
    joint: str
    unit: str
    force_name: str
    lowest: float = -np.inf
    highest: float = np.inf
    rate_limit: float = np.inf
    acceleration_limit: float = np.inf
    force_limit: float = np.inf
    resolution: float = 0.0
    size: float = 0.1
    force_noise: float = 0.0
    zero: float = 0.0
    suffix: str = ""
    part: str = "drive"
    rated_rate: float = np.inf
    rated_force: float = np.inf
    following_error: float = np.inf
    force_jump: float = np.inf
    reported: Reported = NOTHING_REPORTED
    valve: str = ""

    @property
    def label(self) -> str:
        """End of the names of what is its own: `force_delay_<label>`."""
        return self.suffix or self.name

    @property
    def title(self) -> str:
        """What it is called in a sentence or over a figure, as `strut 1`, or its name alone."""
        return f"{self.part} {self.suffix}" if self.suffix else self.name

    @property
    def force_unit(self) -> str:
        """Unit of its force or torque."""
        return "N m" if self.unit == "rad" else "N"


@dataclass(frozen=True)
class Motion:
    """N samples in motion, loops closed: one class for all machines, of which `state` alone is a machine's own.

    Attributes
    ----------
    coordinate, rate, acceleration : ndarray, shape (N, n)
        Of the drives, as given.
    state : tuple of ndarray, first axis N
        What the machine's kernels take; NaN where the status is FAILED.
    status : ndarray of uint8, shape (N,)
        OK, DEGRADED (near a singularity), FAILED or OTHER_MODE (another assembly mode).
    residual : ndarray, shape (N,)
        Largest error of a loop or a drive, m or rad.
    """

    coordinate: FloatArray
    rate: FloatArray
    acceleration: FloatArray
    state: tuple[FloatArray, ...]
    status: NDArray[np.uint8]
    residual: FloatArray

    def __len__(self) -> int:
        return len(self.coordinate)

    @classmethod
    def concatenate(cls, parts: Sequence[Motion]) -> Motion:
        """Return motions of one machine one after the other, at least one."""
        coordinate, rate, acceleration = (
            np.concatenate([getattr(one, name) for one in parts])
            for name in ("coordinate", "rate", "acceleration")
        )
        return cls(
            coordinate,
            rate,
            acceleration,
            tuple(np.concatenate(state) for state in zip(*(one.state for one in parts), strict=True)),
            np.concatenate([one.status for one in parts]),
            np.concatenate([one.residual for one in parts]),
        )

    def __getitem__(self, rows: Any) -> Motion:
        return Motion(
            self.coordinate[rows], self.rate[rows], self.acceleration[rows],
            tuple(part[rows] for part in self.state), self.status[rows], self.residual[rows],
        )  # fmt: skip


class Tracker(Protocol):
    """Follows a machine sample by sample, warm from the last good one."""

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of the parts of a state, without the first axis."""

    @property
    def row(self) -> FloatArray:
        """State of the last good sample in one row (S,), its parts one after the other; not written again."""

    @property
    def state(self) -> tuple[FloatArray, ...]:
        """State of the last good sample, each part with a first axis of length 1."""

    @property
    def residual(self) -> float:
        """Largest error of the last sample, m or rad."""

    @property
    def message(self) -> str:
        """What is wrong with the last sample; empty where nothing is."""

    def take(self, row: FloatArray, acceleration: FloatArray) -> None:
        """Take a state (S,) and accelerations (n,) of a sample that another tracker of the machine has followed."""

    def step(self, coordinate: FloatArray, rate: FloatArray, acceleration: FloatArray) -> int:
        """Return the status of one sample (n,); where it is FAILED or OTHER_MODE the last good state is kept."""

    def write_columns(self, written: FloatArray) -> bool:
        """Write the columns (n, P) of the mapping it was made with, at the last state; return whether it is regular."""

    def reset(self) -> None:
        """Begin at home again."""


class NeighbourSolver(Protocol):
    """Finds motion near to a known one, of other coordinates or of a machine that differs a little."""

    def __call__(
        self, machine: Machine, coordinate: FloatArray, rate: FloatArray, acceleration: FloatArray
    ) -> Motion:
        """Return the motion (N, n) of a machine, each row near to the known motion's; NaN in rows without one."""


class Machine(Protocol):
    """What the road of a log needs to know of a machine of n drives.

    Attributes
    ----------
    quick : bool
        Whether motion of a hundred changed machines takes a second at most: it has a closed form of its own.
    states_reports : bool
        Whether its file can state gain, offset and delay of reported forces, and counts of encoders.
    friction_set : str
        Name of the parameter set by which friction alone is measured: all that a motion needs as well.
    sums_set : str
        Name of the parameter set whose parameters are sums of the basis, with no number of the file in them.
    """

    quick: ClassVar[bool]
    states_reports: ClassVar[bool]
    friction_set: ClassVar[str]
    sums_set: ClassVar[str]

    def __hash__(self) -> int:
        """Return what is of this machine alone: what is made of it is kept for it."""
        ...

    @property
    def name(self) -> str: ...

    @property
    def loaded(self) -> Any:
        """What was read from the file."""

    @property
    def bodies(self) -> Any:
        """The machine as bodies with joints and loops (`multibody.Mechanism`), whatever its file says it by."""

    @property
    def file(self) -> Mapping[str, Any]:
        """What its file says, without defaults."""

    @property
    def hash(self) -> str:
        """Short digest of the description."""

    @property
    def sample_rate(self) -> float | None:
        """Of its logs in Hz, where the file states it."""

    @property
    def widest_cutoff(self) -> float:
        """Of the kinematic low-pass in Hz, where encoders do not ask for less."""

    @property
    def has_identical_limbs(self) -> bool:
        """Whether its limbs are of one design: parameters that each has of its own differ by little."""

    @property
    def document(self) -> Mapping[str, Any]:
        """The file with all defaults written out: every number of it has a path (`file_numbers`)."""

    @property
    def capabilities(self) -> frozenset[type]:
        """Those of `capabilities` that it has: what not every machine can do."""

    @property
    def place_drives(self) -> str:
        """Why its drives go to places by themselves and take no forces, in words; empty where they take forces."""

    @property
    def gravity(self) -> FloatArray:
        """(3,), m/s^2, in the ground's frame; its paths are `gravity.0` to `gravity.2`."""

    @property
    def size(self) -> float:
        """Of its largest body, m."""

    @property
    def joint_places(self) -> Mapping[str, tuple[str, ...]]:
        """Paths of the coordinates (m) of each joint's places in its bodies, by joint."""

    @property
    def knowledge(self) -> Knowledge:
        """How well every number of the file is known, by the file and by default."""

    @property
    def drives(self) -> tuple[Drive, ...]: ...

    @property
    def actuators(self) -> tuple[Actuator, ...] | None:
        """What makes the drives' forces, drive by drive, where the file says it."""

    @property
    def home(self) -> FloatArray:
        """Coordinates of the drives at home, (n,)."""

    @property
    def basis(self) -> Basis:
        """Every parameter of every body, inertia of the drives, friction of drives and joints: B entries.

        Never base parameters: which of those stand for the others changes with the geometry.
        """

    @property
    def rows_of_bodies(self) -> tuple[FloatArray, ...]:
        """(B, 10) of each body of `knowledge`: what its parameters about its frame's origin add to the basis."""

    @property
    def payload_body(self) -> int:
        """Which body of `rows_of_bodies` and `knowledge` loads are fixed to: a platform, a tool."""

    @property
    def friction(self) -> tuple[Friction, ...]:
        """Of each drive: law, coefficients (K, 1) and parameters may differ between drives."""

    @property
    def friction_rows(self) -> NDArray[np.int64]:
        """Where the drives' coefficients are in the basis, (K, n); -1 where a drive's law has fewer."""

    @property
    def standstill_rows(self) -> NDArray[np.int64]:
        """Entries of the basis that can hold a machine at rest: Coulomb friction of drives and joints."""

    @property
    def force_size(self) -> FloatArray:
        """A typical force of each drive, (n,), N or N m."""

    @property
    def rows_at_once(self) -> int:
        """Rows of a motion that take some milliseconds: what a stream may work on between two samples."""

    @property
    def known_forces(self) -> Any:
        """What the file knows of reported forces: gain, offset, delay (`hexapod.drive.KnownForces`); None: nothing."""

    @property
    def parameter_sets(self) -> tuple[str, ...]:
        """Names of its parameter sets."""

    def build_parameter_set(self, name: str) -> ParameterSet:
        """Return a parameter set by its name; bodies with joints and loops have 'base', hexapods several."""

    def build_physical(self, parameters: ParameterSet) -> Any:
        """Return what allows only values of parameters that bodies can have (`estimation.consistency`).

        Raises PkmError where it cannot tell, as with a part of a body fixed or tied.
        """

    def build_transfers(self, period: float) -> tuple[Transfer, ...] | None:
        """Return what lies between reported and acting forces, drive by drive; None where nothing does."""

    def compute_motion(
        self,
        coordinate: FloatArray,
        rate: FloatArray,
        acceleration: FloatArray,
        start: tuple[FloatArray, ...] | None = None,
    ) -> Motion:
        """Return the motion of drives' coordinates and derivatives, (N, n) each.

        `start` is a state whose parts have a first axis of length 1, where the first row begins; home unless given.
        """

    def explain_unreachable(self, coordinate: FloatArray) -> str:
        """Return why the drives cannot be at coordinates (n,) in home's assembly mode; empty where they can."""

    def compute_regressor(self, motion: Motion, mapping: FloatArray) -> FloatArray:
        """Return forces (N, n, P) per unit of each column of a mapping (B, P), `friction_rows` passed over."""

    def compute_forces(self, motion: Motion, values: FloatArray) -> FloatArray:
        """Return the forces (N, n) of basis values (B,), friction of the drives left out: a fast path."""

    def compute_force_groups(self, motion: Motion, friction: bool = True) -> ForceGroups:
        """Return the forces (N, n) of the file by what causes them, with the drives' friction or without any."""

    def create_neighbour_solver(self, motion: Motion) -> NeighbourSolver:
        """Return what finds motion near to a known one, row by row."""

    def create_tracker(self, mapping: FloatArray) -> Tracker:
        """Return a tracker that writes the columns of a mapping (B, P), `friction_rows` passed over."""

    def with_changes(self, changes: Mapping[str, float]) -> Machine:
        """Return the machine of the file with some numbers, by their paths, changed by so much; same basis entries."""

    def with_statements(self, widths: Mapping[tuple[str, ...], Width]) -> Machine:
        """Return the machine whose file states how well numbers are known, by their keys; all else stays stated."""

    def with_values(self, values: FloatArray, covariance: FloatArray | None = None) -> Machine:
        """Return the machine whose file has basis values (B,), or bodies nearest to its own with the same forces.

        Where no rigid bodies have these forces, those that differ least in the deviations of a covariance (B, B), if
        it is given and the machine can; else MachineError.
        """

    def with_actuators(self, actuators: tuple[Actuator, ...]) -> Machine:
        """Return the machine with other actuators of the drives."""

    def with_friction(self, friction: Friction) -> Machine:
        """Return the machine with another friction of the drives, coefficients (K, n): the law may be another one."""

    def with_joint_friction(self) -> Machine | None:
        """Return the machine whose basis has friction of passive joints, none of it yet; None: it has some."""

    def with_rate_noise(self, noise: FloatArray) -> Machine:
        """Return the machine whose friction takes rates with noise of standard deviations (n,) for what they are."""

    def compute_mass_and_bias(self, motion: Motion, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return mass (N, n, n) and forces without acceleration (N, n) of basis values (B,), drives' friction apart."""
