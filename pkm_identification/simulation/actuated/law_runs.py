# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""One law of control that moves one simulated machine: how each kind of law commands the drives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.control.laws.drive_laws import (
    DAMPING,
    FORCE_LAWS,
    DriveModel,
    ForceLaw,
    PositionLaw,
    Wanted,
)
from pkm_identification.control.laws.force_loop import ForceLoop, open_position_loops
from pkm_identification.control.laws.workspace import WorkspaceControl
from pkm_identification.control.pid import ControlSettings, StrutController
from pkm_identification.errors import NotConverged, SettingsError
from pkm_identification.machines.multibody import Multibody
from pkm_identification.mechanisms.actuators.control_section import MachineControl, TorqueControl
from pkm_identification.mechanisms.multibody.kinematics import close_drives
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray

from ..multibody.plant import MechanismPlant
from .file_control import FileControl
from .subject import Subject

TUNED, WORKSPACE, FORCE_LOOP, COMPUTED_TORQUE = "as tuned", "workspace", "force loop", "computed torque"
PERIOD = 1e-3  # s, of the laws

Move = Callable[[FloatArray, Wanted, Wanted], None]


@dataclass(frozen=True)
class LawRun:
    """Time (N,) and true driven coordinates (N, n) of a run."""

    time: FloatArray
    drive: FloatArray


