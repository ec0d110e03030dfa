"""The online estimator: platform samples in, parameter estimates out."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import signal

from ..compiled import kernel
from ..dynamics.basis import INERTIAL_COLUMNS
from ..dynamics.regressor import SparseMapping, fill_regressor, regressor_geometry
from ..kinematics.forward import OK
from ..kinematics.tracker import PlatformSample
from ..machine import Machine
from .equations import BandSettings
from .estimate import ParameterEstimate
from .parameter_set import ParameterSet
from .recursive import FILTERS, RecursiveEstimator
from .set_builder import force_scale
from .unscented import UnscentedSettings


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
    """

    period: float
    parameters: str = "identifiable"
    estimator: str = "ukf"
    band_cutoff: float = 10.0
    band_order: int = 8
    unscented: UnscentedSettings = field(default_factory=UnscentedSettings)
    gate: float = 1e-9

    def __post_init__(self) -> None:
        if self.estimator not in FILTERS:
            raise ValueError(f"estimator is '{self.estimator}', must be one of {', '.join(FILTERS)} online")
        _ = self.band.sections  # raises when the filter is impossible

    @property
    def band(self) -> BandSettings:
        return BandSettings(self.period, self.band_cutoff, self.band_order)


@kernel
def _filter_sections(sections, values, state, filtered):
    """One sample of every channel through the second-order sections (transposed direct form II)."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            x = values[i, j]
            for k in range(sections.shape[0]):
                y = sections[k, 0] * x + state[k, 0, i, j]
                state[k, 0, i, j] = sections[k, 1] * x - sections[k, 4] * y + state[k, 1, i, j]
                state[k, 1, i, j] = sections[k, 2] * x - sections[k, 5] * y
                x = y
            filtered[i, j] = x


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
        self.parameters = ParameterSet.of(machine, settings.parameters)
        band = settings.band
        self._sections, self._stride, self._settling = band.sections, band.stride, band.settling
        self._zi = signal.sosfilt_zi(self._sections)
        self._geometry = regressor_geometry(machine)
        mapping = np.column_stack([self.parameters.mapping, self.parameters.known])
        self._mapping = SparseMapping.of(mapping).entries
        width = len(self.parameters.names)
        self._stack = np.empty((6, width + 2))
        self._columns = np.empty((6, width + 1))
        self._filtered = np.empty((6, width + 2))
        self._wrench = np.empty((INERTIAL_COLUMNS, 6))
        self._scratch = np.empty((3, 6, 6))
        self.recursive = RecursiveEstimator(
            self.parameters,
            settings.estimator,
            settings.unscented,
            band.redundancy,
            force_scale(machine),
            settings.gate,
        )
        self.reset()

    def reset(self) -> None:
        """Forget everything learned."""
        self.recursive.reset()
        self.counts = dict.fromkeys(
            ("used", "skipped_status", "no_force", "settling", "gated", "clock_jump"), 0
        )
        self._newest = -np.inf
        self._interrupt()

    def _interrupt(self) -> None:
        self._segment = -1
        self._since = 0
        self._state: np.ndarray | None = None

    @property
    def estimate(self) -> ParameterEstimate:
        """Latest estimate, or the prior."""
        return self.recursive.estimate()

    @property
    def model_suspect(self) -> bool:
        """Whether so many equations were rejected in a row that model or units must be wrong."""
        return self.recursive.reopened > 0

    def step(self, sample: PlatformSample) -> ParameterEstimate | None:
        """Take one platform sample; an estimate when it completes an equation, else None."""
        if sample.time < self._newest:
            # the clock was set back or a bag began again: the same data must not be learned twice
            jumps = self.counts["clock_jump"] + 1
            self.reset()
            self.counts["clock_jump"] = jumps
        self._newest = sample.time
        if sample.status != OK or sample.force is None:
            self.counts["skipped_status" if sample.status != OK else "no_force"] += 1
            self._interrupt()
            return None
        good = fill_regressor(
            *self._geometry, *self._mapping, sample.position, sample.rotation, sample.twist,
            sample.acceleration, self._columns, self._wrench, self._scratch,
        )  # fmt: skip
        if not good:
            self.counts["skipped_status"] += 1
            self._interrupt()
            return None
        self._stack[:, :-1] = self._columns
        self._stack[:, -1] = sample.force
        if sample.segment != self._segment or self._state is None:
            self._segment = sample.segment
            self._since = 0
            self._state = self._zi[:, :, None, None] * self._stack
        _filter_sections(self._sections, self._stack, self._state, self._filtered)
        index = self._since
        self._since += 1
        if index < self._settling:
            self.counts["settling"] += 1
            return None
        self.counts["used"] += 1
        if (index - self._settling) % self._stride:
            return None
        smooth = self._filtered
        if not self.recursive.step(sample.time, smooth[:, :-2].copy(), smooth[:, -1] - smooth[:, -2]):
            self.counts["gated"] += 1
            return None
        return self.recursive.estimate()
