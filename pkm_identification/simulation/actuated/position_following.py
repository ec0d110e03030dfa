# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Moving a plant along wanted coordinates that come one by one: drives go there by themselves, or by a law."""

from __future__ import annotations

from functools import partial

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from ..setpoints import Reference
from .file_control import FileControl
from .plant import ActuatedPlant


class PositionFollowing:
    """Wanted coordinates for drives that take them, or for the law of a machine file.

    Where a reference does not know what comes later, it goes on as it came.

    Parameters
    ----------
    plant : ActuatedPlant
    law : FileControl or None
        That commands the drives together; None where each goes by itself.
    """

    def __init__(self, plant: ActuatedPlant, law: FileControl | None) -> None:
        self._plant, self._law = plant, law
        self._last: FloatArray | None = None
        self._rate: FloatArray | None = None

    @property
    def acts(self) -> bool:
        """Whether the plant is moved this way; else its drives take forces."""
        return self._law is not None or self._plant.takes_places

    def reset(self) -> None:
        """Forget what was wanted: the plant is at rest."""
        self._last = self._rate = None
        if self._law is not None:
            self._law.reset()

    def move(self, reference: Reference, duration: float) -> None:
        """Move on by `duration` s, from when the reference is where the drives should be.

        Raises
        ------
        SettingsError
            If the law's period does not go into the duration.
        MotionRefused, NotConverged
            If the mechanism leaves its reach.
        """
        wanted, later = reference.length, reference.later
        if later is not None:
            if self._law is None:
                self._plant.follow(wanted, later(duration)[0], duration)
            else:
                self._law.move(later, duration)
            return
        before = wanted if self._last is None else self._last
        if self._law is None:
            self._plant.follow(wanted, 2 * wanted - before, duration)
        else:
            rate = (wanted - before) / duration
            last = np.zeros_like(rate) if self._rate is None else self._rate
            self._law.move(partial(_advance_wanted, wanted, rate, (rate - last) / duration), duration)
            self._rate = rate
        self._last = wanted


def _advance_wanted(
    position: FloatArray, rate: FloatArray, curvature: FloatArray, time: float
) -> tuple[FloatArray, FloatArray]:
    """Wanted coordinates (n,) and rates of a moment after a sample."""
    return position + time * (rate + 0.5 * time * curvature), rate + time * curvature
