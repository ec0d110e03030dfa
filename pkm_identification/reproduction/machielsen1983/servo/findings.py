# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The source's identification, steps and sensitivities of the servo beside ours, each verdict computed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from pkm_identification.reproduction.finding import Finding
from pkm_identification.reproduction.number import beyond, series, statement, undecided, value

from ..actuators import LEAK, SENSOR_DELAY, VALVE_DAMPING, VALVE_DELAY, VISCOUS
from .data import (
    DELAYS,
    OIL_OF_LOADS,
    ORDER,
    RANKING,
    REDUCED_ORDER,
    SENSITIVITIES,
    STEP,
    STEPS,
    VALVE_FREQUENCY,
)
from .runs import ServoStudy, in_print_units

PEAK_NEAR, PERIOD_NEAR = 0.5, 0.7  # ms: the print resolves .5 ms
REGRESSION_NEAR = 0.02  # relative
GAIN_NEAR = 0.05  # points/%: the printed overshoots are whole points, 20 % apart
SIZE = "the step's size decides it, and the text's is lost"


def findings(study: ServoStudy) -> tuple[Finding, ...]:
    """Finding by finding."""
    return (
        _delays(study),
        _oil(study),
        _steps(study),
        _output(study),
        _sensitivities(study),
        _misprints(study),
        _order(study),
    )


def _delays(study: ServoStudy) -> Finding:
    ours = study.identified
    return Finding(
        "Sensor t_m = .658 ms from -45.7 degrees at 193 Hz; valve beta .38, f0 229.65 Hz, t_e = 1.629 ms "
        "from a peak of 3 dB "
        "and its phase (S, P).",
        f"t_m {1e3 * ours.sensor_delay:.4f} ms, beta {ours.valve_damping:.3f}, f0 {ours.valve_frequency:.1f} Hz, t_e "
        f"{1e3 * ours.valve_delay:.3f} ms.",
        "Our copy reads 169 and 240 Hz and -290 degrees; only 193 Hz, 229.65 Hz and -279 degrees go with "
        "each other and with "
        "the result.",
        (
            value("t_m", 1e3 * SENSOR_DELAY, 1e3 * ours.sensor_delay, "ms", "S", None, near=5e-4),
            value("valve, damping ratio", VALVE_DAMPING, ours.valve_damping, "", "P", None, near=5e-3),
            value(
                "valve, natural frequency", VALVE_FREQUENCY, ours.valve_frequency, "Hz", "P", None, near=1.5
            ),
            value("t_e", 1e3 * VALVE_DELAY, 1e3 * ours.valve_delay, "ms", "P", None, near=0.02),
        ),
    )


def _oil(study: ServoStudy) -> Finding:
    ours = study.identified
    return Finding(
        "Oil compliance from the modes with five loads 1.47, 1.26, 1.25, 1.18, 1.08e-6 m/N; hydraulic "
        "compliance 7.46e-5 "
        "m/(N s) and friction 501 N s/m by regression of the damping (S).",
        f"c_o {', '.join(f'{1e6 * one:.3f}' for one in ours.oil)}e-6 m/N; {ours.leak:.3g} m/(N s), "
        f"{ours.viscous:.0f} N s/m.",
        "Regression with c_o = 1.25e-6 m/N as printed. Both unknowns only damp, and differently with load: "
        "five loads tell "
        "them apart by little. For its simulation the source lowers c_o to 1.0e-6.",
        (
            series("c_o of five loads", OIL_OF_LOADS, 1e6 * ours.oil, "1e-6 m/N", "S", None, near=0.015),
            value("1/c_h by regression", LEAK, ours.leak, "m/(N s)", "S", None, near=REGRESSION_NEAR * LEAK),
            value(
                "B by regression", VISCOUS, ours.viscous, "N s/m", "S", None, near=REGRESSION_NEAR * VISCOUS
            ),
        ),
    )


def _steps(study: ServoStudy) -> Finding:
    rows = np.array([in_print_units(one.metrics) for one in study.steps])
    printed = np.array([entry[2:] for entry in STEPS])
    listed = "; ".join(
        f"{load:g} kg {'out' if out else 'in'} {peak:.1f} ms, {period:.1f} ms, {over:.1f} %"
        for (load, out, *_), (peak, period, over) in zip(STEPS, rows, strict=True)
    )
    return Finding(
        "Steps of the set-up, simulated: 12.5 ms, 11.5 ms, 18 %; 13, 12, 6; 14.5, 16, 40; 15, 15.5, 18 for "
        "2.7 kg out and in, "
        "5.1 kg out and in (S).",
        f"{listed}.",
        f"Size {STEP:g} V of the setpoint: ours, the text's is lost; it moves the first peak by .1 ms and "
        "decides overshoot, "
        "which is thus not judged, period less so. Overshoot is over the mean of one period after the "
        "peak: the text "
        "does not say over what, and with the dead zone's creep only so do pistons going in agree. Output is the "
        "measuring circuit's.",
        (
            *(
                series(
                    f"steps, {name} of four",
                    tuple(float(x) for x in printed[:, k]),
                    rows[:, k],
                    "ms",
                    "S",
                    "4143-4356",
                    near=near,
                )
                for k, (name, near) in enumerate((("first peak", PEAK_NEAR), ("period", PERIOD_NEAR)))
            ),
            undecided(
                "steps, overshoot of four",
                " ".join(f"{one:g}" for one in printed[:, 2]),
                " ".join(f"{one:.3g}" for one in rows[:, 2]),
                "%",
                "S",
                "4143-4356",
                because=SIZE,
            ),
        ),
    )


