"""Twins of a motion: the same motion twice, with independent noise of the encoders (`estimation.batch.instruments`)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.motion import StrutMotion
from pkm_identification.signals.butterworth import low_pass, segment_slices, zero_phase
from pkm_identification.signals.guard import GuardedLog
from pkm_identification.signals.zero_phase import filter_log


def twin_motions(
    log: GuardedLog, struts: StrutMotion, cutoff: float, order: int
) -> tuple[StrutMotion, StrutMotion]:
    """Motions of a log with the image of its noise added and taken away.

    Parameters
    ----------
    log : GuardedLog
    struts : StrutMotion
        Of the log, by `filter_log` with the same cutoff (Hz) and order.
    """
    sections = low_pass(order, cutoff, 1.0 / log.period)
    removed = np.empty_like(log.length)
    for part in segment_slices(log.segment):
        removed[part] = log.length[part] - zero_phase(sections, log.length[part])
    sign = np.where(np.arange(len(removed)) % 2, -1.0, 1.0)
    image = filter_log(replace(log, length=sign[:, None] * removed), cutoff, order)
    return _shifted(struts, image, 1.0), _shifted(struts, image, -1.0)


def _shifted(struts: StrutMotion, image: StrutMotion, side: float) -> StrutMotion:
    return replace(
        struts,
        length=struts.length + side * image.length,
        rate=struts.rate + side * image.rate,
        acceleration=struts.acceleration + side * image.acceleration,
    )
