# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The controller: drives' coordinates in, forces or wanted coordinates out; stops safely when it must not go on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.errors import PkmError, SettingsError
from pkm_identification.machines.capabilities import NamedOutputs, PlatformPose, has
from pkm_identification.machines.contract import DEGRADED, Machine
from pkm_identification.machines.contract import Motion as MachineMotion
from pkm_identification.machines.motions import compute_rest
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.input_validation import InputValidator, ValidationSettings

from .follower import Following, Setpoint
from .inverse_dynamics import InverseDynamics
from .laws.drive_laws import DriveTorque
from .laws.workspace import WorkspaceErrors
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
from .settings import MODES, POSITION, WORKSPACE, Command, ControllerSettings
from .stop import BLIND, EmergencyStop, Holding

WAITING, HOLDING, MOVING, EMERGENCY = "waiting", "holding", "moving", "emergency"
GOOD_SAMPLES = 10  # without a break, before an emergency stop may be left
# s by which drives that go to places by themselves may follow late: four times the 54 ms of the slowest of our files,
# after which 2 % of such a lag are left
SERVO_LAG = 0.2
ESTIMATE_JUMP_SHARE = 0.1  # of a drive's force limit


class MachineController:
    """Controls one machine, sample by sample.

    Drives that go to places by themselves (`Machine.place_drives`) are told where to be, and no forces: their own loops
    follow. Checks, watches and stops are those of all machines, and a stop holds them where they are.

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
    validation : InputValidator
        Judges the samples; see its `last_rejection`.
    following : Following
        Judges what the struts make of the commands.
    """

    def __init__(self, machine: Machine, period: float, settings: ControllerSettings) -> None:
        self._takes_places = bool(machine.place_drives)
        if settings.mode == WORKSPACE and not self._takes_places:
            require_workspace(machine)
        self.machine = machine
        self.period = period
        self.settings = settings
        self.motions: Motions | None = None
        self.validation = InputValidator(ValidationSettings().resolve(machine, period))
        self.model = BelievedModel(machine, settings.blend, period)
        self._limits = MotionLimits(machine, settings.limits)
        self._law = DriveTorque(machine, settings.loops)
        self._workspace = WorkspaceErrors(machine) if has_workspace(machine) else None
        self._force_limit = np.array([drive.rated_force for drive in machine.drives])
        jump = settings.estimate_jump
        self._estimate_jump = (
            np.full(len(machine.drives), jump) if jump else ESTIMATE_JUMP_SHARE * self._force_limit
        )
        viscous = InverseDynamics(machine).find_viscous(machine.basis.nominal)
        self._loops = StrutController(_find_apparent_mass(machine), viscous, period, settings.loops)
        self._mode = settings.mode
        lag = round(SERVO_LAG / period) if self._takes_places else 0
        self.following = Following(machine.drives, settings.tracking_limit, lag)
        self._holding = Holding(
            machine.drives, self._loops, self._force_limit, self.following.limit, settings.stop_time
        )
        self.reset()

    def reset(self) -> None:
        """As newly made, mode apart; motions end."""
        self.validation.reset()
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
        self._saturated = np.zeros(len(self.machine.drives), dtype=bool)
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
        return POSITION if self._takes_places else self._mode

    @mode.setter
    def mode(self, mode: str) -> None:
        """Go over to another mode with the next sample; the force does not jump."""
        if self._takes_places:
            raise SettingsError(
                f"mode '{mode}': {self.machine.place_drives}: there is no other than '{POSITION}'"
            )
        if mode not in MODES:
            raise SettingsError(f"mode '{mode}': must be one of {', '.join(MODES)}")
        if mode == WORKSPACE:
            require_workspace(self.machine)
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
        if self.motions is not None and not self._takes_places:
            jump = self.model.jump(self.motions.follower.setpoint().upcoming, basis)
            if not (jump <= self._estimate_jump).all():
                i = int(np.argmax(jump / self._estimate_jump))
                drive, unit = self.machine.drives[i], self.machine.drives[i].force_unit
                self.emergency(
                    "estimate_jump",
                    f"an estimate would change a {drive.part}'s force by {jump[i]:.0f} {unit}; "
                    f"allowed: {self._estimate_jump[i]:.0f} {unit}",
                )
                return
        self.model.accept(basis)

    def step(self, time: float, coordinate: FloatArray) -> Command | None:
        """Take one sample and answer it; see `take` and `answer`."""
        self.take(time, coordinate)
        return self.answer()

    def take(self, time: float, coordinate: FloatArray) -> None:
        """Judge one sample and keep it, if it is good, for the next answer.

        Parameters
        ----------
        time : float
            Its stamp, s.
        coordinate : ndarray, shape (n,)
            m or rad.
        """
        if not self.validation.step(time, coordinate, None):
            reason, text = self.validation.last_rejection or ("", "")
            if self.motions is not None and reason == "not_finite":
                self.emergency("not_finite", f"strut_states: {text}")
            return
        self._good += 1
        last, self._last_good, self._measured = self._last_good, time, coordinate
        self._fresh = True
        if self.motions is None or last is None:
            return
        if (stepped := self.validation.stepped) is not None:
            i, size = stepped
            drive = self.machine.drives[i]
            what = "angle" if drive.unit == "rad" else "length"
            text = f"the {what} of {drive.title} stepped by {1e3 * size:.2g} m{drive.unit}"
            self.emergency("length_step", text)
            return
        if time - last > self.settings.lost_after or time < last:
            self.emergency(
                "lost_input", f"strut_states: {time - last:.3f} s between two samples (clock set, or lost)"
            )

    def answer(self) -> Command | None:
        """Return the command for the newest good sample.

        Of several samples that came at once only the last is worth an answer: the others' would be late already.

        Returns
        -------
        Command or None
            None when there is nothing new and the last command stays; in an emergency the safe command.
        """
        time, coordinate = self._last_good, self._measured
        if not self._fresh or time is None or coordinate is None:
            return self.safe()
        self._fresh = False
        last, self._answered = self._answered, time
        span = self.period if last is None else time - last
        if self.stop is not None:
            self.stop.step(time, coordinate, span)
            return self.safe()
        if self.motions is None:
            self._take_over(coordinate)
            if self.motions is None:
                return self.safe()
        return self._control(self.motions, time, coordinate, span)

    def lost(self) -> None:
        """There was no good sample for `lost_after` s of real time."""
        self._good = 0
        if self.motions is not None:
            self.emergency("lost_input", f"strut_states: no good sample for {self.settings.lost_after:g} s")

    def emergency(self, reason: str, text: str) -> None:
        """Stop now: motions are aborted, the safe command goes out until `release`.

        The place is held by its coordinates, unless they are what went wrong: then, or when they go wrong later, the
        safe command is the weight alone.
        """
        blind = reason in BLIND
        if self.stop is not None:
            if blind:
                self.stop.let_go(text)
            return
        self._good = 0
        force, holding = np.zeros(len(self.machine.drives)), None
        if self.motions is not None:
            setpoint = self.motions.follower.setpoint()
            code = PATH_TOLERANCE if reason == "tracking" else STOPPED
            self.motions.abort(Outcome(code, f"emergency stop: {text}"))
            if self.settings.safe_command == "hold" and not self._takes_places:
                weight = self._weight(setpoint.coordinate, setpoint.now)
                if np.isfinite(weight).all():
                    force = np.clip(weight, -self._force_limit, self._force_limit)
                holding = None if blind else self._holding
        position = np.zeros(len(force)) if self._measured is None else self._measured
        self.stop = EmergencyStop(reason, text, position, force, holding, self.following.turned)

    def release(self) -> None:
        """Leave an emergency stop: the next good sample is where the machine is held.

        Raises
        ------
        PkmError
            If there is no emergency, or there are no good samples yet to go on with.
        """
        if self.stop is None:
            raise PkmError("there is no emergency stop to leave")
        if self._good < GOOD_SAMPLES:
            raise PkmError("strut_states are not back: the emergency stop stays")
        self.validation.reset()
        self._wait("reset")

    def safe(self) -> Command | None:
        """Return the command of an emergency, stamped with the newest sample; None when there is none."""
        if self.stop is None:
            return None
        return replace(self.stop.command, time=self._last_good or 0.0)

    def _weight(self, coordinate: FloatArray, near: MachineMotion) -> FloatArray:
        """Return forces (n,) in N or N m that carry the weight at coordinates (n,)."""
        still = np.zeros((1, len(coordinate)))
        motion = self.machine.compute_motion(coordinate[None], still, still, near.state)
        return self.machine.compute_forces(motion, self.model.present)[0]

    def _take_over(self, coordinate: FloatArray) -> None:
        """Hold the machine where it is."""
        standstill = compute_rest(self.machine, coordinate[None])
        if standstill.status[0] > DEGRADED:
            why = self.machine.explain_unreachable(coordinate) or "no way there from home was found"
            self.emergency("no_pose", f"strut_states: {why}")
            return
        chosen = self.settings
        self.motions = Motions(
            self.machine,
            self.period,
            self._limits,
            standstill,
            lead=chosen.lead,
            stop_time=chosen.stop_time,
            goal_tolerance=chosen.goal_tolerance,
            settling_time=chosen.settling_time,
        )
        # the integral begins with the weight where the mode's model does not carry it
        weight = self._weight(coordinate, standstill)
        self._loops.reset(np.zeros_like(weight) if self._mode == "computed_torque" else weight)
        self._old_mode = self._mode

    def _control(self, motions: Motions, time: float, coordinate: FloatArray, span: float) -> Command | None:
        # counted in whole periods by the stamps: no motion runs faster or slower than the machine's own clock
        exact = span / self.period - self._early
        periods = max(0, round(exact))
        self._early = periods - exact
        self.model.step(periods)
        setpoint = motions.step(periods)
        error = self._loops.observe(coordinate, setpoint.coordinate, span)
        if (trouble := self.following.trouble(setpoint.coordinate, error)) is not None:
            self.emergency("tracking", trouble)
            return self.safe()
        pushed = self._push(setpoint, coordinate, error, span)
        if pushed is None:
            return self.safe()
        force, forward, back = pushed
        motions.note(error, back, self._loops.error_rate)
        rate_error = self._loops.error_rate.copy()
        return Command(time, force, setpoint.coordinate, setpoint.rate, error, forward, back, rate_error)

    def _push(
        self, setpoint: Setpoint, coordinate: FloatArray, error: FloatArray, span: float
    ) -> tuple[FloatArray, FloatArray, FloatArray] | None:
        """Return forces (n,), and the model's and the feedback's part of them; None where that is an emergency."""
        if self._takes_places:
            none = np.zeros_like(error)
            return none, none, none
        asked = self._error(self._mode, setpoint, coordinate, error)
        if not np.isfinite(asked).all():
            self.emergency("no_pose", "strut_states: coordinates without a position near the set one")
            return None
        forward, back = self._forces(self._mode, setpoint, asked)
        if self._old_mode != self._mode:
            before = self._error(self._old_mode, setpoint, coordinate, error)
            self._loops.integral += sum(self._forces(self._old_mode, setpoint, before)) - (forward + back)
            self._old_mode = self._mode
            self.following.forget_force()
        self._loops.integrate(asked, self._saturated, span)
        back = back + self._loops.integral
        wanted = forward + back
        if not np.isfinite(wanted).all():
            self.emergency("not_finite", "the control law gave a force that is not finite")
            return None
        if (trouble := self.following.jump(back, error)) is not None:
            self.emergency("force_jump", trouble)
            return None
        force = np.clip(wanted, -self._force_limit, self._force_limit)
        self._saturated = force != wanted
        return force, forward, back

    def _error(self, mode: str, setpoint: Setpoint, coordinate: FloatArray, error: FloatArray) -> FloatArray:
        """Return what feedback acts on, (n,): errors of the coordinates, or of the workspace in their place."""
        if mode != WORKSPACE or self._workspace is None:
            return error
        return self._workspace(setpoint, coordinate)

    def _forces(self, mode: str, setpoint: Setpoint, error: FloatArray) -> tuple[FloatArray, FloatArray]:
        if mode == "pid":
            return np.zeros_like(error), self._loops.proportional_derivative(error)
        if mode == WORKSPACE:
            return np.zeros_like(error), self._loops.velocity(self._loops.position_gain * error)
        return self._law.forces(setpoint, error, self._loops.error_rate, self.model.present)


def has_workspace(machine: Machine) -> bool:
    """Return whether a machine has a pose or outputs, which decide its drives."""
    return has(machine, PlatformPose) or has(machine, NamedOutputs)


def require_workspace(machine: Machine) -> None:
    """Raise SettingsError for a machine that has neither a pose nor outputs."""
    if not has_workspace(machine):
        raise SettingsError(
            f"mode 'workspace': needs a platform with a pose, or outputs; '{machine.name}' names neither "
            "('pose' or 'outputs' in its file)"
        )


def _find_apparent_mass(machine: Machine) -> FloatArray:
    """Return what each drive feels at home (n,), kg or kg m^2, the others being free; raises SettingsError."""
    home = compute_rest(machine, machine.home[None])
    mass = machine.compute_mass_and_bias(home, machine.basis.nominal)[0][0]
    if not (np.isfinite(mass).all() and np.linalg.eigvalsh(0.5 * (mass + mass.T)).min() > 0.0):
        raise SettingsError(
            f"machine '{machine.name}': its mass matrix at home is not positive definite: a controller needs the "
            "masses of what the drives move; give them in its file"
        )
    return np.asarray(1.0 / np.diag(np.linalg.inv(mass)))
