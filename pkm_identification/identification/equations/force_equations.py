"""The equations an estimator gets: model columns and measured force, both through the same narrow low-pass.

Filtering only the measured side would compare different things as soon as Coulomb friction bends the force;
filtering both sides alike is exact (docs/method.md). What passes the band is sampled just above its Nyquist
rate, so that successive equations are nearly independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.mechanisms.hexapod.dynamics.regressor import regressor
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS, PlatformMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.butterworth import (
    causal,
    low_pass,
    segment_slices,
    settling_samples,
    zero_phase,
)

from .reversal import reversal_pulses

OVERSAMPLING = 2.5  # equations per cutoff period; 2 would be the bare Nyquist rate


@dataclass(frozen=True)
class BandSettings:
    """The estimation band: the low-pass both sides of the model equation pass.

    Attributes
    ----------
    period : float
        Sample period in s of what comes in.
    cutoff : float
        -3 dB frequency in Hz (of one pass).
    order : int
        Butterworth order (of one pass).
    """

    period: float
    cutoff: float = 10.0
    order: int = 8

    @property
    def sections(self) -> FloatArray:
        return low_pass(self.order, self.cutoff, 1.0 / self.period)

    @property
    def stride(self) -> int:
        """Samples from one equation to the next."""
        return max(1, round(1.0 / (OVERSAMPLING * self.cutoff * self.period)))

    @property
    def redundancy(self) -> float:
        """How many equations carry the information of one independent one (white noise)."""
        return max(1.0, 1.0 / (2.0 * self.cutoff * self.stride * self.period))

    @property
    def settling(self) -> int:
        """Samples until the filter has forgotten how it was started."""
        return settling_samples(self.sections)


@dataclass(frozen=True)
class Equations:
    """Linear equations: measured = regressor @ w + noise, in the estimation band.

    Attributes
    ----------
    time : ndarray, shape (K,)
    regressor : ndarray, shape (K, m, P)
        Band-limited regressor.
    measured : ndarray, shape (K, m)
        Band-limited force (N) less what the machine file says of parameters that are not estimated.
    force : ndarray, shape (K, m)
        Band-limited measured force itself.
    segment : ndarray of int64, shape (K,)
    """

    time: FloatArray
    regressor: FloatArray
    measured: FloatArray
    force: FloatArray
    segment: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.time)

    @classmethod
    def joined(cls, parts: Sequence[tuple], outputs: int, width: int) -> Equations:
        """Parts in the order of the attributes, one after the other; no equations when there are none."""
        if not parts:
            return cls(
                np.empty(0),
                np.empty((0, outputs, width)),
                np.empty((0, outputs)),
                np.empty((0, outputs)),
                np.empty(0, dtype=np.int64),
            )
        return cls(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def since_clock_jump(self) -> Equations:
        """The equations since time last ran backwards: what the online estimator, which starts afresh then, knows."""
        back = np.nonzero(np.diff(self.time) < 0)[0]
        if not len(back):
            return self
        rest = slice(int(back[-1]) + 1, None)
        return Equations(*(getattr(self, name)[rest] for name in Equations.__dataclass_fields__))


def force_equations(
    machine: Machine,
    parameters: ParameterSet,
    motion: PlatformMotion,
    force: FloatArray,
    segment: NDArray[np.int64],
    band: BandSettings,
    online: bool = False,
) -> Equations:
    """Equations of the force model.

    Parameters
    ----------
    machine, parameters
        The model and its unknowns.
    motion : PlatformMotion
        On the regular clock within each segment; every row a good pose.
    force : ndarray, shape (N, 6)
        Strut forces in N, with the same delay as the motion.
    segment : ndarray of int64, shape (N,)
    band : BandSettings
    online : bool
        Causal filters and their settling, as the online estimator has them; else zero-phase.
    """
    sections, stride = band.sections, band.stride
    settle = band.settling
    # the filter's ends: causally where it settles, zero-phase where the padding shows
    lead, tail = (settle, 0) if online else (settle // 2, settle // 2)
    mapping = np.column_stack([parameters.mapping, parameters.known])
    parts = []
    for part in segment_slices(segment):
        count = part.stop - part.start
        if count <= lead + tail:
            continue
        raw = regressor(machine, motion[part], mapping)
        if parameters.nuisance:
            # each strut's own pulse, in front of what is known
            place = raw.shape[2] - 1 - parameters.nuisance + np.arange(STRUTS)
            raw[:, np.arange(STRUTS), place] = reversal_pulses(machine, motion[part])
        stack = np.concatenate([raw, force[part][:, :, None]], axis=2)
        chosen = slice(lead, count - tail, stride)
        # most places of the columns are empty (one strut's friction in another's row) and stay so
        filled = stack.any(axis=0)
        smooth = causal(sections, stack[:, filled]) if online else zero_phase(sections, stack[:, filled])
        picked = np.zeros((len(range(*chosen.indices(count))), *filled.shape))
        picked[:, filled] = smooth[chosen]
        parts.append((motion.time[part][chosen], picked[:, :, :-2], picked[:, :, -1] - picked[:, :, -2],
                      picked[:, :, -1], segment[part][chosen]))  # fmt: skip
    return Equations.joined(parts, outputs=6, width=len(parameters.names))
