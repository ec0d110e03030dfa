# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""When something changed at one instant, by the step response of the estimation band."""

from __future__ import annotations

import numpy as np

from pkm_identification.estimation.change_detection import ChangeFit, ChangeTest
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.sections import filtered

KEPT = 100  # equations
SETTLED = 0.005  # of a jump that may be left of the band's step response
BEFORE = 50  # equations before the onset, two seconds, in which a jump does not show
SHOWN_BEFORE = 0.1  # of a change: of jumps less than .02 showed before them, of drifts of forces .2 to .6
DEVIATIONS_BEFORE = 3.0  # of that share, which may show by chance besides
ONSET = 60  # equations in which the onset is looked for


class OnsetSearch:
    """Finds when a change happened.

    Parameters
    ----------
    band : BandSettings

    Attributes
    ----------
    settle : int
        Equations until the band has settled after a jump.
    """

    def __init__(self, band: BandSettings) -> None:
        self._jump = filtered(band.sections, np.ones(2 * band.settling))
        self._period, self._stride, self._settling = band.period, band.stride, band.settling
        late = np.nonzero(np.abs(self._jump - 1.0) > SETTLED)[0]
        self.settle = int(np.ceil((late[-1] + 1) / band.stride)) + 1 if late.size else 1

    def find(self, test: ChangeTest, fit: ChangeFit, suspected_at: float) -> tuple[float, float]:
        """Return when the change happened and its standard deviation, s, by the band's step response.

        That holds for columns that hardly change while the band settles: where the machine is jolted by its load, what
        the response leaves of the innovations widens the deviation.
        """
        times, rows = test.newest(ONSET)
        expected = rows[:, :, :-1] @ fit.change
        innovation = rows[:, :, -1]
        tried = suspected_at + np.arange(-1.0, 0.1, 2 * self._period)
        age = np.rint((times - tried[:, None]) / self._period).astype(np.int64)
        grown = np.where(age < 0, 0.0, self._jump[np.clip(age, 0, len(self._jump) - 1)])
        power, match = np.sum(expected**2, axis=1), np.sum(expected * innovation, axis=1)
        misfit = grown**2 @ power - 2.0 * grown @ match
        best = int(np.argmin(misfit))
        inner = min(max(best, 1), len(tried) - 2)
        slope = (grown[inner + 1] - grown[inner - 1]) / (tried[2] - tried[0])
        information = float(slope**2 @ power)
        if not information > 0.0:
            return float(tried[best]), np.inf
        # where the stream was interrupted, nothing tells when in between; what comes before is not yet the jump's
        lasting = self._settling * self._period
        holes = np.stack([times[:-1], times[1:] - lasting], axis=1)
        near = np.abs(tried[best] - holes.mean(axis=1)) <= 0.5 * (np.diff(times) - lasting) + 0.5 * lasting
        near &= np.diff(times) > lasting
        if near.any():
            begin, end = holes[near][-1]
            return float(0.5 * (begin + end)), float(end - begin) / np.sqrt(12.0)
        left = innovation - grown[best][:, None] * expected
        settling = (age[best] >= 0) & (age[best] < self.settle * self._stride)
        square = float(np.mean(left[settling] ** 2)) if settling.any() else 1.0
        return float(tried[best]), max(self._period, np.sqrt(max(1.0, square) / information))


def is_jump(test: ChangeTest, fit: ChangeFit, onset: float) -> bool:
    """Return whether a change came at one instant, `onset` in s: nothing of it shows before, as of a drift."""
    times, rows = test.newest(KEPT)
    earlier = rows[times < onset][-BEFORE:]
    expected = earlier[:, :, :-1] @ fit.change
    power = float(np.sum(expected**2))
    if power == 0.0:
        return True  # nothing is known of what was before
    share = float(np.sum(expected * earlier[:, :, -1])) / power
    return share < SHOWN_BEFORE + DEVIATIONS_BEFORE / np.sqrt(power)
