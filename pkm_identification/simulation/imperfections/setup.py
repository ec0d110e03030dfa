# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What faults change: a whole simulated machine before it is built, right until a fault touches it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.machines.load import wrap_description
from pkm_identification.mechanisms.friction import Friction
from pkm_identification.numerics.arrays import FloatArray


@dataclass(frozen=True)
class LostCounts:
    """A step in what one encoder shows: strut from 0, size in m, instant in s (None: half time of the motion)."""

    strut: int
    size: float
    time: float | None


@dataclass(frozen=True)
class WrongMotion:
    """From an instant (s) on one encoder (strut from 0) shows what it showed then, and `share` of what has moved since.

    The share is 0 where it is stuck, -1 where it counts the wrong way.
    """

    strut: int
    share: float
    time: float


@dataclass(frozen=True)
class EncoderErrors:
    """What encoders show, and hence what drives control and logs hold: zero + scale (length - zero) + offset + steps.

    `scale` and `offset` (m or rad) are (n,); the zero is the drive's `length_at_zero`. Then what `wrong` makes of it.
    """

    scale: FloatArray
    offset: FloatArray
    lost: tuple[LostCounts, ...] = ()
    wrong: tuple[WrongMotion, ...] = ()


@dataclass(frozen=True)
class ForceErrors:
    """What current sensors show of the force, gain force(t - delay) + offset, each (n,); offsets in N (N m).

    Delays are in s against the lengths of the same stamp. What is in a machine file's section `drive` is in here as
    well: the file only knows of it.
    """

    gain: FloatArray
    offset: FloatArray
    delay: FloatArray


@dataclass(frozen=True)
class RecordErrors:
    """What the log makes of it: clipped, signs, the order of columns, units (N, m and s of one recorded unit).

    Limits (N or N m) and signs are (n,); column k shows drive `order[k]`.
    """

    force_limit: FloatArray
    force_sign: FloatArray
    force_order: tuple[int, ...]
    length_order: tuple[int, ...]
    force_unit: float = 1.0
    length_unit: float = 1.0
    time_unit: float = 1.0


@dataclass(frozen=True)
class TrainErrors:
    """Effects between drive and mechanism that no friction law of a machine file has.

    Attributes
    ----------
    excess, stribeck_rate : float
        Breakaway over Coulomb friction less one, and the rate in m/s at which it has fallen to 1/e.
    asymmetry : float
        Share of Coulomb friction that is more when the drive moves out, and less when it moves in.
    presliding : float
        m or rad of elastic displacement before a drive slides (LuGre, Canudas de Wit 1995); 0: none.
    by_load : float
        N of Coulomb friction per N of the drive's load (N m per N m).
    by_position : float
        Relative change of Coulomb friction per m or rad, from home.
    compliance : float
        m/N or rad/(N m), between encoder and mechanism.
    """

    excess: float = 0.0
    stribeck_rate: float = 0.01
    asymmetry: float = 0.0
    presliding: float = 0.0
    by_load: float = 0.0
    by_position: float = 0.0
    compliance: float = 0.0

    @property
    def acts(self) -> bool:
        """Whether there is any such effect."""
        return self != TrainErrors(stribeck_rate=self.stribeck_rate)

    def change_law(self, friction: Friction) -> Friction:
        """Return friction with these effects, by a law of machine files.

        Raises
        ------
        SettingsError
            If no law has them all: a friction law knows no position, no load and nothing elastic.
        """
        more = {"stribeck": self.excess != 0.0, "asymmetric": self.asymmetry != 0.0}
        names = [name for name, there in more.items() if there]
        lawless = (self.presliding, self.by_load, self.by_position, self.compliance)
        if any(lawless) or len(names) != 1 or friction.law.name != "coulomb":
            raise SettingsError(
                "drives with an 'actuator' and law 'coulomb' may get either Stribeck or asymmetric friction; their "
                "compliance is that of the 'actuator'"
            )
        values: dict[str, Any] = {"viscous": friction.viscous, "coulomb": friction.coulomb}
        values |= (
            {"static_ratio": 1.0 + self.excess, "stribeck_rate": self.stribeck_rate}
            if names == ["stribeck"]
            else {"asymmetry": self.asymmetry * friction.coulomb}
        )
        return Friction.of(names[0], transition_rate=friction.parameter("transition_rate"), **values)


@dataclass(frozen=True)
class Change:
    """What is different from half time of the motion on: factors of platform mass (and inertia) and of friction."""

    platform: float = 1.0
    friction: float = 1.0

    @property
    def acts(self) -> bool:
        """Whether anything changes."""
        return self.platform != 1.0 or self.friction != 1.0


@dataclass(frozen=True)
class Setup:
    """A simulated machine, before it is built.

    Attributes
    ----------
    machine : Machine or Mechanism
        The description whose truth the plant has. Faults change its fields, not its document.
    seed : int
        Of what a fault draws at random.
    train : TrainErrors
    encoder : EncoderErrors
    force : ForceErrors
    record : RecordErrors
    change : Change
    """

    machine: Any
    seed: int
    encoder: EncoderErrors
    force: ForceErrors
    record: RecordErrors
    train: TrainErrors = field(default_factory=TrainErrors)
    change: Change = field(default_factory=Change)

    @classmethod
    def of(cls, machine: Any, seed: int = 0) -> Setup:
        """Return a machine as its file describes it, with what the file knows of its measured forces."""
        contract = wrap_description(machine)
        count = len(contract.drives)
        zeros, ones, order = np.zeros(count), np.ones(count), tuple(range(count))
        drive = getattr(machine, "drive", None)
        known = None if drive is None else drive.known_forces
        force = ForceErrors(ones, zeros, zeros)
        if known is not None:
            force = ForceErrors(np.array(known.gain), np.array(known.offset), np.full(count, known.delay))
        record = RecordErrors(np.full(count, np.inf), ones, order, order)
        return cls(machine, seed, EncoderErrors(ones, zeros), force, record)
