"""What a controller is told, and what it tells its drives."""

from __future__ import annotations

from dataclasses import dataclass, field

from pkm_identification.numerics.arrays import FloatArray

from .limits import LimitSettings
from .pid import ControlSettings

MODES = ("pid", "computed_torque")
SAFE_COMMANDS = ("hold", "zero")


@dataclass(frozen=True)
class ControllerSettings:
    """How the controller works.

    Attributes
    ----------
    mode : {'pid', 'computed_torque'}
    loops : ControlSettings
        Tuning of the feedback, alike in both modes.
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
        m, largest error of a strut's length; beyond, emergency stop.
    lost_after : float
        s without a good sample that are an emergency, by stamps or on the clock on the wall.
    estimate_jump : float
        N; an estimate that would change a strut's force by more is an emergency. 0: a tenth of the drives' limit, or
        no limit without drives.
    safe_command : {'hold', 'zero'}
        Forces in an emergency: what holds the platform where it is (the weight alone without trustworthy lengths), or
        none.
    """

    mode: str = "computed_torque"
    loops: ControlSettings = field(default_factory=ControlSettings)
    limits: LimitSettings = field(default_factory=LimitSettings)
    lead: int = 1
    blend: float = 0.5
    stop_time: float = 0.3
    goal_tolerance: float = 5e-4
    settling_time: float = 1.0
    tracking_limit: float = 0.005
    lost_after: float = 0.1
    estimate_jump: float = 0.0
    safe_command: str = "hold"

    def __post_init__(self) -> None:
        if self.mode not in MODES or self.safe_command not in SAFE_COMMANDS:
            raise ValueError(f"mode '{self.mode}' or safe_command '{self.safe_command}' does not exist")
        if self.lead < 1 or not self.lost_after > 0:
            raise ValueError("lead must be at least 1, lost_after more than 0")


@dataclass(frozen=True)
class Command:
    """What goes to the drives, and why.

    Attributes
    ----------
    time : float
        Stamp in s of the sample it answers.
    force : ndarray, shape (6,)
        N, within the drives' limit.
    length, rate : ndarray, shape (6,)
        Wanted at the sample's instant, m and m/s.
    error : ndarray, shape (6,)
        Wanted less measured length, m.
    feed_forward, feedback : ndarray, shape (6,)
        N, the model's part of the force and the rest; their sum is `force` where no limit cuts it.
    """

    time: float
    force: FloatArray
    length: FloatArray
    rate: FloatArray
    error: FloatArray
    feed_forward: FloatArray
    feedback: FloatArray
