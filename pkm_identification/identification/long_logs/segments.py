# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A log in blocks: what identification needs at every sample exists for one block at a time.

A block is a row of whole segments, or a part of one that is longer than LONGEST. Zero-phase filters forget what is
far away: a part begins and ends a reach beyond the samples that are its own (`Samples.own`), so that these come out as
if the segment had been filtered in one piece, to FORGOTTEN of what the filters do at an end. Parts begin on the
equations' grid, and with the state that the part before had there: both are those of one piece, too.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.large_arrays import let_go
from pkm_identification.numerics.rows import segment_slices
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.butterworth import low_pass, settling_samples
from pkm_identification.signals.causal import FilterSettings
from pkm_identification.signals.input_validation import ValidatedLog
from pkm_identification.signals.input_validation.samples import rows_of
from pkm_identification.signals.zero_phase import rows_left_out

from ..samples import Samples, SegmentOrigin, samples_of

LONGEST = 2**15  # samples; the columns of an equation take 4 kB of each
FORGOTTEN = 1e-11
LEAST_SHARE = 4  # reaches in a part's own samples, so that most of the work is not done twice


def compute_samples_by_segment(
    log: ValidatedLog, machine: Machine, settings: FilterSettings, band: BandSettings, longest: int = LONGEST
) -> Iterator[Samples]:
    """Yield samples of a log behind the zero-phase filter, block after block, in order.

    Parameters
    ----------
    log : ValidatedLog
    machine : Machine
    settings : FilterSettings
        Of the kinematic low-pass.
    band : BandSettings
        What the samples are to pass; its memory is part of the reach.
    longest : int
        Samples of a block; at least so many that the reach is a small part of them.
    """
    kinematic = low_pass(settings.order, settings.cutoff, 1.0 / settings.period)
    reach = settling_samples(kinematic, FORGOTTEN) + settling_samples(band.sections, FORGOTTEN)
    reach += rows_left_out(settings.cutoff, log.period)
    longest = max(longest, LEAST_SHARE * reach)
    for rows in _gather_segments(log, longest + reach):
        let_go()
        if rows.stop - rows.start <= longest + reach:
            yield samples_of(rows_of(log, rows), machine, settings, origin=SegmentOrigin(rows.start))
        else:
            yield from _split_segment(log, rows, machine, settings, band.stride, reach, longest)


def _gather_segments(log: ValidatedLog, most: int) -> Iterator[slice]:
    """Yield rows of successive segments that are together no longer than `most`; a longer one stands alone."""
    start = stop = 0
    for part in segment_slices(log.segment):
        if part.stop - start > most and stop > start:
            yield slice(start, stop)
            start = part.start
        stop = part.stop
    yield slice(start, stop)


def _split_segment(
    log: ValidatedLog,
    rows: slice,
    machine: Machine,
    settings: FilterSettings,
    stride: int,
    reach: int,
    longest: int,
) -> Iterator[Samples]:
    """Overlapping parts of one segment; the last takes what would be too short for one of its own."""
    count = (rows.stop - rows.start - reach) // longest
    edge = rows_left_out(settings.cutoff, log.period)
    origin, first = SegmentOrigin(rows.start + edge), rows.start
    for number in range(count):
        last = number == count - 1
        end = rows.stop if last else rows.start + (number + 1) * longest
        bound = np.inf if last else float(log.time[end])
        origin = SegmentOrigin(origin.row, origin.run, origin.start, origin.begin, bound)
        part = slice(first, rows.stop if last else end + reach)
        samples = samples_of(rows_of(log, part), machine, settings, origin=origin)
        let_go()
        yield samples
        if not last:
            at = first + np.searchsorted(log.time[part], samples.time)
            origin = _find_next_start(samples, at, end - reach, stride, bound)
            first = origin.row - edge


def _find_next_start(samples: Samples, at: np.ndarray, row: int, stride: int, begin: float) -> SegmentOrigin:
    """Return where the next part begins: at a row or up to a stride before, on the grid of the run of poses it is in.

    `at` (N,) are the rows of the samples. Without a pose there, the next one begins a run anyway.
    """
    near = int(np.searchsorted(at, row, side="right")) - 1
    if near >= 0:
        run = int(samples.segment[near])
        start = int(at[near]) - (int(at[near]) - run) % stride
        same = int(np.searchsorted(at, start))
        if start >= run and at[same] == start and row - int(at[near]) < stride:
            state = tuple(part[same : same + 1] for part in samples.motion.state)
            return SegmentOrigin(start, run, state, begin)
    return SegmentOrigin(row, begin=begin)
