# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Joints that are not where the machine file has them, encoders with a wrong zero or pitch, struts that yield."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.mechanisms.friction import friction_force
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS, StrutMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.segments import segment_slices

from ..situation import Situation, own_strut
from .forces import typical_force
from .hypothesis import Effect, numbered, repeated
from .spline_derivatives import FEWEST, spline_derivatives

JOINT, ZERO = 1e-3, 3e-3  # of the length scale: large errors
PITCH = 0.01
YIELD = 3e-4  # of the length scale, under a typical force
STEP = 1e-4  # of the length scale, for differences
SOFTER = 1e-9  # m/N, for differences
# Passes: each leaves a tenth or so of the one before in the band, but above it they need not converge.
YIELDINGS = 4
# In the order of `joints`.
JOINT_COORDINATES = tuple(
    f"{body}_joint_{i + 1}_{axis}" for body in ("base", "platform") for i in range(STRUTS) for axis in "xyz"
)


def joints(situation: Situation) -> FloatArray:
    """What a metre of each joint coordinate would add: base joints, then platform joints, N/m, (K, 6, 36)."""
    machine = situation.machine
    step = STEP * machine.length_scale
    columns = []
    for place in range(2 * STRUTS * 3):
        base, platform = machine.base_joints.copy(), machine.platform_joints.copy()
        (base if place < STRUTS * 3 else platform).ravel()[place % (STRUTS * 3)] += step
        changed = replace(machine, base_joints=base, platform_joints=platform)
        columns.append(situation.changed_in(changed) / step)
    return situation.rows.thin_in_band(np.stack(columns, axis=2))


def zeros(situation: Situation) -> FloatArray:
    """What lengths measured a metre too large would add, N/m, (K, 6, 6)."""
    return situation.zeros


def places(situation: Situation) -> FloatArray:
    """Joints and zero lengths together, (K, 6, 42)."""
    return np.concatenate([joints(situation), zeros(situation)], axis=2)


def pitch(situation: Situation) -> FloatArray:
    """What counts measured twice as large would add; friction included, which sees the rate, N, (K, 6, 6)."""
    machine, rows = situation.machine, situation.rows
    start = np.zeros(STRUTS) if machine.drive is None else machine.drive.length_at_zero
    struts = rows.thin_struts
    step = STEP
    columns = []
    for row in np.eye(STRUTS):
        changed = replace(
            struts,
            length=struts.length - step * row * (struts.length - start),
            rate=struts.rate * (1.0 - step * row),
            acceleration=struts.acceleration * (1.0 - step * row),
        )
        columns.append(situation.changed_by(changed) / step)
    rate, law = rows.struts.rate, situation.friction
    rubbing = (friction_force(rate * (1.0 - step), law) - friction_force(rate, law)) / step
    return rows.thin_in_band(np.stack(columns, axis=2)) + own_strut(rows.in_band(rubbing))


def yielding(situation: Situation) -> FloatArray:
    """What struts that yield by a metre per newton between encoder and platform would add, N^2/m, (K, 6, 1)."""
    return yielding_more(situation, 0.0)


def yielding_more(situation: Situation, compliance: float) -> FloatArray:
    """The same of a metre per newton more where they yield already, (K, 6, 1)."""
    change = yielded(situation, compliance + SOFTER) - yielded(situation, compliance)
    return situation.rows.thin_in_band(change / SOFTER)[:, :, None]


def yielding_by(situation: Situation, compliance: float) -> FloatArray:
    """The same of struts that yield so much, as a whole over it, (K, 6, 1); to first order where it is not above 0."""
    if compliance < SOFTER:
        return yielding(situation)
    return situation.rows.thin_in_band(yielded(situation, compliance) / compliance)[:, :, None]


def yielded(situation: Situation, compliance: float) -> FloatArray:
    """What struts that yield so many metres per newton add on the thin grid, unfiltered, N, (n, 6).

    They are shorter by what their force takes, which is that of the bodies where they then are: by iteration, as
    long as there is a pose for such lengths.
    """
    added = np.zeros_like(situation.rigid)
    for _ in range(YIELDINGS if compliance else 0):
        farther = situation.changed_by(_shorter(situation, compliance * (situation.rigid + added)))
        if not np.isfinite(farther).all():
            break
        added = farther
    return added


def _shorter(situation: Situation, way: FloatArray) -> StrutMotion:
    """Strut motion on the thin grid, less a way (n, 6) in m and its derivatives."""
    rows, struts = situation.rows, situation.rows.thin_struts
    first, second = np.zeros_like(way), np.zeros_like(way)
    interval = rows.step * rows.band.period
    for part in segment_slices(struts.segment):
        if part.stop - part.start >= FEWEST:
            # the grid has few points in a period: differences would lose a fifth of the second derivative
            first[part], second[part] = spline_derivatives(way[part], interval)
    return replace(
        struts,
        length=struts.length - way,
        rate=struts.rate - first,
        acceleration=struts.acceleration - second,
    )


def effects(machine: Machine) -> list[Effect]:
    """Of places, lengths and stiffness."""
    size = machine.length_scale
    return [
        Effect(
            "length_offset",
            "geometry",
            "m",
            zeros,
            repeated(ZERO * size),
            "Home that encoder again, set drive.encoder.length_at_zero in the machine file (for logs of counts), or "
            "estimate it with --also {name}",
            numbered("length_offset"),
        ),
        Effect(
            "length_scale",
            "geometry",
            "",
            pitch,
            repeated(PITCH),
            "Check drive.encoder.counts_per_meter and the screw's pitch, or estimate it with --also {name}",
            numbered("length_scale"),
            common="length_scale",
            offset=1.0,
        ),
        Effect(
            "geometry",
            "geometry",
            "m",
            places,
            np.concatenate([repeated(JOINT * size, 36), repeated(ZERO * size)]),
            "Measure the joints' places again (calibrate the kinematics) and set geometry in the machine file, or "
            "estimate them with --also {name}",
            parts=JOINT_COORDINATES + numbered("length_offset"),
        ),
        Effect(
            "compliance",
            "compliance",
            "m/N",
            yielding,
            repeated(YIELD * size / max(typical_force(machine), 1e-9), 1),
            "Struts yield between encoder and platform: keep accelerations lower, measure nearer to the platform, or "
            "estimate it with --also {name}",
            at=yielding_by,
            # less than a file with elastic drives says is possible, less than none is not
            positive=machine.actuators is None,
        ),
    ]
