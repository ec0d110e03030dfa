# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""An excerpt of long logs by which a fit is judged: some minutes tell whether a model fits, and why not.

Every hypothesis is a column at all samples, and a hundred of them are compared at once: the whole of a long log would
take a hundred times the memory of the log. Evidence grows with its length, but a cause that minutes do not show, an
hour would not show to be larger.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.signals.input_validation import ValidatedLog
from pkm_identification.signals.input_validation.samples import rows_of

from ..experiment import Experiment

MOST = 300_000  # samples that a fit is judged by: five minutes at 1 kHz
SEGMENT_ROWS = 30_000  # of one block
# Of slow logs few samples make an equation with its hundreds of columns: these take 2 GB, and those are half a minute
MOST_EQUATIONS, SEGMENT_EQUATIONS = 20_000, 750


def excerpt(experiment: Experiment, most: int = MOST, segment_length: int = SEGMENT_ROWS) -> Experiment:
    """Return the experiment with at most so many samples of its logs, in blocks that are spread evenly over each.

    An experiment with fewer is returned as it is, and so is one with effects that are estimated as well.

    Parameters
    ----------
    experiment : Experiment
    most, segment_length : int
        Samples in all, and of one block.
    """
    whole = sum(len(log.time) for log in experiment.logs)
    stride = experiment.settings.band.stride
    most = min(most, MOST_EQUATIONS * stride)
    if whole <= most or experiment.point is not None:
        return experiment
    rows = min(segment_length, SEGMENT_EQUATIONS * stride)
    logs = tuple(_cut_excerpt(log, most / whole, rows) for log in experiment.logs)
    return replace(experiment, logs=logs)


def format_excerpt_sentence(experiment: Experiment, assessed: Experiment) -> tuple[str, ...]:
    """Return what of an experiment's logs its fit was judged by, in words; nothing where it was all."""
    if assessed is experiment:
        return ()
    whole, part = (
        sum(len(log.time) for log in one.logs) * experiment.period for one in (experiment, assessed)
    )
    return (f"the fit was assessed with {part:.0f} s spread over the {whole:.0f} s of the logs",)


def _cut_excerpt(log: ValidatedLog, share: float, segment_length: int) -> ValidatedLog:
    count = max(1, round(share * len(log.time) / segment_length))
    size = int(share * len(log.time) / count)
    starts = np.linspace(0, len(log.time) - size, count).astype(np.int64)
    rows = (starts[:, None] + np.arange(size)).ravel()
    # a segment ends where a stretch does
    ends = (np.diff(log.segment[rows]) != 0) | (np.diff(np.arange(count).repeat(size)) != 0)
    return replace(rows_of(log, rows), segment=np.concatenate([[0], np.cumsum(ends)]))
