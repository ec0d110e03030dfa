# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Online strut filter: smoothed length, rate, acceleration and force with a constant, known delay.

Two kinds. `fir`: the linear-phase twin of the offline filter, whose taps are the impulse response of the
zero-phase Butterworth joined with the central differences; the delay is exactly half its length.
`butterworth`: one identical causal Butterworth on every channel, then central differences; less delay at
low cutoffs, but its phase is only linear at low frequency.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.declared import check, declare
from pkm_identification.motion import DriveSample, StrutMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.rows import segment_slices

from .butterworth import causal, low_pass, settling_samples, zero_phase_response
from .continuity import number_segments
from .differences import stencil
from .input_validation import ValidatedLog, ValidatedSample
from .rate import followed_rate
from .sections import filter_rows, group_delay, rest

KINDS = ("fir", "butterworth")
LONGEST_DELAY = 0.05  # s
LONGEST_DELAY_SAMPLES = 20


@dataclass(frozen=True)
class FilterSettings:
    """Settings of the causal filter of the drives' coordinates and forces.

    Attributes
    ----------
    period : float
        Sample period in s; 0 while it is not known.
    cutoff : float
        -3 dB frequency in Hz of one Butterworth pass (the FIR twin has it twice, as filtering both ways has); 0 while
        it is not known.
    order : int
        Order of one Butterworth pass.
    kind : {'fir', 'butterworth'}
    max_delay : float
        Longest delay in s the FIR may have; its tails are cut there. 0 until the period is known: then
        `LONGEST_DELAY`, or so many samples where they come slowly.
    """

    period: float = 0.0
    cutoff: float = declare(
        0.0, "low-pass cutoff of lengths and forces; 0: what the encoders allow", "Hz", 0, 5e4
    )
    order: int = declare(4, "order of one low-pass pass", "", 1, 12)
    kind: str = declare("fir", "linear phase, or one causal Butterworth on every channel", choices=KINDS)
    max_delay: float = declare(
        0.0, "longest delay the linear-phase filter may have; 0: 0.05 s, or 20 samples", "s", 0, 2.0
    )

    def __post_init__(self) -> None:
        check(self)
        if self.period and not self.max_delay:
            object.__setattr__(self, "max_delay", max(LONGEST_DELAY, LONGEST_DELAY_SAMPLES * self.period))
        if self.period and self.cutoff:
            low_pass(self.order, self.cutoff, 1.0 / self.period)  # raises when impossible


def linear_phase_taps(settings: FilterSettings) -> FloatArray:
    """Symmetric taps of the zero-phase Butterworth, cut where they no longer matter, unit gain at zero frequency."""
    sections = low_pass(settings.order, settings.cutoff, 1.0 / settings.period)
    # a measured period is off by rounding, which is not to cost a sample
    longest = max(1, int(settings.max_delay / settings.period + 1e-6) - stencil(settings.period).reach)
    response = zero_phase_response(sections, 4 * longest)[4 * longest :]
    matters = np.nonzero(np.abs(response) > 1e-4 * response[0])[0][-1]
    half = response[: min(int(matters), longest) + 1]
    taps = np.concatenate([half[:0:-1], half])
    return taps / taps.sum()


@kernel
def _filter_window(window, taps, filtered):
    """Filter one window (K, 2 n) into `filtered` (4, n): coordinate, rate, acceleration, force at its middle.

    `taps` (3, K) are those of `_compute_taps`.
    """
    smooth, first, second = taps[0], taps[1], taps[2]
    middle, drives = window.shape[0] // 2, filtered.shape[1]
    for c in range(drives):
        # differences from the middle keep the digits that the second derivative needs
        centre = window[middle, c]
        a, b, d, e = 0.0, 0.0, 0.0, 0.0
        for k in range(window.shape[0]):
            value = window[k, c] - centre
            a += smooth[k] * value
            b += first[k] * value
            d += second[k] * value
            e += smooth[k] * window[k, drives + c]
        filtered[0, c] = centre + a
        filtered[1, c] = b
        filtered[2, c] = d
        filtered[3, c] = e


