# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""One parameter of a model and the basis a model is linear in: typed, so that no name is ever parsed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from pkm_identification.numerics.arrays import FloatArray


class Kind(Enum):
    """What a number is, physically."""

    MASS = "mass"
    FIRST_MOMENT = "first moment"
    INERTIA = "moment or product of inertia"
    VISCOUS = "viscous friction"
    COULOMB = "Coulomb friction"
    FRICTION = "another friction coefficient"
    EFFECT = "an effect that the machine file or the parameter set lacks"
    GAIN = "factor between a measured and a true quantity"
    NUISANCE = "estimated with the others, without a physical meaning"

    @property
    def friction(self) -> bool:
        """Whether it belongs to a friction law."""
        return self in (Kind.VISCOUS, Kind.COULOMB, Kind.FRICTION)


@dataclass(frozen=True)
class Parameter:
    """A number that is estimated, or that a model is linear in.

    Attributes
    ----------
    name : str
        Unique in its set: what tables, files and messages call it.
    unit : str
    kind : Kind
    body : str
        What it belongs to: a body, or a limb as a whole.
    nominal : float
        The machine file's value, SI units.
    scale : float
        A large error of it: the standard deviation of the prior where nothing better is known.
    symbol : str
        What it is called whichever limb it belongs to; the name itself unless given.
    limb : int or None
        The limb (strut, leg) it belongs to, from 0; None where there is one only, or it stands for all of them.
    size : float or None
        Physical scale by which a deviation is judged where the value itself is near zero: m, m r or m r^2 of the body,
        or a share of a typical friction force; None: `scale` is one.
    """

    name: str
    unit: str
    kind: Kind
    body: str
    nominal: float
    scale: float
    symbol: str = ""
    limb: int | None = None
    size: float | None = None

    def __post_init__(self) -> None:
        if not self.symbol:
            object.__setattr__(self, "symbol", self.name)


@dataclass(frozen=True)
class Basis:
    """Entries a model is linear in: outputs = regressor(motion, identity) @ basis.

    Attributes
    ----------
    entries : tuple of Parameter, length B
    """

    entries: tuple[Parameter, ...]

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Parameter]:
        return iter(self.entries)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(entry.name for entry in self.entries)

    @cached_property
    def nominal(self) -> FloatArray:
        """Values of the machine file, SI units, shape (B,)."""
        return np.array([entry.nominal for entry in self.entries], dtype=float)
