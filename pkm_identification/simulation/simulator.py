# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A whole simulated machine: plant, drives, controller and sensors on one clock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pkm_identification.control.pid import ControlSettings
from pkm_identification.errors import SettingsError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.progress import steps

from .actuated.lines import check_delays
from .commanded_drives import CommandedDrives
from .faults import Fault, with_faults
from .imperfections.setup import Setup
from .measurement import Measurement, Observation
from .payload import Payload
from .physics.load import build_physics
from .recording import Recording, recording
from .scenario import Scenario
from .sensors import Sample, SensorSettings


class Simulator:
    """A machine with drives, controller and sensors; every call of `step` is one sample of its drives' clock.

    It starts at rest at home, held by its drives. Without a trajectory it stays there until a command comes.

    Parameters
    ----------
    machine : Machine or Mechanism, or a machine of the contract
        The truth.
    motion : Trajectory, DriveMotion or str, optional
        Motion to follow from the start; a name is looked up, made for the nominal machine.
    nominal : optional
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
        What the platform takes up at its time; the controller does not know.
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
        machine: Any,
        motion: Any = None,
        *,
        nominal: Any = None,
        sensors: SensorSettings | None = None,
        control: ControlSettings | None = None,
        friction: bool | None = None,
        stops: bool = True,
        seed: int = 0,
        payload: Payload | None = None,
        faults: Sequence[Fault] = (),
        scenario: Scenario | None = None,
    ) -> None:
        given = build_physics(machine)
        believed = given if nominal is None else build_physics(nominal)
        self._scenario = Scenario() if scenario is None else scenario
        self._setup = with_faults(Setup.of(given.description, seed), faults)
        self.machine = self._setup.machine
        self._physics = build_physics(self.machine) if faults else given
        self._planned = payload
        self._motion = believed.build_motion(motion, None, 0) if isinstance(motion, str) else motion
        if friction is None:
            friction = self._motion is None or self._motion.powered
        self.period = 1.0 / self._physics.sample_rate
        self.plant: Any = self._physics.build_plant(self._setup, friction, stops)
        self.drive = self._physics.build_drive(self.plant.holding_force())
        self._half_time = None if self._motion is None else 0.5 * self._motion.duration
        self._measurement = Measurement(
            self.plant,
            self._physics,
            self.drive,
            SensorSettings() if sensors is None else sensors,
            self._setup,
            given=given.description,
            faults=faults,
            half_time=self._half_time,
        )
        self._commanded = CommandedDrives(
            self.plant,
            self.drive,
            self._measurement,
            ControlSettings() if control is None else control,
            physics=self._physics,
            nominal=believed,
            friction=friction,
        )
        self._believed = self._commanded.nominal
        self.nominal = self._believed.description
        self.reset()

    def reset(self) -> None:
        """Back to the start: home, time zero, the same noise again."""
        self.payload = self._planned
        self._carried: Payload | None = None
        self._was_loaded = False
        self._friction, self._happened = 1.0, 0
        self._measurement.reset()
        self.plant.reset(*self._measurement.start(self._believed, self._motion))
        self.plant.scale_friction(1.0)
        holding = self.plant.holding_force()
        self._changed = False
        self._measurement.begin(self._typical_force(holding))
        self._count = 0
        self.loop_gap = 0.0
        """Largest loop gap so far, m."""
        self._commanded.reset(holding)
        self._measurement.note()
        if self._motion is not None:
            self.follow(self._motion)

    @property
    def faults(self) -> tuple[str, ...]:
        """Names of the faults that sensors and log have now."""
        return self._measurement.faults

    def set_fault(self, fault: Fault) -> None:
        """Let sensors or log have a fault from the next sample on, in place of one of its name.

        Delays begin with the values of now. The seeds of what is drawn at random are those of the start.

        Raises
        ------
        SettingsError
            If it is in the machine's body, or this machine cannot have it; everything stays then.
        """
        self._measurement.set_fault(fault)

    def clear_fault(self, name: str = "") -> None:
        """Take a fault of sensors or log away, or all of them where no name is given.

        Raises
        ------
        SettingsError
            If there is none of that name.
        """
        self._measurement.clear_fault(name)

    def scale_friction(self, factor: float) -> None:
        """Let all friction be `factor` times what the machine has, from the next sample on."""
        self._friction = factor
        self.plant.scale_friction(factor * (self._setup.change.friction if self._changed else 1.0))

    def set_noise(self, share: float) -> None:
        """Let the currents have noise of this share of their rms, from the next sample on."""
        self._measurement.set_noise(share)

    def carry(self, payload: Payload | None) -> None:
        """Let the platform, or the tool, take a load up at its time, in place of what it carries."""
        self.payload = payload

    def _typical_force(self, holding: FloatArray) -> FloatArray:
        if self._motion is None or not self._motion.powered:
            return holding
        return self._believed.compute_typical_force(self._motion)

    @property
    def time(self) -> float:
        """Time of the next sample in s."""
        return self._count * self.period

    @property
    def truth(self) -> Any:
        """The true state at the instant of the last sample (of the start, before the first)."""
        return self._measurement.truth

    @property
    def true_pose(self) -> tuple[FloatArray, FloatArray]:
        """Position (3,) in m and rotation (3, 3) of the platform at that instant; of machines with a pose."""
        return self._physics.find_pose(self.truth)

    @property
    def enabled(self) -> bool:
        """Whether the drives are on."""
        return self._commanded.drives.enabled

    @property
    def saturated(self) -> FloatArray:
        """Which drives are at their force limit, (n,) of bool."""
        return self._commanded.drives.saturated.copy()

    @property
    def finished(self) -> bool:
        """Whether the trajectory is over (never, when following commands)."""
        end = self._commanded.end
        return end is not None and self.time > end

    def follow(self, motion: Any) -> None:
        """Follow a trajectory from now on; a fall switches the drives off.

        Raises
        ------
        ValueError
            If the machine is not where the trajectory starts.
        """
        self._commanded.follow(motion, self.time)

    def command_lengths(self, length: FloatArray, rate: FloatArray | None = None) -> None:
        """Go to coordinates (n,), within rate and acceleration limits; give rates (n,) with a stream.

        Raises
        ------
        ValueError
            If a value is not finite, or a length is outside the machine's limits; the last command then stays.
        """
        self._commanded.command_lengths(length, rate)

    def command_pose(self, position: FloatArray, rotation: FloatArray) -> None:
        """Go to a platform pose, position (3,) in m and rotation (3, 3) in the base frame; see `command_lengths`."""
        self._commanded.command_pose(position, rotation)

    def enable(self, on: bool) -> None:
        """Switch the drives on (they hold where the struts are) or off (forces vanish at once)."""
        self._commanded.enable(on)

    def command_forces(self, force: FloatArray) -> None:
        """Let a controller outside have the drives: forces (n,) for the next `advance`, kept until the next call.

        `enable`, `follow` and commands of lengths or poses take the drives back.

        Raises
        ------
        ValueError
            If it is not as many finite numbers as drives; the last command then stays.
        """
        self._commanded.command_forces(force)

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

    def _observe(self) -> Observation:
        self._happened = self._scenario.play(self, self._happened)
        self._take_or_set_down()
        self.loop_gap = max(self.loop_gap, self.plant.loop_gap)
        return self._measurement.observe(self.time, self.period)

    def measure(self) -> Sample:
        """The first half of `step`: what the drives report now. A controller outside may answer before `advance`."""
        return self._measurement.report(self._observe())

    def advance(self) -> None:
        """The second half of `step`: the controller acts on the last sample, the machine moves on by one period.

        Raises
        ------
        NotConverged
            If the machine falls into a singular pose.
        """
        self._commanded.advance()
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
        share = 1.0
        if changed:
            share = self._setup.change.platform
            self.plant.scale_friction(self._friction * self._setup.change.friction)
        if wanted is not None or self._was_loaded or share != 1.0:
            self._was_loaded = True
            self._physics.load_platform(self.plant, wanted, share)

    def run(self, duration: float | None = None) -> Recording:
        """Simulate `duration` s, by default to the end of the trajectory, and keep everything.

        Raises
        ------
        ValueError
            Without a duration when there is no trajectory.
        """
        if duration is None:
            end = self._commanded.end
            if end is None:
                raise SettingsError("run: give a duration, there is no trajectory that ends")
            duration = end - self.time + self.period
        seen, states = [], []
        for _ in steps("simulating", range(round(duration / self.period))):
            seen.append(self._observe())
            states.append(self.truth)
            self.advance()
        name = self._motion.name if self._motion is not None else "commands"
        samples, truth = self._measurement.report_log(seen), self._physics.collect_truth(states)
        return recording(samples, truth, self.loop_gap, f"simulated {self.machine.name}: {name}")


def simulate(
    machine: Any,
    name: str | None,
    duration: float | None = None,
    *,
    nominal: Any = None,
    sensors: SensorSettings | None = None,
    friction: bool | None = None,
    seed: int = 0,
    motion_seed: int = 0,
    payload: Payload | None = None,
    faults: Sequence[Fault] = (),
    scenario: Scenario | None = None,
) -> Recording:
    """Simulate a trajectory of any machine from start to end, by its name; None: the description's own.

    Parameters are those of `Simulator` and of the machine's named motions.
    """
    truth = build_physics(machine)
    believed = truth if nominal is None else build_physics(nominal)
    motion = believed.build_motion(name, duration, motion_seed)
    check_delays(truth.actuators, motion.duration)
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
