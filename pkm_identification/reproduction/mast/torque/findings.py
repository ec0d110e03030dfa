# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What the paper says of torques and of its identification beside ours, each verdict computed."""

from __future__ import annotations

from pkm_identification.reproduction.finding import Finding
from pkm_identification.reproduction.number import beyond, statement, undecided, value

from ..data import IDENTIFIED_FRICTION, INERTIA_FACTOR, MOTOR_INERTIA
from .runs import AMPLITUDE, FILE_FRICTION, TorqueStudy

LOW_TORQUE, LOW_GAP, HIGH_GAP, POSITION = 70.0, -0.10, 0.10, 11.0  # %, N m, N m, %
PUT_IN = "ours is what was put in, and comes back"
PASSES, FAILS = 5.0, 30.0  # %: our reading of a position that looks right and a torque that does not


def findings(study: TorqueStudy) -> tuple[Finding, ...]:
    """Finding by finding."""
    return (_identification(study), _slow(study), _fast(study))


def _identification(study: TorqueStudy) -> Finding:
    identified = study.identified
    factor = MOTOR_INERTIA / identified.inertia
    return Finding(
        f"Identified from torque: J_1 / {INERTIA_FACTOR:g}, Coulomb friction {IDENTIFIED_FRICTION:g} N m (S).",
        f"From the synthetic torques of a machine that has them: J_1 / {factor:.4f} (J_1 = {identified.inertia:.4g} ± "
        f"{identified.inertia_std:.1g} kg m^2), {identified.friction:.5f} ± {identified.friction_std:.1g} N m, in "
        f"{identified.rounds} rounds "
        "from the manufacturers' data.",
        "Friction from the log at .4 Hz, inertia from that at 10 Hz, each with what the other gave; noise of "
        "2 % on torque "
        "and .2 % on the rate. Which shaft the paper's friction refers to is not said: the motor's is assumed.",
        (
            undecided("ident: J_1 divided by", INERTIA_FACTOR, factor, "", "S", None, because=PUT_IN),
            undecided(
                "ident: Coulomb friction",
                IDENTIFIED_FRICTION,
                identified.friction,
                "N m",
                "S",
                None,
                because=PUT_IN,
            ),
            beyond("ident: deviation of J_1", identified.inertia_std, "kg m^2"),
            beyond("ident: deviation of friction", identified.friction_std, "N m"),
        ),
    )


def _slow(study: TorqueStudy) -> Finding:
    one = study.comparisons[0.4]
    file, machine = one.magnitudes
    position = 100.0 * (file / machine - 1.0)
    torque = -100.0 * one.rms_gap
    return Finding(
        "At .4 Hz the model with manufacturers' data has .10 N m too little torque, 70 % (S), while its "
        "position agrees.",
        f"Position {position:+.2g} % in magnitude; torque {100 * one.rms_gap:+.3g} % rms, "
        f"{one.torque_gap:+.3f} N m in its "
        "first harmonic.",
        f"Amplitude {AMPLITUDE:g} rad of the motor assumed. Friction is nearly all of the torque: "
        f"{FILE_FRICTION:.4f} N m (0.2 "
        f"N m on the gearbox's output, by our reading of Eq. 23) against {IDENTIFIED_FRICTION:g} are "
        f"{IDENTIFIED_FRICTION - FILE_FRICTION:.4f} N m of level. The paper's .10 N m cannot come from .0718 "
        "on the motor's "
        f"shaft, even with none in the file. A position passes within {PASSES:g} %, a torque fails beyond {FAILS:g} %: "
        "our reading.",
        (
            statement(
                "torque: the file's model passes position and fails torque at .4 Hz",
                "position does not validate a model",
                [abs(position) < PASSES, torque > FAILS],
                "S",
                "603-611",
            ),
            value(
                "torque at .4 Hz, too low by", LOW_TORQUE, torque, "%", "S", "603-611", near=0.1 * LOW_TORQUE
            ),
            value(
                "torque at .4 Hz, file less machine",
                LOW_GAP,
                one.torque_gap,
                "N m",
                "S",
                "603-611",
                near=0.01,
            ),
        ),
    )


def _fast(study: TorqueStudy) -> Finding:
    one = study.comparisons[10.0]
    texts = []
    largest = 0.0
    for frequency, other in study.comparisons.items():
        file, machine = other.magnitudes
        largest = max(largest, 100.0 * abs(file - machine))
        texts.append(f"{frequency:g} Hz {100 * file:.1f} against {100 * machine:.1f} %")
    return Finding(
        "At 10 Hz it has about .1 N m too much (S); positions are within 11 % (S).",
        f"Torque {one.torque_gap:+.3f} N m in its first harmonic, {100 * one.rms_gap:+.2g} % rms. Motor's "
        "angle in % of the "
        f"command: {'; '.join(texts)}.",
        "At this amplitude, which is the one that the .1 N m want. The 11 % are read as of the command; of "
        "the machine's own "
        "motion at 10 Hz the difference is "
        f"{100 * (one.magnitudes[0] / one.magnitudes[1] - 1):.0f} %. The paper's torque at 10 Hz is cut by a "
        "low-pass of "
        "the drive, which is not in the model.",
        (
            undecided(
                "torque at 10 Hz, file less machine",
                HIGH_GAP,
                one.torque_gap,
                "N m",
                "S",
                "603-611",
                because="the amplitude assumed is the one that this number wants",
            ),
            undecided(
                "position, largest deviation of the command",
                POSITION,
                largest,
                "%",
                "S",
                None,
                because="amplitude, and what the text's % are of, are lost",
            ),
        ),
    )
