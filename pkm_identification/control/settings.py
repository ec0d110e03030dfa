# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Settings of a controller, and its commands to the drives."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pkm_identification.declared import declarations, declare
from pkm_identification.errors import SettingsError
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray

from .limits import LimitSettings
from .pid import ControlSettings

MODES = ("pid", "computed_torque", "workspace")
WORKSPACE = MODES[2]
POSITION = "position"  # the only mode of drives that go to places by themselves
SAFE_COMMANDS = ("hold", "zero")


@dataclass(frozen=True)
class ControllerSettings:
    """How the controller works.

    Attributes
    ----------
    mode : {'pid', 'computed_torque', 'workspace'}
    loops : ControlSettings
        Tuning of the feedback, alike in all modes.
    limits : LimitSettings
        Of motions.
    lead : int
        Periods between a sample and the instant its command acts.
    blend : float
        s, time constant with which an estimate is taken over.
    stop_time : float
        s, of a smooth stop.
    goal_tolerance, settling_time : float
        m and s; see `Motions`.
    tracking_limit : float
        m, largest error of a drive's coordinate; beyond, emergency stop. Of turning drives this and the tolerance are
        rad at a lever of 0.1 m: ten times the number.
    lost_after : float
        s without a good sample that are an emergency, by stamps or on the clock on the wall.
    estimate_jump : float
        N or N m; an estimate that would change a drive's force by more is an emergency. 0: a tenth of the drive's
        limit, or no limit where the file states none.
    safe_command : {'hold', 'zero'}
        Forces in an emergency: what holds the machine where it is (the weight alone without trustworthy coordinates),
        or none.
    """

    mode: str = declare(
        "computed_torque",
        "PID per drive, forces of the model and feedback through it, or a position loop of the platform or outputs",
        choices=MODES,
    )
    loops: ControlSettings = field(default_factory=ControlSettings)
    limits: LimitSettings = field(default_factory=LimitSettings)
    lead: int = declare(1, "periods between a sample and the instant its command acts", low=1, high=40)
    blend: float = declare(0.5, "time constant with which an estimate is taken over", "s", 0, 60)
    stop_time: float = declare(
        0.3, "of a smooth stop; longer where the force limit asks for it", "s", 0.01, 60
    )
    goal_tolerance: float = declare(
        5e-4,
        "largest error of a drive at a trajectory's end; of turning drives at a lever of 0.1 m",
        "m",
        1e-6,
        1.0,
    )
    settling_time: float = declare(1.0, "longest time to come within goal_tolerance", "s", 0, 60)
    tracking_limit: float = declare(
        0.005,
        "largest error of a drive, else emergency stop; of turning drives at a lever of 0.1 m",
        "m",
        1e-6,
        1.0,
    )
    lost_after: float = declare(0.1, "time without a good sample that is an emergency", "s", 0.002, 600)
    estimate_jump: float = declare(
        0.0,
        "largest change of a drive's force by an estimate, beyond: emergency stop; "
        "0: a tenth of its force limit",
        "N",
        0,
        1e9,
    )
    safe_command: str = declare(
        "hold",
        "forces in an emergency stop: those that hold the machine, or none",
        choices=SAFE_COMMANDS,
    )

    def __post_init__(self) -> None:
        for name in ("mode", "safe_command"):
            declarations(self)[name].check(getattr(self, name))
        if self.lead < 1 or not self.lost_after > 0:
            raise SettingsError("lead must be at least 1, lost_after more than 0")


@dataclass(frozen=True)
class Command:
    """What goes to the drives, and why.

    Attributes
    ----------
    time : float
        Stamp in s of the sample it answers.
    force : ndarray, shape (n,)
        N or N m, within the drives' limits; 0 of drives that go to places by themselves.
    coordinate, rate : ndarray, shape (n,)
        Wanted at the sample's instant, m and m/s, or rad and rad/s.
    error : ndarray, shape (n,)
        Wanted less measured coordinate, m or rad.
    feed_forward, feedback : ndarray, shape (n,)
        N or N m, the model's part of the force and the rest; their sum is `force` where no limit cuts it.
    rate_error : ndarray, shape (n,)
        Wanted less measured rate, m/s or rad/s.
    """

    time: float
    force: FloatArray
    coordinate: FloatArray
    rate: FloatArray
    error: FloatArray
    feed_forward: FloatArray
    feedback: FloatArray
    rate_error: FloatArray


def find_stated_loops(machine: Machine) -> dict[str, float]:
    """Return `bandwidth` in Hz and `damping` of the law e'' + k_v e' + k_p e = 0 of a file; empty without it."""
    control = machine.bodies.description.control
    if control is None or control.computed_torque is None:
        return {}
    w = float(np.sqrt(control.computed_torque.position_gain))
    return {"bandwidth": w / (2.0 * np.pi), "damping": control.computed_torque.rate_gain / (2.0 * w)}
