"""Parameters of the controller node, and the settings they make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pkm_identification.control.limits import LimitSettings
from pkm_identification.control.pid import ControlSettings
from pkm_identification.control.settings import MODES, SAFE_COMMANDS, ControllerSettings
from pkm_identification.records.joint_state import STRUT_NAMES

from .declarations import MACHINE, LiveParameter, ParameterSpec

LOOPS = ("bandwidth", "damping", "integral_time", "delay")
LIMITS = ("length_margin", "rate_share", "force_share", "largest_condition")
CHOSEN = ("lead", "blend", "stop_time", "goal_tolerance", "settling_time", "tracking_limit", "lost_after",
          "estimate_jump", "safe_command")  # fmt: skip

PARAMETERS = (
    MACHINE,
    ParameterSpec("joint_names", list(STRUT_NAMES), "joint names of struts 1 to 6, in and out"),
    ParameterSpec("sample_rate", 0.0, "rate of strut_states; 0: the machine's drive.sample_rate", "Hz", 0, 1e5),
    LiveParameter("mode", "computed_torque", "PID per strut, or forces of the model and feedback through it",
                  choices=MODES),
    LiveParameter("use_estimates", True, "whether the model follows parameter_estimate, or is the machine file's"),
    ParameterSpec("bandwidth", 16.0, "of the strut loops, as far as delay allows it", "Hz", 0.1, 1e3),
    ParameterSpec("damping", 0.8, "damping ratio of the strut loops", "", 0.1, 10.0),
    ParameterSpec("integral_time", 0.5, "in which the integral takes over a constant error", "s", 0.001, 1e3),
    ParameterSpec("delay", 0.02, "longest time from a sample to the force that answers it; the loops are made slow "
                  "enough to stand it: 0.065 / delay Hz at damping 0.8", "s", 0, 1.0),
    ParameterSpec("lead", 1, "periods between a sample and the instant its command acts", low=1, high=40),
    ParameterSpec("blend", 0.5, "time constant with which an estimate is taken over", "s", 0, 60),
    ParameterSpec("tracking_limit", 0.005, "largest error of a strut's length, else emergency stop", "m", 1e-6, 1.0),
    ParameterSpec("lost_after", 0.1, "time without a good sample that is an emergency", "s", 0.002, 600),
    ParameterSpec("estimate_jump", 0.0, "largest change of a strut's force by an estimate, beyond: emergency stop; "
                  "0: a tenth of the drives' force limit", "N", 0, 1e9),
    ParameterSpec("safe_command", "hold", "forces in an emergency stop: those that hold the platform, or none",
                  choices=SAFE_COMMANDS),
    ParameterSpec("stop_time", 0.3, "of a smooth stop; longer where the force limit asks for it", "s", 0.01, 60),
    ParameterSpec("goal_tolerance", 0.0005, "largest length error at a trajectory's end", "m", 1e-6, 1.0),
    ParameterSpec("settling_time", 1.0, "longest time to come within goal_tolerance", "s", 0, 60),
    ParameterSpec("length_margin", 0.0, "that trajectories keep to the length limits", "m", 0, 10),
    ParameterSpec("rate_share", 1.0, "of the machine's rate limit that trajectories may use", "", 0.01, 1.0),
    ParameterSpec("force_share", 0.9, "of the drives' force limit that trajectories may use", "", 0.01, 1.0),
    ParameterSpec("largest_condition", 50.0, "condition number that trajectories may reach", "", 1, 1e6),
    ParameterSpec("base_frame", "base", "frame that poses are given in"),
    ParameterSpec("feedback_rate", 20.0, "of the action's feedback", "Hz", 0, 1e3),
    ParameterSpec("state_rate", 100.0, "of controller_state; 0: not published", "Hz", 0, 1e4),
)  # fmt: skip


def controller_settings(values: Mapping[str, Any]) -> ControllerSettings:
    """Settings of the controller from the node's parameters."""
    return ControllerSettings(
        mode=values["mode"],
        loops=ControlSettings(**{name: values[name] for name in LOOPS}),
        limits=LimitSettings(**{name: values[name] for name in LIMITS}),
        **{name: values[name] for name in CHOSEN},
    )
