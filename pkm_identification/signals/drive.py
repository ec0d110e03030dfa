# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Drive conversion: encoder counts and motor currents to strut lengths and forces."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pkm_identification.errors import LogError
from pkm_identification.mechanisms.hexapod.drive import Drive
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog


def strut_log_from_counts(
    machine: Machine, time: ArrayLike, counts: ArrayLike, current: ArrayLike | None, source: str = "log"
) -> DriveLog:
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
    DriveLog
        Values that are not finite stay so: the stream guard drops and counts them.

    Raises
    ------
    LogError
        If the machine has no drive constants, or its currents are those of valves, which are no forces.
    """
    parts = ("encoder",) if current is None else ("encoder", "motor")
    drive = _drive(machine, parts, "raw counts and currents", source)
    length = drive.length_at_zero + np.asarray(counts, dtype=float) / drive.counts_per_meter
    force = None if current is None else np.asarray(current, dtype=float) * drive.force_per_ampere
    return DriveLog(np.asarray(time, dtype=float), length, force, source)


def strut_log_from_currents(
    machine: Machine, time: ArrayLike, length: ArrayLike, current: ArrayLike, source: str = "log"
) -> DriveLog:
    """Convert the currents beside lengths, which controllers log in metres, into newtons.

    Oh 2003, l.16242-43, 16312-13: motor current times torque constant times the transmission of gearbox and ball screw.

    Parameters
    ----------
    machine : Machine
        Must describe its motors; encoders need not be known.
    time : array_like, shape (N,)
        Stamps in s, kept as they are.
    length : array_like, shape (N, 6)
        m, between the joint centres.
    current : array_like, shape (N, 6)
        Motor currents in A, positive when the strut pushes.
    source : str
        Where the samples came from, for messages.

    Raises
    ------
    LogError
        If the machine has no motor constants, or its currents are those of valves, which are no forces.
    """
    force = (
        np.asarray(current, dtype=float) * _drive(machine, ("motor",), "currents", source).force_per_ampere
    )
    return DriveLog(np.asarray(time, dtype=float), np.asarray(length, dtype=float), force, source)


def _drive(machine: Machine, parts: tuple[str, ...], what: str, source: str) -> Drive:
    """The drives of a machine, if they are described in all that is asked of them."""
    drive = machine.drive
    if drive is None:
        raise LogError(
            f"{source}: {what} need the key 'drive' in the description of machine '{machine.name}', which has none"
        )
    known = {"encoder": drive.has_encoder, "motor": drive.has_motor}
    for part in parts:
        if not known[part]:
            raise LogError(
                f"{source}: {what} need the key 'drive.{part}' in the description of machine '{machine.name}', which "
                "has none"
            )
    if "motor" in parts:
        _check_currents(machine, source)
    return drive


def _check_currents(machine: Machine, source: str) -> None:
    """Refuse currents of drives that have no motor: that of a valve says how fast, not how strong."""
    for i, actuator in enumerate(machine.actuators or ()):
        if actuator.has_valve:
            raise LogError(
                f"{source}: currents are no measurement of force: drive {i + 1} of machine '{machine.name}' is of type "
                f"'{actuator.type}', whose current opens a valve; log its forces in N, from pressures or a force sensor"
            )
