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

import numpy as np

from pkm_identification.identification.excitation.advice import ADVISED, RELATIVE, advice
from pkm_identification.identification.excitation.log import read_log_response
from pkm_identification.identification.excitation.shown import shown
from pkm_identification.identification.excitation.subject import PERIOD, Subject
from pkm_identification.identification.procedures.white_noise_forecast import forecast_logs, forecast_motions
from pkm_identification.identification.saved_estimate import stated_deviations
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.load import wrap_description
from pkm_identification.mechanisms.multibody.base_set import BASE
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.report.identifiability.forecast import forecast_document, forecast_text
from pkm_identification.report.identifiability.reduced import reduced_document, reduced_text
from pkm_identification.simulation.multibody.motions import DriveMotion, generated

from .arguments import reading
from .identifiability_results import NOISE, force_noise, write_reduced, write_shown
from .results import present


def identifiability_of_mechanism(options: argparse.Namespace) -> int:
    """Base parameters of a mechanism, before the experiment or of its logs."""
    mechanism = Mechanism.load(options.machine)
    machine = wrap_description(mechanism)
    stated = None if options.estimate is None else stated_deviations(options.estimate, machine)
    motions: list[DriveMotion] = []
    if options.logs:
        subject = _build_subject(machine, options.parameters)
        how = reading(options, machine.drives)
        logs = [read_log_response(path, subject, **how) for path in options.logs]
        expected = forecast_logs(subject, logs)
        responses = [one.response for one in logs]
        source, noise = ", ".join(options.logs), "noise learned"
        relative = float(np.mean([np.mean(one.noise / one.response.rms) for one in logs]))
    else:
        size, absolute = force_noise(options.noise or NOISE)
        motions = [generated(name, mechanism, options.duration) for name in options.trajectory]
        subject = _build_subject(machine, options.parameters)
        expected = forecast_motions(subject, motions, size, absolute)
        parts = [subject.along(one) for one in motions]
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
            None if not motions else lambda part: [subject.along(one, part) for one in motions],
        )
        write_shown(options.out, expected, seen, document, f"{mechanism.name}, {source}", scale, stated)
    present(text, document, options.json)
    return 0


def _build_subject(machine: Machine, parameters: str) -> Subject:
    """With all base parameters and the drives' friction, or with those of a reduced set."""
    settings = Settings.of(estimator="ls", parameters=parameters, hold_out=0.0)
    return Subject.of(machine, settings.parameter_set(machine), ADVISED)
