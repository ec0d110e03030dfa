# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""All faults a simulated machine can have on request, and how they are written: NAME=VALUE."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from pkm_identification.errors import SettingsError
from pkm_identification.motion import STRUTS

from ..imperfections.setup import Setup
from . import bodies, changes, friction, joints, sensors
from .kind import MUST, NEVER, Fault, FaultKind

FAULTS: tuple[FaultKind, ...] = tuple(
    kind for family in (sensors, bodies, friction, joints, changes) for kind in family.FAULTS
)
_BY_NAME = {kind.name: kind for kind in FAULTS}


def parse_fault(text: str, count: int = STRUTS) -> Fault:
    """Return a fault from `NAME=VALUE`, as `force_delay=0.002` or `force_gain_4=1.1`, of a machine with `count` drives.

    Raises
    ------
    SettingsError
        If there is no such fault (names the nearest), its value is impossible or the drive is none.
    """
    name, equals, value = text.partition("=")
    name, value = name.strip(), value.strip()
    stem, _, last = name.rpartition("_")
    numbered = last.isdigit() and stem in _BY_NAME
    kind = _BY_NAME.get(stem if numbered else name)
    if kind is None:
        close = difflib.get_close_matches(name, [*_BY_NAME, *(f"{key}_1" for key in _BY_NAME)], 1)
        hint = f"did you mean '{close[0]}'?" if close else "see pkm simulate --list-faults"
        raise SettingsError(f"fault '{name}': there is none of that name; {hint}")
    strut = None
    if numbered:
        if kind.strut == NEVER or not 1 <= int(last) <= count:
            raise SettingsError(f"fault '{name}': expected {kind.form}, with N from 1 to {count}")
        strut = int(last) - 1
    elif kind.strut == MUST:
        raise SettingsError(f"fault '{name}': expected {kind.form}, with N from 1 to {count}")
    if not equals and "" not in kind.words:
        raise SettingsError(f"fault '{name}': needs a value, {kind.form}=VALUE with {kind.allowed}")
    try:
        return Fault(kind, kind.numbers_of(value, count), strut, count)
    except SettingsError as error:
        raise SettingsError(f"fault '{name}': {error}") from None


def with_faults(setup: Setup, faults: Iterable[Fault]) -> Setup:
    """Return a simulated machine with faults, applied one after the other.

    Raises
    ------
    SettingsError
        If this machine cannot have one of them.
    """
    for fault in faults:
        setup = fault.apply(setup)
    return setup


def fault_list() -> str:
    """Return all faults for people: a line each with its form, what is allowed, where it happens and what it is."""
    rows = [(kind.form, kind.allowed, kind.changes, kind.help) for kind in FAULTS]
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    return "\n".join(
        f"{form:{widths[0]}}  {allowed:{widths[1]}}  {where:{widths[2]}}  {text}"
        for form, allowed, where, text in rows
    )
