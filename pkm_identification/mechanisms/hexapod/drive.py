# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The section `drive` of a machine file: what the drives report, and what is known to be wrong with it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pkm_identification.document import Node, frozen
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray

from ..reported import UNKNOWN, Reported, read_cylinder

# A delay of more than this is another instant of the motion, not a late current.
LONGEST_DELAY = 0.1  # s
GAINS = (0.1, 10.0)
# Drives close their loops at least this often, however seldom they report, and so often if they report more seldom.
SLOWEST_CONTROL = 500.0  # Hz
CONTROL = 1000.0  # Hz


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
    values: dict[str, float | FloatArray] = {}
    if node.has("encoder"):
        encoder = node.take("encoder")
        values["counts_per_meter"] = encoder.take("counts_per_meter").positive()
        values["length_at_zero"] = encoder.take("length_at_zero").array(STRUTS)
        encoder.close()
    if node.has("motor"):
        values |= _read_motor(node.take("motor"))
    values["piston_area"], values["rod_side_area"] = read_cylinder(node)
    share, zero = node.take("rated_force", None), node.take("length_at_zero", None)
    if share.value is not None:
        values["rated_force"] = share.positive()
        if np.isfinite(values.get("rated_torque", UNKNOWN)):
            share.fail("and 'motor.rated_torque' are both there: either says what 100 % of effort is")
    if zero.value is not None:
        values["stroke_at_zero"] = zero.array(STRUTS)
    delay = node.take("force_delay", 0.0)
    gain = node.take("force_gain", [1.0] * STRUTS)
    noise = node.take("force_noise", None)
    drive = Drive(
        sample_rate=node.take("sample_rate").positive(),
        force_delay=delay.number(),
        force_gain=gain.array(STRUTS),
        force_offset=node.take("force_offset", [0.0] * STRUTS).array(STRUTS),
        force_noise=None if noise.value is None else noise.positive(),
        following_error=node.take("following_error", None).positive_or_none(),
        force_jump=node.take("force_jump", None).positive_or_none(),
        **values,  # type: ignore[arg-type]
    )
    if abs(drive.force_delay) > LONGEST_DELAY:
        hint = "; ms?" if abs(drive.force_delay) <= 1e3 * LONGEST_DELAY else ""
        delay.fail(
            f"= {drive.force_delay:g}: must be between -{LONGEST_DELAY:g} and {LONGEST_DELAY:g} s{hint}"
        )
    if np.any((drive.force_gain < GAINS[0]) | (drive.force_gain > GAINS[1])):
        gain.fail(
            f"= {gain.value}: must be six factors, measured over true, between {GAINS[0]:g} and {GAINS[1]:g}"
        )
    for optional in ("encoder", "motor", "cylinder"):  # so that a mistyped key's message names them
        node.take(optional, None)
    node.close()
    return drive


def _read_motor(node: Node) -> dict[str, float | FloatArray]:
    efficiency = node.take("efficiency", 1.0)
    values: dict[str, float | FloatArray] = {
        "torque_constant": node.take("torque_constant").positive(),
        "screw_lead": node.take("screw_lead").positive(),
        "gear_ratio": node.take("gear_ratio", 1.0).positive(),
        "efficiency": efficiency.positive(),
        "force_limit": node.take("force_limit").positive(),
        "motor_inertia": node.take("inertia", 0.0).not_negative(),
        "rated_torque": node.take("rated_torque", None).positive_or_none() or UNKNOWN,
    }
    if efficiency.positive() > 1:
        efficiency.fail(f"= {efficiency.value:g}: must be at most 1")
    node.close()
    return values
