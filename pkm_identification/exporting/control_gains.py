# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A machine file with the gains that a comparison of laws of control asked for."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.machines.contract import Machine
from pkm_identification.mechanisms.actuators.servo import Servo

from .formats import dump_plain, write_drive_numbers

LAWS = ("position", "computed torque", "workspace")
PERIOD = 1e-3  # s, of computed torque
FEED_FORWARD = (
    "rate_feed_forward",
    "acceleration_feed_forward",
)  # keys that a law of the workspace has no use for


def choose_law(machine: Machine) -> str:
    """Return the law whose gains are written unless another one is named."""
    return "position" if any(one.has_valve for one in machine.actuators or ()) else "computed torque"


def write_gains(machine: Machine, law: str, bandwidth: float) -> str:
    """Return the machine's file as text, with the gains of a law in its section `control` or in its drives.

    Parameters
    ----------
    machine : Machine
    law : str
        One of LAWS.
    bandwidth : float
        Hz, of the law.

    Raises
    ------
    SettingsError
        If the law has no keys in a file, or the drives cannot have it.
    """
    w = 2.0 * np.pi * bandwidth
    servos = [one for one in machine.actuators or () if isinstance(one, Servo)]
    document: dict[str, Any] = deepcopy(dict(machine.file))
    control = document.get("control")
    if law not in LAWS:
        raise SettingsError(f"--law {law}: no key of a machine file has it; one of {', '.join(LAWS)}")
    if servos and law != "position":
        raise SettingsError(f"--law {law}: drives with valves take no forces; choose position")
    if law == "position" and any(one.holds_position for one in servos):
        gains = {
            (i, "gain"): one.loop.gain * w / one.gain_of_loop
            for i, one in enumerate(machine.actuators or ())
            if isinstance(one, Servo) and one.holds_position
        }
        return write_drive_numbers(machine, gains)
    sections: list[dict[str, Any]] = control if isinstance(control, list) else [control] if control else []
    cascaded = bool(sections) and "computed_torque" not in sections[0]
    if law == "computed torque" or not cascaded:
        if law == "position":
            raise SettingsError("--law position: the drives have no position loop; choose computed torque")
        if "actuator" not in document and "actuators" not in document:
            document["actuator"] = {"type": "ideal"}
        torque = {"position_gain": float(w**2), "rate_gain": float(2.0 * w), "period": PERIOD}
        document["control"] = {"computed_torque": torque}
    else:
        for section in sections:
            section["position"]["gain"] = float(w)
            if law == "workspace":
                for part in (section["position"], section.get("velocity", {})):
                    for key in FEED_FORWARD:
                        part.pop(key, None)
    if law == "workspace":
        if isinstance(control, list) and cascaded:
            raise SettingsError(
                "--law workspace: needs one section 'control' for all drives; this file has a list"
            )
        document["control"]["space"] = "workspace"
    return dump_plain(document)
