# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a fault is: its name, unit and range, what it changes, and how."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pkm_identification.errors import SettingsError
from pkm_identification.motion import STRUTS

from ..imperfections.setup import Setup

PLANT, SENSORS, LOG = "machine", "sensors", "recorded log"
NEVER, MAY, MUST = "never", "may", "must"  # have the number of a drive at its end


@dataclass(frozen=True)
class Fault:
    """A fault with its size.

    Attributes
    ----------
    kind : FaultKind
    numbers : tuple of float
        In the kind's unit.
    strut : int or None
        Which drive, from 0; None: all drives, or none in particular.
    count : int
        Of the machine's drives.
    """

    kind: FaultKind
    numbers: tuple[float, ...]
    strut: int | None = None
    count: int = STRUTS

    @property
    def name(self) -> str:
        """As in a diagnosis: `force_gain_4`."""
        return self.kind.name if self.strut is None else f"{self.kind.name}_{self.strut + 1}"

    @property
    def struts(self) -> list[int]:
        """Which drives have it."""
        return list(range(self.count)) if self.strut is None else [self.strut]

    def refuse_in_plant(self) -> None:
        """Refuse a fault that cannot begin while the machine runs; raises SettingsError."""
        if self.kind.changes == PLANT:
            raise SettingsError(
                f"fault '{self.name}': is in the machine's body and there from the start: give it as one of `faults`"
            )

    def apply(self, setup: Setup) -> Setup:
        """Return the simulated machine with this fault.

        Raises
        ------
        SettingsError
            If this machine cannot have it: names fault and reason.
        """
        try:
            return self.kind.apply(setup, self)
        except SettingsError as error:
            raise SettingsError(f"fault '{self.name}': {error}") from None


@dataclass(frozen=True)
class FaultKind:
    """A kind of fault; `registry` has them all.

    Attributes
    ----------
    name : str
    unit : str
        Empty where it has none.
    changes : str
        PLANT, SENSORS or LOG: where it happens.
    help : str
        One line.
    apply : callable (Setup, Fault) -> Setup
    low, high : float
        Smallest and largest number allowed.
    strut : str
        Whether the name may or must end in the number of a drive.
    counts : tuple of int
        How many numbers there may be.
    words : mapping of str to tuple of float
        Words for numbers: `kN`. The empty word stands for a fault given by its name alone.
    parse : callable (str, int) -> tuple of float, optional
        For values that are no numbers; takes how many drives there are.
    """

    name: str
    unit: str
    changes: str
    help: str
    apply: Callable[[Setup, Fault], Setup]
    low: float = -math.inf
    high: float = math.inf
    strut: str = NEVER
    counts: tuple[int, ...] = (1,)
    words: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    parse: Callable[[str, int], tuple[float, ...]] | None = None

    @property
    def form(self) -> str:
        """The name as it is written: `force_gain[_N]`."""
        return self.name + {NEVER: "", MAY: "[_N]", MUST: "_N"}[self.strut]

    @property
    def allowed(self) -> str:
        """What is allowed of its value, in words."""
        parts = []
        if self.low == self.high:
            parts.append(f"{self.low:g}, or no value")
        elif self.parse is None:
            many = " or ".join(str(count) for count in self.counts)
            numbers = "a number" if self.counts == (1,) else f"{many} numbers with commas"
            unit = f", {self.unit}" if self.unit else ""
            limits = ""
            if math.isfinite(self.low) and math.isfinite(self.high):
                limits = f" between {self.low:g} and {self.high:g}"
            elif math.isfinite(self.low):
                limits = f" of at least {self.low:g}"
            parts.append(numbers + limits + unit)
        else:
            parts.append(self.unit)
        named = [word for word in self.words if word]
        return " or ".join([*parts, *([", ".join(named)] if named else [])])

    def numbers_of(self, text: str, count: int) -> tuple[float, ...]:
        """Return the numbers of a value; raises SettingsError that says what is allowed."""
        if text in self.words:
            return self.words[text]
        if self.parse is not None:
            return self.parse(text, count)
        try:
            numbers = tuple(float(part) for part in text.split(","))
        except ValueError:
            numbers = ()
        fits = len(numbers) in self.counts and all(self.low <= number <= self.high for number in numbers)
        if not (fits and all(math.isfinite(number) for number in numbers)):
            raise SettingsError(f"'{text}': expected {self.allowed}")
        return numbers
