# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the kinematic low-pass makes of the friction transition, estimated by smoothing more, and taken off.

Where a drive breaks away or turns back, its true rate has a kink at the transition of the friction law. The low-pass
rounds that kink, and Coulomb friction computed from the smoothed rate is wrong around it, to one side. How wrong
falls with some power of the cutoff; hence what a cutoff STRONGER times lower changes of a column tells what the
low-pass itself has changed (Richardson's extrapolation):

    b(true rate) = b(rate) - (b(smoothed rate) - b(rate)) / (STRONGER^power - 1)   on average.

The power differs between machines and motions. Taken off is what the highest one seen makes, no more; what the lowest
one would take off as well is stated as a systematic part of the deviations.

Smoothing needs samples from after the instant, which the band's filter hardly feels yet: its response to the newest
samples begins with the eighth power of time. So the difference passes the band as late as it is known, and what comes
out is foretold to the present sample (`foretelling`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.machines.contract import Machine
from pkm_identification.mechanisms.friction import friction_terms
from pkm_identification.mechanisms.friction.law import law_tuple
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.rows import copy_vector
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.causal import FilterSettings, linear_phase_taps
from pkm_identification.signals.sections import filter_rows, rest

from ..rates.rate_noise import rate_noise
from ..regression.friction import build_laws, evaluate_reversing_terms
from .band_rows import BandPiece

FAINT = 0.01  # of the largest weight
STRONGER = 1.5  # how much lower a cutoff is tried, as offline
UNFELT = 0.01  # of the band's response, which it may give to samples that are not known yet
POWERS = 2.2, 4.0  # of the cutoff with which errors fell between 100 and 300 Hz, where lengths were exact


def compute_richardson_factor(power: float) -> float:
    """Of what smoothing STRONGER times as much changes, what the low-pass itself does, if errors fall with a power."""
    return float(1.0 / (STRONGER**power - 1.0))


# What is taken off, and what may be left then.
FACTOR_CORRECTED = compute_richardson_factor(POWERS[1])
FACTOR_RESIDUAL = compute_richardson_factor(POWERS[0]) - FACTOR_CORRECTED


@kernel
def compute_smoothed_transition(rate, laws, smoothers, terms, weights, rates, index, transition):
    """Write what a weighted mean of the last rates instead of the middle one makes of the reversing terms (n,).

    `rates` (w, n) is the ring of the last rates, its row `place` is overwritten with the present `rate` (n,); `weights`
    (w,) are symmetric, w is odd. `smoothers` (n, L) are the laws of the mean, whose noise is less than that of `laws`.
    """
    count, drives = rates.shape
    mean = np.zeros(drives)
    copy_vector(rate, rates[index])
    for n in range(count):
        row = (index - n) % count
        for i in range(drives):
            mean[i] += weights[n] * rates[row, i]
    middle = rates[(index - count // 2) % count]
    for i in range(drives):
        transition[i] = 0.0
        if terms[i] >= 0:
            transition[i] = friction_terms(mean[i], law_tuple(smoothers[i], 0))[terms[i]]
            transition[i] -= friction_terms(middle[i], law_tuple(laws[i], 0))[terms[i]]


def compute_smoothing_weights(cutoff: float, period: float) -> FloatArray:
    """Return weights (w,) of rates, w odd, that smooth as a low-pass at two thirds of the kinematic cutoff (Hz) would.

    Those of the causal strut filter without its faint tails. A plain mean would not do: it smooths slow motion, too,
    and takes for an error what no low-pass does.
    """
    taps = linear_phase_taps(FilterSettings(period, cutoff / STRONGER))
    matters = np.nonzero(np.abs(taps) > FAINT * taps.max())[0]
    taps = taps[matters[0] : matters[-1] + 1]
    return taps / taps.sum()


def foretelling(band: BandSettings, samples: int) -> FloatArray | None:
    """Gains (S, 2) of the band filter's state that give its output so many samples later, of nothing but zeros.

    None where the filter would feel more of the samples in between than a trace: where they come slowly.
    """
    sections = band.sections
    impulse, felt = np.zeros((band.settling + 1, 1)), np.empty((band.settling + 1, 1))
    impulse[0] = 1.0
    filter_rows(sections, impulse, np.zeros((len(sections), 2, 1)), felt)
    if np.sum(np.abs(felt[:samples])) > UNFELT:
        return None
    # a channel for each number of the state
    state = np.eye(2 * len(sections)).reshape(len(sections), 2, -1)
    nothing = np.zeros((samples, state.shape[2]))
    later = np.empty_like(nothing)
    filter_rows(sections, nothing, state, later)
    return contiguous(later[-1].reshape(len(sections), 2))


@kernel
def foretold(gains, state, column):
    """Return the output of one channel of a filter in a state (S, 2, C), as of `foretelling`."""
    output = 0.0
    for s in range(gains.shape[0]):
        output += gains[s, 0] * state[s, 0, column] + gains[s, 1] * state[s, 1, column]
    return output


@kernel
def _fill_transitions(rate, early, laws, terms, weights, transitions):
    """Write what smoothing makes of the terms (N, n), of the sample half of the weights before.

    `laws` (3, n, L) are those of exact rates, up to row `early`, and after it of rates and of smoothed rates.
    """
    rates = np.empty((weights.size, rate.shape[1]))
    for k in range(weights.size):
        copy_vector(rate[0], rates[k])
    for n in range(rate.shape[0]):
        index = n % weights.size
        if n < early:
            compute_smoothed_transition(
                rate[n], laws[0], laws[0], terms, weights, rates, index, transitions[n]
            )
        else:
            compute_smoothed_transition(
                rate[n], laws[1], laws[2], terms, weights, rates, index, transitions[n]
            )


@kernel
def _fill_foretold(sections, gains, values, state, first, step, picked):
    """Fill in what comes out of the band, foretold, at the rows `first`, `first + step` and so on of values (N, C)."""
    row = np.empty((1, values.shape[1]))
    for n in range(values.shape[0]):
        filter_rows(sections, values[n : n + 1], state, row)
        if n >= first and (n - first) % step == 0:
            for c in range(values.shape[1]):
                picked[(n - first) // step, c] = foretold(gains, state, c)


@kernel
def take_off(transition, entering, columns, measured):
    """Correct one equation in place: columns (n, P) and measured (n,), without what is known.

    `transition` (n,) is what smoothing the rates makes of the drives' terms, in the band,
    `entering` of `TransitionCorrection`.
    """
    mapping, known = entering
    for i in range(transition.size):
        changed = FACTOR_CORRECTED * transition[i]
        for k in range(mapping.shape[1]):
            columns[i, k] -= changed * mapping[i, k]
        measured[i] += changed * known[i]


@kernel
def take_off_all(transitions, entering, columns, measured):
    """`take_off` for each of N equations: transitions (N, n), columns (N, n, P), measured (N, n)."""
    for n in range(transitions.shape[0]):
        take_off(transitions[n], entering, columns[n], measured[n])


class TransitionCorrection:
    """What is taken off the columns of a friction term with a transition, and off what is known of it.

    Parameters
    ----------
    machine : Machine
    parameters : ParameterSet
    band : BandSettings
    cutoff : float
        Hz, of the kinematic low-pass that the rates have passed.

    Attributes
    ----------
    weights : ndarray, shape (n,)
        `compute_smoothing_weights`.
    gains : ndarray, shape (S, 2), or None
        `foretelling`; None where nothing is taken off: samples come too slowly, encoders are so coarse that what they
        do to friction is not known (`rates.rate_noise`) nor known from what smoothing does, or the law has no such
        term.
    entering : tuple
        How the drives' terms enter each column (n, P), and what is known of them (n,): as `take_off` has it.
    """

    def __init__(self, machine: Machine, parameters: ParameterSet, band: BandSettings, cutoff: float) -> None:
        terms, drives = evaluate_reversing_terms(machine), np.arange(len(machine.drives))
        bending = machine.friction_rows[np.maximum(terms, 0), drives]
        transitions = (terms >= 0)[:, None]
        self.entering = (
            contiguous(np.where(transitions, parameters.mapping[bending], 0.0)),
            contiguous(np.where(transitions[:, 0], parameters.known[bending], 0.0)),
        )
        self.weights = compute_smoothing_weights(cutoff, band.period)
        encoders = np.array([drive.resolution > 0.0 for drive in machine.drives])
        told = ~encoders | (rate_noise(machine, FilterSettings(band.period, cutoff)) > 0.0)
        possible = bool(told.all() and transitions.any())
        self.gains = foretelling(band, self.delay) if possible else None

    @property
    def left(self) -> float:
        """Of what smoothing changes, what may still be wrong; all of it where nothing is taken off."""
        return 1.0 if self.gains is None else FACTOR_RESIDUAL

    @property
    def delay(self) -> int:
        """Samples by which what smoothing does is known later."""
        return len(self.weights) // 2


def filter_transitions(
    machine: Machine,
    low_pass: FilterSettings,
    correction: TransitionCorrection,
    rate: FloatArray,
    early: int,
    piece: BandPiece,
    band: BandSettings,
) -> FloatArray:
    """Return what smoothing rates makes of the bending terms at a piece's equations, (K, n), as the online estimator.

    Parameters
    ----------
    machine : Machine
    low_pass : FilterSettings
        What they have passed.
    correction : TransitionCorrection
        With gains.
    rate : ndarray, shape (N, n)
        Of the piece, m/s or rad/s.
    early : int
        The first rows, of which coordinates are taken for exact.
    piece : BandPiece
    band : BandSettings
    """
    noise = rate_noise(machine, low_pass)
    smoothed = rate_noise(machine, replace(low_pass, cutoff=low_pass.cutoff / STRONGER))
    laws = np.array(
        [
            build_laws(machine, one)
            for one in (np.zeros_like(noise), noise, np.where(noise > 0.0, smoothed, 0.0))
        ]
    )
    transitions = np.empty(rate.shape)
    _fill_transitions(
        contiguous(rate), early, laws, evaluate_reversing_terms(machine), correction.weights, transitions
    )
    rows: NDArray[np.int64] = np.arange(*piece.chosen.indices(len(rate)))
    picked = np.zeros((len(rows), rate.shape[1]))
    sections = band.sections
    state = rest(sections)[:, :, None] * transitions[0]
    _fill_foretold(sections, correction.gains, transitions, state, rows[0], band.stride, picked)
    return picked
