# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A fault in time: the machine is another one from half time of the motion on."""

from __future__ import annotations

from dataclasses import replace

from pkm_identification.errors import SettingsError
from pkm_identification.machines.capabilities import PlatformPose, require
from pkm_identification.machines.load import wrap_description

from ..imperfections.setup import Setup
from ..physics.load import build_physics
from .kind import PLANT, Fault, FaultKind


def _change_platform(setup: Setup, fault: Fault) -> Setup:
    require(wrap_description(setup.machine), PlatformPose, "platform")
    return replace(setup, change=replace(setup.change, platform=1.0 + fault.numbers[0]))


def _change_friction(setup: Setup, fault: Fault) -> Setup:
    if not build_physics(setup.machine).has_friction:
        raise SettingsError(f"machine '{setup.machine.name}' has no friction that could change")
    return replace(setup, change=replace(setup.change, friction=1.0 + fault.numbers[0]))


FAULTS = (
    FaultKind("changed_during_log", "", PLANT, "platform mass and inertia change by this fraction at half time",
              _change_platform,
              -0.9, 10.0),
    FaultKind("changed_during_log_friction", "", PLANT, "friction changes by this fraction at half time",
              _change_friction,
              -0.9, 10.0),
)  # fmt: skip
