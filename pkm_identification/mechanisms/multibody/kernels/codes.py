# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Numbers by which kernels know motions of frames and kinds of rows, and where a body's parameters stand."""

# Columns of a model's frames, velocities and rows.
PARENT, KIND, AXIS, SIGN, COORDINATE, VELOCITY = range(6)
HOLDER, ROTATES, SCALAR = range(3)
ROW_KIND, FRAME_A, FRAME_B, TURNS = range(4)
POINT_A, POINT_B, DIRECTION_A, DIRECTION_B, NUMBERS = range(5)
# A frame's state is (8, 3), ground axes: three rows of its rotation, its origin, angular velocity and acceleration,
# velocity and acceleration of the origin.
ORIGIN, OMEGA, ALPHA, SPEED, SECOND = range(3, 8)
STATE = 8


# Elementary motion of a frame in the one before it.
FIXED, REVOLUTE, PRISMATIC, BALL, NO_SPIN = range(5)
# Coordinates (a ball's are a quaternion x, y, z, w) and velocities of each.
COORDINATES = (0, 1, 1, 4, 2)
VELOCITIES = (0, 1, 1, 3, 2)
# Rows: scalar functions of the configuration.
#   POINT        d . (P_b - P_a), d and P_a fixed in frame a, P_b in frame b
#   AXES         u . w, u fixed in frame a, w in frame b
#   LENGTH       |P_b - P_a|
#   ANGLE        one of the three turns that make frame b of frame a
#   TURN         a component, in the ground's axes, of the turn from a wanted rotation to that of frame b
#   SPIN         no value, only a rate: that of frame b's turn against frame a about d, fixed in frame a
#   COMBINATION  of joint coordinates
#   LEVER        third side of a triangle whose angle is a combination
POINT, AXES, LENGTH, ANGLE, TURN, COMBINATION, LEVER, SPIN = range(8)
# How a closing ended.
OK, DEGRADED, FAILED, SINGULAR, OTHER_MODE = range(5)
STATUS_NAMES = ("ok", "degraded", "failed", "singular", "other assembly mode")
