# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The estimation band: the low-pass that both sides of a model equation pass, and how densely it is sampled."""

from __future__ import annotations

from dataclasses import dataclass

from pkm_identification.declared import check, declare
from pkm_identification.numerics.arrays import FloatArray

from .butterworth import low_pass, settling_samples

OVERSAMPLING = 2.5  # equations per cutoff period; 2 would be the bare Nyquist rate
WIDEST_BAND = 10.0  # Hz, where the sample rate allows it (Oh 2003)
# Parts of the sample rate: what the band may reach without a look at the motion, and at all. A third of the kinematic
# low-pass's widest cutoff (`identification.kinematic_cutoff`), which must not bend what passes the band.
RATE_SHARE, LARGEST_SHARE = 0.1, 0.15


@dataclass(frozen=True)
class BandSettings:
    """The estimation band: the low-pass both sides of the model equation pass.

    Attributes
    ----------
    period : float
        Sample period in s of what comes in; 0 while it is not known.
    cutoff : float
        -3 dB frequency in Hz (of one pass); 0 until the period is known: then what the sample rate bears.
    order : int
        Butterworth order (of one pass).
    """

    period: float = 0.0
    cutoff: float = declare(
        0.0,
        "low-pass over both sides of the model equation; 0: 10 Hz, less below 100 samples a second",
        "Hz",
        0,
        5e4,
        name="band_cutoff",
        option="band",
    )
    order: int = declare(8, "order of that low-pass", "", 1, 12, name="band_order")

    def __post_init__(self) -> None:
        check(self)
        if self.period and not self.cutoff:
            object.__setattr__(self, "cutoff", min(WIDEST_BAND, RATE_SHARE / self.period))
        if self.period:
            _ = self.sections  # raises when there is no such filter

    @property
    def sections(self) -> FloatArray:
        """Second-order sections of one pass, shape (sections, 6)."""
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
