# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""All that the study compares: responses of the sampled loop with and without the mechanism, delay and friction."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.mechanisms.multibody import dynamics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray

from ..axis import AXIS, Axis, guide_inertia, solved_functions, transfer_functions
from ..cascade import Cascade, CurrentLoop, SampledLoop, bandwidth, closed_loop, minus_3_db
from ..data import (
    DAMPING,
    FREQUENCIES,
    IDENTIFIED_FRICTION,
    IMPACT_FREQUENCY,
    INERTIA_FACTOR,
    READINGS,
    STIFFNESS,
)
from ..rubbing import response_at
from .hammer import Ringing, hammer_blow

AMPLITUDES = (1.0, 5.0, 8.0)  # rad of the motor; the paper's is lost
NEAR = 1e-3  # Hz, to which a bandwidth with friction is sought
LOWEST = 1.5  # Hz, from where a bandwidth with friction is sought: below, the motor hardly leaves its place
ALL_ON_ONE = "all of it on one axis"
# pure motions by the sliders they move at home
MOTIONS = {"z": (1.0, 1.0, 1.0), "psi": (0.0, 1.0, 0.0), "theta": (-1.0, 0.0, 1.0)}


@dataclass(frozen=True)
class LoopResponse:
    """A closed loop at the paper's frequencies, and its bandwidths.

    Attributes
    ----------
    values : ndarray of complex, shape (3,)
    minus_3_db, minus_45_degrees : float
        Hz.
    """

    values: np.ndarray
    minus_3_db: float
    minus_45_degrees: float

    @property
    def magnitude(self) -> FloatArray:
        return np.abs(self.values)

    @property
    def phase(self) -> FloatArray:
        """Degrees."""
        return np.degrees(np.angle(self.values))


@dataclass(frozen=True)
class ResponseStudy:
    """Everything compared.

    Attributes
    ----------
    function_error, rigid_error : float
        Largest relative difference of the transfer functions from a direct solve, and of a stiff axis's from the rigid
        limits 1 / (J_t s^2) and 1.
    resonances : tuple of float
        Hz, by READINGS.
    effective_inertia : float
        kg m^2.
    ringing : Ringing
    loops : dict of str to LoopResponse
        One axis: delayed, prompt, current, light (J_1 / 1.56).
    mass : ndarray, shape (3, 3)
        Of the mechanism at home on its sliders, kg.
    changes : dict of str to tuple of float
        -3 dB without and with the mechanism, Hz, by motion, and for one axis with nothing and with what slider 1
        carries in z or all of the 2.27 kg.
    rubbing : dict of float to tuple of float
        -3 dB with friction without and with the mechanism's mass, and with gravity besides, Hz, by amplitude in rad.
    """

    function_error: float
    rigid_error: float
    resonances: tuple[float, ...]
    effective_inertia: float
    ringing: Ringing
    loops: dict[str, LoopResponse]
    mass: FloatArray
    changes: dict[str, tuple[float, float]]
    rubbing: dict[float, tuple[float, float, float]]


def run_study() -> ResponseStudy:
    """Compute everything."""
    mast = Mechanism.load("mast")
    mass = dynamics.mass_matrix(mast, mast.home[None])[0]
    inertia = STIFFNESS / (2.0 * np.pi * IMPACT_FREQUENCY) ** 2
    return ResponseStudy(
        function_error=_function_error(),
        rigid_error=_rigid_error(),
        resonances=tuple(
            replace(AXIS, guide=guide_inertia(pulley, load)).resonance for pulley, load in READINGS
        ),
        effective_inertia=inertia,
        ringing=hammer_blow(inertia, STIFFNESS, DAMPING),
        loops={
            "delayed": loop_response(closed_loop(AXIS, Cascade(delay=1))),
            "prompt": loop_response(closed_loop(AXIS, Cascade(delay=0))),
            "current": loop_response(closed_loop(AXIS, Cascade(delay=1, current=CurrentLoop()))),
            "light": loop_response(
                closed_loop(replace(AXIS, motor=AXIS.motor / INERTIA_FACTOR), Cascade(delay=1))
            ),
        },
        mass=mass,
        changes=_changes(mass),
        rubbing={amplitude: _rubbing(amplitude, mass) for amplitude in AMPLITUDES},
    )


def loop_response(loop: SampledLoop, command: FloatArray | None = None) -> LoopResponse:
    """Response of the motors along the command (n,): one axis's by default."""
    wanted = np.ones(1) if command is None else command

    def along(frequency: float) -> complex:
        return complex(wanted @ loop.response(frequency, wanted) / (wanted @ wanted))

    return LoopResponse(np.array([along(f) for f in FREQUENCIES]), *bandwidth(along))


def _functions(axis: Axis, s: np.ndarray, solve: bool) -> np.ndarray:
    functions = (solved_functions if solve else transfer_functions)(axis, s)
    return np.array([functions.tf1, functions.tf2, functions.tf1d, functions.tf2d])


def _function_error() -> float:
    rng = np.random.default_rng(0)
    s = rng.uniform(-500.0, 500.0, 200) + 2j * np.pi * 10.0 ** rng.uniform(0.0, 3.5, 200)
    return float(np.abs(_functions(AXIS, s, False) / _functions(AXIS, s, True) - 1.0).max())


def _rigid_error() -> float:
    stiff = replace(AXIS, stiffness=1e9 * AXIS.stiffness)
    s = 2j * np.pi * np.logspace(-1.0, 2.0, 20)
    functions = transfer_functions(stiff, s)
    limits = (1.0 / (stiff.total * s**2), 1.0, 1.0 / (stiff.total * s**2), 1.0)
    parts = (functions.tf1, functions.tf2, functions.tf1d, functions.tf2d)
    return float(max(np.abs(part / limit - 1.0).max() for part, limit in zip(parts, limits, strict=True)))


def _changes(mass: FloatArray) -> dict[str, tuple[float, float]]:
    bare, loaded = closed_loop(AXIS, Cascade(), np.zeros((3, 3))), closed_loop(AXIS, Cascade(), mass)
    changes = {}
    for name, direction in MOTIONS.items():
        command = np.array(direction)
        changes[name] = (loop_response(bare, command).minus_3_db, loop_response(loaded, command).minus_3_db)
    light = replace(AXIS, guide=guide_inertia(READINGS[0][0], 0.0))
    alone = loop_response(closed_loop(light, Cascade())).minus_3_db
    for name, carried in (
        ("slider 1 with its share in z", float(mass[0].sum())),
        (ALL_ON_ONE, READINGS[2][1]),
    ):
        changes[name] = (alone, loop_response(closed_loop(light.carrying(carried), Cascade())).minus_3_db)
    return changes


def _rubbing(amplitude: float, mass: FloatArray) -> tuple[float, float, float]:
    """-3 dB of an axis with friction: bare, with what slider 1 carries in z, and with gravity on it."""
    carried = float(mass[0].sum())
    cases = ((AXIS, 0.0), (AXIS.carrying(carried), 0.0), (AXIS.carrying(carried), 9.81 * carried))
    widths = []
    for axis, pull in cases:

        def at(frequency: float, axis: Axis = axis, pull: float = pull) -> complex:
            return response_at(axis, Cascade(), frequency, amplitude, IDENTIFIED_FRICTION, pull)

        widths.append(minus_3_db(at, LOWEST, NEAR))
    return widths[0], widths[1], widths[2]
