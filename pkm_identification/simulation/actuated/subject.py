# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A machine with actuators on the bench: at rest at home, asked to move along one drive or one axis of its platform."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from pkm_identification.control.pid import ControlSettings, StrutController
from pkm_identification.errors import NotConverged, SettingsError
from pkm_identification.machines.capabilities import NamedOutputs, PlatformPose, has, require
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.load import load_machine
from pkm_identification.machines.multibody import Multibody
from pkm_identification.mechanisms.actuators.base import Actuator
from pkm_identification.mechanisms.actuators.ideal import Ideal
from pkm_identification.mechanisms.actuators.loops import DriveLoops
from pkm_identification.mechanisms.actuators.quantity import LINEAR, ROTARY
from pkm_identification.mechanisms.multibody.kinematics import close_drives, close_outputs, close_pose, read
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import matrix_from_vector

from ..multibody.plant import MechanismPlant
from .file_control import FileControl

CONTROL_PERIOD = 1e-3  # s, of the controller of drives that take forces
PLATFORM_AXES = ("x", "y", "z", "rx", "ry", "rz")
_SMALL = 1e-6  # m or rad, for the drives' share of an axis


@dataclass(frozen=True)
class BenchRun:
    """Samples of one run.

    Attributes
    ----------
    time : ndarray, shape (N,)
        s.
    shown : ndarray, shape (N, n)
        Coordinates the drives' encoders or sensors are on, m or rad.
    drive, rate, acceleration : ndarray, shape (N, n)
        True coordinates and their derivatives.
    force, reported : ndarray, shape (N, n)
        Force on the mechanism, and what current or pressure stand for, N or N m.
    """

    time: FloatArray
    shown: FloatArray
    drive: FloatArray
    rate: FloatArray
    acceleration: FloatArray
    force: FloatArray
    reported: FloatArray


