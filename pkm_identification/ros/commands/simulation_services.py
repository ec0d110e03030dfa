# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The services of simulation_interfaces: the standard's names for what the simulator does under its own, too."""

from __future__ import annotations

from typing import Any, Protocol

from simulation_interfaces.msg import Result, SimulationState, SimulatorFeatures
from simulation_interfaces.srv import (
    GetSimulationState,
    GetSimulatorFeatures,
    ResetSimulation,
    SetSimulationState,
    StepSimulation,
)

from pkm_identification.errors import PkmError

STOPPED, PLAYING = SimulationState.STATE_STOPPED, SimulationState.STATE_PLAYING
PAUSED, QUITTING = SimulationState.STATE_PAUSED, SimulationState.STATE_QUITTING
FEATURES = (
    SimulatorFeatures.SIMULATION_RESET,
    SimulatorFeatures.SIMULATION_RESET_STATE,
    SimulatorFeatures.SIMULATION_STATE_GETTING,
    SimulatorFeatures.SIMULATION_STATE_SETTING,
    SimulatorFeatures.SIMULATION_STATE_PAUSE,
    SimulatorFeatures.STEP_SIMULATION_SINGLE,
    SimulatorFeatures.STEP_SIMULATION_MULTIPLE,
)
RESETS = (ResetSimulation.Request.SCOPE_DEFAULT, ResetSimulation.Request.SCOPE_ALL)


class Simulation(Protocol):
    """What the services ask for."""

    @property
    def paused(self) -> bool: ...

    @property
    def at_start(self) -> bool: ...

    def hold(self, paused: bool) -> None: ...

    def reset(self) -> str: ...

    def advance(self, samples: int) -> int: ...

    def finish(self, code: int = 0) -> None: ...

    def serve(self, service_type: type, name: str, callback: Any) -> None: ...


class SimulationServices:
    """Offers the services of a simulation until it is deactivated.

    Stopped is paused at the start. A reset starts state, motion and noise again; stamps go on, so that no node behind
    sees time run backwards: a reset of time alone is no feature.

    Parameters
    ----------
    simulation : Simulation
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._held = False  # paused at the start by who asked for that: no longer stopped
        for service_type, name, answer in (
            (GetSimulatorFeatures, "get_simulator_features", self.get_features),
            (GetSimulationState, "get_simulation_state", self.get_state),
            (SetSimulationState, "set_simulation_state", self.set_state),
            (ResetSimulation, "reset_simulation", self.reset),
            (StepSimulation, "step_simulation", self.step),
        ):
            simulation.serve(service_type, f"~/{name}", answer)

    @property
    def state(self) -> int:
        """As in SimulationState."""
        if not self._simulation.paused:
            return int(PLAYING)
        return int(STOPPED if self._simulation.at_start and not self._held else PAUSED)

    def get_features(self, _: Any, response: Any) -> Any:
        """Return what can be asked for."""
        response.features.features = list(FEATURES)
        response.features.custom_info = "pkm_identification: one machine; stamps go on when it is reset"
        return response

    def get_state(self, _: Any, response: Any) -> Any:
        """Stopped, playing or paused."""
        response.state.state = self.state
        response.result.result = Result.RESULT_OK
        return response

    def set_state(self, request: Any, response: Any) -> Any:
        """Go to a state; to stop is to pause at the start."""
        wanted = request.state.state
        if wanted == self.state:
            response.result.result = SetSimulationState.Response.ALREADY_IN_TARGET_STATE
            return response
        response.result.result = Result.RESULT_OK
        if wanted in (PLAYING, PAUSED):
            self._held = wanted == PAUSED
            self._simulation.hold(self._held)
        elif wanted == STOPPED:
            self._held = False
            self._simulation.hold(True)
            self._simulation.reset()
        elif wanted == QUITTING:
            self._simulation.finish()
        else:
            response.result.result = Result.RESULT_FEATURE_UNSUPPORTED
            response.result.error_message = f"state {wanted}: there is one world, which is always loaded"
        return response

    def reset(self, request: Any, response: Any) -> Any:
        """State, motion and noise from the start."""
        if request.scope in RESETS or request.scope & ResetSimulation.Request.SCOPE_STATE:
            self._held = False
            self._simulation.reset()
            response.result.result = Result.RESULT_OK
        else:
            response.result.result = Result.RESULT_FEATURE_UNSUPPORTED
            response.result.error_message = f"scope {request.scope}: nothing but the state can be reset"
        return response

    def step(self, request: Any, response: Any) -> Any:
        """Return samples at once, while paused."""
        try:
            self._simulation.advance(request.steps)
            response.result.result = Result.RESULT_OK
        except PkmError as refusal:
            response.result.result = Result.RESULT_OPERATION_FAILED
            response.result.error_message = str(refusal)
        return response
