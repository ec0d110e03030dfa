# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""True forces from measured ones, where a machine file says how they differ: late, scaled, shifted.

measured(t) = gain true(t - delay) + offset, hence true(t) = (measured(t + delay) - offset) / gain. On the regular clock
behind input validation a delay is a whole number of samples and a rest; the rest is interpolated by a cubic through
four samples. Samples at the ends of a segment for which no force was measured in time are left out
(`signals.forces.correction`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.mechanisms.hexapod.drive import KnownForces
from pkm_identification.numerics.arrays import FloatArray

from ..input_validation import ValidatedLog
from .correction import corrected_log

WHOLE = 1e-6  # of a period: a delay this near to whole samples is whole
FOLLOWED = (
    0.01  # of a period: by less, a delay in samples is not made another; it would cost two samples of delay
)


@dataclass(frozen=True)
class ForceAlignment:
    """What makes true forces of measured ones at one sample period.

    Attributes
    ----------
    gain, offset : ndarray, shape (6,)
        Measured over true, and N.
    first : int
        The first sample a force is made of, relative to the sample it belongs to.
    weights : ndarray, shape (n,)
        Of the samples from there on.
    known : KnownForces
    period : float
        s.
    """

    gain: FloatArray
    offset: FloatArray
    first: int
    weights: FloatArray
    known: KnownForces
    period: float

    @classmethod
    def of(cls, known: KnownForces, period: float) -> ForceAlignment:
        """For a sample period in s."""
        late = known.delay / period
        whole = round(late)
        if abs(late - whole) < WHOLE:
            first, weights = whole, np.ones(1)
        else:
            before = int(np.floor(late))
            u = late - before
            first = before - 1
            weights = np.array(
                [
                    -u * (u - 1) * (u - 2) / 6,
                    (u + 1) * (u - 1) * (u - 2) / 2,
                    -(u + 1) * u * (u - 2) / 2,
                    (u + 1) * u * (u - 1) / 6,
                ]
            )
        return cls(np.array(known.gain), np.array(known.offset), first, weights, known, period)

    def at(self, period: float) -> ForceAlignment:
        """See `signals.forces.correction.Correction`."""
        moved = self.known.delay / period - self.known.delay / self.period
        return self if abs(moved) < FOLLOWED else ForceAlignment.of(self.known, period)

    @property
    def last(self) -> int:
        """The last sample a force is made of, relative to the sample it belongs to."""
        return self.first + len(self.weights) - 1

    def true(self, measured: FloatArray) -> FloatArray:
        """Return forces (..., 6) in N without gain and offset."""
        return (measured - self.offset) / self.gain

    @property
    def before(self) -> int:
        """Samples needed before the one a force belongs to."""
        return max(0, -self.first)

    @property
    def after(self) -> int:
        """Samples needed behind it."""
        return max(0, self.last)

    @property
    def force_weights(self) -> FloatArray:
        """See `signals.forces.correction.Correction`."""
        return self.weights[:, None] / self.gain

    def correct(self, length: FloatArray, force: FloatArray) -> tuple[FloatArray, FloatArray]:
        """See `signals.forces.correction.Correction`; lengths stay as they are."""
        chosen = np.arange(self.before, len(length) - self.after)
        places = chosen[:, None] + np.arange(self.first, self.last + 1)
        return length[chosen], self.true(np.einsum("w,nws->ns", self.weights, force[places]))


def correct_known_forces(log: ValidatedLog, known: KnownForces | None) -> ValidatedLog:
    """Return a validated log with true forces; the log itself where nothing is known."""
    return log if known is None else corrected_log(log, ForceAlignment.of(known, log.period))
