"""A whole simulated machine: plant, drives, controller and sensors on one clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pkm_identification.control.pid import ControlSettings, StrutController
from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.hexapod.drive import CONTROL
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics import forward_kinematics, strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.progress import steps

from .actuated.file_control import FileControl
from .actuated.lines import check_delays
from .actuated.place_following import PlaceFollowing
from .actuated.small_steps import small_step
from .actuators import Drives, completed_drive
from .additional_sensors import AdditionalSensors
from .faults import Fault, with_faults
from .faults.kind import PLANT
from .imperfections.reports import Currents, Encoders, Record
from .imperfections.setup import Setup
from .payload import Payload, loaded
from .plant import Plant, PlantState
from .recording import Recording, recording
from .scenario import Scenario
from .sensors import Sample, Sensors, SensorSettings
from .setpoints import LengthReference, TrajectoryReference
from .trajectories import Trajectory, trajectory

# Limits of references made from single commands, where the machine names none.
DEFAULT_RATE_LIMIT = 0.3  # m/s
COMMAND_SHARE = 0.5  # of the machine's rate limit
COMMAND_ACCELERATION = 2.0  # m/s^2
START_TOLERANCE = 0.001  # m, between the struts and the start of a trajectory


class Simulator:
    """A hexapod with drives, controller and sensors; every call of `step` is one sample of its drives' clock.

    It starts at rest at home, held by its drives. Without a trajectory it stays there until a command comes.

    Parameters
    ----------
    machine : Machine
        The truth.
    motion : Trajectory or str, optional
        Motion to follow from the start; a name is looked up in `trajectories`, made for the nominal machine.
    nominal : Machine, optional
        What the controller believes (feed-forward), by default the truth; see `perturbed`.
    sensors : SensorSettings, optional
        By default 1 % current noise, 12 bit, whole encoder counts, exact stamps.
    control : ControlSettings, optional
    friction : bool, optional
        Whether the plant has the machine's friction; by default it has, unless the motion is a free fall.
    stops : bool
        Whether the struts have end stops at the length limits.
    seed : int
        Of the sensors' noise. Everything else is deterministic.
    payload : Payload, optional
        What the platform takes up at its time; the controller is not told.
    faults : sequence of Fault
        What is wrong with plant, sensors and log; `nominal` does not know. See `faults.registry`.
    scenario : Scenario, optional
        What happens while it runs.

    Attributes
    ----------
    period : float
        s between samples, from the machine's drives.
    time : float
        s, of the next sample.
    plant : Plant
    payload : Payload or None
        What is, was or will be carried; may be exchanged at any time.
    """

    def __init__(
        self,
        machine: Machine,
        motion: Trajectory | str | None = None,
        *,
        nominal: Machine | None = None,
        sensors: SensorSettings | None = None,
        control: ControlSettings | None = None,
        friction: bool | None = None,
        stops: bool = True,
        seed: int = 0,
        payload: Payload | None = None,
        faults: Sequence[Fault] = (),
        scenario: Scenario | None = None,
    ) -> None:
        nominal = machine if nominal is None else nominal
        self._given, self._faults = machine, tuple(faults)
        self._scenario = Scenario() if scenario is None else scenario
        self._setup = with_faults(Setup.of(machine, seed), faults)
        machine = self._setup.machine
        self.machine = machine
        self._planned = payload
        self._control = ControlSettings() if control is None else control
        self._sensor_settings = SensorSettings() if sensors is None else sensors
        self._seed = seed
        self._motion = trajectory(motion, nominal) if isinstance(motion, str) else motion
        if friction is None:
            friction = self._motion is None or self._motion.drives
        # whoever switches friction off tells the controller, too
        self.nominal = nominal if friction else nominal.without_friction()
        drive = machine.drive
        self.period = 1.0 / (CONTROL if drive is None else drive.sample_rate)
        self._cycles = 1 if drive is None else drive.cycles
        self._cycle = self.period / self._cycles
        self.plant = Plant(
            machine,
            friction=friction,
            stops=stops,
            train=self._setup.train,
            small_step=small_step(machine, self._cycle),
        )
        self.drive = completed_drive(machine, self.plant.holding_force())
        acting = machine if friction else machine.without_friction()
        self._controller = StrutController(
            self.plant.apparent_mass, acting.friction.viscous, self._cycle, self._control
        )
        half = None if self._motion is None else 0.5 * self._motion.duration
        self._half_time = half
        law = FileControl.of(
            machine.control, lambda: Mechanism.from_machine(nominal), self.plant, self._read, self._limited
        )
        self._following = PlaceFollowing(self.plant, law)
        self.reset()

    def reset(self) -> None:
        """Back to the start: home, time zero, the same noise again."""
        self.payload = self._planned
        self._carried: Payload | None = None
        self._sensor_faults = {fault.name: fault for fault in self._faults if fault.kind.changes != PLANT}
        self._friction, self._happened = 1.0, 0
        self._use(self._setup)
        self.plant.reset(*self._start())
        self.plant.scale_friction(1.0)
        holding = self.plant.holding_force()
        self._changed = False
        self._drives = Drives(self.drive)
        self._sensors = Sensors(self.drive, self._sensor_settings, self._typical_force(holding), self._seed)
        self._additional = AdditionalSensors(self.machine, self._sensor_settings.additional, self._seed)
        self._count = 0
        self._state: PlantState | None = None
        self._forces: FloatArray | None = None
        self._reference: TrajectoryReference | LengthReference
        self._end: float | None
        self.loop_gap = 0.0
        """Largest loop gap so far, m."""
        self._controller.reset(self._currents.measured(holding))
        self._hold_here()
        self.plant.set_force(holding)
        self._note()
        if self._motion is not None:
            self.follow(self._motion)

    def _use(self, setup: Setup) -> None:
        """Let sensors and log err as in this setup."""
        if (
            any(lost.time is None for lost in setup.encoder.lost) or setup.change.acts
        ) and self._half_time is None:
            raise SettingsError("faults at half time need a trajectory, which has one")
        self._encoders = Encoders(setup.encoder, self.drive, self._half_time)
        self._currents = Currents(setup.force)
        self._record = Record(setup.record, self.drive)

    @property
    def faults(self) -> tuple[str, ...]:
        """Names of the faults that sensors and log have now."""
        return tuple(self._sensor_faults)

    def set_fault(self, fault: Fault) -> None:
        """Let sensors or log have a fault from the next sample on, in place of one of its name.

        Delays begin with the values of now. The seeds of what is drawn at random are those of the start.

        Raises
        ------
        SettingsError
            If it is in the machine's body, or this machine cannot have it; everything stays then.
        """
        fault.refuse_in_plant()
        self._exchange_faults(self._sensor_faults | {fault.name: fault})

    def clear_fault(self, name: str = "") -> None:
        """Take a fault of sensors or log away, or all of them where no name is given.

        Raises
        ------
        SettingsError
            If there is none of that name.
        """
        if name and name not in self._sensor_faults:
            there = ", ".join(self._sensor_faults) or "none"
            raise SettingsError(f"fault '{name}': sensors and log do not have it; they have {there}")
        kept = {} if not name else {key: one for key, one in self._sensor_faults.items() if key != name}
        self._exchange_faults(kept)

    def _exchange_faults(self, faults: dict[str, Fault]) -> None:
        in_plant = [fault for fault in self._faults if fault.kind.changes == PLANT]
        self._use(with_faults(Setup.of(self._given, self._seed), (*in_plant, *faults.values())))
        self._sensor_faults = faults
        self._note()

    def scale_friction(self, factor: float) -> None:
        """Let all friction be `factor` times what the machine has, from the next sample on."""
        self._friction = factor
        self.plant.scale_friction(factor * (self._setup.change.friction if self._changed else 1.0))

    def set_noise(self, share: float) -> None:
        """Let the currents have noise of this share of their rms, from the next sample on."""
        self._sensors.set_noise(share)

    def carry(self, payload: Payload | None) -> None:
        """Let the platform take a load up at its time, in place of what it carries."""
        self.payload = payload

    def _start(self) -> tuple[FloatArray, FloatArray] | tuple[()]:
        """Pose in which the encoders show the nominal machine's lengths at home; nothing where that is home itself."""
        nominal, machine = self.nominal, self.machine
        home = nominal.home_position[None], nominal.home_rotation[None]
        wanted = strut_lengths(nominal, *home)[0]
        true = self._encoders.true(wanted)
        if self._encoders.right and np.array_equal(strut_lengths(machine, *home)[0], wanted):
            return ()
        found = forward_kinematics(machine, true[None])
        if not found.found[0]:
            raise SettingsError("faults: there is no pose in which the encoders show the lengths at home")
        return found.position[0], found.rotation[0]

    def _shown(self) -> FloatArray:
        """Lengths (6,) in m that the encoders show now, before rounding."""
        return self._encoders.shown(self.plant.encoder_length, self.plant.time)

    def _read(self) -> FloatArray:
        """Lengths (6,) in m that the encoders' counts stand for now."""
        return self._sensors.length(self._sensors.counts(self._shown()))

    def _limited(self, force: FloatArray) -> FloatArray:
        """What becomes of forces (6,) in N that the drives are asked for."""
        return self._currents.true(self._drives.force(force))

    def _note(self) -> None:
        if self._currents.late:
            state = self.plant.state
            reported = self.plant.reported_force
            self._currents.note(self.plant.time, reported, self.plant.encoder_length, state.rate)

    def _typical_force(self, holding: FloatArray) -> FloatArray:
        if self._motion is None or not self._motion.drives:
            return holding
        time = np.arange(0.0, min(self._motion.duration, 20.0), 0.01)
        force = strut_forces(self.nominal, self._motion.motion(time))
        return np.sqrt(np.mean(force**2, axis=0))

    @property
    def time(self) -> float:
        """Time of the next sample in s."""
        return self._count * self.period

    @property
    def truth(self) -> PlantState:
        """The true state at the instant of the last sample (of the start, before the first)."""
        return self.plant.state if self._state is None else self._state

    @property
    def enabled(self) -> bool:
        """Whether the drives are on."""
        return self._drives.enabled

    @property
    def saturated(self) -> FloatArray:
        """Which drives are at their force limit, (6,) of bool."""
        return self._drives.saturated.copy()

    @property
    def finished(self) -> bool:
        """Whether the trajectory is over (never, when following commands)."""
        return self._end is not None and self.time > self._end

    def follow(self, motion: Trajectory) -> None:
        """Follow a trajectory from now on; a fall switches the drives off.

        Raises
        ------
        ValueError
            If the machine is not where the trajectory starts.
        """
        reference = TrajectoryReference(motion, self.nominal, self._cycle, self._control.feed_forward)
        away = np.abs(reference.start.length - self._shown())
        if away.max() > START_TOLERANCE:
            i = int(np.argmax(away))
            raise SettingsError(
                f"trajectory '{motion.name}' starts at home; strut {i + 1} is {away[i]:.4f} m away: go there first"
            )
        self.enable(motion.drives)
        if motion.drives:
            self._reference = reference
            holding = self._currents.measured(self.plant.holding_force())
            self._controller.reset(holding - reference.start.feed_forward)
        self._end = self.time + motion.duration

    def command_lengths(self, length: FloatArray, rate: FloatArray | None = None) -> None:
        """Go to strut lengths (6,) in m, within rate and acceleration limits; give rates (6,) in m/s with a stream.

        Raises
        ------
        ValueError
            If a value is not finite, or a length is outside the machine's limits; the last command then stays.
        """
        length = np.asarray(length, dtype=float)
        if length.shape != (STRUTS,) or (rate is not None and np.shape(rate) != (STRUTS,)):
            raise ValueError(f"strut command: needs {STRUTS} lengths (and as many rates, if any)")
        if not np.all(np.isfinite(length)) or (rate is not None and not np.all(np.isfinite(rate))):
            raise ValueError("strut command: holds a value that is not finite")
        low, high = self.machine.length_limits
        outside = np.flatnonzero((length < low) | (length > high))
        if outside.size:
            i = int(outside[0])
            raise ValueError(
                f"strut command: strut {i + 1}: {length[i]:.4f} m is outside the limits [{low:g}, {high:g}] m"
            )
        reference = self._reference
        if self._forces is not None or not isinstance(reference, LengthReference):
            reference = self._hold_here()
        reference.command(length, rate)

    def command_pose(self, position: FloatArray, rotation: FloatArray) -> None:
        """Go to a platform pose, position (3,) in m and rotation (3, 3) in the base frame; see `command_lengths`."""
        lengths = strut_lengths(
            self.nominal, np.asarray(position, dtype=float)[None], np.asarray(rotation, dtype=float)[None]
        )
        self.command_lengths(lengths[0])

    def enable(self, on: bool) -> None:
        """Switch the drives on (they hold where the struts are) or off (forces vanish at once)."""
        self._hold_here()
        if self.plant.actuated is not None:
            self.plant.enable(on)
        elif not on:
            self.plant.set_force(np.zeros(STRUTS))
        self._drives.enabled = on

    def _hold_here(self) -> LengthReference:
        """Let the reference brake to a stop from the present motion."""
        limit = self.machine.rate_limit
        rate = self._controller.rate if self._forces is None else self.truth.rate
        self._forces = None
        reference = LengthReference(
            self._read(),
            rate,
            self._cycle,
            DEFAULT_RATE_LIMIT if limit is None else COMMAND_SHARE * limit,
            COMMAND_ACCELERATION,
            self.nominal.friction if self._control.feed_forward else None,
        )
        self._reference = reference
        self._following.reset()
        self._controller.reset(self._currents.measured(self.plant.holding_force()))
        self._end = None
        return reference

    def command_forces(self, force: FloatArray) -> None:
        """Let a controller outside have the drives: forces (6,) in N for the next `advance`, kept until the next call.

        `enable`, `follow` and commands of lengths or poses take the drives back.

        Raises
        ------
        ValueError
            If it is not six finite numbers; the last command then stays.
        """
        force = np.asarray(force, dtype=float)
        if force.shape != (STRUTS,) or not np.all(np.isfinite(force)):
            raise ValueError(f"strut command: needs {STRUTS} finite forces")
        if self.plant.takes_places:
            raise ValueError(
                "strut command: these drives have a valve or a controller: they take lengths, not forces"
            )
        self._forces = force
        self._end = None

    def step(self) -> Sample:
        """Sample the drives, then let the controller act and the machine move on by one period.

        Raises
        ------
        NotConverged
            If the machine falls into a singular pose.
        """
        sample = self.measure()
        self.advance()
        return sample

    def measure(self) -> Sample:
        """The first half of `step`: what the drives report now. A controller outside may answer before `advance`."""
        self._happened = self._scenario.play(self, self._happened)
        self._take_or_set_down()
        self._state = self.plant.state
        self.loop_gap = max(self.loop_gap, self.plant.loop_gap)
        counts = self._sensors.counts(self._shown())
        self._length = self._sensors.length(counts)
        if self._currents.lengths_late:
            late = self._currents.length(self.time, self._state.length)
            counts = self._sensors.counts(self._encoders.shown(late, self.time))
        force = self._currents.force(self.time, self.plant.reported_force)
        imu, sensor = self._additional.imu(self._state), self._additional.force(self._state)
        sample = self._record.of(self._sensors.sample(self.time, self.period, counts, force, imu, sensor))
        motor = None if self.plant.actuated is None else self.plant.actuated.motor_side
        if motor is None:
            return sample
        return replace(sample, motor_length=self._sensors.length(self._sensors.counts(motor)))

    def advance(self) -> None:
        """The second half of `step`: the controller acts on the last sample, the machine moves on by one period.

        Raises
        ------
        NotConverged
            If the machine falls into a singular pose.
        """
        if self._forces is None and self._following.acts:
            for _ in range(self._cycles):
                self._following.move(self._reference.step().length, self._cycle)
                self._note()
            self._count += 1
            return
        start, last = self.plant.force, self._cycles - 1
        for cycle in range(self._cycles):
            if self._forces is not None:
                reached = self._limited(self._forces)
                force = reached if cycle == last else start + (cycle + 1) / self._cycles * (reached - start)
            else:
                if cycle > 0:
                    self._length = self._read()
                reference = self._reference.step()
                command = self._controller.command(
                    self._length, reference.length, reference.feed_forward, self._drives.saturated
                )
                force = self._limited(command)
            self.plant.advance(force, self._cycle)
            self._note()
        self._count += 1

    @property
    def carried(self) -> Payload | None:
        """What the platform carries at the instant of the last sample."""
        return self._carried

    def _take_or_set_down(self) -> None:
        wanted = self.payload if self.payload is not None and self.payload.present(self.time) else None
        changed = self._setup.change.acts and self._half_time is not None and self.time >= self._half_time
        if wanted is self._carried and changed == self._changed:
            return
        self._carried, self._changed = wanted, changed
        platform = self.machine.platform
        if changed:
            change = self._setup.change
            self.plant.scale_friction(self._friction * change.friction)
            platform = replace(
                platform, mass=change.platform * platform.mass, inertia=change.platform * platform.inertia
            )
        self.plant.exchange_platform(platform if wanted is None else loaded(platform, wanted))

    def run(self, duration: float | None = None) -> Recording:
        """Simulate `duration` s, by default to the end of the trajectory, and keep everything.

        Raises
        ------
        ValueError
            Without a duration when there is no trajectory.
        """
        if duration is None:
            if self._end is None:
                raise SettingsError("run: give a duration, there is no trajectory that ends")
            duration = self._end - self.time + self.period
        samples, states = [], []
        for _ in steps("simulating", range(round(duration / self.period))):
            samples.append(self.step())
            states.append(self.truth)
        name = self._motion.name if self._motion is not None else "commands"
        return recording(samples, states, self.loop_gap, f"simulated {self.machine.name}: {name}")


def simulate(
    machine: Machine,
    name: str,
    duration: float | None = None,
    *,
    nominal: Machine | None = None,
    sensors: SensorSettings | None = None,
    friction: bool | None = None,
    seed: int = 0,
    motion_seed: int = 0,
    payload: Payload | None = None,
    faults: Sequence[Fault] = (),
    scenario: Scenario | None = None,
) -> Recording:
    """Simulate a named trajectory from start to end; parameters as of `Simulator` and `trajectory`."""
    motion = trajectory(name, machine if nominal is None else nominal, duration, motion_seed)
    check_delays(machine.actuators or (), motion.duration)
    simulator = Simulator(
        machine,
        motion,
        nominal=nominal,
        sensors=sensors,
        friction=friction,
        seed=seed,
        payload=payload,
        faults=faults,
        scenario=scenario,
    )
    return simulator.run()
