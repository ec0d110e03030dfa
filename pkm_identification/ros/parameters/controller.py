# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parameters of the controller node, and the settings they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pkm_identification.control.limits import LimitSettings
from pkm_identification.control.pid import ControlSettings
from pkm_identification.control.settings import ControllerSettings, find_stated_loops
from pkm_identification.declared import declarations
from pkm_identification.machines.contract import Machine

from .declarations import JOINT_NAMES, MACHINE, LiveParameter, ParameterSpec, sample_rate_of

LOOPS = ("bandwidth", "damping", "integral_time", "delay")
LIMITS = ("length_margin", "rate_share", "force_share", "largest_condition")
CHOSEN = ("lead", "blend", "tracking_limit", "lost_after", "estimate_jump", "safe_command", "stop_time",
          "goal_tolerance", "settling_time")  # fmt: skip

_DECLARED = {
    name: ParameterSpec.of(declaration, live=name == "mode")
    for settings in (ControllerSettings, ControlSettings, LimitSettings)
    for name, declaration in declarations(settings).items()
}
# forces pass through topics and a driver, which the simulator's own loops do not
_DECLARED["delay"] = replace(_DECLARED["delay"], default=0.02)

PARAMETERS = (
    MACHINE,
    JOINT_NAMES,
    sample_rate_of("strut_states"),
    _DECLARED["mode"],
    LiveParameter("use_estimates", True, "whether the model follows parameter_estimate, or is the machine file's"),
    ParameterSpec("estimate_age", 5.0, "an estimate whose newest sample is older than the drives' is stale: not taken",
                  "s", 0.1, 1e6),
    *(_DECLARED[name] for name in (*LOOPS, *CHOSEN, *LIMITS)),
    ParameterSpec("base_frame", "base", "frame that poses are given in"),
    ParameterSpec("feedback_rate", 20.0, "of the action's feedback", "Hz", 0, 1e3),
    ParameterSpec("thread_priority", 50, "real-time priority of the process's threads while it controls, where it is "
                  "permitted (docs/controller.md); 0: none", "", 0, 99),
    ParameterSpec("state_rate", 100.0, "of controller_state; 0: not published", "Hz", 0, 1e4),
)  # fmt: skip


def build_controller_settings(
    values: Mapping[str, Any], machine: Machine | None = None
) -> ControllerSettings:
    """Settings of the controller from the node's parameters; bandwidth and damping left as declared are the file's."""
    loops = {name: values[name] for name in LOOPS}
    stated = {} if machine is None else find_stated_loops(machine)
    loops |= {name: value for name, value in stated.items() if loops[name] == _DECLARED[name].default}
    return ControllerSettings(
        mode=values["mode"],
        loops=ControlSettings(**loops),
        limits=LimitSettings(**{name: values[name] for name in LIMITS}),
        **{name: values[name] for name in CHOSEN},
    )
