# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Whether an answer is to be used: the residual against its noise and its force, held-out motion, halves, and the file.

n: residual over noise floor; e: residual over force; h: error of held-out motion over what the model says of its own
error there; q: disagreement of halves over that of noise alone; conflict: deviations by which the worst number of the
file is off. The first four judge the model, conflict judges the file and what rests on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.document import format_key, format_percent

from .thresholds import (
    MAX_CONFLICT,
    MAX_FLOOR_RATIO,
    MAX_HALVES,
    MAX_HELD_OUT_OF_FIT,
    MAX_HELD_OUT_OF_USABLE,
    MAX_RESIDUAL_SHARE,
    MAX_UNSEEN_SHARE,
)

FITS, USABLE, CONTRADICTS, DO_NOT_USE = "fits", "usable", "contradicts the file", "do not use"
NAMED_KEYS = 3


@dataclass(frozen=True)
class Conflict:
    """A number of the file, and how many deviations the data and all other numbers put it from there.

    Of its distance: that of its width and of what the others say of it. More than `limit` contradict the file.
    """

    key: str
    deviations: float
    limit: float = MAX_CONFLICT

    @property
    def beyond(self) -> bool:
        """Whether it contradicts the file."""
        return abs(self.deviations) > self.limit


@dataclass(frozen=True)
class CommonFactor:
    """What all forces are too large or too small by.

    Attributes
    ----------
    text : str
        What the forces are, in words.
    factor : float
        What they are to be multiplied by.
    is_unit : bool
        Whether that is a unit's, or the other sign.
    """

    text: str
    factor: float
    is_unit: bool = True


@dataclass(frozen=True)
class Verdict:
    """See the module.

    Attributes
    ----------
    grade : str
        FITS, USABLE, CONTRADICTS or DO_NOT_USE.
    floor_ratio : float
        n; NaN where no noise floor is known.
    residual_share, held_out_ratio, halves : float
        e, h and q.
    conflicts : tuple of Conflict
        The worst number of each key that contradicts the file, or the worst of all.
    sentence : str
    unseen_share : float
        Error of fifths of the time that the rest predicts over the force; NaN where a file does not say it.
    note : str
        What values rest on and nothing checks; empty else.
    """

    grade: str
    floor_ratio: float
    residual_share: float
    held_out_ratio: float
    halves: float
    conflicts: tuple[Conflict, ...]
    sentence: str
    unseen_share: float = float("nan")
    note: str = ""

    @property
    def conflict(self) -> float:
        """Deviations of the worst."""
        return max((abs(one.deviations) for one in self.conflicts), default=0.0)

    @property
    def contradicted(self) -> bool:
        """Whether the data contradict a number of the file."""
        return any(one.beyond for one in self.conflicts)

    @property
    def good(self) -> bool:
        """Whether the answer may be used."""
        return self.grade in (FITS, USABLE)

    @property
    def widening(self) -> float:
        """What the deviations of a usable answer are multiplied by."""
        return max(1.0, self.held_out_ratio, self.halves) if self.grade == USABLE else 1.0


