# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Faults of wiring: forces or coordinates of the drives in another order."""

from __future__ import annotations

from dataclasses import replace

from pkm_identification.errors import SettingsError

from ..imperfections.setup import Setup
from .kind import LOG, Fault, FaultKind

FORM = "two drives as 1-2, or the order of all"


def _order(text: str, count: int) -> tuple[float, ...]:
    """Return which drive (from 1) each column shows."""
    order = list(range(1, count + 1))
    if len(text) == 3 and text[1] == "-" and text[0].isdigit() and text[2].isdigit():
        a, b = int(text[0]), int(text[2])
        if a in order and b in order and a != b:
            order[a - 1], order[b - 1] = b, a
            return tuple(map(float, order))
    elif text.isascii() and text.isdigit() and sorted(int(digit) for digit in text) == order:
        return tuple(float(digit) for digit in text)
    turned = "".join(map(str, [*order[1::-1], *order[2:]]))
    raise SettingsError(f"'{text}': expected {FORM} {count} as {turned}")


def _apply_after(old: tuple[int, ...], fault: Fault) -> tuple[int, ...]:
    return tuple(old[int(drive) - 1] for drive in fault.numbers)


def _exchange_forces(setup: Setup, fault: Fault) -> Setup:
    return replace(
        setup, record=replace(setup.record, force_order=_apply_after(setup.record.force_order, fault))
    )


def _exchange_lengths(setup: Setup, fault: Fault) -> Setup:
    return replace(
        setup, record=replace(setup.record, length_order=_apply_after(setup.record.length_order, fault))
    )


FAULTS = (
    FaultKind("exchanged_struts", FORM, LOG, "forces are recorded in columns of other drives",
              _exchange_forces, parse=_order),
    FaultKind("exchanged_lengths", FORM, LOG, "coordinates are recorded in columns of other drives", _exchange_lengths,
              parse=_order),
)  # fmt: skip
