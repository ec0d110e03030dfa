# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The section `drive` of a machine file: what the drives report, and what is known to be wrong with it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pkm_identification.document import Node, frozen
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray

from ..file_keys.key import NOT_NEGATIVE, NUMBER, POSITIVE, Key, either, numbers, read_keys
from ..reported import UNKNOWN, Reported, describe_cylinder, read_cylinder

# A delay of more than this is another instant of the motion, not a late current.
LONGEST_DELAY = 0.1  # s
GAINS = (0.1, 10.0)
# Drives close their loops at least this often, however seldom they report, and so often if they report more seldom.
SLOWEST_CONTROL = 500.0  # Hz
CONTROL = 1000.0  # Hz

OF_EACH = either(NUMBER, numbers(STRUTS))
_KEYS = (
    Key("sample_rate", "of the reports, Hz", POSITIVE, True),
    Key(
        "encoder",
        "for logs of counts",
        keys=(
            Key("counts_per_meter", "1/m", POSITIVE, True),
            Key("length_at_zero", "joint to joint where the count is zero, m", OF_EACH, True),
        ),
    ),
    Key(
        "motor",
        "for logs of currents",
        keys=(
            Key("torque_constant", "N m/A", POSITIVE, True),
            Key("screw_lead", "m per turn", POSITIVE, True),
            Key("gear_ratio", "turns of the motor per turn of the screw (default: 1)", POSITIVE, default=1.0),
            Key("efficiency", "of screw and gear, up to 1 (default: 1)", POSITIVE, default=1.0),
            Key("force_limit", "N", POSITIVE, True),
            Key("inertia", "of what turns with the motor, kg m^2 (default: 0)", NOT_NEGATIVE, default=0.0),
            Key("rated_torque", "at 100 % of effort, N m", POSITIVE, null=True),
        ),
    ),
    Key("rated_force", "of a strut at 100 % of effort, N", POSITIVE, null=True),
    Key("length_at_zero", "joint to joint where logs have 0, as of strokes, m", OF_EACH, null=True),
    Key("force_delay", "by which measured forces are late, s", NUMBER, default=0.0),
    Key("force_gain", "of each strut, measured over true", OF_EACH, default=[1.0] * STRUTS),
    Key("force_offset", "of each strut's measured force, N", OF_EACH, default=[0.0] * STRUTS),
    Key("force_noise", "standard deviation of measured forces, N", POSITIVE, null=True),
    Key("following_error", "largest one the drives allow, m", POSITIVE, null=True),
    Key("force_jump", "largest step of force from sample to sample, N", POSITIVE, null=True),
)
DRIVE = Key(
    "drive",
    "what the drives report, and what is known to be wrong with it",
    keys=(*_KEYS, describe_cylinder(POSITIVE)),
    null=True,
)


def _repeat_for_all(value: float) -> FloatArray:
    return frozen(np.full(STRUTS, value))


@dataclass(frozen=True)
class KnownForces:
    """What is known of measured forces: gain true(t - delay) + offset; delay in s, gains and offsets (N) of six."""

    delay: float
    gain: tuple[float, ...]
    offset: tuple[float, ...]


