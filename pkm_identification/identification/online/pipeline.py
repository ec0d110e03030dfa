"""The stages in order: guard, filter and rate gate; kinematics; estimator.

Nodes hold one stage each, `OnlinePipeline` all three in one process; a causal run over a whole log
(`strut_stage.strut_motion`) is tested equal to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.estimation.change_detection import ChangeTest
from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.filters.uncertainty import EVERY
from pkm_identification.estimation.filters.unscented import UnscentedSettings
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.kinematics.tracker import PlatformSample
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.assumptions import Assumptions
from pkm_identification.signals.causal import FilterSettings
from pkm_identification.signals.guard import GuardSettings

from .estimator_stage import EstimatorStage
from .online_estimator import EstimatorSettings, OnlineEstimator
from .platform_stage import PlatformStage
from .strut_stage import StrutStage

WIDEST_CUTOFF = 150.0  # Hz
# Noise of the rates, in transition rates of the friction law, that does less harm than smoothing more would.
RATE_NOISE_SHARE = 0.2


@dataclass(frozen=True)
class PipelineSettings:
    """Settings of all stages; one sample period for all."""

    guard: GuardSettings
    filter: FilterSettings
    estimator: EstimatorSettings

    @classmethod
    def of(
        cls,
        machine: Machine,
        period: float | None = None,
        *,
        cutoff: float | None = None,
        order: int = 4,
        kind: str = "fir",
        parameters: str = "identifiable",
        estimator: str = "ukf",
        band_cutoff: float = 10.0,
        band_order: int = 8,
        assumptions: Assumptions | None = None,
        forgetting: float = 1.0,
        payload: bool = True,
        drift: str = "detected",
        friction_walk: float = 0.0,
    ) -> PipelineSettings:
        """Settings for a machine; the period is its drive's and the cutoff `kinematic_cutoff` unless given.

        Raises
        ------
        LogError
            If the sample period is unknown.
        ValueError
            If a filter is impossible at that period.
        """
        guard = GuardSettings.of(machine, period)
        cutoff = cutoff or kinematic_cutoff(machine, guard.period)
        return cls(
            guard,
            FilterSettings(guard.period, cutoff, order, kind),
            EstimatorSettings(
                guard.period,
                parameters,
                estimator,
                band_cutoff,
                band_order,
                UnscentedSettings(forgetting=forgetting),
                assumptions=assumptions or Assumptions(),
                payload=payload,
                drift=drift,
                friction_walk=friction_walk,
                kinematic_cutoff=cutoff,
            ),
        )


def kinematic_cutoff(machine: Machine, period: float) -> float:
    """Cutoff in Hz of the kinematic low-pass that suits a machine's encoders.

    As wide as possible, because smoothing rounds the bend of the friction law; but noise on the rates rounds
    it too. White rounding noise of one count q has the rate q / sqrt(12) 2 pi f sqrt(2 f T / 3) behind a
    low-pass at f.

    Parameters
    ----------
    machine : Machine
    period : float
        Sample period in s.
    """
    widest = min(WIDEST_CUTOFF, 0.3 / period)
    if machine.drive is None:
        return widest
    rounding = 1.0 / (np.sqrt(12.0) * machine.drive.counts_per_meter)
    allowed = RATE_NOISE_SHARE * machine.friction.transition_rate
    quiet = (allowed / (2 * np.pi * rounding * np.sqrt(2.0 * period / 3.0))) ** (2 / 3)
    return float(min(widest, max(quiet, 0.2 * widest)))


class OnlinePipeline:
    """Strut samples in, parameter estimates out, one at a time, through the three stages.

    Attributes
    ----------
    strut_stage : StrutStage
    platform_stage : PlatformStage
    estimator_stage : EstimatorStage
    platform : PlatformSample or None
        The latest.
    """

    def __init__(self, machine: Machine, settings: PipelineSettings | None = None) -> None:
        self.machine = machine
        self.settings = settings or PipelineSettings.of(machine)
        self.strut_stage = StrutStage(self.settings.guard, self.settings.filter)
        self.platform_stage = PlatformStage(machine)
        self.estimator_stage = EstimatorStage(OnlineEstimator(machine, self.settings.estimator))
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
        length = strut_lengths(
            self.machine, self.machine.home_position[None], self.machine.home_rotation[None]
        )[0]
        period = self.settings.guard.period
        band = self.settings.estimator.band
        needed = round(self.delay / period) * 2 + band.settling + (EVERY + 1) * band.stride
        for k in range(needed):
            self.step(k * period, length, np.zeros(6))
        # what only later samples lead to: a first estimate, and a look at whether something has changed
        _ = self.estimate
        ChangeTest(1, 1, (1,), 1).gains()
        self.reset()
