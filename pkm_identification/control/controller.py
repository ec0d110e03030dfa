# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The controller: strut lengths in at the drives' rate, forces out; stops safely when it must not go on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.errors import NotConverged, PkmError, SettingsError
from pkm_identification.mechanisms.hexapod.dynamics import strut_dynamics, strut_forces
from pkm_identification.mechanisms.hexapod.kinematics import pose_of_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS, PlatformMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.guard import GuardSettings, StreamGuard

from .follower import Setpoint
from .following import Following
from .laws.platform_torque import PlatformTorque
from .limits import MotionLimits
from .model import BelievedModel
from .motions import (
    PATH_TOLERANCE,
    STOPPED,
    Motion,
    Motions,
    Outcome,
)
from .pid import StrutController
from .settings import MODES, Command, ControllerSettings
from .stop import BLIND, EmergencyStop, Holding
from .workspace_errors import WorkspaceErrors

WAITING, HOLDING, MOVING, EMERGENCY = "waiting", "holding", "moving", "emergency"
GOOD_SAMPLES = 10  # without a break, before an emergency stop may be left
ESTIMATE_JUMP_SHARE = 0.1  # of the drives' force limit


class MachineController:
    """Controls one machine, sample by sample.

    Parameters
    ----------
    machine : Machine
        What is believed before there are estimates.
    period : float
        s between samples.
    settings : ControllerSettings

    Attributes
    ----------
    state : str
        'waiting' (for a first sample), 'holding', 'moving' or 'emergency'.
    stop : EmergencyStop or None
        The emergency there is.
    model : BelievedModel
    guard : StreamGuard
        Judges the samples; see its `last_rejection`.
    following : Following
        Judges what the struts make of the commands.
    """

    def __init__(self, machine: Machine, period: float, settings: ControllerSettings) -> None:
        _refuse_places(machine)
        self.machine = machine
        self.period = period
        self.settings = settings
        self.motions: Motions | None = None
        self.guard = StreamGuard(GuardSettings.of(machine, period))
        self.model = BelievedModel(machine, settings.blend, period)
        self._limits = MotionLimits(machine, settings.limits)
        self._law = PlatformTorque(machine, settings.loops)
        self._workspace = WorkspaceErrors(machine)
        self._force_limit = np.inf if machine.drive is None else machine.drive.force_limit
        self._estimate_jump = settings.estimate_jump or ESTIMATE_JUMP_SHARE * self._force_limit
        home = strut_dynamics(machine, machine.home_position[None], machine.home_rotation[None])
        apparent = 1.0 / np.diag(np.linalg.inv(home.mass[0]))
        self._loops = StrutController(apparent, machine.friction.viscous, period, settings.loops)
        self._mode = settings.mode
        self.following = Following(machine, settings.tracking_limit)
        self._holding = Holding(self._loops, self._force_limit, self.following.limit, settings.stop_time)
        self.reset()

    def reset(self) -> None:
        """As newly made, mode apart; motions end."""
        self.guard.reset()
        self.model.reset()
        self._wait("the controller was reset")

    def _wait(self, text: str) -> None:
        if self.motions is not None:
            self.motions.abort(Outcome(STOPPED, text))
        self.motions = None
        self.stop: EmergencyStop | None = None
        self._last_good: float | None = None  # stamps
        self._answered: float | None = None
        self._fresh = False  # whether the newest good sample is not answered yet
        self._early = 0.0  # periods by which the motion's clock is ahead of the stamps
        self._measured: FloatArray | None = None
        self._good = 0
        self._saturated = np.zeros(STRUTS, dtype=bool)
        self._old_mode = self._mode
        self.following.reset()

    @property
    def trouble(self) -> tuple[str, str] | None:
        """Reason and text of an emergency."""
        return None if self.stop is None else (self.stop.reason, self.stop.text)

    @property
    def newest(self) -> float | None:
        """Stamp of the newest good sample, s; None before the first."""
        return self._last_good

    @property
    def state(self) -> str:
        if self.stop is not None:
            return EMERGENCY
        if self.motions is None:
            return WAITING
        return MOVING if self.motions.moving or self.motions.running is not None else HOLDING

    @property
    def mode(self) -> str:
        return self._mode

    @mode.setter
    def mode(self, mode: str) -> None:
        """Go over to another mode with the next sample; the force does not jump."""
        if mode not in MODES:
            raise SettingsError(f"mode '{mode}': must be one of {', '.join(MODES)}")
        if self.state == EMERGENCY:
            raise PkmError("mode cannot change in an emergency stop: reset first")
        self._mode = mode

    def submit(self, motion: Motion) -> None:
        """Ask for a motion; refused at once when the machine is not under control."""
        if self.stop is not None or self.motions is None:
            why = self.stop.text if self.stop else "there are no strut states yet"
            motion.end(Outcome(STOPPED, f"not under control: {why}"))
            return
        self.motions.parameters = self.model.target
        wait = 0.0 if motion.start is None or self._last_good is None else motion.start - self._last_good
        self.motions.submit(motion, max(0, int(np.ceil(wait / self.period - 1e-6))))

    def cancel(self, motion: Motion) -> None:
        """Give a motion up."""
        if self.motions is not None:
            self.motions.cancel(motion)

    def take_estimate(self, basis: FloatArray) -> None:
        """Believe other dynamic parameters (B,), unless they would make the forces jump."""
        if self.stop is not None:
            return
        if self.motions is not None:
            jump = self.model.jump(self.motions.follower.setpoint().ahead, basis)
            if not jump <= self._estimate_jump:
                self.emergency(
                    "estimate_jump",
                    f"an estimate would change a strut's force by {jump:.0f} N; allowed: {self._estimate_jump:.0f} N",
                )
                return
        self.model.accept(basis)

    def step(self, time: float, length: FloatArray) -> Command | None:
        """Take one sample and answer it; see `take` and `answer`."""
        self.take(time, length)
        return self.answer()

    def take(self, time: float, length: FloatArray) -> None:
        """Judge one sample and keep it, if it is good, for the next answer.

        Parameters
        ----------
        time : float
            Its stamp, s.
        length : ndarray, shape (6,)
            m.
        """
        if not self.guard.step(time, length, None):
            reason, text = self.guard.last_rejection or ("", "")
            if self.motions is not None and reason == "not_finite":
                self.emergency("not_finite", f"strut_states: {text}")
            return
        self._good += 1
        last, self._last_good, self._measured = self._last_good, time, length
        self._fresh = True
        if self.motions is None or last is None:
            return
        if (stepped := self.guard.stepped) is not None:
            strut, size = stepped
            self.emergency("length_step", f"the length of strut {strut + 1} stepped by {1e3 * size:.2g} mm")
            return
        if time - last > self.settings.lost_after or time < last:
            self.emergency(
                "lost_input", f"strut_states: {time - last:.3f} s between two samples (clock set, or lost)"
            )

    def answer(self) -> Command | None:
        """The command for the newest good sample.

        Of several samples that came at once only the last is worth an answer: the others' would be late already.

        Returns
        -------
        Command or None
            None when there is nothing new and the last command stays; in an emergency the safe command.
        """
        time, length = self._last_good, self._measured
        if not self._fresh or time is None or length is None:
            return self.safe()
        self._fresh = False
        last, self._answered = self._answered, time
        span = self.period if last is None else time - last
        if self.stop is not None:
            self.stop.step(time, length, span)
            return self.safe()
        if self.motions is None:
            self._take_over(length)
            if self.motions is None:
                return self.safe()
        return self._control(self.motions, time, length, span)

    def lost(self) -> None:
        """There was no good sample for `lost_after` s of real time."""
        self._good = 0
        if self.motions is not None:
            self.emergency("lost_input", f"strut_states: no good sample for {self.settings.lost_after:g} s")

    def emergency(self, reason: str, text: str) -> None:
        """Stop now: motions are aborted, the safe command goes out until `release`.

        The place is held by its lengths, unless they are what went wrong: then, or when they go wrong later, the safe
        command is the weight alone.
        """
        blind = reason in BLIND
        if self.stop is not None:
            if blind:
                self.stop.let_go(text)
            return
        self._good = 0
        force, holding = np.zeros(STRUTS), None
        if self.motions is not None:
            setpoint = self.motions.follower.setpoint()
            code = PATH_TOLERANCE if reason == "tracking" else STOPPED
            self.motions.abort(Outcome(code, f"emergency stop: {text}"))
            if self.settings.safe_command == "hold":
                weight = self._weight(setpoint.position, setpoint.rotation)
                if np.isfinite(weight).all():
                    force = np.clip(weight, -self._force_limit, self._force_limit)
                holding = None if blind else self._holding
        place = np.zeros(STRUTS) if self._measured is None else self._measured
        self.stop = EmergencyStop(reason, text, place, force, holding, self.following.turned)

    def release(self) -> None:
        """Leave an emergency stop: the next good sample is where the platform is held.

        Raises
        ------
        PkmError
            If there is no emergency, or there are no good samples yet to go on with.
        """
        if self.stop is None:
            raise PkmError("there is no emergency stop to leave")
        if self._good < GOOD_SAMPLES:
            raise PkmError("strut_states are not back: the emergency stop stays")
        self.guard.reset()
        self._wait("reset")

    def safe(self) -> Command | None:
        """The command of an emergency, stamped with the newest sample; None when there is none."""
        if self.stop is None:
            return None
        return replace(self.stop.command, time=self._last_good or 0.0)

    def _weight(self, position: FloatArray, rotation: FloatArray) -> FloatArray:
        """Forces (6,) in N that carry the weight in a pose."""
        still = np.zeros((1, 6))
        motion = PlatformMotion(np.zeros(1), position[None], rotation[None], still, still)
        return strut_forces(self.machine, motion, friction=False, parameters=self.model.present)[0]

    def _take_over(self, length: FloatArray) -> None:
        """Hold the platform where it is."""
        try:
            pose = pose_of_lengths(self.machine, length)
        except (NotConverged, ValueError) as error:
            self.emergency("no_pose", f"strut_states: {error}")
            return
        chosen = self.settings
        self.motions = Motions(
            self.machine,
            self.period,
            self._limits,
            pose.position,
            pose.rotation,
            lead=chosen.lead,
            stop_time=chosen.stop_time,
            goal_tolerance=chosen.goal_tolerance,
            settling_time=chosen.settling_time,
        )
        # the integral begins with the weight where the mode's model does not carry it
        weight = self._weight(pose.position, pose.rotation)
        self._loops.reset(np.zeros(STRUTS) if self._mode == "computed_torque" else weight)
        self._old_mode = self._mode

    def _control(self, motions: Motions, time: float, length: FloatArray, span: float) -> Command | None:
        # counted in whole periods by the stamps: no motion runs faster or slower than the machine's own clock
        exact = span / self.period - self._early
        periods = max(0, round(exact))
        self._early = periods - exact
        self.model.step(periods)
        setpoint = motions.step(periods)
        error = self._loops.observe(length, setpoint.length, span)
        if (trouble := self.following.trouble(setpoint.length, error)) is not None:
            self.emergency("tracking", trouble)
            return self.safe()
        asked = self._error(self._mode, setpoint, length, error)
        if not np.isfinite(asked).all():
            self.emergency("no_pose", "strut_states: lengths that have no pose near the wanted one")
            return self.safe()
        forward, back = self._forces(self._mode, setpoint, asked)
        if self._old_mode != self._mode:
            before = self._error(self._old_mode, setpoint, length, error)
            self._loops.integral += sum(self._forces(self._old_mode, setpoint, before)) - (forward + back)
            self._old_mode = self._mode
            self.following.forget_force()
        self._loops.integrate(asked, self._saturated, span)
        back = back + self._loops.integral
        wanted = forward + back
        if not np.isfinite(wanted).all():
            self.emergency("not_finite", "the control law gave a force that is not finite")
            return self.safe()
        if (trouble := self.following.jump(back, error)) is not None:
            self.emergency("force_jump", trouble)
            return self.safe()
        force = np.clip(wanted, -self._force_limit, self._force_limit)
        self._saturated = force != wanted
        motions.note(error, back, self._loops.error_rate)
        rate_error = self._loops.error_rate.copy()
        return Command(time, force, setpoint.length, setpoint.rate, error, forward, back, rate_error)

    def _error(self, mode: str, setpoint: Setpoint, length: FloatArray, error: FloatArray) -> FloatArray:
        """What feedback acts on, (6,) in m: errors of the lengths, or of the platform in their place."""
        return self._workspace(setpoint, length) if mode == "workspace" else error

    def _forces(self, mode: str, setpoint: Setpoint, error: FloatArray) -> tuple[FloatArray, FloatArray]:
        if mode == "pid":
            return np.zeros(STRUTS), self._loops.proportional_derivative(error)
        if mode == "workspace":
            return np.zeros(STRUTS), self._loops.velocity(self._loops.position_gain * error)
        return self._law.forces(setpoint, error, self._loops.error_rate, self.model.present)


def _refuse_places(machine: Machine) -> None:
    """Raise SettingsError for a machine whose drives go to lengths by themselves: this controller gives forces."""
    why = ""
    if machine.control is not None:
        why = "its file's 'control' commands the drives"
    for actuator in machine.actuators or ():
        if actuator.has_valve or actuator.holds_place:
            why = why or f"its '{actuator.type}' drives take lengths"
    if why:
        raise SettingsError(
            f"machine '{machine.name}': {why}, and a controller gives forces; send lengths to strut_commands"
        )
