# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A run, its log, the true machine and the file, to be spoilt by a fault."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.machines.load import read_machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray

from ..field.drawn_machines import Document
from .run import Run

FORCE = 0.05  # of the rms force: what additional forces are


@dataclass(frozen=True)
class Trial:
    """A run and its file, to be spoilt.

    Attributes
    ----------
    run : Run
    file, truth : dict
        Documents.
    share : float
        Of the strong size: .5 to 1.
    drive : int
        Where one drive alone is spoilt.
    """

    run: Run
    file: Document
    truth: Document
    share: float
    drive: int
    log: DriveLog | None = None

    @property
    def random(self) -> np.random.Generator:
        return self.run.random

    @property
    def count(self) -> int:
        return self.run.added.shape[1]

    def measure(self) -> DriveLog:
        """Return the log as it is so far."""
        return self.log or self.run.measure()

    def measured_force(self) -> FloatArray:
        """Return the forces (N, n) of the log as it is so far."""
        force = self.measure().force
        assert force is not None
        return force

    def with_log(
        self,
        *,
        time: FloatArray | None = None,
        coordinate: FloatArray | None = None,
        force: FloatArray | None = None,
    ) -> Trial:
        """Return the trial whose log has other columns; those that are not given stay."""
        log = self.measure()
        changed = replace(
            log,
            time=log.time if time is None else time,
            coordinate=log.coordinate if coordinate is None else coordinate,
            force=log.force if force is None else force,
        )
        return replace(self, log=changed)

    def with_added(self, shape: FloatArray, size: float = FORCE) -> Trial:
        """Return the trial with a force (N, n) of a shape, made `size` times `share` of the force."""
        size *= self.share * float(np.sqrt(np.mean(self.run.size**2)))
        return replace(self, run=self.run.with_force(shape * (size / float(np.sqrt(np.mean(shape**2))))))

    def with_truth(self, document: Document) -> Trial:
        """Return the trial of another true machine in the same motion of the drives."""
        return replace(self, truth=document, run=self.run.with_machine(read_machine(document)))

    def unit(self) -> FloatArray:
        """Return 1 of the one drive, (n,)."""
        return np.eye(self.count)[self.drive]

    def signs(self) -> FloatArray:
        """Return 1 or -1 of each drive, (n,), not all alike."""
        signs = self.random.choice([-1.0, 1.0], self.count)
        return signs * np.where(np.arange(self.count) == 0, -np.sign(signs[-1]) * signs[0], 1.0)