@dataclass(frozen=True)
class Drive:
    """How raw counts and currents become metres and newtons, and how measured forces become true ones.

    length = length_at_zero + counts / counts_per_meter;
    force = current * torque_constant * 2 pi * gear_ratio * efficiency / screw_lead;
    measured force(t) = force_gain * true force(t - force_delay) + force_offset.

    A file may state the sample rate alone: nothing is known then of encoders (`has_encoder`) and motors (`has_motor`),
    and raw counts or currents cannot be converted.

    Attributes
    ----------
    sample_rate : float
        Hz.
    counts_per_meter : float
        Infinite where the file has no encoder.
    length_at_zero : ndarray, shape (6,)
        m.
    torque_constant, screw_lead, gear_ratio, efficiency : float
        N m/A, m; NaN where the file has no motor.
    force_limit : float
        N; infinite where the file has no motor.
    motor_inertia : float
        kg m^2, what turns with the motor, as felt at the motor's shaft: rotor, brake, coupling and the screw's inertia
        divided by gear_ratio^2.
    force_delay : float
        s, by which measured forces are late against the lengths of the same stamp; negative when they are early.
    force_gain : ndarray, shape (6,)
        Measured over true.
    force_offset : ndarray, shape (6,)
        N, measured where the true force is zero.
    force_noise : float or None
        Standard deviation in N of the noise of one sample of the force; None: to be learned from the log.
    following_error : float or None
        m, largest error of a strut's length under control; beyond it the controller stops. None: as it is set to.
    force_jump : float or None
        N, largest change of a strut's feedback force from one sample to the next, beyond it the controller stops before
        the drives get it: only a length that steps asks for more. None: any.
    rated_torque, rated_force : float
        Of a motor's shaft (N m) and of a strut (N) at 100 % of effort; NaN where the file has none.
    piston_area, rod_side_area : float
        m^2; NaN where the file has no cylinder.
    stroke_at_zero : ndarray, shape (6,)
        m, length where logs have 0; NaN where the file says nothing.
    """

    sample_rate: float
    counts_per_meter: float = np.inf
    length_at_zero: FloatArray = field(default_factory=lambda: _repeat_for_all(0.0))
    torque_constant: float = np.nan
    screw_lead: float = np.nan
    gear_ratio: float = np.nan
    efficiency: float = np.nan
    force_limit: float = np.inf
    motor_inertia: float = 0.0
    force_delay: float = 0.0
    force_gain: FloatArray = field(default_factory=lambda: _repeat_for_all(1.0))
    force_offset: FloatArray = field(default_factory=lambda: _repeat_for_all(0.0))
    force_noise: float | None = None
    following_error: float | None = None
    force_jump: float | None = None
    rated_torque: float = UNKNOWN
    rated_force: float = UNKNOWN
    piston_area: float = UNKNOWN
    rod_side_area: float = UNKNOWN
    stroke_at_zero: FloatArray = field(default_factory=lambda: _repeat_for_all(UNKNOWN))

    @property
    def reported(self) -> tuple[Reported, ...]:
        """How reports that are no length or force become one, strut by strut."""
        per_torque = self.force_per_ampere / self.torque_constant
        share = self.rated_force if np.isfinite(self.rated_force) else self.rated_torque * per_torque
        return tuple(
            Reported(zero, share, self.force_per_ampere, per_torque, self.piston_area, self.rod_side_area)
            for zero in self.stroke_at_zero.tolist()
        )

    @property
    def cycles(self) -> int:
        """How often between two reports the loops of drives close: they do so at 500 Hz or faster."""
        return round(CONTROL / self.sample_rate) if self.sample_rate < SLOWEST_CONTROL else 1

    @property
    def control_period(self) -> float:
        """s, from one command to the next."""
        return 1.0 / self.sample_rate / self.cycles

    @property
    def counted(self) -> bool:
        """Whether lengths come in counts: the same as `has_encoder`."""
        return self.has_encoder

    @property
    def has_encoder(self) -> bool:
        """Whether counts can be converted to lengths."""
        return bool(np.isfinite(self.counts_per_meter))

    @property
    def has_motor(self) -> bool:
        """Whether currents can be converted to forces."""
        return bool(np.isfinite(self.torque_constant))

    @property
    def motor_mass(self) -> float:
        """Mass in kg along the strut that resists like the turning motor: inertia (2 pi gear_ratio / lead)^2."""
        if not self.has_motor:
            return 0.0
        return self.motor_inertia * (2 * np.pi * self.gear_ratio / self.screw_lead) ** 2

    @property
    def force_per_ampere(self) -> float:
        """Strut force in N of one ampere."""
        return 2 * np.pi * self.torque_constant * self.gear_ratio * self.efficiency / self.screw_lead

    @property
    def known_forces(self) -> KnownForces | None:
        """What is known of measured forces; None where they are taken for true."""
        if self.force_delay == 0.0 and np.all(self.force_gain == 1.0) and not np.any(self.force_offset):
            return None
        return KnownForces(
            self.force_delay, tuple(self.force_gain.tolist()), tuple(self.force_offset.tolist())
        )


def read_drive(node: Node) -> Drive:
    """Return the drives of a machine file's section.

    Raises
    ------
    MachineError
        If a key is missing or unknown, or a value is impossible: names the key.
    """
    values = read_keys(node, _KEYS)
    encoder, motor = values.pop("encoder"), values.pop("motor")
    values["stroke_at_zero"] = values.pop("length_at_zero")
    values["piston_area"], values["rod_side_area"] = read_cylinder(node)
    node.close()
    if encoder is not None:
        values |= encoder
    if motor is not None:
        values |= motor | {"motor_inertia": motor.pop("inertia")}
        if motor["efficiency"] > 1:
            node.take("motor").take("efficiency").fail(f"= {motor['efficiency']:g}: must be at most 1")
        if motor["rated_torque"] is not None and values["rated_force"] is not None:
            node.take("rated_force").fail(
                "and 'motor.rated_torque' are both there: either says what 100 % of effort is"
            )
    drive = Drive(**{name: value for name, value in values.items() if value is not None})
    if abs(drive.force_delay) > LONGEST_DELAY:
        hint = "; ms?" if abs(drive.force_delay) <= 1e3 * LONGEST_DELAY else ""
        node.take("force_delay").fail(
            f"= {drive.force_delay:g}: must be between -{LONGEST_DELAY:g} and {LONGEST_DELAY:g} s{hint}"
        )
    if np.any((drive.force_gain < GAINS[0]) | (drive.force_gain > GAINS[1])):
        gain = node.take("force_gain")
        gain.fail(
            f"= {gain.value}: must be six factors, measured over true, between {GAINS[0]:g} and {GAINS[1]:g}"
        )
    return drive
