# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a slow log can show: the band its motion needs, and in words what falls between its samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rows import segment_slices
from pkm_identification.signals.band import LARGEST_SHARE, WIDEST_BAND, BandSettings
from pkm_identification.signals.differences import SLOW_PERIOD, central_differences, stencil
from pkm_identification.signals.input_validation import ValidatedLog
from pkm_identification.signals.input_validation.samples import rows_of
from pkm_identification.signals.power_density import power_density

SPECTRUM, FEWEST = 256, 32  # samples of a spectrum
MOTION_SHARE = 0.99  # of the power of the strut rates, below the frequency that counts as the motion's
ROOM = 1.2  # of the band over that frequency
FLOOR = (0.35, 0.45)  # of the sample rate, where only noise is left
UNSEEN = 0.02  # of the power of the rates beyond the band that is worth a sentence
THIN_FOR_MOTION, THIN_FOR_REVERSALS = 250.0, 1000.0  # Hz
STILL = 3.0  # transition rates; slower is near standstill


def rate_spectrum(logs: Sequence[ValidatedLog]) -> tuple[FloatArray, FloatArray]:
    """Return frequencies in Hz and the power density of the drives' rates above their noise, summed over drives.

    Only of segments of SPECTRUM samples and more; of the longest where all are shorter.
    """
    lengths = [log.length[part] for log in logs for part in segment_slices(log.segment)]
    count = min(SPECTRUM, max(map(len, lengths), default=0))
    if count < FEWEST:
        return np.empty(0), np.empty(0)
    rate = 1.0 / logs[0].period
    frequency = np.asarray(np.fft.rfftfreq(count, 1.0 / rate), dtype=float)
    quiet = (frequency > FLOOR[0] * rate) & (frequency < FLOOR[1] * rate)
    total = np.zeros(len(frequency))
    for length in lengths:
        if len(length) < count:
            continue
        for i in range(length.shape[1]):  # one by one: windows of a long log are large
            power = power_density(length[:, i], count, rate)[1]
            total += len(length) * np.maximum(power - np.median(power[quiet]), 0.0)
    return frequency, np.asarray(total * (2 * np.pi * frequency) ** 2, dtype=float)


def compute_motion_frequency(logs: Sequence[ValidatedLog]) -> float:
    """Frequency in Hz below which nearly all of the strut rates' power lies; 0 at rest."""
    frequency, density = rate_spectrum(logs)
    power = np.cumsum(density)
    if not len(power) or power[-1] == 0.0:
        return 0.0
    return float(frequency[np.searchsorted(power, MOTION_SHARE * power[-1])])


def band_for(band: BandSettings, logs: Sequence[ValidatedLog]) -> BandSettings:
    """The band of the sample rate, wider where the motion of a slow log reaches beyond it and the rate allows it."""
    if band.cutoff >= WIDEST_BAND:
        return band
    widest = min(WIDEST_BAND, LARGEST_SHARE / band.period)
    return replace(band, cutoff=float(np.clip(ROOM * compute_motion_frequency(logs), band.cutoff, widest)))


def format_slow_log_sentences(
    machine: Machine, band: BandSettings, logs: Sequence[ValidatedLog]
) -> tuple[str, ...]:
    """Return what logs at this sample rate do not show, a sentence each; none of fast ones."""
    if band.period < SLOW_PERIOD:
        return ()
    sentences = []
    if band.cutoff < WIDEST_BAND:
        sentences.append(
            f"the sample rate is {1 / band.period:.4g} Hz: motion and forces are compared up to "
            f"{band.cutoff:.3g} Hz only"
        )
    frequency, density = rate_spectrum(logs)
    beyond = density[frequency > band.cutoff].sum() / max(density.sum(), 1e-300)
    if beyond > UNSEEN:
        sentences.append(
            f"{100 * beyond:.0f} % of the motion (power of the rates) lies above {band.cutoff:.3g} Hz and is not "
            "used: move more slowly, or record at a higher rate"
        )
    crossing = _compute_crossing_time(machine, logs)
    if crossing < band.period:
        sentences.append(
            f"drives cross the friction transition (±{_describe_transition_rates(machine)}) "
            f"in {1e3 * crossing:.2g} ms, within one sample ({1e3 * band.period:.3g} ms): the log determines "
            "friction in either direction, not the transition near standstill"
        )
    return tuple(sentences)


def describe_rate(machine: Machine, band: BandSettings, log: ValidatedLog) -> str:
    """Return in one sentence what a log at this sample rate can show, whatever it is."""
    motion = compute_motion_frequency([_thin(log, THIN_FOR_MOTION)])
    crossing = _compute_crossing_time(machine, [_thin(log, THIN_FOR_REVERSALS)]) / band.period
    parts = [f"At {1 / band.period:.4g} Hz motion and forces are compared up to {band.cutoff:.3g} Hz"]
    if motion > band.cutoff:
        parts.append(f"of a motion that reaches to {motion:.3g} Hz")
    elif motion > 0.0:
        parts.append(f"this motion lies below {motion:.2g} Hz")
    if np.isfinite(crossing):
        parts.append(f"and reversals cross the friction transition in {crossing:.2g} samples")
    return ", ".join(parts) + "."


def _thin(log: ValidatedLog, rate: float) -> ValidatedLog:
    """Return a log with only as many samples as come at about a rate in Hz: noise hides what is slow next to it."""
    every = max(1, round(1.0 / (log.period * rate)))
    return replace(rows_of(log, slice(None, None, every)), period=every * log.period) if every > 1 else log


def _compute_crossing_time(machine: Machine, logs: Sequence[ValidatedLog]) -> float:
    """Return the median time in s in which drives that turn back cross the transition; infinite where none does."""
    transition = np.array([friction.transition_rate for friction in machine.friction])
    times = []
    for log in logs:
        for part in segment_slices(log.segment):
            rate, acceleration = central_differences(log.length[part], log.period, stencil(log.period))
            turns = np.diff(np.sign(rate), axis=0) != 0
            size = (np.abs(acceleration[1:]) / transition)[turns]
            # a drive at rest does not turn back
            times.append(size[size * log.period > 1.0 / STILL])
    every = np.concatenate(times) if times else np.empty(0)
    return 2.0 / float(np.median(every)) if len(every) else float("inf")


def _describe_transition_rates(machine: Machine) -> str:
    """Return the transition rates of a machine's drives, each once, with units."""
    rates = [
        f"{1e3 * friction.transition_rate:.3g} m{drive.unit}/s"
        for drive, friction in zip(machine.drives, machine.friction, strict=True)
    ]
    return " or ".join(dict.fromkeys(rates))
