# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Kinematics of a machine for LinuxCNC: values of the HAL pins of genhexkins."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS
from pkm_identification.version import __version__

MILLIMETRES = 1e3  # in a metre
DECIMALS = 6  # a nanometre
AXES = "xyz"


def linuxcnc_hal(machine: Machine) -> str:
    """HAL commands that set the joint centres of genhexkins, in mm.

    `setp genhexkins.base.N.x` and so on, N from 0 (strut N + 1): base joints in the base frame, platform joints in the
    platform frame, which then are LinuxCNC's world and tool frames; A, B, C are roll, pitch and yaw. Directions of
    universal joints (`base-n`, `platform-n`) and the screw's lead correct lengths of screws that the struts' spin
    turns; lengths here are distances of the joint centres, so the correction stays off.

    Parameters
    ----------
    machine : Machine
    """
    home = strut_lengths(machine, machine.home_position[None], machine.home_rotation[None])[0]
    lines = [
        # a name of several lines would end the comment
        f"# genhexkins of LinuxCNC for {machine.name!r}, by pkm export of pkm_identification {__version__}",
        "# Lengths in mm: [TRAJ]LINEAR_UNITS = mm. loadrt genhexkins comes before these lines.",
        f"# Struts are {', '.join(f'{length:.3f}' for length in MILLIMETRES * home)} mm long at home.",
        f"# Joint limits: MIN_LIMIT = {_format_length(machine.length_limits[0])}, MAX_LIMIT = "
        f"{_format_length(machine.length_limits[1])}",
    ]
    for end, places in (("base", machine.base_joints), ("platform", machine.platform_joints)):
        for i in range(STRUTS):
            lines += [
                f"setp genhexkins.{end}.{i}.{axis} {_format_length(value)}"
                for axis, value in zip(AXES, places[i], strict=True)
            ]
    lines += [f"setp genhexkins.{name} 0.0" for name in ("screw-lead", "spindle-offset")]
    return "\n".join(lines) + "\n"


def _format_length(metres: float) -> str:
    """Return a length in mm."""
    return repr(float(np.round(MILLIMETRES * metres, DECIMALS)) + 0.0)