def _output(study: ServoStudy) -> Finding:
    later = 1e3 * (study.full.metrics.first_peak - study.full.of_place.first_peak)
    return Finding(
        "The response shown is the measuring circuit's output (S: l.4143, 4218, 4356).",
        f"At 5.1 kg the piston peaks at {1e3 * study.full.of_place.first_peak:.2f} ms, V_me {later:.3f} ms later.",
        "The output is late by t_m.",
        (beyond("V_me's first peak after the piston's", later, "ms"),),
    )


def _sensitivities(study: ServoStudy) -> Finding:
    signs, rows = [], []
    for name, (_, *_, sensitivities) in SENSITIVITIES.items():
        ours = study.sensitivity(name)
        for printed, own in zip(sensitivities, ours, strict=True):
            if printed != 0.0:
                signs.append(printed * own > 0.0)
        rows.append(f"{name} {ours[2]:+.2f}")
    errors = overshoot_errors(study)
    strength = [abs(study.sensitivity(name)[2]) for name in RANKING]
    return Finding(
        "Sensitivities of first peak, period and overshoot to nine parameters, 10 or 25 % up and down (S): "
        "strong to loop "
        "gain, mass, oil compliance.",
        f"Overshoot in points per %: {', '.join(rows)}. Over all 27 runs overshoot is off the print by "
        f"{np.sqrt(np.mean(errors**2)):.2f} points rms.",
        "Each run from its own rest. Printed times are to .5 ms, so that their small sensitivities are one step of the "
        "print.",
        (
            statement("sensitivities: sign of each that is not zero", "table 8.1", signs, "S", None),
            statement(
                "sensitivities of overshoot: loop gain > M > c_o > t_e > w_v",
                "in this order",
                [a > b for a, b in pairwise(strength)],
                "S",
                None,
            ),
            undecided(
                "overshoot of the 27 runs, off the print, rms",
                "table 8.1",
                float(np.sqrt(np.mean(errors**2))),
                "points",
                "S",
                None,
                because=SIZE,
            ),
        ),
    )


def overshoot_errors(study: ServoStudy) -> np.ndarray:
    """Ours less printed, points, all 27 runs."""
    return np.array(
        [
            100.0 * one.overshoot - printed
            for name, (_, _, _, overshoot, _) in SENSITIVITIES.items()
            for one, printed in zip(study.varied[name], overshoot, strict=True)
        ]
    )


def _misprints(study: ServoStudy) -> Finding:
    gain = study.sensitivity("open-loop gain")[2]
    peaks = [1e3 * one.first_peak for one in study.varied["beta_v"]]
    return Finding(
        "Overshoot to loop gain .54 points per %; beta_v has first peaks 14.0, 14.5, 15.5 ms (printed).",
        f"{gain:.2f} points per %; {', '.join(f'{one:.1f}' for one in peaks)} ms.",
        ".54 is 27 points over 50 %, but the gain was varied by 10 % each way: 27 over 20 is 1.35. The peaks "
        "of beta_v are "
        "those of t_e's row and its overshoots those of t_m's: most likely copied.",
        (
            undecided(
                "sensitivity of overshoot to loop gain as printed",
                0.54,
                gain,
                "points/%",
                "S",
                None,
                because="divided by the variation of the other rows",
            ),
            value("the same over the variation made", 1.35, gain, "points/%", "R", None, near=GAIN_NEAR),
            undecided(
                "first peaks under beta_v",
                "14 14.5 15.5",
                " ".join(f"{one:.1f}" for one in peaks),
                "ms",
                "S",
                None,
                because="most likely another row's",
            ),
        ),
    )


def _order(study: ServoStudy) -> Finding:
    full, small = study.full, study.reduced
    off = 100.0 * float(np.abs(full.measured - small.measured).max()) / STEP
    peak, period, overshoot = in_print_units(small.metrics)
    _, _, later = in_print_units(study.reduced_later.metrics)
    return Finding(
        "The robot is of order 25 with nine delays and can be reduced to order 15 (S).",
        f"Order {study.order} with {study.delays} delays, {study.reduced_order} with each valve as one delay "
        "of t_e + 2 "
        f"beta_v / w_v. Then first peak {peak:.1f} ms, period {period:.1f} ms, overshoot {overshoot:.1f} %; "
        "the step is off "
        f"by {off:.1f} % at most.",
        "Five actuators of three states, or of one, and five joints of two. The source gives neither the reduced "
        "model's delay nor a run of it. Its overshoot hangs on that delay: one small step of 20 us more make "
        f"{later:.1f} %.",
        (
            value("order", float(ORDER), float(study.order), "", "S", None, near=0.0),
            value("delays", float(DELAYS), float(study.delays), "", "S", None, near=0.0),
            value(
                "order, reduced", float(REDUCED_ORDER), float(study.reduced_order), "", "S", None, near=0.0
            ),
            beyond("reduced: largest distance of the step", off, "% of the step"),
            beyond(
                "reduced: first peak, period, overshoot",
                f"{peak:.1f} ms, {period:.1f} ms, {overshoot:.1f} %",
                "",
            ),
        ),
    )