class LoadedPlant(MechanismPlant):
    """A simulated mechanism on whose drives constant forces act as well.

    Attributes
    ----------
    load : ndarray, shape (n,)
        N or N m.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.load = np.zeros(mechanism.degrees_of_freedom)
        super().__init__(mechanism)

    def _evaluate(self, end: int, configuration: FloatArray, velocity: FloatArray) -> None:
        super()._evaluate(end, configuration, velocity)
        self._ends.free[end] += self._ends.compliance[end][:, : len(self.load)] @ self.load


class LawRunner:
    """Moves machines under one law, which believes in one of them.

    Parameters
    ----------
    name : str
    believed : Subject
    bandwidth : float
        rad/s, of laws with a model.
    """

    def __init__(self, name: str, believed: Subject, bandwidth: float) -> None:
        self.name, self.believed, self._w = name, believed, bandwidth
        self.valves = any(one.has_valve for one in believed.actuators)
        self.model = DriveModel(believed.mechanism, believed.actuators)

    @property
    def gives_forces(self) -> bool:
        """Whether the law gives forces to drives that take them."""
        return self.name in FORCE_LAWS and not self.valves

    @property
    def acts_on_shown_places(self) -> bool:
        """Whether the law answers the shown places itself, so that noise on them goes around its whole loop."""
        control = self.believed.mechanism.description.control
        if self.name == TUNED:
            return control is not None and control.computed_torque is not None
        by_torque = self.name == WORKSPACE and not self.valves and (control is None or not control.drives)
        return self.gives_forces or by_torque or self.name == FORCE_LOOP

    def run(
        self,
        truth: Subject,
        wanted: Callable[[float], Wanted],
        duration: float,
        noise: Callable[[float], FloatArray] | None = None,
        load: FloatArray | None = None,
    ) -> LawRun:
        """Return how a machine moves under the law, from rest at home.

        Parameters
        ----------
        truth : Subject
        wanted : callable
            By s.
        duration : float
            s.
        noise : callable, optional
            Returns what is added to the shown coordinates, (n,), by s.
        load : ndarray, shape (n,), optional
            Forces that are put on the drives at the start, N or N m.

        Raises
        ------
        NotConverged, SettingsError
            If the law is unstable on this machine or cannot be used on it.
        """
        plant = self._start(truth)
        move = self._choose_mover(plant)
        if load is not None:
            plant.load = np.array(load)
        count = round(duration / PERIOD)
        time, drive = np.linspace(0.0, count * PERIOD, count + 1), []
        for k in range(count + 1):
            drive.append(plant.coordinate)
            if not np.all(np.isfinite(drive[-1])):
                raise NotConverged(f"the law '{self.name}' is unstable on this machine")
            if k < count:
                disturbance = 0.0 if noise is None else noise(time[k])
                move(plant.encoder + disturbance, wanted(time[k]), wanted(time[k] + PERIOD))
        return LawRun(time, np.array(drive))

    def _start(self, truth: Subject) -> LoadedPlant:
        """Return the machine at rest at home; its own loops are taken away where the law gives forces."""
        description = truth.mechanism.description
        if self.gives_forces:
            description = replace(description, control=None)
        if self.name == FORCE_LOOP:
            actuators = open_position_loops(truth.actuators)
            description = replace(description, control=None, actuators=actuators)
        mechanism = replace(truth.mechanism, description=description)
        plant, home = LoadedPlant(mechanism), self.believed.home
        plant.reset(close_drives(mechanism, home[None]).required(home[None], "drives")[0])
        plant.set_force(plant.holding_force())
        return plant

    def _choose_mover(self, plant: LoadedPlant) -> Move:
        """Return how the law moves a plant on by a period, by shown places and wanted motion now and then."""
        name, subject = self.name, self.believed
        if name == FORCE_LOOP:
            return self._move_by_valves(plant)
        if not plant.takes_places and name == COMPUTED_TORQUE:
            return self._move_by_section(plant, self._write_section())
        if not plant.takes_places and name in FORCE_LAWS:
            return self._move_by_forces(plant)
        control = subject.mechanism.description.control
        if name == TUNED and control is not None and (control.workspace or control.computed_torque):
            return self._move_by_section(plant, control)
        if name == TUNED and not plant.takes_places:
            return self._move_by_simulator(plant)
        if name == WORKSPACE and not plant.takes_places:
            return self._move_by_section(plant, self._write_section(workspace=True))
        if not plant.takes_places:
            raise SettingsError("the drives take forces and the file has no position loop")
        if name == WORKSPACE:
            workspace = WorkspaceControl(Multibody(subject.mechanism))

            def straight(shown: FloatArray, now: Wanted, _: Wanted) -> None:
                reference = workspace.step(shown, now.place)
                plant.follow(reference, reference, PERIOD)

            return straight
        places = PositionLaw("position" if name == TUNED else name, self.model)

        def follow(shown: FloatArray, now: Wanted, then: Wanted) -> None:
            plant.follow(places.place(shown, now), places.place(shown, then), PERIOD)

        return follow

    def _move_by_forces(self, plant: LoadedPlant) -> Move:
        law, last = ForceLaw(self.name, self.model, self._w), [plant.encoder]

        def push(shown: FloatArray, now: Wanted, _: Wanted) -> None:
            rate, last[0] = (shown - last[0]) / PERIOD, shown
            plant.push(law.force(shown, rate, now), PERIOD)

        return push

    def _write_section(self, workspace: bool = False) -> MachineControl:
        """Return the section `control` of a file with computed torque of the wanted bandwidth."""
        return MachineControl((), TorqueControl(self._w**2, 2.0 * DAMPING * self._w, PERIOD), workspace)

    def _move_by_section(self, plant: LoadedPlant, control: MachineControl) -> Move:
        """Move as a simulated run of a file with this section does."""
        encoder = plant.encoder
        law = FileControl(control, Multibody(self.believed.mechanism), plant, lambda: encoder)

        def move(shown: FloatArray, now: Wanted, then: Wanted) -> None:
            nonlocal encoder
            encoder = shown

            def between(t: float) -> tuple[FloatArray, FloatArray]:
                part = t / PERIOD
                return now.place + part * (then.place - now.place), now.rate + part * (then.rate - now.rate)

            law.move(between, PERIOD)

        return move

    def _move_by_valves(self, plant: LoadedPlant) -> Move:
        """Computed torque through a force loop."""
        law, last = ForceLaw(COMPUTED_TORQUE, self.model, self._w), [plant.encoder]
        loop = ForceLoop(self.believed.actuators, PERIOD)

        def open_valves(shown: FloatArray, now: Wanted, _: Wanted) -> None:
            rate, last[0] = (shown - last[0]) / PERIOD, shown
            force = law.force(shown, rate, now)
            asked = law.ask(shown, rate, now) + now.acceleration
            plant.command(loop.step(force, plant.reported_force, rate, asked), PERIOD)

        return open_valves

    def _move_by_simulator(self, plant: LoadedPlant) -> Move:
        """The simulator's own loops of drives that take forces."""
        viscous = self.believed.mechanism.description.friction.viscous
        own = StrutController(plant.apparent_mass, viscous, PERIOD, ControlSettings())
        own.reset(plant.holding_force())
        free = np.zeros(len(self.believed.home), dtype=bool)

        def advance(shown: FloatArray, now: Wanted, _: Wanted) -> None:
            plant.advance(own.command(shown, now.place, 0.0, free), PERIOD)

        return advance
