# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What motions or logs show direction by direction, and how that grows with time and with amplitude."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.estimation.identifiability.directions import (
    Growth,
    SingularDirections,
    growth,
    singular_directions,
)
from pkm_identification.parameters.parameter import Kind

from .subject import PERIOD, Response

AMPLITUDES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
_INSTANTS = 24


@dataclass(frozen=True)
class Shown:
    """What a set of parameters shows.

    Attributes
    ----------
    directions : SingularDirections
    by_time : Growth
        With the first so many seconds.
    by_amplitude : Growth or None
        With motions made smaller; None of logs, which are as they are.
    """

    directions: SingularDirections
    by_time: Growth
    by_amplitude: Growth | None


def decompose_motion(
    responses: Sequence[Response],
    kinds: Sequence[Kind],
    smaller: Callable[[float], Sequence[Response | None]] | None = None,
) -> Shown:
    """Decompose what a machine did, every PERIOD, each drive's rows over its rms force.

    Parameters
    ----------
    responses : sequence of Response
        Of all motions or logs, one after the other.
    kinds : sequence of Kind, length P
        Of the parameters.
    smaller : callable, optional
        The responses to the same motions with amplitudes times a number; None where the machine cannot do one.
    """
    rows = np.concatenate([one.rows for one in responses])
    directions = singular_directions(rows, kinds)
    drives = responses[0].force.shape[1]
    samples = len(rows) // drives
    # early instants decide more than late ones
    counts = np.unique(np.geomspace(min(10, samples), samples, _INSTANTS).round().astype(int))
    sizes, rank = directions.sizes, directions.rank
    by_time = growth([rows[: drives * count] for count in counts], counts * PERIOD, sizes, rank)
    if smaller is None:
        return Shown(directions, by_time, None)
    parts, steps = [], []
    for amplitude in AMPLITUDES:
        scaled = [one for one in smaller(amplitude) if one is not None]
        if len(scaled) == len(responses):
            # the noise stays that of the whole motion
            weighed = [
                (one.columns / whole.rms[:, None]).reshape(-1, len(sizes))
                for one, whole in zip(scaled, responses, strict=True)
            ]
            parts.append(np.concatenate(weighed))
            steps.append(amplitude)
    return Shown(directions, by_time, growth(parts, np.array(steps), sizes, rank))