@kernel
def _take(coordinate, force, has_force, ring, index, taps, due, filtered):
    """Keep a sample in both halves of the ring (2 K, 2 n); filter the window that ends with it, if that is due.

    Whether all of `filtered` is finite.
    """
    width, drives = taps.shape[1], filtered.shape[1]
    for c in range(drives):
        ring[index, c] = coordinate[c]
        ring[index, drives + c] = force[c] if has_force else 0.0
    for c in range(2 * drives):
        ring[index + width, c] = ring[index, c]
    if not due:
        return False
    start = (index + 1) % width
    _filter_window(ring[start : start + width], taps, filtered)
    total = 0.0
    for k in range(4):
        for c in range(drives):
            total += filtered[k, c]
    return np.isfinite(total)


@kernel
def _filter_log(values, taps, filtered):
    width = taps.shape[1]
    for n in range(values.shape[0] - width + 1):
        _filter_window(values[n : n + width], taps, filtered[n])


def _compute_taps(settings: FilterSettings) -> FloatArray:
    """Return the three FIR filters of both kinds, (3, K): what smooths, and its first and second derivative."""
    smooth = linear_phase_taps(settings) if settings.kind == "fir" else np.ones(1)
    # correlation with the differences: reversed, because taps are applied oldest first
    differences = stencil(settings.period)
    first = np.convolve(smooth, differences.first) / settings.period
    second = np.convolve(smooth, differences.second) / settings.period**2
    return np.array([np.pad(smooth, differences.reach), first, second])


