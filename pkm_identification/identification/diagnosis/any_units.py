"""Logs in whatever units they are: converted, identified and diagnosed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import StrutLog

from ..identify import identify
from ..result import Identification
from ..settings import Settings
from .units import in_machine_units


def diagnosed(
    logs: Sequence[StrutLog], machine: Machine, settings: Settings, faults: dict[str, int] | None = None
) -> Identification:
    """An identification of logs with its fit judged; raises as `identify`, but not for other units.

    Lengths and stamps in other units are converted, and told among the causes.
    """
    converted = in_machine_units(logs, machine)
    result = identify(converted.logs, machine, settings, faults)
    fit = result.fit
    if not converted.causes or fit is None:
        return result
    return replace(
        result,
        fit=replace(
            fit,
            adequate=False,
            causes=(*converted.causes, *fit.causes),
            moved=fit.moved if len(fit.moved) else np.empty((0, len(result.estimate.names))),
        ),
    )
