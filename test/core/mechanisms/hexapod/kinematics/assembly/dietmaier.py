# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Dietmaier's platform (1998) whose lengths below are met by 40 real poses, and the search that shows it otherwise."""

import numpy as np

BASE = np.array([
    [0.0, 0.0, 0.0], [1.107915, 0.0, 0.0], [0.549094, 0.756063, 0.0], [0.735077, -0.223935, 0.525991],
    [0.514188, -0.526063, -0.368418], [0.590473, 0.094733, -0.205018],
])  # fmt: skip
PLATFORM = np.array([
    [0.0, 0.0, 0.0], [0.542805, 0.0, 0.0], [0.956919, -0.528915, 0.0], [0.665885, -0.353482, 1.402538],
    [0.478359, 1.158742, 0.107672], [-0.137087, -0.235121, 0.353913],
])  # fmt: skip
LENGTH = np.array([1.0, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071])
