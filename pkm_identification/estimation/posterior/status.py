# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How well each value is known, and from where: from the data, from the file, or from both.

P is the posterior covariance, L the prior precision, M the covariance of the data's scores and s_k the width of number
k of the file. Then

    covariance = P M P + sum over k of (P L)_k (P L)_k' s_k^2 ,      d(estimate_j) / d(number k) = (P L)_jk ,

and the second term splits exactly by key of the file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .thresholds import LARGEST_RELATIVE_STD, LEAST_TAKEN_SHARE, MAX_UNNOTICED, MOST_OF_VARIANCE, NEAR_ZERO

IDENTIFIED = "identified"
MOSTLY_FROM_FILE = "known, mostly from the file"
RESTS_ON_FILE = "rests on the file"
NOISY = "known"
FROM_FILE = "from the file"
CONTRADICTS = "contradicts the file"
AFFECTED = "affected by the misfit"  # of an answer that is not to be used
NAMED_KEYS = 2


@dataclass(frozen=True)
class Leaning:
    """How much a value changes with a number of the file.

    Attributes
    ----------
    key : str
        Path of the number in the file, or name of an effect.
    share : float
        Of the value's variance.
    slope : float
        Change of the value per `unit` of the number.
    unit : str
        '%' of what is log-normal, 'mm', or as SI has it.
    in_file : bool
        Whether a file can state the number; else it is an effect, of which none does.
    """

    key: str
    share: float
    slope: float
    unit: str
    in_file: bool = True


@dataclass(frozen=True)
class KnownValue:
    """A value and how well it is known.

    Attributes
    ----------
    name, unit : str
    value, std : float
        `std` is total: root of the squares of `data_std` and `file_std`.
    data_std, file_std : float
    taken : float
        Share of the prior's variance that the data took away.
    status : str
        One of this module.
    rests_on : tuple of Leaning
        The largest of the file's part first.
    near_zero : bool
        Whether its deviation was judged by what a value of its kind can be, not by its own size.
    nominal : float
        As the file has it.
    size : float
        What a value of its kind can be, as of `is_near_zero`.
    model_std : float
        Of `data_std`: what parts of the data disagree about, which is no scatter between blocks.
    unnoticed : float, optional
        What a wrong number of the file moves it by before the data contradict that number.
    """

    name: str
    unit: str
    value: float
    std: float
    data_std: float
    file_std: float
    taken: float
    status: str
    rests_on: tuple[Leaning, ...] = ()
    near_zero: bool = False
    nominal: float = float("nan")
    size: float = 0.0
    model_std: float = 0.0
    unnoticed: float = 0.0

    @property
    def usable(self) -> bool:
        """Whether it may be taken for what the data or a well known file determine."""
        return self.status in (IDENTIFIED, MOSTLY_FROM_FILE, NOISY)

    def affected(self) -> KnownValue:
        """Return the value of an answer that is not to be used."""
        return replace(self, status=AFFECTED) if self.usable else self

    def widen(self, factor: float) -> KnownValue:
        """Return the value with a larger scatter between blocks, and the status that it then has."""
        scatter = factor**2 * max(self.data_std**2 - self.model_std**2, 0.0)
        data = float(np.sqrt(scatter + self.model_std**2))
        std, status = float(np.hypot(data, self.file_std)), self.status
        if status not in (CONTRADICTS, AFFECTED):
            value = 0.0 if self.near_zero else self.value
            status = choose_status(value, std, self.file_std, self.taken, self.size, self.unnoticed)
        return replace(self, data_std=data, std=std, status=status)


def is_near_zero(value: float, size: float) -> bool:
    """Return whether a value is small compared with what one of its kind can be; `size` 0: it cannot be 0."""
    return abs(value) < NEAR_ZERO * size


def choose_status(
    value: float, std: float, file_std: float, taken: float, size: float, unnoticed: float = 0.0
) -> str:
    """Return the status of a value.

    Parameters
    ----------
    value, std, file_std : float
    taken : float
        Share of the prior's variance that the data took away.
    size : float
        As of `is_near_zero`.
    unnoticed : float, optional
        What a wrong number of the file moves it by before the data contradict that number.
    """
    small = std <= LARGEST_RELATIVE_STD * (size if is_near_zero(value, size) else abs(value))
    misled = unnoticed > MAX_UNNOTICED * std
    if taken < LEAST_TAKEN_SHARE:
        return MOSTLY_FROM_FILE if small and not misled else FROM_FILE
    if misled or (not small and file_std**2 > MOST_OF_VARIANCE * std**2):
        return RESTS_ON_FILE
    return IDENTIFIED if small else NOISY
