# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The stages in order: guard, filter and rate gate; kinematics; estimator.

Nodes hold one stage each, `OnlinePipeline` all three in one process; a causal run over a whole log
(`signals.causal.filter_log_causally`) is tested equal to it.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.estimation.change_detection import ChangeTest
from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.filters.uncertainty import EVERY
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.kinematics.tracker import PlatformSample
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray

from ..equations.rest import RestLimits
from ..settings import Settings
from .estimator_stage import EstimatorStage
from .judgement.stream_noise import FEWEST
from .online_estimator import OnlineEstimator
from .platform_stage import PlatformStage
from .strut_stage import StrutStage, by_model

MOVING = 5.0  # times what a machine at rest does


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
        self.strut_stage = StrutStage(self.settings.guard, self.settings.filter, by_model(machine))
        self.platform_stage = PlatformStage(machine)
        self.estimator_stage = EstimatorStage(OnlineEstimator(machine, self.settings))
        self.platform: PlatformSample | None = None

    @property
    def estimator(self) -> OnlineEstimator:
        """The estimator of the last stage."""
        return self.estimator_stage.estimator

    @property
    def estimate(self) -> ParameterEstimate:
        """Latest estimate, or the prior; worked out when asked for."""
        return self.estimator.estimate

    @property
    def delay(self) -> float:
        """Constant delay of the strut filter in s."""
        return self.strut_stage.delay

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
        for filtered in self.strut_stage.step(time, length, force):
            platform = self.platform_stage.step(filtered)
            if platform is not None:
                self.platform = platform
                learned |= self.estimator_stage.step(platform)
        return learned

    def reset(self) -> None:
        """Forget everything: afterwards the pipeline is as newly made."""
        self.strut_stage.reset()
        self.platform_stage.reset()
        self.estimator_stage.reset()
        self.platform = None

    def warm_up(self) -> None:
        """Compile (or load from the cache) every kernel of the online path, then forget the samples used for it."""
        self.strut_stage.warm_up(self.machine)
        length = strut_lengths(
            self.machine, self.machine.home_position[None], self.machine.home_rotation[None]
        )[0]
        period = self.settings.guard.period
        band = self.settings.band
        needed = round(self.delay / period) * 2 + band.settling + max((EVERY + 1) * band.stride, FEWEST)
        # a machine at rest learns nothing: struts swing, further and faster than that
        turn = 2.0 * np.pi / (0.5 * band.settling * period)
        rest = RestLimits.of(self.machine, self.estimator.parameters)
        swing = 0.0 if rest is None else MOVING * max(rest.rate / turn, rest.range)
        for k in range(needed):
            self.step(k * period, length + swing * np.sin(turn * k * period), np.zeros(6))
        # what only later samples lead to: a first estimate, a judgement, and a look at whether something has changed
        _ = self.estimate
        self.estimator.fit_watch.warm_up()
        ChangeTest(1, 1, (1,), 1).gains()
        self.reset()
