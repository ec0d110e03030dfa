"""The online estimator: platform samples in, parameter estimates out."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.filters.recursive import FILTERS, RecursiveEstimator
from pkm_identification.estimation.filters.unscented import UnscentedSettings
from pkm_identification.mechanisms.hexapod.dynamics.basis import PLATFORM_COLUMNS, friction_columns
from pkm_identification.mechanisms.hexapod.kinematics.forward import OK
from pkm_identification.mechanisms.hexapod.kinematics.tracker import PlatformSample
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.builder import force_scale
from pkm_identification.parameters.assumptions import Assumptions
from pkm_identification.parameters.parameter_set import ParameterSet

from ..equations.force_equations import BandSettings
from ..equations.reversal import with_reversals
from .drift import DRIFTS, FrictionDrift, friction_walk
from .equation import Equation, EquationFilter
from .payload import PayloadEstimate, PayloadEvent, payload_prior
from .payload_watch import PayloadWatch


@dataclass(frozen=True)
class EstimatorSettings:
    """Settings of the online estimator.

    Attributes
    ----------
    period : float
        Sample period in s.
    parameters : str
        Parameter set.
    estimator : {'ukf', 'ekf', 'rls'}
    band_cutoff, band_order
        Low-pass of both sides of the model equation.
    unscented : UnscentedSettings
    gate : float
        Probability with which a good equation is rejected as an outlier.
    payload : bool
        Whether to watch for a payload taken up or set down; what is carried is then kept apart from the machine.
    drift : {'detected', 'none'}
        Whether friction that has changed is let loose (`drift`).
    friction_walk : float
        Random walk of friction besides: standard deviation it gathers in an hour, relative to each coefficient.
        0, the default, forgets nothing; more follows faster and knows friction less well all the time.
    kinematic_cutoff : float
        Hz, of the filter the samples have passed; says how much of the friction law's bend it may have rounded.
    assumptions : Assumptions
        What is fixed, tied or stated of the parameters beforehand.
    """

    period: float
    parameters: str = "identifiable"
    estimator: str = "ukf"
    band_cutoff: float = 10.0
    band_order: int = 8
    unscented: UnscentedSettings = field(default_factory=UnscentedSettings)
    gate: float = 1e-9
    payload: bool = True
    drift: str = "detected"
    friction_walk: float = 0.0
    kinematic_cutoff: float = 150.0
    assumptions: Assumptions = field(default_factory=Assumptions)

    def __post_init__(self) -> None:
        if self.estimator not in FILTERS:
            raise ValueError(f"estimator is '{self.estimator}', must be one of {', '.join(FILTERS)} online")
        if self.drift not in DRIFTS:
            raise ValueError(f"drift is '{self.drift}', must be one of {', '.join(DRIFTS)}")
        if not 0 <= self.friction_walk < np.inf:
            raise ValueError(f"friction_walk is {self.friction_walk}, must be 0 or more")
        if self.friction_walk and self.estimator == "rls":
            raise ValueError("friction_walk needs estimator 'ukf' or 'ekf'; 'rls' has forgetting")
        _ = self.band.sections  # raises when the filter is impossible

    @property
    def band(self) -> BandSettings:
        return BandSettings(self.period, self.band_cutoff, self.band_order)


class OnlineEstimator:
    """Builds equations from platform samples and feeds them to the filter.

    Attributes
    ----------
    counts : dict of str to int
        Samples `used`, skipped because of the pose (`skipped_status`) or a missing force (`no_force`),
        spent on filters that settle (`settling`); equations rejected (`gated`); resets
        because time ran backwards (`clock_jump`).
    """

    def __init__(self, machine: Machine, settings: EstimatorSettings) -> None:
        self.machine = machine
        self.settings = settings
        self.parameters = settings.assumptions.apply(ParameterSet.of(machine, settings.parameters))
        # what smoothing does to friction is estimated besides, and stays inside
        self._unknowns = with_reversals(self.parameters, machine)
        self._coulomb = friction_columns(machine, machine.friction.law.reversing or "")
        band = settings.band
        self._stride, self._settling = band.stride, band.settling
        self._filter = EquationFilter(
            machine, self._unknowns, band, settings.kinematic_cutoff, load=settings.payload
        )
        self.recursive = self._estimator(self._unknowns)
        drift = None
        if settings.drift == "detected" and FrictionDrift.possible(self._unknowns.names):
            drift = FrictionDrift(self._unknowns.names, self.recursive.prior.std, self.recursive.outputs)
        self.watch = (
            PayloadWatch(
                self.recursive, machine.length_scale, payload_prior(machine), band, self._estimator, drift
            )
            if settings.payload
            else None
        )
        if settings.friction_walk:
            steps = 3600.0 / (self._stride * settings.period)
            walk = friction_walk(self._unknowns, settings.friction_walk / np.sqrt(steps))
            self.recursive.filter.add_process_noise(walk)
            if self.watch is not None:
                still = np.zeros(PLATFORM_COLUMNS)
                self.watch.loaded.filter.add_process_noise(np.concatenate([walk, still]))
        self.reset()

    def _estimator(self, parameters: ParameterSet) -> RecursiveEstimator:
        s = self.settings
        return RecursiveEstimator(
            parameters, s.estimator, s.unscented, s.band.redundancy, force_scale(self.machine), s.gate
        )

    def reset(self) -> None:
        """Forget everything learned."""
        self.recursive.reset()
        if self.watch is not None:
            self.watch.reset()
        self.counts = dict.fromkeys(
            ("used", "skipped_status", "no_force", "settling", "gated", "clock_jump"), 0
        )
        self._newest = -np.inf
        self._interrupt()

    def _interrupt(self) -> None:
        self._segment: int | None = None

    @property
    def estimate(self) -> ParameterEstimate:
        """Latest estimate, or the prior; worked out when asked for, which costs as much as taking an equation."""
        return self.recursive.estimate()

    @property
    def payload(self) -> PayloadEstimate | None:
        """What the platform carries besides itself, None while nothing is known of."""
        return self.watch.payload if self.watch is not None else None

    @property
    def payload_events(self) -> tuple[PayloadEvent, ...]:
        """The last few things taken up or set down, oldest first."""
        return tuple(self.watch.events) if self.watch is not None else ()

    @property
    def model_suspect(self) -> bool:
        """Whether so many equations were rejected in a row that model or units must be wrong."""
        return self.recursive.reopened > 0

    def step(self, sample: PlatformSample) -> bool:
        """Take one platform sample; True when it completes an equation, so that there is a new `estimate`."""
        if sample.time < self._newest:
            # the clock was set back or a bag began again: the same data must not be learned twice
            jumps = self.counts["clock_jump"] + 1
            self.reset()
            self.counts["clock_jump"] = jumps
        self._newest = sample.time
        if sample.status != OK or sample.force is None:
            self.counts["skipped_status" if sample.status != OK else "no_force"] += 1
            self._interrupt()
            return False
        starting = sample.segment != self._segment
        if not self._filter.step(sample, starting):
            self.counts["skipped_status"] += 1
            self._interrupt()
            return False
        if starting:
            self._segment = sample.segment
            self._since = 0
        index = self._since
        self._since += 1
        if index < self._settling:
            self.counts["settling"] += 1
            return False
        self.counts["used"] += 1
        if (index - self._settling) % self._stride:
            return False
        coulomb = (
            self._unknowns.mapping[self._coulomb] @ self.recursive.filter.mean
            + self._unknowns.known[self._coulomb]
        )
        return self._take(self._filter.equation(sample.time, coulomb))

    def _take(self, equation: Equation) -> bool:
        """Give one equation to the filter, by way of the watch for payloads if there is one."""
        gated = self.recursive.gated
        if self.watch is None:
            accepted = self.recursive.step(
                equation.time, equation.regressor, equation.measured, equation.bend
            )
        else:
            accepted = self.watch.step(equation)
        self.counts["gated"] += max(0, self.recursive.gated - gated)
        return accepted
