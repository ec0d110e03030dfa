# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""An identification of logs of any machine, set right first where they are in other units or another order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pkm_identification.errors import LogError
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.load import AnyMachine, as_machine
from pkm_identification.motion import DriveLog

from .diagnosis.length_order import ExchangedLengths
from .diagnosis.units import Converted, in_machine_units
from .identify import identify
from .result import Identification
from .settings import Settings


def diagnose_identification(
    logs: Sequence[DriveLog], machine: AnyMachine, settings: Settings
) -> Identification:
    """Return an identification of logs with its fit judged; raises as `identify`, but not for other units or orders.

    Lengths and stamps in other units are converted, lengths in an order that has no poses are set right; both are
    reported among the causes.
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


def identify_logs(
    logs: Sequence[Any],
    machine: Machine,
    settings: Settings,
    *,
    falls: Sequence[Any] = (),
    validate: Any = None,
) -> Identification:
    """Return an identification of a machine.

    Parameters
    ----------
    logs : sequence of DriveLog
        As readers of the machine's logs give them.
    machine : Machine
    settings : Settings
    falls : sequence of DriveLog
        See `identify.identify`.
    validate : DriveLog, optional
        Whose forces are predicted; else the end of each log is.

    Raises
    ------
    PkmError
        As `identify.identify`.
    """
    # here, because kernels take long to load
    from .identify import identify
    from .identify import validate as predict

    result = identify(logs, machine, settings, falls)
    return result if validate is None else predict(result, validate)


def diagnose_logs(
    logs: Sequence[Any],
    machine: Machine,
    settings: Settings,
) -> Identification:
    """Return an identification whose fit is judged; raises as `identify_logs`, but not for other units or orders.

    Raises
    ------
    LogError
        If the logs are too short to tell noise from misfit.
    """
    from .of_logs import diagnose_identification

    result = diagnose_identification(logs, machine, settings)
    if result.fit is None:
        raise LogError(f"{logs[0].source}: the log is too short to separate noise from misfit")
    return result
