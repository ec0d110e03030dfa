# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What motion would help: single sines by axis, slow and fast, as large as a machine allows and half of that.

Each is weighed by what it adds to what is known: deviations of the parameters before and after as much time of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.simulation.waveforms import MultiSine

from .criteria import Criterion
from .subject import PERIOD, Response, Subject

ADVISED = 20.0  # s, of the motion that advice begins with
RELATIVE = 0.01  # of the rms force, noise that advice is given for where none is known
PACES = (("slow", 0.3), ("fast", 2.0))  # Hz
SIZES = (("large", 1.0), ("half as large", 0.5))
_SAMPLES = 50  # of one period
_HALVINGS = 12
_BEST = 3
_NAMED = 3
_WORTH = 1.05  # times better
_UNKNOWN = 1.0  # own sizes: a deviation that says nothing


@dataclass(frozen=True)
class Advice:
    """A motion, and what as much time of it makes of the deviations.

    Attributes
    ----------
    motion : str
        In words.
    frequency, amplitude : float
        Hz; m or rad.
    unit : str
    better : tuple of (str, float)
        Parameters, and their deviation before over that after, the largest first; infinity where nothing was known.
    """

    motion: str
    frequency: float
    amplitude: float
    unit: str
    better: tuple[tuple[str, float], ...]

    @property
    def text(self) -> str:
        """A line for a person."""
        parts = [
            f"shows {name}" if np.isinf(factor) else f"{name} {factor:.2g} times better"
            for name, factor in self.better
        ]
        size = f"{1000 * self.amplitude:.3g} m{self.unit}"
        return f"{self.motion} ({self.frequency:g} Hz, {size}): {', '.join(parts)}"


def advice(subject: Subject, known: FloatArray, duration: float, noise: float) -> tuple[Advice, ...]:
    """Return the motions that help most, the best first; empty where none does.

    Parameters
    ----------
    subject : Subject
    known : ndarray, shape (R, P)
        Weighted rows (`Response.rows`) of the motions there are, subject's PERIOD apart.
    duration : float
        s, of the motions there are: as much is added.
    noise : float
        Of the forces, as a part of their rms.
    """
    criterion = Criterion("d", subject.scale, subject.kinds, earlier=known)
    before = criterion.deviations(np.zeros((1, len(subject.names))))
    choices: list[tuple[float, Advice]] = []
    for axis, (name, unit, most) in enumerate(subject.axes):
        own = []
        for pace, frequency in PACES:
            largest = _find_largest_amplitude(subject, axis, frequency, most)
            for size, part in SIZES:
                response = _compute_period(subject, axis, frequency, part * largest) if largest else None
                if response is None:
                    continue
                # one period stands for as much time as there is
                rows = response.rows * np.sqrt(duration / PERIOD / _SAMPLES)
                after = criterion.deviations(rows)
                better = _list_improved(subject.names, before, after, noise)
                if better:
                    worth = float(np.sum(np.log(before / after)))
                    motion = f"{name}, {pace} and {size}"
                    own.append((worth, Advice(motion, frequency, part * largest, unit, better)))
        # of an axis the best only
        choices += sorted(own, key=lambda pair: -pair[0])[:1]
    choices.sort(key=lambda pair: -pair[0])
    return tuple(one for _, one in choices[:_BEST])


def single_axis(subject: Subject) -> list[tuple[str, Response]]:
    """Return the largest single sines of every axis, slow and fast: in words, and one period of them."""
    sines = []
    for axis, (name, _, most) in enumerate(subject.axes):
        for pace, frequency in PACES:
            largest = _find_largest_amplitude(subject, axis, frequency, most)
            response = _compute_period(subject, axis, frequency, largest) if largest else None
            if response is not None:
                sines.append((f"{name}, {pace}", response))
    return sines


def _list_improved(
    names: Sequence[str], before: FloatArray, after: FloatArray, noise: float
) -> tuple[tuple[str, float], ...]:
    """Return the parameters whose deviation falls most."""
    factor = before / after
    factor = np.where((noise * before > _UNKNOWN) & (noise * after < _UNKNOWN), np.inf, factor)
    order = np.argsort(-factor, kind="stable")[:_NAMED]
    return tuple((names[k], float(factor[k])) for k in order if factor[k] > _WORTH)


def _find_largest_amplitude(subject: Subject, axis: int, frequency: float, most: float) -> float:
    """The largest amplitude the machine can do, at most `most`; 0 if none."""
    low, high = 0.0, most
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        response = _compute_period(subject, axis, frequency, middle)
        inside = response is not None and bool(response.use.max() <= 1.0)
        low, high = (middle, high) if inside else (low, middle)
    return low


def _compute_period(subject: Subject, axis: int, frequency: float, amplitude: float) -> Response | None:
    """Return the response in one period of one sine."""
    sine = np.zeros((len(subject.axes), 1))
    sine[axis] = amplitude
    signal = MultiSine(np.array([frequency]), sine, np.zeros_like(sine))
    return subject.anywhere(signal.evaluate(np.arange(_SAMPLES) / (_SAMPLES * frequency)))
