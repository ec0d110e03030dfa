# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What decides statuses and verdicts."""

from __future__ import annotations

import numpy as np

LARGEST_RELATIVE_STD = (
    0.05  # of a value, or near 0 of what it can be: what is known less well is not identified
)
NEAR_ZERO = (
    0.2  # of what a value of its kind can be: what is smaller may have been 0, and says nothing as a measure
)
LEAST_TAKEN_SHARE = 0.8  # of the prior's variance: less, and the file says more than the data
MOST_OF_VARIANCE = 0.5  # of a value's variance: more of one origin, and it rests on that
# Widths that a number of the file may be off by, and the deviations that it may move a value by before it is noticed
LARGEST_ERROR, MAX_UNNOTICED = 10.0, 3.0
LARGEST_FACTOR = 10.0  # by which a mass or a moment may be off, however wide it is
# The same of joints, zeros and scales that nobody measured, .5 % of the machine's size, 3 % of a gear: nobody looks at
# them, and no word of a file says how well they are known
LARGEST_MISPLACEMENT = 30.0

MAX_FLOOR_RATIO = 1.35  # residual over noise floor: as well as floors are known
MAX_RESIDUAL_SHARE = 0.10  # of the force: a model that leaves more is none of this machine
MAX_HELD_OUT_OF_FIT = 1.3  # error of held-out motion over that of the fit
MAX_HELD_OUT_OF_USABLE = 1.5
MAX_HALVES = 2.0  # disagreement of halves over that of noise alone
LITTLE_RESIDUAL = 0.01  # of the force: an error of the model that is smaller is none that moves the file
MOST_OF_MISFIT = 0.5  # what leaves less is more likely to be wrong than all else together
MAX_CONFLICT = 4.0  # deviations that one of some hundred numbers of the file may be off by
# That what all drives have in common, the factor of their forces or the scale of their coordinates, may be off by: few
# numbers, and every value rests on them
MAX_COMMON_CONFLICT = 3.0
# Relative deviation of that factor by the file's masses: less, and an error of a fifth is three deviations
CHECKED_GAIN = 1.0 / 15.0
# Deviations of a joint's place or a zero: beyond, what is linear in them holds for no value
MAX_PLACE_CONFLICT = 6.0
LARGEST_GRAVITY_CHANGE = 0.007  # relative, from one place on Earth to another: 9.764 to 9.834 m/s^2
POSSIBLE = 2.0  # deviations by which one of two explanations is worse, and may be right all the same
NEGATIVE = 4.0  # deviations below zero: friction that drives is none
FOUND = 5.0  # deviations of an effect that is surely there
LIKELY = 3.0  # of one that is likely there: named only if it is very large
LARGE_SHARE, VERY_LARGE_SHARE = (
    0.01,
    0.03,
)  # of a drive's force: what adds more is named, even where the file allows it
# Forces in another unit than newtons, and what they are to be multiplied by
COMMON_FACTORS = (
    ("lbf taken for N", 4.4482216), ("N taken for lbf", 1 / 4.4482216), ("kN taken for N", 1e3),
    ("mN taken for N", 1e-3), ("kgf taken for N", 9.80665), ("N taken for kgf", 1 / 9.80665),
    ("of the other sign", -1.0),
)  # fmt: skip
# Any other factor, as of currents or of torques in front of a gear: below this a file's masses may be wrong
LEAST_FACTOR = 3.0
SEARCHED_FACTORS = np.geomspace(0.5, 10.0, 16)  # over that of the file's own forces, a fifth more each
# Of the force: unseen motion that is predicted so well is predicted, however much better the fit is. A judgement.
MAX_UNSEEN_SHARE = 0.005
# Of the power of a drive's force that its own columns explain beyond chance: less is noise
LARGEST_FOLLOWED = 0.2
