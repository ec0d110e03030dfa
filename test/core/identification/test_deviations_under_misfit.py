# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Stated deviations are what estimates scatter by, also where a disturbance is in the forces that nothing explains.

Logs and seeds are those of `benchmarks.field.answers`: 2 % of the rms force below 8 Hz and .1 % white noise.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.field.answers import WANTED, hexapod_spread, mechanism_spread

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unjudged")]


def test_deviations_of_mast_are_the_spread_of_12_disturbed_logs():
    spread = mechanism_spread("mast", 12)
    assert len(spread.ratio) >= 10
    assert WANTED[0] < spread.median < WANTED[1]
    # of 12 logs a spread is known to 21 %; each value within twice what is asked of the median
    assert np.all((spread.ratio > 0.5 * WANTED[0]) & (spread.ratio < 2.0 * WANTED[1]))
    assert spread.error < 1.5


def test_deviations_of_uf_are_the_spread_of_10_disturbed_logs():
    spread = hexapod_spread("uf", 10)
    assert len(spread.ratio) >= 10
    assert WANTED[0] < spread.median < WANTED[1]
