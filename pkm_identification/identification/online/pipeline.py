"""The stages in order: guard, filter, kinematics, estimator. Nodes and offline runs use these same objects."""

from __future__ import annotations

import numpy as np

from pkm_identification.estimation.change_detection import ChangeTest
from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.filters.uncertainty import EVERY
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.kinematics.tracker import PlatformSample, PlatformTracker
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.causal import CausalStrutFilter
from pkm_identification.signals.guard import StreamGuard

from ..settings import Settings
from .online_estimator import OnlineEstimator


class OnlinePipeline:
    """Strut samples in, parameter estimates out, one at a time.

    Parameters
    ----------
    machine : Machine
    settings : Settings, optional
        Resolved for the machine (`Settings.resolved`).

    Raises
    ------
    SettingsError
        If the settings name an estimator that is not recursive.
    """

    def __init__(self, machine: Machine, settings: Settings | None = None) -> None:
        self.machine = machine
        self.settings = settings or Settings().resolved(machine)
        self.guard = StreamGuard(self.settings.guard)
        self.filter = CausalStrutFilter(self.settings.filter)
        self.tracker = PlatformTracker(machine)
        self.estimator = OnlineEstimator(machine, self.settings)
        self.platform: PlatformSample | None = None

    @property
    def estimate(self) -> ParameterEstimate:
        """Latest estimate, or the prior; worked out when asked for."""
        return self.estimator.estimate

    def step(self, time: float, length: FloatArray, force: FloatArray | None) -> bool:
        """Take one sample of the drives.

        Parameters
        ----------
        time : float
            The sample's stamp in s.
        length, force : ndarray, shape (6,)
            m and N; the force may be None.

        Returns
        -------
        bool
            Whether it completes an equation, so that there is a new `estimate`.
        """
        learned = False
        for sample in self.guard.step(time, length, force):
            filtered = self.filter.step(sample)
            if filtered is None:
                continue
            self.platform = self.tracker.step(filtered)
            learned |= self.estimator.step(self.platform)
        return learned

    def reset(self) -> None:
        """Forget everything: afterwards the pipeline is as newly made."""
        self.guard.reset()
        self.filter.reset()
        self.tracker.reset()
        self.estimator.reset()
        self.platform = None

    def warm_up(self) -> None:
        """Compile (or load from the cache) every kernel of the online path, then forget the samples used for it."""
        length = strut_lengths(
            self.machine, self.machine.home_position[None], self.machine.home_rotation[None]
        )[0]
        period = self.settings.guard.period
        band = self.settings.band
        needed = round(self.filter.delay / period) * 2 + band.settling + (EVERY + 1) * band.stride
        for k in range(needed):
            self.step(k * period, length, np.zeros(6))
        # what only later samples lead to: a first estimate, and a look at whether something has changed
        _ = self.estimate
        ChangeTest(1, 1, (1,), 1).gains()
        self.reset()