def assess(
    floor_ratio: float,
    residual_share: float,
    held_out_ratio: float,
    halves: float,
    conflicts: tuple[Conflict, ...],
    values_rest_on_conflict: bool,
    *,
    factor: CommonFactor | None = None,
    impossible: str = "",
    certain: bool = True,
    parts_agree: bool = False,
    held_out_chance: float = 1.0,
    halves_chance: float = 0.0,
    none_holds: bool = False,
    unseen_share: float = float("nan"),
    usual_gain: tuple[str, float] | None = None,
    other_size: float | None = None,
    notes: Sequence[str] = (),
) -> Verdict:
    """Return the verdict.

    Parameters
    ----------
    floor_ratio, residual_share, held_out_ratio, halves : float
        As of `Verdict`.
    conflicts : tuple of Conflict
        The worst first.
    values_rest_on_conflict : bool
        Whether values that are asked for, and that are not determined by the data alone, rest on keys in conflict.
    factor : CommonFactor, optional
        Without it there is no conflict.
    impossible : str
        Why no machine has these values, or why the mode was not found; empty else.
    certain : bool
        Whether no error of the model could be taken for one of the file: nothing is left but white noise, or little.
    parts_agree : bool
        Whether parts of the motion say the same of all values but for noise: what is left is noise, too, then, unless
        the file is contradicted, whose conflicts an error of the model may make.
    held_out_chance : float
        Factor by which noise alone may make `held_out_ratio` larger: much of short logs.
    halves_chance : float
        What noise alone seldom makes of `halves`: much where few blocks or values are independent.
    none_holds : bool
        Whether no value holds, as of joints far from where the file says.
    unseen_share : float
        As of `Verdict`.
    usual_gain : (str, float), optional
        Key and width of the forces' common factor, where all values rest on that width and nothing checks it.
    other_size : float, optional
        How many times as long as in the file the machine is, where the size of gravity says so.
    notes : sequence of str
        What else is to be said of what values rest on.
    """
    beyond = [one for one in conflicts if one.beyond]
    small = not floor_ratio > MAX_FLOOR_RATIO
    to_noise = certain and small
    predicted = held_out_ratio <= MAX_HELD_OUT_OF_FIT * held_out_chance
    only_noise = to_noise or (parts_agree and small and not beyond)
    fitted = only_noise and predicted and halves <= max(MAX_HALVES, halves_chance)
    generalises = (
        held_out_ratio <= MAX_HELD_OUT_OF_USABLE * held_out_chance
        or residual_share * held_out_ratio <= MAX_UNSEEN_SHARE
    )
    usable = residual_share <= MAX_RESIDUAL_SHARE and generalises
    if beyond and factor and (fitted or usable):
        grade = CONTRADICTS
        named = format_key(beyond[0].key)
        sentence = f"The data contradict the file in {named} and others: the forces are {factor.text}."
    elif impossible:
        grade, sentence = DO_NOT_USE, f"Do not use: {impossible}."
    elif not (fitted or usable):
        grade, sentence = DO_NOT_USE, _refuse(residual_share, held_out_ratio)
    elif beyond and (none_holds or (values_rest_on_conflict and to_noise)):
        named = ", ".join(
            f"{format_key(one.key)} ({abs(one.deviations):.2g} standard deviations)"
            for one in beyond[:NAMED_KEYS]
        )
        grade = CONTRADICTS
        sentence = f"The data contradict {named}: correct the file, or state how well it is known."
        if other_size is not None:
            sentence += (
                f" Gravity is estimated as {1.0 / other_size:.3g} times the file's, as for a machine whose lengths are "
                f"{other_size:.3g} times the file's: measure one length."
            )
    elif fitted:
        grade = FITS
        times = "" if np.isnan(floor_ratio) else f"{floor_ratio:.2g} times the noise, "
        sentence = f"The model fits: the residual is {times}{format_percent(residual_share)} of the force."
    else:
        grade = USABLE
        sentence = (
            f"Usable: the model error is {format_percent(residual_share)} of the force, in held-out motion "
            f"{format_percent(unseen_share)}; the standard deviations include it."
        )
    if beyond and grade in (FITS, USABLE):
        named = ", ".join(format_key(one.key) for one in beyond[:NAMED_KEYS])
        sentence += f" The data contradict the file in {named}: the table marks the values that depend on it."
    notes = list(notes)
    if usual_gain is not None:
        key, width = usual_gain
        notes.append(
            f"All values rest on the forces' common factor, assumed correct within {format_percent(width)} "
            f"({format_key(key)}): the file's masses are not known well enough to check it. To narrow it, weigh a body "
            "and state its mass as `known: measured`, or state this tolerance."
        )
    return Verdict(
        grade,
        floor_ratio,
        residual_share,
        held_out_ratio,
        halves,
        tuple(beyond) or conflicts[:1],
        sentence,
        unseen_share,
        " ".join(notes),
    )


def _refuse(residual_share: float, held_out_ratio: float) -> str:
    if residual_share > MAX_RESIDUAL_SHARE:
        return f"Do not use: the residual is {format_percent(residual_share)} of the force."
    return f"Do not use: the forces of held-out motion are predicted {held_out_ratio:.2g} times worse than expected."
