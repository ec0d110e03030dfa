# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Twins of a motion: the same motion with another, independent noise, for instrumental variables.

Behind the kinematic low-pass only a small part of the encoders' noise is left; what it removed, times (-1)^n, has the
same low-pass spectrum if the noise is white, and is independent of what passed: an *image* n' of the passed noise n.
The twins are the motion with n + n' and with n - n'.

It needs noise as strong near the Nyquist frequency as in the band. Rounding of a strut that moves less than a count
per sample is not: the errors of neighbouring samples are alike, and that part of the bias stays.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.motion import StrutMotion
from pkm_identification.numerics.segments import segment_slices
from pkm_identification.signals.butterworth import low_pass, zero_phase
from pkm_identification.signals.input_validation import ValidatedLog
from pkm_identification.signals.zero_phase import filter_log


def compute_instrument_motions(
    log: ValidatedLog, struts: StrutMotion, cutoff: float, order: int
) -> tuple[StrutMotion, StrutMotion]:
    """Motions of a log with the image of its noise added and taken away.

    Parameters
    ----------
    log : ValidatedLog
    struts : StrutMotion
        Of the log, by `filter_log` with the same cutoff (Hz) and order.
    """
    sections = low_pass(order, cutoff, 1.0 / log.period)
    removed = np.empty_like(log.length)
    for part in segment_slices(log.segment):
        removed[part] = log.length[part] - zero_phase(sections, log.length[part])
    sign = np.where(np.arange(len(removed)) % 2, -1.0, 1.0)
    image = filter_log(replace(log, coordinate=sign[:, None] * removed), cutoff, order)

    def with_image(side: float) -> StrutMotion:
        return replace(
            struts,
            length=struts.length + side * image.length,
            rate=struts.rate + side * image.rate,
            acceleration=struts.acceleration + side * image.acceleration,
        )

    return with_image(1.0), with_image(-1.0)
