# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs in whatever units and order of lengths they are: set right, identified and diagnosed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pkm_identification.machines.load import AnyMachine, as_machine
from pkm_identification.motion import DriveLog

from ..identify import identify
from ..result import Identification
from ..settings import Settings
from .length_order import ExchangedLengths
from .units import Converted, in_machine_units


def diagnose_identification(
    logs: Sequence[DriveLog], machine: AnyMachine, settings: Settings
) -> Identification:
    """Return an identification of logs with its fit judged; raises as `identify`, but not for other units or orders.

    Lengths and stamps in other units are converted, lengths in an order that has no poses are set right; both are told
    among the causes.
    """
    machine = as_machine(machine)
    converted = in_machine_units(logs, machine)
    try:
        result = identify(converted.logs, machine, settings)
    except ExchangedLengths as error:
        order = error.order
        right = tuple(replace(log, coordinate=log.coordinate[:, order.column]) for log in converted.logs)
        converted = Converted(right, (*converted.causes, order.cause))
        result = identify(converted.logs, machine, settings)
    fit = result.fit
    if not converted.causes or fit is None:
        return result
    return replace(
        result,
        fit=replace(
            fit,
            adequate=False,
            causes=(*converted.causes, *fit.causes),
        ),
    )
