# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
    FaultKind("changed_during_log", "", PLANT, "platform mass and inertia change by this share at half time",
              _change_platform,
              -0.9, 10.0),
    FaultKind("changed_during_log_friction", "", PLANT, "friction changes by this share at half time", _change_friction,
              -0.9, 10.0),
)  # fmt: skip