class CausalFilter:
    """Filters validated samples of any number of drives as they come.

    Attributes
    ----------
    delay : float
        Seconds from the instant an output describes to the arrival of the sample that completes it.
    finite : bool
        Whether all numbers of the last output are finite (sums that overflow count as not).
    """

    def __init__(self, settings: FilterSettings) -> None:
        self.settings = settings
        self._taps = _compute_taps(settings)
        self._width = self._taps.shape[1]
        self._sections: FloatArray | None = None
        self._lag = self._width // 2 * settings.period
        self._settle = 0
        if settings.kind == "butterworth":
            rate = 1.0 / settings.period
            self._sections = low_pass(settings.order, settings.cutoff, rate)
            self._group = group_delay(self._sections, 0.0, rate)
            self._lag += self._group
            self._settle = settling_samples(self._sections)
        self.reset()

    @property
    def delay(self) -> float:
        """Constant delay in s."""
        return self._lag

    @property
    def fill(self) -> int:
        """Samples of a segment that come before the one that completes the first output."""
        return self._width + self._settle - 1

    def reset(self) -> None:
        """Forget the samples seen."""
        # written twice, one width apart, so that the window is always one contiguous block
        self._ring: FloatArray | None = (
            None  # (2 K, 2 n), once the first sample has told how many drives there are
        )
        # from the middle of the window on
        self._times: deque[float] = deque(maxlen=self._width - self._width // 2)
        self.finite = False
        self._count = 0
        self._segment = -1
        self._known = False
        self._state: FloatArray | None = None

    def step(self, sample: ValidatedSample) -> DriveSample | None:
        """Take one sample; give the filtered sample it completes, or None while the window fills."""
        time, coordinate, force, segment, _ = sample
        if self._ring is None:
            self._ring = np.zeros((2 * self._width, 2 * len(coordinate)))
        known = force is not None
        if segment != self._segment or known != self._known:
            # a force that comes or goes is a break too: it must not be mixed with the zeros in its place
            self._count = 0
            self._segment = segment
            self._known = known
            self._state = None
        effort = coordinate if force is None else force  # of the former nothing is looked at
        if self._sections is not None:
            effort = effort if known else np.zeros(len(coordinate))
            coordinate, effort = self._smooth(self._sections, coordinate, effort)
        index = self._count % self._width
        self._count += 1
        self._times.append(time)
        due = self._count >= self._width + self._settle
        filtered = np.empty((4, len(coordinate)))
        self.finite = _take(coordinate, effort, known, self._ring, index, self._taps, due, filtered)
        if not due:
            return None
        time = self._times[0]
        if self._sections is not None:
            time -= self._group
        return DriveSample(
            time, filtered[0], filtered[1], filtered[2], filtered[3] if known else None, segment
        )

    def _smooth(
        self, sections: FloatArray, coordinate: FloatArray, force: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        row = np.concatenate([coordinate, force])
        if self._state is None:
            self._state = rest(sections)[:, :, None] * row
        smooth = np.empty((1, len(row)))
        filter_rows(sections, row[None], self._state, smooth)
        return smooth[0, : len(coordinate)], smooth[0, len(coordinate) :]

    def filter(self, log: ValidatedLog) -> StrutMotion:
        """Filter a whole log: what `step` gives sample by sample."""
        time, filtered, segment = self.filter_log(log.time, log.length, log.force, log.segment)
        force = None if log.force is None else filtered[:, 3]
        return StrutMotion(time, filtered[:, 0], filtered[:, 1], filtered[:, 2], force, segment)

    def filter_log(
        self,
        stamps: FloatArray,
        coordinate: FloatArray,
        force: FloatArray | None,
        segments: NDArray[np.int64],
    ) -> tuple[FloatArray, FloatArray, NDArray[np.int64]]:
        """Filter the rows of a log on a regular clock: what `step` gives sample by sample.

        Parameters
        ----------
        stamps : ndarray, shape (N,)
            s
        coordinate, force : ndarray, shape (N, n)
            The force may be None.
        segments : ndarray of int64, shape (N,)

        Returns
        -------
        time : ndarray, shape (M,)
            Of the instants described, s.
        filtered : ndarray, shape (M, 4, n)
            Coordinates, rates, accelerations and forces; zeros for the last without forces.
        segment : ndarray of int64, shape (M,)
        """
        width, drives = self._width, coordinate.shape[1]
        rows = np.zeros((len(stamps), 2 * drives))
        rows[:, :drives] = coordinate
        if force is not None:
            rows[:, drives:] = force
        time, filtered, segment = [np.empty(0)], [np.empty((0, 4, drives))], [np.empty(0, dtype=np.int64)]
        for part in segment_slices(segments):
            values, described = rows[part], stamps[part]
            if self._sections is not None:
                values = causal(self._sections, values)
                described = described - self._group
            count = len(values) - width + 1
            if count <= self._settle:
                continue
            result = np.empty((count, 4, drives))
            _filter_log(np.ascontiguousarray(values), self._taps, result)
            middle = width // 2
            time.append(described[middle : middle + count][self._settle :])
            filtered.append(result[self._settle :])
            segment.append(np.full(count - self._settle, segments[part][0]))
        return np.concatenate(time), np.concatenate(filtered), np.concatenate(segment)


def filter_log_causally(log: ValidatedLog, settings: FilterSettings) -> tuple[StrutMotion, int]:
    """Filter a whole validated log: what the first online stage gives of it, with segments as its receiver sees them.

    Parameters
    ----------
    log : ValidatedLog
    settings : FilterSettings

    Returns
    -------
    StrutMotion
    int
        Samples left out because of a wrong rate.
    """
    stream = CausalFilter(settings)
    motion = stream.filter(log)
    # an output belongs to the sample that completes it
    parts = [slice(part.start + stream.fill, part.stop) for part in segment_slices(log.segment)]
    right, period = (
        np.concatenate([values[:0], *(values[part] for part in parts)]) for values in followed_rate(log)
    )
    if np.any(period != log.period):
        stretched = (log.period / period)[:, None]
        motion = replace(
            motion, rate=motion.rate * stretched, acceleration=motion.acceleration * stretched**2
        )
    left_out = int(np.count_nonzero(~right))
    if left_out:
        motion = motion[right]
    segment = number_segments(motion.time, motion.segment, log.period)
    return replace(motion, segment=segment), left_out
