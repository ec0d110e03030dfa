# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Coefficients of hypotheses as what they mean to a person."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from ...diagnosis.findings import Cause
from .candidates import Choice

DIFFERS = 3.0  # standard deviations from zero, for a member of a group to be named
UNLIKE = 0.1  # of what all have: less is no difference to a person
FEW = 3  # components of a vector that has a length; of more, the rms says more


def causes_of(
    choice: Choice,
    coefficients: FloatArray,
    covariance: FloatArray,
    *,
    evidence: float,
    explains: float,
    effect: float,
) -> list[Cause]:
    """Return a choice as one cause, or as one for each member of a group that differs from zero, the surest first.

    Parameters
    ----------
    choice : Choice
    coefficients, covariance : ndarray, shapes (q,) and (q, q)
        As estimated, in the units of the choice's columns.
    evidence, explains, effect
        As of `Cause`.
    """
    kind = choice.effect
    std = np.sqrt(np.diag(covariance))

    def cause(name: str, value: float, deviation: float, unit: str = kind.unit, asked: str = "") -> Cause:
        if kind.reading is not None:
            value, deviation = kind.reading(value, deviation)
        cure = kind.cure_of_one if kind.cure_of_one and name in kind.members and not asked else kind.cure
        return Cause(
            name,
            kind.offset + value,
            deviation,
            unit,
            explains,
            cure.replace("{name}", asked or name),
            kind.family,
            evidence,
            effect,
        )

    if choice.whole and kind.common and len(std) > 1:
        # all drives have it: their weighted mean, unless they surely have it of different sizes
        weights = np.linalg.solve(covariance, np.ones(len(std)))
        mean = float(weights @ coefficients / weights.sum())
        off = np.abs(coefficients - mean)
        if not np.any((off > DIFFERS * std) & (off > UNLIKE * abs(mean))):
            return [cause(kind.common, mean, float(weights.sum() ** -0.5))]
    if kind.members and not choice.together:
        sure = np.abs(coefficients) / std
        places = [int(k) for k in np.argsort(-sure) if sure[k] > DIFFERS] or [int(np.argmax(sure))]
        every = len(places) == len(kind.members) > 1  # all of them are estimated by the name of the kind
        return [
            cause(
                kind.members[int(choice.members[k])],
                float(coefficients[k]),
                float(std[k]),
                kind.unit_of(int(choice.members[k])),
                kind.name if every else "",
            )
            for k in places
        ]
    if len(std) == 1:
        return [cause(choice.name, float(coefficients[0]), float(std[0]))]
    size = float(np.linalg.norm(coefficients))
    along = coefficients / max(size, 1e-300)
    share = 1.0 if len(std) <= FEW else len(std) ** -0.5
    return [cause(choice.name, share * size, share * float(np.sqrt(along @ covariance @ along)))]
