# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Places in the arrays that kernels share: a model's tables (`structure.model`) and the state of its frames."""

# Columns of a model's frames, velocities and rows.
PARENT, KIND, AXIS, SIGN, COORDINATE, VELOCITY = range(6)
HOLDER, ROTATES, SCALAR = range(3)
ROW_KIND, FRAME_A, FRAME_B, TURNS = range(4)
POINT_A, POINT_B, DIRECTION_A, DIRECTION_B, NUMBERS = range(5)
# A frame's state is (8, 3), ground axes: three rows of its rotation, its origin, angular velocity and acceleration,
# velocity and acceleration of the origin.
ORIGIN, OMEGA, ALPHA, SPEED, SECOND = range(3, 8)
STATE = 8
