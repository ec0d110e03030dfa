# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""pkm identifiability of a mechanism that is no hexapod: its base parameters, before the experiment or of its logs."""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from pkm_identification.identification.excitation.advice import ADVISED, RELATIVE, advice
from pkm_identification.identification.excitation.mechanism import BASE, MechanismSubject
from pkm_identification.identification.excitation.mechanism_log import read_mechanism_log
from pkm_identification.identification.excitation.shown import shown
from pkm_identification.identification.excitation.subject import PERIOD, Response
from pkm_identification.identification.procedures.mechanism_forecast import (
    forecast_of_logs,
    mechanism_forecast,
)
from pkm_identification.identification.saved_estimate import stated_deviations
from pkm_identification.machines.multibody import Multibody
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.parameters.reduced import ENDING
from pkm_identification.report.identifiability.forecast import forecast_document, forecast_text
from pkm_identification.report.identifiability.reduced import reduced_document, reduced_text
from pkm_identification.simulation.multibody.motions import DriveMotion, generated

from .arguments import reading
from .identifiability_results import NOISE, force_noise, write_reduced, write_shown
from .results import present


def identifiability_of_mechanism(options: argparse.Namespace) -> int:
    """Base parameters of a mechanism, before the experiment or of its logs."""
    mechanism = Mechanism.load(options.machine)
    stated = None if options.estimate is None else stated_deviations(options.estimate, Multibody(mechanism))
    motions: list[DriveMotion] = []
    if options.logs:
        subject = _subject(mechanism, options.parameters)
        how = reading(options, Multibody(mechanism).drives)
        logs = [read_mechanism_log(path, subject, **how) for path in options.logs]
        expected = forecast_of_logs(subject, logs)
        responses = [one.response for one in logs]
        source, noise = ", ".join(options.logs), "noise learned"
        relative = float(np.mean([np.mean(one.noise / one.response.rms) for one in logs]))
    else:
        size, absolute = force_noise(options.noise or NOISE)
        motions = [generated(name, mechanism, options.duration) for name in options.trajectory]
        subject = _subject(mechanism, options.parameters)
        expected = mechanism_forecast(subject, motions, size, absolute)
        parts = [_of_motion(subject, one, 1.0) for one in motions]
        responses = [part for part in parts if part is not None]
        source, noise = ", ".join(options.trajectory), f"noise {options.noise or NOISE}"
        relative = size if not absolute else RELATIVE
    known = np.concatenate([part.rows for part in responses])
    advised = advice(subject, known, PERIOD * sum(len(part.force) for part in responses), relative)
    text = forecast_text(expected, mechanism.name, source, noise, advised)
    document = forecast_document(expected, mechanism.name, source, noise, advised)
    if options.drop_below is not None:
        less = write_reduced(options, subject, expected.parameters, BASE, responses, source)
        text += "\n\n" + reduced_text(less)
        document["reduced"] = reduced_document(less)
    if options.out is not None:
        scale = expected.parameters.scale
        seen = shown(
            responses,
            subject.kinds,
            None if not motions else lambda part: [_of_motion(subject, one, part) for one in motions],
        )
        write_shown(options.out, expected, seen, document, f"{mechanism.name}, {source}", scale, stated)
    present(text, document, options.json)
    return 0


def _subject(mechanism: Mechanism, parameters: str) -> MechanismSubject:
    """With all base parameters, or with those of a reduced set."""
    subject = MechanismSubject.of(mechanism, ADVISED)
    return subject.reduced(parameters) if parameters.endswith(ENDING) else subject


def _of_motion(subject: MechanismSubject, motion: DriveMotion, size: float) -> Response | None:
    """What a mechanism does in a motion with amplitudes times `size`, every PERIOD."""
    smaller = replace(motion, signal=motion.signal.scaled(size))
    return subject.of_drives(smaller.drives(np.arange(0.0, motion.duration, PERIOD)))