@dataclass(frozen=True)
class Subject:
    """A mechanism whose drives have actuators, at home.

    Attributes
    ----------
    mechanism : Mechanism
    position, rotation : ndarray, shapes (3,) and (3, 3), or None
        Home pose of a hexapod.
    """

    mechanism: Mechanism
    position: FloatArray | None = None
    rotation: FloatArray | None = None

    @classmethod
    def load(cls, name: str) -> Subject:
        """Return the machine of a name or file.

        Raises
        ------
        MachineError, SettingsError
            If it cannot be read, or its drives have no actuators.
        """
        return cls.of(load_machine(name), name)

    @classmethod
    def of(cls, loaded: Machine, name: str) -> Subject:
        """Return the subject of a machine that is loaded; `name` is what errors call it.

        Raises
        ------
        SettingsError
            If its drives have no actuators.
        """
        subject = cls.of_forces(loaded, name)
        if loaded.actuators is None:
            raise SettingsError(
                f"machine '{subject.mechanism.name}': its drives have no 'actuator', so there is no compliance in "
                "this file: forces follow commands at once (docs/actuators.md)"
            )
        return subject

    @classmethod
    def of_forces(cls, loaded: Machine, name: str) -> Subject:
        """Return the subject of a machine that is loaded; drives without actuators are forces within their limits."""
        subject = cls(loaded.bodies)
        if has(loaded, PlatformPose) and not has(loaded, NamedOutputs):
            subject = cls(loaded.bodies, *require(loaded, PlatformPose, name).home_pose)
        if subject.mechanism.description.actuators is not None:
            return subject
        units = [ROTARY if drive.unit == "rad" else LINEAR for drive in loaded.drives]
        ideal = (
            Ideal(drive.rated_force, units=unit) for drive, unit in zip(loaded.drives, units, strict=True)
        )
        return subject.with_actuators(tuple(ideal))

    @property
    def actuators(self) -> tuple[Actuator, ...]:
        """Of the drives."""
        return self.mechanism.description.actuators or ()

    def with_actuators(self, actuators: tuple[Actuator, ...]) -> Subject:
        """Return the same machine with other actuators of the same inertia."""
        description = replace(self.mechanism.description, actuators=actuators)
        return replace(self, mechanism=replace(self.mechanism, description=description))

    def with_loops(self, change: Callable[[DriveLoops], DriveLoops]) -> Subject:
        """Return the same machine with the loops of its drives changed."""
        description = self.mechanism.description
        assert description.control is not None  # a machine without loops has none to change
        drives = tuple(change(one) for one in description.control.drives)
        changed = replace(description, control=replace(description.control, drives=drives))
        return replace(self, mechanism=replace(self.mechanism, description=changed))

    def resting_at(self, drives: FloatArray) -> Subject:
        """Return the same machine with its home at other driven coordinates (n,)."""
        closed = close_drives(self.mechanism, drives[None]).required(drives[None], "drives")
        return replace(self, mechanism=replace(self.mechanism, home=closed[0]))

    @property
    def home(self) -> FloatArray:
        """Driven coordinates (n,) at home."""
        return read(self.mechanism, "drives", self.mechanism.home)[0]

    @property
    def slowest_period(self) -> float:
        """s, of the slowest loop."""
        control = self.mechanism.description.control
        return CONTROL_PERIOD if control is None else control.slowest_period

    @property
    def axes(self) -> tuple[str, ...]:
        """Names of what `direction` knows."""
        outputs = PLATFORM_AXES if self.position is not None else self.mechanism.output_names
        numbered = tuple(f"strut_{i + 1}" for i in range(self.mechanism.degrees_of_freedom))
        own = tuple(name for name in (*outputs, *self.mechanism.drive_names) if name not in numbered)
        return (*dict.fromkeys(own), *numbered)

    def unit(self, axis: str) -> str:
        """m or rad."""
        mechanism = self.mechanism
        if self.position is not None:
            return "rad" if axis in PLATFORM_AXES[3:] else "m"
        measures = [drive.measure for drive in mechanism.description.drives]
        if axis.startswith("strut_") and axis not in mechanism.drive_names:
            return measures[int(axis.removeprefix("strut_")) - 1].unit
        measures += list(mechanism.description.outputs)
        return next((measure.unit for measure in measures if measure.name == axis), "m")

    def moved(self, change: FloatArray) -> Subject:
        """Return the same hexapod with another home: m and degrees (rotation vector) from its own.

        Raises
        ------
        SettingsError, MotionRefused
            If it is no hexapod, or the pose is out of reach or beyond the length limits.
        """
        if self.position is None or self.rotation is None:
            raise SettingsError("--pose: is for hexapods alone; change 'home' in the mechanism's file")
        if not np.all(np.isfinite(change)):
            raise SettingsError(f"--pose {change.tolist()}: must be finite")
        position = self.position + change[:3]
        rotation = matrix_from_vector(np.deg2rad(change[3:])) @ self.rotation
        closed = close_pose(self.mechanism, position[None], rotation[None]).required(position[None], "pose")
        machine = replace(
            self, mechanism=replace(self.mechanism, home=closed[0]), position=position, rotation=rotation
        )
        self.check_reach(machine.home - self.home, "--pose", "the pose")
        return machine

    def direction(self, axis: str) -> FloatArray:
        """Change of the driven coordinates (n,) per m or rad along an axis, at home.

        Raises
        ------
        SettingsError
            If there is no such axis.
        """
        mechanism, home = self.mechanism, self.home
        count = len(home)
        if axis not in self.axes:
            raise SettingsError(f"--axis {axis}: must be one of {', '.join(self.axes)}")
        if axis in mechanism.drive_names or axis.startswith("strut_"):
            change = np.zeros(count)
            names = mechanism.drive_names
            change[names.index(axis) if axis in names else int(axis.removeprefix("strut_")) - 1] = 1.0
            return change
        if self.position is not None and self.rotation is not None:
            k = PLATFORM_AXES.index(axis)
            step = _SMALL * np.eye(6)[k]
            places = np.array([self.position + s * step[:3] for s in (1, -1)])
            turns = np.array([matrix_from_vector(s * step[3:]) @ self.rotation for s in (1, -1)])
            closed = close_pose(mechanism, places, turns).required(places, "pose")
        else:
            start = read(mechanism, "outputs", mechanism.home)[0]
            step = _SMALL * np.eye(len(start))[mechanism.output_names.index(axis)]
            wanted = np.array([start + step, start - step])
            closed = close_outputs(mechanism, wanted).required(wanted, "outputs")
        ahead, back = read(mechanism, "drives", closed)
        return (ahead - back) / (2 * _SMALL)

    def resolve_axis(self, axis: str) -> tuple[FloatArray, FloatArray]:
        """Return forces (n,) of the drives that a unit force along an axis is worth, and (n,) its rate per theirs.

        Both are the axis' row of the inverse of all directions: its force times its rate is the drives' power.
        """
        outputs = PLATFORM_AXES if self.position is not None else self.mechanism.output_names
        count = self.mechanism.degrees_of_freedom
        if axis not in outputs or len(outputs) != count:
            own = self.direction(axis)
            return own / (own @ own), own / (own @ own)
        directions = np.array([self.direction(one) for one in outputs])
        row = np.asarray(np.linalg.inv(directions.T)[outputs.index(axis)])
        return row, row

    def check_reach(self, change: FloatArray, option: str, what: str) -> None:
        """Refuse a change (n,) of driven coordinates from home that leaves the limits.

        Raises
        ------
        SettingsError
            Names the drive and its limits.
        """
        for i, drive in enumerate(self.mechanism.description.drives):
            if drive.limits is None:
                continue
            low, high = FLOAT64.array(drive.limits)
            reached = self.home[i] + change[i]
            if not low <= reached <= high:
                raise SettingsError(
                    f"{option}: {what} takes drive '{drive.name}' to {reached:.4g} {drive.measure.unit}, and its end "
                    f"stops are at {low:g} and {high:g}"
                )

    def run(self, wanted: Callable[[float], FloatArray], duration: float, period: float = 4e-4) -> BenchRun:
        """Let the drives follow wanted coordinates (n,) by time, from rest at home.

        Drives that take forces get them from the file's computed torque, else from the simulator's controller of
        struts. Of a law in the file the wanted places are all it is given: no rates.

        Raises
        ------
        NotConverged
            If a number is not finite any more, or the mechanism runs through a singular configuration.
        """
        mechanism = self.mechanism
        plant = MechanismPlant(mechanism)
        drives = plant.actuated
        assert drives is not None
        home = self.home
        plant.reset(close_drives(mechanism, home[None]).required(home[None], "drives")[0])
        plant.set_force(plant.holding_force())
        own, control = None, mechanism.description.control
        law = FileControl.of(control, Multibody(mechanism), plant, lambda: plant.encoder)
        if law is not None:
            period = law.period
        elif not plant.takes_places:
            viscous = mechanism.description.friction.viscous
            own = StrutController(plant.apparent_mass, viscous, CONTROL_PERIOD, ControlSettings())
            own.reset(plant.holding_force())
            period = CONTROL_PERIOD
        free = np.zeros(len(home), dtype=bool)
        rows: list[tuple[FloatArray, ...]] = []
        count = round(duration / period)
        for k in range(count + 1):
            state = plant.state
            shown = plant.encoder
            row = (shown, state.coordinate, state.rate, state.acceleration, state.force, plant.reported_force)
            if not all(np.all(np.isfinite(part)) for part in (*row, drives.states)):
                bad = [i for i in range(len(home)) if not np.all(np.isfinite(drives.states[i]))] or [0]
                raise NotConverged(
                    f"the simulation diverged at {state.time:.4f} s: the state of drive "
                    f"'{mechanism.drive_names[bad[0]]}' is not finite"
                )
            rows.append(row)
            if k == count:
                break
            now, then = wanted(k * period), wanted((k + 1) * period)
            if law is not None:
                law.move(partial(_hold_position, now), period)
            elif own is None:
                plant.follow(now, then, period)
            else:
                plant.advance(own.command(shown, now, 0.0, free), period)
        parts = [np.array(part) for part in zip(*rows, strict=True)]
        return BenchRun(np.arange(count + 1, dtype=np.float64) * np.float64(period), *parts)


def _hold_position(position: FloatArray, _: float) -> tuple[FloatArray, None]:
    """Return a wanted place, and no rate."""
    return position, None
