# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Records of arrays that the kernels of the augmented-state filters hand to each other by name.

They are made once for a log or a window of it, so the call from Python may take them as they are.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np

from pkm_identification.mechanisms.hexapod.kinematics.records import Pose
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel

Record = TypeVar("Record", "State", "Samples")


class StateEquations(NamedTuple):
    """What the equations of motion need besides parameters: the machine as `packed_geometry` has it.

    `period` is that of the samples in s, which `substeps` implicit steps of friction divide.
    """

    packed: FloatArray
    period: float
    substeps: int


class SensorPlaces(NamedTuple):
    """IMU's place (3,), m, and axes (3, 3) in the platform frame; which sensors there are, and where in the struts."""

    place: FloatArray
    axes: FloatArray
    with_imu: bool
    with_force: bool
    at_platform: bool


class FilteredMachine(NamedTuple):
    """What a filter knows of the machine beforehand: its equations, its sensors, its home pose."""

    model: StateEquations
    sensors: SensorPlaces
    home: Pose


class State(NamedTuple):
    """Position (3,), m, rotation (3, 3) and twist (6,) of the platform; or of N samples, with a first axis more."""

    position: FloatArray
    rotation: FloatArray
    twist: FloatArray


class Unknowns(NamedTuple):
    """`known` (B,) + `mapping` (B, P) values (P,) is the basis, `offset` (12, P) values what readings have on top."""

    known: FloatArray
    mapping: FloatArray
    offset: FloatArray


class NoiseLevels(NamedTuple):
    """Standard deviations of lengths (m), drive forces (6,) (N) and readings (12,)."""

    length: float
    force: FloatArray
    readings: FloatArray


class FilterOptions(NamedTuple):
    """How a stretch of a log is filtered.

    `start_std` (12,) belongs to a state found by forward kinematics; `start` says how the first one is known (FRESH,
    GIVEN, FILTERED); `gate` is the largest NIS accepted; `centred` whether the model is made linear around a centre;
    `keep` whether what smoothing needs is kept.
    """

    start_std: FloatArray
    start: int
    gate: float
    centred: bool
    keep: bool


class Samples(NamedTuple):
    """Lengths (N, 6), drive forces (N, 6), readings (N, 12), whether a sample was measured, its segment (N,)."""

    length: FloatArray
    force: FloatArray
    readings: FloatArray
    measured: Any
    segment: Any


class Estimate(NamedTuple):
    """Parameters (P,), lower triangular root (P + 12, P + 12), state: written in place."""

    values: FloatArray
    root: FloatArray
    state: State


class Point(NamedTuple):
    """Values (P,), state and force noise (6,) around which the model is made linear; of N samples but for values."""

    values: FloatArray
    state: State
    force: FloatArray


class Prediction(NamedTuple):
    """Wide root (n, 2 n + 13) of the predicted state, readings in its coordinates (12, 2 n + 13), their mean (12,)."""

    wide: FloatArray
    rows: FloatArray
    expected: FloatArray


class ForceTally(NamedTuple):
    """Sums of squared force noise (6,), seen in innovations and expected, in units of its variance."""

    seen: FloatArray
    expected: FloatArray


class Tallies(NamedTuple):
    """Force noise; refused and restarted samples (1,) each; squared NIS of readings and their number (1,) each."""

    force: ForceTally
    refused: Any
    restarted: Any
    reading_nis: FloatArray
    readings: Any


class Filtered(NamedTuple):
    """States of N samples with acceleration (N, 6), standard deviations (N, 12) and NIS (N,)."""

    state: State
    acceleration: FloatArray
    std: FloatArray
    nis: FloatArray


class Path(NamedTuple):
    """Means and standard deviations (K, P) of the parameters at every `stride`-th sample."""

    stride: int
    mean: FloatArray
    std: FloatArray


class Kept(NamedTuple):
    """What smoothing needs of N samples.

    Where a segment begins (N,); each sample's prediction from the one before: state and root (N, 12, 12); the predicted
    state per unit of the root of the state before and of the force noise (N, 12, 18); the filtered root (N, 12, 12).
    """

    fresh: Any
    prior: State
    prior_root: FloatArray
    columns: FloatArray
    root: FloatArray


class FilterRecord(NamedTuple):
    """What a filter writes down of a stretch of a log."""

    filtered: Filtered
    path: Path
    tallies: Tallies
    kept: Kept


class StepResult(NamedTuple):
    """What one period tells besides the state at its end, (6,) each: accelerations, friction, the struts' last rate."""

    mean_acceleration: FloatArray
    first_acceleration: FloatArray
    last_acceleration: FloatArray
    first_friction: FloatArray
    last_friction: FloatArray
    last_rate: FloatArray


class StepScratch(NamedTuple):
    """Room for `state_model.advance` and for readings: matrices (6, 6), vectors (6,), the state before.

    Of the joints' friction the strut forces (6,), their slope (6, 6), the axes (6, 2, 3, 6).
    """

    mass: FloatArray
    jacobian: FloatArray
    compliance: FloatArray
    mobility: FloatArray
    matrix: FloatArray
    bias: FloatArray
    rate: FloatArray
    last: FloatArray
    residual: FloatArray
    slope: FloatArray
    net: FloatArray
    before: State
    first: FloatArray
    second: FloatArray
    rubbing: FloatArray
    rubbing_slope: FloatArray
    axes: FloatArray


@kernel
def one_state():
    """Room for a state."""
    return State(np.empty(3), np.empty((3, 3)), np.empty(6))


@kernel
def step_result():
    """Room for the result of one period."""
    return StepResult(np.empty(6), np.empty(6), np.empty(6), np.empty(6), np.empty(6), np.empty(6))


@kernel
def step_scratch():
    """Room for one period's step."""
    matrices, lines = np.empty((6, 6, 6)), np.empty((9, 6))
    return StepScratch(
        matrices[0], matrices[1], matrices[2], matrices[3], matrices[4],
        lines[0], lines[1], lines[2], lines[3], lines[4], lines[5], one_state(), lines[6], lines[7],
        lines[8], matrices[5], np.empty((6, 2, 3, 6)),
    )  # fmt: skip


@kernel
def copied(state):
    """A copy of a state."""
    other = one_state()
    assign(other, state)
    return other


@kernel
def assign(state, other):
    """Write another state to a state."""
    # number by number: whole arrays compare shapes first, which takes longer to compile than all else
    for k in range(3):
        state.position[k] = other.position[k]
        for i in range(3):
            state.rotation[k, i] = other.rotation[k, i]
    for k in range(6):
        state.twist[k] = other.twist[k]


@kernel
def state_at(states, n):
    """State of sample n, not copied."""
    return State(states.position[n], states.rotation[n], states.twist[n])


@kernel
def point_at(points, n):
    """Point of sample n, not copied."""
    return Point(points.values, state_at(points.state, n), points.force[n])


def rows(record: Record, part: slice) -> Record:
    """Some samples of a record whose every array has one row per sample."""
    return type(record)(*(array[part] for array in record))
