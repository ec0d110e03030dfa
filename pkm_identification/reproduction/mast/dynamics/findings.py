# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The paper's mechanism and its coupling to the axes beside ours, each verdict computed."""

from __future__ import annotations

import numpy as np

from pkm_identification.reproduction.finding import Finding
from pkm_identification.reproduction.number import beyond, statement, undecided, value

from ..axis import AXIS
from .coupling import LARGEST_GAIN, TableRun
from .runs import GRAVITY, DynamicsStudy

CARRIED = 2.27  # kg, Eq. 22
NEAR_POSITION, NEAR_TORQUE = 10e-6, 0.01  # m, and of the largest torque: from where a difference would matter
COEFFICIENT_NEAR = 1e-9


def findings(study: DynamicsStudy) -> tuple[Finding, ...]:
    """Finding by finding."""
    return (_weight(study), _energy(study), _misprints(study), _coupling(study), _gain(study))


def _weight(study: DynamicsStudy) -> Finding:
    return Finding(
        "The three drives carry 2.27 kg (Eq. 22), platform 2.06 and three bars of .07 kg (S).",
        f"Sum of the sliders' forces at rest over {GRAVITY:g} m/s^2 at {len(study.carried)} poses: "
        f"{study.carried.min():.9g} "
        f"to {study.carried.max():.9g} kg.",
        "Guides are vertical, so the sum is the weight in every pose; slider masses belong to the axes.",
        (value("Mass on the sliders", CARRIED, float(study.carried.mean()), "kg", "S", "383", near=0.005),),
    )


def _energy(study: DynamicsStudy) -> Finding:
    return Finding(
        "Joint reactions do no work, so forces by energy equivalence need none of them (S).",
        f"Power of the forces less the rate of kinetic and potential energy: {study.power_error:.1e} of the "
        "largest power.",
        "The mechanism's forces come from virtual power with all loops closed; energy by central differences.",
        (beyond("Power less rate of energy", study.power_error, "relative"),),
    )


def _misprints(study: DynamicsStudy) -> Finding:
    parts = [
        f"{one.name}: printed {one.printed:.4f}, by the mechanism {one.mechanism:.4f}"
        for one in study.coefficients
    ]
    return Finding(
        "Jacobians of appendix A, with A.7 and two signs of A.29 as printed.",
        f"At z = .45 m, psi = 10, theta = -8 degrees: {'; '.join(parts)}.",
        "A.7 has the wrong sign and the wrong index, A.29 two wrong signs; at home all of them vanish or agree. The "
        "readings are the loop equations A.12 to A.17, which are right as printed.",
        (
            *(
                undecided(
                    f"{one.name}, as printed",
                    one.printed,
                    one.mechanism,
                    "m or 1",
                    "S",
                    None,
                    because="a misprint",
                )
                for one in study.coefficients
            ),
            statement(
                "The same as read, against the mechanism",
                "appendix A",
                [abs(one.ours - one.mechanism) < COEFFICIENT_NEAR for one in study.coefficients],
                "R",
                None,
            ),
        ),
    )


def _coupling(study: DynamicsStudy) -> Finding:
    texts, held, numbers = [], [], []
    largest = float(np.abs(study.coupled.torque).max())
    for name, run in study.schemes.items():
        position, torque, force = apart(run, study.coupled)
        texts.append(
            f"{name}: sliders {1e6 * position:.2g} um, torque {1e3 * torque:.2g} mN m, force {force:.2g} N"
        )
        held.append(position < NEAR_POSITION and torque < NEAR_TORQUE * largest)
        numbers.append(beyond(f"Torque off the coupled equations, {name}", 1e3 * torque, "mN m"))
        numbers.append(beyond(f"Sliders off the coupled equations, {name}", 1e6 * position, "um"))
    return Finding(
        "The mechanism enters each axis as a disturbance only, a force computed from the axes' motion (S): the paper's "
        "contribution.",
        f"Against the fully coupled equations, largest torque {largest:.3g} N m: {'; '.join(texts)}.",
        "z, psi and theta at once (5 mm at 5 Hz, 3 degrees at 2 and 3 Hz: ours), three axes under the printed cascade, "
        "mechanism and bias taken anew each millisecond in every case. Late by a small step (50 us) or solved with the "
        "acceleration, the disturbance is the mechanism; late by a velocity sample its force is off at each change of "
        f"torque, the motion still is not. It does as the coupled equations within {1e6 * NEAR_POSITION:g} um and "
        f"{100 * NEAR_TORQUE:g} % of the largest torque: our reading.",
        (
            statement("A disturbance does as the coupled equations", "claimed", held, "S", None),
            *numbers,
        ),
    )


def _gain(study: DynamicsStudy) -> Finding:
    limit = LARGEST_GAIN * AXIS.total / AXIS.travel**2
    alone = study.gain * AXIS.total / AXIS.guide
    return Finding(
        "(The paper does not speak of the loop that its disturbance closes through the acceleration.)",
        f"Its gain m n^2 / J_t is {study.gain_in_z:.3f} in z, {study.gain:.3f} at most; {alone:.2f} against J_2 alone, "
        "which is what a single small step sees.",
        f"One step late, it is refused here above {LARGEST_GAIN:g}: {limit:.3g} kg that move with one "
        "slider. Pitch assumed.",
        (
            beyond("Gain of a force one step late, z", study.gain_in_z, ""),
            beyond("The same, largest", study.gain, ""),
            beyond("Mass from which one step late is refused", limit, "kg"),
        ),
    )


def apart(run: TableRun, coupled: TableRun) -> tuple[float, float, float]:
    """Largest differences of slider heights in m, torques in N m and forces in N."""
    return (
        float(np.abs(run.slider - coupled.slider).max()),
        float(np.abs(run.torque - coupled.torque).max()),
        float(np.abs(run.force - coupled.force).max()),
    )
