"""Drive conversion: encoder counts and motor currents to strut lengths and forces."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pkm_identification.errors import LogError
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import StrutLog


def strut_log_from_counts(
    machine: Machine, time: ArrayLike, counts: ArrayLike, current: ArrayLike | None, source: str = "log"
) -> StrutLog:
    """Convert what the drives count into metres and newtons.

    length = length_at_zero + counts / counts_per_meter, and
    force = current * torque_constant * 2 pi * gear_ratio * efficiency / screw_lead.

    Parameters
    ----------
    machine : Machine
        Must describe its drives.
    time : array_like, shape (N,)
        Stamps in s, kept as they are.
    counts : array_like, shape (N, 6)
        Encoder counts.
    current : array_like, shape (N, 6), or None
        Motor currents in A; None when they were not recorded.
    source : str
        Where the samples came from, for messages.

    Returns
    -------
    StrutLog
        Values that are not finite stay so: the stream guard drops and counts them.

    Raises
    ------
    LogError
        If the machine has no drive constants, or its currents are those of valves, which are no forces.
    """
    drive = machine.drive
    if drive is None:
        raise LogError(
            f"{source}: raw counts and currents need the key 'drive' in the description of machine "
            f"'{machine.name}', which has none"
        )
    for part, known in (("encoder", drive.has_encoder), ("motor", drive.has_motor or current is None)):
        if not known:
            raise LogError(
                f"{source}: raw counts and currents need the key 'drive.{part}' in the description of machine "
                f"'{machine.name}', which has none"
            )
    if current is not None:
        _check_currents(machine, source)
    length = drive.length_at_zero + np.asarray(counts, dtype=float) / drive.counts_per_meter
    force = None if current is None else np.asarray(current, dtype=float) * drive.force_per_ampere
    return StrutLog(np.asarray(time, dtype=float), length, force, source)


def _check_currents(machine: Machine, source: str) -> None:
    """Refuse currents of drives that have no motor: that of a valve says how fast, not how strong."""
    for i, actuator in enumerate(machine.actuators or ()):
        if actuator.has_valve:
            raise LogError(
                f"{source}: currents are no measurement of force: drive {i + 1} of machine '{machine.name}' is of type "
                f"'{actuator.type}', whose current opens a valve; log its forces in N, from pressures or a force sensor"
            )
